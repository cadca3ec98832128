#!/usr/bin/env python3
"""Tables that lakectl wrote, read by others: the official Java library, PyIceberg, DuckDB's iceberg extension and fastavro.

  interop.py [--keep DIR] [NAME...]      NAME: only tables whose name contains it

Parquet files are made by PyArrow from values that this program draws; lakectl creates, appends, writes manifests and commits; then rows,
bounds, counts, partition values, summaries and sequence numbers that each reader gives are compared with what icevalues.py works out of the
rows by brute force. Versions 1 to 3; unpartitioned, and partitioned by each transform."""
import glob, io, json, math, os, random, shutil, struct, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)
from support import *
from icevalues import *
import pyarrow.parquet as pq

PRIMITIVES = ["boolean", "int", "long", "float", "double", "decimal(9, 2)", "decimal(18, 4)", "decimal(38, 10)", "date", "time",
              "timestamp", "timestamptz", "string", "uuid", "fixed[5]", "binary"]
LONG = "northnorthnorthnorth"


# ---------------------------------------------------------------- values
def draw(r, t):
    if t == "boolean":
        return r.random() < 0.5
    if t in ("int", "long"):
        return r.choice([r.randint(-1000, 1000), r.randint(-2**31, 2**31 - 1)])
    if t in ("float", "double"):
        return struct.unpack("<f", struct.pack("<f", r.uniform(-1000, 1000)))[0]
    if t.startswith("decimal"):
        return r.randint(-10**r.randint(1, decimal_of(t)[0]) + 1, 10**r.randint(1, decimal_of(t)[0]) - 1)
    if t == "date":
        return r.randint(-3000, 22000)
    if t == "time":
        return r.randrange(86400 * 10**6)
    if t in PER_DAY:
        return r.randint(-3000, 20000) * PER_DAY[t] + r.randrange(PER_DAY[t])
    if t == "string":
        return r.choice(["", "a", "zebra", "été", "日本語テキスト", "😀 smile", LONG, "\U0010ffff" * 17]) + str(r.randrange(100))
    n = 16 if t == "uuid" else int(t[6:-1]) if t.startswith("fixed") else r.randrange(24)
    return bytes(r.choice([0, 255, r.randrange(256)]) for _ in range(n))


EXTREMES = {
    "boolean": [False, True], "int": [-2**31, 2**31 - 1], "long": [-2**63, 2**63 - 1],
    "float": [math.nan, -0.0, 0.0, -math.inf, math.inf, 3.4028234663852886e38, 1.401298464324817e-45],
    "double": [math.nan, -0.0, 0.0, -math.inf, math.inf, 1.7976931348623157e308, 5e-324],
    "date": [-719162, 2932896, -1, 0], "time": [0, 86399999999], "timestamp": [-62135596800000000, 253402300799999999, -1, 0],
    "timestamptz": [-62135596800000000, 253402300799999999, -1, 0], "timestamp_ns": [-2**62, 2**62, -1, 0],
    "timestamptz_ns": [-2**62, 2**62, -1, 0],
    "string": ["", "\x7f", "\U0010ffff" * 20, "\ud7ff" * 17, "\uffff" * 17, "a" * 16, "a" * 17, "Z", "ä"],
    "uuid": [bytes(16), b"\xff" * 16, b"\x80" + bytes(15), b"\x7f" + b"\xff" * 15], "fixed[5]": [bytes(5), b"\xff" * 5],
    "binary": [b"", b"\xff" * 16, b"\xff" * 17, b"\1" + b"\xff" * 20, bytes(20)],
}


def extremes(t):
    if t.startswith("decimal"):
        top = 10**decimal_of(t)[0] - 1
        return [-top, top, 0, -1, 127, 128, -128, -129]
    return EXTREMES[t]


class Table:
    """A table to be: fields, partition fields (source name, transform) and files of rows; then what lakectl made of it."""

    def __init__(self, name, version, fields, spec, files, **options):
        self.name, self.version, self.fields, self.spec, self.options = name, version, fields, spec, options
        self.files = files                     # [[rows of a file]...]
        self.folder, self.paths, self.rows = None, [], {}

    def partition_text(self):
        how = {"identity": "%s", "bucket": "bucket(%s, %s)", "truncate": "truncate(%s, %s)"}
        out = []
        for source, tr in self.spec:
            name, _, n = tr.rstrip("]").partition("[")
            out.append(source if name == "identity" else how[name] % (n, source) if n else "%ss(%s)" % (name, source))
        return ", ".join(out)

    def make(self, folder):
        self.folder = os.path.join(folder, self.name)
        os.makedirs(self.folder + ".in")
        for n, rows in enumerate(self.files):
            p = os.path.join(self.folder + ".in", "f%02d.parquet" % n)
            pq.write_table(to_table(self.fields, rows), p, compression=["snappy", "zstd", "gzip", "none"][n % 4],
                           data_page_version=["1.0", "2.0"][n % 2], use_dictionary=n % 3 != 0, store_schema=False, row_group_size=7)
            self.paths.append(p)
            self.rows[p] = rows
        schema = self.folder + ".schema.json"
        with open(schema, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": self.fields}, f)
        args = ["create", self.folder, "--schema", schema, "--format-version", self.version]
        args += ["--partition-by", self.partition_text()] if self.spec else []
        for k, v in self.options.get("properties", {}).items():
            args += ["--property", "%s=%s" % (k, v)]
        must(*args)
        half = len(self.paths) // 2
        self.first, self.second = self.paths[:half], self.paths[half:]
        must("append", self.folder, *self.first)
        manifest = os.path.join(self.folder, "metadata", "ready-m0.avro")
        said = [json.loads(x) for x in must("write-manifest", "--table", self.folder, "-o", manifest, *self.second).splitlines()]
        if [m["manifest_path"] for m in said] != [manifest] or said[0]["manifest_length"] != os.path.getsize(manifest):
            raise LakectlFailed("write-manifest says %s" % short(said))
        must("commit", self.folder, manifest)
        with open(os.path.join(self.folder, "metadata", "version-hint.text")) as f:
            self.metadata = os.path.join(self.folder, "metadata", "v%s.metadata.json" % f.read().strip())
        with open(self.metadata) as f:
            self.json = json.load(f)
        self.snapshot = next(s for s in self.json["snapshots"] if s["snapshot-id"] == self.json["current-snapshot-id"])

    def partition_types(self):
        source = {f["name"]: f["type"] for f in self.fields}
        return [(source[s], tr, result_type(tr, source[s])) for s, tr in self.spec]

    def expected(self, path):
        """What an entry must say, by brute force."""
        rows, md = self.rows[path], pq.read_metadata(path)
        sizes, offsets = {}, []
        for g in range(md.num_row_groups):
            rg = md.row_group(g)
            starts = []
            for c in range(rg.num_columns):
                col = rg.column(c)
                starts += [x for x in (col.dictionary_page_offset if col.has_dictionary_page else None, col.data_page_offset) if x]
                sizes[c] = sizes.get(c, 0) + col.total_compressed_size
            offsets += [min(starts)] if starts else []
        e = {"records": len(rows), "size": os.path.getsize(path), "offsets": offsets, "sizes": {}, "columns": {}}
        for n, (f, vals, inside) in enumerate(leaves(self.fields, rows)):
            if n in sizes:
                e["sizes"][f["id"]] = sizes[n]
            if not inside:
                e["columns"][f["id"]] = statistics(f["type"], vals)
        tuples = {repr(seal([apply(tr, t, r[s]) for (s, tr), (t, _, _) in zip(self.spec, self.partition_types())])) for r in rows}
        if len(tuples) > 1:
            raise AssertionError("the rows of %s are of several partitions" % path)
        e["partition"] = [apply(tr, t, rows[0][s]) if rows else None for (s, tr), (t, _, _) in zip(self.spec, self.partition_types())]
        e["sequence"] = 0 if self.version == 1 else 1 if path in self.first else 2
        return e

    def summaries(self, paths):
        """Partition summaries of a manifest with these files."""
        out = []
        tuples = [self.expected(p)["partition"] for p in paths]
        for n, (_, _, rt) in enumerate(self.partition_types()):
            s = statistics(rt, [t[n] for t in tuples], None)
            out.append({"null": s["nulls"] > 0, "nan": bool(s["nans"]), "lower": s["lower"], "upper": s["upper"]})
        return out


# ---------------------------------------------------------------- the tables
def field(n, name, t, required=False):
    return {"id": n, "name": name, "required": required, "type": t}


def all_types(version):
    types = PRIMITIVES + (list(NS) if version == 3 else [])
    fields = [field(1, "id", "int", True)] + [field(n + 2, "c%d_%s" % (n, t.split("(")[0].split("[")[0]), t) for n, t in enumerate(types)]
    fields += [
        field(50, "point", {"type": "struct", "fields": [field(51, "x", "double"), field(52, "label", "string"), field(
            53, "deep", {"type": "struct", "fields": [field(54, "when", "timestamp")]})]}),
        field(60, "tags", {"type": "list", "element-id": 61, "element": "string", "element-required": False}),
        field(62, "props", {"type": "map", "key-id": 63, "key": "string", "value-id": 64, "value": "int", "value-required": False})]
    r = random.Random(version)

    def other(t, n):
        if t == "point":
            return None if n % 5 == 1 else {"x": draw(r, "double"), "label": None if n % 3 == 0 else draw(r, "string"),
                                            "deep": None if n % 4 == 0 else {"when": draw(r, "timestamp")}}
        if t == "tags":
            return None if n % 5 == 2 else [draw(r, "string") if r.random() < 0.8 else None for _ in range(n % 3)]
        return None if n % 5 == 3 else [["k%d" % k, draw(r, "int")] for k in range(n % 4)]

    def row(n, value):
        return {f["name"]: n if f["id"] == 1 else value(f["type"], n) if f["id"] < 50 else other(f["name"], n) for f in fields}

    null = {f["name"]: None for f in fields}
    files = [
        [row(n, lambda t, n: None if r.random() < 0.2 else draw(r, t)) for n in range(20)],
        [row(n, lambda t, n: (lambda x: x[n % len(x)])(extremes(t))) for n in range(100, 110)],
        [dict(null, id=n) for n in range(3)],
        [],
        [row(n, lambda t, n: math.nan if t in ("float", "double") else draw(r, t)) for n in range(5)],
        [row(7, lambda t, n: extremes(t)[0]), dict(null, id=8)],
    ]
    return Table("v%d-all-types" % version, version, fields, [], files)


def all_transforms(version):
    ns = list(NS) if version == 3 else []
    # fixed has a table of its own: Java 1.12 cannot read manifests with a partition value of that type (see also foreign-tables)
    parts = [("identity", t) for t in PRIMITIVES[:6] + PRIMITIVES[8:] if t != "fixed[5]"]
    parts += [("bucket[5]", t) for t in ("int", "long", "decimal(18, 4)", "date", "time", "timestamp", "timestamptz", "string", "uuid",
                                         "fixed[5]", "binary", *ns)]
    parts += [("truncate[10]", "int"), ("truncate[1000]", "long"), ("truncate[50]", "decimal(9, 2)"), ("truncate[3]", "string"),
              ("truncate[2]", "binary")]
    parts += [(tr, t) for tr in ("year", "month", "day") for t in ("date", "timestamp", "timestamptz", *ns)]
    parts += [("hour", t) for t in ("timestamp", "timestamptz", *ns)]
    fields, spec = [field(1, "n", "int", True)], []
    for n, (tr, t) in enumerate(parts):
        name = "p%02d_%s" % (n, tr.split("[")[0])
        fields.append(field(n + 2, name, t))
        spec.append((name, tr))
    r = random.Random(10 + version)

    def same(n, value):
        row = {f["name"]: value(f["type"]) for f in fields[1:]}
        return [dict(row, n=n * 10 + k) for k in range(3)]

    # NaN is no legal partition value for every reader; it has a table of its own.
    def edge(t, n):
        x = [v for v in extremes(t) if not (isinstance(v, float) and math.isnan(v)) and v not in (-2**31, -2**63) and t not in NS]
        x = x[1:] if t.startswith("decimal") else x  # the least one truncated does not fit its type
        return x[n % len(x)] if x else draw(r, t)
    files = [same(n, lambda t: draw(r, t)) for n in range(3)] + [same(3, lambda t: None)]
    files += [same(4, lambda t: None if r.random() < 0.3 else draw(r, t)), same(5, lambda t: edge(t, 0)), same(6, lambda t: edge(t, 1))]
    return Table("v%d-all-transforms" % version, version, fields, spec, files)


def months_and_buckets(version):
    fields = [field(1, "id", "long", True), field(2, "ts", "timestamptz"), field(3, "amount", "decimal(9, 2)"), field(4, "name", "string")]
    spec, r, groups = [("ts", "month"), ("id", "bucket[4]")], random.Random(5), {}
    for n in range(400):
        row = {"id": r.randrange(10**6), "ts": None if n % 50 == 0 else r.randint(-200, 300) * PER_DAY["timestamptz"] + r.randrange(10**9),
               "amount": draw(r, "decimal(9, 2)"), "name": draw(r, "string")}
        groups.setdefault((apply("month", "timestamptz", row["ts"]), apply("bucket[4]", "long", row["id"])), []).append(row)
    return Table("v%d-months-buckets" % version, version, fields, spec, list(groups.values()), properties={"write.avro.compression-codec": "snappy"})


def nan_partition():
    fields = [field(1, "id", "int", True), field(2, "x", "double")]
    rows = lambda x: [{"id": n, "x": x} for n in range(3)]
    return Table("v2-nan-partition", 2, fields, [("x", "identity")], [rows(math.nan), rows(1.5), rows(-0.0), rows(None)],
                 properties={"write.avro.compression-codec": "zstd"})


def fixed_partition():
    fields = [field(1, "id", "int", True), field(2, "x", "fixed[5]")]
    rows = lambda x: [{"id": n, "x": x} for n in range(3)]
    return Table("v2-fixed-partition", 2, fields, [("x", "identity")], [rows(bytes(5)), rows(b"\xff" * 5), rows(None)])


def tables():
    return [all_types(v) for v in (1, 2, 3)] + [all_transforms(v) for v in (1, 2, 3)] + [
        months_and_buckets(v) for v in (1, 2, 3)] + [nan_partition(), fixed_partition()]


# ---------------------------------------------------------------- readers: {"rows", "entries": {path: entry}, "summaries": {path: [...]}}
def plain(path):
    return path[7:] if path.startswith("file://") else path[5:] if path.startswith("file:") else path


def hexes(d):
    return {int(k): v.hex() if isinstance(v, (bytes, bytearray)) else v for k, v in (d or {}).items()}


def columns(e, inside):
    """The parts of an entry's metrics by column; leaves in lists and maps may have counts, but no bounds here."""
    out = {}
    for f in set().union(*(e[k] for k in ("values", "nulls", "nans", "lower", "upper"))) - inside:
        out[f] = {k: e[k].get(f) for k in ("values", "nulls", "nans", "lower", "upper")}
    return out


def entry(records, size, sizes, values, nulls, nans, lower, upper, offsets, partition, sequence, inside, status=1):
    e = dict(values=hexes(values), nulls=hexes(nulls), nans=hexes(nans), lower=hexes(lower), upper=hexes(upper))
    return {"records": records, "size": size, "offsets": list(offsets or []), "sizes": hexes(sizes), "columns": columns(e, inside),
            "partition": partition, "sequence": sequence, "inside": sorted(set(e["lower"]) & inside), "status": status}


def java(all_tables):
    p = subprocess.run(["java", "-Xmx1g", "-jar", ORACLE, "dump-live", *(t.metadata for t in all_tables)], capture_output=True, timeout=600)
    answers = {}
    for line in p.stdout.decode().splitlines():
        j = json.loads(line)
        answers[j["path"]] = j
    if p.returncode or len(answers) < len(all_tables):
        raise RuntimeError("the Java command ended with status %d: %s" % (p.returncode, p.stderr.decode()[-2000:]))
    return answers


def by_java(t, j):
    if "error" in j:
        raise RuntimeError(j["error"])
    out = {"rows": [{f["name"]: from_java(f["type"], r[f["name"]]) for f in t.fields} for r in j["rows"]], "entries": {}, "summaries": {}}
    for m in j["manifests"]:
        out["summaries"][plain(m["path"])] = [
            {"null": s["contains_null"], "nan": bool(s["contains_nan"]), "lower": s["lower"], "upper": s["upper"]} for s in m["partitions"]]
        for e in m["entries"]:
            part = [from_java(rt, v) for (_, _, rt), v in zip(t.partition_types(), e["partition"])]
            out["entries"][plain(e["path"])] = entry(
                e["record_count"], e["file_size"], e["column_sizes"], e["value_counts"], e["null_value_counts"], e["nan_value_counts"],
                e["lower_bounds"], e["upper_bounds"], e["split_offsets"], part, e["sequence_number"], t.inside, e["status"])
    return out


def by_pyiceberg(t):
    from pyiceberg.table import StaticTable
    table = StaticTable.from_metadata(t.metadata)
    arrow = table.scan().to_arrow()
    out = {"rows": arrow_rows(t, arrow), "entries": {}, "summaries": {}}
    for m in table.current_snapshot().manifests(table.io):
        out["summaries"][plain(m.manifest_path)] = [
            {"null": s.contains_null, "nan": bool(s.contains_nan), "lower": s.lower_bound.hex() if s.lower_bound is not None else None,
             "upper": s.upper_bound.hex() if s.upper_bound is not None else None} for s in m.partitions or []]
        for e in m.fetch_manifest_entry(table.io, discard_deleted=False):
            d = e.data_file
            part = [from_pyiceberg(rt, d.partition[n]) for n, (_, _, rt) in enumerate(t.partition_types())]
            out["entries"][plain(d.file_path)] = entry(
                d.record_count, d.file_size_in_bytes, d.column_sizes, d.value_counts, d.null_value_counts, d.nan_value_counts,
                d.lower_bounds, d.upper_bounds, d.split_offsets, part, e.sequence_number, t.inside, int(e.status))
    return out


def from_pyiceberg(t, v):
    if v is None or isinstance(t, dict):
        return v
    if t.startswith("decimal"):
        return int(v.scaleb(decimal_of(t)[1], decimal.Context(prec=60)))
    if isinstance(v, datetime.datetime):
        return micros(v.replace(tzinfo=None).isoformat()) // 1000
    if isinstance(v, datetime.date):
        return v.toordinal() - 719163
    if isinstance(v, datetime.time):
        return ((v.hour * 60 + v.minute) * 60 + v.second) * 10**6 + v.microsecond
    return v.bytes if hasattr(v, "bytes") else v


def arrow_rows(t, arrow):
    cols = {f["name"]: from_arrow(f["type"], arrow.column(f["name"])) for f in t.fields}
    return [{k: v[n] for k, v in cols.items()} for n in range(arrow.num_rows)]


def duckdb_connection():
    import duckdb, importlib.util
    c = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": 1})
    for x in ("avro", "iceberg"):
        root = os.path.dirname(importlib.util.find_spec("duckdb_extension_" + x).origin)
        c.execute("LOAD '%s'" % os.path.join(root, "extensions", "v" + duckdb.__version__, x + ".duckdb_extension"))
    c.execute("SET TimeZone = 'UTC'")
    return c


def by_duckdb(t):
    c = duckdb_connection()
    arrow = c.execute("SELECT * FROM iceberg_scan('%s')" % t.metadata).to_arrow_table()
    entries = c.execute("SELECT file_path, record_count, status FROM iceberg_metadata('%s')" % t.metadata).fetchall()
    return {"rows": arrow_rows(t, arrow), "counts": {plain(p): (n, s) for p, n, s in entries}}


# ---------------------------------------------------------------- judging
def check_reader(counts, name, t, got):
    counts.check(name + ": rows", difference(seal_rows(t.fields, sum(t.rows.values(), [])), seal_rows(t.fields, got["rows"])))
    for p in t.paths if "entries" in got else []:
        want, e = t.expected(p), got["entries"].get(p)
        if e is None:
            counts.fail(name, "no entry for %s" % p)
            continue
        bad = ["%s: %s, not %s" % (k, short(seal(e[k]), 400), short(seal(want[k]), 400)) for k in ("records", "size", "offsets", "sequence")
               if e[k] != want[k]]
        if e["offsets"] == [0] and not want["records"]:
            bad = [x for x in bad if not x.startswith("offsets")]  # a row group of no rows begins nowhere
        bad += ["partition: %s, not %s" % (seal(e["partition"]), seal(want["partition"]))] if seal(e["partition"]) != seal(
            want["partition"]) else []
        bad += ["column sizes: %s, not %s" % (e["sizes"], want["sizes"])] if e["sizes"] != want["sizes"] else []
        bad += ["bounds of columns in lists: %s" % e["inside"]] if e["inside"] else []
        bad += ["status %s" % e["status"]] if e["status"] != 1 and p in t.second else []
        for f, w in want["columns"].items():
            if e["columns"].get(f) != w:
                bad.append("column %d: %s, not %s" % (f, e["columns"].get(f), w))
        counts.check("%s: entry of %s" % (name, os.path.basename(p)), "; ".join(bad[:4]))
    if "entries" in got:
        counts.check(name + ": no other entries", sorted(set(got["entries"]) - set(t.paths)))
        for path, s in got["summaries"].items():
            of = [p for p in t.paths if p in t.listed[path]]
            counts.equal("%s: summaries of %s" % (name, os.path.basename(path)), s, t.summaries(of))
    if "counts" in got:
        counts.equal(name + ": counts", {p: n for p, (n, _) in got["counts"].items()}, {p: len(r) for p, r in t.rows.items()})


def difference(want, got):
    if want == got:
        return None
    more, less = [x for x in got if x not in want], [x for x in want if x not in got]
    return "%d rows, not %d; unexpected %s; missing %s" % (len(got), len(want), short(more[:1], 1500), short(less[:1], 1500))


def check_avro(counts, t):
    """Lists and manifests by fastavro: header keys, legal names, field ids, maps as arrays; says which file is in which manifest."""
    import fastavro
    t.listed = {}
    with open(plain(t.snapshot["manifest-list"]), "rb") as f:
        r = fastavro.reader(f)
        header, manifests = r.metadata, list(r)
    counts.equal(t.name + ": list's header", {k: header.get(k) for k in ("format-version", "snapshot-id")},
                 {"format-version": str(t.version), "snapshot-id": str(t.snapshot["snapshot-id"])} if t.version > 1 else
                 {"format-version": header.get("format-version"), "snapshot-id": str(t.snapshot["snapshot-id"])})
    for m in manifests:
        path = plain(m["manifest_path"])
        with open(path, "rb") as f:
            r = fastavro.reader(f)
            header, schema, entries = r.metadata, r.writer_schema, list(r)
        t.listed[path] = {plain(e["data_file"]["file_path"]) for e in entries}
        bad = ["header without " + k for k in ("schema", "partition-spec", "partition-spec-id", "format-version") if k not in header]
        if t.version > 1 and header.get("content") != "data":
            bad.append("content %s" % header.get("content"))
        bad += avro_faults(schema)
        if os.path.getsize(path) != m["manifest_length"]:
            bad.append("manifest_length %d, really %d" % (m["manifest_length"], os.path.getsize(path)))
        added = sum(e["status"] == 1 for e in entries)
        live = sum(e["data_file"]["record_count"] for e in entries if e["status"] == 1)
        counted = [m.get(k, m.get(k.replace("_files_", "_data_files_"))) for k in ("added_files_count", "added_rows_count")]
        if counted != [added, live]:
            bad.append("counts %s in the list, %s in the manifest" % (counted, [added, live]))
        counts.check("%s: %s by fastavro" % (t.name, os.path.basename(path)), "; ".join(bad))


def avro_faults(s, where="entry"):
    bad = []
    if isinstance(s, list):
        return sum((avro_faults(x, where) for x in s), [])
    if not isinstance(s, dict):
        return bad
    if s["type"] == "record":
        for f in s["fields"]:
            at = where + "." + f["name"]
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", f["name"]):
                bad.append("illegal name " + at)
            if "field-id" not in f:
                bad.append("no field id: " + at)
            bad += avro_faults(f["type"], at)
    if s["type"] == "array":
        items = s["items"]
        if isinstance(items, dict) and items["type"] == "record" and s.get("logicalType") != "map":
            bad.append("no logicalType map: " + where)
        bad += avro_faults(items, where)
    return bad


# What a reader cannot do, by table; said as skipped.
CANNOT = {
    ("DuckDB", "v2-nan-partition"): "DuckDB 1.5.5 cannot read zstd manifests",
    ("Java", "v2-fixed-partition"): "Iceberg Java 1.12.0 cannot read manifests with fixed partition values",
    ("DuckDB", "v3-all-types"): "DuckDB 1.5.5 does not know timestamptz_ns",
    ("DuckDB", "v3-all-transforms"): "DuckDB 1.5.5 does not know timestamptz_ns",
}


def run(counts, folder, names):
    made = []
    for t in tables():
        if names and not any(n in t.name for n in names):
            continue
        t.inside = {f["id"] for f, _, inside in leaves(t.fields) if inside}
        try:
            t.make(folder)
            check_avro(counts, t)
            made.append(t)
        except Exception as e:
            counts.fail(t.name, "%s: %s" % (type(e).__name__, e))
    readers = [("PyIceberg", by_pyiceberg), ("DuckDB", by_duckdb)]
    if os.path.exists(ORACLE):
        answers = java(made) if made else {}
        readers.insert(0, ("Java", lambda t: by_java(t, answers[t.metadata])))
    else:
        counts.fail("Java", "%s is not there: ./dev test builds it" % ORACLE)
    for t in made:
        for peer, read in readers:
            name = "%s by %s" % (t.name, peer)
            if (peer, t.name) in CANNOT:
                counts.skip(name, CANNOT[peer, t.name])
                continue
            try:
                got = read(t)
            except Exception as e:
                counts.fail(name, "%s: %s" % (type(e).__name__, short(str(e), 600)))
                continue
            check_reader(counts, name, t, got)


def main():
    args = sys.argv[1:]
    keep = args[args.index("--keep") + 1] if "--keep" in args else None
    counts = Counts()
    folder = keep or tempfile.mkdtemp(prefix="lake-interop.")
    os.makedirs(folder, exist_ok=True)
    try:
        run(counts, os.path.realpath(folder), [a for a in args if not a.startswith("--") and a != keep])
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
