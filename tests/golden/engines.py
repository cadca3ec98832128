#!/usr/bin/env python3
"""Random predicates on tables of one row a file, against DuckDB and SQLite: what they return is kept, and what is said to match wholly is
what they return.

  engines.py [--seed N] [--predicates N]

Left out: NaN (engines order it differently), overflow (an error in one, a wrap in another), and for SQLite all but integers and text:
it has no dates, and compares numbers with text by its own rules. date_trunc is compared with first days only: for others DuckDB 1.5 makes
NULL <> … TRUE. Rows of values mean two things: SQLite follows the standard, DuckDB compares structs, where NULL equals NULL."""
import datetime, json, os, random, shutil, sqlite3, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
try:
    import duckdb
    import pyarrow as pa, pyarrow.parquet as pq
except ImportError as e:
    print("skip other engines: %s" % e)
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

FIELDS = [("a", "int", pa.int32()), ("b", "int", pa.int32()), ("l", "long", pa.int64()), ("d", "double", pa.float64()),
          ("s", "string", pa.string()), ("u", "string", pa.string()), ("dt", "date", pa.date32()), ("ts", "timestamp", pa.timestamp("us"))]
NESTED = [({"id": 20, "name": "li", "required": False, "type": {"type": "list", "element-id": 21, "element": "int", "element-required": False}},
           pa.list_(pa.field("element", pa.int32(), metadata={"PARQUET:field_id": "21"}))),
          ({"id": 22, "name": "m", "required": False, "type": {"type": "map", "key-id": 23, "key": "string", "value-id": 24, "value": "int",
                                                              "value-required": False}},
           pa.map_(pa.field("key", pa.string(), nullable=False, metadata={"PARQUET:field_id": "23"}),
                   pa.field("value", pa.int32(), metadata={"PARQUET:field_id": "24"})))]
WORDS = ["", "a", "A", "ab", "aB", "Kilo", "kite", "sick", "b", "é", "É1", "x_y", "10", "9"]


def row(r):
    day = datetime.date(r.choice([2023, 2024, 2025]), r.randrange(1, 13), r.randrange(1, 29))
    if r.random() < 0.7:                       # where months end and their days are cut
        day = datetime.date(2024, r.choice([2, 3, 3, 4]), 1) + datetime.timedelta(days=r.randrange(-3, 2))
    v = {"a": r.randrange(-5, 12), "b": r.randrange(-5, 12), "l": r.randrange(-20, 20), "d": r.choice([-1.5, 0.0, 0.5, 2.0, 7.25, 10.0]),
         "s": r.choice(WORDS), "u": r.choice(WORDS), "dt": day,
         "ts": datetime.datetime(day.year, day.month, day.day, r.randrange(24), r.randrange(60), r.randrange(60))}
    v = {k: None if r.random() < 0.15 else x for k, x in v.items()}
    v["li"] = None if r.random() < 0.15 else [r.choice([None, 1, 2, 5]) for _ in range(r.randrange(4))]
    v["m"] = None if r.random() < 0.15 else [(k, r.randrange(6)) for k in "kxy" if r.random() < 0.6]
    return v


def interval(r):
    n, m = r.choice([1, 2, 3, 11, 13]), r.choice([1, 2, 28])
    return r.choice(["INTERVAL '%d' MONTH" % n, "INTERVAL %d MONTH" % n, "INTERVAL '%d months'" % n, "INTERVAL '%d' YEAR" % n, "INTERVAL '%d' DAY" % m, "INTERVAL %d DAYS" % m, "INTERVAL '%d days %d hours'" % (m, n),
                     "INTERVAL '%d' HOUR" % n, "INTERVAL '%d mons -%d days 04:05:06.7'" % (n, m), "2 * INTERVAL '1' DAY", "INTERVAL '%d weeks'" % n])


def moment(r):
    """A date or time as a constant, perhaps with an interval."""
    day = (datetime.date(2024, r.choice([1, 2, 3, 3, 4, 5]), 1) + datetime.timedelta(days=r.randrange(-3, 2))).isoformat()
    text = r.choice(["DATE '%s'" % day, "TIMESTAMP '%s %02d:00:00'" % (day, r.randrange(24))])
    return text if r.random() < 0.5 else "%s %s %s" % (text, r.choice("+-"), interval(r))


def number(r, sqlite):
    c = r.choice(["a", "b", "l"] + ([] if sqlite else ["d"]))
    k = r.randrange(12)
    n = r.randrange(-6, 12)
    if r.random() < 0.1:
        return "CASE %s WHEN %d THEN %s WHEN %d THEN %d%s END" % (r.choice("ab"), n, c, n + 2, n, r.choice(["", " ELSE %s" % r.choice("ab")]))
    return [c, c, c, "%s + %d" % (c, abs(n)), "%s - %d" % (c, abs(n)), "%d - %s" % (abs(n), c), "%s * (%d)" % (c, n or 1), "-%s" % c,
            "COALESCE(%s, %d)" % (c, n), "NULLIF(%s, %d)" % (c, n), "CASE WHEN %s > %d THEN %s ELSE %d END" % (r.choice("ab"), n, c, n + 1),
            "COALESCE(%s, %s, %d)" % (r.choice("ab"), c, n) if sqlite else "CAST(%s AS DOUBLE)" % c][k]


def leaf(r, sqlite):
    op = r.choice(["=", "<>", "<", "<=", ">", ">="])
    n = lambda: r.choice(["%d" % r.randrange(-6, 13), "%d" % r.randrange(-6, 13), "%d.5" % r.randrange(0, 9)])
    word = lambda: "'%s'" % r.choice(WORDS)
    k = r.randrange(23 if not sqlite else 13)
    if sqlite and k == 12:
        return "%s IS %sDISTINCT FROM %s" % (r.choice("abl"), r.choice(["", "NOT "]), r.choice(["a", "b", "l", "NULL", n()]))
    if k == 17:
        return "%s %s %s %s %s" % (r.choice(["dt", "ts", "CAST(ts AS DATE)"]), r.choice("+-"), interval(r), op, moment(r))
    if k == 18:
        return "%s %s %s" % (r.choice(["dt", "ts"]), op, moment(r))
    if k == 19:
        return "%s %s %s %s %s" % (r.choice(["dt", "ts"]), r.choice("+-"), interval(r), op, r.choice(["dt", "ts", "dt + %s" % interval(r)]))
    if k == 20:
        return "%s IS %sDISTINCT FROM %s" % (r.choice(["a", "b", "l", "d", "a + 1"]), r.choice(["", "NOT "]), r.choice(["a", "b", "l", "d", "NULL"]))
    if k == 21:
        return r.choice(["li[1] %s 2" % op, "m['k'] %s 2" % op, "array_has(li, 5)", "cardinality(m) %s 1" % op, "li[1:2] = [1, 2]",
                         "(a, s) %s (%d, 'ab')" % (r.choice(["=", "<>", "IS DISTINCT FROM"]), r.randrange(-5, 12)), "m['k'] IS NULL",
                         "ROW(a, b) = ROW(b, %d)" % r.randrange(-5, 12), "(a, b) = (NULL, %d)" % r.randrange(-5, 12),
                         "(a, b) NOT IN ((1, NULL), (%d, 2), (NULL, NULL))" % r.randrange(-5, 12), "(a, l) = (b, a)",
                         "(a, b) IN (%s)" % ", ".join("(%d, %d)" % (r.randrange(-5, 12), r.randrange(-5, 12)) for _ in range(20))])
    if k == 22:
        return "%s %sLIKE 'a%%'" % (r.choice(["COALESCE(s, 'ab')", "COALESCE(s, u)", "NULLIF(s, u)", "CASE WHEN a > 3 THEN s ELSE u END"]), r.choice(["", "NOT "]))
    no = r.choice(["", "NOT "])
    x = number(r, sqlite)
    if k < 4:
        return "%s %s %s" % (x, op, n())
    if k == 4:
        return "%s %sIN (%s)" % (x, no, ", ".join([n() for _ in range(r.randrange(1, 4))] + (["NULL"] if r.random() < 0.2 else [])))
    if k == 5:
        return "%s IS %sNULL" % (x, no)
    if k == 6:
        return "%s %s %s" % (r.choice("abl"), op, r.choice("abl"))
    if k == 7:
        return "(a, b) %sIN (%s)" % (no, ", ".join("(%d, %d)" % (r.randrange(-5, 12), r.randrange(-5, 12)) for _ in range(r.randrange(1, 12))))
    if k == 8:
        return "%s %s %s" % (r.choice(["s", "COALESCE(s, 'ab')", "CASE WHEN a > 3 THEN s ELSE 'x_y' END", "NULLIF(s, 'a')"]), op, word())
    if k == 9:
        return "%s %sBETWEEN %s AND %s" % (x, no, n(), n())
    if k == 10:
        return "s %s u" % op
    if k == 11:
        return "(a, b) %s (%d, %d)" % (r.choice(["=", "<>"]), r.randrange(-5, 12), r.randrange(-5, 12))
    if k == 12:
        return "s %sILIKE '%s'" % (no, r.choice(["a%", "k%", "s_ck", "%b", "é%", "AB", "ki%", "x\\_y", "_"]))
    if k == 13:
        return "%s %s DATE '%d-%02d-01'" % (r.choice(["dt", "CAST(ts AS DATE)", "date_trunc('month', dt)", "date_trunc('quarter', ts)", "dt + 3"]), op,
                                         r.choice([2023, 2024, 2025]), r.choice([1, 4, 7, 10]))
    if k == 14:
        return "%s(%s) %s %d" % (*r.choice([("month", "dt"), ("day", "ts"), ("hour", "ts"), ("quarter", "dt"), ("year", "ts"), ("dayofyear", "dt")]), op,
                                 r.choice([1, 2, 3, 7, 12, 20, 2024]))
    if k == 15:
        return "%s IS %sDISTINCT FROM %s" % (r.choice("abl"), no, n())
    return "%s %s %s" % (r.choice(["dt", "ts", "CAST(dt AS TIMESTAMP)"]), op, r.choice(["dt", "ts", "CAST(ts AS DATE)"]))


def predicate(r, sqlite, depth=0):
    k = r.random()
    if depth == 3 or k < 0.4:
        return leaf(r, sqlite)
    if k < 0.5:
        return "NOT (%s)" % predicate(r, sqlite, depth + 1)
    if k < 0.58:
        return "(%s) IS %s" % (predicate(r, sqlite, depth + 1), r.choice(["TRUE", "FALSE", "NOT TRUE", "NOT NULL"]))
    if k < 0.64:
        return "CASE WHEN %s THEN %s ELSE %s END" % tuple(predicate(r, sqlite, depth + 1) for _ in range(3))
    return "(%s) %s (%s)" % (predicate(r, sqlite, depth + 1), r.choice(["AND", "OR"]), predicate(r, sqlite, depth + 1))


def make(folder, rows):
    schema = {"type": "struct", "schema-id": 0, "fields": [{"id": n + 1, "name": c, "type": t, "required": False}
                                                          for n, (c, t, _) in enumerate(FIELDS)] + [f for f, _ in NESTED]}
    with open(folder + ".json", "w") as f:
        json.dump(schema, f)
    arrow = pa.schema([pa.field(c, t, metadata={"PARQUET:field_id": str(n + 1)}) for n, (c, _, t) in enumerate(FIELDS)] +
                      [pa.field(f["name"], t, metadata={"PARQUET:field_id": str(f["id"])}) for f, t in NESTED])
    paths = []
    os.makedirs(folder + ".in")
    for n, x in enumerate(rows):
        paths.append(os.path.join(folder + ".in", "f%03d.parquet" % n))
        pq.write_table(pa.Table.from_pylist([x], schema=arrow), paths[-1], store_schema=False)
    must("create", folder, "--schema", folder + ".json", "--property", "write.metadata.metrics.default=full")
    must("append", folder, *paths)
    with open(os.path.join(folder, "metadata", "version-hint.text")) as f:
        return os.path.join(folder, "metadata", "v%s.metadata.json" % f.read().strip())


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    r, counts = random.Random(option("--seed", 1)), Counts(20)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-engines."))
    try:
        rows = [row(r) for _ in range(60)]
        metadata = make(os.path.join(folder, "t"), rows)
        duck, lite = duckdb.connect(), sqlite3.connect(":memory:")
        table = pa.Table.from_pylist([dict(x, n=n) for n, x in enumerate(rows)], schema=pa.schema(
            [("n", pa.int64())] + [(c, t) for c, _, t in FIELDS] + [(f["name"], t) for f, t in NESTED]))
        duck.register("given", table)
        duck.execute("CREATE TABLE t AS SELECT n, a::INT a, b::INT b, l::BIGINT l, d::DOUBLE d, s, u, dt, ts, li, m FROM given")
        lite.execute("CREATE TABLE t (n INTEGER, a INTEGER, b INTEGER, l INTEGER, s TEXT, u TEXT)")
        lite.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", [(n, x["a"], x["b"], x["l"], x["s"], x["u"]) for n, x in enumerate(rows)])
        wheres = [(predicate(r, k % 2), k % 2) for k in range(option("--predicates", 600))]
        requests = [{"name": str(k), "metadata": metadata, "form": "where", "predicate": w} for k, (w, _) in enumerate(wheres)]
        kept = total = 0
        for (w, sqlite), a in zip(wheres, plan_cases(requests, [])):
            try:
                true = {x[0] for x in (lite if sqlite else duck).execute("SELECT n FROM t WHERE " + w).fetchall()}
            except (duckdb.Error, sqlite3.Error) as e:
                counts.fail("engine", "%s: %s" % (w, e))
                continue
            if "error" in a:
                counts.fail("lakectl", "%s: %s" % (w, a["message"]))
                continue
            number = lambda t: int(os.path.basename(t["path"])[1:4])
            files, whole = {number(t) for t in a["files"]}, {number(t) for t in a["files"] if t["match"] == "all"}
            kept, total = kept + len(files), total + len(true)
            bad = true - files and "dropped rows %s" % sorted(true - files) or whole - true and "match wholly, but do not: %s" % sorted(whole - true)
            counts.check("SQLite" if sqlite else "DuckDB", bad and "%s: %s: %s" % (w, bad, [rows[i] for i in sorted((true - files) | (whole - true))[:1]]))
        print("%d rows returned, %d files kept" % (total, kept))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
