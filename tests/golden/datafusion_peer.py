#!/usr/bin/env python3
"""DataFusion as a peer for row groups and pages: on random Parquet files lakectl never keeps more row groups, nor more rows by
pages, than DataFusion says in its metrics that it reads.

  datafusion_peer.py [--seed N] [--tables N] [--predicates N]

The same on TPC-H's lineitem as DuckDB, pyarrow and DataFusion write it, and on the corpus' files of other writers. A predicate that DataFusion refuses is counted and left
out; so is one that leaves its plan without a scan."""
import glob, os, random, re, shutil, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from icevalues import *
from bruteforce import on_row
from rowgroups import Foreign, Paged, drawn, order_key
from interop import field, draw
import predicates as pr
import pyarrow as pa
import pyarrow.parquet as pq
try:
    from datafusion import SessionConfig, SessionContext
except ImportError:
    SessionContext = None

TYPES = ["int", "long", "double", "date", "string", "string", "decimal(9, 2)", "decimal(18, 4)", "timestamp", "timestamptz", "boolean"]


class Flat(Paged):
    """One unpartitioned file of types that both know, whose manifest has no bounds: only the footer prunes. It has counts of NaN: a
    footer has none, and then a NaN, for which x > 5 is true, cannot be ruled out (DataFusion does, and is wrong)."""

    def draw_rows(self):
        r = self.r
        types = r.sample(TYPES, 6)
        self.fields = [field(1, "id", "long", True)] + [field(k + 2, "c%d" % k, t) for k, t in enumerate(types)]
        self.columns = [pr.Column(f["name"], f["type"], (f["name"],)) for f in self.fields]
        self.spec, self.mode = [], "counts"
        pools = {f["name"]: [0.5 if x != x else x for x in (draw(r, f["type"]) for _ in range(r.choice([5, 30, 200])))] for f in self.fields}
        rows = []
        for n in range(r.choice([300, 900])):
            rows.append(dict({f["name"]: None if r.random() < 0.05 else r.choice(pools[f["name"]]) for f in self.fields[1:]}, id=n))
        by = r.choice(self.columns)
        noise, some = r.choice([0, 0.05]), list(rows)
        rows.sort(key=lambda x: order_key(by, x if r.random() >= noise else r.choice(some)))
        self.files = [rows]


def to_sql(p):
    """With casts where DataFusion would else compare doubles as decimals."""
    plain = pr.sql_value
    pr.sql_value = lambda t, v: "CAST('%r' AS DOUBLE)" % v if t in pr.FLOATS else plain(t, v)
    try:
        return pr.to_sql(p)
    finally:
        pr.sql_value = plain


def ask(context, sql):
    """(row groups, rows) that DataFusion reads; None: no scan is left in its plan."""
    plan = context.sql("SELECT * FROM t WHERE " + sql).execution_plan()
    for _ in context.execute(plan, 0):
        pass
    while plan.children():
        plan = plan.children()[0]
    if not plan.display().startswith("DataSourceExec"):
        return None
    groups = {}                                # row groups left after each step, of those that came to it
    for m in plan.metrics().metrics():
        found = re.match(r"(\d+) total → (\d+) matched", str(m))
        if found and m.name in ("row_groups_pruned_statistics", "row_groups_pruned_bloom_filter", "files_ranges_pruned_statistics"):
            groups[m.name] = max(groups.get(m.name, (0, 0)), (int(found[1]), int(found[2])))
    if groups.get("files_ranges_pruned_statistics") == (1, 0):
        return 0, 0
    stats, bloom = groups.get("row_groups_pruned_statistics"), groups.get("row_groups_pruned_bloom_filter")
    return (min(stats[1], bloom[1]) if bloom[0] else stats[1], plan.metrics().output_rows or 0) if stats and stats[0] else None


def compare(counts, name, todo, totals):
    """todo: (request, anything, what DataFusion reads)"""
    for (q, _, peer), a in zip(todo, plan_cases([t[0] for t in todo], [])):
        groups = [g for t in a.get("files", []) for g in t["groups"]]
        kept = sum(c for g in groups for _, c in g["ranges"])
        totals["compared"] += 1
        for key, v in (("groups", len(groups)), ("datafusion's groups", peer[0]), ("rows", kept), ("datafusion's rows", peer[1])):
            totals[key] += v
        bad = a.get("message") or (len(groups) > peer[0] and "%d row groups, DataFusion reads %d" % (len(groups), peer[0])) or (
            kept > peer[1] and "%d rows, DataFusion reads %d" % (kept, peer[1]))
        counts.check(name, bad and "%s\n  %s" % (bad, short(q["predicate"], 600)))


def run(counts, seed, tables, predicates, folder):
    totals = dict.fromkeys(("compared", "refused", "without scan", "groups", "datafusion's groups", "rows", "datafusion's rows", "matching"), 0)
    for n in range(tables):
        w = Flat(seed, n, folder)
        try:
            w.make()
        except LakectlFailed as e:
            counts.fail(w.name, str(e))
            continue
        path, rows = next(iter(w.rows.items()))
        config = SessionConfig().with_target_partitions(1).set("datafusion.execution.parquet.pushdown_filters", "false")
        config = config.set("datafusion.sql_parser.parse_float_as_decimal", "true")  # else it compares decimals inexactly
        context = SessionContext(config)
        context.register_parquet("t", path)
        todo = []
        for k in range(predicates):
            p = drawn(w.r, w.columns, rows, plain=True)  # casts: engines differ in what does not fit
            try:
                peer = ask(context, to_sql(p))
            except BaseException as e:
                if isinstance(e, KeyboardInterrupt):
                    raise
                totals["refused"] += 1
                continue
            if peer is None or peer[0] is None or peer[1] is None:
                totals["without scan"] += 1
                continue
            todo.append(({"name": str(k), "metadata": w.metadata, "nan": "largest", "form": "groups", "predicate": pr.to_sql(p)}, p, peer))
        compare(counts, w.name, todo, totals)
        totals["matching"] += sum(on_row(p, row, True, True, False) is True for _, p, _ in todo for row in rows)
    print("seed %d: %s" % (seed, ", ".join("%s %d" % x for x in totals.items())))
    if totals["compared"] < tables * predicates / 4:
        counts.fail("seed %d" % seed, "only %d predicates were compared" % totals["compared"])


# ---------------------------------------------------------------- TPC-H
WHERE = """l_shipdate <= DATE '1998-09-02'
l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24
l_shipmode IN ('MAIL', 'SHIP') AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'
l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'
l_shipinstruct = 'DELIVER IN PERSON' AND l_shipmode IN ('AIR', 'AIR REG') AND l_quantity >= 1 AND l_quantity <= 11
l_shipmode = 'TRAM'
l_shipmode IN ('MAIM', 'SHIQ', 'TRUCE')
l_orderkey = 12356
l_orderkey = 12355
l_orderkey IN (1, 7, 32, 33, 59, 60, 61)
l_orderkey BETWEEN 1000 AND 1100
l_orderkey < 0
l_partkey = 555 AND l_suppkey = 7
l_partkey = 1999999
l_suppkey IN (101, 102, 103)
l_comment = 'furiously'
l_comment >= 'zzz'
l_extendedprice > 95000
l_extendedprice = 1234.56
l_tax = 0.09
l_returnflag = 'R' AND l_linestatus = 'O'
NOT (l_shipdate > DATE '1992-03-01')
l_shipdate = DATE '1992-01-01' OR l_orderkey = 42
l_commitdate IS NULL
l_quantity <> 10 AND l_shipdate < DATE '1992-02-01'
l_receiptdate > DATE '1998-12-20' AND l_orderkey > 20000""".split("\n")


def lineitem(folder):
    """(name, path) of the files, or None without DuckDB's extension."""
    try:
        import duckdb, duckdb_extension_tpch
    except ImportError:
        return None
    db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    db.execute("LOAD '%s'" % glob.glob(os.path.dirname(duckdb_extension_tpch.__file__) + "/**/*.duckdb_extension", recursive=True)[0])
    db.execute("CALL dbgen(sf = 0.02)")
    files = [(n, os.path.join(folder, n + ".parquet")) for n in ("duckdb", "duckdb-by-date", "pyarrow", "pyarrow-by-date", "datafusion")]
    for (_, path), order in zip(files[:2], ("l_orderkey", "l_shipdate")):
        db.execute("COPY (FROM lineitem ORDER BY %s) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 6144)" % (order, path))
    for (_, path), source in zip(files[2:4], files):
        pq.write_table(pq.read_table(source[1]), path, row_group_size=10000, write_page_index=True, max_rows_per_page=500, version="2.6",
                       bloom_filter_options={c: {"ndv": 20000} for c in ("l_orderkey", "l_partkey", "l_comment", "l_shipmode", "l_shipdate")})
    context = SessionContext(SessionConfig().with_target_partitions(1))
    context.register_parquet("t", files[1][1])
    context.sql("COPY (SELECT * FROM t ORDER BY l_shipdate) TO '%s' STORED AS PARQUET OPTIONS ('format.bloom_filter_on_write' true, "
                "'format.max_row_group_size' 8192, 'format.data_page_row_count_limit' 500, 'format.statistics_enabled' page)"
                % files[4][1]).collect()
    return files


def tpch(counts, folder):
    files = lineitem(folder)
    if files is None:
        counts.skip("TPC-H", "the Python package duckdb-extension-tpch is not installed")
        return
    totals = dict.fromkeys(("compared", "groups", "datafusion's groups", "rows", "datafusion's rows"), 0)
    for name, path in files:
        table = os.path.join(folder, name)
        must("create", table, "--schema", path, "--property", "write.metadata.metrics.default=none")
        must("append", table, path)
        context = SessionContext(SessionConfig().with_target_partitions(1).set("datafusion.sql_parser.parse_float_as_decimal", "true"))
        context.register_parquet("t", path)
        metadata = os.path.join(table, "metadata", "v2.metadata.json")
        todo = [({"name": sql, "metadata": metadata, "form": "groups", "predicate": sql}, None, ask(context, sql)) for sql in WHERE]
        compare(counts, name, [t for t in todo if t[2]], totals)
    print("TPC-H: %s" % ", ".join("%s %d" % x for x in totals.items()))


# ---------------------------------------------------------------- files of the corpus
def corpus(counts, seed, folder):
    """Files of other writers; without doubles, of which a footer has no counts of NaN (see Flat)."""
    files, r = sorted(glob.glob(os.path.join(CORPUS, "given", "metrics", "*.parquet"))), random.Random(seed)
    if not files:
        counts.skip("DataFusion on the corpus", "no corpus in %s" % CORPUS)
        return
    totals = dict.fromkeys(("files", "compared", "refused", "without scan", "groups", "datafusion's groups", "rows", "datafusion's rows"), 0)
    for path in files:
        try:
            w = Foreign(path, folder)
        except (LakectlFailed, OSError, TypeError, ValueError, KeyError, AttributeError, OverflowError, pa.ArrowException):
            continue
        columns = [c for c in w.columns if c.type in TYPES and c.type != "double" and len(c.path) == 1]
        if not columns or not w.rows[path]:
            continue
        totals["files"] += 1
        config = SessionConfig().with_target_partitions(1).set("datafusion.execution.parquet.pushdown_filters", "false")
        context = SessionContext(config.set("datafusion.sql_parser.parse_float_as_decimal", "true"))  # else it compares decimals inexactly
        context.register_parquet("t", path)
        todo = []
        for k in range(25):
            p = drawn(r, columns, w.rows[path], plain=True)
            try:
                peer = ask(context, to_sql(p))
            except BaseException as e:
                if isinstance(e, KeyboardInterrupt):
                    raise
                totals["refused"] += 1
                continue
            if peer is None or None in peer:
                totals["without scan"] += 1
                continue
            todo.append(({"name": str(k), "metadata": w.metadata, "nan": "largest", "form": "groups", "predicate": pr.to_sql(p)}, p, peer))
        compare(counts, os.path.basename(path), todo, totals)
    print("corpus: %s" % ", ".join("%s %d" % x for x in totals.items()))
    counts.check("files of the corpus", totals["compared"] < 200 and "only %d predicates were compared" % totals["compared"])


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(12)
    if SessionContext is None:
        counts.skip("DataFusion", "the Python package datafusion is not installed")
        return counts.finish()
    folder = tempfile.mkdtemp(prefix="lake-datafusion.")
    try:
        tpch(counts, os.path.realpath(folder))
        corpus(counts, option("--seed", 1), os.path.realpath(folder))
        run(counts, option("--seed", 1), option("--tables", 12), option("--predicates", 80), os.path.realpath(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
