#!/usr/bin/env python3
"""The corpus' cases against PyIceberg and DuckDB: lakectl keeps no file that a peer drops rightly.

  peer_cases.py [--full] [--without-pyiceberg] [--without-duckdb] [TABLE...]       without --full: every 25th case

Rightly: the peer keeps every file that holds a matching row. PyIceberg gets the case's JSON, DuckDB its SQL; lakectl gets the same, and for
DuckDB is told that NaN is the largest number. What a peer cannot express (transforms as terms are the most of it) or read is counted.
PyIceberg pushes NOT down to the leaves, after which null and NaN count otherwise; so lakectl's JSON has no NOT here. DuckDB opens what it
keeps, so that it cannot plan the tables without data files; of those that it keeps it names five, and counts the others."""
import collections, os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from interop import duckdb_connection
from peer_kinds import operators, pyiceberg_filter
import play
from pyiceberg.io.pyarrow import PyArrowFileIO

HEAD = "s3://lake-corpus/"
NO_DATA = re.compile("metrics_random_")


def local(path):
    return os.path.join(CORPUS, path[len(HEAD):]) if path.startswith(HEAD) else path


class CorpusIO(PyArrowFileIO):
    def new_input(self, location):
        return super().new_input(local(location))


def bytes_by_type(f, types):
    """The JSON with hex of binary and fixed columns as bytes, which PyIceberg wants."""
    if isinstance(f, bool):
        return f
    f = dict(f)
    for k in ("left", "right", "child"):
        if k in f:
            f[k] = bytes_by_type(f[k], types)
    t = types.get(f.get("term") if isinstance(f.get("term"), str) else None, "")
    if t == "binary" or t.startswith("fixed"):
        f.update({"value": bytes.fromhex(f["value"])} if "value" in f else {})
        f.update({"values": [bytes.fromhex(v) for v in f["values"]]} if "values" in f else {})
    return f


OPPOSITE = {"eq": "not-eq", "lt": "gt-eq", "gt": "lt-eq", "in": "not-in", "is-null": "not-null", "is-nan": "not-nan", "starts-with": "not-starts-with",
            "and": "or"}
OPPOSITE.update({v: k for k, v in OPPOSITE.items()})


def pushed_down(f, negated=False):
    """Without NOT: the opposite test at the leaves."""
    if isinstance(f, bool):
        return f != negated
    if f["type"] == "not":
        return pushed_down(f["child"], not negated)
    f = dict(f, type=OPPOSITE[f["type"]] if negated else f["type"])
    for k in ("left", "right"):
        if k in f:
            f[k] = pushed_down(f[k], negated)
    return f


def has_transform(f):
    return isinstance(f, dict) and (isinstance(f.get("term"), dict) or any(has_transform(f.get(k)) for k in ("left", "right", "child")))


class PyIceberg:
    name, form, nan = "PyIceberg", "filter", "iceberg"

    def __init__(self):
        self.tables = {}

    def table(self, metadata):
        if metadata not in self.tables:
            from pyiceberg.table import StaticTable
            self.tables[metadata] = StaticTable.from_metadata(metadata, {"py-io-impl": "peer_cases.CorpusIO"})
        return self.tables[metadata]

    def plan(self, c):
        """The files kept and their number, or why there are none."""
        from pyiceberg.expressions import AlwaysFalse, AlwaysTrue
        if has_transform(c["filter"]):
            return "transforms as terms"
        t = self.table(c["metadata"])
        types = {f.name: str(f.field_type) for f in t.schema().fields}
        f = bytes_by_type(c["filter"], types)
        f = (AlwaysTrue() if f else AlwaysFalse()) if isinstance(f, bool) else pyiceberg_filter(f)
        scan = t.scan(row_filter=f, snapshot_id=c["snapshot_id"], case_sensitive=c["case_sensitive"])
        kept = {x.file.file_path for x in scan.plan_files()}
        return kept, len(kept)


class DuckDB:
    name, form, nan = "DuckDB", "where", "largest"

    def __init__(self):
        self.duck = None

    def connect(self):
        from fsspec.implementations.local import LocalFileSystem

        class Mapped(LocalFileSystem):
            protocol = ("s3",)

            @classmethod
            def _strip_protocol(cls, path):
                return super()._strip_protocol(local(path))
        self.duck = duckdb_connection()
        self.duck.register_filesystem(Mapped())

    def plan(self, c):
        if NO_DATA.search(c["metadata"]):
            return "tables without data files"
        if "/codecs/" in c["metadata"]:
            return "a codec on which the process ends"
        if re.search(r"\b(bucket|truncate|years|months|days|hours)\(", c["where"]):
            return "transforms as functions"
        at = "" if c["snapshot_id"] is None else ", snapshot_from_id => %d" % c["snapshot_id"]
        where = re.sub(r'((?:"[^"]*"|[\w.])+) IS (NOT |)NAN', lambda m: "%sisnan(%s)" % (m[2], m[1]), c["where"])
        where = re.sub(r"\bX'([0-9a-fA-F]*)'", r"unhex('\1')", where)
        scan = "FROM iceberg_scan('%s'%s) WHERE %s" % (c["metadata"], at, where)
        if self.duck is None:
            self.connect()
        try:
            return self.ask(scan)
        except Exception as e:
            if "INTERNAL" in str(e):           # the database is of no use any more
                self.duck = None
            raise

    def ask(self, scan):
        plan = json.loads(self.duck.execute("EXPLAIN (ANALYZE, FORMAT json) SELECT * " + scan).fetchall()[0][1])
        infos = [n["extra_info"] for n in operators(plan) if "Total Files Read" in n.get("extra_info", {})]
        if not infos:
            return set(), 0
        n = int(infos[0]["Total Files Read"])
        if n <= 5:
            names = infos[0].get("Filename(s)", "")
            return set(re.split(r", (?=s3://)", names) if names else ()), n
        # All that is known: those that rows came from.
        return {f for f, in self.duck.execute("SELECT DISTINCT filename " + scan).fetchall()}, n


def beyond(ours, known, n, may):
    """What lakectl keeps beyond the peer's n files, some of which are known; a set of files, or of a number."""
    if len(known) == n:
        return ours - known - may
    return {"%d files" % len(ours)} if len(ours) > n and len(ours - may) > n - len(known & may) else set()


def compare(counts, peer, cases):
    totals = collections.Counter()
    requests = [dict(play.request(c, peer.form), nan=peer.nan) for c in cases]
    for r in requests if peer.form == "filter" else ():
        r["predicate"] = json.dumps(pushed_down(json.loads(r["predicate"])))
    for c, a in zip(cases, plan_cases(requests, [MAP])):
        try:
            got = peer.plan(c)
        except Exception as e:
            got = "%s: %s" % (type(e).__name__, str(e)[:60].split("\n")[0])
        if isinstance(got, str):
            totals["left out: " + got] += 1
            continue
        known, n = got
        if "error" in a:
            counts.fail("%s, %s" % (c["name"], peer.name), a["message"])
            continue
        true = play.true_files(c, peer.form)
        ours = {t["path"] for t in a["files"]}
        totals["compared"] += 1
        totals["lakectl's files"] += len(ours)
        totals["the peer's files"] += n
        whole = len(known) == n
        if n < len(true) or (whole and true - known):
            totals["the peer drops matching rows"] += 1
            continue
        if c["filter"] is True:                # no predicate: a file without rows stays, in the official library, too
            totals["the whole table"] += 1
            continue
        may = true | set(c.get("java_misses", [])) | set(play.note(c, "may_keep", peer.form) or [])
        more = beyond(ours, known, n, may)
        if more and peer.nan == "largest":     # is it for a NaN that nothing rules out?
            again = next(plan_cases([dict(play.request(c, peer.form), nan="iceberg")], [MAP]))
            more = beyond({t["path"] for t in again["files"]}, known, n, may)
            totals["kept for a NaN that may be there"] += not more
        totals["lakectl keeps fewer"] += len(ours) < n
        counts.check("%s, %s" % (c["name"], peer.name), more and "lakectl keeps %d files, %s %d: %s\n  %s" % (
            len(ours), peer.name, n, sorted(more)[:3], short(c[peer.form], 500)))
    return totals


def main():
    args = sys.argv[1:]
    tables = [a for a in args if not a.startswith("--")]
    cases = [c for c in play.load(tables) if not c["java_error"]]
    cases = cases if "--full" in args else cases[::25]
    counts = Counts(40)
    sys.path.insert(0, HERE)
    for peer in [p() for p in (PyIceberg, DuckDB) if "--without-" + p.name.lower() not in args]:
        totals = compare(counts, peer, cases)
        print("%s, of %d cases: %s" % (peer.name, len(cases), ", ".join("%s %d" % x for x in sorted(totals.items()))))
        if not tables and totals["compared"] < len(cases) / 3:
            counts.fail(peer.name, "only %d of %d cases were compared" % (totals["compared"], len(cases)))
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
