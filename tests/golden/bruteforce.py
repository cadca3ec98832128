#!/usr/bin/env python3
"""Random rows, files, partition specs, metrics modes and predicates through lakectl, end to end, against the rows themselves.

  bruteforce.py [--seed N] [--tables N] [--predicates N]

A pruned file never holds a matching row; a file said to match wholly never holds another; a residual keeps every matching row, and no
other where it is said to be exact; row counts agree. Each failure names the seed and the table, whose files --keep DIR leaves there."""
import json, os, random, re, shutil, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from icevalues import *
from interop import draw, extremes, field, PRIMITIVES
import applied
import predicates as pr
import pyarrow.parquet as pq

MODES = ["none", "counts", "truncate(3)", "truncate(16)", "full"]


class World:
    """One random table, as lakectl made it."""

    def __init__(self, seed, n, folder):
        r = self.r = random.Random(seed * 1000 + n)
        self.name, self.folder = "seed %d table %d" % (seed, n), os.path.join(folder, "t%d" % n)
        self.version = r.choice([1, 2, 2, 3])
        types = r.sample(PRIMITIVES + (["timestamp_ns", "timestamptz_ns"] if self.version == 3 else []), 6) + r.sample(
            ["int", "string", "double", "timestamptz"], 2)
        self.fields = [field(1, "id", "long", True)] + [field(k + 2, "c%d" % k, t) for k, t in enumerate(types)]
        self.fields.append(field(20, "s", {"type": "struct", "fields": [field(21, "Inner x", "int"), field(22, "y", "string")]}))
        self.columns = [pr.Column(f["name"], f["type"], (f["name"],)) for f in self.fields[:-1]]
        self.columns += [pr.Column("s." + f["name"], f["type"], ("s", f["name"])) for f in self.fields[-1]["type"]["fields"]]
        self.spec = []
        for f in r.sample(self.fields[1:-1], r.choice([0, 1, 1, 2])):
            trs = pr.transforms_of(f["type"]) + ["identity"]
            self.spec.append((f["name"], r.choice(trs)))
        self.mode = MODES[n % len(MODES)]
        self.draw_rows()

    def value(self, t, pool):
        r = self.r
        k = r.random()
        if k < 0.12:
            return None
        return self.legal(t, r.choice(extremes(t))) if k < 0.2 else r.choice(pool)

    @staticmethod
    def legal(t, v):
        """What is out of reach is left out: truncate of the least values does not fit their type, and is refused."""
        if t in NS:
            return max(min(v, 2**61), -2**61)
        if t in ("int", "long"):
            return max(v, -2**31 + 2000 if t == "int" else -2**63 + 2000)
        return max(v, 2000 - 10**decimal_of(t)[0]) if t.startswith("decimal") else v

    def draw_rows(self):
        r = self.r
        pools = {f["name"]: [draw(r, f["type"]) for _ in range(r.choice([2, 5, 30]))] for f in self.fields[:-1]}
        inner = [draw(r, "int") for _ in range(5)], [draw(r, "string") for _ in range(5)]
        rows = []
        for n in range(r.randrange(60, 160)):
            row = {f["name"]: self.value(f["type"], pools[f["name"]]) for f in self.fields[1:-1]}
            row["id"] = n
            row["s"] = None if r.random() < 0.2 else {"Inner x": self.value("int", inner[0]), "y": self.value("string", inner[1])}
            rows.append(row)
        source = {f["name"]: f["type"] for f in self.fields}
        groups = {}
        for row in rows:                       # one partition a file; within it, clustered by some column, so that bounds prune
            key = repr(seal([apply(tr, source[s], row[s]) for s, tr in self.spec]))
            groups.setdefault(key, []).append(row)
        self.files = []
        by = r.choice(self.columns)
        for rows in groups.values():
            rows.sort(key=lambda x: repr(seal(by.of(x))) if r.random() < 0.9 else "")
            while rows:
                k = r.randrange(1, 12)
                self.files.append(rows[:k])
                rows = rows[k:]
        if not self.spec:
            self.files.append([])

    def make(self):
        os.makedirs(self.folder + ".in")
        self.rows, paths = {}, []
        for n, rows in enumerate(self.files):
            p = os.path.join(self.folder + ".in", "f%03d.parquet" % n)
            pq.write_table(to_table(self.fields, rows), p, compression=self.r.choice(["snappy", "zstd", "gzip", "none"]), store_schema=False,
                           data_page_version=self.r.choice(["1.0", "2.0"]), row_group_size=self.r.choice([3, 1000]))
            self.rows[p] = rows
            paths.append(p)
        schema = self.folder + ".schema.json"
        with open(schema, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": self.fields}, f)
        args = ["create", self.folder, "--schema", schema, "--format-version", self.version]
        args += ["--property", "write.metadata.metrics.default=" + self.mode]
        if self.spec:
            args += ["--partition-by", ", ".join(s if tr == "identity" else pr.sql_term((pr.Column(s, None, (s,)), tr)) for s, tr in self.spec)]
        must(*args)
        cut = self.r.randrange(len(paths) + 1)
        for part in (paths[:cut], paths[cut:]):
            if part:
                must("append", self.folder, *part)
        with open(os.path.join(self.folder, "metadata", "version-hint.text")) as f:
            self.metadata = os.path.join(self.folder, "metadata", "v%s.metadata.json" % f.read().strip())


def on_row(p, row, sql, largest, narrow):
    """True, False, None; "?" where a result leaves its type, so that engines fail or say anything."""
    try:
        return pr.truth(p, row, sql, largest, narrow)
    except applied.Beyond:
        return "?"


def judge(w, p, form, largest, answer, narrow=False):
    if "error" in answer:
        return "%s: %s" % (answer["error"], answer["message"])
    sql = form == "where"
    kept = {t["path"][7:] if t["path"].startswith("file://") else t["path"]: t for t in answer["files"]}
    columns = {c.name: c for c in w.columns}
    for path, rows in w.rows.items():
        truths = [on_row(p, row, sql, largest, narrow) for row in rows]
        t = kept.get(path)
        if t is None:
            if True in truths:
                return "dropped %s, whose row %s matches" % (path, truths.index(True))
            continue
        if t["records"] != len(rows):
            return "%s has %d records, not %d" % (path, len(rows), t["records"])
        if t["match"] == "all" and any(x is not True and x != "?" for x in truths):
            return "%s is said to match wholly, but not row %d" % (path, [x is True or x == "?" for x in truths].index(False))
        # With NaN as the largest value a comparison has no exact form in the expression language, only a wider one.
        left = pr.from_json(t["residual"], columns)
        for n, (row, x) in enumerate(zip(rows, truths)):
            y = pr.truth(left, row, False)
            if (x is True and not y) or (t["exact"] and y and x is not True and x != "?"):
                return "%s: residual %s is %s on row %d, the predicate %s" % (path, short(t["residual"], 300), y, n, x)
    return None


def run(counts, seed, tables, predicates, folder):
    total = [0, 0, 0, 0]
    for n in range(tables):
        w = World(seed, n, folder)
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
            p = pr.predicate(w.r, w.columns, rows)
            largest = w.r.random() < 0.15
            base = {"name": "%d" % k, "metadata": w.metadata, "nan": "largest" if largest else "iceberg"}
            text = pr.to_sql(p)
            if "--" in re.sub(r"'[^']*'", "", text):
                counts.fail(what, "a predicate with a comment in it: " + short(text, 300))
            requests.append(dict(base, form="where", predicate=text))
            meant.append((p, "where", largest))
            j = pr.to_json(p)
            if j is not None:
                requests.append(dict(base, form="filter", predicate=json.dumps(j), nan="iceberg"))
                meant.append((p, "filter", False))
        try:
            for q, (p, form, largest), a in zip(requests, meant, plan_cases(requests, [])):
                total[0] += 1
                total[1] += len(w.files)
                total[2] += len(a.get("files", []))
                total[3] += sum(t["match"] == "all" for t in a.get("files", []))
                bad = judge(w, p, form, largest, a, total[0] % 2)
                counts.check(what, bad and "%s\n  %s%s" % (bad, "NaN largest: " if largest else "", short(q["predicate"], 700)))
        except LakectlFailed as e:
            counts.fail(what, str(e))
    print("seed %d: %d plans; of %d files %d are kept and %d match wholly" % (seed, *total))


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    keep = args[args.index("--keep") + 1] if "--keep" in args else None
    counts = Counts(20)
    applied.WIDE = True
    folder = keep or tempfile.mkdtemp(prefix="lake-brute.")
    try:
        run(counts, option("--seed", 1), option("--tables", 16), option("--predicates", 250), os.path.realpath(folder))
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
