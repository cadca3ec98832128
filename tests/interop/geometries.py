#!/usr/bin/env python3
"""Bounds of geometry and geography columns against boxes computed here from the same numbers, and as the official Java library reads
them; WKB that is not understood gives no bounds; variant has counts and none."""
import json, math, os, random, struct, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

NAN = float("nan")
WORLD = {0: (-180.0, 180.0), 1: (-90.0, 90.0)}


class Shape:
    """A random geometry: its WKB, the coordinates in it by dimension (0 to 3), whether it has edges."""

    def __init__(self, r, kind=None, depth=0, dims=None, ewkb=None):
        self.r, self.seen, self.edges = r, {}, False
        self.dims = dims or r.choice(["", "z", "m", "zm"])
        self.big, self.ewkb = r.random() < 0.5, r.random() < 0.3 if ewkb is None else ewkb
        kind = kind or r.choice([1, 1, 2, 3, 4, 5, 6, 7, 17, 15])
        self.wkb = self.head(kind) + {1: self.point, 2: self.points, 3: self.rings, 17: self.rings}.get(kind, lambda: self.several(kind, depth))()

    def u32(self, n):
        return struct.pack(">I" if self.big else "<I", n)

    def head(self, kind):
        if self.ewkb and kind < 8:
            srid = self.r.random() < 0.5
            code = kind | ("z" in self.dims) << 31 | ("m" in self.dims) << 30 | srid << 29
            return bytes([not self.big]) + self.u32(code) + (self.u32(4326) if srid else b"")
        return bytes([not self.big]) + self.u32(kind + 1000 * ["", "z", "m", "zm"].index(self.dims))

    def point(self):
        out = b""
        for d in [0, 1] + [{"z": 2, "m": 3}[x] for x in self.dims]:
            v = self.r.choice([NAN, 0.0, -0.0, self.r.uniform(-80, 80), self.r.uniform(-80, 80), self.r.uniform(-80, 80)])
            out += struct.pack(">d" if self.big else "<d", v)
            if not math.isnan(v):
                self.seen.setdefault(d, []).append(v)
        return out

    def points(self):
        n = self.r.randrange(4)
        self.edges |= n > 0
        return self.u32(n) + b"".join(self.point() for _ in range(n))

    def rings(self):
        n = self.r.randrange(3)
        return self.u32(n) + b"".join(self.points() for _ in range(n))

    def several(self, kind, depth):
        inner = {4: [1], 5: [2], 6: [3], 15: [3]}.get(kind) or ([1, 2, 3, 4, 7] if depth < 3 else [1])
        out = []
        for _ in range(self.r.randrange(4)):
            s = Shape(self.r, self.r.choice(inner), depth + 1, self.dims if self.r.random() < 0.8 else None)
            for d, v in s.seen.items():
                self.seen.setdefault(d, []).extend(v)
            self.edges |= s.edges
            out.append(s.wkb)
        return self.u32(len(out)) + b"".join(out)


def box(shapes, geography):
    seen = {}
    for s in shapes:
        for d, v in s.seen.items():
            seen.setdefault(d, []).extend(v)
        if geography and s.edges:
            for d, (lo, hi) in WORLD.items():
                seen.setdefault(d, []).extend([lo, hi])
    if 0 not in seen or 1 not in seen:
        return None
    return [[(f(seen[d]) + 0.0 if d in seen else NAN) for d in range(4)] for f in (min, max)]


def packed(corner):
    n = 4 if not math.isnan(corner[3]) else 3 if not math.isnan(corner[2]) else 2
    return struct.pack("<%dd" % n, *corner[:n]).hex()


def write(path, columns, r):
    arrow = pa.schema([pa.field(n, pa.binary(), True, {"PARQUET:field_id": str(i + 1)}) for i, n in enumerate(columns)])
    rows = len(next(iter(columns.values())))
    pq.write_table(pa.table(columns, schema=arrow), path, row_group_size=max(1, rows // 2), use_dictionary=r.random() < 0.5, store_schema=False)


def schema(folder, **types):
    path = os.path.join(folder, "schema-%s.json" % "-".join(types))
    with open(path, "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": i + 1, "name": n, "required": False, "type": t}
                                                                for i, (n, t) in enumerate(types.items())]}, f)
    return path


def stats(path, schema_path):
    out = json.loads(must("stats", path, "--schema", schema_path, "--format", "json"))["files"][0]
    return {c["name"]: c for c in out["columns"]}


def boxes(counts, folder):
    r = random.Random(8)
    s = schema(folder, g="geometry(OGC:CRS84)", h="geography")
    told = []
    for n in range(120):
        shapes = [None if r.random() < 0.1 else Shape(r, r.choice([None, 1, 4]) if n % 3 else 1) for _ in range(r.choice([1, 2, 10, 40]))]
        path = os.path.join(folder, "b%d.parquet" % n)
        values = [None if x is None else x.wkb for x in shapes]
        write(path, {"g": values, "h": values}, r)
        got = stats(path, s)
        live = [x for x in shapes if x is not None]
        for name, geography in (("g", False), ("h", True)):
            want = box(live, geography)
            c = got[name]
            counts.equal("%d %s: bounds" % (n, name), [c.get("lower-bound-hex"), c.get("upper-bound-hex")], [packed(x) for x in want] if want else [None, None])
            counts.equal("%d %s: counts" % (n, name), (c["value-count"], c["null-value-count"]), (len(shapes), len(shapes) - len(live)))
            if want:
                told += [(packed(x), x) for x in want]
    lib = os.path.join(ROOT, ".cache", "java", "lib")
    if not os.path.isdir(lib):
        counts.skip("Java", "no libraries")
        return
    p = subprocess.run(["java", "-cp", lib + "/*", os.path.join(HERE, "Geo.java"), *[h for h, _ in told]], capture_output=True, text=True)
    lines = p.stdout.split()
    counts.equal("Java reads all", len(lines), len(told))
    for line, (h, want) in zip(lines, told):
        counts.equal("Java: " + h, [x if x == x else None for x in map(float, line.split(","))], [x if x == x else None for x in want])


def recorded(counts, folder):
    """In a manifest, whatever the mode cuts strings to; two files; variant has none."""
    r = random.Random(9)
    point = struct.pack("<BIdd", 1, 1, 3.5, -2.25)
    s = schema(folder, g="geometry", h="geography(srid:4326, karney)")
    path = os.path.join(folder, "r.parquet")
    write(path, {"g": [point, None], "h": [struct.pack("<BIIdddd", 1, 2, 2, 170, 5, -170, 6), None]}, r)
    must("write-manifest", "--schema", s, "--format-version", 3, "--metrics", "truncate(1)", "-o", folder + "/r.avro", path)
    with open(folder + "/r.avro", "rb") as f:
        e = next(fastavro.reader(f))["data_file"]
    lower, upper = ({x["key"]: x["value"].hex() for x in e[k]} for k in ("lower_bounds", "upper_bounds"))
    counts.equal("recorded", (lower, upper), ({1: struct.pack("<dd", 3.5, -2.25).hex(), 2: struct.pack("<dd", -180, -90).hex()},
                                              {1: struct.pack("<dd", 3.5, -2.25).hex(), 2: struct.pack("<dd", 180, 90).hex()}))
    must("write-manifest", "--schema", s, "--format-version", 3, "--metrics", "counts", "-o", folder + "/c.avro", path)
    with open(folder + "/c.avro", "rb") as f:
        e = next(fastavro.reader(f))["data_file"]
    counts.equal("counts only", (e["lower_bounds"], len(e["value_counts"])), (None, 2))


def variants(counts, folder):
    """By field id and by name: values and nulls, no bounds; nested in a struct that may be null."""
    v = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary())])
    one = {"metadata": b"\1\0\0", "value": b"\0"}
    rows = [one, None, one, None, None]
    outer = [{"w": one}, {"w": None}, None, {"w": one}, None]
    for ids in (True, False):
        mark = lambda n: {"PARQUET:field_id": str(n)} if ids else None  # noqa: E731
        inner = pa.struct([pa.field("w", v, True, mark(3))])
        schema_path = os.path.join(folder, "variant.json")
        with open(schema_path, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "v", "required": False, "type": "variant"}, {
                "id": 2, "name": "s", "required": False, "type": {"type": "struct", "fields": [{"id": 3, "name": "w", "required": False, "type": "variant"}]}}]}, f)
        path = os.path.join(folder, "variant.parquet")
        arrow = pa.schema([pa.field("v", v, True, mark(1)), pa.field("s", inner, True, mark(2))])
        pq.write_table(pa.table({"v": rows, "s": outer}, schema=arrow), path, row_group_size=2, store_schema=False)
        must("write-manifest", "--schema", schema_path, "--format-version", 3, "-o", folder + "/variant%d.avro" % ids, path)
        with open(folder + "/variant%d.avro" % ids, "rb") as f:
            e = next(fastavro.reader(f))["data_file"]
        found = {k: {x["key"]: x["value"] for x in e[k] or []} for k in ("value_counts", "null_value_counts", "lower_bounds", "upper_bounds", "column_sizes")}
        counts.equal("variant, %s" % ("ids" if ids else "names"), found, {"value_counts": {1: 5, 3: 5}, "null_value_counts": {1: 3, 3: 3}, "lower_bounds": {},
                                                                         "upper_bounds": {}, "column_sizes": {}})


def foreign(counts, folder):
    """What is no WKB, or a curve, or beyond the globe: no bounds, and no failure."""
    r = random.Random(10)
    point = struct.pack("<BIdd", 1, 1, 1, 2)
    deep = point
    for _ in range(40):
        deep = struct.pack("<BII", 1, 7, 1) + deep
    s = schema(folder, g="geometry", h="geography")
    for name, value, geometry_too in [
            ("empty", b"", True), ("text", b"POINT (1 2)", True), ("a curve", struct.pack("<BII", 1, 8, 0), True), ("cut off", point[:-1], True),
            ("a byte more", point + b"\0", True), ("too deep", deep, True), ("a count too large", struct.pack("<BII", 1, 2, 1 << 31), True),
            ("beyond the globe", struct.pack("<BIdd", 1, 1, 200, 2), False), ("byte order 2", b"\2" + point[1:], True)]:
        path = os.path.join(folder, "f.parquet")
        write(path, {"g": [point, value, point], "h": [point, value, point]}, r)
        got = stats(path, s)
        counts.equal(name, [c in got[n] for n in "gh" for c in ("lower-bound-hex",)], [not geometry_too, False])
    for n in range(200):
        w = bytearray(Shape(r).wkb)
        for _ in range(r.randrange(1, 4)):
            w[r.randrange(len(w))] = r.choice([0, 1, 255, r.randrange(256)])
        write(path, {"g": [bytes(w)], "h": [bytes(w[:r.randrange(len(w) + 1)])]}, r)
        status, out, err = lakectl("stats", path, "--schema", s, "--format", "json")
        counts.check("fuzz %d" % n, status and err)


def main():
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        boxes(counts, folder)
        recorded(counts, folder)
        variants(counts, folder)
        foreign(counts, folder)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
