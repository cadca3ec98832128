"""Parts H, I, J and N of TRAPS: manifests and lists that others wrote, those that lakectl writes, metadata files, paths, messages."""
import gzip

from table import *
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [(1, "id", "int"), (2, "s", "string")]


def read(path):
    with open(path, "rb") as f:
        r = fastavro.reader(f)
        return r.metadata, r.writer_schema, list(r)


def bare(path):
    return path[7:] if path.startswith("file://") else path


def parquet(folder, name, schema, rows):
    """schema: (id, name, arrow type) each."""
    fields = [pa.field(n, t, metadata={"PARQUET:field_id": str(i)}) for i, n, t in schema]
    path = os.path.join(folder, name)
    pq.write_table(pa.table([pa.array([r[k] for r in rows], t) for k, (i, n, t) in enumerate(schema)], schema=pa.schema(fields)), path)
    return path


def created(fields, spec, version=2, *options):
    folder = new_folder()
    with open(os.path.join(folder, "schema.json"), "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": i, "name": n, "type": t, "required": False} for i, n, t in fields]}, f)
    t = os.path.join(folder, "t")
    must("create", t, "--schema", os.path.join(folder, "schema.json"), "--format-version", version, *(["--partition-by", spec] if spec else []), *options)
    return folder, t


def newest(table):
    folder = os.path.join(table, "metadata")
    with open(os.path.join(folder, "v%s.metadata.json" % open(os.path.join(folder, "version-hint.text")).read().strip())) as f:
        j = json.load(f)
    snapshot = next(s for s in j["snapshots"] if s["snapshot-id"] == j["current-snapshot-id"])
    return j, snapshot, read(bare(snapshot["manifest-list"]))


def written():
    for version in (1, 2, 3):
        folder, t = created(ROWS, "bucket(4, id)", version)
        files = [parquet(folder, "f%d.parquet" % n, [(1, "id", pa.int32()), (2, "s", pa.string())], [(v, "a")] * 3) for n, v in enumerate((3, 0, 1, 34, 1000))]
        ms = [os.path.join(t, "metadata", "x%d.avro" % n) for n in range(2)]
        must("write-manifest", "--table", t, "-o", ms[0], *files[:3])
        must("write-manifest", "--table", t, "-o", ms[1], *files[3:])
        before = [open(m, "rb").read() for m in ms]
        must("commit", t, *ms)
        meta, schema, lines = newest(t)[2]
        counts.check("H3 v%d manifest_length is the size" % version, [m for m in lines if m["manifest_length"] != os.path.getsize(bare(m["manifest_path"]))])
        for m in lines:
            header, schema, entries = read(bare(m["manifest_path"]))
            got = [e["data_file"]["partition"]["id_bucket"] for e in entries]
            s = m["partitions"][0]
            counts.equal("H2 v%d bounds are those of the partition values" % version, (s["lower_bound"].hex(), s["upper_bound"].hex(), s["contains_null"]), (i4(min(got)), i4(max(got)), False))
            names = [n["name"] for n in schema["fields"]]
            counts.equal("H8 v%d counts of entries and rows" % version, (m["added_files_count"], m["added_rows_count"], m["existing_files_count"], m["deleted_rows_count"]), (len(entries), 3 * len(entries), 0, 0))
            missing = [k for k in ["schema", "partition-spec", "partition-spec-id", "format-version"] + (["schema-id", "content"] if version > 1 else []) if k not in header]
            counts.check("H6 v%d header keys" % version, missing)
            counts.check("H7 v%d partition-spec is a bare list" % version, not isinstance(json.loads(header["partition-spec"]), list))
            counts.equal("H12 v%d codec" % version, header.get("avro.codec"), "deflate")
            counts.check("H6 v%d every field has an id" % version, lacking(schema))
            if version > 1:
                counts.check("H11 v%d sequence numbers are inherited" % version, [e for e in entries if e["sequence_number"] is not None or e["file_sequence_number"] is not None])
        if version > 1:
            counts.equal("H11 v%d commit takes the manifests as they are" % version, sorted(bare(m["manifest_path"]) for m in lines), ms)
            counts.equal("H11 v%d and leaves them so" % version, [open(m, "rb").read() for m in ms], before)
        list_names = {f["field-id"]: f["name"] for f in read(bare(newest(t)[1]["manifest-list"]))[1]["fields"]}
        counts.equal("H8 v%d names of the counts" % version, [list_names.get(i) for i in (504, 505, 506, 512, 513, 514)],
                     ["%s_%s_count" % (w, n) for n in ("files", "rows") for w in ("added", "existing", "deleted")])
    folder, t = created([(1, "d", "decimal(10,2)")], "d")
    import decimal
    for n, v in enumerate(("-1.00", "99999999.99", None)):
        must("append", t, parquet(folder, "d%d.parquet" % n, [(1, "d", pa.decimal128(10, 2))], [(None if v is None else decimal.Decimal(v),)]))
    got, types, sums = {}, set(), {}
    for m in newest(t)[2][2]:
        h, schema, entries = read(bare(m["manifest_path"]))
        p = next(f for f in schema["fields"] if f["name"] == "data_file")["type"]["fields"]
        types.add(json.dumps(next(f for f in p if f["name"] == "partition")["type"]["fields"][0]["type"][1].get("size")))
        for e in entries:
            v = e["data_file"]["partition"]["d"]
            got[os.path.basename(e["data_file"]["file_path"])] = v and v.hex()
            s = m["partitions"][0]
            sums[os.path.basename(e["data_file"]["file_path"])] = (s["contains_null"], s["lower_bound"] and s["lower_bound"].hex(), s["upper_bound"] and s["upper_bound"].hex())
    counts.equal("H5 decimals are sign-extended fixed[5]", (got, sorted(types)), ({"d0.parquet": "ffffffff9c", "d1.parquet": "02540be3ff", "d2.parquet": None}, ["5"]))
    counts.equal("H5 bounds of decimals are minimal; H10 nulls alone have none", sums, {"d0.parquet": (False, "9c", "9c"), "d1.parquet": (False, "02540be3ff", "02540be3ff"), "d2.parquet": (True, None, None)})
    names = ["ts.day", "9col", "815d\u2026", "my col", "ts-day", "\U0001f600", "ok"]
    folder, t = created([(n + 1, name, "int") for n, name in enumerate(names)], ", ".join('"%s"' % n for n in names))
    must("append", t, parquet(folder, "n.parquet", [(n + 1, name, pa.int32()) for n, name in enumerate(names)], [tuple(range(7))]))
    h, schema, entries = read(bare(newest(t)[2][2][0]["manifest_path"]))
    p = next(f for f in next(f for f in schema["fields"] if f["name"] == "data_file")["type"]["fields"] if f["name"] == "partition")["type"]["fields"]
    emoji = p[5]["name"]                # the official library escapes UTF-16 units; any legal name will do
    counts.equal("H4 Avro names", [f["name"] for f in p], ["ts_x2Eday", "_9col", "_815d_x2026", "my_x20col", "ts_x2Dday", emoji, "ok"])
    counts.check("H4 an emoji becomes a legal name", not (emoji.isascii() and emoji.isidentifier()) and emoji)
    counts.equal("H4 the real names and ids are kept", [(f.get("iceberg-field-name", f["name"]), f["field-id"]) for f in p], [(n, 1000 + i) for i, n in enumerate(names)])
    out = must("plan", t, "--where", '"ts.day" = 0 AND "my col" = 3 AND "\U0001f600" = 5', "--format", "paths")
    counts.equal("H4 a partition name that is no Avro name is planned with", len(out.split()), 1)


def lacking(schema):
    """Names of fields, elements and keys without ids; None if all have one."""
    out = []

    def walk(s):
        if isinstance(s, list):
            [walk(x) for x in s]
        elif isinstance(s, dict) and s.get("type") == "record":
            for f in s["fields"]:
                if "field-id" not in f:
                    out.append(f["name"])
                walk(f["type"])
        elif isinstance(s, dict) and s.get("type") == "array":
            if "element-id" not in s and s.get("logicalType") != "map":
                out.append(json.dumps(s["items"]))
            walk(s["items"])
        elif isinstance(s, dict) and isinstance(s.get("type"), dict):
            walk(s["type"])
    walk(schema)
    return out or None


def foreign():
    base = lambda version=2, **m: Table(ROWS, [[(1, 1000, "id", "identity")]], version, **m)
    entries = lambda: [file("a", [1], lower={2: tx("a")}, upper={2: tx("m")}), file("b", [2], lower={2: tx("")}, upper={2: tx("")})]
    sums = lambda: [summary(i4(1), i4(2))]
    both = {"id = 1": "a*", "id = 2 AND s = ''": "b", "id = 1 AND s = 'z'": "", "id = 3": ""}

    def all_of(name, t):
        for where, want in both.items():
            kept(name, t, where, want)

    for codec in ("null", "deflate", "snappy", "zstandard", "bzip2"):
        all_of("H12 a manifest of codec %s" % codec, base().add(entries(), partitions=sums(), codec=codec))
    for what, header in (("an object", {"partition-spec": json.dumps({"spec-id": 0, "fields": [{"source-id": 1, "field-id": 1000, "name": "id", "transform": "identity"}]})}),
                         ("absent", {"partition-spec": None, "partition-spec-id": None})):
        all_of("H7 partition-spec %s" % what, base().add(entries(), partitions=sums(), header=header))
    for key in ("schema", "schema-id", "content", "format-version"):
        all_of("H6 a header without %s" % key, base().add(entries(), partitions=sums(), header={key: None}))
    t = base()
    t.partition_fields = lambda spec: [field(1000, "id", opt("int"))]
    all_of("H6 a schema without ids", t.add(entries(), partitions=sums(), change=without_ids))
    t = base().add(entries(), partitions=sums(), change=without_ids)    # the field's name is p0
    t.write()
    refused("H6 a partition tuple without the spec's field is no null", ["m0.avro", "1000 id"], "plan", t.path, "--where", "id = 1")
    t = Table(ROWS, version=3).add([file("f")])
    t.add([file("d", content=2, equality_ids=[1])], content=1, line={"sequence_number": 5, "min_sequence_number": 5}, header={"content": None})
    deletes("H6 a delete manifest without content", t, {"f": "d"})
    t = Table(ROWS).add([file("f")]).add([file("d", content=1)], content=0, header={"content": "deletes"})
    a = t.answer("")
    counts.check("H6 the list says data, the manifest deletes", "error" not in a and any(x["path"] == "d" for x in a["files"]) and "a delete file is planned as data: %s" % short(a))
    t = Table(ROWS).add([file("f")]).add([file("d")], content=1, header={"content": "data"})
    a = t.answer("")
    counts.check("H6 the list says deletes, the manifest data", "error" not in a and not any(x["path"] == "d" for x in a["files"]) and short(a))
    t = base().add([file("a", [1], status=0, seq=None)], partitions=sums())
    a = t.answer("")
    counts.check("H9 an existing entry without sequence number is refused or kept", "error" in a and "sequence" not in a["message"] and str(a))
    # I
    t = base().add([file("a", [1], snapshot=1)], partitions=sums(), version=1, line={"sequence_number": 0, "min_sequence_number": 0})
    t.add([file("b", [2])], partitions=sums())
    kept("I3 a v1 manifest in a v2 list", t, "id = 1", "a*")
    kept("I3 a v1 manifest in a v2 list", t, "", "a* b*")
    for version in (2, 3):
        t = base(version).add([file("a", [1], snapshot=1), file("b", [2], snapshot=1)], partitions=sums(), version=1)
        t.write()
        t.avro("list.avro", list_schema(1), t.lists, {"format-version": "1"})
        kept("I3 a v1 list in a v%d table" % version, t, "id = 2", "b*")
        t.avro("list.avro", without_ids(list_schema(1)), t.lists, {})
        kept("I3 a v1 list without ids or header in a v%d table" % version, t, "id = 2", "b*")
    for status, kind in ((1, "added"), (0, "existing")):
        line = {"%s_%s_count" % (w, n): None for w in ("added", "existing", "deleted") for n in ("files", "rows")}
        t = base(1).add([file("a", [1], status=status, snapshot=1)], partitions=sums(), line=line)
        kept("I4 a v1 list without counts, %s" % kind, t, "id = 1", "a*")
        t.write()
        for view in ("manifests", "files"):
            counts.equal("I4 inspect %s of a v1 list without counts, %s" % (view, kind), len(json.loads(must("inspect", view, t.path, "--format", "json"))), 1)

    t = base()
    t.partition_fields = lambda spec: [field(1000, "_815d_x2026_day", opt("int"), **{"iceberg-field-name": "815d\u2026_day"})]
    all_of("I5 a partition field under another name", t.add(entries(), partitions=sums()))
    for source, avro, value, where in (
            ("decimal(10,2)", "bytes", b"\x9c", "x = -1"), ("decimal(10,2)", {"type": "fixed", "name": "d", "size": 16}, b"\xff" * 15 + b"\x9c", "x = -1.00"), ("date", "int", 19000, "x = DATE '2022-01-08'"),
            ("long", "int", 7, "x = 7"), ("int", "long", 7, "x = 7"), ("double", "float", 1.5, "x = 1.5"), ("string", "bytes", b"k", "x = 'k'"), ("binary", "string", "k", "x = X'6B'"),
            ("uuid", {"type": "fixed", "name": "u", "size": 16}, bytes(16), "x = UUID '00000000-0000-0000-0000-000000000000'"), ("timestamptz", "long", 5, "x = '1970-01-01T00:00:00.000005Z'")):
        t = Table([(1, "x", source)], [[(1, 1000, "x", "identity")]])
        t.partition_fields = lambda spec: [field(1000, "x", opt(avro))]
        kept("H5 I5 a %s partition value as %s" % (source, avro if isinstance(avro, str) else avro["type"]), t.add([file("f", [value])]), where, "f*")
        kept("H5 I5 a %s partition value as %s" % (source, avro if isinstance(avro, str) else avro["type"]), t, where.replace("=", "<>"), "")
    t = base().add(entries(), partitions=sums())
    t.write()
    s = list_schema(2)
    for f in s["fields"]:
        if f["name"].endswith("files_count"):
            f["name"] = f["name"].replace("_files_", "_data_files_")
    t.avro("list.avro", s, [{k.replace("_files_", "_data_files_"): v for k, v in m.items()} for m in t.lists], {})
    all_of("I5 old names of the counts", t)
    t = Table(ROWS, [[(1, 1000, "id", "identity")], [(2, 1000, "s", "identity")]], 1)
    t.add([file("one", [1], snapshot=1), file("two", [2], snapshot=1)], spec=0, partitions=sums()).add([file("x", ["x"], snapshot=1), file("y", ["y"], snapshot=1)], spec=1, partitions=[summary(tx("x"), tx("y"))])
    kept("I6 one id for two fields of two v1 specs", t, "id = 2", "two* x y")
    kept("I6 one id for two fields of two v1 specs", t, "s = 'y'", "one two y*")
    t.write()
    for view in ("partitions", "files", "entries"):
        s, out, err = lakectl("inspect", view, t.path, "--format", "json")
        counts.check("I6 inspect %s" % view, s and err)
    kept("I7 an empty bound admits ''", Table(ROWS).add([file("e", lower={2: ""}, upper={2: ""})]), "s = ''", "e")
    kept("I7 an empty bound admits nothing else", Table(ROWS).add([file("e", lower={2: ""}, upper={2: ""})]), "s = 'a'", "")
    t = Table(ROWS)
    t.write()
    kept("I8 a list without blocks", t, "id = 1", "")
    s, out, err = lakectl("inspect", "manifests", t.path, "--format", "json")
    counts.equal("I8 inspect a list without blocks", (s, out.strip()), (0, "[]"))
    t = Table(ROWS).add([])
    t.add([file("f")])
    t.lists[0]["added_files_count"] = 1
    kept("I8 a manifest without entries that the list counts", t, "", "f*")
    t = base()
    path = t.manifest("m0.avro", [file("f%03d" % n, [n], lower={2: tx("a")}, upper={2: tx("b")}) for n in range(100)])
    meta, schema, rows = read(path)
    t.add([file("f%03d" % n, [n]) for n in range(100)], partitions=[summary(i4(0), i4(99))])
    t.avro("m0.avro", schema, rows, {k: v for k, v in meta.items() if not k.startswith("avro.")}, sync_interval=1)
    t.lists[0]["manifest_length"] = os.path.getsize(path)
    kept("I12 an Avro block for each entry", t, "id >= 98", "f098* f099*")
    all_of("I10 maps without their logical type", base().add(entries(), partitions=sums(), logical=False))
    def less(name):
        def change(schema):
            s = json.loads(json.dumps(schema))
            d = s["fields"][-1]["type"]
            d["fields"] = [f for f in d["fields"] if f["name"] != name]
            return s
        return change

    t = base().add(entries(), partitions=sums(), change=less("file_path"))
    t.write()
    refused("N9 I9 a manifest without file_path", ["m0.avro", "100 file_path"], "plan", t.path)
    t = base().add(entries(), partitions=sums(), change=less("partition"))
    t.write()
    refused("N9 I9 a manifest without partition", ["m0.avro", "102 partition"], "plan", t.path)
    all_of("A7 a manifest without record_count", base().add(entries(), partitions=sums(), change=less("record_count")))

    def nullable(schema):
        s = json.loads(json.dumps(schema))
        next(f for f in s["fields"][-1]["type"]["fields"] if f["name"] == "file_path")["type"] = ["null", "string"]
        return s

    t = base().add([file(None, [1])], partitions=sums(), change=nullable)
    t.write()
    refused("I9 a null file_path", ["m0.avro", "file_path"], "plan", t.path)
    s = list_schema(2)
    s["fields"] = [f for f in s["fields"] if f["field-id"] != 500]
    t = base().add(entries(), partitions=sums())
    t.write()
    t.avro("list.avro", s, t.lists, {})
    refused("N9 a list without manifest_path", ["list.avro", "500"], "plan", t.path)


def metadata():
    big = 9007199254740993
    for id in (big, 5184430069070270604, 9223372036854775807):
        t = Table(ROWS).add([file("f", snapshot=id)], line={"added_snapshot_id": id})
        j = t.metadata()
        j["current-snapshot-id"] = j["snapshots"][0]["snapshot-id"] = j["refs"]["main"]["snapshot-id"] = id
        j["snapshot-log"] = [{"timestamp-ms": 1700000000000, "snapshot-id": id}]
        t.metadata = lambda j=j: j
        t.write()
        got = [json.loads(must("inspect", v, t.path, "--format", "json"), parse_float=str)[0]["snapshot_id"] for v in ("snapshots", "refs", "history", "entries")]
        counts.equal("J1 snapshot id %d" % id, got, [id] * 4)
        counts.check("J1 plan by id %d" % id, str(id) not in must("plan", t.path, "--snapshot", id, "--format", "json"))
    for what, value in (("-1", -1), ("null", None)):
        t = Table(ROWS, **{"current-snapshot-id": value, "refs": {}, "snapshots": []})
        kept("J2 current-snapshot-id %s" % what, t, "id = 1", "")
    for version in (1, 2, 3):
        folder, t = created(ROWS, None, version)
        j = json.load(open(os.path.join(t, "metadata", "v1.metadata.json")))
        counts.check("J2 v%d: a new table has no snapshot id of -1" % version, version > 2 and j.get("current-snapshot-id") == -1)
        if version == 1:
            counts.check("J3 v1 has both forms", [k for k in ("schema", "schemas", "current-schema-id", "partition-spec", "partition-specs", "default-spec-id") if k not in j])
            counts.equal("J3 v1 without partitions", j.get("partition-spec"), [])
    t = Table(ROWS).add([file("f")])
    t.write()
    raw = open(t.path, "rb").read()
    os.remove(t.path)
    for name in ("v3.gz.metadata.json", "v3.metadata.json.gz", "v3.gzip.metadata.json", "v3.metadata.json"):
        with open(t.local(name), "wb") as f:
            f.write(gzip.compress(raw))
        for place in (t.local(name), t.folder):
            s, out, err = lakectl("plan", place, "--format", "paths")
            counts.equal("J5 gzip in %s, by %s" % (name, "file" if place != t.folder else "table"), out.split() or err, ["f"])
        os.remove(t.local(name))
    folder, t = created(ROWS, None, 2, "--property", "write.metadata.compression-codec=gzip")
    made = [n for n in os.listdir(os.path.join(t, "metadata")) if "metadata.json" in n]
    counts.check("J5 gzip is written as .gz.metadata.json", [n for n in made if open(os.path.join(t, "metadata", n), "rb").read(2) == b"\x1f\x8b" and not n.endswith(".gz.metadata.json")])
    folder = new_folder()
    with open(os.path.join(folder, "s.json"), "w") as f:
        json.dump(Table(ROWS).schema, f)
    must("create", os.path.join(folder, "t/"), "--schema", os.path.join(folder, "s.json"), "--location", "s3://b/db/t/", "--map", "s3://b/db/t=" + os.path.join(folder, "t"))
    j = json.load(open(os.path.join(folder, "t", "metadata", "v1.metadata.json")))
    counts.equal("J7 the slash at the end of a location goes when written", j["location"], "s3://b/db/t")
    t = Table(ROWS, location="s3://b/db/t/").add([file("s3://b/db/t//data/x y%20z+w%2Fq.parquet"), file("s3://b/db/t/data/p=x%3Ay/f.parquet")])
    want = ["s3://b/db/t//data/x y%20z+w%2Fq.parquet", "s3://b/db/t/data/p=x%3Ay/f.parquet"]
    t.write()
    counts.equal("J7 J8 recorded paths are literal", sorted(must("plan", t.path, "--format", "paths").strip().split("\n")), want)
    out = json.loads(must("plan", t.path, "--format", "json"))
    counts.equal("J8 in JSON, too", sorted(x["data-file"]["file-path"] for x in out["file-scan-tasks"]), want)
    folder, t = created(ROWS, None)
    odd = os.path.join(folder, "a b%20c+d%2Fe")
    os.mkdir(odd)
    f = parquet(odd, "p=x%3Ay z.parquet", [(1, "id", pa.int32()), (2, "s", pa.string())], [(1, "a")])
    must("append", t, f)
    counts.equal("J8 odd paths come back as they went in", [bare(p) for p in must("plan", t, "--format", "paths").strip().split("\n")], [f])
    moved = os.path.join(new_folder(), "m %41")
    os.rename(t, moved)
    for option in (["--map", "%s=%s" % (t, moved)], ["--map", "file://%s=%s" % (t, moved)]):
        s, out, err = lakectl("plan", moved, *option, "--format", "paths")
        counts.equal("J9 a moved table with %s" % option[1].split("=")[0][:7], [bare(p) for p in out.strip().split("\n")] if not s else err, [f])
    s, out, err = lakectl("plan", moved, "--format", "paths")
    counts.check("J9 without a map the missing file is named", s != 3 or t not in err)


def looking():
    t = Table([(1, "x", "int"), (2, "p", "string")], [[(2, 1000, "p", "identity")]])
    t.add([file("a", ["k"], lower={1: i4(1)}, upper={1: i4(3)}), file("b", ["k"], lower={1: i4(7)}, upper={1: i4(9)}), file("gone", ["k"], status=2, seq=1, lower={1: i4(7)}, upper={1: i4(9)})],
          partitions=[summary(tx("k"), tx("k"))])
    t.add([file("c", ["z"])], partitions=[summary(tx("z"), tx("z"))])
    t.add([file("d", ["z"], content=2, equality_ids=[1])], content=1, partitions=[summary(tx("z"), tx("z"))])
    t.write()
    m = json.loads(must("plan", t.path, "--where", "p = 'k' AND x < 5", "--format", "json"))["scan-report"]["metrics"]
    got = {k: m[k]["value"] for k in ("scanned-data-manifests", "skipped-data-manifests", "scanned-delete-manifests", "skipped-delete-manifests", "result-data-files",
                                      "skipped-data-files", "total-data-manifests", "total-delete-manifests")}
    counts.equal("N1 counters; deleted entries are not skipped files", list(got.values()), [1, 1, 0, 1, 1, 1, 2, 1])
    e = json.loads(must("plan", t.path, "--where", "p = 'k' AND x < 5 AND f(x) = 1", "--format", "json", "--explain"))
    counts.equal("N3 what is not used is named", e["explain"]["unused"][0]["reason"], "opaque function")
    counts.check("N4 the residual of each file", "f(x)" not in e["file-scan-tasks"][0]["residual-sql"])
    odd = Table([(1, "x", "long"), (2, "s", "string"), (3, "d", "decimal(9,2)"), (4, "u", "uuid"), (5, "b", "boolean")], [[(1, 1000, "x", "identity")]])
    odd.add([file("f", [1], lower={1: "0102030405", 2: "ff80", 3: "00" * 20, 4: "01", 5: "", 99: "0102"}, upper={1: i4(7), 2: "ed9fbf", 3: "", 4: "ff" * 16, 5: "07", 99: ""})],
            partitions=[summary("0102030405", i4(7))])
    odd.write()
    for view in ("files", "entries", "manifests", "partitions"):
        for form in ("json", "text"):
            s, out, err = lakectl("inspect", view, odd.path, "--format", form)
            counts.check("N5 inspect %s as %s with odd bounds" % (view, form), s and err)
    shown = must("inspect", "files", odd.path, "--format", "json")
    counts.check("N5 odd bounds are shown in hex", "0102030405" not in shown and short(shown))
    for where in ("x = 1", "s = 'a'", "d = 1", "u IS NOT NULL", "b = TRUE"):
        kept("N5 odd bounds do not prune", odd, where, "f*" if where[0] == "x" else "f")
    most = 2 ** 63 - 1
    huge = Table(ROWS).add([file(n, records=2 ** 62, file_size_in_bytes=2 ** 62) for n in "abc"], line={"added_rows_count": most, "existing_rows_count": most})
    a = huge.answer("")
    counts.equal("I9 sums of huge counts stop at the top", a.get("counts") and (a["counts"]["kept_rows"], a["counts"]["kept_bytes"], a["counts"]["total_rows"]), (most, most, -1))
    os.remove(t.local("m0.avro"))
    refused("N8 a missing manifest is named", ["m0.avro"], "plan", t.path, status=3)
    os.remove(t.local("list.avro"))
    refused("N8 a missing list is named, and its snapshot", ["list.avro", "snapshot 1"], "plan", t.path, status=3)


def run():
    for part in (written, foreign, metadata, looking):
        try:
            part()
        except LakectlFailed as e:
            counts.fail(part.__name__, str(e))
