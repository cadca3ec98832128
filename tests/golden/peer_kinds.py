#!/usr/bin/env python3
"""Predicate kind by predicate kind: how many files lakectl and its peers keep, measured on the same tables.

  peer_kinds.py            checks, and compares with the table in spec/predicates.md
  peer_kinds.py --write    writes that table

Iceberg tables: the official Java library, PyIceberg and DuckDB plan what lakectl plans. Parquet files: a copy of each whose pages are
destroyed, so that an engine which does not prune it by its footer fails on it; lakectl plans the directory of the whole ones. The floor
is brute force: the files whose rows DuckDB, without its optimizer, finds to match. lakectl keeps all of these, and never more files than
a peer keeps that has them all."""
import datetime, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from icevalues import *
from interop import duckdb_connection, field
import kinds
import pyarrow as pa, pyarrow.parquet as pq

FILES, ROWS = 10, 20
TABLE = os.path.join(ROOT, "spec", "predicates.md")
STRUCT = {"type": "struct", "fields": [field(31, "a", "int"), field(32, "t", "string")]}
LIST = {"type": "list", "element-id": 33, "element": "int", "element-required": False}
FIELDS = [field(n + 1, c, t) for n, (c, t) in enumerate([
    ("i", "int"), ("l", "long"), ("d", "double"), ("x", "double"), ("n", "decimal(9, 2)"), ("dt", "date"), ("dd", "date"), ("y", "date"),
    ("ts", "timestamp"), ("h", "timestamp"), ("tz", "timestamptz"), ("s", "string"), ("q", "string"), ("b", "boolean"), ("w", "int"),
    ("lo", "int"), ("hi", "int"), ("st", STRUCT), ("li", LIST)])]
ABOUT = """- `i` 10k to 10k + 9, `l` 1000k to 1000k + 950, `d` k to k + 0.95, `n` (a decimal) likewise; `dt` and `ts` in month k + 1 of 2024, `tz` the
  same; `dd` day k + 1 of May 2024, `h` hour k of a day, `y` in 2015 + k; `b` is true from the file 5 on; `lo` is `i`, and `hi` 50 above it up to
  file 4, 50 below it from there; `st` has `a` and `t`, which are `i` and `s`; `li` is `[i, i + 1]`.
- `s` begins with a letter of its own in each file, a to e, A to E; `q` is one value in each file, `v0` to `v9`, in file 9 with nulls.
- `w` is null in the files 0 and 1, and k or null in the others; `x` is `d`, but NaN in all of file 7 and in some rows of file 3."""


def day(year, month, d):
    return datetime.date(year, month, d).toordinal() - 719163


def row(k, j):
    i, s = k * 10 + j // 2, "abcdeABCDE"[k] + "%02d" % j
    h = day(2024, k + 1, j + 1) * 24 + j
    nan = k == 7 or (k == 3 and j % 5 == 0)
    return {"i": i, "l": 1000 * k + 50 * j, "d": k + j / 20, "x": float("nan") if nan else k + j / 20, "n": 100 * k + 5 * j,
            "dt": day(2024, k + 1, j + 1), "dd": day(2024, 5, k + 1), "y": day(2015 + k, 1 + j % 12, 10), "ts": h * 3600 * 10**6,
            "h": (day(2024, 5, 5) * 24 + k) * 3600 * 10**6 + j * 60 * 10**6, "tz": h * 3600 * 10**6, "s": s,
            "q": None if k == 9 and j % 4 == 0 else "v%d" % k, "b": k >= 5, "w": None if k < 2 or j % 3 == 0 else k, "lo": i,
            "hi": i + (50 if k < 5 else -50), "st": {"a": i, "t": s}, "li": [i, i + 1], "e": k if k > 4 else None, "p": i}


class World:
    """One Iceberg table, and its rows in DuckDB as `rows`, with the number of their file."""

    def __init__(self, duck, folder, name, files, fields=FIELDS, spec=None, properties=()):
        self.duck, self.name, self.folder = duck, "rows_" + name, os.path.join(folder, name)
        self.files = files
        self.write(folder, name, fields)
        must("create", self.folder, "--schema", self.schema(fields), *(["--partition-by", spec] if spec else []), *properties)
        must("append", self.folder, *self.paths)
        self.metadata = os.path.join(self.folder, "metadata", "v2.metadata.json")

    def schema(self, fields):
        path = self.folder + ".json"
        with open(path, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": fields}, f)
        return path

    def write(self, folder, name, fields):
        self.parquet = os.path.join(folder, name + ".parquet")
        os.mkdir(self.parquet)
        self.paths, tables = [], []
        for k, rows in enumerate(self.files):
            self.paths.append(os.path.join(self.parquet, "f%d.parquet" % k))
            t = to_table(fields, rows)
            pq.write_table(t, self.paths[-1], store_schema=False)
            for c, n in (("bucket8", "l"), ("bucketq", "q")):
                values = [apply("bucket[8]", "long" if n == "l" else "string", r[n]) for r in rows]
                t = t.append_column(c, pa.array(values, pa.int32()))
            tables.append(t.append_column("file", pa.array([k] * len(rows), pa.int32())))
        self.duck.register("arrow", pa.concat_tables(tables))
        self.duck.execute("CREATE OR REPLACE TABLE %s AS SELECT * FROM arrow" % self.name)

    def floor(self, sql):
        return {k for k, in self.duck.execute("SELECT DISTINCT file FROM %s WHERE %s" % (self.name, sql)).fetchall()}


class Evolved(World):
    """Five files, then e is added and p promoted to long, then five files."""

    def __init__(self, duck, folder):
        new = FIELDS[:2] + [field(41, "p", "long"), field(42, "e", "int")]
        old = FIELDS[:2] + [field(41, "p", "int")]
        rows = [[row(k, j) for j in range(ROWS)] for k in range(FILES)]
        super().__init__(duck, folder, "evolved", rows, new)
        for p, r in zip(self.paths[:5], rows):
            pq.write_table(to_table(old, r), p, store_schema=False)
        shutil.rmtree(self.folder)
        must("create", self.folder, "--schema", self.schema(old))
        must("append", self.folder, *self.paths[:5])
        with open(self.metadata) as f:
            m = json.load(f)
        m["schemas"].append({"type": "struct", "schema-id": 1, "fields": new})
        m["current-schema-id"], m["last-column-id"] = 1, 42
        must_write(os.path.join(self.folder, "metadata", "v3.metadata.json"), json.dumps(m))
        must_write(os.path.join(self.folder, "metadata", "version-hint.text"), "3")
        must("append", self.folder, *self.paths[5:])
        self.metadata = self.metadata.replace("v2.", "v4.")


def must_write(path, text):
    with open(path, "w") as f:
        f.write(text)


# ---------------------------------------------------------------- those who plan Iceberg tables: files kept, or None for what they refuse
def numbers(w, paths):
    at = {os.path.basename(p): k for k, p in enumerate(w.paths)}
    return {at[os.path.basename(p)] for p in paths}


def by_lakectl(asked, nan="iceberg"):
    out, requests = [], [{"name": q[2], "metadata": q[0].metadata, "predicate": q[2], "nan": nan} for q in asked]
    for (w, _, sql, _, _), a in zip(asked, plan_cases(requests, [])):
        if "error" in a:
            raise LakectlFailed("%s: %s" % (sql, a["message"]))
        out.append(numbers(w, [t["path"] for t in a["files"]]))
    return out


def by_java(asked, folder):
    cases = [{"metadata": w.metadata, "snapshot_id": None, "filter": f, "case_sensitive": True} for w, _, _, f, _ in asked if f]
    path = os.path.join(folder, "cases.ndjson")
    must_write(path, "".join(json.dumps(c) + "\n" for c in cases))
    p = subprocess.run(["java", "-jar", ORACLE, "plan", "--root", folder, "--cases", path], capture_output=True, text=True, timeout=300)
    if p.returncode:
        raise LakectlFailed("the Java library: " + p.stderr[-1000:])
    answers = iter(p.stdout.splitlines())
    out = []
    for w, _, _, f, _ in asked:
        a = json.loads(next(answers)) if f else {}
        out.append(numbers(w, a["files"]) if "files" in a else None)
    return out


def pyiceberg_filter(f):
    from pyiceberg import expressions as e
    two = {"and": e.And, "or": e.Or}
    one = {"eq": e.EqualTo, "not-eq": e.NotEqualTo, "lt": e.LessThan, "lt-eq": e.LessThanOrEqual, "gt": e.GreaterThan,
           "gt-eq": e.GreaterThanOrEqual, "starts-with": e.StartsWith, "not-starts-with": e.NotStartsWith, "is-null": e.IsNull,
           "not-null": e.NotNull, "is-nan": e.IsNaN, "not-nan": e.NotNaN, "in": e.In, "not-in": e.NotIn}
    if f["type"] in two:
        return two[f["type"]](pyiceberg_filter(f["left"]), pyiceberg_filter(f["right"]))
    if f["type"] == "not":
        return e.Not(pyiceberg_filter(f["child"]))
    if not isinstance(f["term"], str):
        return None                            # it has no transforms as terms
    if "values" in f:
        return one[f["type"]](f["term"], set(f["values"]))
    return one[f["type"]](f["term"], *([f["value"]] if "value" in f else []))


def by_pyiceberg(asked, _):
    from pyiceberg.table import StaticTable
    tables, out = {}, []
    for w, _, _, f, _ in asked:
        p = pyiceberg_filter(f) if f else None
        if p is None:
            out.append(None)
            continue
        t = tables.setdefault(w.metadata, StaticTable.from_metadata(w.metadata))
        try:
            out.append(numbers(w, [x.file.file_path for x in t.scan(row_filter=p).plan_files()]))
        except (ValueError, TypeError, NotImplementedError):
            out.append(None)
    return out


def operators(n):
    yield n
    for k in n.get("children", []):
        yield from operators(k)


def by_duckdb(asked, _):
    """A count and the files that the rows returned come from: DuckDB names only some of those that it reads."""
    duck, out = duckdb_connection(), []
    for w, _, sql, _, more in asked:
        sql = more.get("duckdb", more.get("sql", sql))
        query = "SELECT * FROM iceberg_scan('%s') WHERE %s" % (w.metadata, sql)
        try:
            plan = json.loads(duck.execute("EXPLAIN (ANALYZE, FORMAT json) " + query).fetchall()[0][1])
        except Exception as e:
            out.append(None)
            continue
        read = [int(n["extra_info"]["Total Files Read"]) for n in operators(plan) if "Total Files Read" in n.get("extra_info", {})]
        rows = duck.execute("SELECT DISTINCT l FROM iceberg_scan('%s') WHERE %s" % (w.metadata, sql)).fetchall()
        of = {r["l"]: k for k, rows in enumerate(w.files) for r in rows}
        out.append((read[0] if read else 0, {of[x] for x, in rows}))
    return out


# ---------------------------------------------------------------- those who prune Parquet files by footers
def destroy(w):
    """Copies without pages: whatever reads more than the footer fails."""
    out = []
    for p in w.paths:
        with open(p, "rb") as f:
            b = f.read()
        footer = len(b) - 8 - int.from_bytes(b[-8:-4], "little")
        out.append(p.replace(".parquet/", ".footers/"))
        os.makedirs(os.path.dirname(out[-1]), exist_ok=True)
        with open(out[-1], "wb") as f:
            f.write(b"PAR1" + b"\xff" * (footer - 4) + b[footer:])
    return out


def footers_lakectl(w, asked):
    def one(q):
        status, out, err = lakectl("plan", w.parquet, "--where", q[2], "--row-groups", "--format", "json")
        if status:
            raise LakectlFailed("%s: %s" % (q[2], err))
        out = json.loads(out)
        return numbers(w, [t["data-file"]["file-path"] for t in out.get("file-scan-tasks", [])])
    return both(one, asked)


def footers_duckdb(w, asked):
    duck, broken, out = duckdb_connection(), destroy(w), []
    for _, _, sql, _, more in asked:
        sql = more.get("duckdb", more.get("sql", sql))
        query = "SELECT * FROM read_parquet('%s') WHERE %s"
        try:
            duck.execute("EXPLAIN " + query % (w.paths[0], sql))
        except Exception:
            out.append(None)
            continue
        kept = set()
        for k, p in enumerate(broken):
            try:
                duck.execute(query % (p, sql)).fetchall()
            except Exception:
                kept.add(k)
        out.append(kept)
    return out


def footers_datafusion(w, asked):
    from datafusion import SessionConfig, SessionContext
    context, out = SessionContext(SessionConfig().with_target_partitions(1)), []
    for k, (whole, broken) in enumerate(zip(w.paths, destroy(w))):
        context.register_parquet("whole%d" % k, whole)
        context.register_parquet("broken%d" % k, broken)
    for _, _, sql, _, more in asked:
        sql = more.get("datafusion", more.get("sql", sql))

        def fails(table, k):
            try:
                context.sql("SELECT * FROM %s%d WHERE %s" % (table, k, sql)).collect()
            except BaseException as e:         # a panic is no Exception
                if isinstance(e, KeyboardInterrupt):
                    raise
                return True
            return False
        # What fails on whole files, too, it cannot express.
        kept = {k for k in range(len(w.paths)) if fails("broken", k)}
        out.append(None if any(fails("whole", k) for k in range(len(w.paths))) else kept)
    return out


# ---------------------------------------------------------------- worlds, table
def partitioned(duck, folder, column, transform):
    kind = next(f["type"] for f in FIELDS if f["name"] == column)
    groups = {}
    for k in range(FILES):
        for j in range(ROWS):
            r = row(k, j)
            groups.setdefault(apply(transform, kind, r[column]), []).append(r)
    sql = {"identity": column}.get(transform) or ("%s(%s, %s)" % (*transform[:-1].split("["), column) if "[" in transform
                                                  else "%ss(%s)" % (transform, column))
    fields = [f for f in FIELDS if f["name"] in (column, "i", "l")]
    properties = ["--property", "write.metadata.metrics.default=none"]
    return sql, World(duck, folder, "by_" + column, list(groups.values()), fields, sql, properties)


def worlds(duck, folder):
    """(title, world, kinds, whether engines prune the Parquet files, too)"""
    plain = World(duck, folder, "plain", [[row(k, j) for j in range(ROWS)] for k in range(FILES)])
    for title, rows in kinds.KINDS:
        yield title, plain, rows, True
    evolved = Evolved(duck, folder)
    for title, rows in kinds.EVOLVED:
        yield title, evolved, rows, False
    for (column, transform), rows in kinds.PARTITIONS:
        sql, w = partitioned(duck, folder, column, transform)
        yield "Partitioned by " + sql if sql != column else "Partitioned by its values: " + column, w, rows, False


ICEBERG = [("Java", by_java), ("PyIceberg", by_pyiceberg), ("DuckDB", by_duckdb)]
PARQUET = [("DuckDB, footers", footers_duckdb), ("DataFusion", footers_datafusion)]
ENGINES = ("DuckDB", "DuckDB, footers", "DataFusion")  # those for whom NaN is the largest number


def sizes(x):
    """(files kept, those of them that are known) of an answer"""
    return x if isinstance(x, tuple) else (len(x), x)


def measure(counts, folder):
    duck = duckdb_connection()
    duck.execute("PRAGMA disable_optimizer")
    sections, asked = [], []
    for title, w, rows, both_ways in worlds(duck, folder):
        qs = [(w, kind, sql, f, more[0] if more else {}) for kind, sql, f, *more in rows]
        sections.append((title, w, both_ways, len(asked), len(asked) + len(qs)))
        asked += qs
    answers = {"lakectl": by_lakectl(asked)}
    for name, peer in ICEBERG:
        if name == "Java" and not os.path.exists(ORACLE):
            counts.fail("Java", "%s is not there: ./dev test builds it" % ORACLE)
            continue
        answers[name] = peer(asked, folder)
    flat = [n for s in sections if s[2] for n in range(s[3], s[4])]
    for name, peer in [("lakectl, footers", footers_lakectl)] + PARQUET:
        got = dict(zip(flat, peer(sections[0][1], [asked[n] for n in flat])))
        answers[name] = [got.get(n) for n in range(len(asked))]
    floors = []
    for w, _, sql, _, more in asked:
        truth = more.get("truth", more.get("duckdb", more.get("sql", sql)))
        floors.append((w.floor(truth), w.floor(more.get("largest", truth))))
    return sections, asked, answers, floors


def judge(counts, asked, answers, floors):
    """Cells by column and question; a peer that loses rows is marked."""
    cells = {name: [] for name in answers}
    order = [n for n, q in enumerate(asked) if "largest" in q[4]]
    largest = dict(zip(order, by_lakectl([asked[n] for n in order], "largest")))
    for n, files in largest.items():
        counts.check("%s --nan largest" % asked[n][2], floors[n][1] - files and "drops files with matching rows: %s" % (floors[n][1] - files))
    for n, (w, kind, sql, _, more) in enumerate(asked):
        what = "%s: %s" % (w.name, short(sql, 100))
        for ours, peers in (("lakectl", ICEBERG), ("lakectl, footers", PARQUET)):
            mine = answers[ours][n]
            cells[ours].append("" if mine is None else str(len(mine)))
            if mine is None:
                for name, _ in peers:
                    cells.get(name, []).append("")
                continue
            counts.check("%s, %s" % (what, ours), floors[n][0] - mine and "drops files with matching rows: %s" % (floors[n][0] - mine))
            for name, _ in peers:
                a = answers.get(name, [None] * len(asked))[n]
                if a is None:
                    cells.get(name, []).append("—")
                    continue
                size, known = sizes(a)
                floor = floors[n][0 if name in ("Java", "PyIceberg") else 1]
                wrong = bool(floor - known) or size < len(floor)
                other = more.get("other", {}).get(name) or (not wrong and n in largest and name in ENGINES and "NaN largest")
                cells[name].append("%d%s" % (size, " (%s)" % other if other else " (wrong)" if wrong else ""))
                ours_then = largest[n] if name in ENGINES and n in largest else mine
                behind = not wrong and (not other or n in largest) and size < len(ours_then)
                if name in more.get("behind", ()):
                    counts.check("%s, %s" % (what, name), not behind and "is noted in kinds.py as pruning more, and does not")
                else:
                    counts.check("%s, %s" % (what, name), behind and "lakectl keeps %d files, %s %d of %d" % (
                        len(ours_then), name, size, len(w.files)))
    return cells


def versions():
    import datafusion, duckdb, pyiceberg
    java = [re.search(r"iceberg-core-([0-9.]+)\.jar", f) for f in os.listdir(os.path.join(os.path.dirname(ORACLE), "lib"))]
    return {"Java": next((m[1] for m in java if m), "?"), "PyIceberg": pyiceberg.__version__, "DuckDB": duckdb.__version__,
            "DataFusion": datafusion.__version__}


def show(sections, asked, cells, floors):
    v = versions()
    lines = ["""# What prunes by which predicates

Files that are kept, of %d unless a section says another number: lakectl, the official Java library (%s), PyIceberg (%s) and DuckDB's Iceberg extension
(%s) on the same Iceberg tables; lakectl (`plan DIRECTORY --row-groups`), DuckDB and DataFusion (%s) on the same Parquet files, by their
footers. Measured and written by `tests/golden/peer_kinds.py --write`; the test suite measures all of it again.

- "matching" is brute force: files that hold a row for which the predicate is TRUE. Nobody can keep fewer and be right.
- "—": the peer has no such predicate. Java and PyIceberg have no SQL: they get the expression that says the same, where there is one.
- "(wrong)": the peer drops a file with matching rows, by its own rules for NaN; another note: its rules are others.
- Java's and PyIceberg's `<>`, NOT IN and NOT LIKE are TRUE for null, so that they must keep files of nulls that SQL need not. For DuckDB
  and DataFusion NaN is the largest number; lakectl's default is that no comparison with it is TRUE, and `--nan largest` says the other.
- On Parquet files: a peer "keeps" a file if it reads more than its footer, which is seen on copies whose pages are destroyed.

The files, k = 0 … 9, hold 20 rows each:

%s
""" % (FILES, v["Java"], v["PyIceberg"], v["DuckDB"], v["DataFusion"], ABOUT)]
    columns = ["lakectl"] + [n for n, _ in ICEBERG] + ["lakectl, footers"] + [n for n, _ in PARQUET]
    for title, w, flat, a, b in sections:
        cols = columns if flat else columns[:4]
        lines.append("## %s%s\n" % (title, "" if len(w.files) == FILES else " (%d files)" % len(w.files)))
        lines.append("| kind | for instance | matching | %s |" % " | ".join(cols))
        lines.append("|---|---|%s" % ("---|" * (len(cols) + 1)))
        for n in range(a, b):
            sql = asked[n][2] if len(asked[n][2]) < 120 else asked[n][2][:20] + "…)"
            lines.append("| %s | `%s` | %d | %s |" % (asked[n][1].replace("|", "\\|"), sql.replace("|", "\\|"), len(floors[n][0]),
                                                      " | ".join(cells[c][n] for c in cols)))
        lines.append("")
    lines.append("## Sums\n\nOver the kinds that the peer can express:\n\n| peer | kinds | files that match | lakectl keeps | the peer keeps | kinds in which"
                 " lakectl keeps fewer | in which the peer does | peer wrong, or of other rules |\n|---|---|---|---|---|---|---|---|")
    for ours, peers in (("lakectl", ICEBERG), ("lakectl, footers", PARQUET)):
        for name, _ in peers:
            rows = [(len(floors[n][0]), int(cells[ours][n]), int(c.split()[0]), "(" in c) for n, c in enumerate(cells[name])
                    if c not in ("", "—")]
            good = [r for r in rows if not r[3]]
            lines.append("| %s | %d | %d | %d | %d | %d | %d | %d |" % (name, len(rows), *(sum(r[k] for r in rows) for k in range(3)),
                         sum(r[1] < r[2] for r in good), sum(r[1] > r[2] for r in good), len(rows) - len(good)))
    return "\n".join(lines) + "\n"


def main():
    counts = Counts(200)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-kinds."))
    try:
        sections, asked, answers, floors = measure(counts, folder)
        cells = judge(counts, asked, answers, floors)
        text = show(sections, asked, cells, floors)
        if "--write" in sys.argv:
            must_write(TABLE, text)
        else:
            with open(TABLE, encoding="utf-8") as f:
                written = f.read()
            new, old = text.splitlines(), written.splitlines()
            lines = ["- %s\n  + %s" % x for x in zip(old, new) if x[0] != x[1]] + (["%d lines, not %d" % (len(old), len(new))] if len(
                old) != len(new) else [])
            counts.check("spec/predicates.md", lines and "is not what was measured (--write writes it anew):\n  " + "\n  ".join(lines[:20]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
