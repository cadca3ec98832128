"""Small tables for the trap tests, written with fastavro (not with lakectl): any entry, summary, list line or metadata member can be
as odd as the trap needs. Table(...).add([file(...)]).plan(where) asks plan_cases and gives {file name: answer}."""
import json, os, shutil, struct, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *
import fastavro

PRIMITIVES = {"boolean": "boolean", "int": "int", "long": "long", "float": "float", "double": "double", "string": "string",
              "binary": "bytes", "date": {"type": "int", "logicalType": "date"}, "time": {"type": "long", "logicalType": "time-micros"},
              "timestamp": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": False},
              "timestamptz": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True},
              "uuid": {"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"}}
MAPS = {"column_sizes": (108, 117, "long"), "value_counts": (109, 119, "long"), "null_value_counts": (110, 121, "long"),
        "nan_value_counts": (137, 138, "long"), "lower_bounds": (125, 126, "bytes"), "upper_bounds": (128, 129, "bytes")}
fastavro.write.LOGICAL_WRITERS.clear()          # raw Avro values
fastavro.read.LOGICAL_READERS.clear()
WORK = tempfile.mkdtemp(prefix="lake-traps.")
counts = Counts(100)
i4 = lambda v: struct.pack("<i", v).hex()
i8 = lambda v: struct.pack("<q", v).hex()
f4 = lambda v: struct.pack("<f", v).hex()
f8 = lambda v: struct.pack("<d", v).hex()
tx = lambda v: v.encode().hex()
NAN = float("nan")


def new_folder():
    return tempfile.mkdtemp(dir=WORK)


def opt(t):
    return ["null", t]


def field(id, name, t, **more):
    return dict({"name": name, "type": t, "field-id": id}, **({"default": None} if isinstance(t, list) else {}), **more)


def without_ids(schema):
    """The schema with all field, element, key and value ids left out."""
    if isinstance(schema, list):
        return [without_ids(s) for s in schema]
    if isinstance(schema, dict):
        return {k: without_ids(v) for k, v in schema.items() if k not in ("field-id", "element-id", "key-id", "value-id")}
    return schema


def avro_type(transform, source):
    if transform in ("year", "month", "hour") or transform.startswith("bucket"):
        return "int"
    if transform == "day":
        return PRIMITIVES["date"]
    if transform.startswith("zorder") or source is None:
        return "string"
    if source.startswith("decimal"):
        p, s = map(int, source[8:-1].split(","))
        n = next(n for n in range(1, 17) if 2 ** (8 * n - 1) > 10 ** p)
        return {"type": "fixed", "size": n, "name": "decimal_%d_%d" % (p, s), "logicalType": "decimal", "precision": p, "scale": s}
    return PRIMITIVES[source]


def pairs(name, logical=True):
    id, key, value = MAPS[name]
    t = {"type": "array", "items": {"type": "record", "name": "k%d_v%d" % (key, key + 1), "fields": [
        {"name": "key", "type": "int", "field-id": key}, {"name": "value", "type": value, "field-id": key + 1}]}}
    return field(id, name, opt(dict(t, logicalType="map") if logical else t))


def entry_schema(version, partition, logical=True):
    f = [field(134, "content", "int")] if version > 1 else []
    f += [field(100, "file_path", "string"), field(101, "file_format", "string"),
          field(102, "partition", {"type": "record", "name": "r102", "fields": partition}), field(103, "record_count", "long"),
          field(104, "file_size_in_bytes", "long")] + ([field(105, "block_size_in_bytes", "long")] if version == 1 else [])
    f += [pairs(n, logical) for n in MAPS]
    f += [field(131, "key_metadata", opt("bytes")), field(132, "split_offsets", opt({"type": "array", "items": "long", "element-id": 133}))]
    if version > 1:
        f += [field(135, "equality_ids", opt({"type": "array", "items": "int", "element-id": 136}))]
    f += [field(140, "sort_order_id", opt("int"))] + ([field(142, "first_row_id", opt("long"))] if version > 2 else [])
    if version > 1:
        f += [field(143, "referenced_data_file", opt("string"))]
    if version > 2:
        f += [field(144, "content_offset", opt("long")), field(145, "content_size_in_bytes", opt("long"))]
    e = [field(0, "status", "int"), field(1, "snapshot_id", opt("long") if version > 1 else "long")]
    if version > 1:
        e += [field(3, "sequence_number", opt("long")), field(4, "file_sequence_number", opt("long"))]
    return {"type": "record", "name": "manifest_entry",
            "fields": e + [field(2, "data_file", {"type": "record", "name": "r2", "fields": f})]}


SUMMARY = {"type": "record", "name": "r508", "fields": [field(509, "contains_null", "boolean"), field(518, "contains_nan", opt("boolean")),
                                                        field(510, "lower_bound", opt("bytes")), field(511, "upper_bound", opt("bytes"))]}


def list_schema(version):
    f = [field(500, "manifest_path", "string"), field(501, "manifest_length", "long"), field(502, "partition_spec_id", "int")]
    if version > 1:
        f += [field(517, "content", "int"), field(515, "sequence_number", "long"), field(516, "min_sequence_number", "long")]
    f += [field(503, "added_snapshot_id", "long")]
    for n, t in (("files", "int"), ("rows", "long")):
        f += [field(id, "%s_%s_count" % (w, n), opt(t) if version == 1 else t)
              for id, w in zip((504, 505, 506) if n == "files" else (512, 513, 514), ("added", "existing", "deleted"))]
    f += [field(507, "partitions", opt({"type": "array", "items": SUMMARY, "element-id": 508})), field(519, "key_metadata", opt("bytes"))]
    return {"type": "record", "name": "manifest_file", "fields": f + ([field(520, "first_row_id", opt("long"))] if version > 2 else [])}


def summary(lower=None, upper=None, null=False, nan=None):
    raw = lambda h: None if h is None else bytes.fromhex(h)
    return {"contains_null": null, "contains_nan": nan, "lower_bound": raw(lower), "upper_bound": raw(upper)}


def file(name, part=(), records=10, nulls=None, values=None, nans=None, lower=None, upper=None, status=1, seq=None, fseq=None,
         snapshot=None, **more):
    """An entry; bounds as {id: hex}, counts as {id: n}; `more`: further members of data_file."""
    m = lambda d: None if d is None else [{"key": k, "value": bytes.fromhex(v) if isinstance(v, str) else v} for k, v in d.items()]
    d = {"content": 0, "file_path": name, "file_format": "PARQUET", "partition": list(part), "record_count": records,
         "file_size_in_bytes": 1000, "block_size_in_bytes": 0, "value_counts": m(values), "null_value_counts": m(nulls),
         "nan_value_counts": m(nans), "lower_bounds": m(lower), "upper_bounds": m(upper)}
    return {"status": status, "snapshot_id": snapshot, "sequence_number": seq, "file_sequence_number": seq if fseq is None else fseq,
            "data_file": dict(d, **more)}


class Table:
    def __init__(self, fields, specs=((),), version=2, **metadata):
        """fields: (id, name, type) each; specs: (source id, field id, name, transform) each; metadata: other members to set."""
        self.folder, self.version, self.lists, self.serial, self.more = new_folder(), version, [], 0, metadata
        self.types = {f[0]: f[2] for f in fields}
        self.schema = {"type": "struct", "schema-id": 0, "fields": [{"id": f[0], "name": f[1], "type": f[2], "required": False} for f in fields]}
        self.specs = [[dict(zip(("source-id", "field-id", "name", "transform"), f)) for f in s] for s in specs]
        self.path, self.engine = None, None

    def local(self, name):
        return os.path.join(self.folder, "metadata", name)

    def partition_fields(self, spec):
        out = []
        for n, f in enumerate(self.specs[spec]):
            t = self.types.get(f["source-id"])
            out.append(field(f["field-id"], "p%d" % n, opt(avro_type(f["transform"], t if isinstance(t, str) else None))))
        return out

    def manifest(self, name, entries, spec=0, content=0, version=None, change=None, header=None, codec="deflate", drop=(), **options):
        """Writes one manifest. change(schema): the schema to use; header: members to set or, with None, to leave out."""
        version = version or self.version
        part = self.partition_fields(spec)
        schema = entry_schema(version, part, **options)
        schema = change(schema) if change else schema
        meta = {"schema": json.dumps(self.schema), "schema-id": "0", "partition-spec": json.dumps(self.specs[spec]),
                "partition-spec-id": str(spec), "format-version": str(version)}
        if version > 1:
            meta["content"] = "deletes" if content else "data"
        meta.update(header or {})
        rows = []
        for e in entries:
            e = dict(e, data_file=dict(e["data_file"], partition={f["name"]: v for f, v in zip(part, e["data_file"]["partition"])}))
            if version == 1 and e["snapshot_id"] is None:
                e["snapshot_id"] = 1
            rows.append({k: v for k, v in e.items() if k not in drop})
        return self.avro(name, schema, rows, {k: v for k, v in meta.items() if v is not None}, codec)

    def avro(self, name, schema, rows, meta, codec="deflate", **options):
        os.makedirs(os.path.join(self.folder, "metadata"), exist_ok=True)
        with open(self.local(name), "wb") as f:
            fastavro.writer(f, fastavro.parse_schema(schema), rows, codec=codec, metadata=meta, **options)
        return self.local(name)

    def add(self, entries, spec=0, content=0, partitions=None, line=None, **options):
        """A manifest and its line in the list. partitions: summaries; line: members of the line to set."""
        path = self.manifest("m%d.avro" % len(self.lists), entries, spec, content, **options)
        n = lambda s: sum(1 for e in entries if e["status"] == s)
        r = lambda s: sum(max(0, e["data_file"]["record_count"]) for e in entries if e["status"] == s)
        self.lists.append(dict({
            "manifest_path": path, "manifest_length": os.path.getsize(path), "partition_spec_id": spec, "content": content, "sequence_number": 1,
            "min_sequence_number": 1, "added_snapshot_id": 1, "added_files_count": n(1), "existing_files_count": n(0),
            "deleted_files_count": n(2), "added_rows_count": r(1), "existing_rows_count": r(0), "deleted_rows_count": r(2),
            "partitions": partitions}, **(line or {})))
        return self

    def metadata(self):
        list_path = self.avro("list.avro", list_schema(self.version), self.lists, {"format-version": str(self.version)})
        snapshot = {"snapshot-id": 1, "timestamp-ms": 1700000000000, "manifest-list": list_path, "schema-id": 0,
                    "summary": {"operation": "append"}}
        j = {"format-version": self.version, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": self.folder,
             "last-updated-ms": 1700000000000, "last-column-id": 1000, "schemas": [self.schema], "current-schema-id": 0,
             "partition-specs": [{"spec-id": n, "fields": s} for n, s in enumerate(self.specs)], "default-spec-id": len(self.specs) - 1,
             "last-partition-id": 1999, "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0, "properties": {},
             "current-snapshot-id": 1, "snapshots": [snapshot], "refs": {"main": {"snapshot-id": 1, "type": "branch"}}}
        if self.version > 1:
            j["last-sequence-number"] = snapshot["sequence-number"] = 9
        else:
            j.update({"schema": self.schema, "partition-spec": self.specs[-1]})
        if self.version > 2:
            j["next-row-id"] = snapshot["first-row-id"] = 0
            snapshot["added-rows"] = 0
        return dict(j, **self.more)

    def write(self, name="v1.metadata.json"):
        j = self.metadata()
        with open(self.local(name), "w") as f:
            json.dump({k: v for k, v in j.items() if v is not None}, f)
        self.path = self.local(name)
        return self.path

    def answer(self, where, form="where", **more):
        if not self.path:
            self.write()
        return ENGINE.ask(dict({"name": "trap", "metadata": self.path, "form": form, "predicate": where}, **more))

    def plan(self, where, form="where", **more):
        """{file path: answer}; an error stops."""
        a = self.answer(where, form, **more)
        if "error" in a:
            raise LakectlFailed("%s: %s: %s" % (where, a["error"], a["message"]))
        return {t["path"]: t for t in a["files"]}


ENGINE = Engine([])


def kept(name, table, where, want, form="where", **more):
    """want: text like `a b* c`: the files kept, in any order; * for "all rows match"."""
    try:
        got = table.plan(where, form, **more)
        text = " ".join(sorted(p + ("*" if t["match"] == "all" else "") for p, t in got.items()))
        counts.equal("%s: %s" % (name, where), text, " ".join(sorted(want.split())))
    except LakectlFailed as e:
        counts.fail("%s: %s" % (name, where), str(e))


def scanned(name, table, where, want, **more):
    """want: how many data manifests are opened."""
    a = table.answer(where, **more)
    counts.equal("%s: %s" % (name, where), a.get("counts", {}).get("scanned", a), want)


def deletes(name, table, want, where=""):
    """want: {data file: delete files as text}."""
    try:
        got = {p: " ".join(sorted(t["deletes"])) for p, t in table.plan(where).items()}
        counts.equal(name, got, {k: " ".join(sorted(v.split())) for k, v in want.items()})
    except LakectlFailed as e:
        counts.fail(name, str(e))


def refused(name, words, *args, status=4):
    """lakectl must fail with this exit status in one line that has all the words."""
    s, out, err = lakectl(*args)
    lines = err.strip().split("\n")
    missing = [w for w in words if w not in err]
    counts.check(name, (s != status or len(lines) != 1 or missing) and "exit status %d, lacks %s: %s" % (s, missing, short(err or out)))


def clean():
    ENGINE.close()
    shutil.rmtree(WORK, ignore_errors=True)
