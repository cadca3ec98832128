#!/usr/bin/env python3
"""Plays every case of the corpus, as SQL and as JSON, and judges the plans as the corpus' README says.

  play.py [--model] [TABLE...]       --model: the Python model plans instead of lakectl (a test of this program)
  play.py --differences [TABLE...]   the tables of docs/golden-differences.md

Judged: every true file kept; no file beyond those that the official library, or the corpus' notes, keep; delete files and scanned
manifests as the library's or between them and the notes'; totals no more than the model's. With the model at hand, rows too: `match:
all` on a file means that every row is TRUE, a residual holds for every row that matches, and for no other where it is said to be
exact. Some cases go through the real command line in every output format."""
import collections, json, os, sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *

# What the model keeps over the whole corpus: the measure of tightness.
MOST = {"where": {"files": 84153, "manifests": 46447}, "filter": {"files": 89431, "manifests": 46792}}
FORMS = ("where", "filter")
GIVEN = os.path.join(CORPUS, "given")


def load(tables):
    cases = []
    for t in sorted(os.listdir(GIVEN)):
        for f in ("cases.ndjson", "java_errors.ndjson"):
            p = os.path.join(GIVEN, t, f)
            if os.path.exists(p) and (not tables or t in tables):
                for n, line in enumerate(open(p, encoding="utf-8")):
                    c = json.loads(line)
                    c["java_error"] = f.startswith("java")
                    c["name"] = c.get("case") or "%s/error%d" % (t, n)
                    cases.append(c)
    return cases


def request(c, form):
    return {"name": c["name"] + " " + form, "metadata": c["metadata"], "snapshot": c["snapshot_id"], "sensitive": c["case_sensitive"],
            "form": form, "predicate": c["where"] if form == "where" else json.dumps(c["filter"], ensure_ascii=False)}


def true_files(c, form):
    return set(c["true_files"] if form == "where" else c.get("true_files_null_differs", c["true_files"]))


def note(c, name, form):
    return c.get(name if form == "where" else name + "_filter")


def judge(c, form, a):
    """What is wrong with the plan, in lines."""
    if "error" in a:
        return ["%s: %s" % (a["error"], a["message"])]
    bad = []
    paths = [t["path"] for t in a["files"]]
    ours = set(paths)
    if len(paths) != len(ours):
        bad.append("a file twice")
    true = true_files(c, form)
    if true - ours:
        bad.append("true files dropped: %s" % sorted(true - ours))
    if c["java_error"]:
        return bad
    allowed = set(c["files"]) | set(c.get("java_misses", [])) | set(note(c, "may_keep", form) or []) | true
    if ours - allowed:
        bad.append("kept beyond what is allowed: %s" % sorted(ours - allowed)[:5])
    scan = c["counters"].get("scannedDataManifests", 0)
    scan = max(scan, note(c, "may_scan", form) or 0)
    if a["counts"]["scanned"] > scan:
        bad.append("%d manifests scanned, %d allowed" % (a["counts"]["scanned"], scan))
    # What can never be TRUE is known before the manifest list is read: then nothing of it is counted.
    unread = not ours and a["counts"]["total"] == a["counts"]["scanned"] == 0
    if not unread and a["counts"]["total"] != c["counters"].get("totalDataManifests", 0):
        bad.append("%d manifests in all, not %d" % (a["counts"]["total"], c["counters"].get("totalDataManifests", 0)))
    attach = note(c, "may_attach", form) or {}
    for t in a["files"]:
        lists = ([set(c["deletes"].get(t["path"], []))] if t["path"] in c["files"] else [])
        lists += [set(attach[t["path"]])] if t["path"] in attach else []
        got = set(t["deletes"])
        if lists and not (set.intersection(*lists) <= got <= set.union(*lists)):
            bad.append("delete files of %s: %s, not %s" % (t["path"], sorted(got), [sorted(x) for x in lists]))
    return bad


class Rows:
    """The rows of the corpus' data files, and predicates on them, by the model's evaluator of rows."""

    def __init__(self, m):
        self.m, self.where = m, m.plan.Locations([("s3://lake-corpus/", CORPUS + "/")])
        self.tables, self.cols, self.texts = {}, {}, {}

    def table(self, c):
        key = c["metadata"], c["snapshot_id"]
        if key not in self.tables:
            t = self.m.plan.Table(c["metadata"], self.where, c["snapshot_id"])
            t.entries = {e.path: e for x in t.manifests if x.content == 0 and x.live for e in x.entries()}
            self.tables[key] = t
        return self.tables[key]

    def columns(self, table, path):
        key = path, id(table.schema)
        if key not in self.cols:
            names = json.loads((table.meta.get("properties") or {}).get("schema.name-mapping.default", "[]"))
            self.cols[key] = self.m.rows.read(table.entries[path], table.schema, names)
        return self.cols[key]

    def tree(self, form, text):
        key = form, text
        if key not in self.texts:
            self.texts[key] = self.m.expr.Sql(text).tree if form == "where" else self.m.expr.from_json(json.loads(text))
        return self.texts[key]

    def outcomes(self, table, path, form, text, sensitive):
        """One outcome a row, or None if the rows are not there (or not readable)."""
        if not os.path.exists(self.where.local(path)):
            return None
        read = self.columns(table, path)
        if read is None:
            return None
        key = path, id(table.schema), form, text, sensitive
        if key not in self.texts:
            ev = self.m.rows.RowEval(table.schema, "sql" if form == "where" else "filter", sensitive)
            self.texts[key] = [ev.run(self.tree(form, text), read[0], i) for i in range(read[1])]
        return self.texts[key]

    def judge(self, c, form, a):
        bad, table, T = [], self.table(c), self.m.steps.T
        text = c["where"] if form == "where" else json.dumps(c["filter"])
        for t in a.get("files", []):
            rows = self.outcomes(table, t["path"], form, text, c["case_sensitive"])
            if rows is None:
                continue
            if t["match"] == "all" and any(o != T for o in rows):
                bad.append("%s is said to match wholly, but has rows that do not" % t["path"])
            if "residual" not in t:
                continue
            left = self.outcomes(table, t["path"], "filter", json.dumps(t["residual"]), True)
            lost = sum(o == T != r for o, r in zip(rows, left))
            more = sum(o != T == r for o, r in zip(rows, left))
            if lost or (more and t["exact"]):
                bad.append("%s: residual %s loses %d matching rows%s" % (t["path"], short(t["residual"], 300), lost,
                                                                      ", admits %d others" % more if t["exact"] else ""))
            if form == "where" and t["sql"]:
                left = self.outcomes(table, t["path"], "where", t["sql"], c["case_sensitive"])
                if any((o == T) != (r == T) for o, r in zip(rows, left)):
                    bad.append("%s: residual SQL %s differs" % (t["path"], t["sql"]))
        return bad


def play(cases, counts, planner):
    rows = model() and Rows(model())
    if rows is None:
        counts.skip("rows of the corpus", "the model is in ../shared, which is not there")

    def one(form):
        total = collections.Counter()
        answers = []
        for c, a in zip(cases, planner([request(c, form) for c in cases])):
            bad = judge(c, form, a)
            if rows and not bad:
                try:
                    bad = rows.judge(c, form, a)
                except Exception as e:  # a residual that the model cannot read is a finding, too
                    bad = ["judging rows: %s: %s" % (type(e).__name__, e)]
            counts.check(c["name"] + " " + form, bad and "; ".join(bad) + "\n  " + short(c["where" if form == "where" else "filter"], 400))
            answers.append(a)
            if "error" not in a and not c["java_error"]:
                total["files"] += len(a["files"])
                total["all"] += sum(t["match"] == "all" for t in a["files"])
                total["library"] += len(c["files"])
                total["manifests"] += a["counts"]["scanned"]
                total["library's manifests"] += c["counters"].get("scannedDataManifests", 0)
        return total, answers

    # Rows are not safe from two threads: the second form waits for the caches of the first.
    return {form: one(form) for form in FORMS} if rows else dict(zip(FORMS, both(one, FORMS)))


def totals(cases, results, counts, whole):
    for form in FORMS:
        t, _ = results[form]
        print("%-6s %6d cases: %6d files kept (model %d, official library %d), %d of them match wholly; "
              "%d manifests scanned (model %d, official library %d)" % (
                  form, len(cases), t["files"], MOST[form]["files"], t["library"], t["all"], t["manifests"], MOST[form]["manifests"],
                  t["library's manifests"]))
        if whole:
            for what in ("files", "manifests"):
                counts.check("total of %s, %s" % (what, form), t[what] > MOST[form][what] and
                             "%d, the model needs %d" % (t[what], MOST[form][what]))


def threads_agree(cases, results, counts):
    """Four threads give the same plans, in the same order."""
    for form in FORMS:
        some = range(0, len(cases), 11)
        many = plan_cases([request(cases[i], form) for i in some], [MAP], 4)
        for i, a in zip(some, many):
            counts.check(cases[i]["name"] + " with 4 threads", a != results[form][1][i] and "another plan")


def command_line(cases, results, counts):
    """Some cases through the program, in every format, against the library's answer."""
    chosen = [i for i, c in enumerate(cases) if c.get("files")]
    chosen = chosen[::max(1, len(chosen) // 50)] + [i for i, c in enumerate(cases) if c.get("deletes")][::12][:10]

    def one(n):
        i, form = chosen[n], FORMS[n % 2]
        c, a = cases[i], results[form][1][i]
        if "error" in a:
            return
        args = ["plan", c["metadata"], "--map", MAP, "--case-sensitive" if c["case_sensitive"] else "--case-insensitive"]
        args += ["--where", c["where"]] if form == "where" else ["--filter", json.dumps(c["filter"])]
        args += ["--snapshot", c["snapshot_id"]] if c["snapshot_id"] is not None else []
        for fmt, reader in FORMATS.items():
            name = "%s %s --format %s" % (c["name"], form, fmt)
            try:
                counts.check(name, reader(a, lambda *more: lakectl(*args, "--format", fmt, *more, binary=True)))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError) as e:
                counts.fail(name, "%s: %s" % (type(e).__name__, e))

    both(one, range(len(chosen)))


def delete_name(d):
    return "%s#%d" % (d["file-path"], d["content-offset"]) if d.get("content-offset") is not None else d["file-path"]


def same_tasks(a, tasks, names):
    if [t["data-file"]["file-path"] for t in tasks] != [f["path"] for f in a["files"]]:
        return "other files: %s" % short([t["data-file"]["file-path"] for t in tasks])
    for t, f in zip(tasks, a["files"]):
        if t["match"] != f["match"] or t["data-file"]["record-count"] != f["records"]:
            return "%s: match %s, records %s" % (f["path"], t["match"], t["data-file"]["record-count"])
        if sorted(names(t)) != f["deletes"]:
            return "%s: delete files %s" % (f["path"], names(t))
        if t.get("residual-filter", True) != f["residual"] or t.get("residual-exact", True) != f["exact"]:
            return "%s: residual %s" % (f["path"], short(t.get("residual-filter")))
    return None


def as_json(a, run):
    status, out, err = run()
    if status:
        return "exit status %d: %s" % (status, err)
    j = json.loads(out)
    deletes = j.get("delete-files", [])
    report = j["scan-report"]["metrics"]
    if j["status"] != "completed" or report["scanned-data-manifests"]["value"] != a["counts"]["scanned"]:
        return "status %s, report %s" % (j["status"], short(report))
    return same_tasks(a, j.get("file-scan-tasks", []), lambda t: [delete_name(deletes[n]) for n in t.get("delete-file-references", [])])


def as_ndjson(a, run):
    status, out, err = run()
    return "exit status %d: %s" % (status, err) if status else same_tasks(
        a, [json.loads(x) for x in out.splitlines()], lambda t: [delete_name(d) for d in t.get("delete-files", [])])


def as_csv(a, run):
    import csv, io
    status, out, err = run()
    rows = list(csv.DictReader(io.StringIO(out.decode())))
    got = [(r["path"], int(r["records"]), r["match"]) for r in rows]
    want = [(f["path"], f["records"], f["match"]) for f in a["files"]]
    return None if status == 0 and got == want else "exit status %d: %s %s" % (status, err, short(got))


def as_paths(end):
    def read(a, run):
        status, out, err = run()
        if any(f["deletes"] for f in a["files"]):
            if status != 4 or out:
                return "a plan with delete files is not refused: exit status %d" % status
            status, out, err = run("--ignore-deletes")
        want = b"".join(f["path"].encode() + end for f in a["files"])
        return None if (status, out) == (0, want) else "exit status %d: %s %s" % (status, err, short(out.decode()))
    return read


def as_text(a, run):
    status, out, err = run()
    lost = [f["path"] for f in a["files"] if os.path.basename(f["path"]) not in out.decode()]
    return None if status == 0 and not lost else "exit status %d: %s, files not shown: %s" % (status, err, short(lost))


FORMATS = {"json": as_json, "ndjson": as_ndjson, "csv": as_csv, "paths": as_paths(b"\n"), "paths0": as_paths(b"\0"), "text": as_text}


def model_planner(requests):
    m, tables = model(), {}
    where = m.plan.Locations([("s3://lake-corpus/", CORPUS + "/")])
    for r in requests:
        key = r["metadata"], r["snapshot"]
        if key not in tables:
            tables[key] = m.plan.Table(key[0], where, key[1])
        tree = m.expr.Sql(r["predicate"]).tree if r["form"] == "where" else m.expr.from_json(json.loads(r["predicate"]))
        node = m.expr.Binder(tables[key].schema, "sql" if r["form"] == "where" else "filter", r["sensitive"]).bind(tree)
        p = m.plan.Plan(tables[key], node)
        yield {"files": [{"path": e.path, "match": match, "records": e.records, "deletes": sorted(d.name() for d in dels)}
                         for e, match, _, dels in p.files],
               "counts": {"scanned": p.scanned, "total": p.total}}


def main():
    args = sys.argv[1:]
    tables = [a for a in args if not a.startswith("--")]
    cases = load(tables)
    if not cases:
        print("no cases under %s" % GIVEN)
        return 1
    if "--differences" in args:
        import differences
        return differences.show(cases, request, FORMS)
    counts = Counts()
    real = "--model" not in args
    planner = (lambda rs: plan_cases(rs, [MAP])) if real else model_planner
    results = play(cases, counts, planner)
    totals(cases, results, counts, not tables)
    if real:
        threads_agree(cases, results, counts)
        command_line(cases, results, counts)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
