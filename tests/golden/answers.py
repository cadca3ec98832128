#!/usr/bin/env python3
"""Answers of `lakectl plan` beyond a list of files, against the rows of random tables and of the corpus' tables with deletes.

  answers.py [--seed N] [--tables N] [--predicates N]

--count: the true number lies in the range, and is it where it is said to be exact; with row groups the range is never wider. --limit with --offset: the files that are left hold
as many matching rows as all of them, or as many as are wanted. --order-by: each matching row of a group comes before each of the next; with
--limit the files that are left hold the same first rows as all files. --in: no file with a row is dropped, and residuals keep just the rows that match. A plan
that is narrowed on the way (examples/dynamic_filter.c) passes over no file with a row that all its predicates match."""
import json, os, random, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop"), os.path.join(os.path.dirname(HERE), "traps")]
from support import *
from icevalues import *
import predicates as pr
from bruteforce import World, on_row


NARROW = os.path.join(BUILD, "examples", "example_dynamic_filter")


def local(path):
    return path[7:] if path.startswith("file://") else path


def tasks(document):
    return [(local(t["data-file"]["file-path"]), t) for t in document["file-scan-tasks"]]


def draw(make, w, rows):
    """A predicate whose results never leave their types (engines fail there, or say anything), and that begins no comment."""
    while True:
        p = make(w.r, w.columns, rows)
        if "--" not in pr.to_sql(p) and not any(on_row(p, row, True, False, n) == "?" for row in rows for n in (False, True)):
            return p


class Case:
    """A predicate on a table, with the rows of each file that match."""

    def __init__(self, w, p, r):
        self.w, self.p, self.r, self.sql = w, p, r, pr.to_sql(p)
        self.matching = {path: [row for row in rows if pr.truth(p, row) is True] for path, rows in w.rows.items()}
        self.total = sum(map(len, self.matching.values()))

    def plan(self, *args):
        return must("plan", self.w.folder, "--where=" + self.sql, *args)

    def plan_json(self, *args):
        return json.loads(self.plan("--format", "json", *args))


def bad_count(c, n):
    if n["high"] is None or not n["low"] <= c.total <= n["high"]:
        return "%d rows match, not %s" % (c.total, n)
    if n["exact"] != (n["low"] == n["high"]) or (n["count"] is not None) != n["exact"] or (n["exact"] and n["count"] != c.total):
        return "%s is at odds with itself or with %d" % (n, c.total)
    return None


def check_count(c, seen):
    n = json.loads(c.plan("--count", "--format", "json"))
    seen["exact"] += n["exact"]
    bad = bad_count(c, n)
    whole = all(t["match"] == "all" for _, t in tasks(c.plan_json()))
    return bad or (None if not whole or n["exact"] else "every file matches wholly, but %s" % n)


def check_count_groups(c, seen):
    """With row groups the range is never wider, and exact where all that is read matches."""
    n, wide = (json.loads(c.plan("--count", "--format", "json", *more)) for more in (["--row-groups"], []))
    bad = bad_count(c, n)
    if bad or n["low"] < wide["low"] or n["high"] > wide["high"]:
        return "with row groups: %s" % (bad or "%s, without %s" % (n, wide))
    seen["exact by row groups"] += n["exact"] and not wide["exact"]
    whole = all(g["match"] == "all" for _, t in tasks(c.plan_json("--row-groups")) for g in t.get("row-groups", [{"match": "some"}]))
    return None if not whole or n["exact"] else "every row that is read matches, but %s" % n


def check_limit(c, seen):
    limit, offset = c.r.choice([0, 1, 2, 5, 20, 80]), c.r.choice([0, 0, 1, 10])
    all_paths = [p for p, _ in tasks(c.plan_json())]
    d = c.plan_json("--limit", limit, "--offset", offset, "--threads", c.r.choice([1, 2, 4]))
    left = [p for p, _ in tasks(d)]
    rows, wanted = sum(len(c.matching[p]) for p in left), limit and limit + offset
    seen["stopped"] += d["limit"]["stopped-early"]
    if rows < min(wanted, c.total):
        return "limit %d offset %d leaves %d rows of %d" % (limit, offset, rows, c.total)
    if [p for p in all_paths if p in set(left)] != left:
        return "limit %d: not in order, or not of the plan: %s of %s" % (limit, left, all_paths)
    if all_paths and d["limit"]["stopped-early"] != (d["limit"]["certain-rows"] >= wanted):
        return "limit %d: %s" % (limit, d["limit"])
    if d["limit"]["stopped-early"]:
        if rows != d["limit"]["certain-rows"] or (left and rows - len(c.matching[left[-1]]) >= wanted):
            return "limit %d: %d rows in %s, told %s" % (limit, rows, left, d["limit"])
    elif left != all_paths:
        return "limit %d did not stop, but left out files" % limit
    return None


class Place:
    """Where a row stands in an order: nulls at one end, NaN above all values, the two zeros alike."""

    def __init__(self, c, row, descending, nulls_first):
        v = c.of(row)
        self.null, self.nan, self.descending, self.nulls_first = v is None, isinstance(v, float) and v != v, descending, nulls_first
        self.key = 0 if self.null or self.nan else v + 0.0 if isinstance(v, float) else order(c.type, v)

    def __lt__(self, other):
        if self.null != other.null:
            return self.null == self.nulls_first
        a, b = ((self.nan, self.key), (other.nan, other.key))
        return b < a if self.descending else a < b

    def __eq__(self, other):
        return (self.null, self.nan, self.key) == (other.null, other.nan, other.key)


def order_clause(r, columns):
    c, descending, nulls = r.choice(columns), r.random() < 0.5, r.choice([None, True, False])
    text = pr.sql_name(c) + (" DESC" if descending else r.choice(["", " ASC", " asc"]))
    text += "" if nulls is None else " NULLS FIRST" if nulls else " nulls last"
    return text, lambda row: Place(c, row, descending, not descending if nulls is None else nulls)


def check_order(c, seen):
    text, place = order_clause(c.r, c.w.columns)
    d = c.plan_json("--order-by", text)
    told = tasks(d)
    groups = {}
    for path, t in told:
        groups.setdefault(t["order-group"], []).extend(place(row) for row in c.matching[path])
    if sorted(p for p, _ in told) != sorted(p for p, _ in tasks(c.plan_json())):
        return "%s: not the files of the plan" % text
    if list(groups) != list(range(d["order"]["groups"])):
        return "%s: groups %s, told %s" % (text, list(groups), d["order"])
    filled = [g for g in groups.values() if g]
    for a, b in zip(filled, filled[1:]):
        if not max(a) < min(b):
            return "%s: groups overlap or are out of order" % text
    seen["groups"] += len(groups) > 1
    return None


def check_top(c, seen):
    text, place = order_clause(c.r, c.w.columns)
    limit, offset = c.r.choice([0, 1, 1, 2, 5, 20]), c.r.choice([0, 0, 3])
    d = c.plan_json("--order-by", text, "--limit", limit, "--offset", offset)
    top = lambda paths: sorted(place(row) for p in paths for row in c.matching[p])[:limit and limit + offset]
    left = [p for p, _ in tasks(d)]
    if top(left) != top(c.matching):
        return "%s limit %d offset %d: other rows than of all files" % (text, limit, offset)
    if limit == 0 and left:
        return "%s: files for no rows" % text
    seen["top"] += d["limit"]["stopped-early"] and limit > 0
    return None


def check_in(c, seen):
    r, col = c.r, c.r.choice(c.w.columns)
    rows = [row for rows in c.w.rows.values() for row in rows]
    values = [v for v in (col.of(r.choice(rows)) for _ in range(r.choice([0, 1, 4, 30]))) if v is not None and v == v]
    values = [v for v in values if not (isinstance(v, float) and abs(v) == float("inf")) and not (isinstance(v, str) and "\n" in v)]
    many = [n * 7 for n in range(r.choice([0, 5000]))] if col.type in ("int", "long") else []
    lines = [text_line(col.type, v) for v in values] + [str(n) for n in many]
    r.shuffle(lines)
    name = os.path.join(c.w.folder + ".in", "values-%d" % r.randrange(1 << 60))
    with open(name, "w", newline="") as f:
        f.write("".join(x + "\n" for x in lines)[:None if r.random() < 0.5 or col.type in ("string", "binary") else -1])
    both = ("and", c.p, ("in", (col, None), values + many)) if values or many else None
    matches = lambda row: both is not None and pr.truth(both, row) is True
    told = dict(tasks(c.plan_json("--in", "%s=@%s" % (pr.sql_name(col), name))))
    columns = {x.name: x for x in c.w.columns}
    for path, rows in c.w.rows.items():
        t = told.get(path)
        truths = [matches(row) for row in rows]
        if t is None and any(truths):
            return "--in %s: dropped %s, which has a row" % (col.name, path)
        if t is None:
            seen["in"] += len(c.matching[path]) > 0
            continue
        if t["match"] == "all" and not all(truths):
            return "--in %s: %s is said to match wholly" % (col.name, path)
        left = pr.from_json(t["residual-filter"], columns)
        for row, x in zip(rows, truths):
            y = pr.truth(left, row, False)
            if (x and not y) or (y and not x and t.get("residual-exact", True)):
                return "--in %s: %s: residual %s is %s on a row, truth %s" % (col.name, path, short(t["residual-filter"], 300), y, x)
    return None


def check_narrow(c, seen):
    r, rows = c.r, [row for rows in c.w.rows.values() for row in rows]
    column = [r.choice(c.w.columns)] if r.random() < 0.5 else c.w.columns        # thresholds of one column, or of any
    more = [pr.leaf(r, column, rows) for _ in range(r.randrange(4))]
    p = subprocess.run([NARROW, c.w.folder, c.sql, *map(pr.to_sql, more)], capture_output=True, text=True)
    if p.returncode != 0:
        return "narrowing by %s: %s" % (more, p.stderr)
    *told, last = p.stdout.splitlines()
    told = [local(x) for x in told]
    if len(told) + int(last.split()[0]) != int(last.split()[2]):
        return "%d files, %s" % (len(told), last)
    if [x for x in (p for p, _ in tasks(c.plan_json())) if x in set(told)] != told:
        return "narrowing changes the order or adds files"
    for path, rows in c.matching.items():
        if path not in told and any(all(pr.truth(q, row) is True for q in more) for row in rows):
            return "narrowing by %s loses %s" % ([pr.to_sql(q) for q in more], path)
    seen["narrowed"] += int(last.split()[0]) > 0
    return None


def text_line(t, v):
    j = pr.json_value(t, v)
    return json.dumps(j) if isinstance(j, bool) else repr(j) if isinstance(j, float) else str(j)


CHECKS = [("count", check_count), ("count by row groups", check_count_groups), ("limit", check_limit), ("order", check_order), ("top", check_top), ("in", check_in), ("narrow", check_narrow)]


def run(counts, seed, tables, predicates, folder):
    seen = {"plans": 0, "exact": 0, "exact by row groups": 0, "stopped": 0, "groups": 0, "top": 0, "in": 0, "narrowed": 0}
    for n in range(tables):
        w = World(seed + 100, n, folder)
        try:
            w.make()
        except LakectlFailed as e:
            counts.fail(w.name, str(e))
            continue
        rows = [r for f in w.files for r in f]
        meant = [draw(pr.leaf if k % 2 else pr.predicate, w, rows) for k in range(predicates)]
        meant.append(("not", ("null", w.columns[0])))
        cases = [Case(w, p, random.Random(seed * 100000 + n * 1000 + k)) for k, p in enumerate(meant)]

        def one(c):
            for name, check in CHECKS:
                seen["plans"] += 1
                try:
                    bad = check(c, seen)
                except LakectlFailed as e:
                    bad = str(e)
                counts.check("%s %s" % (w.name, name), bad and "%s\n  %s" % (bad, short(c.sql, 600)))
        both(one, cases)
    print("seed %d: %s" % (seed, json.dumps(seen)))
    counts.check("the cases exercise what they are for", [k for k, v in seen.items() if v == 0] or None)


def order_of_what_matches(counts):
    """Files overlap, but not what is left of them behind a filter on the column of the order."""
    from table import Table, clean, file, i8
    t = Table([(1, "x", "long"), (2, "y", "long")])
    t.add([file("b", lower={1: i8(50)}, upper={1: i8(150)}, values={1: 10}, nulls={1: 2}),
           file("a", lower={1: i8(0)}, upper={1: i8(100)}, values={1: 10}, nulls={1: 2})])
    t.write()
    for where, order, want in ((None, "x", [["b", 0], ["a", 0]]), ("x < 40 OR x > 120", "x", [["a", 0], ["b", 1]]),
                               ("x < 40 OR x > 120", "x DESC", [["b", 0], ["a", 1]]), ("x < 60 OR x > 120", "x", [["a", 0], ["b", 0]]),
                               ("(x < 40 OR x > 120) AND y > 3", "x", [["a", 0], ["b", 1]]), ("x < 40 OR x > 120 OR y > 3", "x", [["a", 0], ["b", 0]]),
                               ("x IS NULL", "x", [["b", 0], ["a", 0]])):
        d = json.loads(must("plan", t.path, "--order-by", order, "--format", "json", *(["--where", where] if where else [])))
        got = [[x["data-file"]["file-path"], x["order-group"]] for x in d["file-scan-tasks"]]
        counts.equal("order by %s where %s" % (order, where), sorted(got) if where is None or "NULL" in where else got,
                     sorted(want) if where is None or "NULL" in where else want)
    clean()


def with_deletes(counts):
    """Tables with deletes of all kinds: the rows that the official library reads."""
    if not os.path.exists(ORACLE):
        counts.skip("counts of tables with deletes", "the Java peer is not there")
        return
    for name in ("deletes_v2", "deletes_v3", "lifecycle", "upgrade"):
        folder = os.path.join(CORPUS, "given", name)
        version = max(int(f[1:].split(".")[0]) for f in os.listdir(os.path.join(folder, "metadata")) if f.endswith(".metadata.json"))
        metadata = os.path.join(folder, "metadata", "v%d.metadata.json" % version)
        p = subprocess.run(["java", "-jar", ORACLE, "dump-live", "--map", MAP, metadata], capture_output=True, text=True)
        if p.returncode != 0:
            counts.fail(name, p.stderr[-800:])
            continue
        live = json.loads(p.stdout)
        n = json.loads(must("--map", MAP, "plan", folder, "--count", "--format", "json"))
        true = live["rows"] if isinstance(live.get("rows"), int) else len(live["rows"])
        counts.check("%s count" % name, None if n["low"] <= true <= n["high"] else "%d rows live, not %s" % (true, n))


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(20)
    folder = tempfile.mkdtemp(prefix="lake-answers.")
    try:
        with_deletes(counts)
        order_of_what_matches(counts)
        run(counts, option("--seed", 1), option("--tables", 8), option("--predicates", 12), os.path.realpath(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
