#!/usr/bin/env python3
"""The metrics folder of the corpus: `lakectl stats` against counts, bounds and hex forms that were counted from the values."""
import glob, json, os, sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *

FOLDER = os.path.join(CORPUS, "given", "metrics")


def difference(want, got):
    bad = []
    for fid, w in want["columns"].items():
        g = got.get(int(fid))
        if g is None:
            bad.append("column %s is not listed" % fid)
            continue
        for key, ours in (("values", "value-count"), ("nulls", "null-value-count"), ("nans", "nan-value-count"), ("min_hex", "lower-bound-hex"),
                          ("max_hex", "upper-bound-hex")):
            # A NaN count of a column that is no float need not be there.
            if g.get(ours) != w.get(key) and not (key == "nans" and not w.get(key) and g.get(ours) is None):
                bad.append("column %s (%s): %s is %s, not %s" % (fid, g.get("type"), ours, g.get(ours), w.get(key)))
    return bad


def main():
    counts = Counts()

    def one(path):
        base = path[:-len(".parquet")]
        name = os.path.basename(base)
        status, out, err = lakectl("stats", path, "--schema", base + ".schema.json", "--format", "json")
        if status:
            counts.fail(name, "exit status %d: %s" % (status, err.strip()))
            return
        with open(base + ".expected.json") as f:
            want = json.load(f)
        try:
            file = json.loads(out)["files"][0]
            bad = difference(want, {c["id"]: c for c in file["columns"]})
            if file["file-size-in-bytes"] != os.path.getsize(path):
                bad.append("file size %s" % file["file-size-in-bytes"])
            counts.check(name, "; ".join(bad[:6]))
        except (ValueError, KeyError, TypeError) as e:
            counts.fail(name, "%s: %s in %s" % (type(e).__name__, e, short(out, 300)))

    both(one, [p for p in sorted(glob.glob(FOLDER + "/*.parquet")) if not sys.argv[1:] or any(a in p for a in sys.argv[1:])])
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
