"""Parts C and D of TRAPS, and the writing side of E: what `stats` and `write-manifest` make of data, whatever the footer says."""
import datetime, decimal

from table import *
from manifests import created, newest, parquet, read
import pyarrow as pa
import pyarrow.parquet as pq

MAX = "\U0010ffff"


def recorded(type, arrow, values, mode=None, options=(), **write):
    """(entry's data_file of write-manifest, path) for one column x of these values."""
    folder, t = created([(1, "x", type)], None)
    path = os.path.join(folder, "f.parquet")
    schema = pa.schema([pa.field("x", arrow, metadata={"PARQUET:field_id": "1"})])
    pq.write_table(pa.table([pa.array(values, arrow)], schema=schema), path, **write)
    return entry(t, path, mode), path


def entry(table, path, mode=None):
    out = os.path.join(table, "metadata", "m.avro")
    must("write-manifest", "--table", table, "-o", out, path, *(["--metrics", mode] if mode else []))
    d = read(out)[2][0]["data_file"]
    os.remove(out)
    return d


def of(d, name, id=1):
    v = next((p["value"] for p in d[name] or [] if p["key"] == id), None)
    return v.hex() if isinstance(v, bytes) else v


def bounds(name, type, arrow, values, lower, upper, mode="truncate(16)", **write):
    """lower, upper: hex, or None for no bound."""
    try:
        d, path = recorded(type, arrow, values, mode, **write)
        counts.equal(name, [of(d, "lower_bounds"), of(d, "upper_bounds")], [lower, upper])
        return d
    except LakectlFailed as e:
        counts.fail(name, str(e))


def text(name, values, lower, upper, mode="truncate(16)"):
    d = bounds(name, "string", pa.string(), values, None if lower is None else tx(lower), None if upper is None else tx(upper), mode)
    if d and of(d, "upper_bounds"):
        up = bytes.fromhex(of(d, "upper_bounds"))
        counts.check(name + ": valid UTF-8 at or above all values", not (up.decode("utf-8", "replace").encode() == up and up >= max(v.encode() for v in values if v is not None)))


def cut():
    a = "A" * 15
    text("C3 a step over the surrogates", [a + "\ud7ff" + "x"], a + "\ud7ff", a + "\ue000")
    text("C3 nothing above the last code point", [MAX * 17], MAX * 16, None)
    text("C3 the last code point is cut off", ["a" + MAX * 16], "a" + MAX * 15, "b")
    text("C3 the last of two bytes", [a + "\u07ff" + "x"], a + "\u07ff", a + "\u0800")
    text("C3 the last of three bytes", [a + "\uffff" + "x"], a + "\uffff", a + "\U00010000")
    text("C4 characters are not cut apart", [a + "\u2022 bullet", "zzzz upper bound is plain ascii"], a + "\u2022", "zzzz upper boune")
    text("C5 code points, not UTF-16 units", ["\U0001f600\U0001f601\U0001f602"], "\U0001f600\U0001f601", "\U0001f600\U0001f602", "truncate(2)")
    text("C5 a combining mark is a code point", ["e\u0301e\u0301"], "e\u0301", "e\u0302", "truncate(2)")
    text("C8 C9 order of UTF-8 bytes", ["\uff61", "\U00010002"], "\uff61", "\U00010002")
    text("C9 32 characters and an emoji tail", ["v" * 32 + "\U0001f600" * 3], "v" * 32, "v" * 31 + "w", "truncate(32)")
    text("C9 whole characters", ["v" * 31 + "\U0001f600" * 3], "v" * 31 + "\U0001f600", "v" * 31 + "\U0001f601", "truncate(32)")
    text("C exactly 16 is not cut", ["b" * 16], "b" * 16, "b" * 16)
    text("I7 the empty string is a bound", ["", "x"], "", "x")
    text("I7 the empty string alone", [""], "", "")
    bounds("C6 binary goes up, not down", "binary", pa.binary(), [bytes(16) + b"\x10"], "00" * 16, "00" * 15 + "01")
    bounds("C7 0xff is carried and cut off", "binary", pa.binary(), [b"\x01" + b"\xff" * 20], "01" + "ff" * 15, "02")
    bounds("C7 all 0xff has no upper bound", "binary", pa.binary(), [b"\xff" * 20], "ff" * 16, None)
    bounds("C6 fixed is not cut", "fixed[20]", pa.binary(20), [bytes(19) + b"\x01"], "00" * 19 + "01", "00" * 19 + "01")
    uuid = bytes(range(240, 256))
    bounds("C6 a uuid is whole", "uuid", pa.binary(16), [uuid], uuid.hex(), uuid.hex(), "truncate(4)")
    text("C6 text of a uuid goes up", ["f79c3e09-677c-4bbd-a479-3f349cb785e7"], "f79c3e09-677c-4b", "f79c3e09-677c-4c")
    bounds("C10 an int takes 4 bytes", "int", pa.int32(), [42], "2a000000", "2a000000")
    bounds("C10 a date takes 4 bytes", "date", pa.date32(), [datetime.date(2024, 6, 1)], "a34d0000", "a34d0000")
    v = decimal.Decimal("0.71").scaleb(0).quantize(decimal.Decimal(1).scaleb(-38), context=decimal.Context(prec=40))
    h = (71 * 10 ** 36).to_bytes(16, "big").hex()
    bounds("C11 a decimal of 38 digits", "decimal(38,38)", pa.decimal128(38, 38), [v], h, h)
    big = decimal.Decimal(10 ** 38 - 1)
    bounds("C11 the largest and the smallest", "decimal(38,0)", pa.decimal128(38, 0), [big.copy_negate(), big], (1 - 10 ** 38).to_bytes(16, "big", signed=True).hex(),
           (10 ** 38 - 1).to_bytes(16, "big").hex())
    text("C12 the largest width", ["slice"[1:], "x"], "lice", "x", "truncate(2147483647)")
    bounds("B NaN enters no bound, zeros keep their sign", "double", pa.float64(), [float("nan"), 0.0, -0.0], f8(-0.0), f8(0.0))
    d = bounds("B NaN alone has no bound", "float", pa.float32(), [float("nan")] * 3, None, None)
    counts.equal("B NaN is counted", d and of(d, "nan_value_counts"), 3)


def times():
    at = datetime.datetime(2026, 8, 10, 20, 4, 53, 80758)
    for write in ({}, {"version": "1.0"}, {"use_dictionary": False}, {"data_page_version": "2.0"}):
        bounds("D3 microseconds are kept, %s" % write, "timestamp", pa.timestamp("us"), [at], "b6fe0edeb6580600", "b6fe0edeb6580600", **write)
    bounds("D3 milliseconds in the file", "timestamp", pa.timestamp("ms"), [at.replace(microsecond=80000)], i8(1786392293080000), i8(1786392293080000))
    bounds("D6 INT96", "timestamp", pa.timestamp("us"), [at, datetime.datetime(1960, 1, 1)], i8(-315619200000000), "b6fe0edeb6580600", use_deprecated_int96_timestamps=True)
    bounds("D6 INT96 beside a null", "timestamptz", pa.timestamp("us", "UTC"), [None, at], "b6fe0edeb6580600", "b6fe0edeb6580600", use_deprecated_int96_timestamps=True)


def physical():
    D = decimal.Decimal
    for p, s, values in ((9, 2, ["-1.00", "1.20"]), (18, 4, ["-99999999999999.9999", "0.0001"]), (4, 0, ["-128", "127"])):
        n = [int(D(v).scaleb(s)) for v in values]
        hexes = [x.to_bytes((x + (x < 0)).bit_length() // 8 + 1, "big", signed=True).hex() for x in n]
        for integers in (True, False):
            bounds("D5 D11 decimal(%d,%d) as %s" % (p, s, "integers" if integers else "fixed"), "decimal(%d,%d)" % (p, s), pa.decimal128(p, s), [D(v) for v in values] + [None],
                   *hexes, store_decimal_as_integer=integers)
    bounds("D8 unsigned ints are not negative", "long", pa.uint32(), [0, 4000000000, 7], i8(0), i8(4000000000))
    bounds("D8 small unsigned ints", "int", pa.uint16(), [0, 65535], i4(0), i4(65535))
    bounds("D8 small signed ints", "int", pa.int8(), [-128, 5], i4(-128), i4(5))
    bounds("D7 text above ASCII", "string", pa.string(), ["三星应用商店", "vivo预装", "360手机助手"], tx("360手机助手"), tx("三星应用商店"), "full")
    for what, type, arrow, values, lo, up in (("int", "int", pa.int32(), [3, None, 5], i4(3), i4(5)), ("text", "string", pa.string(), ["b", None, "a"], tx("a"), tx("b")),
                                              ("boolean", "boolean", pa.bool_(), [True, None], "01", "01"), ("double", "double", pa.float64(), [1.5, None], f8(1.5), f8(1.5))):
        d = bounds("D9 D10 no statistics in the footer, %s" % what, type, arrow, values, lo, up, write_statistics=False)
        counts.equal("D4 D10 nulls are counted from the data, %s" % what, d and (of(d, "value_counts"), of(d, "null_value_counts"), d["record_count"]), (len(values), 1, len(values)))
    d = bounds("D4 two row groups", "int", pa.int32(), [None, 2, 3, None, None, 9], i4(2), i4(9), row_group_size=2, write_statistics=False)
    counts.equal("D4 nulls of all row groups", d and of(d, "null_value_counts"), 3)
    d = bounds("D10 a column of nulls", "int", pa.int32(), [None] * 4, None, None)
    counts.equal("D10 all null", d and of(d, "null_value_counts"), 4)
    d = bounds("D10 no rows", "int", pa.int32(), [], None, None)
    folder = new_folder()
    inner = {"type": "struct", "fields": [{"id": 2, "name": "x", "type": "int", "required": False}, {"id": 3, "name": "t", "type": "string", "required": False}]}
    _, t = created([(1, "s", inner)], None)
    f = lambda n, a, i: pa.field(n, a, metadata={"PARQUET:field_id": str(i)})
    kind = pa.struct([f("x", pa.int32(), 2), f("t", pa.string(), 3)])
    path = os.path.join(folder, "n.parquet")
    pq.write_table(pa.table([pa.array([{"x": 1, "t": "a"}, None, {"x": None, "t": "c"}], kind)], schema=pa.schema([f("s", kind, 1)])), path)
    d = entry(t, path)
    counts.equal("D11 leaves of a struct by their ids", [of(d, n, i) for i in (2, 3) for n in ("value_counts", "null_value_counts", "lower_bounds", "upper_bounds")],
                 [3, 2, i4(1), i4(1), 3, 1, tx("a"), tx("c")])
    counts.check("F9 a struct gets no counts", any(of(d, n, 1) is not None for n in ("value_counts", "null_value_counts", "lower_bounds", "upper_bounds")))
    must("append", t, path)
    for where, n in (("s.x = 1", 1), ("s.x = 2", 0), ("s.x IS NULL", 1), ("s IS NULL", 1), ("s.t > 'c'", 0)):
        counts.equal("D11 F9 planned by a leaf: " + where, len(must("plan", t, "--where", where, "--format", "paths").split()), n)


def promoted():
    """F11: the column's type is not the file's: bounds have the column's form, or there are none."""
    D = decimal.Decimal
    bounds("F11 int in the file, long in the table", "long", pa.int32(), [-3, 7], i8(-3), i8(7))
    bounds("F11 float in the file, double in the table", "double", pa.float32(), [-1.5, 7], f8(-1.5), f8(7))
    bounds("F11 half floats", "float", pa.float16(), [-1.5, 7], f4(-1.5), f4(7))
    bounds("F11 a shorter decimal", "decimal(18,2)", pa.decimal128(9, 2), [D("-1.00"), D("1.20")], "9c", "78", store_decimal_as_integer=True)
    bounds("F11 seconds and milliseconds", "timestamp", pa.timestamp("s"), [-1, 1], i8(-1000000), i8(1000000))
    bounds("F11 nanoseconds are floored", "timestamp", pa.timestamp("ns"), [-1, 1999], i8(-1), i8(1))
    for name, type, arrow, values in (("text in an int column", "int", pa.string(), ["a"]), ("an int in a text column", "string", pa.int32(), [1]), ("a long in an int column", "int", pa.int64(), [2 ** 40]),
                                      ("an unsigned int in an int column", "int", pa.uint32(), [4000000000]), ("an unsigned long beyond long", "long", pa.uint64(), [2 ** 63 + 5, 1]),
                                      ("another scale", "decimal(9,3)", pa.decimal128(9, 2), [D("1.20")]), ("another length", "fixed[8]", pa.binary(16), [bytes(16)]),
                                      ("text of a uuid", "uuid", pa.string(), ["f79c3e09-677c-4bbd-a479-3f349cb785e7"])):
        d = bounds("F11 D10 no bounds: " + name, type, arrow, values, None, None)
        counts.equal("F11 the counts hold: " + name, d and (of(d, "value_counts"), of(d, "null_value_counts")), (len(values), 0))
    folder, t = created([(1, "x", "long"), (2, "y", "int")], None)
    path = parquet(folder, "f.parquet", [(1, "x", pa.int32())], [(-3,), (7,)])
    must("append", t, path)
    for where, n in (("x = -3", 1), ("x = 8", 0), ("x < 0", 1), ("y IS NULL", 1)):
        counts.equal("F11 planned after a promotion, and without a column: " + where, len(must("plan", t, "--where", where, "--format", "paths").split()), n)


def partitions():
    """The writing side of E and of H10."""
    def refuse(name, type, arrow, spec, values, words):
        folder, t = created([(1, "x", type)], spec)
        path = parquet(folder, "f.parquet", [(1, "x", arrow)], [(v,) for v in values])
        refused(name, ["f.parquet", "x"] + words, "write-manifest", "--table", t, "-o", os.path.join(t, "metadata", "m.avro"), path)
        counts.check(name + ": nothing stays", os.path.exists(os.path.join(t, "metadata", "m.avro")))

    def value(name, type, arrow, spec, values, want, summary=None):
        folder, t = created([(1, "x", type)], spec)
        must("append", t, parquet(folder, "f.parquet", [(1, "x", arrow)], [(v,) for v in values]))
        line = newest(t)[2][2][0]
        got = list(read(line["manifest_path"].replace("file://", ""))[2][0]["data_file"]["partition"].values())[0]
        counts.equal(name, got, want)
        s = line["partitions"][0]
        if want is None:
            counts.equal("H10 " + name, (s["contains_null"], s["lower_bound"], s["upper_bound"]), (True, None, None))

    refuse("E7 truncate below the smallest int", "int", pa.int32(), "truncate(10000, x)", [-2147483648], ["-2147483648"])
    refuse("E7 truncate below the smallest long", "long", pa.int64(), "truncate(10, x)", [-9223372036854775808], ["-9223372036854775808"])
    refuse("E8 an hour beyond int", "timestamp", pa.timestamp("us"), "hours(x)", [7826953766400000000], ["249996"])
    refuse("E two values in one file", "int", pa.int32(), "x", [1, 2], ["1", "2"])
    value("E7 truncate goes down for negative numbers", "int", pa.int32(), "truncate(10, x)", [-1, -10], -10)
    for type, arrow, v in (("int", pa.int32(), 34), ("long", pa.int64(), 34)):
        value("E9 bucket of %s 34" % type, type, arrow, "bucket(1000, x)", [v], 2017239379 % 1000)
    value("E9 bucket of a timestamp", "timestamp", pa.timestamp("us"), "bucket(1000, x)", [datetime.datetime(2017, 11, 16, 22, 31, 8, 1)], (-1207196810 & 0x7fffffff) % 1000)
    zone = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kolkata"
    near = datetime.datetime(2023, 12, 31, 23, 30, tzinfo=datetime.timezone.utc)
    value("E10 days are UTC's, TZ=Asia/Kolkata", "timestamptz", pa.timestamp("us", "UTC"), "days(x)", [near], 19722)
    value("E10 hours are UTC's, TZ=Asia/Kolkata", "timestamptz", pa.timestamp("us", "UTC"), "hours(x)", [near], 19722 * 24 + 23)
    os.environ.pop("TZ")
    os.environ.update({"TZ": zone} if zone else {})
    for spec, type, arrow in (("x", "string", pa.string()), ("bucket(4, x)", "int", pa.int32()), ("days(x)", "date", pa.date32()), ("truncate(3, x)", "string", pa.string())):
        value("a partition of nulls alone: " + spec, type, arrow, spec, [None, None], None)
    folder, t = created([(1, "x", "int")], None)
    meta = json.load(open(os.path.join(t, "metadata", "v1.metadata.json")))
    meta["partition-specs"] = [{"spec-id": 0, "fields": [{"source-id": 1, "field-id": 1000, "name": "z", "transform": "zorder[4]"}]}]
    with open(os.path.join(t, "metadata", "v1.metadata.json"), "w") as f:
        json.dump(meta, f)
    refused("E14 an unknown transform cannot be written", ["zorder[4]"], "write-manifest", "--table", t, "-o", os.path.join(t, "metadata", "m.avro"),
            parquet(folder, "f.parquet", [(1, "x", pa.int32())], [(1,)]))


def run():
    for part in (cut, times, physical, promoted, partitions):
        try:
            part()
        except LakectlFailed as e:
            counts.fail(part.__name__, str(e))
