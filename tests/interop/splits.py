#!/usr/bin/env python3
"""`lakectl plan --splits` against the official library's scan tasks, on tables of made-up files that the library itself committed: all
sizes, formats, good and bad split offsets, delete files, and the table's own properties. Besides: each byte of a file from its first
split offset on lies in just one split.

  splits.py [--seed N] [--tables N]"""
import json, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import *


def local(path):
    return path[5:] if path.startswith("file:/") else path


def covered(files, groups):
    """What is wrong with the cover of the files' bytes, or None."""
    parts = {}
    for g in groups:
        for path, start, length in g:
            parts.setdefault(path, []).append((start, length))
    for path, f in files.items():
        at = None
        for start, length in sorted(parts.get(path, [])):
            first = f.get("split-offsets", [0])[0]
            if start != at if at is not None else start not in (0, first):
                return "%s: a split begins at %d, not %s" % (path, start, at)
            at = start + length
        if at != f["file-size-in-bytes"]:
            return "%s: splits end at %s of %d" % (path, at, f["file-size-in-bytes"])
    return None


def ours(table, size):
    d = json.loads(must("plan", table, "--splits", size or "table", "--format", "json"))
    paths = [local(t["data-file"]["file-path"]) for t in d["file-scan-tasks"]]
    files = {p: t["data-file"] for p, t in zip(paths, d["file-scan-tasks"])}
    return files, [[[paths[s["file-scan-task"]], s["start"], s["length"]] for s in g["splits"]] for g in d["scan-tasks"]]


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(10)
    if not os.path.exists(ORACLE):
        counts.skip("splits", "the Java peer is not there")
        return counts.finish()
    folder = tempfile.mkdtemp(prefix="lake-splits.")
    try:
        tables = [os.path.join(folder, "t%d" % n) for n in range(option("--tables", 25))]
        p = subprocess.run(["java", "-jar", ORACLE, "splits", "--seed", str(option("--seed", 1)), *tables], capture_output=True, text=True)
        if p.returncode != 0:
            counts.fail("the official library", p.stderr[-1500:])
        total = 0
        for answer in map(json.loads, p.stdout.splitlines()):
            for case in answer["cases"]:
                name = "%s --splits %d" % (os.path.basename(answer["table"]), case["size"])
                want = [[[local(path), start, length] for path, start, length in g] for g in case["scan-tasks"]]
                try:
                    files, got = ours(answer["table"], case["size"])
                except LakectlFailed as e:
                    counts.fail(name, str(e))
                    continue
                total += sum(map(len, got))
                counts.equal(name, got, want)
                counts.check(name + " covers", covered(files, got))
        print("%d splits of %d tables" % (total, len(tables)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
