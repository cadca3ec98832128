#!/usr/bin/env python3
"""Pages that are too large to be held in memory: `lakectl stats` on files of PyArrow with pages and dictionaries of tens of megabytes, in
each encoding and codec, against the values; and the memory it takes, if the program is not built with sanitizers."""
import os, random, resource, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *

import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq

MOST_MB = 64
SANITIZED = b"libasan" in subprocess.run(["ldd", LAKECTL], stdout=subprocess.PIPE).stdout
WHOLE = {"data_page_size": 1 << 30, "row_group_size": 1 << 30, "write_batch_size": 1 << 30, "max_rows_per_page": 1 << 30,
         "use_dictionary": False}


def numbers(n, seed=1, bits=63):
    r = random.Random(seed)
    return pa.array([r.getrandbits(bits) - (1 << (bits - 1)) for _ in range(n)], pa.int64())


def strings(n, length, seed=2):
    r = random.Random(seed)
    base = "".join(chr(r.randrange(97, 123)) for _ in range(length))
    return pa.array([base[:r.randrange(length + 1)] + "%08d" % r.randrange(n * 4) for _ in range(n)])


def cases():
    longs, texts = numbers(1_500_000), strings(300_000, 60)
    nulls = pa.array([None if i % 3 == 0 else i * 7 for i in range(2_500_000)], pa.int64())
    r = random.Random(7)
    small = pa.array([r.getrandbits(31) for _ in range(2_600_000)], pa.int32())
    fixed = pa.array([r.randbytes(16) for _ in range(700_000)], pa.binary(16))
    mixed = pa.array([r.randbytes(r.randrange(12, 40)).hex() for _ in range(200_000)])
    floats = pc.divide(pc.cast(numbers(1_400_000, 3, 40), pa.float64()), 7.0)
    lists = pa.ListArray.from_arrays(pa.array(range(0, 1_200_001, 3), pa.int32()), numbers(1_200_000, 4))
    for codec, version in (("NONE", "1.0"), ("SNAPPY", "1.0"), ("SNAPPY", "2.0"), ("GZIP", "1.0"), ("ZSTD", "2.0"), ("LZ4", "1.0"), ("BROTLI", "2.0")):
        yield "plain int64, %s, v%s" % (codec, version), {"c": longs}, dict(compression=codec, data_page_version=version)
        yield "plain strings, %s, v%s" % (codec, version), {"c": texts}, dict(compression=codec, data_page_version=version)
    for name, array, encoding in (("delta int64", longs, "DELTA_BINARY_PACKED"), ("delta int32", small, "DELTA_BINARY_PACKED"),
                                  ("delta lengths", texts, "DELTA_LENGTH_BYTE_ARRAY"), ("delta strings", mixed, "DELTA_BYTE_ARRAY"),
                                  ("delta fixed", fixed, "DELTA_BYTE_ARRAY"),
                                  ("split doubles", floats, "BYTE_STREAM_SPLIT"), ("plain fixed", fixed, "PLAIN")):
        yield name, {"c": array}, dict(compression="SNAPPY", column_encoding={"c": encoding})
    yield "nulls", {"c": nulls}, dict(compression="ZSTD")
    yield "lists", {"c": lists}, dict(compression="SNAPPY", data_page_version="2.0")
    # Dictionaries: of 12 MB and more, with indexes in pages of any size.
    big = dict(use_dictionary=True, dictionary_pagesize_limit=1 << 30)
    yield "large dictionary of strings", {"c": strings(350_000, 60, 5)}, dict(compression="SNAPPY", **big)
    yield "large dictionary of doubles", {"c": pa.concat_arrays([floats, pa.array([float("nan")] * 3 + [1.0])])}, dict(compression="ZSTD", **big)
    yield "large dictionary, small pages", {"c": longs}, dict(compression="NONE", data_page_size=1000, **big)
    huge = ["x" * n for n in (3 << 20, 5 << 20, 4 << 20, (4 << 20) + 1)] + ["a", "zz" + "y" * (6 << 20)]
    yield "values of megabytes", {"c": pa.array(huge)}, dict(compression="SNAPPY")


def leaf_stats(array):
    flat = array.flatten() if pa.types.is_list(array.type) else array
    mm = pc.min_max(flat).as_py()
    nans = pc.sum(pc.is_nan(flat)).as_py() or 0 if pa.types.is_floating(flat.type) else None
    return len(flat), flat.null_count, nans, mm["min"], mm["max"]


def run(path, *more):
    """Status, output, message and peak megabytes; /usr/bin/time would do, but need not be there."""
    code = "import resource, subprocess, sys; p = subprocess.run(sys.argv[1:]); " \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, file=sys.stderr); sys.exit(p.returncode)"
    p = subprocess.run([sys.executable, "-S", "-c", code, LAKECTL, "stats", path, "--format", "json", "--threads", "1", *more], capture_output=True)
    lines = p.stderr.decode().rstrip("\n").split("\n")
    return p.returncode, p.stdout, "\n".join(lines[:-1]), float(lines[-1])


def text_of(v):
    return v.hex() if isinstance(v, bytes) else v


def difference(path, array, name):
    status, out, err, mb = run(path)
    if status:
        return err
    c = json.loads(out)["files"][0]["columns"][0]
    n, nulls, nans, lo, hi = leaf_stats(array)
    got = (c["value-count"], c["null-value-count"], c.get("nan-value-count"), c.get("lower-bound"), c.get("upper-bound"))
    want = (n, nulls, nans, text_of(lo), text_of(hi))
    if name == "values of megabytes":  # bounds of 4 MiB at most, which hold all the same
        if got[:3] != want[:3] or got[3] != "a" or not hi < got[4] or len(got[4]) > 4 << 20 or got[4][:-1] != hi[:len(got[4]) - 1]:
            return "bounds of %d and %d" % (len(got[3]), len(got[4]))
    elif got != want:
        return "%s, not %s" % (short(got, 300), short(want, 300))
    if not SANITIZED and mb > MOST_MB:
        return "%.0f MB of memory" % mb
    return None


def main():
    counts = Counts()
    folder = tempfile.mkdtemp(prefix="lake-large-")
    path = os.path.join(folder, "x.parquet")
    for name, columns, options in cases():
        if sys.argv[1:] and not any(a in name for a in sys.argv[1:]):
            continue
        table = pa.table(columns)
        pq.write_table(table, path, **{**WHOLE, **options})
        chunk = pq.read_metadata(path).row_group(0).column(0)
        if "small pages" not in name and chunk.total_uncompressed_size < 8 << 20:
            counts.fail(name, "the page has %d bytes only" % chunk.total_uncompressed_size)
        counts.check(name, difference(path, table["c"].combine_chunks() if table["c"].num_chunks != 1 else table["c"].chunk(0), name))
    # What cannot be read piece by piece is refused, with the limit and the way to raise it.
    pq.write_table(pa.table({"c": numbers(4_000_000, 6)}), path, **{**WHOLE, "compression": "NONE", "column_encoding": {"c": "BYTE_STREAM_SPLIT"}})
    status, out, err, mb = run(path)
    counts.check("a page over the limit", None if status == 4 and "column c" in err and "the limit is 25165824" in err else "%d: %s" % (status, err))
    status, out, err, mb = run(path, "--max-page", "40M")
    counts.check("the limit raised", None if status == 0 else err)
    shutil.rmtree(folder)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
