"""Iceberg values in Python, worked out from the public spec alone: Parquet files made from them, what readers give brought to one
form, exact statistics by brute force, and the transforms.

A value is: bool; int (int, long, date in days, time and timestamps in micro- or nanoseconds, decimals unscaled); float; str; bytes
(uuid, fixed, binary); a list; a list of [key, value]; for a struct, a dict by field name. Null is None."""
import datetime, decimal, math, re, struct
import mmh3
import pyarrow as pa

NS = ("timestamp_ns", "timestamptz_ns")
PER_DAY = {"timestamp": 86400 * 10**6, "timestamptz": 86400 * 10**6, "timestamp_ns": 86400 * 10**9, "timestamptz_ns": 86400 * 10**9}


def decimal_of(t):
    m = re.match(r"decimal\((\d+), *(\d+)\)", t)
    return int(m[1]), int(m[2])


def exact(unscaled, scale):
    return decimal.Decimal((unscaled < 0, [int(c) for c in str(abs(unscaled))], -scale))


# ---------------------------------------------------------------- Parquet
def arrow_type(t):
    if isinstance(t, dict):
        if t["type"] == "struct":
            return pa.struct([arrow_field(f) for f in t["fields"]])
        if t["type"] == "list":
            return pa.list_(pa.field("element", arrow_type(t["element"]), not t["element-required"], ids(t["element-id"])))
        return pa.map_(pa.field("key", arrow_type(t["key"]), False, ids(t["key-id"])),
                       pa.field("value", arrow_type(t["value"]), not t["value-required"], ids(t["value-id"])))
    if t.startswith("decimal"):
        return pa.decimal128(*decimal_of(t))
    if t.startswith("fixed"):
        return pa.binary(int(t[6:-1]))
    return {"boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
            "date": pa.date32(), "time": pa.time64("us"), "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us", "UTC"),
            "timestamp_ns": pa.timestamp("ns"), "timestamptz_ns": pa.timestamp("ns", "UTC"), "string": pa.string(), "uuid": pa.uuid(),
            "binary": pa.binary()}[t]


def ids(n):
    return {b"PARQUET:field_id": str(n).encode()}


def arrow_field(f, with_ids=True):
    return pa.field(f["name"], arrow_type(f["type"]), not f["required"], ids(f["id"]) if with_ids else None)


def to_arrow(t, values):
    if isinstance(t, dict):
        if t["type"] == "struct":
            kids = [to_arrow(f["type"], [None if v is None else v[f["name"]] for v in values]) for f in t["fields"]]
            return pa.StructArray.from_arrays(kids, fields=[arrow_field(f) for f in t["fields"]],
                                              mask=pa.array([v is None for v in values], pa.bool_()))
        if t["type"] == "map":
            values = [None if v is None else [tuple(p) for p in v] for v in values]
        return pa.array(values, arrow_type(t))
    if t.startswith("decimal"):
        return pa.array([None if v is None else exact(v, decimal_of(t)[1]) for v in values], arrow_type(t))
    if t == "uuid":
        return pa.ExtensionArray.from_storage(pa.uuid(), pa.array(values, pa.binary(16)))
    if t == "date":
        return pa.array(values, pa.int32()).cast(pa.date32())
    if t == "time" or t in PER_DAY:
        return pa.array(values, pa.int64()).cast(arrow_type(t))
    return pa.array(values, arrow_type(t))


def to_table(fields, rows):
    return pa.Table.from_arrays([to_arrow(f["type"], [r[f["name"]] for r in rows]) for f in fields],
                                schema=pa.schema([arrow_field(f) for f in fields]))


# ---------------------------------------------------------------- readers' values in one form
def from_arrow(t, arr):
    """Values of an Arrow array that some reader made for this Iceberg type."""
    if isinstance(arr, pa.ChunkedArray):
        arr = arr.combine_chunks()
    if isinstance(arr, pa.ChunkedArray):
        arr = pa.concat_arrays(arr.chunks) if arr.num_chunks else pa.array([], arr.type)
    if isinstance(t, dict):
        if t["type"] == "struct":
            kids = [from_arrow(f["type"], arr.field(f["name"])) for f in t["fields"]]
            return [{f["name"]: k[i] for f, k in zip(t["fields"], kids)} if arr[i].is_valid else None for i in range(len(arr))]
        if t["type"] == "list":
            return arr.to_pylist()
        return [None if v is None else [list(p) for p in v] for v in arr.to_pylist()]
    if t in PER_DAY or t == "time":
        unit = {"s": 10**6, "ms": 10**3, "us": 1}.get(arr.type.unit)
        ints = arr.cast(pa.int32() if arr.type.bit_width == 32 else pa.int64()).to_pylist()
        if t in NS:
            return [None if v is None else v * (unit * 1000 if unit else 1) for v in ints]
        return [None if v is None else v * unit if unit else v // 1000 for v in ints]
    if t == "date":
        return arr.cast(pa.int32()).to_pylist()
    vals = arr.to_pylist()
    if t.startswith("decimal"):
        return [None if v is None else int(v.scaleb(decimal_of(t)[1], decimal.Context(prec=60))) for v in vals]
    if t == "uuid":
        return [None if v is None else v if isinstance(v, bytes) else v.bytes if hasattr(v, "bytes") else
                bytes.fromhex(v.replace("-", "")) for v in vals]
    return [bytes(v) if isinstance(v, (bytearray, memoryview)) else v for v in vals]


def micros(text):
    """Microseconds or, with nine digits, nanoseconds since 1970 of ISO text; and which of the two."""
    m = re.fullmatch(r"([+-]?\d+)-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?Z?)?", text)
    days = datetime.date(int(m[1]), int(m[2]), int(m[3])).toordinal() - 719163
    seconds = int(m[4] or 0) * 3600 + int(m[5] or 0) * 60 + int(m[6] or 0)
    return (days * 86400 + seconds) * 10**9 + int((m[7] or "").ljust(9, "0"))


def from_java(t, v):
    """A value of the Java command's rows."""
    if v is None or t in ("boolean", "int", "long", "string"):
        return v
    if isinstance(t, dict):
        if t["type"] == "struct":
            return {f["name"]: from_java(f["type"], v[f["name"]]) for f in t["fields"]}
        if t["type"] == "list":
            return [from_java(t["element"], x) for x in v]
        return [[from_java(t["key"], k), from_java(t["value"], x)] for k, x in v]
    if t in ("float", "double"):
        return struct.unpack("<f", struct.pack("<f", float(v)))[0] if t == "float" else float(v)
    if t.startswith("decimal"):
        return int(decimal.Decimal(v).scaleb(decimal_of(t)[1], decimal.Context(prec=60)))
    if t == "date":
        return v if isinstance(v, int) else micros(v) // (86400 * 10**9)
    if t == "time":
        return v if isinstance(v, int) else micros("1970-01-01T" + v) // 1000
    if t in PER_DAY:
        return v if isinstance(v, int) else micros(v) // (1 if t in NS else 1000)
    return bytes.fromhex(v.replace("-", ""))


def seal(v):
    """A form that compares and sorts: floats by their bits, NaN as one."""
    if isinstance(v, float):
        return "nan" if math.isnan(v) else struct.pack(">d", v).hex()
    if isinstance(v, dict):
        return {k: seal(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [seal(x) for x in v]
    return v.hex() if isinstance(v, bytes) else v


def seal_rows(fields, rows):
    """Rows (dicts by name) in one order, whatever theirs; maps have no order either."""
    def one(f, v):
        v = seal(v)
        return sorted(v, key=repr) if v is not None and isinstance(f["type"], dict) and f["type"]["type"] == "map" else v
    return sorted(repr([one(f, r[f["name"]]) for f in fields]) for r in rows)


# ---------------------------------------------------------------- single values and statistics
def single(t, v):
    """The binary single-value form."""
    if t == "boolean":
        return b"\1" if v else b"\0"
    if t in ("int", "date"):
        return struct.pack("<i", v)
    if t in ("long", "time") or t in PER_DAY:
        return struct.pack("<q", v)
    if t in ("float", "double"):
        return struct.pack("<f" if t == "float" else "<d", v)
    if t.startswith("decimal"):
        return v.to_bytes((v if v >= 0 else ~v).bit_length() // 8 + 1, "big", signed=True)
    return v.encode() if t == "string" else v


def order(t, v):
    """A key in the order of the type: -0.0 below 0.0, strings and bytes by unsigned bytes."""
    if isinstance(v, float):
        return (v, math.copysign(1, v))
    return v.encode() if isinstance(v, str) else v


def cut_lower(v, n):
    return v[:n]


def cut_upper(v, n):
    """The least short value that is not below v, or None."""
    if len(v) <= n:
        return v
    head = v[:n]
    while head:
        if isinstance(head, bytes):
            if head[-1] < 255:
                return head[:-1] + bytes([head[-1] + 1])
        elif ord(head[-1]) < 0x10FFFF:
            c = ord(head[-1]) + 1
            return head[:-1] + chr(0xE000 if 0xD800 <= c < 0xE000 else c)
        head = head[:-1]
    return None


def statistics(t, values, truncate=16):
    """value count, null count, NaN count (None: no float), lower and upper bound as hex or None."""
    have = [v for v in values if v is not None]
    nans = sum(1 for v in have if isinstance(v, float) and math.isnan(v)) if t in ("float", "double") else None
    have = [v for v in have if not (isinstance(v, float) and math.isnan(v))]
    lo = hi = None
    if have:
        lo, hi = min(have, key=lambda v: order(t, v)), max(have, key=lambda v: order(t, v))
        if truncate and t in ("string", "binary"):
            lo, hi = cut_lower(lo, truncate), cut_upper(hi, truncate)
    return {"values": len(values), "nulls": sum(v is None for v in values), "nans": nans,
            "lower": None if lo is None else single(t, lo).hex(), "upper": None if hi is None else single(t, hi).hex()}


def leaves(fields, rows_values=None, path=()):
    """(field, values or None, inside a list or map) of each leaf, also in structs; values one for each row of the file."""
    for f in fields:
        vals = None if rows_values is None else [None if r is None else r[f["name"]] for r in rows_values]
        t = f["type"]
        if not isinstance(t, dict):
            yield f, vals, False
        elif t["type"] == "struct":
            yield from leaves(t["fields"], vals, path + (f["name"],))
        elif t["type"] == "list":
            yield {"id": t["element-id"], "type": t["element"]}, None, True
        else:
            yield {"id": t["key-id"], "type": t["key"]}, None, True
            yield {"id": t["value-id"], "type": t["value"]}, None, True


# ---------------------------------------------------------------- transforms
def result_type(tr, t):
    if tr.startswith("bucket"):
        return "int"
    if tr in ("year", "month", "hour"):
        return "int"
    return "date" if tr == "day" else t


def apply(tr, t, v):
    if v is None:
        return None
    if tr == "identity":
        return v
    if tr.startswith("bucket"):
        return bucket_hash(t, v) % int(tr[7:-1])
    if tr.startswith("truncate"):
        w = int(tr[9:-1])
        if isinstance(v, (str, bytes)):
            return v[:w]
        bits = {"int": 32, "long": 64}.get(t)
        out = v - v % w
        return out + 2**bits if bits and out < -2**(bits - 1) else out  # as in the official library: it wraps
    day = v if t == "date" else v // PER_DAY[t]
    if tr == "day":
        return day
    if tr == "hour":
        return v // (PER_DAY[t] // 24)
    d = datetime.date.fromordinal(day + 719163)
    return d.year - 1970 if tr == "year" else (d.year - 1970) * 12 + d.month - 1


def bucket_hash(t, v):
    if t in ("int", "long", "date", "time", "timestamp", "timestamptz"):
        raw = struct.pack("<q", v)
    elif t in NS:
        raw = struct.pack("<q", v // 1000)
    else:
        raw = single(t, v)
    return mmh3.hash(raw, 0) & 0x7FFFFFFF
