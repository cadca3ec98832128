#!/usr/bin/env python3
"""Plays the cases of the corpus with a manifest cache, cold and warm: every answer must be, byte for byte, what it is without one.

  cached.py [TABLE...]

Every seventh case is also compared as a whole document with statistics and explanation. The caches: a folder (cold, then warm, then
with four threads), one too small for a manifest (so that each plan's first manifest is planned from an image that goes), memory only."""
import os, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *
import play


def answers(path, threads, **env):
    with open(path, "rb") as f:
        p = subprocess.run([PLAN_CASES, str(threads), MAP], stdin=f, stdout=subprocess.PIPE,
                           env=dict(os.environ, CASES_WHOLE="7", **{k: str(v) for k, v in env.items()}))
    if p.returncode:
        raise LakectlFailed("plan_cases ended with status %d" % p.returncode)
    return p.stdout.split(b"\n")


def main():
    counts = Counts()
    cases = play.load(sys.argv[1:])
    work = tempfile.mkdtemp(prefix="lake-cached-")
    requests = os.path.join(work, "requests")
    with open(requests, "wb") as f:
        f.writelines(encode(play.request(c, form)) for c in cases for form in play.FORMS)
    plain = answers(requests, 1)
    folder = os.path.join(work, "cache")
    ways = [("cold", 1, {"CASES_CACHE": folder}), ("warm", 1, {"CASES_CACHE": folder}),
            ("warm, 4 threads", 4, {"CASES_CACHE": folder}),
            ("too small", 1, {"CASES_CACHE": os.path.join(work, "small"), "CASES_CACHE_SIZE": 1}),
            ("in memory", 1, {"CASES_CACHE_SIZE": 1 << 30})]
    for way, threads, env in ways:
        got = answers(requests, threads, **env)
        counts.check(way + ": number of answers", len(got) != len(plain) and "%d, not %d" % (len(got), len(plain)))
        for a, b in zip(plain, got):
            counts.check("%s: %s" % (way, a[:80].decode(errors="replace")), a != b and "another plan: %s" % short(b.decode(errors="replace"), 300))
        if way == "cold":
            packs = [f for _, _, fs in os.walk(folder) for f in fs if f.endswith(".pack")]
            counts.check("packs are written", not packs and "none")
    shutil.rmtree(work)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
