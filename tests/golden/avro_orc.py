#!/usr/bin/env python3
"""Statistics of Avro and ORC data files against counts in Python: random Avro schemas and values by fastavro with every codec,
with field ids and without, by a table's schema with promoted types; ORC files by pyarrow with every compression. What is no data
file is refused by name, and damage is named with its place."""
import io, json, math, os, random, struct, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *

import fastavro

CODECS = ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"]
I32, I64 = (-2**31, 2**31 - 1), (-2**63, 2**63 - 1)


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def float_order(x):
    """-0.0 before 0.0."""
    return (x, math.copysign(1, x))


def integer(lo, hi):
    def draw(r):
        return r.choice([lo, hi, 0, -1, 1]) if r.random() < 0.05 else r.randint(lo, hi) if r.random() < 0.2 else r.randint(-1000, 1000)
    return draw


def floating(single):
    def draw(r):
        x = r.choice([0.0, -0.0, math.nan, math.inf, -math.inf, 1e-40]) if r.random() < 0.1 else r.gauss(0, 1e3)
        return f32(x) if single else x
    return draw


def text(r):
    return "".join(r.choice("aäz€😀\x00 Z") for _ in range(r.choice([0, 1, 3, 3, 3, 40])))


def raw(n=None):
    return lambda r: r.randbytes(r.choice([0, 1, 2, 7, 30]) if n is None else n)


def minimal(v):
    return v.to_bytes(max(1, (v + (v < 0)).bit_length() // 8 + 1), "big", signed=True)


def le(form):
    return lambda v: struct.pack("<" + form, v)


class Leaf:
    def __init__(self, avro, iceberg, draw, key=lambda v: v, pack=None, order=None, bounds=True):
        self.avro, self.iceberg, self.draw, self.key, self.pack, self.order, self.bounds = avro, iceberg, draw, key, pack, order or (lambda k: k), bounds


COUNT = [0]


def fresh(prefix):
    COUNT[0] += 1
    return "%s%d" % (prefix, COUNT[0])


def decimal_leaf(r):
    p = r.randint(1, 38)
    s = r.randint(0, p)
    size = 1
    while 2 ** (8 * size - 1) - 1 < 10 ** p - 1:
        size += 1
    fixed = r.random() < 0.6
    size += r.choice([0, 0, 3]) if size < 13 else 0
    avro = {"type": "fixed", "name": fresh("dec"), "size": size} if fixed else {"type": "bytes"}
    avro.update(logicalType="decimal", precision=p, scale=s)

    def draw(r):
        v = r.randint(-10**p + 1, 10**p - 1) if r.random() < 0.5 else r.randint(-9, 9)
        return v.to_bytes(size, "big", signed=True) if fixed else minimal(v)
    wider = p if r.random() < 0.5 else r.randint(p, 38)
    return Leaf(avro, ("decimal(%d, %d)" % (p, s), "decimal(%d, %d)" % (wider, s)), draw, lambda b: int.from_bytes(b, "big", signed=True), minimal)


def timestamp_leaf(r):
    local = r.random() < 0.3
    unit, scale = r.choice([("millis", 1000), ("micros", 1), ("nanos", 1)])
    utc = None if local else r.choice([True, False, None])
    avro = {"type": "long", "logicalType": ("local-" if local else "") + "timestamp-" + unit}
    if utc is not None:
        avro["adjust-to-utc"] = utc
    name = ("timestamptz" if utc else "timestamp") + ("_ns" if unit == "nanos" else "")
    return Leaf(avro, (name, name), integer(-2**50, 2**50), lambda v: v * scale, le("q"))


def uuid_leaf(r):
    if r.random() < 0.5:
        return Leaf({"type": "fixed", "name": fresh("uuid"), "size": 16, "logicalType": "uuid"}, ("uuid", "uuid"), raw(16), pack=bytes)
    import uuid
    return Leaf({"type": "string", "logicalType": "uuid"}, ("uuid", "uuid"), lambda r: str(uuid.UUID(bytes=r.randbytes(16))),
                lambda s: uuid.UUID(s).bytes, bytes)


def leaf(r):
    kind = r.randrange(14)
    if kind == 0:
        return Leaf("boolean", ("boolean", "boolean"), lambda r: r.random() < 0.5, pack=lambda v: bytes([v]))
    if kind == 1:
        wide = r.random() < 0.5
        return Leaf("int", ("int", "long" if wide else "int"), integer(*I32), pack=None if wide is None else le("q" if wide else "i"))
    if kind == 2:
        return Leaf("long", ("long", "long"), integer(*I64), pack=le("q"))
    if kind == 3:
        wide = r.random() < 0.5
        return Leaf("float", ("float", "double" if wide else "float"), floating(True), pack=le("d" if wide else "f"), order=float_order)
    if kind == 4:
        return Leaf("double", ("double", "double"), floating(False), pack=le("d"), order=float_order)
    if kind == 5:
        return Leaf("string", ("string", "string"), text, lambda s: s.encode(), bytes)
    if kind == 6:
        return Leaf("bytes", ("binary", "binary"), raw(), pack=bytes)
    if kind == 7:
        n = r.randint(1, 40)
        return Leaf({"type": "fixed", "name": fresh("fix"), "size": n}, ("fixed[%d]" % n, "fixed[%d]" % n), raw(n), pack=bytes)
    if kind == 8:
        return decimal_leaf(r)
    if kind == 9:
        return timestamp_leaf(r)
    if kind == 10:
        return uuid_leaf(r)
    if kind == 11:
        symbols = r.sample(["RED", "green", "b", "B2", "zz"], r.randint(1, 5))
        return Leaf({"type": "enum", "name": fresh("enum"), "symbols": symbols}, ("string", "string"), lambda r: r.choice(symbols),
                    lambda s: s.encode(), bytes)
    if kind == 12:
        return Leaf({"type": "int", "logicalType": "date"}, ("date", "date"), integer(-10**6, 10**6), pack=le("i"))
    milli = r.random() < 0.4
    return Leaf({"type": "int" if milli else "long", "logicalType": "time-millis" if milli else "time-micros"}, ("time", "time"),
                lambda r: r.randrange(86400000 if milli else 86400000000), lambda v: v * (1000 if milli else 1), le("q"))


class Part:
    """A field: what it is (leaf, or a kind with parts), whether null is allowed, and its id."""

    def __init__(self, name, what, optional, null_first, number):
        self.name, self.what, self.optional, self.null_first, self.id = name, what, optional, null_first, number


def draw_part(r, name, depth, ids, required=False):
    pick = r.random()
    number = next(ids)
    if depth >= 3 or pick < 0.65:
        what = leaf(r)
    elif pick < 0.78:
        what = ("struct", [draw_part(r, "f%d" % i, depth + 1, ids) for i in range(r.randint(1, 4))])
    elif pick < 0.88:
        what = ("list", [draw_part(r, "element", depth + 1, ids)])
    elif pick < 0.94:
        key = Part("key", Leaf("string", ("string", "string"), text, lambda s: s.encode(), bytes), False, True, next(ids))
        what = ("map", [key, draw_part(r, "value", depth + 1, ids)])
    else:
        key = Part("key", leaf(r), False, True, next(ids))
        what = ("pairs", [key, draw_part(r, "value", depth + 1, ids)])
    return Part(name, what, not required and r.random() < 0.6, r.random() < 0.8, number)


def counter(start, step):
    while True:
        yield start
        start += step


def avro_type(p, ids):
    w = p.what
    if isinstance(w, Leaf):
        t = w.avro
    elif w[0] == "struct":
        t = {"type": "record", "name": fresh("rec"), "fields": [avro_field(c, ids) for c in w[1]]}
    elif w[0] == "list":
        t = {"type": "array", "items": avro_type(w[1][0], ids)}
        if ids:
            t["element-id"] = w[1][0].id
    elif w[0] == "map":
        t = {"type": "map", "values": avro_type(w[1][1], ids)}
        if ids:
            t["key-id"], t["value-id"] = w[1][0].id, w[1][1].id
    else:
        t = {"type": "array", "logicalType": "map", "items": {"type": "record", "name": fresh("pair"), "fields": [avro_field(c, ids) for c in w[1]]}}
    if p.optional:
        return ["null", t] if p.null_first else [t, "null"]
    return t


def avro_field(p, ids):
    f = {"name": p.name, "type": avro_type(p, ids)}
    if ids:
        f["field-id"] = p.id
    return f


def iceberg_type(p, promoted):
    w = p.what
    if isinstance(w, Leaf):
        return w.iceberg[promoted]
    parts = w[1]
    if w[0] == "struct":
        return {"type": "struct", "fields": [iceberg_field(c, promoted) for c in parts]}
    if w[0] == "list":
        return {"type": "list", "element-id": parts[0].id, "element": iceberg_type(parts[0], promoted), "element-required": not parts[0].optional}
    return {"type": "map", "key-id": parts[0].id, "key": iceberg_type(parts[0], promoted), "value-id": parts[1].id,
            "value": iceberg_type(parts[1], promoted), "value-required": not parts[1].optional}


def iceberg_field(p, promoted):
    return {"id": p.id, "name": p.name, "required": not p.optional, "type": iceberg_type(p, promoted)}


def draw_value(p, r):
    w = p.what
    if p.optional and r.random() < 0.2:
        return None
    if isinstance(w, Leaf):
        return w.draw(r)
    if w[0] == "struct":
        return {c.name: draw_value(c, r) for c in w[1]}
    n = r.choice([0, 0, 1, 2, 5])
    if w[0] == "list":
        return [draw_value(w[1][0], r) for _ in range(n)]
    if w[0] == "map":
        return {draw_value(w[1][0], r): draw_value(w[1][1], r) for _ in range(n)}
    return [{"key": draw_value(w[1][0], r), "value": draw_value(w[1][1], r)} for _ in range(n)]


class Seen:
    def __init__(self, leaf):
        self.leaf, self.values, self.nulls, self.nans, self.keys = leaf, 0, 0, 0, []


def leaves(p, name, out):
    w = p.what
    if isinstance(w, Leaf):
        out[name] = (p, Seen(w))
    else:
        for c in w[1]:
            leaves(c, name + "." + c.name, out)


def observe(p, name, value, seen):
    w = p.what
    if isinstance(w, Leaf):
        s = seen[name][1]
        s.values += 1
        if value is None:
            s.nulls += 1
        elif isinstance(value, float) and math.isnan(value):
            s.nans += 1
        else:
            s.keys.append(w.key(value))
    elif w[0] == "struct":
        for c in w[1]:
            observe(c, name + "." + c.name, None if value is None else value[c.name], seen)
    elif value is not None:
        parts = w[1]
        if w[0] == "list":
            for v in value:
                observe(parts[0], name + ".element", v, seen)
        else:
            for k, v in value.items() if w[0] == "map" else [(e["key"], e["value"]) for e in value]:
                observe(parts[0], name + ".key", k, seen)
                observe(parts[1], name + ".value", v, seen)


def renumber(parts, ids):
    """Fresh ids: all fields of a struct, then what is inside each."""
    for p in parts:
        p.id = next(ids)
    for p in parts:
        if not isinstance(p.what, Leaf):
            renumber(p.what[1], ids)


def expected(seen, promoted):
    out = {}
    for name, (p, s) in seen.items():
        is_float = s.leaf.iceberg[promoted] in ("float", "double")
        pack = s.leaf.pack
        if not promoted and s.leaf.iceberg == ("int", "long"):
            pack = le("i")
        if not promoted and s.leaf.iceberg == ("float", "double"):
            pack = le("f")
        c = {"id": p.id, "type": s.leaf.iceberg[promoted], "value-count": s.values, "null-value-count": s.nulls}
        if is_float:
            c["nan-value-count"] = s.nans
        if s.keys:
            c["lower-bound-hex"] = pack(min(s.keys, key=s.leaf.order)).hex()
            c["upper-bound-hex"] = pack(max(s.keys, key=s.leaf.order)).hex()
        out[name] = c
    return out


def got(file):
    return {c["name"]: {k: v for k, v in c.items() if k not in ("name", "lower-bound", "upper-bound")} for c in file["columns"]}


def differ(want, have):
    bad = []
    for name in sorted(set(want) | set(have)):
        if want.get(name) != have.get(name):
            bad.append("%s: %s, not %s" % (name, short(have.get(name)), short(want.get(name))))
    return "; ".join(bad[:4])


def random_avro(counts, seed, folder):
    r = random.Random(seed)
    ids = counter(r.choice([1, 100]), r.choice([1, 7]))
    parts = [draw_part(r, "c%d" % i, 0, ids) for i in range(r.randint(1, 8))]
    with_ids, given, promoted = r.random() < 0.6, r.random() < 0.6, r.random() < 0.5
    if not given:
        promoted = False
        if not with_ids:
            renumber(parts, counter(1, 1))
    rows = [{p.name: draw_value(p, r) for p in parts} for _ in range(r.choice([0, 1, 20, 300, 900]))]
    seen = {}
    for p in parts:
        leaves(p, p.name, seen)
    for row in rows:
        for p in parts:
            observe(p, p.name, row[p.name], seen)
    schema = {"type": "record", "name": "table", "fields": [avro_field(p, with_ids) for p in parts]}
    codec = CODECS[seed % len(CODECS)]
    path = os.path.join(folder, "f%d.%s" % (seed, r.choice(["avro", "avro", "parquet", "data"])))
    with open(path, "wb") as f:
        fastavro.writer(f, schema, rows, codec=codec, sync_interval=r.choice([100, 16000]))
    args = ["stats", path, "--format", "json"]
    if given:
        with open(path + ".schema", "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": [iceberg_field(p, promoted) for p in parts]}, f)
        args += ["--schema", path + ".schema"]
    name = "avro %d (%s, %s ids, %s)" % (seed, codec, "with" if with_ids else "no", "promoted" if promoted else "given" if given else "own")
    status, out, err = lakectl(*args)
    if status:
        counts.fail(name, err.strip())
        return
    file = json.loads(out)["files"][0]
    head = {k: file[k] for k in ("file-format", "record-count", "file-size-in-bytes", "split-offsets")}
    want = {"file-format": "avro", "record-count": len(rows), "file-size-in-bytes": os.path.getsize(path), "split-offsets": []}
    counts.check(name, "" if head == want else short(head)) and counts.check(name, differ(expected(seen, promoted), got(file)))


# ---- ORC: what pyarrow writes, by every codec

EPOCH = __import__("datetime").datetime(1970, 1, 1)


class Orc:
    """A column for ORC: Arrow's type, how to draw, and what is sure to be told: exact, loose (a bound), or nothing."""

    def __init__(self, arrow, iceberg, draw, pack=None, order=None, told="exact"):
        self.arrow, self.iceberg, self.draw, self.pack, self.order, self.told = arrow, iceberg, draw, pack, order or (lambda v: v), told


def orc_columns(pa):
    import datetime, decimal
    def stamp(r):
        return EPOCH + datetime.timedelta(microseconds=r.randint(0, 2**51))
    def micros(v):
        return struct.pack("<q", (v.replace(tzinfo=None) - EPOCH) // datetime.timedelta(microseconds=1))
    def unscaled(v):
        return minimal(int(v.scaleb(2)))
    return [
        Orc(pa.bool_(), "boolean", lambda r: r.random() < 0.5, told="boolean"), Orc(pa.int8(), "int", lambda r: r.randint(-128, 127), le("i")),
        Orc(pa.int16(), "int", lambda r: r.randint(-2**15, 2**15 - 1), le("i")), Orc(pa.int32(), "int", integer(*I32), le("i")),
        Orc(pa.int64(), "long", integer(*I64), le("q")), Orc(pa.float32(), "float", floating(True), le("f"), float_order, "float"),
        Orc(pa.float64(), "double", floating(False), le("d"), float_order, "float"),
        Orc(pa.float64(), "double", lambda r: r.gauss(0, 9) or 1.0, le("d"), told="float"),
        Orc(pa.string(), "string", lambda r: text(r).replace("\x00", ""), lambda v: v.encode(), lambda v: v.encode()),
        Orc(pa.binary(), "binary", raw(), told=None), Orc(pa.decimal128(11, 2), "decimal(11, 2)", lambda r: decimal.Decimal(r.randint(-10**11 + 1, 10**11 - 1)).scaleb(-2), unscaled),
        Orc(pa.decimal128(38, 2), "decimal(38, 2)", lambda r: decimal.Decimal(r.randint(-10**30, 10**30)).scaleb(-2, decimal.Context(prec=40)), lambda v: minimal(int(v.scaleb(2, decimal.Context(prec=40))))),
        Orc(pa.date32(), "date", lambda r: (EPOCH + datetime.timedelta(days=r.randint(-100000, 100000))).date(), lambda v: struct.pack("<i", (v - EPOCH.date()).days)),
        Orc(pa.timestamp("us"), "timestamp", stamp, micros, told="loose"), Orc(pa.timestamp("us", "UTC"), "timestamptz", stamp, micros, told="loose"),
    ]


def bound_of(hex_text):
    return struct.unpack("<q", bytes.fromhex(hex_text))[0]


def check_orc_column(name, c, values, have, rows):
    real = [v for v in values if v is not None]
    nan = [v for v in real if isinstance(v, float) and math.isnan(v)]
    want = {"value-count": rows, "null-value-count": rows - len(real)}
    bad = ["%s: %s is %s, not %s" % (name, k, have.get(k), v) for k, v in want.items() if have.get(k) != v]
    keys = sorted((v for v in real if not (isinstance(v, float) and math.isnan(v))), key=c.order)
    lower, upper = have.get("lower-bound-hex"), have.get("upper-bound-hex")
    if nan and (lower or upper or have.get("nan-value-count") is not None):
        bad.append("%s: %d NaN, but something is said: %s" % (name, len(nan), have))
    if not keys or nan or c.told is None or (c.told == "float" and (len(real) == 0 or math.isnan(sum(real)) or math.isinf(sum(real)))):
        if (not keys or c.told is None) and (lower or upper):
            bad.append("%s: bounds of nothing: %s" % (name, have))
        return bad
    if c.told == "boolean":
        both = len(set(keys)) == 2
        return bad + ([] if (lower, upper) == (("00", "01") if both else (None, None)) else ["%s: %s" % (name, have)])
    if c.told == "float" and (keys[0] == 0 or keys[-1] == 0):
        return bad
    first, last = c.pack(keys[0]).hex(), c.pack(keys[-1]).hex()
    if c.told == "loose":
        good = lower and bound_of(first) - 1000 < bound_of(lower) <= bound_of(first) and bound_of(last) <= bound_of(upper) < bound_of(last) + 1000
        good = good and have.get("lower-bound-exact") is False and have.get("upper-bound-exact") is False
    else:
        good = (lower, upper) == (first, last) and "lower-bound-exact" not in have
    return bad if good else bad + ["%s: [%s, %s] is not [%s, %s]" % (name, lower, upper, first, last)]


def random_orc(counts, seed, folder):
    import pyarrow as pa, pyarrow.orc as orc
    r = random.Random(seed)
    columns = [c for c in orc_columns(pa) if r.random() < 0.6] or orc_columns(pa)[3:4]
    rows = r.choice([0, 1, 3, 50, 2000])
    data = [[None if r.random() < holes else c.draw(r) for _ in range(rows)] for c in columns for holes in [r.choice([0, 0, 0.1, 1])]]
    ids = r.random() < 0.5
    fields = [pa.field("c%d" % i, c.arrow, metadata={"iceberg.id": str(50 - i), "iceberg.required": "false"} if ids else None) for i, c in enumerate(columns)]
    fields += [pa.field("n", pa.struct([pa.field("x", pa.int32(), metadata={"iceberg.id": "102"} if ids else None)]), metadata={"iceberg.id": "101"} if ids else None),
               pa.field("l", pa.list_(pa.field("item", pa.int64(), metadata={"iceberg.id": "104"} if ids else None)), metadata={"iceberg.id": "103"} if ids else None)]
    nested = [None if r.random() < 0.3 else {"x": None if r.random() < 0.3 else r.randint(-9, 9)} for _ in range(rows)]
    lists = [None if r.random() < 0.3 else [r.randint(-9, 9) for _ in range(r.randint(0, 3))] for _ in range(rows)]
    arrays = [pa.array(v, f.type) for v, f in zip(data + [nested, lists], fields)]
    codec = ["uncompressed", "zlib", "snappy", "lz4", "zstd"][seed % 5]
    path = os.path.join(folder, "o%d.%s" % (seed, r.choice(["orc", "orc", "parquet"])))
    orc.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), path, compression=codec,
                    compression_block_size=r.choice([65536, 262144]), stripe_size=r.choice([1024, 64 << 20]))
    name = "orc %d (%s, %s ids)" % (seed, codec, "with" if ids else "no")
    status, out, err = lakectl("stats", path, "--format", "json")
    if status:
        counts.fail(name, err.strip())
        return
    file = json.loads(out)["files"][0]
    stripes = orc.ORCFile(path).nstripes
    bad = [] if (file["file-format"], file["source"], file["record-count"], len(file["split-offsets"])) == ("orc", "footer", rows, stripes) else [short(file)]
    have = {c["name"]: c for c in file["columns"]}
    for i, c in enumerate(columns):
        got = have.get("c%d" % i, {})
        if (got.get("id"), got.get("type")) != (50 - i if ids else i + 1, c.iceberg):
            bad.append("c%d is %s %s" % (i, got.get("id"), got.get("type")))
        bad += check_orc_column("c%d %s" % (i, c.iceberg), c, data[i], got, rows)
    xs = [n["x"] if n else None for n in nested]
    bad += check_orc_column("n.x", Orc(None, "int", None, le("i")), xs, have.get("n.x", {}), rows)
    items = have.get("l.element", {})
    if "value-count" in items or "null-value-count" in items:
        bad.append("items of a list are counted: %s" % items)
    counts.check(name, "; ".join(bad[:4]))


# ---- Avro files that others wrote: the corpus's manifests and manifest lists

def logical_leaf(t):
    """How to compare and pack what fastavro gives for a primitive of a manifest."""
    kind = t if isinstance(t, str) else t["type"]
    form = {"int": "i", "long": "q", "float": "f", "double": "d"}.get(kind)
    return (lambda v: struct.pack("<" + form, v)) if form else (lambda v: bytes([v])) if kind == "boolean" else lambda v: v.encode() if isinstance(v, str) else v


def walk(t, v, name, in_list, out, named):
    if isinstance(t, str) and t in named:
        t = named[t]
    optional = isinstance(t, list)
    if optional:
        t = next(x for x in t if x != "null")
    if isinstance(t, dict) and "name" in t:
        named[t["name"]] = t
    kind = t if isinstance(t, str) else t["type"]
    if kind == "record":
        for f in t["fields"]:
            walk(f["type"], None if v is None else v[f["name"]], name + [f.get("iceberg-field-name", f["name"])], in_list, out, named)
    elif kind == "array":
        pairs = t.get("logicalType") == "map"
        for x in v or []:
            if pairs:
                for f in t["items"]["fields"]:
                    walk(f["type"], x[f["name"]], name + [f["name"]], True, out, named)
            else:
                walk(t["items"], x, name + ["element"], True, out, named)
    else:
        out.setdefault(".".join(name), (logical_leaf(t), []))[1].append(v)


def foreign_avro(counts, path):
    name = os.path.relpath(path, os.path.dirname(CORPUS))
    try:
        with open(path, "rb") as f:
            reader = fastavro.reader(f)
            schema, rows = json.loads(reader.metadata["avro.schema"]), []
            kinds = {x.split('"')[1] for x in reader.metadata["avro.schema"].split('"logicalType"')[1:]}
            if kinds - {"map"}:
                return  # fastavro makes Python objects of them: the random files cover these
            rows = list(reader)
    except Exception as e:  # noqa: BLE001: made so on purpose
        return counts.skip(name, "fastavro: %s" % e)
    seen = {}
    for row in rows:
        walk(schema, row, [], False, seen, {})
    status, out, err = lakectl("stats", path, "--format", "json")
    if status:
        return counts.fail(name, err.strip())
    have = {c["name"]: c for c in json.loads(out)["files"][0]["columns"]}
    bad = [] if json.loads(out)["files"][0]["record-count"] == len(rows) else ["rows"]
    for column, (pack, values) in seen.items():
        real = [v for v in values if v is not None and v == v]
        want = {"value-count": len(values), "null-value-count": sum(v is None for v in values)}
        if real:
            order = float_order if isinstance(real[0], float) else lambda v: v.encode() if isinstance(v, str) else v
            want["lower-bound-hex"], want["upper-bound-hex"] = pack(min(real, key=order)).hex(), pack(max(real, key=order)).hex()
        c = have.get(column, {})
        bad += ["%s: %s is %s, not %s" % (column, k, c.get(k), v) for k, v in want.items() if c.get(k) != v]
    counts.check(name, "; ".join(bad[:3]))


def foreign_files():
    import glob
    found = sorted(glob.glob(CORPUS + "/given/*/metadata/*.avro"))[::7]
    if SHARED:
        found += sorted(glob.glob(SHARED + "/corpus/foreign-tables/**/*.avro", recursive=True))
    return found[:200]


# ---- what is no data file, and damage

def refused(counts, folder):
    import gzip
    def file(name, data):
        p = os.path.join(folder, name)
        with open(p, "wb") as f:
            f.write(data)
        return p
    buffer = io.BytesIO()
    fastavro.writer(buffer, {"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}, {"name": "s", "type": "string"}]},
                    [{"a": n, "s": "x" * 50} for n in range(2000)], sync_interval=4000, codec="null")
    good = buffer.getvalue()
    sync = good[-16:]
    second = good.index(sync, good.index(sync) + 16) + 16
    flipped = bytearray(good)
    flipped[second - 1] ^= 1
    third = good.index(sync, second) + 16
    wide = bytearray(good)
    wide[second + 4:second + 14] = b"\xff" * 10
    union = {"type": "record", "name": "r", "fields": [{"name": "u", "type": ["int", "string"]}, {"name": "k", "type": "int"}]}
    both_types = io.BytesIO()
    fastavro.writer(both_types, union, [{"u": 1, "k": 5}, {"u": "x", "k": 6}])
    table = [
        ("rows.csv", b"a,b\n1,2\n", "CSV"), ("rows.tsv", b"a\tb\n", "tab-separated text"), ("rows.jsonl", b'{"a": 1}\n', "JSON lines"),
        ("rows.json", b'[{"a": 1}]', "JSON"), ("rows.csv.gz", gzip.compress(b"a,b\n"), "CSV"), ("bare", b"a,b\n1,2\n", "text"),
        ("bare2", b'  {"a": 1}\n', "JSON"), ("rows.arrow", b"ARROW1\0\0", "Arrow IPC"), ("sketch", b"PFA1" + bytes(20), "Puffin"),
        ("x.avro", b"\0\1\2\3" * 9, "does not begin as an Avro file"), ("x.orc", b"\0\1\2\3" * 9, "does not begin as an ORC file"),
        ("torn.avro", good[:-5], "the file ends before the sync marker"), ("torn2.avro", good[:third + 30], "byte %d: torn block" % (third + 2)),
        ("head.avro", good[:40], "Avro header"), ("sync.avro", bytes(flipped), "byte %d: the sync marker of a block is not the file's" % (second - 16)),
        ("wide.avro", bytes(wide), "block"),
        ("int.avro", (lambda b: (fastavro.writer(b, "int", [1, 2]), b.getvalue())[1])(io.BytesIO()), "no records but int"),
        ("short.orc", b"ORC" + bytes(3), "not an ORC file"), ("magic.orc", b"ORC" + b"\x0a\0\0\0\0\0\0\0\0\x0a", "ORC"),
    ]
    for name, data, text in table:
        status, out, err = lakectl("stats", file(name, data))
        counts.check("refused: " + name, "" if status in (3, 4) and text in err and name in err and not out else "status %d: %s" % (status, err.strip()))
    status, out, err = lakectl("stats", file("union.avro", both_types.getvalue()), "--format", "json")
    columns = json.loads(out)["files"][0]["columns"] if status == 0 else err
    counts.equal("a union of types is no column", [(c["name"], c["value-count"], c["upper-bound"]) for c in columns], [("k", 2, 6)])
    status, out, err = lakectl("stats", file("rows.avro", good), "--footer-only", "--format", "json")
    f = json.loads(out)["files"][0]
    counts.equal("heads of blocks alone", (f["record-count"], f["source"], [c.get("value-count") for c in f["columns"]], [c.get("upper-bound") for c in f["columns"]]),
                 (2000, "footer", [2000, 2000], [None, None]))
    status, out, err = lakectl("stats", file("rows.avro", good), "--columns", "s", "--format", "json")
    counts.equal("one column", [c["name"] for c in json.loads(out)["files"][0]["columns"]], ["s"])


def main():
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        both(lambda seed: random_avro(counts, seed, folder), range(int(os.environ.get("LAKE_AVRO", "120"))))
        both(lambda seed: random_orc(counts, seed, folder), range(int(os.environ.get("LAKE_ORC", "60"))))
        refused(counts, folder)
    both(lambda path: foreign_avro(counts, path), foreign_files())
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
