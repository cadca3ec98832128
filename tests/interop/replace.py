#!/usr/bin/env python3
"""`lakectl replace`: compacted files take the place of others, with position deletes, deletion vectors and equality deletes before and
after. The official library and DuckDB read the rows; numbers of rows that differ, and deletes that would be lost, are refused."""
import json, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from icevalues import *
from interop import duckdb_connection, ORACLE
from commits import Table, FIELDS
from vectors import puffin, said, vector
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq


def id_field(n, name, t, nullable=True):
    return pa.field(name, t, nullable, {b"PARQUET:field_id": str(n).encode()})


class Case:
    def __init__(self, counts, folder, version, *more):
        self.counts, self.folder, self.version = counts, folder, version
        self.t = Table(folder, version)
        self.files = [self.t.file(n) for n in range(4)]
        must("append", self.t.folder, *self.files, *more)
        self.live = {100 * n + k for n in range(4) for k in range(5)}
        self.serial, self.by_values = 0, False

    def path(self, name):
        self.serial += 1
        return os.path.join(self.t.inputs, "%02d-%s" % (self.serial, name))

    def commit_deletes(self, files, content, *more):
        m = os.path.join(self.t.folder, "metadata", os.path.basename(self.path("deletes.avro")))
        must("write-manifest", "--table", self.t.folder, "-o", m, "--content", content, *more, *files)
        must("commit", self.t.folder, m)

    def delete_positions(self, *pairs):
        """(file number, position): by a Parquet file."""
        p = self.path("positions.parquet")
        rows = sorted((self.files[n], k) for n, k in pairs)
        schema = pa.schema([id_field(2147483546, "file_path", pa.string(), False), id_field(2147483545, "pos", pa.int64(), False)])
        pq.write_table(pa.table([[r[0] for r in rows], [r[1] for r in rows]], schema=schema), p)
        self.commit_deletes([p], "position-deletes")
        self.live -= {100 * n + k for n, k in pairs}

    def delete_values(self, *ids):
        p = self.path("values.parquet")
        pq.write_table(pa.table([list(ids)], schema=pa.schema([id_field(1, "id", pa.int64())])), p)
        self.commit_deletes([p], "equality-deletes", "--equality-columns", "id")
        self.live -= set(ids)
        self.by_values = True

    def compacted(self, ids):
        p = self.path("compact.parquet")
        pq.write_table(to_table(FIELDS, [{"id": i, "d": 20000, "s": "row %d" % (i % 100)} for i in sorted(ids)]), p, store_schema=False)
        return p

    def listed(self, files):
        p = self.path("list")
        with open(p, "w") as f:
            f.write("".join(x + "\n" for x in files))
        return "@" + p

    def replace(self, gone, come, *more):
        return lakectl("replace", self.t.folder, "--remove", self.listed([self.files[n] for n in gone]), "--add", self.listed(come), *more)

    def snapshot(self):
        return self.t.metadata()[1]["current-snapshot-id"]

    def check(self, name):
        name = "v%d: %s" % (self.version, name)
        metadata = os.path.join(self.t.folder, "metadata", self.t.metadata()[0])
        rows = duckdb_connection().execute("SELECT id FROM iceberg_scan('%s') ORDER BY id" % metadata).fetchall()
        self.counts.equal(name + ": DuckDB", [r[0] for r in rows], sorted(self.live))
        if not self.by_values:                          # PyIceberg reads no equality deletes
            from pyiceberg.table import StaticTable
            self.counts.equal(name + ": PyIceberg", sorted(StaticTable.from_metadata(metadata).scan().to_arrow()["id"].to_pylist()),
                              sorted(self.live))
        if not os.path.exists(ORACLE):
            return self.counts.skip(name + ": official library", "it is not there")
        p = subprocess.run(["java", "-Xmx1g", "-jar", ORACLE, "dump-live", metadata], capture_output=True, timeout=600)
        j = json.loads(p.stdout)
        self.counts.equal(name + ": official library", j.get("error") or sorted(r["id"] for r in j["rows"]), sorted(self.live))

    def refused(self, name, result, code, word):
        status, out, err = result
        self.counts.equal("v%d: %s" % (self.version, name), (status, word in err), (code, True))


def kinds(counts, folder, version):
    c = Case(counts, folder, version)
    if version < 3:
        c.delete_positions((0, 1), (0, 3), (1, 0), (1, 0), (3, 4))
    else:
        vectors(c, {0: [1, 3], 1: [0], 3: [4]})
    c.delete_values(203, 302, 9999)
    c.check("before")
    read = c.snapshot()
    first = {i for i in c.live if i < 300}                      # files 0 to 2
    before = c.t.files()
    c.refused("a row too few", c.replace([0, 1, 2], [c.compacted(sorted(first)[1:])]), 4, "rows left")
    c.refused("a row too many", c.replace([0, 1, 2], [c.compacted(first | {777})]), 4, "rows left")
    c.refused("deleted rows again", c.replace([2], [c.compacted({200, 201, 202, 203, 204})]), 4, "rows left")
    c.refused("a snapshot that is not there", c.replace([0], [c.compacted({0})], "--read-snapshot", "5"), 3, "snapshot 5")
    metadata_of = lambda files: {k: v for k, v in files.items() if k.startswith("metadata")}
    counts.equal("v%d: nothing has changed" % version, metadata_of(c.t.files()), metadata_of(before))
    # Values deleted behind the read still go; the new files are older than that.
    c.delete_values(4, 104)
    status, out, err = c.replace([0, 1, 2], [c.compacted(first)], "--read-snapshot", str(read))
    counts.equal("v%d: replace" % version, (status, err), (0, ""))
    c.check("after, with values deleted meanwhile")
    counts.equal("v%d: operation" % version, json.loads(out)["operation"], "replace")
    counts.equal("v%d: rows in sum" % version, json.loads(out)["summary"]["total-records"], str(len(first) + 5))
    c.refused("a file that is gone", c.replace([0], [c.compacted({0, 2, 4})], "--read-snapshot", str(read)), 5, "meanwhile")
    c.refused("a file that was never there", lakectl("replace", c.t.folder, "--remove", c.listed([c.compacted({1})])), 3, "no live data file")


def vectors(c, by_file):
    out = c.path("v.puffin")
    with open(out, "wb") as f:
        f.write(puffin([(vector(rows), said(c.files[n], len(rows))) for n, rows in by_file.items()]))
    c.commit_deletes([out], "position-deletes")
    c.live -= {100 * n + k for n, rows in by_file.items() for k in rows}


def meanwhile(counts, folder, version):
    c = Case(counts, folder, version)
    read = c.snapshot()
    whole = [c.compacted({i for i in c.live if i < 200})]
    if version < 3:
        c.delete_positions((1, 2))
    else:
        vectors(c, {1: [2]})
    c.refused("rows deleted meanwhile", c.replace([0, 1], whole, "--read-snapshot", str(read)), 5, "would come back")
    c.check("after the refusal")
    status, out, err = c.replace([2, 3], [c.compacted({i for i in c.live if i >= 200})], "--read-snapshot", str(read))
    counts.equal("v%d: other files can be replaced" % version, (status, err), (0, ""))
    c.check("other files")
    status, out, err = c.replace([0], [c.compacted({0})], "--any-rows")
    c.live -= {1, 2, 3, 4}
    counts.equal("v%d: any rows" % version, (status, err), (0, ""))
    c.check("any rows")


def undone(counts, folder, version):
    """Deletes that were read are gone again after a rollback: the rows that came back must not be lost."""
    c = Case(counts, folder, version)
    back, live = c.snapshot(), set(c.live)
    if version < 3:
        c.delete_positions((0, 1))
    else:
        vectors(c, {0: [1]})
    c.delete_values(103)
    read = c.snapshot()
    name, j = c.t.metadata()
    j["current-snapshot-id"] = j["refs"]["main"]["snapshot-id"] = back
    with open(os.path.join(c.t.folder, "metadata", name), "w") as f:
        json.dump(j, f)
    for n, what in [(0, "positions"), (1, "values")]:
        whole = [c.compacted({i for i in c.live if i // 100 == n})]
        c.refused("a rollback: " + what, c.replace([n], whole, "--read-snapshot", str(read)), 5, "would be lost")
    c.live = live
    c.check("after a rollback")
    status, out, err = c.replace([2], [c.compacted({i for i in live if i // 100 == 2})], "--read-snapshot", str(read))
    counts.equal("v%d: a file without deletes after a rollback" % version, (status, err), (0, ""))
    c.check("another file after a rollback")


def rebuilt(counts, folder, version):
    """Statistics that were not recorded are, and all read the same rows as before."""
    c = Case(counts, folder, version, "--metrics", "none")
    if version < 3:
        c.delete_positions((0, 1), (0, 3), (1, 0))
    else:
        vectors(c, {0: [1, 3], 1: [0]})
    kept = lambda where: len(json.loads(must("plan", c.t.folder, "--where", where, "--format", "json")).get("file-scan-tasks", []))
    counts.equal("v%d: nothing is recorded" % version, kept("id = 302"), 4)
    c.check("before rebuild-stats")
    must("rebuild-stats", c.t.folder)
    c.check("after rebuild-stats")
    counts.equal("v%d: one file is left" % version, kept("id = 302"), 1)
    c.delete_values(302)
    must("rebuild-stats", c.t.folder, "--metrics", "counts")
    c.check("after rebuild-stats, values deleted")


def record(c, member, value):
    """The manifest of the first append says this of every file."""
    _, j = c.t.metadata()
    with open(j["snapshots"][0]["manifest-list"], "rb") as f:
        path = next(fastavro.reader(f))["manifest_path"]
    with open(path, "rb") as f:
        r = fastavro.reader(f)
        schema, head, entries = r.writer_schema, {k: v for k, v in r.metadata.items() if not k.startswith("avro.")}, list(r)
    for e in entries:
        e["data_file"][member] = value
    with open(path, "wb") as f:
        fastavro.writer(f, schema, entries, metadata=head)


def absurd(counts, folder, version):
    """Sizes and numbers of rows beyond all sense are no reason to crash, nor to take all memory."""
    c = Case(counts, folder, version)
    record(c, "record_count", 2 ** 63 - 1)
    c.refused("more rows than a number holds", c.replace([0, 1], [c.compacted({0})]), 4, "more than 2^63 rows")
    record(c, "record_count", 10 ** 13)
    c.delete_positions((0, 1))
    c.refused("more rows than are looked at", c.replace([0], [c.compacted({0})]), 4, "rows: at most")
    record(c, "record_count", 5)
    record(c, "file_size_in_bytes", -2 ** 63)
    status, out, err = lakectl("rebuild-stats", c.t.folder)
    counts.equal("v%d: absurd sizes are mended" % version, (status, err), (0, ""))
    counts.equal("v%d: no total of absurd sizes" % version, json.loads(out)["summary"].get("total-files-size"), None)
    c.check("after absurd numbers")


def main():
    counts = Counts()
    for n, (job, v) in enumerate([(kinds, 2), (kinds, 3), (meanwhile, 2), (meanwhile, 3), (undone, 2), (undone, 3),
                                    (rebuilt, 2), (rebuilt, 3), (absurd, 2)]):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-replace."))
        try:
            job(counts, folder, v)
        except (LakectlFailed, OSError, KeyError, ValueError, subprocess.SubprocessError) as e:
            counts.fail("job %d" % n, "%s: %s" % (type(e).__name__, e))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
