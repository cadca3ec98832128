#!/usr/bin/env python3
"""Commits without a snapshot: after each operation the official library, PyIceberg and DuckDB read the table, and see the same rows and
what was changed; many at once lose nothing."""
import datetime, json, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from interop import duckdb_connection, ORACLE
from commits import Table


class Case:
    def __init__(self, counts, folder, version, appends=4):
        self.counts, self.version, self.t = counts, version, Table(folder, version)
        self.folder, self.snapshots, self.ids = self.t.folder, [], {}
        for n in range(appends):
            self.append(n)

    def append(self, n, *more):
        j = json.loads(must("append", self.folder, self.t.file(n), *more))
        self.snapshots.append(j["snapshot-id"])
        return j["snapshot-id"]

    def newest(self):
        names = [n for n in os.listdir(os.path.join(self.folder, "metadata")) if n.endswith(".metadata.json")]
        return max(names, key=lambda n: int(n[1:].split(".")[0]))

    def path(self):
        return os.path.join(self.folder, "metadata", self.t.metadata()[0])

    def current(self):
        j = self.t.metadata()[1]
        return [s for s in j["schemas"] if s["schema-id"] == j["current-schema-id"]][0]

    def said(self, *args):
        return json.loads(must(*args))

    def name(self, name):
        return "v%d: %s" % (self.version, name)

    def equal(self, name, got, want):
        self.counts.equal(self.name(name), got, want)

    def refused(self, name, code, word, *args):
        before = self.t.files()
        status, out, err = lakectl(*args)
        self.equal(name, (status, word in err, self.t.files() == before), (code, True, True) if word in err else (code, err, True))

    def pyiceberg(self):
        from pyiceberg.table import StaticTable
        return StaticTable.from_metadata(self.path())

    def check(self, name, files, duckdb=True):
        """The rows of these files are what three readers see. DuckDB does not read the lists of a v1 table that was upgraded."""
        want = sorted(100 * n + k for n in files for k in range(5))
        if duckdb:
            rows = duckdb_connection().execute("SELECT id FROM iceberg_scan('%s') ORDER BY id" % self.path()).fetchall()
            self.equal(name + ": DuckDB", [r[0] for r in rows], want)
        self.equal(name + ": PyIceberg", sorted(self.pyiceberg().scan().to_arrow().column("id").to_pylist()), want)
        if not os.path.exists(ORACLE):
            return self.counts.skip(self.name(name) + ": official library", "it is not there")
        p = subprocess.run(["java", "-Xmx1g", "-jar", ORACLE, "dump-live", self.path()], capture_output=True, timeout=600)
        j = json.loads(p.stdout)
        self.equal(name + ": official library", j.get("error") or sorted(r["id"] for r in j["rows"]), want)


def properties(counts, folder, version):
    c = Case(counts, folder, version, 2)
    j = c.said("properties", c.folder, "owner=me", "write.metadata.previous-versions-max=2", "empty=", "eq=a=b")
    want = {"owner": "me", "write.metadata.previous-versions-max": "2", "empty": "", "eq": "a=b"}
    c.equal("set", (j["properties"], j["changed"]), (want, True))
    c.equal("PyIceberg sees them", dict(c.pyiceberg().properties), want)
    c.equal("the log follows the new property", len(c.t.metadata()[1]["metadata-log"]), 2)
    c.check("set", [0, 1])
    c.said("properties", c.folder, "--unset", "owner", "--unset", "nothing", "write.metadata.compression-codec=gzip")
    del want["owner"]
    want["write.metadata.compression-codec"] = "gzip"
    c.equal("the new file follows the new property", c.newest(), "v5.gz.metadata.json")
    with open(os.path.join(c.folder, "metadata", "version-hint.text")) as f:
        c.equal("the hint", f.read(), "5")
    status, out, err = lakectl("properties", c.folder, "--format", "json")
    c.equal("listed", {p["key"]: p["value"] for p in json.loads(out)}, want)
    c.said("properties", c.folder, "write.metadata.compression-codec=none", "write.metadata.delete-after-commit.enabled=true")
    c.check("and back", [0, 1])
    names = sorted(n for n in os.listdir(os.path.join(c.folder, "metadata")) if n.endswith("metadata.json"))
    c.equal("the file that fell off the log went", names, ["v1.metadata.json", "v2.metadata.json", "v4.metadata.json", "v5.gz.metadata.json", "v6.metadata.json"])


def upgrade(counts, folder, version):
    c = Case(counts, folder, version, 2)
    for v in range(version + 1, 4):
        c.said("properties", c.folder, "format-version=%d" % v)
        c.equal("is %d" % v, (c.t.metadata()[1]["format-version"], c.pyiceberg().metadata.format_version), (v, v))
        c.check("upgraded to %d" % v, range(len(c.snapshots)), version > 1)
        c.append(len(c.snapshots))
        c.check("appended to %d" % v, range(len(c.snapshots)), version > 1)


def at_once(counts, folder, version):
    """Eight processes set properties, and another appends."""
    c = Case(counts, folder, version, 1)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LAKE_")}
    start = lambda *a: subprocess.Popen([LAKECTL, *a], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    for r in range(3):
        ps = [start("properties", c.folder, "p%d.%d=%d" % (r, n, n)) for n in range(8)] + [start("append", c.folder, c.t.file(r + 1))]
        c.equal("all say yes", [(p.communicate()[1], p.returncode) for p in ps], [(b"", 0)] * 9)
    c.equal("all are there", c.t.metadata()[1]["properties"], {"p%d.%d" % (r, n): str(n) for r in range(3) for n in range(8)})
    c.equal("a version each", c.t.metadata()[0], "v29.metadata.json")
    c.check("appends meanwhile", range(4))


def refs(counts, folder, version):
    c = Case(counts, folder, version, 3)
    s = c.snapshots
    c.equal("a branch", c.said("refs", c.folder, "create", "b", "--snapshot", s[1], "--max-snapshot-age", "7d", "--min-snapshots-to-keep", 5)["snapshot-id"], s[1])
    c.said("refs", c.folder, "create", "t", "--tag", "--ref", "b", "--max-ref-age", "2h")
    c.said("refs", c.folder, "keep", "main", "--min-snapshots-to-keep", 2)
    want = {"main": {"snapshot-id": s[2], "type": "branch", "min-snapshots-to-keep": 2},
            "b": {"snapshot-id": s[1], "type": "branch", "max-snapshot-age-ms": 7 * 86400000, "min-snapshots-to-keep": 5},
            "t": {"snapshot-id": s[1], "type": "tag", "max-ref-age-ms": 7200000}}
    c.equal("refs", c.t.metadata()[1]["refs"], want)
    p = c.pyiceberg()
    c.equal("PyIceberg", {k: (str(r.snapshot_ref_type).split(".")[-1].lower(), r.snapshot_id, r.min_snapshots_to_keep, r.max_snapshot_age_ms, r.max_ref_age_ms)
                          for k, r in p.metadata.refs.items()},
            {"main": ("branch", s[2], 2, None, None), "b": ("branch", s[1], 5, 7 * 86400000, None), "t": ("tag", s[1], None, None, 7200000)})
    c.check("main", [0, 1, 2])
    c.refused("a name that is taken", 3, "already", "refs", c.folder, "create", "t")
    c.refused("main is there", 3, "already", "refs", c.folder, "create", "main")
    c.refused("no such snapshot", 3, "no snapshot 5", "refs", c.folder, "create", "x", "--snapshot", 5)
    c.refused("main stays", 2, "cannot be dropped", "refs", c.folder, "drop", "main")
    c.refused("main has no age", 2, "max-ref-age", "refs", c.folder, "keep", "main", "--max-ref-age", "1d")
    c.refused("a tag has no snapshots to keep", 2, "is a tag", "refs", c.folder, "keep", "t", "--min-snapshots-to-keep", 1)
    c.refused("a tag never moves", 2, "never moves", "refs", c.folder, "fast-forward", "t", "main")
    c.refused("forward only", 2, "moves forward only", "refs", c.folder, "fast-forward", "main", "b")
    c.refused("nothing to go to", 3, "no branch or tag", "refs", c.folder, "fast-forward", "b", "nope")
    side = c.append(3, "--branch", "b")
    c.check("main is as before", [0, 1, 2])
    c.equal("PyIceberg on the branch", sorted(p.scan(snapshot_id=s[1]).to_arrow().column("id").to_pylist()), [100 * n + k for n in (0, 1) for k in range(5)])
    c.refused("they parted", 2, "moves forward only", "refs", c.folder, "fast-forward", "main", "b")
    c.equal("the branch kept its settings", c.t.metadata()[1]["refs"]["b"], {**want["b"], "snapshot-id": side})
    c.said("refs", c.folder, "create", "ahead")
    last = c.append(4, "--branch", "ahead")
    j = c.said("refs", c.folder, "fast-forward", "main", "ahead")
    c.equal("forward", (j["snapshot-id"], c.t.metadata()[1]["current-snapshot-id"], c.t.metadata()[1]["snapshot-log"][-1]["snapshot-id"]), (last, last, last))
    c.equal("main kept its settings", c.t.metadata()[1]["refs"]["main"], {**want["main"], "snapshot-id": last})
    c.check("main went forward", [0, 1, 2, 4])
    c.equal("there already", c.said("refs", c.folder, "fast-forward", "main", "ahead")["changed"], False)
    c.said("refs", c.folder, "drop", "ahead")
    c.said("refs", c.folder, "drop", "t")
    c.said("refs", c.folder, "keep", "b", "--forget", "--max-ref-age", "1d")
    c.equal("in the end", c.t.metadata()[1]["refs"], {"main": {**want["main"], "snapshot-id": last}, "b": {"snapshot-id": side, "type": "branch", "max-ref-age-ms": 86400000}})
    c.check("in the end", [0, 1, 2, 4])


def rollback(counts, folder, version):
    c = Case(counts, folder, version, 3)
    s = c.snapshots
    times = {x["snapshot-id"]: x["timestamp-ms"] for x in c.t.metadata()[1]["snapshots"]}
    j = c.said("rollback", c.folder, "--snapshot", s[1])
    c.equal("back", (j["snapshot-id"], j["previous-snapshot-id"], c.t.metadata()[1]["current-snapshot-id"]), (s[1], s[2], s[1]))
    c.equal("the log", [e["snapshot-id"] for e in c.t.metadata()[1]["snapshot-log"]], [s[0], s[1], s[2], s[1]])
    c.check("back", [0, 1])
    c.refused("not an ancestor any more", 2, "comes from", "rollback", c.folder, "--snapshot", s[2])
    c.refused("no such time", 3, "was there at", "rollback", c.folder, "--as-of", times[s[0]] - 1)
    n = c.append(3)
    c.check("appended behind it", [0, 1, 3])
    c.equal("the parent", [x["parent-snapshot-id"] for x in c.t.metadata()[1]["snapshots"] if x["snapshot-id"] == n], [s[1]])
    if version > 1:
        numbers = [x["sequence-number"] for x in c.t.metadata()[1]["snapshots"]]
        c.equal("numbers are not used again", numbers, [1, 2, 3, 4])
    c.said("rollback", c.folder, "--as-of", times[s[0]])
    c.check("back to a time", [0])
    c.equal("there already", c.said("rollback", c.folder, "--snapshot", s[0])["changed"], False)
    c.said("refs", c.folder, "fast-forward", "main", "main")
    c.said("refs", c.folder, "create", "keep", "--tag", "--snapshot", n)
    c.said("refs", c.folder, "fast-forward", "main", "keep")
    c.check("forward again", [0, 1, 3])


def alter(counts, folder, version):
    """Columns change between appends; old and new files are read by their ids."""
    import pyarrow as pa, pyarrow.parquet as pq
    c = Case(counts, folder, version, 2)
    rows = [{"id": 100 * n + k, "d": datetime.date(2024, 10, 4), "s": "row %d" % k} for n in range(2) for k in range(5)]

    def step(*args):
        c.said("alter", c.folder, *args)
        names = [f["name"] for f in c.current()["fields"]]
        want = sorted(([r.get(n) for n in names] for r in rows), key=lambda r: r[names.index("id")])
        name = " ".join(map(str, args))
        at = lambda table: [[r[n] for n in names] for r in sorted(table.to_pylist(), key=lambda r: r["id"])]
        duck = duckdb_connection().execute("SELECT * FROM iceberg_scan('%s')" % c.path()).to_arrow_table()
        c.equal(name + ": DuckDB", (duck.column_names, at(duck)), (names, want))
        py = c.pyiceberg().scan().to_arrow()
        c.equal(name + ": PyIceberg", (py.column_names, at(py)), (names, want))
        if not os.path.exists(ORACLE):
            return c.counts.skip(c.name(name) + ": official library", "it is not there")
        p = subprocess.run(["java", "-Xmx1g", "-jar", ORACLE, "dump-live", c.path()], capture_output=True, timeout=600)
        j = json.loads(p.stdout)
        plain = [[str(v) if isinstance(v, datetime.date) else v for v in r] for r in want]
        got = j.get("error") or sorted(([r.get(n) for n in names] for r in j["rows"]), key=lambda r: r[names.index("id")])
        c.equal(name + ": official library", got, plain)

    def append(n, columns):
        """columns: (field id, name, Arrow type, value of row k)"""
        new = [{name: value(100 * n + k) for _, name, _, value in columns} for k in range(3)]
        schema = pa.schema([pa.field(name, t, metadata={b"PARQUET:field_id": str(i).encode()}, nullable=name != "id") for i, name, t, _ in columns])
        p = os.path.join(c.t.inputs, "new%d.parquet" % n)
        pq.write_table(pa.Table.from_pylist(new, schema=schema), p, store_schema=False)
        must("append", c.folder, p)
        rows.extend(new)

    step("add", "x", "int", "--doc", "a number")
    append(5, [(1, "id", pa.int64(), lambda n: n), (4, "x", pa.int32(), lambda n: n * 7)])
    step("move", "x", "--before", "d")
    for r in rows:
        r["text"] = r.pop("s", None)
    step("rename", "s", "text")
    append(6, [(1, "id", pa.int64(), lambda n: n), (3, "text", pa.string(), lambda n: "t%d" % n)])
    step("widen", "x", "long")
    append(7, [(1, "id", pa.int64(), lambda n: n), (4, "x", pa.int64(), lambda n: n << 40)])
    for r in rows:
        r.pop("d", None)
    step("drop", "d")
    step("add", "d", "date")                                    # a new column: what the old one held does not come back
    c.equal("a new id", c.current()["fields"][-1]["id"], 5)
    append(8, [(1, "id", pa.int64(), lambda n: n), (5, "d", pa.date32(), lambda n: datetime.date(2025, 1, 1))])
    step("add", "s", "string")
    step("move", "s", "--first")
    step("optional", "id")
    # Files that lack the column keep unknown counts if the table had it when they came.
    planned = lambda where: {os.path.basename(f) for f in must("plan", c.folder, "--where", where, "--format", "paths").split()}
    old = {"f000.parquet", "f001.parquet"}
    c.equal("planned by the widened column", planned("x > 5000000000") & (old | {"new5.parquet", "new7.parquet"}), {"new7.parquet"})
    c.equal("planned by the renamed column", planned("text > 't'") & (old | {"new6.parquet"}), {"new6.parquet"})
    c.equal("planned by the new column", planned("d > DATE '2024-01-01'") & (old | {"new8.parquet"}), {"new8.parquet"})
    c.equal("audited", lakectl("audit", c.folder)[0], 0)
    ids = [x["schema-id"] for x in c.t.metadata()[1]["schemas"]]
    c.equal("numbers of schemas", ids, list(range(len(ids))))
    c.refused("no way to text", 2, "cannot become", "alter", c.folder, "widen", "x", "string")
    c.refused("no way back", 2, "cannot become", "alter", c.folder, "widen", "x", "int")
    c.refused("a name that is taken", 2, "already", "alter", c.folder, "add", "text", "int")
    c.refused("a column that is not there", 3, "no column", "alter", c.folder, "drop", "nope")
    if version < 3:
        c.refused("too new a type", 2, "format version 3", "alter", c.folder, "add", "v", "timestamp_ns")
    else:
        step("add", "v", "timestamp_ns")


JOBS = [(properties, 1), (properties, 2), (properties, 3), (upgrade, 1), (upgrade, 2), (at_once, 2), (refs, 1), (refs, 2), (refs, 3), (rollback, 1), (rollback, 2), (rollback, 3), (alter, 1), (alter, 2), (alter, 3)]


def main():
    counts = Counts()
    for job, v in JOBS:
        if len(sys.argv) > 1 and job.__name__ not in sys.argv[1:]:
            continue
        folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-maintain."))
        try:
            job(counts, folder, v)
        except (LakectlFailed, OSError, KeyError, ValueError, RuntimeError, subprocess.SubprocessError) as e:
            counts.fail("%s, v%d" % (job.__name__, v), "%s: %s" % (type(e).__name__, e))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
