#!/usr/bin/env python3
"""Manifests that lakectl writes for the corpus' data files, against those that the official library wrote for the same files: partition
values, counts, sizes, bounds, split offsets.

Known to differ: the sort order id (lakectl never claims an order); tables whose schema changed since (schema_evolution: bounds of the
types of then); imported files (name_mapping: the library took the footer's statistics, lakectl reads the data, so it has more); results of
truncate that wrap, which lakectl refuses to write (truncate_all)."""
import collections, glob, os, re, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *

MAPS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
WHOLE = ("file_format", "record_count", "file_size_in_bytes", "split_offsets")
CHANGED = ("schema_evolution",)
MORE = ("name_mapping",)
REFUSED = {("truncate_all", 0): "truncate[500000] of -9223372036854775808"}


def entries(path):
    import fastavro
    with open(path, "rb") as f:
        r = fastavro.reader(f)
        return r.metadata, list(r)


def metrics(file, name):
    return {e["key"]: e["value"] for e in file.get(name) or []}


def official(table):
    """Data files by spec id: {spec: {path: data_file}}, of all manifests of the table."""
    out = collections.defaultdict(dict)
    for path in glob.glob("%s/given/%s/metadata/*-m[0-9]*.avro" % (CORPUS, table)):
        header, found = entries(path)
        for e in found:
            f = e["data_file"]
            here = f["file_path"].replace("s3://lake-corpus/", CORPUS + "/")
            if header.get("content", "data") == "data" and f["file_format"] == "PARQUET" and os.path.exists(here):
                out[int(header["partition-spec-id"])][f["file_path"]] = f
    return out


def difference(want, got, more):
    bad = []
    if list(want["partition"].values()) != list(got["partition"].values()):
        bad.append("partition %s instead of %s" % (got["partition"], want["partition"]))
    bad += ["%s %s instead of %s" % (k, got[k], want[k]) for k in WHOLE if got[k] != want[k] and not (more and want[k] is None)]
    for name in MAPS:
        w, g = metrics(want, name), metrics(got, name)
        if w != ({k: v for k, v in g.items() if k in w} if more else g):
            bad.append("%s %s instead of %s" % (name, g, w))
    return "; ".join(bad)


def newest(table):
    found = glob.glob("%s/given/%s/metadata/v*.metadata.json" % (CORPUS, table)) + glob.glob("%s/given/%s/metadata/v*.gz.metadata.json" % (CORPUS, table))
    return max(found, key=lambda p: int(re.search(r"/v(\d+)\.", p).group(1)), default=None)


def check_spec(counts, table, spec, files, out):
    status, _, err = lakectl("write-manifest", "--map", MAP, "--table", newest(table), "--spec-id", str(spec), "-o", out, *sorted(files))
    name = "%s spec %d" % (table, spec)
    if (table, spec) in REFUSED:
        counts.check(name, None if status == 4 and REFUSED[table, spec] in err and not os.path.exists(out) else "%d %s" % (status, err))
        return
    if status:
        counts.fail(name, "exit status %d: %s" % (status, err.strip()))
        return
    got = {e["data_file"]["file_path"]: e["data_file"] for e in entries(out)[1]}
    counts.equal(name, sorted(got), sorted(files))
    for path in sorted(set(files) & set(got)):
        if table not in CHANGED:
            counts.check(name + " " + path, difference(files[path], got[path], table in MORE))


def main():
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        for table in sorted(os.listdir(CORPUS + "/given")):
            if newest(table) and (not sys.argv[1:] or any(a in table for a in sys.argv[1:])):
                for spec, files in sorted(official(table).items()):
                    check_spec(counts, table, spec, files, "%s/%s-%d.avro" % (folder, table, spec))
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
