#!/usr/bin/env python3
"""DataFusion as a peer for row groups and pages: on random Parquet files lakectl never keeps more row groups, nor more rows by
pages, than DataFusion says (EXPLAIN ANALYZE) that it reads.

  datafusion_peer.py [--seed N] [--tables N] [--predicates N]

Files have fewer than 1000 rows, since DataFusion rounds larger numbers. A predicate that DataFusion refuses is counted and left out;
so is one that leaves its plan without a scan."""
import os, re, shutil, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from icevalues import *
from rowgroups import Paged, order_key
from interop import field, draw
import predicates as pr
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


def metric(text, name):
    m = re.search(name + r"=(\d+) total → (\d+) matched", text)
    return (int(m[1]), int(m[2])) if m else None


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
    plan = "".join(context.sql("EXPLAIN ANALYZE SELECT id FROM t WHERE " + sql).to_pydict()["plan"])
    if "DataSourceExec" not in plan:
        return None
    scan = plan[plan.index("DataSourceExec"):]
    stats, bloom = metric(scan, "row_groups_pruned_statistics"), metric(scan, "row_groups_pruned_bloom_filter")
    rows = re.search(r"output_rows=(\d+)[,\]]", scan)
    files = metric(scan, "files_ranges_pruned_statistics")
    if files and files[1] == 0:
        return 0, 0
    return min(stats[1], bloom[1]) if stats and bloom else None, int(rows[1]) if rows else None


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
            p = pr.predicate(w.r, w.columns, rows)
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
        for (q, p, peer), a in zip(todo, plan_cases([t[0] for t in todo], [])):
            groups = [g for t in a.get("files", []) for g in t["groups"]]
            kept = sum(c for g in groups for _, c in g["ranges"])
            totals["compared"] += 1
            for key, v in (("groups", len(groups)), ("datafusion's groups", peer[0]), ("rows", kept), ("datafusion's rows", peer[1]),
                           ("matching", sum(pr.truth(p, row, True, True) is True for row in rows))):
                totals[key] += v
            bad = a.get("message") or (len(groups) > peer[0] and "%d row groups, DataFusion reads %d" % (len(groups), peer[0])) or (
                kept > peer[1] and "%d rows, DataFusion reads %d" % (kept, peer[1]))
            counts.check(w.name, bad and "%s\n  %s" % (bad, short(q["predicate"], 600)))
    print("seed %d: %s" % (seed, ", ".join("%s %d" % x for x in totals.items())))
    if totals["compared"] < tables * predicates / 4:
        counts.fail("seed %d" % seed, "only %d predicates were compared" % totals["compared"])


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(12)
    if SessionContext is None:
        counts.skip("DataFusion", "the Python package datafusion is not installed")
        return counts.finish()
    folder = tempfile.mkdtemp(prefix="lake-datafusion.")
    try:
        run(counts, option("--seed", 1), option("--tables", 12), option("--predicates", 80), os.path.realpath(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
