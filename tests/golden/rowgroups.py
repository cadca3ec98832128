#!/usr/bin/env python3
"""Row groups and pages by brute force: random Parquet files with small row groups and pages, page indexes, Bloom filters and
dictionaries, in tables that lakectl makes, and random predicates.

  rowgroups.py [--seed N] [--tables N] [--predicates N] [--keep DIR]

With --explain each leaf alone is asked about row groups: what it prunes holds no row of it. --count and --limit by row groups hold.
A row that matches is never outside the row ranges of a plan with row groups; a row group that is said to match wholly (in its
ranges) holds no other row; ranges are ascending, apart, inside their row group; what is kept is never more than without."""
import glob, json, os, random, shutil, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from icevalues import *
from bruteforce import World, on_row
from interop import draw, PRIMITIVES
import predicates as pr
import pyarrow as pa
import pyarrow.parquet as pq


class Paged(World):
    """A table of few files with many small row groups and pages."""

    def draw_rows(self):
        r = self.r
        self.spec = self.spec if r.random() < 0.3 else []
        pools = {f["name"]: [draw(r, f["type"]) for _ in range(r.choice([2, 5, 30, 200]))] for f in self.fields[:-1]}
        inner = [draw(r, "int") for _ in range(30)], [draw(r, "string") for _ in range(30)]
        dense = {f["name"] for f in self.fields if r.random() < 0.4}          # no nulls
        rows = []
        for n in range(r.choice([200, 600, 1000])):
            row = {}
            for f in self.fields[1:-1]:
                v = self.value(f["type"], pools[f["name"]])
                row[f["name"]] = r.choice(pools[f["name"]]) if v is None and f["name"] in dense else v
            row["id"] = n
            row["s"] = None if r.random() < 0.1 else {"Inner x": self.value("int", inner[0]), "y": self.value("string", inner[1])}
            rows.append(row)
        source = {f["name"]: f["type"] for f in self.fields}
        groups = {}
        for row in rows:
            key = repr(seal([apply(tr, source[s], row[s]) for s, tr in self.spec]))
            groups.setdefault(key, []).append(row)
        self.files = []
        for rows in groups.values():
            by, noise = r.choice(self.columns), r.choice([0, 0.05, 1])
            some = list(rows)
            rows.sort(key=lambda x: order_key(by, x if r.random() >= noise else r.choice(some)))
            cut = len(rows) if r.random() < 0.6 else max(1, len(rows) // 2)
            self.files += [rows[k:k + cut] for k in range(0, len(rows), cut)]

    def make(self):
        r, real = self.r, pq.write_table
        leaves = [".".join(c.path) for c in self.columns]

        def write(table, path, **kw):
            # A Bloom filter with room for few values gives false positives, too.
            blooms = {c: {"ndv": r.choice([1, 50, 2000]), "fpp": r.choice([0.5, 0.01])} for c in leaves if r.random() < 0.5
                      and self.columns[leaves.index(c)].type != "boolean"}
            kw.update(row_group_size=r.choice([7, 50, 200, 10000]), write_page_index=r.random() < 0.85,
                      max_rows_per_page=r.choice([1, 5, 20, 100]), use_dictionary=r.choice([True, False, r.sample(leaves, 3)]),
                      data_page_size=r.choice([64, 1024, 1 << 20]), write_batch_size=r.choice([1, 7, 64, 1024]),
                      write_statistics=r.random() < 0.9 or r.sample(leaves, 4),
                      version="2.6" if any(f["type"] in NS for f in self.fields) else r.choice(["1.0", "2.4", "2.6"]),
                      store_decimal_as_integer=r.random() < 0.5, bloom_filter_options=blooms or None)
            if r.random() < 0.2:
                kw["dictionary_pagesize_limit"] = 64                          # falls back to plain pages
            real(older(r, table), path, **kw)
        pq.write_table = write
        try:
            super().make()
        finally:
            pq.write_table = real

    def group_rows(self, path):
        meta = pq.ParquetFile(path).metadata
        return [meta.row_group(k).num_rows for k in range(meta.num_row_groups)]


def older(r, table):
    """As the file of a table whose columns have been promoted since: narrower types for some columns whose values allow it."""
    narrow = {pa.int64(): pa.int32(), pa.float64(): pa.float32(), pa.decimal128(18, 4): pa.decimal128(12, 4),
              pa.timestamp("us"): pa.timestamp("ms"), pa.timestamp("us", "UTC"): pa.timestamp("ms", "UTC")}
    for i, f in enumerate(table.schema):
        if f.type in narrow and r.random() < 0.4:
            try:
                column = table.column(i).cast(narrow[f.type])
            except pa.ArrowInvalid:
                continue
            back = column.cast(f.type)
            if all(a == b or a != a for a, b in zip(back.to_pylist(), table.column(i).to_pylist())):
                table = table.set_column(i, pa.field(f.name, narrow[f.type], f.nullable, f.metadata), column)
    return table


def order_key(c, row):
    v = c.of(row)
    if isinstance(v, float):
        v = (1, 0.0) if v != v else (0, v)
    return (v is not None, v if v is not None else 0) if not isinstance(v, tuple) else (True, *v)


def drawn(r, columns, rows, plain=False):
    """A predicate that can be told as SQL; plain: without casts, arithmetic and parts of dates."""
    while True:
        p = pr.predicate(r, columns, rows)
        try:
            pr.to_sql(p)
        except ValueError:                     # a year beyond 9999
            continue
        if not plain or not has_function(p):
            return p


def plain_leaf(w, rows):
    while True:
        p = pr.leaf(w.r, w.columns, rows)
        if not has_function(p) and "--" not in pr.to_sql(p):
            return p


def has_function(p):
    return any(isinstance(x, tuple) and (has_function(x) or len(x) == 2 and isinstance(x[1], tuple) and isinstance(x[0], pr.Column))
               for x in p)


def bad_ranges(g):
    at = -1
    for first, n in g["ranges"]:
        if n <= 0 or first <= at or first + n > g["rows"]:
            return "row group %d of %d rows has the ranges %s" % (g["index"], g["rows"], short(g["ranges"], 300))
        at = first + n
    return None


def judge(w, p, largest, answer, totals, narrow=False):
    if "error" in answer:
        return "%s: %s" % (answer["error"], answer["message"])
    kept = {t["path"][7:] if t["path"].startswith("file://") else t["path"]: t for t in answer["files"]}
    for path, rows in w.rows.items():
        truths = [on_row(p, row, True, largest, narrow) for row in rows]
        wanted = {n for n, x in enumerate(truths) if x is True}
        other = {n for n, x in enumerate(truths) if x is not True and x != "?"}
        t = kept.get(path)
        totals["matching"] += len(wanted)
        if t is None:
            if wanted:
                return "dropped %s, whose row %d matches" % (path, min(wanted))
            continue
        seen = set()
        for g in t["groups"]:
            bad = bad_ranges(g)
            if bad:
                return "%s: %s" % (path, bad)
            here = {g["first"] + first + k for first, n in g["ranges"] for k in range(n)}
            totals["rows"] += len(here)
            totals["all"] += g["match"] == "all"
            if g["match"] == "all" and here & other:
                return "%s: row group %d is said to match wholly, but not row %d" % (path, g["index"], min(here & other))
            seen |= here
        if wanted - seen:
            n = min(wanted - seen)
            return "%s: row %d matches and is outside all ranges: %s" % (path, n, short({k: str(v) for k, v in rows[n].items()}, 400))
    return None


def run(counts, seed, tables, predicates, folder):
    totals = dict.fromkeys(("matching", "rows", "all", "all rows", "groups", "kept", "statistics", "bloom", "dictionary", "paged",
                            "pages", "kept pages", "plans", "leaves", *("leaf " + k for k in PRUNED), "exact counts", "limits"), 0)
    for n in range(tables):
        w = Paged(seed, n, folder)
        what = "%s (v%d, partitioned by %s, metrics %s)" % (w.name, w.version, w.spec, w.mode)
        try:
            w.make()
        except LakectlFailed as e:
            counts.fail(what, str(e))
            continue
        counts.ok()
        rows = [r for f in w.files for r in f]
        requests, meant = [], []
        for k in range(predicates):
            p = drawn(w.r, w.columns, rows)
            largest = w.r.random() < 0.15
            requests.append({"name": "%d" % k, "metadata": w.metadata, "nan": "largest" if largest else "iceberg", "form": "groups",
                             "predicate": pr.to_sql(p)})
            meant.append((p, largest))
        try:
            for q, (p, largest), a in zip(requests, meant, plan_cases(requests, [], threads=2)):
                bad = judge(w, p, largest, a, totals, totals["plans"] % 2)
                counts.check(what, bad and "%s\n  %s%s" % (bad, "NaN largest: " if largest else "", short(q["predicate"], 700)))
                if "error" in a:
                    continue
                c = a["counts"]
                for key, v in zip(("groups", "kept", "statistics", "bloom", "dictionary", "paged"), c["groups"]):
                    totals[key] += v
                totals["pages"] += c["pages"][0]
                totals["kept pages"] += c["pages"][1]
                totals["plans"] += 1
                totals["all rows"] += len(rows)
                if c["doubtful"]:
                    counts.fail(what, "%d statistics or indexes of a sound file are doubtful\n  %s" % (c["doubtful"], short(q["predicate"], 300)))
            for k in range(predicates // 12):
                explained(counts, w, plain_leaf(w, rows) if k % 3 else drawn(w.r, w.columns, rows), k % 3, totals)
        except LakectlFailed as e:
            counts.fail(what, str(e))
    print("seed %d: %s" % (seed, ", ".join("%s %d" % x for x in totals.items())))
    for key in ("statistics", "bloom", "dictionary", "paged", *("leaf " + k for k in PRUNED), "exact counts", "limits"):
        if totals["plans"] > 500 and not totals[key]:
            counts.fail("seed %d" % seed, "nothing of this: %s" % key)


# ---------------------------------------------------------------- explanations, counts and limits
PRUNED = ("statistics", "bloom-filter", "dictionary", "pages")
KEPT = ("whole", "no-statistics", "not-evaluated", "overlapping")


def bad_leaf(w, leaf, p, total):
    """What a leaf does alone; p: the leaf as a predicate, where it is known."""
    g = leaf["row-groups"]
    pruned = sum(g["pruned-by-" + k] for k in PRUNED)
    if g["asked"] != total:
        return "asked about %d of %d row groups" % (g["asked"], total)
    if "opaque" not in leaf and pruned + sum(g[k] for k in KEPT) != g["asked"] and pruned + sum(g[k] for k in KEPT):
        return "does not add up: %s" % g
    if g["not-evaluated"] or g["rows-pruned-by-pages"] > g["rows-asked"]:
        return str(g)
    if p is None:
        return None
    none = whole = 0
    for path, rows in w.rows.items():
        at = 0
        for n in w.group_rows(path):
            truths = [on_row(p, row, True, False, False) for row in rows[at:at + n]]
            none += not any(x is True or x == "?" for x in truths)
            whole += all(x is True for x in truths)
            at += n
    if pruned > none:
        return "prunes %d row groups, but only %d have no row: %s" % (pruned, none, g)
    return "%d row groups whole, but only %d are" % (g["whole"], whole) if g["whole"] > whole else None


def explained(counts, w, p, single, totals):
    """--explain changes nothing of a plan, and each leaf alone prunes what it may; counts and limits by row groups hold."""
    what, sql = w.name + " explained", pr.to_sql(p)
    plan = lambda *more: json.loads(must("plan", w.folder, "--where=" + sql, "--row-groups", "--format", "json", *more))
    plain, told = plan(), plan("--explain", "--threads", "3")
    metrics = lambda d: {k: v["value"] for k, v in d["scan-report"]["metrics"].items() if "value" in v}
    bad = plain["file-scan-tasks"] != told["file-scan-tasks"] and "--explain changes the tasks"
    bad = bad or metrics(plain) != metrics(told) and "--explain changes %s" % [(a, b) for a, b in zip(metrics(plain).items(), metrics(told).items()) if a != b]
    m, e = metrics(told), told["explain"]
    single = single and len(e["leaves"]) == 1
    opened = m["total-row-groups"] - sum(d["reason"] == "the row group has no records" for d in e["row-groups"])
    for leaf in e["leaves"]:
        bad = bad or bad_leaf(w, leaf, p if single and m["opened-footers"] == len(w.rows) else None, opened)
        g = leaf["row-groups"]
        totals["leaves"] += 1
        for k in PRUNED:
            totals["leaf " + k] += g["pruned-by-" + k]
            alone = m["skipped-row-groups-by-" + k]
            if single and "opaque" not in leaf and not bad and g["pruned-by-" + k] != alone:
                bad = "alone %s, but the plan of this leaf drops %d by %s" % (g, alone, k)
    kept = [d for d in e["row-groups"] if d["kept"]]
    if not bad and (len(e["row-groups"]) != m["total-row-groups"] or len(kept) != m["result-row-groups"]):
        bad = "%d decisions, %d kept, of %d row groups, %d kept" % (len(e["row-groups"]), len(kept), m["total-row-groups"], m["result-row-groups"])
    counts.check(what, bad and "%s\n  %s" % (bad, short(sql, 600)))
    truths = [on_row(p, row, True, False, False) for rows in w.rows.values() for row in rows]
    if "?" in truths:
        return
    matching, limit = truths.count(True), w.r.choice([1, 5, 40])
    n, wide = (json.loads(must("plan", w.folder, "--where=" + sql, "--count", "--format", "json", *more)) for more in (["--row-groups"], []))
    totals["exact counts"] += n["exact"] and not wide["exact"] and n["low"] > 0
    bad = not wide["low"] <= n["low"] <= matching <= n["high"] <= wide["high"] and "%d rows match, not %s; without row groups %s" % (matching, n, wide)
    d = plan("--limit", str(limit))
    left = [t["data-file"]["file-path"] for t in d["file-scan-tasks"]]
    rows = sum(on_row(p, row, True, False, False) is True for path, rows in w.rows.items() if path in [x.replace("file://", "") for x in left] for row in rows)
    totals["limits"] += len(left) < len(plain["file-scan-tasks"])
    bad = bad or rows < min(limit, matching) and "limit %d leaves %d rows of %d" % (limit, rows, matching)
    counts.check(w.name + " counted", bad and "%s\n  %s" % (bad, short(sql, 600)))


# ---------------------------------------------------------------- files that others wrote
def mapping(fields):
    """A name mapping, for files without ids."""
    kids = lambda t: {} if not isinstance(t, dict) else {"fields": mapping(
        t["fields"] if t["type"] == "struct" else
        [{"id": t["element-id"], "name": "element", "type": t["element"]}] if t["type"] == "list" else
        [{"id": t["key-id"], "name": "key", "type": t["key"]}, {"id": t["value-id"], "name": "value", "type": t["value"]}])}
    return [{"field-id": f["id"], "names": [f["name"]], **kids(f["type"])} for f in fields]


class Foreign:
    """A file of the corpus (Java, DuckDB, pyarrow), as the only one of a table without metrics."""

    def __init__(self, path, folder):
        with open(path[:-8] + ".schema.json") as f:
            schema = json.load(f)
        table = pq.read_table(path)
        self.columns, values = [], {}
        for f in schema["fields"]:
            inner = f["type"]["fields"] if isinstance(f["type"], dict) and f["type"]["type"] == "struct" else []
            if isinstance(f["type"], dict) and not inner or f["name"] not in table.column_names:
                continue
            values[f["name"]] = from_arrow(f["type"], table.column(f["name"]))
            self.columns += [pr.Column(f["name"], f["type"], (f["name"],))] if not inner else [
                pr.Column(f["name"] + "." + k["name"], k["type"], (f["name"], k["name"])) for k in inner if isinstance(k["type"], str)]
        self.columns = [c for c in self.columns if c.type not in ("unknown", "variant") and not c.type.startswith("geo")]
        self.rows = {path: [{k: v[n] for k, v in values.items()} for n in range(table.num_rows)]}
        where = os.path.join(folder, os.path.basename(path)[:-8])
        must("create", where, "--schema", path[:-8] + ".schema.json", "--format-version", "3", "--property",
             "write.metadata.metrics.default=none", "--property", "schema.name-mapping.default=" + json.dumps(mapping(schema["fields"])))
        must("append", where, path)
        self.metadata = os.path.join(where, "metadata", "v2.metadata.json")


def foreign(counts, seed, folder):
    files = sorted(glob.glob(os.path.join(CORPUS, "given", "metrics", "*.parquet")))
    if not files:
        counts.skip("files of other writers", "no corpus in %s" % CORPUS)
        return
    totals, left_out, r = dict.fromkeys(("matching", "rows", "all", "doubtful", "plans", "all rows"), 0), [], random.Random(seed)
    for path in files:
        name = os.path.basename(path)
        try:
            w = Foreign(path, folder)
        except (LakectlFailed, OSError, TypeError, ValueError, KeyError, AttributeError, OverflowError, pa.ArrowException) as e:
            left_out.append("%s: %s" % (name, short(str(e), 120)))
            continue
        rows = w.rows[path]
        meant = [(drawn(r, w.columns, rows), r.random() < 0.2) for _ in range(40)] if rows and w.columns else []
        requests = [{"name": name, "metadata": w.metadata, "form": "groups", "nan": "largest" if largest else "iceberg",
                     "predicate": pr.to_sql(p)} for p, largest in meant]
        for q, (p, largest), a in zip(requests, meant, plan_cases(requests, [])):
            bad = judge(w, p, largest, a, totals)
            counts.check(name, bad and "%s\n  %s" % (bad, short(q["predicate"], 500)))
            totals["plans"] += 1
            totals["all rows"] += len(rows)
            totals["doubtful"] += a.get("counts", {}).get("doubtful", 0)
    print("files of others: %s; left out: %s" % (", ".join("%s %d" % x for x in totals.items()), left_out or "none"))
    counts.check("files of other writers", len(left_out) > len(files) / 3 and "too many were left out")


# ---------------------------------------------------------------- damage
def damage(counts, seed, folder):
    """Indexes and filters that are gone must keep all rows and be counted; any other damage ends in an answer or in an error that
    names the file; nothing crashes."""
    r = random.Random(seed)
    folder = os.path.join(folder, "damage")
    os.makedirs(folder)
    path, table = os.path.join(folder, "f.parquet"), os.path.join(folder, "t")
    fields = [pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"}), pa.field("s", pa.string(), metadata={"PARQUET:field_id": "2"}),
              pa.field("d", pa.float64(), metadata={"PARQUET:field_id": "3"})]
    rows = pa.table([pa.array(range(0, 1200, 2)), pa.array("v%d" % (n // 60) for n in range(600)), pa.array(n / 7 for n in range(600))],
                    schema=pa.schema(fields))
    pq.write_table(rows, path, row_group_size=200, write_page_index=True, max_rows_per_page=20, use_dictionary=["s"], compression="zstd",
                   bloom_filter_options={"id": {"ndv": 200, "fpp": 0.01}, "d": {"ndv": 200, "fpp": 0.01}})
    must("create", table, "--schema", path)
    must("append", table, path)
    with open(path, "rb") as f:
        good = f.read()
    meta = pq.ParquetFile(path).metadata
    columns = [meta.row_group(g).column(c) for g in range(meta.num_row_groups) for c in range(meta.num_columns)]
    end = max((c.dictionary_page_offset or c.data_page_offset) + c.total_compressed_size for c in columns)
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    predicates = ["id = 400", "id IN (1, 3, 5, 999)", "s = 'v3'", "s = 'v3x'", "d < 9 AND id > 30", "d = 3.5", "id BETWEEN 410 AND 500 OR s > 'v8'"]
    requests = [{"name": p, "metadata": os.path.join(table, "metadata", "v2.metadata.json"), "form": "groups", "predicate": p} for p in predicates]

    def answers(data):
        with open(path, "wb") as f:
            f.write(data)
        return list(plan_cases(requests, [], threads=2))

    whole = answers(good)
    for p, a in zip(predicates, whole):
        counts.check("damage: " + p, a.get("message") or (a["counts"]["doubtful"] and "a sound file is doubtful"))
    gone = answers(good[:end] + bytes(footer - end) + good[footer:])
    for p, a, b in zip(predicates, gone, whole):
        kept = lambda x: {n + g["first"] for t in x["files"] for g in t["groups"] for k, c in g["ranges"] for n in range(k, k + c)}
        bad = a.get("message") or ("rows are lost" if kept(b) - kept(a) else None) or (
            "nothing is doubtful" if kept(a) and not a["counts"]["doubtful"] else None)
        counts.check("zeroed indexes and filters: " + p, bad)
    for n in range(120):
        data = bytearray(good)
        place = r.choice([(end, footer), (end, footer), (footer, len(good)), (4, end)])
        for _ in range(r.choice([1, 1, 3, 20])):
            at = r.randrange(*place)
            data[at] = r.choice([0, 255, data[at] ^ 1 << r.randrange(8), r.randrange(256)])
        for p, a in zip(predicates, answers(bytes(data))):
            bad = "error" in a and "f.parquet" not in a["message"] and "the error does not name the file: " + a["message"]
            counts.check("damage %d: %s" % (n, p), bad)
        if n % 3 == 0:
            p = predicates[n // 3 % len(predicates)]
            status, out, err = lakectl("plan", table, "--where", p, "--row-groups", "--explain", "--format", "json", "--threads", "2")
            bad = status not in (0, 4) or (status == 0 and not json.loads(out)["explain"]) or (status and "f.parquet" not in err)
            counts.check("damage %d explained: %s" % (n, p), bad and "exit status %d: %s" % (status, short(err)))
    for cut in (0, 3, 11, 12, len(good) // 2, len(good) - 1):
        for p, a in zip(predicates, answers(good[:cut])):
            bad = None if a.get("files") == [] and not a["counts"]["groups"][0] else "no error" if "error" not in a else (
                "f.parquet" not in a["message"] and a["message"])
            counts.check("cut to %d bytes: %s" % (cut, p), bad)
    os.unlink(path)
    status, _, err = lakectl("plan", table, "--where", "id = 400", "--row-groups")
    counts.check("a missing file", (status != 3 or "f.parquet" not in err) and "exit status %d: %s" % (status, err))


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    keep = args[args.index("--keep") + 1] if "--keep" in args else None
    counts = Counts(20)
    folder = keep or tempfile.mkdtemp(prefix="lake-rowgroups.")
    try:
        foreign(counts, option("--seed", 1), os.path.realpath(folder))
        damage(counts, option("--seed", 1), os.path.realpath(folder))
        run(counts, option("--seed", 1), option("--tables", 12), option("--predicates", 120), os.path.realpath(folder))
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
