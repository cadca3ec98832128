#!/usr/bin/env python3
"""Rows pushed through the C API as Arrow arrays of pyarrow: every type and layout, with offsets, nested, as dictionaries, views and run
ends, in several batches; entries against what is worked out here from the values, and against `lakectl stats` of the same rows as Parquet."""
import ctypes, datetime, decimal, json, os, random, re, struct, subprocess, sys, tempfile, uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from sketches import minimal
import pyarrow as pa
import pyarrow.parquet as pq

EPOCH = datetime.datetime(1970, 1, 1)
SHIM = os.path.join(BUILD, "tests", "libingest_shim.so")


class CSchema(ctypes.Structure):
    _fields_ = [("room", ctypes.c_char * 72)]


class CArray(ctypes.Structure):
    _fields_ = [("room", ctypes.c_char * 80)]


def push(table, batches, output, location, metrics="full", verify=0, size=1000):
    """(status, [lines]) or (status, message)."""
    shim = ctypes.CDLL(SHIM)
    schemas, arrays = [CSchema() for _ in batches], [CArray() for _ in batches]
    for b, s, a in zip(batches, schemas, arrays):
        b._export_to_c(ctypes.addressof(a), ctypes.addressof(s))
    out = ctypes.create_string_buffer(1 << 20)
    status = shim.shim_ingest(table.encode(), output.encode(), metrics.encode(), verify, location.encode(),
                              (ctypes.c_void_p * len(batches))(*map(ctypes.addressof, schemas)), (ctypes.c_void_p * len(batches))(
                                  *map(ctypes.addressof, arrays)), ctypes.c_size_t(len(batches)), ctypes.c_int64(size), out, ctypes.c_size_t(len(out)))
    for a, s in zip(arrays, schemas):  # give them back
        pa.RecordBatch._import_from_c(ctypes.addressof(a), ctypes.addressof(s))
    text = out.value.decode()
    return status, [json.loads(x) for x in text.split("\n") if x] if status == 0 else text


def us(v):
    return struct.pack("<q", (v.replace(tzinfo=None) - EPOCH) // datetime.timedelta(microseconds=1))


# Iceberg type, Arrow types that fit it, a value from a number, the bound's bytes
TYPES = {
    "boolean": ([pa.bool_()], lambda k: k % 2 == 0, lambda v: b"\1" if v else b"\0"),
    "int": ([pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32()], lambda k: k % 100, lambda v: struct.pack("<i", v)),
    "long": ([pa.int64(), pa.int32(), pa.uint32(), pa.uint64(), pa.int8()], lambda k: k % 120, lambda v: struct.pack("<q", v)),
    "float": ([pa.float32(), pa.float16()], lambda k: float("nan") if k % 7 == 3 else (k % 64) / 4 - 8, lambda v: struct.pack("<f", v)),
    "double": ([pa.float64(), pa.float32()], lambda k: float("nan") if k % 7 == 3 else (k % 64) / 8 - 4, lambda v: struct.pack("<d", v)),
    "decimal(9, 2)": ([pa.decimal128(9, 2), pa.decimal256(9, 2), pa.decimal32(9, 2), pa.decimal64(9, 2)],
                      lambda k: decimal.Decimal((k - 300) * 37).scaleb(-2), lambda v: minimal(int(v.scaleb(2)))),
    "decimal(38, 3)": ([pa.decimal128(38, 3), pa.decimal256(38, 3)], lambda k: decimal.Decimal((k - 300) * 10**30).scaleb(-3),
                       lambda v: minimal(int(v.scaleb(3)))),
    "date": ([pa.date32(), pa.date64()], lambda k: (EPOCH + datetime.timedelta(days=k - 200)).date(), lambda v: struct.pack("<i", (v - EPOCH.date()).days)),
    "time": ([pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")], lambda k: datetime.time(k % 24, k % 60, k % 59),
             lambda v: struct.pack("<q", ((v.hour * 60 + v.minute) * 60 + v.second) * 10**6)),
    "timestamp": ([pa.timestamp(u) for u in ("s", "ms", "us", "ns")], lambda k: EPOCH + datetime.timedelta(seconds=(k - 300) * 7919), us),
    "timestamptz": ([pa.timestamp(u, "UTC") for u in ("s", "ms", "us", "ns")], lambda k: EPOCH + datetime.timedelta(seconds=(k - 300) * 7919), us),
    "timestamp_ns": ([pa.timestamp("ns"), pa.timestamp("s")], lambda k: EPOCH + datetime.timedelta(seconds=k - 300),
                     lambda v: struct.pack("<q", (v - EPOCH) // datetime.timedelta(seconds=1) * 10**9)),
    "string": ([pa.string(), pa.large_string(), pa.string_view()], lambda k: "" if k == 5 else "w\u00f6rt %d%s" % (k, "x" * (k % 20)), lambda v: v.encode()),
    "binary": ([pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(6)], lambda k: b"\xff\0" + struct.pack(">I", k), lambda v: v),
    "fixed[6]": ([pa.binary(6)], lambda k: b"\xff\0" + struct.pack(">I", k), lambda v: v),
    "uuid": ([pa.binary(16)], lambda k: uuid.UUID(int=k << 100 | k).bytes, lambda v: v)}


def layouts(arrow):
    """The same values as other arrays of the same logical type."""
    out = [("plain", arrow)]
    try:
        out.append(("dictionary", arrow.dictionary_encode()))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        pass
    try:
        import pyarrow.compute as pc
        out.append(("run ends", pc.run_end_encode(arrow)))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        pass
    return out


def expected(values, encode):
    live = [v for v in values if v is not None]
    nans = [v for v in live if isinstance(v, float) and v != v]
    rest = [v for v in live if not (isinstance(v, float) and v != v)]
    key = (lambda v: v.encode()) if rest and isinstance(rest[0], str) else (lambda v: v)
    bounds = (encode(min(rest, key=key)).hex(), encode(max(rest, key=key)).hex()) if rest else (None, None)
    return {"value-count": len(values), "null-value-count": len(values) - len(live), "nan-value-count": len(nans), "lower-bound-hex": bounds[0],
            "upper-bound-hex": bounds[1]}


def create(folder, name, fields, **options):
    table = os.path.join(folder, name)
    schema = table + ".json"
    with open(schema, "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": fields}, f)
    args = [x for k, v in options.items() for x in ("--" + k.replace("_", "-"), v)]
    must("create", table, "--schema", schema, "--format-version", 3, *args)
    return table, schema


def flat(counts, folder):
    r = random.Random(12)
    for n, (kind, (arrows, draw, encode)) in enumerate(TYPES.items()):
        table, _ = create(folder, "flat%d" % n, [{"id": 7, "name": "c", "required": False, "type": kind}])
        for k, t in enumerate(arrows):
            values = [None if r.random() < 0.15 else draw(r.randrange(600)) for _ in range(r.choice([1, 700, 3000]))]
            given = [None if v is None else v for v in values]
            whole = pa.array(given, t) if kind != "date" or t != pa.date64() else pa.array(given, pa.date32()).cast(t)
            for layout, a in layouts(whole):
                name = "%s as %s, %s" % (kind, t, layout)
                cut = r.randrange(len(a) + 1)
                parts = [a[:cut], a[cut:cut], a[cut:]]  # the last with an offset
                batches = [pa.RecordBatch.from_arrays([p], names=["c"]) for p in parts]
                status, lines = push(table, batches, os.path.join(folder, "flat%d-%d-%s.avro" % (n, k, layout)), "s3://b/%d-%d.parquet" % (n, k))
                if status:
                    counts.fail(name, lines)
                    continue
                want = expected(values, encode)
                got = lines[0]["columns"][0]
                if kind not in ("float", "double"):
                    want.pop("nan-value-count")
                counts.equal(name, {x: got.get(x) for x in want}, want)
                counts.equal(name + ": rows", (lines[0]["record-count"], lines[1]["added_rows_count"]), (len(values), len(values)))


def nested(counts, folder):
    """Structs, lists of every layout, maps, with nulls at every depth and offsets, against Parquet of the same rows."""
    r = random.Random(13)
    point = pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.struct([pa.field("z", pa.string())]))])
    fields = [{"id": 1, "name": "s", "required": False, "type": {"type": "struct", "fields": [
        {"id": 2, "name": "x", "required": False, "type": "int"},
        {"id": 3, "name": "y", "required": False, "type": {"type": "struct", "fields": [{"id": 4, "name": "z", "required": False, "type": "string"}]}}]}},
        {"id": 5, "name": "l", "required": False, "type": {"type": "list", "element-id": 6, "element": "long", "element-required": False}},
        {"id": 7, "name": "m", "required": False, "type": {"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value": "double", "value-required": False}},
        {"id": 10, "name": "i", "required": False, "type": "int"}]
    table, schema = create(folder, "nested", fields)
    maybe = lambda p, f: None if r.random() < p else f()  # noqa: E731

    def row():
        return {"s": maybe(0.2, lambda: {"x": maybe(0.2, lambda: r.randrange(-99, 99)), "y": maybe(0.2, lambda: {"z": maybe(0.2, lambda: "v%d" % r.randrange(99))})}),
                "l": maybe(0.2, lambda: [maybe(0.2, lambda: r.randrange(99)) for _ in range(r.randrange(4))]),
                "m": maybe(0.2, lambda: [("k%d" % k, maybe(0.2, lambda: r.random())) for k in range(r.randrange(3))]), "i": maybe(0.1, lambda: r.randrange(9))}
    for n, listed in enumerate([pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.list_view(pa.int64()), pa.large_list_view(pa.int64()), pa.list_(pa.int64(), 2)]):
        rows = [row() for _ in range(300)]
        if pa.types.is_fixed_size_list(listed):
            for x in rows:
                x["l"] = None if x["l"] is None else (x["l"] + [1, 2])[:2]
        arrow = pa.schema([("s", point), ("l", listed), ("m", pa.map_(pa.string(), pa.float64())), ("i", pa.int32())])
        whole = pa.RecordBatch.from_pylist(rows, arrow)
        plain = pa.Table.from_pylist(rows, pa.schema([("s", point), ("l", pa.list_(pa.int64())), ("m", pa.map_(pa.string(), pa.float64())), ("i", pa.int32())]))
        path = os.path.join(folder, "nested%d.parquet" % n)
        pq.write_table(plain, path, store_schema=False)
        status, lines = push(table, [whole[:100], whole[100:101], whole[101:]], os.path.join(folder, "nested%d.avro" % n), path)
        if status:
            counts.fail("nested %s" % listed, lines)
            continue
        stats = json.loads(must("stats", path, "--schema", schema, "--format", "json", "--metrics", "full"))["files"][0]["columns"]
        keys = ("value-count", "null-value-count", "nan-value-count", "lower-bound-hex", "upper-bound-hex")
        want = {c["id"]: [c.get(k) for k in keys] for c in stats if any(k in c for k in keys)}
        counts.equal("nested %s" % listed, {c["id"]: [c.get(k) for k in keys] for c in lines[0]["columns"]}, want)


def partitions(counts, folder):
    fields = [{"id": 1, "name": "d", "required": False, "type": "date"}, {"id": 2, "name": "k", "required": False, "type": "long"},
              {"id": 3, "name": "n", "required": False, "type": "string"}]
    table, _ = create(folder, "parts", fields, partition_by="months(d), bucket(4, k)", sort_by="k")
    days = [datetime.date(2025, 3, x) for x in (1, 5, 31)]
    batch = pa.RecordBatch.from_pydict({"d": pa.array(days, pa.date32()), "k": pa.array([7, 7, 7]), "n": ["a", None, "c"]})
    status, lines = push(table, [batch], table + "/metadata/m1.avro", table + "/data/a.parquet")
    counts.equal("partition", (status, lines[0]["partition"]["d_month"] if not status else lines), (0, "2025-03"))
    must("commit", table, table + "/metadata/m1.avro")
    plan = json.loads(must("plan", table, "--format", "json", "--where", "d = DATE '2025-04-01'"))
    counts.equal("planned", plan.get("file-scan-tasks", []), [])
    counts.equal("kept", len(json.loads(must("plan", table, "--format", "json", "--where", "k = 7"))["file-scan-tasks"]), 1)
    other = pa.RecordBatch.from_pydict({"d": pa.array([datetime.date(2025, 4, 1)], pa.date32()), "k": pa.array([7]), "n": ["a"]})
    byname = pa.RecordBatch.from_pydict({"d": pa.array(days, pa.date32()), "k": pa.array([7, 7, 10])})
    status, text = push(table, [batch, other], table + "/metadata/m2.avro", table + "/data/b.parquet")
    counts.check("two months", None if status and "2025-03" in text and "2025-04" in text else text)
    status, text = push(table, [byname], table + "/metadata/m2.avro", table + "/data/b.parquet")
    counts.check("two buckets", None if status and "bucket" in text and "rows differ" in text else text)
    unsorted = pa.RecordBatch.from_pydict({"d": pa.array(days, pa.date32()), "k": pa.array([7, 7, 7])})
    status, text = push(table, [unsorted], table + "/metadata/m3.avro", table + "/data/c.parquet", verify=1)
    counts.equal("in order", status, 0)
    plain, _ = create(folder, "sorted", fields, sort_by="k")
    status, text = push(plain, [byname, unsorted], folder + "/m4.avro", table + "/data/c.parquet", verify=1)
    counts.check("out of order", None if status and "row 3" in text else text)
    counts.equal("nothing is left", os.path.exists(table + "/metadata/m2.avro"), False)


def refusals(counts, folder):
    fields = [{"id": 1, "name": "a", "required": False, "type": "int"}, {"id": 2, "name": "s", "required": False, "type": {
        "type": "struct", "fields": [{"id": 3, "name": "x", "required": False, "type": "string"}]}}]
    table, _ = create(folder, "refused", fields)
    ints = pa.array([1, 2], pa.int32())
    for name, batches, words in [
            ("an unknown column", [pa.RecordBatch.from_arrays([ints], names=["b"])], "not in the schema"),
            ("text for int", [pa.RecordBatch.from_arrays([pa.array(["x"])], names=["a"])], "takes no such values"),
            ("int for a struct", [pa.RecordBatch.from_arrays([ints], names=["s"])], "a struct is wanted"),
            ("twice", [pa.RecordBatch.from_arrays([ints, ints], names=["a", "a"])], "comes twice"),
            ("another type later", [pa.RecordBatch.from_arrays([ints], names=["a"]), pa.RecordBatch.from_arrays([ints.cast(pa.int8())], names=["a"])], "came as"),
            ("a column less", [pa.RecordBatch.from_pydict({"a": ints, "s": pa.array([{"x": "v"}, None])}), pa.RecordBatch.from_arrays([ints], names=["a"])], "rows"),
            ("a column more", [pa.RecordBatch.from_arrays([ints], names=["a"]), pa.RecordBatch.from_pydict({"a": ints, "s": pa.array([{"x": "v"}, None])})], "earlier batches"),
            ("a broken dictionary", [pa.RecordBatch.from_arrays([pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int8()), ints, safe=False)], names=["a"])], "does not lie")]:
        status, text = push(table, batches, folder + "/refused.avro", "s3://b/f.parquet")
        counts.check(name, None if status and words in text else "%s %s" % (status, text))
    by_id = pa.RecordBatch.from_arrays([ints], schema=pa.schema([pa.field("other", pa.int32(), True, {"PARQUET:field_id": "1"})]))
    status, lines = push(table, [by_id], folder + "/by_id.avro", "s3://b/f.parquet")
    counts.equal("by id", (status, lines[0]["columns"][0]["id"] if not status else lines), (0, 1))
    nulls = pa.RecordBatch.from_arrays([pa.nulls(3), pa.nulls(3, pa.struct([("x", pa.string())]))], names=["a", "s"])
    status, lines = push(table, [nulls], folder + "/nulls.avro", "s3://b/f.parquet")
    counts.equal("only nulls", (status, [c.get("null-value-count") for c in lines[0]["columns"]] if not status else lines), (0, [3, 3]))


def main():
    needs = subprocess.run(["readelf", "-d", os.path.join(BUILD, "liblake.so")], capture_output=True, text=True).stdout
    if "libasan" in needs and "INGEST_INSIDE" not in os.environ:
        # Python itself has no sanitizers: they come first, and its own memory is not their business.
        libs = " ".join(subprocess.run(["gcc", "-print-file-name=" + x], capture_output=True, text=True).stdout.strip() for x in re.findall(r"\[(lib[au]b?san\.so)", needs))
        env = dict(os.environ, INGEST_INSIDE="1", LD_PRELOAD=libs, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        return subprocess.run([sys.executable, os.path.abspath(__file__)], env=env).returncode
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        flat(counts, folder)
        nested(counts, folder)
        partitions(counts, folder)
        refusals(counts, folder)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
