"""Counts, by kind, the files that the official library keeps and lakectl drops, and what each kind is worth: the model plans each such
case again with one source of facts switched off; where the file then stays, that source is what drops it."""
import collections, json

from support import *

KINDS = [  # the model's name of a source of facts, what it is
    ("part-null", "the partition value is null, so every row is"),
    ("null+nan", "nulls and NaNs together are all values, neither alone"),
    ("count", "the null count is the record count, no value count recorded"),
    ("absent", "the file is older than the column"),
    ("bucket-single", "all values hash to one bucket that the predicate excludes"),
    ("partition", "the partition value, which the library does not join with the bounds or turns into a looser predicate"),
    ("metrics", "the bounds and counts, taken for all conditions on a column at once"),
]
BOTH = "several of these together, or the predicate alone"


def show(cases, request, forms):
    m = model()
    if m is None:
        print("the model is in ../shared, which is not there")
        return 1
    where = m.plan.Locations([("s3://lake-corpus/", CORPUS + "/")])
    tables, kinds = {}, {f: collections.Counter() for f in forms}
    example = {}
    for form in forms:
        cs = [c for c in cases if not c["java_error"]]
        for c, a in zip(cs, plan_cases([request(c, form) for c in cs], [MAP])):
            lost = set(c["files"]) - {f["path"] for f in a["files"]}
            if not lost:
                continue
            key = c["metadata"], c["snapshot_id"]
            if key not in tables:
                tables[key] = m.plan.Table(key[0], where, key[1])
            table = tables[key]
            tree = m.expr.Sql(c["where"]).tree if form == "where" else m.expr.from_json(c["filter"])
            node = m.expr.Binder(table.schema, "sql" if form == "where" else "filter", c["case_sensitive"]).bind(tree)
            entries = {e.path: e for x in table.manifests if x.content == 0 and x.live for e in x.entries()}
            for path in lost:
                e, found = entries[path], BOTH
                if e.records == 0:
                    found = "a file of no records"
                else:
                    for off, text in KINDS:
                        m.plan.OFF = frozenset([off])
                        if m.steps.evaluate(node, lambda k: m.plan.file_facts(e, k)) & m.steps.T:
                            found = text
                            break
                    m.plan.OFF = frozenset()
                kinds[form][found] += 1
                example.setdefault(found, "`%s` (%s)" % (c["where"], c["name"]))
    print("| why the file holds no matching row | SQL | JSON | for instance |\n|---|---|---|---|")
    for k in sorted(example, key=lambda k: -kinds["where"][k]):
        print("| %s | %d | %d | %s |" % (k, kinds["where"][k], kinds["filter"][k], example[k].replace("|", "\\|")))
    print("| all | %d | %d | |" % tuple(sum(kinds[f].values()) for f in forms))
    return 0
