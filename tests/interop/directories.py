#!/usr/bin/env python3
"""Directories of Parquet files, made by pyarrow, planned by lakectl, against DuckDB as the engine that reads them.

  directories.py [--seed N] [--tables N] [--predicates N] [--keep DIR]

Random partition columns with nasty values, random predicates. A file with a matching row is never pruned; a file said to match wholly
holds no other; its residual keeps just the rows that match; bounds of --count hold; with --row-groups, too. Where the first partition columns are pinned, exactly the folders
on that path and below it are listed. What is planned does not depend on the number of threads."""
import argparse, datetime as dt, decimal, json, math, os, random, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE, os.path.join(os.path.dirname(HERE), "golden")]
from support import *
import predicates as pr
import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

STRINGS = ["a b", "x%y", "p=q", "a/b", "ü", "日本", "%41", "A", "a+b", "#?&", ".dot", "_under", "it's", 'qu"ote', " lead", "trail ", "a", "b",
           "ab", "a%20b", "..", "=", "%", "zz", "a\tb", "~", "null", "é", "e\u0301"]
DATES = [dt.date(2024, 1, 1), dt.date(2024, 12, 31), dt.date(1969, 12, 31), dt.date(2025, 2, 28), dt.date(1, 1, 1), dt.date(9999, 12, 31)]
INTS = [0, 1, 5, 12, -1, -7, 2025, 2**31 - 1, -2**31, 2**62, -2**63, 2**63 - 1]
PARTS = {"int": INTS, "string": STRINGS, "date": DATES, "mixed": ["1", "02", "x", "-3"], "empty": ["", "a", "b"]}
ARROW = {"int": pa.int64(), "string": pa.string(), "date": pa.date32(), "mixed": pa.string(), "empty": pa.string()}


def sql(v):
    if v is None:
        return "NULL"
    if isinstance(v, bool):
        return "TRUE" if v else "FALSE"
    if isinstance(v, (int, decimal.Decimal)):
        return str(v)
    if isinstance(v, float):
        return repr(v)
    if isinstance(v, dt.datetime):
        return "TIMESTAMP '%s'" % v.isoformat(" ")
    if isinstance(v, dt.date):
        return "DATE '%s'" % v.isoformat()
    return "'%s'" % v.replace("'", "''")


ICEBERG = {"BIGINT": "long", "INTEGER": "int", "DOUBLE": "double", "FLOAT": "float", "VARCHAR": "string", "DATE": "date",
           "TIMESTAMP": "timestamp", "BOOLEAN": "boolean"}


def raw(c, v):
    """A value of the engine as predicates.py knows it."""
    if isinstance(v, dt.datetime):
        return (v - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    if isinstance(v, dt.date):
        return v.toordinal() - 719163
    return int(v.scaleb(2)) if isinstance(v, decimal.Decimal) else v


class Tree:
    def __init__(self, seed, n, folder):
        r = self.r = random.Random(seed * 1000 + n)
        self.name, self.root = "seed %d table %d" % (seed, n), os.path.join(folder, "t%d" % n)
        kinds = [r.choice(list(PARTS)) for _ in range(r.choice([0, 1, 2, 2, 3]))]
        self.parts = [("p%d" % i, k, r.sample(PARTS[k], min(len(PARTS[k]), r.choice([2, 3, 5]))) + [None] * r.choice([0, 1]))
                      for i, k in enumerate(kinds)]
        self.values = {p: [v for v in pool if v is not None] for p, k, pool in self.parts}
        rows = [self.row(i) for i in range(r.randrange(40, 160))]
        data = [("id", pa.int64()), ("i", pa.int64()), ("d", pa.float64()), ("s", pa.string()), ("day", pa.date32()),
                ("ts", pa.timestamp("us")), ("dec", pa.decimal128(12, 2)), ("b", pa.bool_()),
                ("n", pa.struct([("x", pa.int32()), ("y", pa.string())]))]
        for name, _ in data[1:]:
            self.values[name if name != "n" else "n.x"] = [v for v in {repr(x[name]): x[name] for x in rows}.values() if v is not None][:12]
        self.values["n.x"] = [x["n"]["x"] for x in rows if x["n"] and x["n"]["x"] is not None][:10] or [1]
        half = len(rows) // 2
        for k, part in enumerate((rows[:half], rows[half:])):       # the second half has other types, and lacks a column
            columns = [(n, pa.int32() if k and n == "i" else pa.float32() if k and n == "d" else t) for n, t in data]
            if k and r.random() < 0.7:
                columns = [c for c in columns if c[0] not in ("dec", "b")]
                for row in part:
                    row["dec"] = row["b"] = None
            if k:
                r.shuffle(columns)
            self.write(part, columns, k)
        self.judged = [0]
        self.files = sorted(os.path.join(d, f) for d, _, fs in os.walk(self.root) for f in fs if f.endswith(".parquet"))
        self.engine()

    def row(self, i):
        r = self.r
        one = lambda v: None if r.random() < 0.15 else v
        row = {"id": i, "i": one(r.choice([i % 9, -i, 2**30 - 1])), "d": one(r.choice([i / 4, -0.0, 0.0, 1e30, -math.inf, math.nan, 2.5])),
               "s": one(r.choice(STRINGS)), "day": one(dt.date(2024, 1, 1) + dt.timedelta(i // 5)),
               "ts": one(dt.datetime(2024, 1, 1, 12) + dt.timedelta(hours=i * 7, microseconds=i)),
               "dec": one(decimal.Decimal(i * 37 - 500) / 100), "b": one(i % 3 == 0),
               "n": None if r.random() < 0.2 else {"x": one(i), "y": one(r.choice(STRINGS))}}
        for p, _, pool in self.parts:
            row[p] = r.choice(pool)
        return row

    def write(self, rows, columns, k):
        r = self.r
        parts = [(p, ARROW[kind]) for p, kind, _ in self.parts]
        if r.random() < 0.6:                                        # so that bounds of files are narrow
            by = r.choice(["i", "day", "ts", "dec", "id"])
            rows = sorted(rows, key=lambda x: (x[by] is None, x[by] if x[by] is not None else 0))
        table = pa.Table.from_pylist([{n: x[n] for n, _ in columns + parts} for x in rows], schema=pa.schema(columns + parts))
        small = r.choice([4, 10, 1000])
        ds.write_dataset(table, self.root, format="parquet", basename_template="w%d-{i}.parquet" % k, existing_data_behavior="overwrite_or_ignore",
                         partitioning=ds.partitioning(pa.schema(parts), flavor="hive") if parts else None,
                         max_rows_per_file=small, max_rows_per_group=small, max_partitions=1024,
                         file_options=ds.ParquetFileFormat().make_write_options(write_statistics=r.random() < 0.9))

    def engine(self):
        """All rows as DuckDB reads them, with the types that it finds."""
        self.db = duckdb.connect()
        types = {p: {"int": "BIGINT", "date": "DATE"}.get(k, "VARCHAR") for p, k, _ in self.parts}
        self.explicit = bool(types) and self.r.random() < 0.4
        hive = ", hive_partitioning=true" if types else ""
        if self.explicit:
            hive += ", hive_types={%s}" % ", ".join("'%s': %s" % x for x in types.items())
        self.db.execute("CREATE TABLE t AS SELECT *, filename AS file FROM read_parquet('%s/**/*.parquet', union_by_name=true, filename=true%s)"
                        % (self.root.replace("'", "''"), hive))
        self.typed = {n: t for n, t, *_ in self.db.execute("DESCRIBE t").fetchall()}
        self.total = dict(self.db.execute("SELECT file, count(*) FROM t GROUP BY 1").fetchall())
        self.columns = {}
        for n, t in self.typed.items():
            kind = "struct" if t.startswith("STRUCT") else t.lower().replace(",", ", ") if t.startswith("DECIMAL") else ICEBERG[t]
            self.columns[n] = pr.Column(n, kind, (n,))
        self.columns["n.x"], self.columns["n.y"] = pr.Column("n.x", "int", ("n", "x")), pr.Column("n.y", "string", ("n", "y"))
        self.rows = {}
        for values in self.db.execute("SELECT * FROM t").fetchall():
            row = {n: raw(self.columns.get(n), v) for n, v in zip(self.typed, values)}
            self.rows.setdefault(row["file"], []).append(row)
        self.given = ["--partition-types", ", ".join("%s %s" % (p, {"BIGINT": "long", "DATE": "date"}.get(t, "string")) for p, t in types.items())
                      ] if self.explicit else []

    # ---- predicates
    def leaf(self):
        r = self.r
        c = r.choice([p for p, _, _ in self.parts] * 3 + ["i", "d", "s", "day", "ts", "dec", "b", "n.x"])
        pool = self.values[c] or ["a"]
        typed = self.typed.get(c)
        v = lambda: r.choice(pool)
        if typed == "BIGINT" and isinstance(pool[0], str):          # inferred from texts that look like numbers
            pool = [int(x) for x in pool]
        k = r.random()
        if k < 0.12:
            return "%s IS %sNULL" % (c, r.choice(["", "NOT "]))
        if c == "b":
            return r.choice(["b", "NOT b", "b = FALSE", "b IS NOT TRUE"])
        if k < 0.35:
            return "%s = %s" % (c, self.lit(v()))
        if k < 0.5:
            return "%s %sIN (%s)" % (c, r.choice(["", "NOT "]), ", ".join(self.lit(v()) for _ in range(r.randrange(1, 5))))
        if k < 0.58 and isinstance(pool[0], str):
            return "%s LIKE '%s%%'" % (c, v()[:1].replace("'", "''").replace("%", "a").replace("_", "a"))
        if k < 0.66:
            a, b = sorted((v(), v()), key=lambda x: (x != x, x)) if c != "d" else (0.5, 9.25)
            return "%s BETWEEN %s AND %s" % (c, self.lit(a), self.lit(b))
        return "%s %s %s" % (c, r.choice(["<", "<=", ">", ">=", "<>"]), self.lit(v()))

    @staticmethod
    def lit(v):
        if isinstance(v, float) and (math.isnan(v) or math.isinf(v)):
            v = 3.5
        return sql(v)

    def predicate(self, depth=0):
        r = self.r
        k = r.random()
        if depth < 3 and k < 0.45:
            return "(%s)" % r.choice([" AND ", " AND ", " OR "]).join(self.predicate(depth + 1) for _ in range(r.choice([2, 2, 3])))
        if depth < 3 and k < 0.55:
            return "NOT (%s)" % self.predicate(depth + 1)
        return self.leaf()


def plan(tree, where, *more):
    p = subprocess.run([LAKECTL, "plan", tree.root, "--where", where, "--format", "json", "--nan", "largest", *tree.given, *more],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode:
        raise AssertionError("exit status %d: %s" % (p.returncode, p.stderr.decode("utf-8", "replace")))
    return json.loads(p.stdout)


def judge(tree, where, doc, hits):
    tasks = {t["data-file"]["file-path"]: t for t in doc["file-scan-tasks"]}
    order = [t["data-file"]["file-path"] for t in doc["file-scan-tasks"]]
    if [x.encode() for x in order] != sorted(x.encode() for x in order):
        return "the tasks are not in order of their paths"
    for f in tree.files:
        n = hits.get(f, 0)
        if n and f not in tasks:
            return "%s has %d matching rows and is pruned" % (f, n)
        if f in tasks and tasks[f]["match"] == "all" and n != tree.total[f]:
            return "%s is said to match wholly, but %d of %d rows do" % (f, n, tree.total[f])
        if f in tasks and tasks[f]["data-file"]["record-count"] != tree.total[f]:
            return "%s: record-count %d, not %d" % (f, tasks[f]["data-file"]["record-count"], tree.total[f])
    return None if set(tasks) <= set(tree.files) else "files that are not there: %s" % (set(tasks) - set(tree.files))


def judge_residuals(tree, where, doc):
    """Each row of a kept file is kept by the file's residual if, and (where it is exact) only if, it matches."""
    hits = {i for i, in tree.db.execute("SELECT id FROM t WHERE %s" % where).fetchall()}
    n = 0
    for t in doc["file-scan-tasks"]:
        left = pr.from_json(t["residual-filter"], tree.columns)
        for row in tree.rows[t["data-file"]["file-path"]]:
            x, y = row["id"] in hits, pr.truth(left, row, False, True)
            if (x and y is not True) or (y is True and not x and t.get("residual-exact", True)):
                return "%s: residual %s is %s on a row, truth %s: %s" % (t["data-file"]["file-path"], t["residual-filter"], y, x, row)
            n += 1
    tree.judged[0] += n
    return None


def one_predicate(counts, tree, where, kept):
    name = "%s: %s" % (tree.name, where)
    hits = dict(tree.db.execute("SELECT file, count(*) FROM t WHERE %s GROUP BY 1" % where).fetchall())
    try:
        doc = plan(tree, where, "--threads", "1")
        counts.check(name, judge(tree, where, doc, hits))
        counts.check(name + " (residual)", judge_residuals(tree, where, doc))
        kept[0] += len(doc["file-scan-tasks"])
        kept[1] += len(hits)
        kept[2] += len(tree.files)
        again = plan(tree, where, "--threads", "4", "--row-groups")
        counts.check(name + " (row groups)", judge(tree, where, again, hits))
        count = plan(tree, where, "--count")
        low, high, n = count["low"], count["high"], sum(hits.values())
        counts.check(name + " (count)", None if low <= n <= high and (not count["exact"] or low == high) else "%s for %d rows" % (count, n))
    except (AssertionError, KeyError, ValueError) as e:
        counts.fail(name, repr(e))


def quoted(tree, p, v):
    typed = tree.typed[p]
    return sql(int(v)) if typed == "BIGINT" else sql(v)


def pinned(counts, tree):
    """p0 = a AND p1 = b AND …: the folders on the way and those below it are listed, and no other."""
    rows = tree.db.execute("SELECT DISTINCT %s FROM t" % ", ".join(p for p, _, _ in tree.parts)).fetchall() if tree.parts else []
    folders = [d for d, _, _ in os.walk(tree.root)]
    for row in tree.r.sample(rows, min(len(rows), 4)):
        n = tree.r.randrange(1, len(tree.parts) + 1)
        if None in row[:n]:
            continue
        where = " AND ".join("%s = %s" % (p, quoted(tree, p, v)) for (p, _, _), v in zip(tree.parts, row[:n]))
        files = [f for f, in tree.db.execute("SELECT DISTINCT file FROM t WHERE " + where).fetchall()]
        depth = os.path.normpath(tree.root).count("/")
        below = {"/".join(f.split("/")[:depth + 1 + n]) for f in files}
        way = {"/".join(f.split("/")[:depth + 1 + k]) for f in files for k in range(n)}
        wanted = len(way) + len([d for d in folders if any(d == b or d.startswith(b + "/") for b in below)])
        try:
            doc = plan(tree, where)
            counts.equal("%s: folders listed for %s" % (tree.name, where), doc["listing"]["listed-folders"], wanted)
        except AssertionError as e:
            counts.fail(where, e)


def overlap(counts, tree):
    """A folder, folders in it and files in those: each file once."""
    more = tree.r.sample(tree.files, min(3, len(tree.files)))
    args = [tree.root] + more + [os.path.dirname(f) for f in more] + [tree.root + "/"]
    tree.r.shuffle(args)
    p = subprocess.run([LAKECTL, "plan", *args, *tree.given, "--format", "paths0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    got = [x.decode() for x in p.stdout.split(b"\0")[:-1]]
    counts.equal(tree.name + ": overlapping paths" + p.stderr.decode(), [os.path.normpath(x) for x in got], sorted(tree.files, key=os.fsencode))


def refused(counts, name, args, *words):
    p = subprocess.run([LAKECTL, "plan", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = p.stderr.decode("utf-8", "replace")
    missing = [w for w in words if w not in text]
    counts.check(name, None if p.returncode in (2, 4) and not missing else "exit status %d, %r" % (p.returncode, text))


def by_engine(counts, name, root, wheres, given=(), hive=""):
    """Files with matching rows are kept, and files that match wholly are said to: exactly those that the engine says."""
    db = duckdb.connect()
    db.execute("CREATE TABLE t AS SELECT *, filename AS file FROM read_parquet('%s/**/*.parquet', union_by_name=true, filename=true, hive_partitioning=true%s)" % (root, hive))
    total = dict(db.execute("SELECT file, count(*) FROM t GROUP BY 1").fetchall())
    for where in wheres:
        hits = dict(db.execute("SELECT file, count(*) FROM t WHERE %s GROUP BY 1" % where).fetchall())
        for more in ([], ["--row-groups"]):
            p = subprocess.run([LAKECTL, "plan", root, "--where", where, "--format", "json", *given, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            got = {t["data-file"]["file-path"]: t["match"] for t in json.loads(p.stdout or '{"file-scan-tasks": []}')["file-scan-tasks"]}
            want = {f: "all" if n == total[f] else "some" for f, n in hits.items()}
            counts.equal("%s: %s %s%s" % (name, where, more, p.stderr.decode()), got, want)


def cases(counts, folder):
    def write(path, table, **more):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        pq.write_table(table, path, **more)
        return path
    numbers = lambda t: pa.table({"x": pa.array([1, 2], t), "y": pa.array([5, 5], pa.int32())})

    root = folder + "/types"
    a, b = write(root + "/a.parquet", numbers(pa.int32())), write(root + "/b.parquet", pa.table({"x": ["1"], "y": pa.array([5], pa.int32())}))
    refused(counts, "types that do not go together", [root], a, b, "column x is string", "int in")
    schema = folder + "/schema.json"
    with open(schema, "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": 7, "name": "y", "type": "long", "required": False}]}, f)
    p = subprocess.run([LAKECTL, "plan", root, "--schema", schema, "--where", "y = 5", "--format", "csv"], stdout=subprocess.PIPE)
    counts.equal("a schema of the columns that are wanted", p.stdout.decode().count(",all,"), 2)
    refused(counts, "a column that the schema does not have", [root, "--schema", schema, "--where", "x = 5"], "unknown column x")
    with open(schema, "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "x", "type": "int", "required": False}]}, f)
    refused(counts, "a file that does not fit the schema", [root, "--schema", schema], b, "column x is string, but int in the schema")
    with open(schema, "w") as f:
        f.write("{")
    refused(counts, "a schema that is none", [root, "--schema", schema], schema)

    root = folder + "/nested"
    write(root + "/a.parquet", pa.table({"n": [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}], "v": pa.array([1, 2], pa.int32())}))
    write(root + "/b.parquet", pa.table({"n": [{"x": 3}], "w": ["only here"]}))
    write(root + "/c.parquet", pa.table({"v": pa.array([10**12], pa.int64()), "w": ["there"]}))
    by_engine(counts, "columns that files lack", root, ["n.y IS NULL", "n.x = 3", "n.x IS NULL", "v > 100", "v = 1", "w = 'only here'", "w IS NULL",
                                                         "v IS NULL AND w IS NOT NULL", "n.y < 'b'", "v IS NOT NULL"])

    root = folder + "/ids"
    ids = lambda t, m: t.cast(pa.schema([f.with_metadata({"PARQUET:field_id": str(m[f.name])}) for f in t.schema]))
    write(root + "/a.parquet", ids(pa.table({"x": [1, 2], "y": [100, 200]}), {"x": 1, "y": 2}))
    write(root + "/b.parquet", ids(pa.table({"x": [3, 4], "y": [300, 400]}), {"x": 2, "y": 1}))
    by_engine(counts, "columns go by names, whatever their ids", root, ["x < 3", "y > 250", "x = 100", "y = 3", "x IN (2, 3)"])

    root = folder + "/both"
    write(root + "/k=5/a.parquet", pa.table({"k": [1, 2], "z": [1, 1]}))
    write(root + "/k=6/a.parquet", pa.table({"k": [5, 5], "z": [2, 2]}), use_dictionary=True)
    by_engine(counts, "the path comes before a column of that name", root, ["k = 5", "k = 1", "k = 6", "k < 6", "k = 6 AND z = 2"])

    root = folder + "/depths"                                       # below p=1 and p=30 all are numbers, deeper down one is none
    for d in ("p=1", "p=30", "sub/p=7", "sub/p=x"):
        write("%s/%s/a.parquet" % (root, d), pa.table({"z": [1]}))
    by_engine(counts, "types are those of all values, however deep", root, ["p = '7'", "p > '3'", "p = 'x'", "p IN ('1', 'x')", "p < '7' AND z = 1"])

    root = folder + "/unseen"                                       # that p is no number is known only below a=2
    for d in ("a=1/p=5", "a=1/p=40", "a=2/p=x"):
        write("%s/%s/a.parquet" % (root, d), pa.table({"z": [1]}))
    by_engine(counts, "types that hang on folders that fall away", root, ["a = 1 AND p = '5'", "a = 1 AND p > '3'", "a = 1 AND p < '5' AND z = 1", "p >= '5'"])

    root = folder + "/typed"                                        # types that are given: as Spark, DuckDB and pyarrow write them
    for ts, dec, b, f in (("2024-01-01 12%3A00%3A00", "1.50", "true", "0.5"), ("2024-01-01 00%3A00%3A00.25", "-2.25", "false", "-1e10"),
                          ("2024-02-29T23%3A59%3A59", "1.5", "true", "3"), ("1969-12-31 23%3A59%3A59.999999", "99", "false", "2.5"),
                          ("__HIVE_DEFAULT_PARTITION__", "__HIVE_DEFAULT_PARTITION__", "__HIVE_DEFAULT_PARTITION__", "7")):
        write("%s/ts=%s/dec=%s/b=%s/f=%s/a.parquet" % (root, ts, dec, b, f), pa.table({"z": [1]}))
    given = ["--partition-types", "ts timestamp, dec decimal(9,2), b boolean, f double"]
    hive = ", hive_types={'ts': TIMESTAMP, 'dec': 'DECIMAL(9,2)', 'b': BOOLEAN, 'f': DOUBLE}"
    by_engine(counts, "types that are given", root, [
        "ts = TIMESTAMP '2024-01-01 12:00:00'", "ts < TIMESTAMP '2024-01-01 00:00:00.3'", "ts >= TIMESTAMP '2024-02-01 00:00:00'", "ts IS NULL",
        "dec = 1.5", "dec < 0", "dec BETWEEN -3 AND 2", "b", "NOT b", "b IS NULL", "f > 1", "f = -1e10", "ts > TIMESTAMP '2024-01-01 06:00:00' AND dec > 1",
        "b AND f < 1", "CAST(ts AS DATE) = DATE '2024-01-01'"], given, hive)
    refused(counts, "a value that the type does not have", [root, "--partition-types", "dec int"], "partition column dec", "is no int")

    root = folder + "/null"                                         # null to DuckDB and in Iceberg's paths, a text to Spark and pyarrow
    for d in ("p=null", "p=NULL", "p=a"):
        write("%s/%s/a.parquet" % (root, d), pa.table({"z": [1]}))
    for where, want in (("p IS NULL", 2), ("p = 'null'", 1), ("p IS NOT NULL", 3), ("p < 'b'", 2), ("p = 'a'", 1), ("NOT p = 'a'", 2)):
        p = subprocess.run([LAKECTL, "plan", root, "--where", where, "--format", "csv"], stdout=subprocess.PIPE)
        text = p.stdout.decode()
        counts.equal("null: " + where, (text.count(".parquet,"), text.count("=null/a.parquet,parquet,1,%d,0,all" % os.path.getsize(root + "/p=a/a.parquet"))),
                     (want, 0))

    root = folder + "/nan"
    write(root + "/a.parquet", pa.table({"d": [1.0, math.nan]}))
    p = subprocess.run([LAKECTL, "plan", root, "--where", "d < 2", "--format", "csv"], stdout=subprocess.PIPE)
    counts.equal("NaN that nobody counted", p.stdout.decode().count(",some,"), 1)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--tables", type=int, default=16)
    a.add_argument("--predicates", type=int, default=25)
    a.add_argument("--keep")
    o = a.parse_args()
    counts, kept, rows = Counts(), [0, 0, 0], 0
    folder = o.keep or tempfile.mkdtemp()
    try:
        cases(counts, folder)
        for n in range(o.tables):
            tree = Tree(o.seed, n, folder)
            for _ in range(o.predicates):
                one_predicate(counts, tree, tree.predicate(), kept)
            rows += tree.judged[0]
            pinned(counts, tree)
            overlap(counts, tree)
    finally:
        if not o.keep:
            shutil.rmtree(folder)
    counts.check("pruning", None if kept[0] < 0.8 * kept[2] else "hardly anything is pruned: %d of %d files kept" % (kept[0], kept[2]))
    counts.check("residuals", None if rows > 1000 else "hardly a row was judged")
    print("%d rows judged by residuals" % rows)
    print("%d of %d files kept, %d have matching rows" % tuple(kept[k] for k in (0, 2, 1)))
    return counts.finish()


sys.exit(main())
