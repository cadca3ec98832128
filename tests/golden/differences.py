"""Counts, by kind, the files that the official library keeps and lakectl drops. The model plans each such case again with sources of facts
switched off; the smallest set of sources without which the file would stay is what drops it."""
import collections

from support import *

SOURCES = {
    "part-null": "the partition value is null, so the column is null in every row",
    "null+nan": "nulls and NaNs together are all values, neither alone",
    "count": "the null count is the record count; no value count is recorded",
    "absent": "the file is older than the column, which is null or its default in it",
    "bucket-single": "all values of the column hash to one bucket",
    "partition": "the partition value bounds the column (joined with the recorded bounds, or tighter than the projected predicate)",
    "metrics": "bounds and counts, for all conditions on a column at once",
}
ONLY_NULLS = "the counts say that the column is only null, and no comparison is TRUE for null (in SQL neither `<>`, NOT IN, NOT LIKE)"
SEVERAL = "two of these, each enough by itself"
ALONE = "the predicate is TRUE for no value at all"
NO_ROWS = "the file has no rows"


class Reasons:
    def __init__(self, m):
        self.m, self.where, self.tables = m, m.plan.Locations([("s3://lake-corpus/", CORPUS + "/")]), {}

    def table(self, c):
        key = c["metadata"], c["snapshot_id"]
        if key not in self.tables:
            t = self.m.plan.Table(key[0], self.where, key[1])
            t.entries = {e.path: e for x in t.manifests if x.content == 0 and x.live for e in x.entries()}
            self.tables[key] = t
        return self.tables[key]

    def stays(self, node, e, off, keys=None):
        self.m.plan.OFF = frozenset(off)
        try:
            return bool(self.m.plan.evaluate(node, lambda k: (keys.add(k) if keys is not None else None, self.m.plan.file_facts(e, k))[1])
                        & self.m.steps.T)
        finally:
            self.m.plan.OFF = frozenset()

    def why(self, node, e):
        if e.records == 0:
            return NO_ROWS
        for s, text in SOURCES.items():
            if self.stays(node, e, [s]):
                keys = set()
                self.stays(node, e, [], keys)
                only_nulls = s == "metrics" and any(k[1] is None and not self.m.plan.file_facts(e, k).value for k in keys)
                return ONLY_NULLS if only_nulls else text
        return SEVERAL if self.stays(node, e, SOURCES) else ALONE


def show(cases, request, forms):
    m = model()
    if m is None:
        print("the model is in ../shared, which is not there")
        return 1
    reasons, kinds, example = Reasons(m), {f: collections.Counter() for f in forms}, {}
    for form in forms:
        cs = [c for c in cases if not c["java_error"]]
        for c, a in zip(cs, plan_cases([request(c, form) for c in cs], [MAP])):
            lost = set(c["files"]) - {f["path"] for f in a["files"]}
            if not lost:
                continue
            table = reasons.table(c)
            tree = m.expr.Sql(c["where"]).tree if form == "where" else m.expr.from_json(c["filter"])
            node = m.expr.Binder(table.schema, "sql" if form == "where" else "filter", c["case_sensitive"]).bind(tree)
            for path in lost:
                kind = reasons.why(node, table.entries[path])
                kinds[form][kind] += 1
                if kind not in example or len(c["where"]) < len(example[kind][0]):
                    example[kind] = c["where"], c["name"]
    print("| why the file holds no matching row | SQL | JSON | for instance |\n|---|---|---|---|")
    for k in sorted(example, key=lambda k: -kinds["where"][k]):
        where, name = example[k]
        print("| %s | %d | %d | `%s` (%s) |" % (k, kinds["where"][k], kinds["filter"][k], where.replace("|", "\\|"), name))
    print("| all | %d | %d | |" % tuple(sum(kinds[f].values()) for f in forms))
    kept = {f: collections.Counter() for f in forms}
    for form in forms:
        cs = [c for c in cases if not c["java_error"]]
        for c, a in zip(cs, plan_cases([request(c, form) for c in cs], [MAP])):
            for p in {f["path"] for f in a["files"]} - set(c["files"]):
                note = "may_keep" if form == "where" else "may_keep_filter"
                kept[form]["true" if p in c.get("java_misses", []) or p in c["true_files"] or p in c.get("true_files_null_differs", [])
                           else "allowed" if p in c.get(note, []) else "other"] += 1
    print("\nKept although the official library drops them: %s" % {f: dict(kept[f]) for f in forms})
    return 0
