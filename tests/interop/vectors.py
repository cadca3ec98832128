#!/usr/bin/env python3
"""Deletion vectors: written by the example delete_rows, read by pyroaring, the official Java library, PyIceberg and DuckDB; made by
pyroaring, taken by write-manifest; and every kind of damage refused. Position and equality delete files of version 2 as well."""
import json, os, random, struct, subprocess, sys, tempfile, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from interop import duckdb_connection
import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap

DELETE_ROWS = os.path.join(BUILD, "examples", "example_delete_rows")
MAGIC = b"\xd1\xd3\x39\x64"


def vector(positions, optimise=True):
    """A blob by the specification, with CRoaring's Python binding for the 32-bit bitmaps."""
    keys = {}
    for p in positions:
        keys.setdefault(p >> 32, []).append(p & 0xffffffff)
    out = struct.pack("<Q", len(keys))
    for k in sorted(keys):
        b = BitMap(keys[k])
        if optimise:
            b.run_optimize()
        out += struct.pack("<I", k) + b.serialize()
    body = MAGIC + out
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def positions_of(blob):
    (n,) = struct.unpack_from("<Q", blob, 8)
    at, out = 16, []
    for _ in range(n):
        (k,) = struct.unpack_from("<I", blob, at)
        b = BitMap.deserialize(bytes(blob[at + 4:-4]))
        at += 4 + len(b.serialize())
        out += [k << 32 | v for v in b]
    assert at == len(blob) - 4, (at, len(blob))
    return out


def puffin(blobs):
    """blobs: (bytes, metadata without offset and length)."""
    out, listed = b"PFA1", []
    for data, meta in blobs:
        listed.append(dict({"type": "deletion-vector-v1", "fields": [2147483645], "snapshot-id": -1, "sequence-number": -1}, offset=len(out),
                           length=len(data), **meta))
        out += data
    footer = json.dumps({"blobs": listed}).encode()
    return out + b"PFA1" + footer + struct.pack("<II", len(footer), 0) + b"PFA1"


def said(path, n):
    return {"properties": {"referenced-data-file": path, "cardinality": str(n)}}


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


class Table:
    def __init__(self, folder, name, files=2, rows=1000, partition=None, version=3):
        self.at = os.path.join(folder, name)
        schema = os.path.join(folder, name + ".json")
        with open(schema, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "required": True, "type": "long"},
                                                                    {"id": 2, "name": "p", "required": False, "type": "string"}]}, f)
        must("create", self.at, "--schema", schema, "--format-version", version, *(["--partition-by", partition] if partition else []))
        self.files, self.ids = [], []
        for n in range(files):
            path = os.path.join(self.at, "data", "f%d.parquet" % n)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            ids = list(range(n * rows, (n + 1) * rows))
            schema = pa.schema([pa.field("id", pa.int64(), False, {"PARQUET:field_id": "1"}), pa.field("p", pa.string(), True, {"PARQUET:field_id": "2"})])
            pq.write_table(pa.table({"id": ids, "p": ["p%d" % n] * rows}, schema=schema), path, row_group_size=300, store_schema=False)
            self.files.append(path)
            self.ids.append(ids)
        must("append", self.at, *self.files)
        self.gone = set()

    def metadata(self):
        names = [n for n in os.listdir(self.at + "/metadata") if n.endswith(".metadata.json")]
        return os.path.join(self.at, "metadata", max(names, key=lambda n: int(n[1:].split(".")[0])))

    def left(self):
        return sorted(i for ids in self.ids for i in ids if i not in self.gone)


def peers(counts, name, tables, equality=False):
    """Every reader finds the rows that are left. PyIceberg does not know equality deletes."""
    from pyiceberg.table import StaticTable
    for t in tables:
        c = duckdb_connection()
        got = sorted(r[0] for r in c.execute("SELECT id FROM iceberg_scan('%s')" % t.metadata()).fetchall())
        counts.equal(name + ": DuckDB: " + t.at, got, t.left())
        if equality:
            continue
        try:
            got = sorted(StaticTable.from_metadata(t.metadata()).scan().to_arrow()["id"].to_pylist())
            counts.equal(name + ": PyIceberg: " + t.at, got, t.left())
        except Exception as e:  # noqa: BLE001: a peer that gives up says how
            counts.fail(name + ": PyIceberg: " + t.at, "%s: %s" % (type(e).__name__, e))
    lib = os.path.join(ROOT, ".cache", "java", "lib")
    if not os.path.isdir(lib):
        counts.skip(name + ": Java", "no libraries")
        return
    p = subprocess.run(["java", "-cp", lib + "/*", os.path.join(HERE, "ReadRows.java"), *[t.at for t in tables]], capture_output=True, text=True)
    lines = p.stdout.strip().split("\n")
    for t, line in zip(tables, lines if p.returncode == 0 else []):
        counts.equal(name + ": Java: " + t.at, json.loads(line), t.left())
    counts.check(name + ": Java", p.returncode and p.stderr[-1500:])


def example(t, n, rows, puffin_name, manifest_name):
    p = subprocess.run([DELETE_ROWS, t.at, t.files[n], os.path.join(t.at, "data", puffin_name), os.path.join(t.at, "metadata", manifest_name), "-"],
                       input="\n".join(map(str, rows)), capture_output=True, text=True)
    if p.returncode:
        raise LakectlFailed(p.stderr)
    return [json.loads(x) for x in p.stdout.strip().split("\n")]


SETS = [[0], [999], list(range(1000)), list(range(0, 1000, 2)), [5, 5, 3, 3], [0, 1, 2, 700, 998]]
WIDE = [[1 << 40, 3, (1 << 33) + 7], list(range(70000)), list(range(0, 200000, 3)), [65535, 65536, 65537, (5 << 32), (5 << 32) + 65536],
        [x * 65536 for x in range(300)], list(range(100, 9000)) + list(range(70000, 70010))]


def written(counts, folder):
    tables = [Table(folder, "w%d" % i, partition="p" if i % 2 else None) for i in range(len(SETS))]
    for i, (t, rows) in enumerate(zip(tables, SETS)):
        out = example(t, i % 2, rows, "dv.puffin", "dv.avro")
        t.gone |= {t.ids[i % 2][r] for r in rows}
        with open(os.path.join(t.at, "data", "dv.puffin"), "rb") as f:
            data = f.read()
        e = out[0]
        blob = data[e["content-offset"]:e["content-offset"] + e["content-size-in-bytes"]]
        counts.equal("written %d: cardinality" % i, e["cardinality"], len(set(rows)))
        counts.equal("written %d: positions" % i, positions_of(blob), sorted(set(rows)))
        counts.equal("written %d: the bytes of the specification" % i, blob.hex(), vector(sorted(set(rows))).hex())
        dump = json.loads(must("dump", os.path.join(t.at, "data", "dv.puffin")))
        counts.equal("written %d: dump" % i, dump["blobs"][0]["bitmap"], {"cardinality": len(set(rows)), "last": max(rows)})
        summary = out[2]["summary"]
        counts.equal("written %d: summary" % i, (summary.get("added-dvs"), summary.get("added-position-deletes")), ("1", str(len(set(rows)))))
        status, _, err = lakectl("write-manifest", "--table", t.at, "--content", "position-deletes", "-o", t.at + "/m2.avro", t.at + "/data/dv.puffin")
        counts.check("written %d: a second vector" % i, None if status == 4 and "has position deletes already" in err else err)
    # Two vectors in one file, for both data files, one of them by another writer.
    t = Table(folder, "two", partition="p")
    path = write(t.at + "/data/two.puffin", puffin([(vector([1, 2]), said(t.files[1], 2)), (vector([7], False), said(t.files[0], 1))]))
    line = json.loads(must("write-manifest", "--table", t.at, "--content", "position-deletes", "-o", t.at + "/metadata/two.avro", path))
    counts.equal("two vectors: counts", (line["added_files_count"], line["added_rows_count"]), (2, 3))
    counts.equal("two vectors: summary", [bytes.fromhex(line["partitions"][0][k]) for k in ("lower_bound", "upper_bound")], [b"p0", b"p1"])
    must("commit", t.at, t.at + "/metadata/two.avro")
    t.gone |= {t.ids[1][1], t.ids[1][2], t.ids[0][7]}
    peers(counts, "rows left", tables + [t])


def wide(counts, folder):
    """Positions beyond 32 bits and all kinds of containers, through the check of write-manifest and through dump."""
    for i, rows in enumerate(WIDE):
        for optimise in (True, False):
            rows = sorted(rows)
            path = write(os.path.join(folder, "wide%d%d.puffin" % (i, optimise)), puffin([(vector(rows, optimise), said("s3://b/f.parquet", len(rows)))]))
            counts.equal("wide %d" % i, json.loads(must("dump", path))["blobs"][0]["bitmap"], {"cardinality": len(rows), "last": rows[-1]})


def older(counts, folder):
    """Position and equality delete files of a v2 table, with partitions and without."""
    ids = {"file_path": "2147483546", "pos": "2147483545"}
    tables = []
    for i, partition in enumerate((None, "p")):
        for kind in ("one", "two") if not partition else ("one",):
            t = Table(folder, "old%d%s" % (i, kind), partition=partition, version=2)
            rows = [(t.files[0], 5), (t.files[0], 17)] + [(t.files[1], 999)] * (kind == "two")
            arrow = pa.schema([pa.field(n, pa.string() if n == "file_path" else pa.int64(), False, {"PARQUET:field_id": x}) for n, x in ids.items()])
            path = os.path.join(t.at, "data", "pos.parquet")
            pq.write_table(pa.table({"file_path": [x for x, _ in rows], "pos": [x for _, x in rows]}, schema=arrow), path, store_schema=False)
            out = os.path.join(t.at, "metadata", "pos.avro")
            args = ["--partition", "p=p0"] if partition else []
            line = json.loads(must("write-manifest", "--table", t.at, "--content", "position-deletes", "-o", out, *args, path))
            counts.equal("position deletes: line", (line["content"], line["added_rows_count"]), (1, len(rows)))
            import fastavro
            with open(out, "rb") as f:
                e = next(fastavro.reader(f))["data_file"]
            counts.equal("position deletes: entry", (e["content"], e["sort_order_id"], e["referenced_data_file"], [x["value"] for x in e["lower_bounds"] if x["key"] == 2147483546]),
                         (1, None, t.files[0] if kind == "one" else None, [t.files[0].encode()]))
            must("commit", t.at, out)
            t.gone |= {t.ids[t.files.index(f)][n] for f, n in rows}
            tables.append(t)
    peers(counts, "position deletes", tables)
    tables = []
    for partition in (None, "p"):
        t = Table(folder, "eq%s" % partition, partition=partition, version=2)
        gone = [3, 700, 999]
        path = os.path.join(t.at, "data", "eq.parquet")
        pq.write_table(pa.table({"id": gone}, schema=pa.schema([pa.field("id", pa.int64(), False, {"PARQUET:field_id": "1"})])), path, store_schema=False)
        out = os.path.join(t.at, "metadata", "eq.avro")
        args = ["--partition", "p=p0"] if partition else []
        line = json.loads(must("write-manifest", "--table", t.at, "--content", "equality-deletes", "--equality-columns", "id", "-o", out, *args, path))
        counts.equal("equality deletes: line", (line["content"], line["added_rows_count"]), (1, 3))
        must("commit", t.at, out)
        t.gone |= set(gone)
        tables.append(t)
    peers(counts, "equality deletes", tables, equality=True)


def damaged(counts, folder):
    t = Table(folder, "damaged")
    r = random.Random(5)
    good = vector([1, 2, 3, 500, 900])
    f = t.files[0]

    def resealed(body):
        return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))
    array = MAGIC + struct.pack("<QI", 1, 0) + struct.pack("<IIHHI", 12346, 1, 0, 2, 16)
    cases = [
        ("a wrong cardinality", puffin([(good, said(f, 4))]), 4, "cardinality says 4, the bitmap has 5"),
        ("no cardinality", puffin([(good, {"properties": {"referenced-data-file": f}})]), 4, "no property cardinality"),
        ("no data file", puffin([(good, {"properties": {"cardinality": "5"}})]), 4, "referenced-data-file"),
        ("an unknown data file", puffin([(good, said(f + "x", 5))]), 4, "no live data file"),
        ("a row too many", puffin([(vector([1, 1000]), said(f, 2))]), 4, "deletes row 1000"),
        ("two for one file", puffin([(good, said(f, 5)), (vector([9]), said(f, 1))]), 4, "two deletion vectors"),
        ("compressed", puffin([(good, dict(said(f, 5), **{"compression-codec": "zstd"}))]), 4, "must not be compressed"),
        ("an empty vector", puffin([(vector([]), said(f, 0))]), 4, "without positions"),
        ("no vectors", puffin([(b"abc", {"type": "x"})]), 4, "no deletion vectors"),
        ("a wrong checksum", puffin([(good[:-1] + bytes([good[-1] ^ 1]), said(f, 5))]), 4, "checksum"),
        ("a wrong magic", puffin([(good[:4] + b"\0" + good[5:], said(f, 5))]), 4, "magic"),
        ("a wrong length", puffin([(struct.pack(">I", len(good)) + good[4:], said(f, 5))]), 4, "bytes"),
        ("bytes behind", puffin([(resealed(good[4:-4] + b"\0"), said(f, 5))]), 4, "bytes follow"),
        ("an array out of order", puffin([(resealed(array + struct.pack("<HHH", 5, 4, 9)), said(f, 3))]), 4, "not in order"),
        ("an array with a value twice", puffin([(resealed(array + struct.pack("<HHH", 4, 4, 9)), said(f, 3))]), 4, "not in order"),
        ("a negative position", puffin([(resealed(MAGIC + struct.pack("<QI", 1, 1 << 31) + array[16:] + struct.pack("<HHH", 1, 2, 3)), said(f, 3))]), 4, "keys"),
        ("a torn file", puffin([(good, said(f, 5))])[:-3], 4, ""), ("no Puffin file", b"PAR1 and so on", 2, "no Puffin file")]
    for name, data, want, words in cases:
        path = write(t.at + "/bad.puffin", data)
        status, out, err = lakectl("write-manifest", "--table", t.at, "--content", "position-deletes", "-o", t.at + "/m.avro", path)
        bad = None if status == want and words in err else "exit status %d: %s" % (status, err)
        counts.check(name, bad or (os.path.exists(t.at + "/m.avro") and "a manifest is left"))
        os.unlink(path)
    path = write(t.at + "/mixed.puffin", puffin([(b"x", {"type": "other"}), (good, said(f, 5))]))
    line = json.loads(must("write-manifest", "--table", t.at, "--content", "position-deletes", "-o", t.at + "/mixed.avro", path))
    counts.equal("other blobs are passed over", (line["added_files_count"], line["added_rows_count"]), (1, 5))
    for n in range(150):
        # Whatever a byte is changed to, with the checksum made to fit: an answer, and never more positions than said.
        body = bytearray(vector(sorted(r.sample(range(200000), 40)) + list(range(300000, 300000 + r.choice([0, 5000, 70000]))), r.random() < 0.5)[4:-4])
        for _ in range(r.randrange(1, 4)):
            body[r.randrange(4, len(body))] = r.choice([0, 1, 255, r.randrange(256)])
        if r.random() < 0.3:
            del body[r.randrange(4, len(body)):]
        path = write(t.at + "/fuzz.puffin", puffin([(resealed(bytes(body)), said(f, 40))]))
        status, out, err = lakectl("dump", path)
        counts.check("fuzz %d" % n, status and "exit status %d: %s" % (status, err))
        bitmap = json.loads(out)["blobs"][0]["bitmap"] if not status else {}
        if "cardinality" in bitmap:
            try:
                theirs = positions_of(resealed(bytes(body)))
                counts.equal("fuzz %d: positions" % n, bitmap["cardinality"], len(theirs))
            except Exception as e:  # noqa: BLE001
                counts.fail("fuzz %d: CRoaring refuses what we take" % n, e)
    v2 = Table(folder, "v2", version=2)
    path = write(v2.at + "/dv.puffin", puffin([(good, said(v2.files[0], 5))]))
    status, out, err = lakectl("write-manifest", "--table", v2.at, "--content", "position-deletes", "-o", v2.at + "/m.avro", path)
    counts.check("a table of version 2", None if status in (2, 4) else "%d: %s" % (status, err))


def main():
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        wide(counts, folder)
        damaged(counts, folder)
        older(counts, folder)
        written(counts, folder)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
