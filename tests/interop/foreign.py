#!/usr/bin/env python3
"""Tables that others wrote (../shared/corpus/foreign-tables): each metadata file is read, inspected and planned.

Expected: files, records, delete files and manifests of the plan of everything as the model has them, and, for `IS NULL`, `IS NOT NULL`
and a comparison on each column, no file that the model drops and none missing. What is special about a table stands below, from the
corpus' README and the answers of Java and DuckDB."""
import glob, json, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import *

TABLES = os.path.join(SHARED or "", "corpus", "foreign-tables")
MAPS = [("data/persistent/", TABLES + "/"), ("lineitem_iceberg/", TABLES + "/iceberg/lineitem_iceberg/"),
        ("./lineitem_iceberg/", TABLES + "/iceberg/lineitem_iceberg/"),
        ("lineitem_iceberg_gz/", TABLES + "/iceberg/lineitem_iceberg_gz/")]
# exit status and what the message names
REFUSED = {
    "equality_delete_cross_partition/warehouse/ns/t/metadata/vfinal.metadata.json": (4, "snapshot-id"),  # an id above 64 bits
    "equality_deletes/warehouse/mydb/mytable/metadata/v3.metadata.json": (3, "snap-"),                   # its list is not there
}
# What a directory stands for: the version hint if it is right, else the highest number.
DIRECTORIES = {
    "iceberg/lineitem_iceberg": "v2.metadata.json", "iceberg/lineitem_iceberg_gz": "v2.gz.metadata.json",
    "iceberg/lineitem_iceberg_no_hint": "v2.metadata.json", "iceberg/lineitem_iceberg_gz_no_hint": "v2.gz.metadata.json",
    "equality_deletes/warehouse/mydb/mytable": "v7.metadata.json", "name_mapping/warehouse_1/mydb/t1": "v7.metadata.json",
    "partition_timestamp/default.db/partition_timestamp": "00001-0c9938a5-103e-4185-b46d-331368ae4db7.metadata.json",
    "legacy_bare_deletion_vector/warehouse/default/legacy_bare_deletion_vector": "00002-legacy-bare-dv.metadata.json",
    "column_mapping/warehouse/default.db/my_table": "00001-75643dae-a7a7-46ae-ab30-ea80d3793f3f.metadata.json",
}
# Rows before deletes of the newest version, and files, as the peers have them.
KNOWN = {
    "iceberg/lineitem_iceberg/metadata/v2.metadata.json": (1, 51793), "generated_bounds/metadata/v1.metadata.json": (5000, 5000000),
    "name_mapping/warehouse_1/mydb/t1/metadata/v7.metadata.json": (1, 10000), "timestamptz_ns/metadata/v1.metadata.json": (0, 0),
    "partition_fixed_length_binary/default.db/partition_fixed_length_binary/metadata/00001-b4b3d6d2-cac2-4480-952e-0e4b3b88b5d7"
    ".metadata.json": (2, 2),
    "iceberg_v1_repro/repro/merch_v1/metadata/00004-v3-upgraded-v1-null-counts.metadata.json": (2, 4),
    "legacy_bare_deletion_vector/warehouse/default/legacy_bare_deletion_vector/metadata/00002-legacy-bare-dv.metadata.json": (1, 3),
}
VIEWS = ["snapshots", "history", "refs", "manifests", "files", "entries", "partitions", "schema", "spec", "properties"]
map_args = [x for m in MAPS for x in ("--map", "%s=%s" % m)]


def predicates(table):
    out = [""]
    for f in table.schema.fields.values():
        if isinstance(f.type, dict) or f.inside_list:
            continue
        name, p = [], f
        while p is not None:
            name.insert(0, '"%s"' % p.name.replace('"', '""'))
            p = p.parent
        name = ".".join(name)
        out += [name + " IS NULL", name + " IS NOT NULL"]
        literal = {"int": "2", "long": "2", "string": "'m'", "date": "DATE '1995-01-01'", "boolean": "TRUE"}.get(f.type)
        out += ["%s > %s" % (name, literal)] if literal else []
    return out


def plan_all(counts, m, name, path):
    where = m.plan.Locations(MAPS)
    table = m.plan.Table(path, where)
    texts = predicates(table)
    answers = list(plan_cases([{"name": t, "metadata": path, "predicate": t, "sensitive": True} for t in texts], ["%s=%s" % x for x in MAPS]))
    for text, a in zip(texts, answers):
        what = "%s WHERE %s" % (name, text or "TRUE")
        if "error" in a:
            counts.fail(what, a["message"])
            continue
        tree = m.expr.Sql(text).tree if text else ("const", m.steps.T)
        p = m.plan.Plan(table, m.expr.Binder(table.schema, "sql", True).bind(tree))
        want = {e.path: (e.records, match, sorted(d.name() for d in dels)) for e, match, _, dels in p.files}
        got = {t["path"]: (t["records"], t["match"], t["deletes"]) for t in a["files"]}
        bad = [] if got == want else ["%s: %s, not %s" % (k, got.get(k), want.get(k)) for k in sorted(set(got) | set(want))
                                      if got.get(k) != want.get(k)]
        counts.check(what, short("; ".join(bad), 600))
        if not text and name in KNOWN:
            counts.equal(name + ": files and records", (len(got), sum(r for r, _, _ in got.values())), KNOWN[name])
    return answers[0]


def inspect(counts, name, path, everything):
    for view in VIEWS:
        status, out, err = lakectl("inspect", view, path, *map_args, "--format", "json")
        if not counts.check("inspect %s %s" % (view, name), status and "exit status %d: %s" % (status, err)):
            continue
        try:
            rows = json.loads(out)
        except ValueError as e:
            counts.fail("inspect %s %s" % (view, name), "no JSON: %s" % e)
            continue
        if view == "files":
            data = [r["file_path"] for r in rows if r.get("content", 0) == 0]
            counts.equal("inspect files " + name, sorted(data), sorted(t["path"] for t in everything["files"]))


def one(counts, m, path):
    name = os.path.relpath(path, TABLES)
    if name in REFUSED:
        want, word = REFUSED[name]
        status, out, err = lakectl("plan", path, *map_args)
        counts.check(name, (status != want or word not in err) and "exit status %d: %s" % (status, err))
        return
    try:
        everything = plan_all(counts, m, name, path)
    except LakectlFailed as e:
        counts.fail(name, str(e))
        return
    if "error" not in everything:
        inspect(counts, name, path, everything)


def main():
    counts = Counts()
    m = model()
    if m is None or not os.path.isdir(TABLES):
        counts.skip("foreign tables", "../shared/corpus/foreign-tables is not there")
        return counts.finish()
    paths = sorted(p for p in glob.glob(TABLES + "/**/*.metadata.json", recursive=True) if not sys.argv[1:] or any(a in p for a in sys.argv[1:]))
    both(lambda p: one(counts, m, p), paths)
    for d, metadata in DIRECTORIES.items() if not sys.argv[1:] else []:
        args = [*map_args, "--format", "json"]
        a, b = lakectl("plan", os.path.join(TABLES, d), *args), lakectl("plan", os.path.join(TABLES, d, "metadata", metadata), *args)
        tasks = lambda x: json.loads(x[1])["file-scan-tasks"] if x[0] == 0 else x
        counts.check(d + " as a directory", (a[0] or tasks(a) != tasks(b)) and "%s, by its metadata file %s" % (short(str(a), 400), short(str(b), 400)))
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
