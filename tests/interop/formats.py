#!/usr/bin/env python3
"""Tables whose data files are Avro and ORC: written by fastavro and, from those, by the official Java library; appended by lakectl;
read by the official Java library (PyIceberg and DuckDB read Parquet only). Rows, counts, bounds, partition values and split offsets are
compared with what icevalues.py works out of the rows; ORC entries may lack what the footer does not prove, but never differ."""
import json, os, random, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from icevalues import *
import interop
import fastavro

LIB = os.path.join(ROOT, ".cache", "java", "lib")
CODECS = ["null", "deflate", "snappy", "zstandard", "bzip2"]  # the Java peer has no library for xz


def least_bytes(p):
    n = 1
    while 2 ** (8 * n - 1) - 1 < 10 ** p - 1:
        n += 1
    return n


def avro_type(t, name):
    """The Avro form that the spec asks for (Appendix A)."""
    if isinstance(t, dict) and t["type"] == "struct":
        return {"type": "record", "name": name, "fields": [avro_field(f, name) for f in t["fields"]]}
    if isinstance(t, dict) and t["type"] == "list":
        e = avro_type(t["element"], name + "_e")
        return {"type": "array", "items": e if t["element-required"] else ["null", e], "element-id": t["element-id"]}
    if isinstance(t, dict):
        v = avro_type(t["value"], name + "_v")
        return {"type": "map", "values": v if t["value-required"] else ["null", v], "key-id": t["key-id"], "value-id": t["value-id"]}
    if t.startswith("decimal"):
        p, s = decimal_of(t)
        return {"type": "fixed", "name": name, "size": least_bytes(p), "logicalType": "decimal", "precision": p, "scale": s}
    if t.startswith("fixed"):
        return {"type": "fixed", "name": name, "size": int(t[6:-1])}
    if t in PER_DAY:
        return {"type": "long", "logicalType": "timestamp-" + ("nanos" if t in NS else "micros"), "adjust-to-utc": "tz" in t}
    return {"date": {"type": "int", "logicalType": "date"}, "time": {"type": "long", "logicalType": "time-micros"}, "binary": "bytes",
            "uuid": {"type": "fixed", "name": name, "size": 16, "logicalType": "uuid"}}.get(t, t)


def avro_field(f, prefix="r"):
    t = avro_type(f["type"], "%s_%d" % (prefix, f["id"]))
    out = {"name": f["name"], "type": t if f["required"] else ["null", t], "field-id": f["id"]}
    return out if f["required"] else dict(out, default=None)


def avro_value(t, v):
    if v is None or not isinstance(t, dict):
        return v.to_bytes(least_bytes(decimal_of(t)[0]), "big", signed=True) if v is not None and t.startswith("decimal") else v
    if t["type"] == "struct":
        return {f["name"]: avro_value(f["type"], v[f["name"]]) for f in t["fields"]}
    if t["type"] == "list":
        return [avro_value(t["element"], x) for x in v]
    return {k: avro_value(t["value"], x) for k, x in v}


def write_avro(path, fields, rows, codec="deflate"):
    schema = {"type": "record", "name": "table", "fields": [avro_field(f) for f in fields]}
    with open(path, "wb") as f:
        fastavro.writer(f, schema, [{c["name"]: avro_value(c["type"], r[c["name"]]) for c in fields} for r in rows], codec=codec)


def convert(jobs):
    """(schema file, from, to, properties): by the official library; what it says of each file."""
    args = []
    for schema, source, target, properties in jobs:
        args += [schema, source, target, *properties, "--"]
    p = subprocess.run(["java", "-Xmx1g", "-cp", LIB + "/*", os.path.join(HERE, "ConvertFiles.java"), *args], capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError("ConvertFiles: " + p.stderr[-2000:])
    return [json.loads(x) for x in p.stdout.splitlines()]


class Mixed(interop.Table):
    """A table of interop.py whose files are Avro, in turn by fastavro and by Java, and ORC by Java where `orc` says so."""

    def plan_files(self, folder, orc):
        self.folder = os.path.join(folder, self.name)
        os.makedirs(self.folder + ".in")
        self.schema = self.folder + ".schema.json"
        with open(self.schema, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": self.fields}, f)
        self.jobs = []
        for n, rows in enumerate(self.files):
            if orc:  # the official writer makes +999999 of -1 microsecond in ORC
                rows = [{k: -10**6 if self.is_time(k) and v == -1 else v for k, v in r.items()} for r in rows]
            base = os.path.join(self.folder + ".in", "f%02d" % n)
            write_avro(base + ".avro", self.fields, rows, CODECS[n % len(CODECS)])
            paths = [base + ".avro", base + "-java.avro"] + ([base + ".orc"] if orc else [])
            for p in paths:
                self.paths.append(p)
                self.rows[p] = rows
            self.jobs.append((self.schema, base + ".avro", paths[1], ["write.avro.compression-codec=" + ["gzip", "zstd", "snappy", "uncompressed"][n % 4]]))
            if orc:
                self.jobs.append((self.schema, base + ".avro", paths[2], ["write.orc.compression-codec=" + ["zlib", "zstd", "lz4", "snappy", "none"][n % 5]]))

    def is_time(self, name):
        return any(f["name"] == name and f["type"] in ("timestamp", "timestamptz") for f in self.fields)

    def commit(self):
        self.inside = {f["id"] for f, _, inside in leaves(self.fields) if inside}
        must("create", self.folder, "--schema", self.schema, "--format-version", self.version,
             *(["--partition-by", self.partition_text()] if self.spec else []), "--property", "write.metadata.metrics.default=full")
        must("append", self.folder, *self.paths)
        self.find_metadata()

    def find_metadata(self):
        with open(os.path.join(self.folder, "metadata", "version-hint.text")) as f:
            self.metadata = os.path.join(self.folder, "metadata", "v%s.metadata.json" % f.read().strip())


def check_entry(t, path, e, told):
    """What is wrong with an entry's metrics. told: what Java said when it wrote the file, or None."""
    rows, orc = t.rows[path], path.endswith(".orc")
    bad = []
    if (e["records"], e["size"]) != (len(rows), os.path.getsize(path)):
        bad.append("%s records, %s bytes" % (e["records"], e["size"]))
    if e["offsets"] != ((told or {}).get("splits") or [] if orc else []):
        bad.append("split offsets %s, Java says %s" % (e["offsets"], told))
    if not orc and e["sizes"]:
        bad.append("column sizes %s" % e["sizes"])
    if orc and rows and any(told["sizes"].get(str(f)) != v for f, v in e["sizes"].items() if f not in t.inside):
        bad.append("column sizes %s, Java says %s" % (e["sizes"], told["sizes"]))
    for f, values, inside in leaves(t.fields, rows):
        if inside:
            continue
        want, have = statistics(f["type"], values, None), e["columns"].get(f["id"], {})
        for k, v in want.items():
            if have.get(k) != v and not (orc and have.get(k) is None and k in ("nans", "lower", "upper")):
                bad.append("column %d (%s): %s is %s, not %s" % (f["id"], f["type"], k, have.get(k), v))
    return "; ".join(bad[:4])


def check_table(counts, t, answer, told):
    j = interop.by_java(t, answer)
    want = seal_rows(t.fields, [r for p in t.paths for r in t.rows[p]])
    have = seal_rows(t.fields, j["rows"])
    lost, more = sorted(set(want) - set(have)), sorted(set(have) - set(want))
    counts.check("%s: rows by Java" % t.name, "" if have == want else "%d rows, not %d; %s instead of %s" % (len(have), len(want), more[:2], lost[:2]))
    formats = {interop.plain(e["path"]): e.get("file_format", e.get("format")) for m in answer["manifests"] for e in m["entries"]}
    seen = 0
    for path in t.paths:
        e = j["entries"].get(path)
        if not counts.check("%s: %s" % (t.name, os.path.basename(path)), None if e else "no entry"):
            continue
        counts.check("%s: %s" % (t.name, os.path.basename(path)), check_entry(t, path, e, told.get(path)))
        if formats.get(path) is not None and formats[path].upper() != ("ORC" if path.endswith(".orc") else "AVRO"):
            counts.fail(t.name, "%s is recorded as %s" % (path, formats[path]))
        seen += len(e["columns"])
        if t.spec:
            rows = t.rows[path]
            parts = [apply(tr, ty, rows[0][s]) if rows else None for (s, tr), (ty, _, _) in zip(t.spec, t.partition_types())]
            counts.equal("%s: %s: partition" % (t.name, os.path.basename(path)), seal(e["partition"]), seal(parts))
    counts.check(t.name, None if seen else "no metrics at all")


def delete_tables(counts, folder):
    """Position and equality delete files in Avro; Java reads the rows that are left."""
    fields = [interop.field(1, "id", "long", True), interop.field(2, "s", "string")]
    t = Mixed("deletes", 2, fields, [], [[{"id": n, "s": "s%d" % (n % 7)} for n in range(k * 100, k * 100 + 100)] for k in range(2)])
    t.plan_files(folder, False)
    t.paths = [p for p in t.paths if not p.endswith("-java.avro")]
    t.commit()
    position = [{"id": 2147483546, "name": "file_path", "required": True, "type": "string"}, {"id": 2147483545, "name": "pos", "required": True, "type": "long"}]
    recorded = {os.path.basename(p): p for p in json_paths(t)}
    gone = os.path.join(folder, "pos.avro")
    write_avro(gone, position, [{"file_path": recorded["f00.avro"], "pos": n} for n in range(0, 100, 2)])
    equal = os.path.join(folder, "eq.avro")
    write_avro(equal, [fields[1]], [{"s": "s3"}, {"s": "s5"}])
    m = os.path.join(t.folder, "metadata", "d%d.avro")
    must("write-manifest", "--table", t.folder, "-o", m % 1, "--content", "position-deletes", gone)
    must("write-manifest", "--table", t.folder, "-o", m % 2, "--content", "equality-deletes", "--equality-columns", "s", equal)
    must("commit", t.folder, m % 1, m % 2)
    t.find_metadata()
    left = [r for n, p in enumerate(t.paths) for k, r in enumerate(t.rows[p]) if not (n == 0 and k % 2 == 0) and r["s"] not in ("s3", "s5")]
    answer = interop.java([t])[t.metadata]
    counts.equal("deletes in Avro: rows by Java", seal_rows(fields, [{f["name"]: from_java(f["type"], r[f["name"]]) for f in fields} for r in answer["rows"]]), seal_rows(fields, left))
    with open(m % 1, "rb") as f:
        e = [x["data_file"] for x in fastavro.reader(f)]
    counts.equal("position deletes: format and content", [(e[0]["file_format"], e[0]["content"], e[0]["record_count"])], [("AVRO", 1, 50)])


def json_paths(t):
    plan = json.loads(must("plan", t.folder, "--format", "json"))
    return [x["data-file"]["file-path"] for x in plan["file-scan-tasks"]]


def refusals(counts, folder, tables):
    """Partition values of ORC files: by proof, by word, or not at all."""
    import pyarrow as pa, pyarrow.orc as orc
    def file(name, **columns):
        p = os.path.join(folder, name)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        orc.write_table(pa.table(columns), p)
        return p
    schema = os.path.join(folder, "refuse.json")
    with open(schema, "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [interop.field(1, "id", "long"), interop.field(2, "s", "string"), interop.field(3, "f", "double")]}, f)
    table = [("s", file("one.orc", id=[1, 2], s=["a", "a"], f=[1.0, 2.0]), [], 0, ""),
             ("s", file("two.orc", id=[1, 2], s=["a", "b"], f=[1.0, 2.0]), [], 4, "rows differ"),
             ("s", file("null.orc", id=[1, 2], s=["a", None], f=[1.0, 2.0]), [], 4, "rows differ"),
             ("bucket(4, id)", file("same.orc", id=[7, 7], s=["a", "b"], f=[1.0, 2.0]), [], 0, ""),
             ("bucket(4, id)", file("diff.orc", id=[7, 8], s=["a", "b"], f=[1.0, 2.0]), [], None, "does not prove"),
             ("bucket(4, id)", file("told.orc", id=[7, 8], s=["a", "b"], f=[1.0, 2.0]), ["--partition", "id_bucket=1"], 0, ""),
             ("bucket(4, id)", file("id_bucket=2/path.orc", id=[7, 8], s=["a", "b"], f=[1.0, 2.0]), [], 0, ""),
             ("f", file("nan.orc", id=[7, 8], s=["a", "b"], f=[1.0, float("nan")]), [], None, "does not prove"),
             ("truncate(10, id)", file("cut.orc", id=[11, 19], s=["a", "b"], f=[1.0, 2.0]), [], 0, ""),
             ("truncate(10, id)", file("wrong.orc", id=[11, 19], s=["a", "b"], f=[1.0, 2.0]), ["--partition", "id_trunc=20"], 4, "--partition says 20"),
             ("id", file("nulls.orc", id=pa.array([None, None], pa.int64()), s=["a", "b"], f=[1.0, 2.0]), [], 0, "")]
    for n, (spec, path, extra, want, text) in enumerate(table):
        status, out, err = lakectl("write-manifest", "--schema", schema, "--spec", spec, "-o", os.path.join(folder, "m%d.avro" % n), *extra, path)
        good = (status == want if want is not None else status not in (0, -1)) and text in err
        counts.check("ORC partition %s of %s" % (spec, os.path.basename(path)), "" if good else "status %d, %s" % (status, err.strip()))


def main():
    counts = Counts()
    if not os.path.isdir(LIB):
        counts.skip("formats", "the Java libraries are not there")
        return counts.finish()
    with tempfile.TemporaryDirectory() as folder:
        made = [interop.all_types(2), interop.all_transforms(2), interop.all_types(3)]
        tables = []
        for t in made:
            t.__class__ = Mixed
            t.plan_files(folder, not t.spec and t.version == 2)
            tables.append(t)
        jobs = [j for t in tables for j in t.jobs]
        told = {j[2]: said for j, said in zip(jobs, convert(jobs))}
        for t in tables:
            t.commit()
        answers = interop.java(tables)
        for t in tables:
            check_table(counts, t, answers[t.metadata], told)
        delete_tables(counts, folder)
        refusals(counts, folder, tables)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
