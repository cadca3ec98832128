#!/usr/bin/env python3
"""`--ndv`: theta sketches against Apache DataSketches' own library, byte for byte and by estimate, and through the table's metadata:
PyIceberg reads the statistics files, appends are joined, `estimate` takes what was written."""
import datetime, decimal, glob, json, os, random, struct, subprocess, sys, tempfile, threading, uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
import pyarrow as pa
import pyarrow.parquet as pq
import mmh3
from datasketches import compact_theta_sketch, update_theta_sketch

EPOCH = datetime.datetime(1970, 1, 1)


def minimal(v):
    n = 1
    while not -(1 << 8 * n - 1) <= v < 1 << 8 * n - 1:
        n += 1
    return v.to_bytes(n, "big", signed=True)


# type, Arrow type, a value from a number, the value in the form that Iceberg hashes
COLUMNS = [
    ("int", pa.int32(), lambda k: k - 500, lambda v: struct.pack("<i", v)),
    ("long", pa.int64(), lambda k: k * 10**12, lambda v: struct.pack("<q", v)),
    ("float", pa.float32(), lambda k: k / 4, lambda v: struct.pack("<f", v)),
    ("double", pa.float64(), lambda k: float("nan") if k == 3 else k / 3, lambda v: struct.pack("<d", v)),
    ("string", pa.string(), lambda k: "" if k == 5 else "wört %d" % k, lambda v: v.encode()),
    ("binary", pa.binary(), lambda k: b"\0" + struct.pack(">I", k), lambda v: v),
    ("fixed[5]", pa.binary(5), lambda k: b"\0" + struct.pack(">I", k), lambda v: v),
    ("uuid", pa.binary(16), lambda k: uuid.UUID(int=k << 90 | k).bytes, lambda v: v),
    ("date", pa.date32(), lambda k: (EPOCH + datetime.timedelta(days=k)).date(), lambda v: struct.pack("<i", (v - EPOCH.date()).days)),
    ("timestamp", pa.timestamp("us"), lambda k: EPOCH + datetime.timedelta(seconds=k, microseconds=k),
     lambda v: struct.pack("<q", (v - EPOCH) // datetime.timedelta(microseconds=1))),
    ("decimal(30, 2)", pa.decimal128(30, 2), lambda k: decimal.Decimal(k * 10**20).scaleb(-2), lambda v: minimal(int(v.scaleb(2)))),
    ("boolean", pa.bool_(), lambda k: k % 2 == 0, lambda v: b"\1" if v else b"\0")]
NAMES = ["c%d" % i for i in range(len(COLUMNS))]


def hashes(values, i):
    """By mmh3: the 63 bits that the library keeps, smallest first. It passes over empty strings of bytes."""
    seen = {COLUMNS[i][3](v) for v in values if v is not None} - {b""}
    return sorted(mmh3.hash64(b, 9001, signed=False)[0] >> 1 for b in seen)


def peer(values, i):
    """The official library's sketch, cut to its nominal size. Its Python form takes 64-bit numbers, doubles and text; the sketches of other
    types are put together from their hashes in the published form, and read by the library."""
    kind = COLUMNS[i][0]
    h = hashes(values, i)
    flags, theta = (0x1e if not h else 0x3a if len(h) == 1 else 0x1a), 2**63 - 1
    if len(h) > 4096:
        theta, h = h[4096], h[:4096]
    longs = 1 if len(h) < 2 else 2 if theta == 2**63 - 1 else 3
    data = bytes([longs, 3, 3, 0, 0, flags, 0xcc, 0x93])
    data += struct.pack("<If", len(h), 1.0) * (longs > 1) + struct.pack("<Q", theta) * (longs > 2) + b"".join(struct.pack("<Q", x) for x in h)
    s = compact_theta_sketch.deserialize(data)
    if kind in ("long", "timestamp", "double", "string"):
        theirs = update_theta_sketch(lg_k=12)
        for v in values:
            if v is not None:
                theirs.update((v - EPOCH) // datetime.timedelta(microseconds=1) if kind == "timestamp" else v)
        theirs.trim()
        theirs = theirs.compact()
        assert (theirs.theta64, sorted(theirs)) == (s.theta64, sorted(s)), "the hashes are not the library's"
        # The C++ library leaves four bytes zero where the Java one says that the sampling probability is 1, and has no flag for a
        # single hash; each reads the other's.
        plain = data[:12] + b"\0\0\0\0" + data[16:] if longs > 1 else data
        plain = data[:5] + bytes([data[5] & ~32]) + data[6:] if len(h) == 1 else plain
        assert theirs.serialize() == plain, (theirs.serialize()[:24].hex(), plain[:24].hex())
    return s, data


def puffin(path):
    with open(path, "rb") as f:
        data = f.read()
    (n,) = struct.unpack("<I", data[-12:-8])
    footer = json.loads(data[-12 - n:-12])
    return {b["fields"][0]: (data[b["offset"]:b["offset"] + b["length"]], b) for b in footer["blobs"]}, footer


def schema_file(folder):
    path = os.path.join(folder, "schema.json")
    fields = [{"id": i + 1, "name": n, "required": False, "type": COLUMNS[i][0]} for i, n in enumerate(NAMES)]
    with open(path, "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": fields}, f)
    return path


def write(path, rows, r):
    arrow = pa.schema([pa.field(n, COLUMNS[i][1], True, {"PARQUET:field_id": str(i + 1)}) for i, n in enumerate(NAMES)])
    data = {n: [None if k is None else COLUMNS[i][2](k) for k in rows] for i, n in enumerate(NAMES)}
    pq.write_table(pa.table(data, schema=arrow), path, row_group_size=max(1, len(rows) // 3), use_dictionary=r.random() < 0.5,
                   store_schema=False)
    return {i: data[n] for i, n in enumerate(NAMES)}


def exact(counts, folder):
    """The bytes are the official library's, for few values and many, over one file and several, with any number of threads."""
    r = random.Random(3)
    schema = schema_file(folder)
    for case, (distinct, rows, files) in enumerate([(0, 0, 1), (1, 3, 1), (2, 50, 2), (900, 2000, 3), (4096, 4096, 1), (4097, 4097, 2),
                                                    (30000, 30000, 3), (9000, 20000, 2)]):
        values, paths = {i: [] for i in range(len(NAMES))}, []
        numbers = ([k % distinct if distinct else None for k in range(rows)] + [None] * 3) if rows else []
        r.shuffle(numbers)
        for f in range(files):
            paths.append(os.path.join(folder, "x%d-%d.parquet" % (case, f)))
            for i, v in write(paths[-1], numbers[f::files], r).items():
                values[i] += v
        seen = []
        for threads in (1, 2):
            out = os.path.join(folder, "x%d-%d.avro" % (case, threads))
            lines = [json.loads(x) for x in must("write-manifest", "--schema", schema, "-o", out, "--ndv", "all", "--threads", threads, *paths).split("\n") if x]
            blobs, footer = puffin(out.replace(".avro", ".stats"))
            seen.append(blobs)
            counts.equal("%d: metadata" % case, [b["properties"]["ndv"] for b in lines[-1]["blob-metadata"]], [b["properties"]["ndv"] for _, b in blobs.values()])
            counts.equal("%d: size" % case, lines[-1]["file-size-in-bytes"], os.path.getsize(out.replace(".avro", ".stats")))
        counts.equal("%d: threads" % case, seen[0], seen[1])
        for i in range(len(NAMES)):
            data, blob = seen[0][i + 1]
            want, written = peer(values[i], i)
            name = "%d: %s" % (case, COLUMNS[i][0])
            counts.equal(name, data.hex(), written.hex())
            theirs = compact_theta_sketch.deserialize(data)
            counts.equal(name + ": read", (theirs.num_retained, theirs.theta64, sorted(theirs)), (want.num_retained, want.theta64, sorted(want)))
            counts.equal(name + ": ndv", int(blob["properties"]["ndv"]), int(want.get_estimate()))
            true = len({COLUMNS[i][3](v) for v in values[i] if v is not None} - {b""})
            counts.check(name + ": error", abs(want.get_estimate() - true) > 0.06 * true and "estimate %s of %d" % (want.get_estimate(), true))


def appended(counts, folder):
    """Statistics of a table: of the first append, then joined; PyIceberg reads them, estimate uses them."""
    from pyiceberg.table import StaticTable
    from pyiceberg.table.puffin import PuffinFile  # noqa: F401: it must be able to import what reads the file
    r = random.Random(4)
    table, values = os.path.join(folder, "t"), {i: [] for i in range(len(NAMES))}
    must("create", table, "--schema", schema_file(folder))
    for n, numbers in enumerate([range(0, 3000), range(2000, 9000), range(0, 100)]):
        path = os.path.join(folder, "a%d.parquet" % n)
        for i, v in write(path, list(numbers), r).items():
            values[i] += v
        must("append", table, path, "--ndv", "all")
        newest = max(glob.glob(table + "/metadata/*.metadata.json"), key=lambda p: int(os.path.basename(p)[1:].split(".")[0]))
        with open(newest) as f:
            m = json.load(f)
        s = m["statistics"][-1]
        counts.equal("append %d: of the snapshot" % n, (s["snapshot-id"], len(m["statistics"])), (m["current-snapshot-id"], n + 1))
        blobs, footer = puffin(s["statistics-path"])
        counts.equal("append %d: blobs" % n, [b for b in s["blob-metadata"]], [
            {"type": b["type"], "snapshot-id": m["current-snapshot-id"], "sequence-number": n + 1, "fields": b["fields"], "properties": b["properties"]}
            for _, b in blobs.values()])
        with open(s["statistics-path"], "rb") as f:
            tail = f.read()[-s["file-footer-size-in-bytes"]:]
        counts.equal("append %d: footer" % n, (s["file-size-in-bytes"], tail[:4], tail[-4:]), (os.path.getsize(s["statistics-path"]), b"PFA1", b"PFA1"))
        for i in range(len(NAMES)):
            counts.equal("append %d: %s" % (n, COLUMNS[i][0]), blobs[i + 1][0].hex(), peer(values[i], i)[1].hex())
        counts.equal("append %d: PyIceberg" % n, [(x.snapshot_id, x.statistics_path) for x in StaticTable.from_metadata(newest).metadata.statistics][-1],
                     (s["snapshot-id"], s["statistics-path"]))
        e = json.loads(must("estimate", table, "--format", "json", "--column", "c1"))
        column = [c for c in e["columns"] if c["name"] == "c1"][0]
        counts.equal("append %d: estimate" % n, column["table-ndv"]["value"], int(blobs[2][1]["properties"]["ndv"]))
    # A column that the statistics lack, and rows that they do not speak of.
    must("append", table, path)
    status, out, err = lakectl("append", table, path, "--ndv", "all")
    counts.check("no statistics to join", None if status == 3 and "no statistics file" in err else "%d: %s" % (status, err))
    before = sorted(os.listdir(table + "/metadata"))
    counts.check("nothing is left", [n for n in before if n.endswith(".stats")][3:])
    for args, words in ((["--ndv", "nope"], "no such column"), (["--ndv", "c1,c1"], "named twice"), (["--ndv", ""], "no columns")):
        status, out, err = lakectl("append", table, path, *args)
        counts.check("refused %s" % args, None if status == 2 and words in err else "%d: %s" % (status, err))
    part = os.path.join(folder, "part")
    must("create", part, "--schema", schema_file(folder))
    must("append", part, path, "--ndv", "c1,c4")
    must("append", part, path, "--ndv", "all")
    newest = max(glob.glob(part + "/metadata/*.metadata.json"), key=lambda p: int(os.path.basename(p)[1:].split(".")[0]))
    with open(newest) as f:
        counts.equal("columns that both have", [b["fields"] for b in json.load(f)["statistics"][-1]["blob-metadata"]], [[2], [5]])
    must("append", part, path, "--ndv", "all", "--dry-run")


def main():
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        exact(counts, folder)
        appended(counts, folder)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
