#!/usr/bin/env python3
"""Damaged input: tests/fuzz/fuzz.c over real files of the corpus and hand-made predicates, a fixed seed a target. A longer run:
  LAKE_FUZZ=100 tests/fuzz/run.py      100 times as many inputs, other seeds"""
import glob, json, os, random, struct, subprocess, sys, tempfile, zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FUZZ = os.path.join(os.environ.get("LAKE_BUILD", os.path.join(ROOT, "build-test")), "tests", "fuzz")
CORPUS = os.environ.get("LAKE_CORPUS", os.path.join(ROOT, ".cache", "corpus"))
TIMES = int(os.environ.get("LAKE_FUZZ", "1"))
SQL = [
    "i IN (1, 2, NULL) OR NOT (l BETWEEN SYMMETRIC 5 AND -5)", "CASE WHEN b THEN i > 3 ELSE s LIKE 'a\\%%' ESCAPE '\\' END",
    "ts >= TIMESTAMP '2024-02-29T23:59:60.123456789+14:00' AND dt < DATE '0001-01-01'", "dec = -99999999999999999999999999.9999999999",
    "f IS NAN AND d IS NOT DISTINCT FROM 1e308 AND x = X'00ff'", "bucket(16, l) = 3 AND truncate(4, s) = 'abcd' AND months(ts) = 600",
    "u = UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "st.a IS NULL AND \"st\".\"a\" = 1", "(b IS TRUE) IS UNKNOWN",
    "lower(s) || 'x' = 'y'", "CAST(i AS bigint) > 3", "i::text = '5'", "-i < 2 + l % 3", "years(dt) = 55", "s ILIKE 'A%'",
    "((((((((((i=1))))))))))"]
FILTERS = [
    {"type": "and", "left": {"type": "lt-eq", "term": "i", "value": 5}, "right": {"type": "not-in", "term": "s", "values": ["a", "b"]}},
    {"type": "not", "child": {"type": "or", "left": {"type": "is-nan", "term": "d"}, "right": {"type": "not-starts-with", "term": "s", "value": "ab"}}},
    {"type": "eq", "term": {"type": "transform", "transform": "bucket[16]", "term": "l"}, "value": 3},
    {"type": "gt", "term": {"type": "transform", "transform": "month", "term": "ts"}, "value": 600},
    {"type": "in", "term": "dec", "values": ["1.5", "-99999999999999999999999999.9999999999"]},
    {"type": "not-null", "term": "st.a"}, {"type": "eq", "term": "x", "value": "00ff"}, {"type": "not-eq", "term": "f", "value": 1e38},
    {"type": "gt-eq", "term": "ts", "value": "2024-02-29T23:59:59.123456+00:00"}, {"type": "eq", "term": "u", "value": "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
    {"type": "lt", "left": {"type": "reference", "id": 1}, "right": {"type": "literal", "data-type": "int", "value": 7}},
    {"type": "eq", "left": {"type": "apply", "function": "truncate", "arguments": [4, {"type": "reference", "name": "s"}]}, "right": "abcd"}]


def varint(data, at):
    v = shift = 0
    while True:
        b = data[at]
        at, v, shift = at + 1, v | (b & 127) << shift, shift + 7
        if b < 128:
            return (v >> 1) ^ -(v & 1), at


def put(v):
    v, out = v << 1, b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def inflated(path, folder):
    """The same Avro file with codec null, so that damage reaches the records and is not stopped by inflating."""
    with open(path, "rb") as f:
        data = f.read()
    n, at = varint(data, 4)
    out = data[:4] + put(n)
    for _ in range(n):
        k, at = varint(data, at)
        key, at = data[at:at + k], at + k
        k, at = varint(data, at)
        value, at = data[at:at + k], at + k
        if key == b"avro.codec":
            if value != b"deflate":
                return path
            value = b"null"
        out += put(len(key)) + key + put(len(value)) + value
    sync, at = data[at + 1:at + 17], at + 17
    out += b"\0" + sync
    while at < len(data):
        n, at = varint(data, at)
        k, at = varint(data, at)
        block, at = zlib.decompress(data[at:at + k], -15), at + k + 16
        out += put(n) + put(len(block)) + block + sync
    copy = os.path.join(folder, "null-" + os.path.basename(path))
    with open(copy, "wb") as f:
        f.write(out)
    return copy


def some(pattern, n, largest=200000):
    files = sorted(f for f in glob.glob(os.path.join(CORPUS, pattern)) if os.path.getsize(f) <= largest)
    random.Random(7).shuffle(files)
    return files[:n]


def data_files(folder):
    """Avro and ORC files, most of them without compression, so that damage reaches what is inside."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
    import avro_orc
    class Nowhere:
        def check(self, *a): return True
        def fail(self, *a): pass
    avro_orc.lakectl = lambda *a: (1, "", "")
    for seed in range(40):
        avro_orc.CODECS = ["null", "null", "deflate", "zstandard"]
        avro_orc.random_avro(Nowhere(), seed, folder)
        avro_orc.random_orc(Nowhere(), seed * (5 if seed % 3 else 1), folder)
    files = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f[0] in "fo" and f[1].isdigit() and not f.endswith(".schema")]
    small = [f for f in files if os.path.getsize(f) < 30000]
    return [f for f in small if os.path.basename(f)[0] == "f"], [f for f in small if os.path.basename(f)[0] == "o"]


def predicates(folder):
    """A file for each predicate: those of the corpus, and what it lacks."""
    texts = {"sql": SQL * 20, "filter": [json.dumps(f) for f in FILTERS] * 20}
    for f in some("given/*/cases.ndjson", 100, 1 << 30):
        with open(f) as fh:
            for line in list(fh)[::12]:
                c = json.loads(line)
                texts["sql"].append(c["where"])
                texts["filter"].append(json.dumps(c["filter"]))
    out = {}
    for kind, items in texts.items():
        out[kind] = [os.path.join(folder, "%s-%04d" % (kind, n)) for n in range(len(items))]
        for p, t in zip(out[kind], items):
            with open(p, "w") as fh:
                fh.write(t)
    return out


def blobs(folder):
    """Geometries, bitmaps of deletion vectors and theta sketches, each in a file of its own."""
    sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "interop")]
    import geometries, vectors
    r, out = random.Random(11), {"wkb": [], "bitmap": [], "sketch": []}

    def put(kind, data):
        out[kind].append(os.path.join(folder, "%s-%d" % (kind, len(out[kind]))))
        with open(out[kind][-1], "wb") as f:
            f.write(data)
    for _ in range(60):
        put("wkb", geometries.Shape(r).wkb)
    for rows in vectors.SETS + vectors.WIDE:
        for optimise in (True, False):
            put("bitmap", vectors.vector(sorted(set(rows)), optimise)[8:-4])
    for n in (0, 1, 2, 30, 4096):
        h = sorted(r.sample(range(1, 1 << 62), n))
        longs, theta = (3, 1 << 62) if n == 4096 else (1 if n < 2 else 2, None)
        put("sketch", bytes([longs, 3, 3, 0, 0, 0x1e if not n else 0x1a, 0xcc, 0x93]) + (struct.pack("<II", n, 0) if longs > 1 else b"") + (
            struct.pack("<Q", theta) if theta else b"") + b"".join(struct.pack("<Q", x) for x in h))
    return out


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        text = predicates(tmp)
        lists = some("given/*/metadata/snap-*.avro", 30)
        manifests = [f for f in some("given/*/metadata/*.avro", 1000, 30000) if "/snap-" not in f][:80]
        avro, orc = data_files(tmp)
        small = blobs(tmp)
        jobs = [
            ("json", 2000, some("given/*/metadata/*.json", 30)), ("metadata", 2000, some("given/*/metadata/*metadata.json", 40)),
            ("list", 4000, lists + [inflated(f, tmp) for f in lists]),
            ("manifest", 6000, manifests[:20] + [inflated(f, tmp) for f in manifests]),
            ("parquet", 1500, some("given/metrics/*.parquet", 60, 60000) + some("given/*/data/*.parquet", 30, 60000)),
            ("avro", 4000, avro + [inflated(f, tmp) for f in manifests[:20]]), ("orc", 4000, orc),
            ("directory", 1500, some("given/metrics/*.parquet", 60, 60000) + some("given/*/data/*.parquet", 30, 60000)),
            ("dump", 1000, some("given/*/metadata/*", 60) + some("given/metrics/*.parquet", 20, 60000) + some("given/*/data/*.puffin", 20)),
            ("wkb", 20000, small["wkb"]), ("bitmap", 3000, small["bitmap"]), ("sketch", 3000, small["sketch"]),
            ("sql", 6000, text["sql"]), ("filter", 4000, text["filter"])]
        for target, count, files in jobs:
            if not files:
                print("FAIL %s: no file to begin with in %s" % (target, CORPUS))
                failed += 1
                continue
            for seed, n in ((0, 0), (1 if TIMES == 1 else random.randrange(1 << 30), count * TIMES)):
                p = subprocess.run([FUZZ, target, str(seed), str(n)] + files, capture_output=True, text=True, errors="replace",
                                   env=dict(os.environ, TMPDIR=tmp))
                last = (p.stdout.strip().split("\n") or [""])[-1]
                print("%-9s seed %d: %s" % (target, seed, last))
                if p.returncode == 0 and last.endswith("refused"):
                    passed += 1
                else:
                    failed += 1
                    print("FAIL %s seed %d: exit status %d\n%s" % (target, seed, p.returncode, p.stderr[-6000:]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
