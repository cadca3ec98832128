#!/usr/bin/env python3
"""`lakectl plan --from-snapshot --to-snapshot` against the official library's incremental append scan: between each two snapshots of
the corpus' tables, those that are no ancestors of each other among them. From a snapshot to itself the library refuses, and lakectl
plans nothing."""
import json, os, random, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import *


def newest(folder):
    names = [f for f in os.listdir(folder) if f.endswith((".metadata.json", ".gz.metadata.json"))]
    return os.path.join(folder, max(names, key=lambda f: int(f.lstrip("v").split(".")[0].split("-")[0])))


def main():
    counts = Counts(10)
    if not os.path.exists(ORACLE):
        counts.skip("increments", "the Java peer is not there")
        return counts.finish()
    given = os.path.join(CORPUS, "given")
    tables = [newest(os.path.join(given, t, "metadata")) for t in sorted(os.listdir(given)) if os.path.isdir(os.path.join(given, t, "metadata"))]
    p = subprocess.run(["java", "-jar", ORACLE, "increments", "--map", MAP, *tables], capture_output=True, text=True)
    if p.returncode != 0:
        counts.fail("the official library", p.stderr[-1500:])
    cases = []
    for answer in map(json.loads, p.stdout.splitlines()):
        some = answer["cases"]
        if len(some) > 12:
            some = random.Random(len(some)).sample(some, 12)
        cases += [(answer["metadata"], c) for c in some]

    def one(item):
        metadata, c = item
        name = "%s from %d to %d" % (metadata.split("/")[-3], c["from"], c["to"])
        status, out, err = lakectl("--map", MAP, "plan", metadata, "--from-snapshot", c["from"], "--to-snapshot", c["to"], "--format", "paths")
        if "error" in c:
            counts.check(name, None if status == 2 and "is no ancestor of" in err else "status %d, wanted %s" % (status, c["error"]))
        else:
            counts.equal(name, (status, sorted(out.splitlines())), (0, c["files"]))
    both(one, cases)
    print("%d pairs, %d of them with files, %d refused" % (
        len(cases), sum(bool(c.get("files")) for _, c in cases), sum("error" in c for _, c in cases)))
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
