#!/usr/bin/env python3
"""`lakectl audit`: undamaged tables of the corpus and of others (none is invented), copies that were damaged in every way (each is found,
with file, column and the rows that brute force by pyarrow counts), hostile copies (an error or findings, never a crash).

  audit.py [PART...]       clean, foreign, columns, structure, partitions, deletes, choices, writers, repair, hostile"""
import duckdb, math, random, time

from audit_tables import *

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "traps"))
import table as traps  # noqa: E402

counts = Counts(40)
DUCKDB = duckdb.connect()
TABLES = ["bucket_bytes", "bucket_numbers", "codecs", "defaults_v3", "deletes_v2", "deletes_v3", "identity_multi", "lifecycle", "long_values",
          "modes_columns", "modes_nested", "modes_wide", "name_mapping", "odd_names", "sales_month", "sales_plain", "schema_evolution",
          "spec_evolution_v1", "spec_evolution_v2", "time_transforms", "truncate_all", "types_all", "types_v3", "upgrade", "formats"]

# What is wrong in the corpus itself. truncate near the type's minimum overflows in the official writer (DISAGREEMENTS, 3): the stored
# value is far above the row's. The rows decide: data/f-00003 of schema_evolution holds i = -2147483648, those of truncate_all l = -2^63.
WRAPPED = {"schema_evolution": ("i_trunc", 2, "long", 500, -2 ** 31), "truncate_all": ("l_trunc", 3, "long", 500000, -2 ** 63)}


def wrong(doc):
    return [f for f in doc["findings"] if f["verdict"] == "wrong"]


def brief(findings):
    return ["%s %s %s: %s / %s, lost %s" % (f["kind"], os.path.basename(f.get("file", f.get("manifest", "-"))), f.get("column", ""),
                                           f.get("recorded"), f.get("found"), f.get("lost-rows")) for f in findings]


# ---------------------------------------------------------------- nothing is invented
def expected_wraps(copy):
    """Files whose truncated value overflowed: every value there is within a width of the minimum."""
    if copy.name not in WRAPPED:
        return {}
    name, field_id, t, width, least = WRAPPED[copy.name]
    out = {}
    for _, _, e in copy.entries():
        values = [v for v in column_values(copy, e["data_file"]["file_path"], field_id, t) or [] if v is not None]
        if values and min(values) < least + least % width and min(values) - min(values) % width < least:
            out[("partition-value", e["data_file"]["file_path"], name)] = len(values)
    return out


def play_clean():
    def one(name):
        copy = Copy(name)
        status, doc = copy.audit("--orphans")
        if not isinstance(doc, dict):
            return counts.fail(name, "exit status %d: %s" % (status, doc))
        want = expected_wraps(copy)
        got = {(f["kind"], f.get("file"), f.get("column")): f["lost-rows"] for f in wrong(doc)}
        counts.equal("%s: what is wrong" % name, got, want)
        counts.equal("%s: exit status" % name, status, 1 if want else 0)
        n = sum(1 for c in (0, 1, 2) for _ in copy.entries(c))
        counts.equal("%s: files" % name, doc["counts"]["data-files"] + doc["counts"]["delete-files"], n)
        unread = doc["counts"]["unchecked"]
        counts.equal("%s: files that were read" % name, doc["counts"]["checked-files"] + unread, n)
        counts.equal("%s: orphans" % name, sorted(os.path.basename(f["file"]) for f in doc["findings"] if f["verdict"] == "orphan"), [])
        counts.check("%s: loose" % name, brief([f for f in doc["findings"] if f["verdict"] == "loose"]))
        status, footers = copy.audit("--footers")
        # A footer has no NaN counts, and bounds of -0.0 and 0.0 for zeros; it must not contradict what is right.
        counts.equal("%s: by footers" % name, [f["kind"] for f in wrong(footers)],
                     ["partition-value"] * len(want) if isinstance(footers, dict) else footers)
        copy.drop()
    both(one, TABLES)
    # No data files by design (random metrics), and one file without rows that was never written.
    for name in ("empty", "metrics_random_1"):
        copy = Copy(name)
        status, doc = copy.audit()
        paths = sorted(e["data_file"]["file_path"] for _, _, e in copy.entries() if not os.path.exists(copy.local(e["data_file"]["file_path"])))
        counts.equal("%s: missing objects" % name, (status, sorted(f["file"] for f in wrong(doc) if f["kind"] == "missing-object")), (1, paths))
        counts.equal("%s: nothing else" % name, len(wrong(doc)), len(paths))
        copy.drop()


# Independent reasons: recorded sizes are those of the writer's first files, which were replaced by smaller ones (the corpus' README); the
# vector's file has no Puffin footer; the generated manifest's length is written as 0 in the list, and its data files are elsewhere.
FOREIGN = {
    "add_columns_with_defaults/default.db/add_columns_with_defaults": set(), "column_mapping/warehouse/default.db/my_table": set(),
    "equality_deletes/warehouse/mydb/mytable": set(), "equality_deletes/warehouse/mydb/mytable_partitioned": set(),
    "iceberg/lineitem_iceberg": set(), "iceberg/lineitem_iceberg_gz": set(), "iceberg_v1_repro/repro/merch_v1": set(),
    "generated_bounds": {"manifest-length"},
    "legacy_bare_deletion_vector/warehouse/default/legacy_bare_deletion_vector": {"deletion-vector"},
    "name_mapping/warehouse_1/mydb/t1": {"file-size", "column-size"}, "partition_bigint": {"file-size", "column-size"},
    "partition_bool": {"file-size", "column-size"}, "partition_decimal_hugeint": {"file-size", "column-size"},
    "partition_decimal_smallint": {"file-size", "column-size"}, "partition_integer": {"file-size", "column-size"},
    "partition_fixed_length_binary/default.db/partition_fixed_length_binary": {"file-size", "column-size"},
    "partition_timestamp/default.db/partition_timestamp": {"file-size", "column-size"},
}


def play_foreign():
    root = os.path.join(SHARED or "", "corpus", "foreign-tables")
    if not os.path.isdir(root):
        return counts.skip("foreign tables", "../shared/corpus/foreign-tables is not there")
    maps = []
    for a, b in (("data/persistent/", "/"), ("lineitem_iceberg/", "/iceberg/lineitem_iceberg/"), ("./lineitem_iceberg/", "/iceberg/lineitem_iceberg/"),
                 ("lineitem_iceberg_gz/", "/iceberg/lineitem_iceberg_gz/")):
        maps += ["--map", "%s=%s%s" % (a, root, b)]
    local = lambda p: root + p[len("data/persistent"):]
    for name, want in FOREIGN.items():
        status, out, err = lakectl(*maps, "audit", os.path.join(root, name), "--format", "json")
        try:
            doc = json.loads(out)
        except ValueError:
            counts.fail(name, err)
            continue
        counts.equal("%s: kinds" % name, ({f["kind"] for f in wrong(doc)}, status), (want, 1 if want else 0))
        for f in wrong(doc):
            if f["kind"] == "file-size":
                counts.equal("%s: size of a file" % name, int(f["found"]), os.path.getsize(local(f["file"])))
            counts.equal("%s: %s loses rows" % (name, f["kind"]), f["lost-rows"], 0)
    status, out, err = lakectl(*maps, "audit", os.path.join(root, "equality_delete_cross_partition/warehouse/ns/t"))
    counts.equal("an id above 64 bits", (status, "snapshot-id" in err), (4, True))


# ---------------------------------------------------------------- bounds and counts
def pivots(t, distinct):
    """A value above the least, and one below the greatest."""
    if len(distinct) > 1:
        return distinct[len(distinct) // 2] if len(distinct) > 2 else distinct[1], distinct[(len(distinct) - 1) // 2]
    v = distinct[0]
    if t == "boolean" or t == "uuid" or t.startswith("fixed"):
        return None, None
    if is_bytes(t):
        return v + b"a", v[:-1] if v and (t != "string" or v[-1] < 128) else None
    if isinstance(v, float):
        return (v + abs(v) + 1, v - abs(v) - 1) if abs(v) < 1e37 else (None, None)
    limit = 10 ** int(t[8:].split(",")[0]) if t.startswith("decimal") else 2 ** 31 if t in ("int", "date") else 86400000000 if t == "time" else 2 ** 63
    return v + 1 if v + 1 < limit else None, v - 1 if v - 1 > -limit and (t != "time" or v) else None


class Damage:
    """One for each file and column, drawn at random; what must be found."""

    def __init__(self, copy, rng):
        self.copy, self.rng, self.want, self.dropped = copy, rng, {}, []

    def one(self, e, field_id, path, t):
        d, rng = e["data_file"], self.rng
        values = column_values(self.copy, d["file_path"], field_id, t)
        if values is None:
            return
        key = (d["file_path"], ".".join(path))
        plain = [v for v in values if v is not None and not (isinstance(v, float) and math.isnan(v))]
        nulls, nans = sum(v is None for v in values), len(values) - len(plain) - sum(v is None for v in values)
        lower, upper = metric(d, "lower_bounds").get(field_id), metric(d, "upper_bounds").get(field_id)
        kinds = []
        if plain and lower is not None:
            kinds += ["lower", "lower", "nan-lower"] if t in ("float", "double") else ["lower", "lower"]
        if plain and upper is not None:
            kinds += ["upper", "upper"]
        if plain and lower is not None and upper is not None:
            kinds += ["inverted"]
        if field_id in metric(d, "null_value_counts"):
            kinds += ["nulls-0"] if nulls else []
            kinds += ["nulls-all"] if plain else []
            kinds += ["nulls+1"] if nulls else []
        if field_id in metric(d, "nan_value_counts") and nans:
            kinds += ["nans-0"]
        if field_id in metric(d, "value_counts"):
            kinds += ["values+1"]
        if not kinds:
            return
        self.apply(rng.choice(kinds), d, key, field_id, t, plain, nulls, nans, lower, upper, len(values))

    def expect(self, kind, key, lost):
        self.want[(kind,) + key] = lost

    def apply(self, kind, d, key, field_id, t, plain, nulls, nans, lower, upper, n):
        distinct = sorted({order(v): v for v in plain}.values(), key=order)
        up, down = pivots(t, distinct) if distinct else (None, None)
        if kind == "lower" and up is not None:
            set_metric(d, "lower_bounds", field_id, encode(t, up))
            self.expect("lower-bound", key, sum(order(v) < order(up) for v in plain))
            if upper is not None and order(decode(t, upper)) < order(up):
                self.expect("bounds-inverted", key, len(plain))
        elif kind == "upper" and down is not None:
            set_metric(d, "upper_bounds", field_id, encode(t, down))
            self.expect("upper-bound", key, sum(order(v) > order(down) for v in plain))
            if lower is not None and order(decode(t, lower)) > order(down):
                self.expect("bounds-inverted", key, len(plain))
        elif kind == "inverted" and order(distinct[0]) < order(distinct[-1]) and up is not None and distinct[0] != distinct[-1]:
            set_metric(d, "lower_bounds", field_id, encode(t, distinct[-1]))
            set_metric(d, "upper_bounds", field_id, encode(t, distinct[0]))
            self.expect("bounds-inverted", key, len(plain))
            self.expect("lower-bound", key, sum(v < distinct[-1] for v in plain))
            self.expect("upper-bound", key, sum(v > distinct[0] for v in plain))
        elif kind == "nan-lower":
            set_metric(d, "lower_bounds", field_id, struct.pack("<f" if t == "float" else "<d", math.nan))
            self.expect("bound-nan", key, len(plain))
        elif kind == "nulls-0":
            set_metric(d, "null_value_counts", field_id, 0)
            self.expect("null-count", key, nulls)
        elif kind == "nulls-all":
            set_metric(d, "null_value_counts", field_id, n)
            self.expect("null-count", key, n - nulls if n != nulls else 0)
        elif kind == "nulls+1" and nulls + 1 != n:
            set_metric(d, "null_value_counts", field_id, nulls + 1)
            self.expect("null-count", key, 0)
        elif kind == "nans-0":
            set_metric(d, "nan_value_counts", field_id, 0)
            self.expect("nan-count", key, nans)
        elif kind == "values+1":
            set_metric(d, "value_counts", field_id, n + 1)
            self.expect("value-count", key, 0)


def check_dropped(copy, doc, name):
    """A plan with the predicate drops the file: lakectl believes such bounds, too, where they contradict nothing."""
    table = {(f["file"], f["column"]) for f in wrong(doc) if f["kind"] == "bounds-inverted"}
    chosen = [f for f in wrong(doc) if f["kind"] in ("lower-bound", "upper-bound") and f["lost-rows"] and "predicate" in f and (f["file"], f["column"]) not in table]
    for f in chosen[:6]:
        if f["effect"] if "effect" in f else False:
            continue                            # -0.0: no rows are lost here
        status, out, err = lakectl(*copy.args(), "plan", copy.folder, "--where", f["predicate"], "--format", "json")
        if status:
            counts.fail("%s: plan %s" % (name, f["predicate"]), err)
            continue
        kept = {t["data-file"]["file-path"] for t in json.loads(out)["file-scan-tasks"]}
        counts.check("%s: %s drops the file" % (name, f["predicate"]), f["file"] in kept and "it is kept: " + f["file"])


def check_predicates(copy, doc, name):
    """DuckDB counts the rows of the file for which the predicate is TRUE."""
    types = {".".join(path): t for path, t in copy.leaves().values()}
    simple = ("int", "long", "date", "string", "timestamp", "boolean", "uuid")
    for f in wrong(doc):
        t = types.get(f.get("column"), "")
        if f["kind"] not in ("lower-bound", "upper-bound", "null-count") or "predicate" not in f or t not in simple and not t.startswith("decimal"):
            continue
        path = copy.local(f["file"])
        if not path.endswith(".parquet"):
            continue
        try:
            got = DUCKDB.cursor().execute("SELECT count(*) FROM read_parquet('%s') WHERE %s" % (path.replace("'", "''"), f["predicate"])).fetchone()[0]
        except Exception as e:
            counts.fail("%s: DuckDB: %s" % (name, f["predicate"]), str(e)[:300])
            continue
        counts.equal("%s: rows for which %s" % (name, f["predicate"]), f["lost-rows"], got)


def play_columns():
    def one(job):
        name, seed = job
        copy, rng = Copy(name), random.Random("%s %d" % (name, seed))
        damage = Damage(copy, rng)
        for l, _, e in copy.entries():
            sources = {f["source-id"] for f in copy.specs[l["partition_spec_id"]]}
            leaves = [(i, p, t) for i, (p, t) in copy.leaves().items() if i not in sources or rng.random() < 0.5]
            for field_id, path, t in rng.sample(leaves, min(3, len(leaves))):
                damage.one(e, field_id, path, t)
        base = expected_wraps(copy)
        copy.write()
        status, doc = copy.audit()
        if not isinstance(doc, dict):
            return counts.fail("%s %d" % job, "exit status %d: %s" % (status, doc))
        got = {(f["kind"], f.get("file"), f.get("column")): f["lost-rows"] for f in wrong(doc)}
        want = {**base, **damage.want}
        for k in sorted(set(got) | set(want), key=str):
            counts.equal("%s %d: %s of %s in %s" % (name, seed, k[0], k[2], os.path.basename(k[1] or "-")), got.get(k, "not found"),
                         want.get(k, "nothing"))
        counts.equal("%s %d: exit status" % job, status, 1 if want else 0)
        lost = [f["lost-rows"] or 0 for f in wrong(doc)]
        counts.equal("%s %d: what loses rows comes first" % job, [x > 0 for x in lost], sorted([x > 0 for x in lost], reverse=True))
        check_dropped(copy, doc, "%s %d" % job)
        if name in ("sales_month", "sales_plain", "types_all", "types_v3", "identity_multi", "long_values", "modes_nested", "deletes_v2", "lifecycle"):
            check_predicates(copy, doc, "%s %d" % job)
        copy.drop()
    names = [n for n in TABLES if n not in ("name_mapping", "formats", "codecs")]
    both(one, [(n, s) for n in names for s in (1, 2)])
    zeros()
    odd_bounds()
    formats()


def pick(copy, column, where=lambda d, values: True):
    """The first live entry with bounds of the column whose values please."""
    field_id, (path, t) = next((i, v) for i, v in copy.leaves().items() if v[0][-1] == column)
    for l, m, e in copy.entries():
        values = column_values(copy, e["data_file"]["file_path"], field_id, t)
        if values and field_id in metric(e["data_file"], "lower_bounds") and where(e["data_file"], values):
            return l, m, e, field_id, t, values
    raise LookupError("%s: no file for %s" % (copy.name, column))


def case(name, table, damage, want, only=True, *args):
    """damage(copy) returns a dict of values for `want`: {(kind, file, column): lost rows}."""
    copy = Copy(table)
    try:
        want = want(damage(copy)) if callable(want) else want
        status, doc = copy.audit(*args)
        if not isinstance(doc, dict):
            return counts.fail(name, "exit status %d: %s" % (status, doc))
        base = expected_wraps(copy)
        got = {(f["kind"], f.get("file"), f.get("column")): f["lost-rows"] for f in wrong(doc)}
        got = {k: v for k, v in got.items() if k not in base}
        if not only:
            got = {k: v for k, v in got.items() if k in want}
        counts.equal(name, sorted(map(str, got.items())), sorted(map(str, want.items())))
        counts.equal("%s: exit status" % name, status, 1)
        return doc
    finally:
        copy.drop()


def zeros():
    """A lower bound of 0.0 excludes -0.0 (spec.md, note 2 of the data file's fields); one of -0.0 never does."""
    def damage(copy):
        for column, t in (("c_float", "float"), ("c_double", "double")):
            for _, _, e in copy.entries():
                i = next(i for i, v in copy.leaves().items() if v[0] == [column])
                values = [v for v in column_values(copy, e["data_file"]["file_path"], i, t) or [] if v is not None and v == v]
                if values and min(values) == 0 and any(math.copysign(1, v) < 0 for v in values if v == 0):
                    set_metric(e["data_file"], "lower_bounds", i, encode(t, 0.0))
                    copy.write()
                    return {("lower-bound", e["data_file"]["file_path"], column): sum(v == 0 and math.copysign(1, v) < 0 for v in values)}
        raise LookupError("no file whose least value is -0.0")
    case("0.0 as lower bound of -0.0", "types_all", damage, lambda w: w)


def formats():
    """Avro files are read whole; of ORC files what the footer proves (lost rows are not counted)."""
    import pyarrow.orc as orc

    def damage(copy):
        want = {}
        for _, _, e in copy.entries():
            d = e["data_file"]
            path = copy.local(d["file_path"])
            if d["file_format"].upper() == "AVRO":
                with open(path, "rb") as f:
                    ids = [r["id"] for r in fastavro.reader(f)]
            elif d["file_format"].upper() == "ORC":
                ids = orc.ORCFile(path).read(columns=["id"]).column(0).to_pylist()
            else:
                continue
            ids = [i for i in ids if i is not None]
            if len(set(ids)) < 2:
                continue
            set_metric(d, "upper_bounds", 1, encode("int", min(ids)))
            want[("upper-bound", d["file_path"], "id")] = sum(i > min(ids) for i in ids) if d["file_format"].upper() == "AVRO" else None
            low = metric(d, "lower_bounds").get(1)
            if low is None:
                set_metric(d, "lower_bounds", 1, encode("int", min(ids)))
        copy.write()
        counts.check("files of both formats", len({k[1][-4:] for k in want}) < 2 and "none: %s" % list(want))
        return want
    case("bounds of Avro and ORC files", "formats", damage, lambda w: w)


def odd_bounds():
    def wide(copy):
        _, _, e, i, t, _ = pick(copy, "c_int")
        set_metric(e["data_file"], "upper_bounds", i, b"\1\0\0\0\0\0\0\0")
        copy.write()
        return {("bound-form", e["data_file"]["file_path"], "c_int"): 0}
    case("8 bytes as bound of an int (C10)", "types_all", wide, lambda w: w)

    def cut(copy):
        _, _, e, i, t, _ = pick(copy, "c_string", lambda d, v: min(x for x in v if x is not None) >= b"A")
        set_metric(e["data_file"], "lower_bounds", i, b"A\xe2\x80")
        copy.write()
        return {("bound-form", e["data_file"]["file_path"], "c_string"): 0}
    case("a string cut within a character (C4)", "types_all", cut, lambda w: w)

    def prefix(copy):                                                          # C6: shortened downward
        for _, _, e in copy.entries():
            for i, (path, t) in copy.leaves().items():
                if t not in ("string", "binary"):
                    continue
                values = [v for v in column_values(copy, e["data_file"]["file_path"], i, t) or [] if v is not None]
                if values and len(max(values)) > 20 and max(values)[:16].isascii():
                    set_metric(e["data_file"], "upper_bounds", i, max(values)[:16])
                    copy.write()
                    bound = max(values)[:16]
                    want = {("upper-bound", e["data_file"]["file_path"], ".".join(path)): sum(v > bound for v in values)}
                    return want
        raise LookupError("no long value")
    case("an upper bound shortened downward (C6)", "long_values", prefix, lambda w: w, False)

    def millis(copy):                                                          # D3: cut to milliseconds
        _, _, e, i, t, values = pick(copy, "c_ts", lambda d, v: max(x for x in v if x is not None) % 1000)
        top = max(x for x in values if x is not None)
        set_metric(e["data_file"], "upper_bounds", i, encode(t, top - top % 1000))
        copy.write()
        return {("upper-bound", e["data_file"]["file_path"], "c_ts"): sum(v is not None and v > top - top % 1000 for v in values)}
    names = [v[0][-1] for v in Copy("types_all").leaves().values() if v[1] == "timestamp"]
    if names:
        case("a timestamp cut to milliseconds (D3)", "types_all",
             lambda c: millis_of(c, names[0]), lambda w: w, False)


def millis_of(copy, column):
    _, _, e, i, t, values = pick(copy, column, lambda d, v: any(x is not None for x in v) and max(x for x in v if x is not None) % 1000)
    top = max(x for x in values if x is not None)
    cut = top - top % 1000
    set_metric(e["data_file"], "upper_bounds", i, encode(t, cut))
    copy.write()
    return {("upper-bound", e["data_file"]["file_path"], column): sum(v is not None and v > cut for v in values)}


# ---------------------------------------------------------------- structure
def first(copy, n=0, content=0):
    return list(copy.entries(content))[n]


def play_structure():
    def length(copy):
        copy.write()
        copy.list.rows[0]["manifest_length"] += 1
        copy.list.write()
        return {("manifest-length", None, None): 0}
    case("a manifest's length (H3)", "sales_month", length, lambda w: w)

    for member in ("added_files_count", "existing_files_count", "deleted_files_count", "added_rows_count", "existing_rows_count", "deleted_rows_count"):
        def count(copy, member=member):
            copy.list.rows[0][member if member in copy.list.rows[0] else member.replace("_files", "_data_files")] += 1
            copy.write()
            return {("list-count", None, None): 0}
        case("%s in the list (H8)" % member, "sales_month", count, lambda w: w)

    def no_files(copy):
        l = copy.list.rows[0]
        m = copy.manifests[0]
        for k in l:
            if k.startswith(("added_", "existing_")) and k.endswith("files_count"):
                l[k] = 0
        copy.write()
        return {("list-count", None, None): sum(e["data_file"]["record_count"] for e in m.rows if e["status"] != 2)}
    case("no live file by the list (H8)", "sales_plain", no_files, lambda w: w)

    def rows(value):
        def damage(copy):
            _, _, e = first(copy)
            true, e["data_file"]["record_count"] = e["data_file"]["record_count"], value
            copy.write()
            return {("record-count", e["data_file"]["file_path"], None): true if value == 0 else 0}
        return damage
    case("no rows by the entry", "sales_plain", rows(0), lambda w: w, False)
    case("more rows by the entry", "sales_plain", rows(10 ** 9), lambda w: w, False)

    for change in (1, -1):
        def size(copy, change=change):
            _, _, e = first(copy)
            e["data_file"]["file_size_in_bytes"] += change
            copy.snapshot["summary"].pop("total-files-size")
            copy.write()
            return {("file-size", e["data_file"]["file_path"], None): 0}
        case("a file's size %+d" % change, "sales_month", size, lambda w: w)

    def column_size(copy):
        _, _, e = first(copy)
        set_metric(e["data_file"], "column_sizes", 3, 7)
        copy.write()
        return {("column-size", e["data_file"]["file_path"], "amount"): 0}
    case("a column's size", "sales_month", column_size, lambda w: w)

    def split(offsets):
        def damage(copy):
            _, _, e = first(copy)
            e["data_file"]["split_offsets"] = offsets
            copy.write()
            return {("split-offset", e["data_file"]["file_path"], None): 0}
        return damage
    case("a split offset behind the end", "sales_month", split([4, 10 ** 7]), lambda w: w)
    case("split offsets that fall", "sales_month", split([100, 4]), lambda w: w)

    def format(copy):
        _, _, e = first(copy)
        e["data_file"]["file_format"] = "ORC"
        copy.write()
        return {("file-format", e["data_file"]["file_path"], None): 0}
    case("another format", "sales_month", format, lambda w: w)

    def lost(copy):
        _, _, e = first(copy, 3)
        os.remove(copy.local(e["data_file"]["file_path"]))
        return {("missing-object", e["data_file"]["file_path"], None): 0}
    case("a missing file", "sales_month", lost, lambda w: w)

    def torn(copy):
        _, _, e = first(copy, 1)
        with open(copy.local(e["data_file"]["file_path"]), "r+b") as f:
            f.truncate(200)
        return {("unreadable", e["data_file"]["file_path"], None): 0, ("file-size", e["data_file"]["file_path"], None): 0}
    case("a torn file", "sales_month", torn, lambda w: w)

    def twice(copy):
        _, m, e = first(copy, 2)
        m.rows.append(dict(e))
        copy.write()
        return {("duplicate-path", e["data_file"]["file_path"], None): 0}
    case("a file listed twice", "sales_month", twice, lambda w: w, False)

    def elsewhere(copy):
        _, m, e = first(copy, 0)
        other = next(x for x in copy.manifests if x is not m)
        other.rows.append(dict(e, status=0, sequence_number=1, file_sequence_number=1, snapshot_id=1))
        copy.write()
        return {("duplicate-path", e["data_file"]["file_path"], None): 0}
    case("a file in two manifests", "sales_month", elsewhere, lambda w: w, False)

    def sequence(copy):
        l, _, e = first(copy)
        e["sequence_number"] = l["sequence_number"] + 5
        copy.write()
        return {("sequence-number", e["data_file"]["file_path"], None): 0}
    case("an entry newer than its manifest", "sales_month", sequence, lambda w: w)

    def line_sequence(copy):
        copy.list.rows[0].update(sequence_number=10 ** 6, min_sequence_number=1)
        for e in copy.manifests[0].rows:
            e["sequence_number"] = e["file_sequence_number"] = 1
        copy.write()
        return {("sequence-number", None, None): 0}
    case("a manifest newer than the snapshot", "sales_month", line_sequence, lambda w: w)

    def least(copy):
        copy.list.rows[0]["min_sequence_number"] = 10 ** 6
        copy.write()
        return {("min-sequence-number", None, None): 0}
    case("a least sequence number too high", "sales_month", least, lambda w: w)

    for key in ("total-records", "total-data-files", "total-files-size", "added-records", "total-delete-files"):
        def total(copy, key=key):
            copy.snapshot["summary"][key] = str(int(copy.snapshot["summary"].get(key, "0")) + 3)
            copy.write()
            return {("snapshot-summary", None, None): 0}
        case("%s of the snapshot (K9)" % key, "sales_month", total, lambda w: w)

    def statistics(copy):
        j = copy.json
        j["statistics"] = [{"snapshot-id": j["current-snapshot-id"], "statistics-path": copy.snapshot["manifest-list"], "file-size-in-bytes": 1,
                            "file-footer-size-in-bytes": 1, "blob-metadata": []},
                           {"snapshot-id": 1, "statistics-path": PREFIX + "other", "file-size-in-bytes": 1, "file-footer-size-in-bytes": 1,
                            "blob-metadata": []}]
        j["partition-statistics"] = [{"snapshot-id": j["current-snapshot-id"], "statistics-path": PREFIX + "nowhere", "file-size-in-bytes": 1}]
        copy.write()
        return {("file-size", copy.snapshot["manifest-list"], None): 0, ("missing-object", PREFIX + "nowhere", None): 0}
    case("statistics files", "sales_month", statistics, lambda w: w)

    def gone(copy):
        copy.write()
        os.remove(copy.manifests[0].path)
        return {("missing-object", None, None): 0}
    case("a missing manifest", "sales_month", gone, lambda w: w)

    def torn_manifest(copy):
        copy.write()
        path = copy.manifests[0].path
        with open(path, "r+b") as f:
            f.truncate(os.path.getsize(path) - 20)
        return {("unreadable", None, None): 0, ("manifest-length", None, None): 0}
    case("a torn manifest", "sales_month", torn_manifest, lambda w: w)

    def row_ids(copy):
        entries = [e for _, _, e in copy.entries() if e["data_file"]["record_count"] > 1]
        entries[0]["data_file"]["first_row_id"] = 0
        entries[1]["data_file"]["first_row_id"] = 1
        copy.write()
        return {("row-ids", entries[1]["data_file"]["file_path"], None): 0}
    case("row ids of two files", "defaults_v3", row_ids, lambda w: w, False)

    def beyond(copy):
        _, _, e = first(copy)
        e["data_file"]["first_row_id"] = 10 ** 9
        copy.write()
        return {("row-ids", e["data_file"]["file_path"], None): 0}
    case("row ids beyond next-row-id", "defaults_v3", beyond, lambda w: w)

    # An EXISTING entry without its sequence number (H9), and a row count of -1 (A7): the first is broken, the second unknown.
    t = traps.Table([(1, "x", "long")])
    t.add([traps.file("a", records=3, status=0, snapshot=1)])
    status, out, err = lakectl("audit", t.write(), "--format", "json")
    found = [(f["kind"], "sequence_number" in f["found"]) for f in wrong(json.loads(out))] if status == 1 else err
    counts.equal("an existing entry without its number (H9)", found, [("unreadable", True)])

    def unknown(copy):
        _, _, e = first(copy)
        e["data_file"]["record_count"] = -1
        copy.write()
        return e
    copy = Copy("sales_plain")
    unknown(copy)
    status, doc = copy.audit()
    counts.equal("a row count of -1 (A7)", (sorted({(f["verdict"], f["kind"]) for f in doc["findings"]}), status), ([("missing", "record-count")], 0))
    copy.drop()

    for name in ("list", "metadata"):
        copy = Copy("sales_month")
        path = copy.list.path if name == "list" else copy.metadata_path
        with open(path, "r+b") as f:
            f.truncate(os.path.getsize(path) // 2)
        status, text = copy.audit()
        counts.equal("a torn %s" % name, (status, isinstance(text, str) and len(text.split("\n"))), (4, 1))
        os.remove(path)
        status, text = copy.audit()
        counts.equal("a missing %s" % name, status, 3 if name == "list" else 0 if isinstance(text, dict) else 3)
        copy.drop()


# ---------------------------------------------------------------- partitions and summaries
def first_value(e):
    return next(iter(e["data_file"]["partition"].values()))


def first_of_month(copy):
    return next(x for x in copy.entries() if first_value(x[2]) is not None)


def play_partitions():
    months = {}

    def month(copy):
        l, m, e = first_of_month(copy)
        part = e["data_file"]["partition"]
        name = next(iter(part))
        part[name] += 1200
        copy.write()
        n = e["data_file"]["record_count"]
        return {("partition-value", e["data_file"]["file_path"], "order_date_month"): n, ("summary-upper", None, "order_date_month"): n}
    doc = case("another month", "sales_month", month, lambda w: w)
    for f in wrong(doc) if doc else []:
        months[f["kind"]] = f["predicate"]
    counts.equal("what another month loses", "IS DISTINCT FROM" in months.get("partition-value", "") and "months(order_date) > " in
                 months.get("summary-upper", ""), True)

    def null(copy):
        l, m, e = first_of_month(copy)
        part = e["data_file"]["partition"]
        part[next(iter(part))] = None
        for s in l["partitions"]:
            s["contains_null"] = True
        copy.write()
        return {("partition-value", e["data_file"]["file_path"], "order_date_month"): e["data_file"]["record_count"]}
    case("null instead of a month", "sales_month", null, lambda w: w)

    # Every transform and type: the tuple of the next file with another value.
    for table in ("bucket_numbers", "bucket_bytes", "identity_multi", "time_transforms", "truncate_all", "spec_evolution_v2", "schema_evolution",
                  "deletes_v2", "odd_names", "upgrade", "codecs", "lifecycle"):
        def shift(copy):
            want = {}
            by_spec = {}
            for l, m, e in copy.entries():
                by_spec.setdefault(l["partition_spec_id"], []).append(e)
            same = lambda a, b: type(a) is type(b) and (a == b or a != a and b != b)
            skip = {k[1] for k in expected_wraps(copy)}
            for spec, entries in by_spec.items():
                for n, f in enumerate(copy.specs[spec]):
                    if f["transform"] == "void":
                        continue
                    done = False
                    for e in entries:
                        d = e["data_file"]
                        if done or d["file_path"] in skip or d["file_format"].upper() != "PARQUET" or not d["record_count"]:
                            continue
                        name = list(d["partition"])[n]
                        other = next((x for x in entries if list(x["data_file"]["partition"]) == list(d["partition"]) and x is not e and not same(
                            x["data_file"]["partition"][name], d["partition"][name])), None)
                        if other is None:
                            continue
                        mine, theirs = d["partition"][name], other["data_file"]["partition"][name]
                        if isinstance(mine, float) and mine == theirs:
                            continue               # zeros of either sign are equal
                        if not source_there(copy, d, f):
                            continue
                        d["partition"] = dict(d["partition"], **{name: theirs})
                        want[("partition-value", d["file_path"], f["name"])] = d["record_count"]
                        skip.add(d["file_path"])
                        done = True
            for l in copy.list.rows:
                l["partitions"] = None if copy.version == 1 else l["partitions"]
            copy.write()
            return want
        case("values of other files' tuples: %s" % table, table, shift, lambda w: w, False)

    # A file in which a few rows are of another month.
    def some(copy):
        _, _, e = next(x for x in copy.entries() if x[2]["data_file"]["record_count"] > 5 and first_value(x[2]) is not None)
        path = copy.local(e["data_file"]["file_path"])
        table = pq.read_table(path, partitioning=None)
        at = table.schema.get_field_index("order_date")
        dates = table.column(at).to_pylist()
        for i in (1, 4, 5):
            dates[i] = dates[i].replace(year=dates[i].year + 3)
        table = table.set_column(at, table.schema.field(at), pa.array(dates, table.schema.field(at).type))
        pq.write_table(table, path)
        e["data_file"]["file_size_in_bytes"] = os.path.getsize(path)
        copy.write()
        return {("partition-value", e["data_file"]["file_path"], "order_date_month"): 3,
                ("upper-bound", e["data_file"]["file_path"], "order_date"): 3}
    case("three rows of another month", "sales_month", some, lambda w: w, False)

    def bucket(copy):
        entries = [e for _, _, e in copy.entries()]
        a = next(e for e in entries if e["data_file"]["record_count"])
        path = copy.local(a["data_file"]["file_path"])
        name = next(iter(a["data_file"]["partition"]))
        b = next(e for e in entries if e["data_file"]["partition"][name] not in (None, a["data_file"]["partition"][name]))
        table = pa.concat_tables([pq.read_table(path, partitioning=None), pq.read_table(copy.local(b["data_file"]["file_path"]), partitioning=None)])
        pq.write_table(table, path)
        a["data_file"]["file_size_in_bytes"] = os.path.getsize(path)
        copy.write()
        return {("partition-value", a["data_file"]["file_path"], "i_bucket"): b["data_file"]["record_count"]}
    case("rows of another bucket", "bucket_numbers", bucket, lambda w: w, False)

    def summaries(change, kind, lost):
        def damage(copy):
            l, m = copy.list.rows[0], copy.manifests[0]
            live = [e for e in m.rows if e["status"] != 2]
            values = [next(iter(e["data_file"]["partition"].values())) for e in live]
            change(l["partitions"][0], sorted(v for v in values if v is not None))
            copy.write()
            return {(kind, None, "order_date_month"): sum(e["data_file"]["record_count"] for e, v in zip(live, values) if v is not None and
                                                  lost(sorted(x for x in values if x is not None), v))}
        return damage
    i4 = lambda v: struct.pack("<i", v)
    case("a summary's lower bound", "sales_month", summaries(lambda s, v: s.update(lower_bound=i4(v[-1])), "summary-lower", lambda all, v: v < all[-1]),
         lambda w: w)
    case("a summary's upper bound", "sales_month", summaries(lambda s, v: s.update(upper_bound=i4(v[0])), "summary-upper", lambda all, v: v > all[0]),
         lambda w: w)

    def no_value(copy):
        l, m = copy.list.rows[0], copy.manifests[0]
        l["partitions"][0].update(contains_null=True, lower_bound=None, upper_bound=None)
        copy.write()
        return {("summary-values", None, "order_date_month"): sum(e["data_file"]["record_count"] for e in m.rows
                                                                  if e["status"] != 2 and first_value(e) is not None)}
    case("a summary without values", "sales_month", no_value, lambda w: w)

    def no_null(copy):
        want = {}
        for l, m in zip(copy.list.rows, copy.manifests):
            for n, (f, s) in enumerate(zip(copy.specs[l["partition_spec_id"]], l["partitions"] or [])):
                rows = sum(e["data_file"]["record_count"] for e in m.rows if e["status"] != 2 and list(e["data_file"]["partition"].values())[n] is None)
                if s["contains_null"] and rows and f["transform"] != "void":
                    s["contains_null"] = False
                    want[("summary-null", None, f["name"])] = rows
                    copy.write()
                    return want
        raise LookupError("no summary with null")
    case("a summary that hides nulls", "identity_multi", no_null, lambda w: w)

    # NaN as a partition value, and in a list of format version 1 (no data files: they are missing objects, too).
    for version in (1, 2):
        t = traps.Table([(1, "x", "double")], specs=[[(1, 1000, "x", "identity")]], version=version)
        t.add([traps.file("a", [math.nan], 7), traps.file("b", [2.0], 5)], partitions=[traps.summary(traps.f8(2.0), traps.f8(2.0), nan=False)])
        status, out, err = lakectl("audit", t.write(), "--format", "json")
        found = [(f["kind"], f["column"], f["lost-rows"], f["predicate"]) for f in wrong(json.loads(out)) if f["kind"].startswith("summary")]
        counts.equal("a summary that hides NaN, version %d" % version, found, [("summary-nan", "x", 7, "x IS NAN")])
    t = traps.Table([(1, "s", "string")], specs=[[(1, 1000, "s", "identity")]])
    t.add([traps.file("a", ["x"], 3)], partitions=[traps.summary(), traps.summary()])
    _, out, _ = lakectl("audit", t.write(), "--format", "json")
    counts.equal("two summaries of one field", [f["kind"] for f in wrong(json.loads(out)) if f["kind"] != "missing-object"], ["summary-fields"])

    # Wider than need be is loose, not wrong.
    copy = Copy("sales_month")
    copy.list.rows[0]["partitions"][0]["lower_bound"] = i4(0)
    _, _, e = first(copy)
    set_metric(e["data_file"], "lower_bounds", 1, encode("long", -5))
    set_metric(e["data_file"], "null_value_counts", 4, None)
    copy.write()
    status, doc = copy.audit()
    found = sorted((f["verdict"], f["kind"], f.get("column")) for f in doc["findings"])
    counts.equal("loose and missing", (status, found), (0, [("loose", "lower-bound", "order_id"), ("loose", "summary-lower", "order_date_month"),
                                                            ("missing", "metrics", "region")]))
    copy.drop()


def source_there(copy, d, f):
    """Is the source column in the file, under the name and type of the schema? (An absent identity column takes the tuple's value.)"""
    leaf = copy.leaves().get(f["source-id"])
    return leaf is not None and column_values(copy, d["file_path"], f["source-id"], leaf[1]) is not None


# ---------------------------------------------------------------- delete files
def play_deletes():
    def vector(change, kind="deletion-vector", only=True):
        def damage(copy):
            _, _, e = next(x for x in copy.entries(1) if x[2]["data_file"].get("content_offset") is not None)
            change(e["data_file"])
            copy.write()
            return {(kind, e["data_file"]["file_path"], None): 0}
        return damage, only
    for name, change, kind in (
            ("cardinality", lambda d: d.update(record_count=d["record_count"] + 1), "vector-cardinality"),
            ("size", lambda d: d.update(content_size_in_bytes=d["content_size_in_bytes"] - 1), "deletion-vector"),
            ("offset", lambda d: d.update(content_offset=d["content_offset"] + 1), "deletion-vector"),
            ("place behind the end", lambda d: d.update(content_size_in_bytes=10 ** 8), "deletion-vector"),
            ("data file", lambda d: d.update(referenced_data_file=d["referenced_data_file"] + "x"), "dangling-delete")):
        damage, only = vector(change, kind)
        case("a deletion vector's %s" % name, "deletes_v3", damage, lambda w: w, False)

    def bytes_of(copy):
        _, _, e = next(x for x in copy.entries(1) if x[2]["data_file"].get("content_offset") is not None)
        with open(copy.local(e["data_file"]["file_path"]), "r+b") as f:
            f.seek(e["data_file"]["content_offset"] + e["data_file"]["content_size_in_bytes"] - 6)
            f.write(b"\xff\xff")
        return {("deletion-vector", e["data_file"]["file_path"], None): 0}
    case("a deletion vector's bytes", "deletes_v3", bytes_of, lambda w: w, False)

    def two(copy):
        _, m, e = next(x for x in copy.entries(1) if x[2]["data_file"].get("content_offset") is not None)
        m.rows.append(dict(e, data_file=dict(e["data_file"], content_offset=e["data_file"]["content_offset"] + 7)))
        copy.write()
        return {("duplicate-vector", e["data_file"]["file_path"], None): 0}
    case("two deletion vectors of a file", "deletes_v3", two, lambda w: w, False)

    def path_bound(copy):
        for _, _, e in copy.entries(1):
            d = e["data_file"]
            if metric(d, "lower_bounds").get(2147483546) and d["file_format"].upper() == "PARQUET":
                set_metric(d, "lower_bounds", 2147483546, b"s3://lake-corpus/z")
                set_metric(d, "upper_bounds", 2147483546, b"s3://lake-corpus/zz")
                copy.write()
                return {("lower-bound", d["file_path"], "file_path"): 0}
        raise LookupError("no bounds of file_path")
    case("bounds of a position delete file's paths (G2)", "deletes_v2", path_bound, lambda w: w)

    def rows(copy):
        _, _, e = next(iter(copy.entries(2)))
        e["data_file"]["record_count"] += 2
        copy.write()
        return {("record-count", e["data_file"]["file_path"], None): 0}
    case("an equality delete file's rows", "deletes_v2", rows, lambda w: w, False)

    def ids(copy):
        _, _, e = next(iter(copy.entries(2)))
        e["data_file"]["equality_ids"] = []
        copy.write()
        return {("equality-ids", e["data_file"]["file_path"], None): 0}
    case("an equality delete file without ids", "deletes_v2", ids, lambda w: w)

    def equality_bound(copy):
        for _, _, e in copy.entries(2):
            d = e["data_file"]
            for i, (path, t) in copy.leaves().items():
                values = [v for v in column_values(copy, d["file_path"], i, t) or [] if v is not None]
                if values and i in d["equality_ids"] and i in metric(d, "upper_bounds") and t in ("int", "long"):
                    set_metric(d, "upper_bounds", i, encode(t, max(values) - 1))
                    copy.write()
                    want = {("upper-bound", d["file_path"], ".".join(path)): 0}
                    return want
        raise LookupError("no equality delete of an int")
    case("a bound of an equality delete file", "deletes_v2", equality_bound, lambda w: w, False)


# ---------------------------------------------------------------- what is looked at
def play_choices():
    copy = Copy("sales_month")
    for _, _, e in copy.entries():
        set_metric(e["data_file"], "upper_bounds", 1, encode("long", -1))
        set_metric(e["data_file"], "lower_bounds", 3, encode("double", 1e9))
    copy.write()
    all_files = sorted(e["data_file"]["file_path"] for _, _, e in copy.entries())
    files = lambda doc: sorted({f["file"] for f in wrong(doc)})
    _, doc = copy.audit()
    counts.equal("all files", files(doc), all_files)
    samples = [files(copy.audit("--sample", "4")[1]) for _ in range(2)]
    other = files(copy.audit("--sample", "4", "--seed", "7")[1])
    counts.equal("a sample", (len(samples[0]), samples[0] == samples[1], other != samples[0], len(other)), (4, True, True, 4))
    one = copy.audit("--sample", "4", "--threads", "1")[1]["findings"]
    many = copy.audit("--sample", "4", "--threads", "4")[1]["findings"]
    counts.equal("the order does not depend on threads", one, many)
    counts.equal("a sample of all", files(copy.audit("--sample", "100")[1]), all_files)
    columns = {f.get("column") for f in wrong(copy.audit("--columns", "order_id")[1])}
    counts.equal("--columns", columns, {"order_id"})
    where = "order_date >= DATE '2025-03-01'"
    doc = copy.audit("--where", where)[1]
    kept = json.loads(must(*copy.args(), "plan", copy.folder, "--where", where, "--format", "json"))
    counts.equal("--where", files(doc), sorted(t["data-file"]["file-path"] for t in kept["file-scan-tasks"]))
    _, doc = copy.audit("--footers")
    counts.equal("--footers", (files(doc), {f["lost-rows"] for f in wrong(doc) if "bound" in f["kind"] and f["kind"] != "bounds-inverted"}),
                 (all_files, {None}))
    copy.drop()

    copy = Copy("lifecycle")
    before = copy.json["snapshots"][0]["snapshot-id"]
    status, doc = copy.audit("--snapshot", str(before))
    counts.equal("--snapshot", (status, isinstance(doc, dict) and doc["snapshot-id"]), (0, before))
    copy.drop()

    copy = Copy("sales_month")
    odd = ["data/order_date_month=2025-01/left.parquet", "metadata/00000-x-m0.avro", "data/a b/c%20d.parquet", "data/new/x.bin"]
    for p in odd:
        os.makedirs(os.path.dirname(os.path.join(copy.folder, p)), exist_ok=True)
        with open(os.path.join(copy.folder, p), "wb") as f:
            f.write(b"x" * (len(p) + 1))
        os.utime(os.path.join(copy.folder, p), (time.time() - 90000, time.time() - 90000))
    status, doc = copy.audit("--orphans")
    got = {f["file"]: (f["size-in-bytes"], f["age-ms"] // 1000000) for f in doc["findings"] if f["verdict"] == "orphan"}
    counts.equal("orphans", (status, got), (0, {"%sgiven/sales_month/%s" % (PREFIX, p): (len(p) + 1, 90) for p in odd}))
    counts.equal("orphans stay", all(os.path.exists(os.path.join(copy.folder, p)) for p in odd), True)
    # Paths with empty parts and other schemes mean the same file (J10); what begins with the table's name is not in it (J11).
    for n, form in ((0, lambda p: p.replace("/data/", "//data/./")), (1, lambda p: "file://" + copy.local(p)), (2, lambda p: "file:" + copy.local(p)),
                    (3, copy.local)):
        _, _, e = first(copy, n)
        e["data_file"]["file_path"] = form(e["data_file"]["file_path"])
    copy.write()
    for p in (copy.folder + "_2/data/x.parquet", copy.folder + "metadata.bin"):
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "wb") as f:
            f.write(b"x")
    status, doc = copy.audit("--orphans")
    counts.equal("orphans beside odd paths", len([f for f in doc["findings"] if f["verdict"] == "orphan"]), len(odd))
    # An older metadata file knows less than the table has: what only the newest reaches is no orphan.
    old = sorted(glob.glob(copy.folder + "/metadata/v*.metadata.json"))[0]
    status, out, err = lakectl(*copy.args(), "audit", old, "--orphans", "--format", "json")
    got = {f["file"] for f in json.loads(out)["findings"] if f["verdict"] == "orphan"} if status in (0, 1) else err
    counts.equal("orphans by an older metadata file", got, {"%sgiven/sales_month/%s" % (PREFIX, p) for p in odd})
    path = Avro(copy.local(copy.json["snapshots"][0]["manifest-list"])).rows[0]["manifest_path"]
    os.remove(copy.local(path))
    status, doc = copy.audit("--orphans")
    counts.equal("orphans where a manifest is missing", [f["kind"] for f in doc["findings"] if f["verdict"] in ("orphan", "unchecked")], ["orphans"])
    copy.drop()


# ---------------------------------------------------------------- other writers, and repair
def play_writers():
    """Tables by PyIceberg: nothing is invented. It puts the bounds of zeros in summaries as they come: 0.0 first, then -0.0 (spec.md,
    note 2 of the summaries); the data decide, both zeros are in each manifest."""
    import datetime, uuid, warnings
    warnings.simplefilter("ignore")
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, TruncateTransform, YearTransform
    root, n = tempfile.mkdtemp(dir=WORK), 300
    catalog = SqlCatalog("c", uri="sqlite:///%s/c.db" % root, warehouse="file://" + root)
    catalog.create_namespace("n")
    day, utc = datetime.timedelta(days=1), datetime.timezone.utc
    rows = pa.table({
        "id": pa.array(range(n), pa.int64()), "i": pa.array([None if k % 7 == 0 else k - 250 for k in range(n)], pa.int32()),
        "x": pa.array([math.nan if k % 11 == 0 else None if k % 13 == 0 else (k - 250) / 8 for k in range(n)], pa.float64()),
        "f": pa.array([-0.0 if k % 3 else 0.0 for k in range(n)], pa.float32()),
        "s": pa.array(["\u00e4%d longer than sixteen characters" % k for k in range(n)]),
        "b": pa.array([bytes([k % 256]) * 20 for k in range(n)], pa.binary()),
        "ts": pa.array([datetime.datetime(1965, 1, 1) + k * 88 * day + datetime.timedelta(microseconds=k) for k in range(n)], pa.timestamp("us")),
        "tz": pa.array([datetime.datetime(2020, 1, 1, tzinfo=utc) + k * day / 40 for k in range(n)], pa.timestamp("us", "UTC")),
        "dec": pa.array([decimal.Decimal(k - 250) / 100 for k in range(n)], pa.decimal128(12, 2)),
        "u": pa.array([uuid.UUID(int=k << 100).bytes for k in range(n)], pa.binary(16)),
        "st": pa.array([None if k % 5 == 0 else {"a": k, "b": None if k % 4 else "q%d" % k} for k in range(n)], pa.struct([("a", pa.int32()), ("b", pa.string())])),
        "l": pa.array([None if k % 5 == 0 else [] if k % 6 == 0 else [k, None] for k in range(n)], pa.list_(pa.int32())),
        "m": pa.array([None if k % 9 == 0 else [("k%d" % k, k)] for k in range(n)], pa.map_(pa.string(), pa.int32())),
        "flag": pa.array([None if k % 3 == 0 else k % 2 == 0 for k in range(n)])})
    for name, fields in (("plain", []), ("bucket", [("id", BucketTransform(4)), ("s", BucketTransform(2))]), ("year", [("ts", YearTransform())]),
                         ("flag", [("flag", IdentityTransform())]), ("truncate", [("i", TruncateTransform(100))]), ("day", [("tz", DayTransform())]),
                         ("zeros", [("f", IdentityTransform())])):
        for version in "12":
            t = catalog.create_table("n.%s%s" % (name, version), schema=rows.schema, properties={"format-version": version})
            if fields:
                with t.update_spec() as u:
                    for column, transform in fields:
                        u.add_field(column, transform, column + "_p")
            t.append(rows.slice(0, n // 2))
            t.append(rows.slice(n // 2))
            t.delete("id < 100 and id > 40")
            status, out, err = lakectl("audit", t.metadata_location[7:], "--format", "json", "--orphans")
            found = sorted((f["kind"], f["column"]) for f in wrong(json.loads(out))) if status in (0, 1) else err
            if name == "zeros":
                counts.check("PyIceberg: %s %s" % (name, version), set(found) - {("summary-lower", "f_p"), ("summary-upper", "f_p")})
            else:
                counts.equal("PyIceberg: %s %s" % (name, version), (found, status), ([], 0))


def play_repair():
    """What is wrong with bounds and counts is right after rebuild-stats."""
    def one(name):
        copy, rng = Copy(name), random.Random(name)
        damage = Damage(copy, rng)
        for _, _, e in copy.entries():
            leaves = list(copy.leaves().items())
            for field_id, (path, t) in rng.sample(leaves, min(3, len(leaves))):
                damage.one(e, field_id, path, t)
        base = expected_wraps(copy)
        copy.write()
        status, out, err = lakectl(*copy.args(), "rebuild-stats", copy.folder)
        if status:
            return counts.fail("%s: rebuild-stats" % name, err)
        status, out, err = lakectl(*copy.args(), "audit", copy.folder, "--format", "json")
        got = {(f["kind"], f.get("file"), f.get("column")): f["lost-rows"] for f in wrong(json.loads(out))} if status in (0, 1) else err
        counts.check("%s: damaged" % name, not damage.want and "nothing was damaged")
        counts.equal("%s: after rebuild-stats" % name, got, base)
        copy.drop()
    both(one, ["sales_plain", "sales_month", "types_all", "types_v3", "modes_nested", "identity_multi", "deletes_v2", "deletes_v3", "truncate_all",
               "schema_evolution", "spec_evolution_v1", "upgrade", "defaults_v3", "long_values"])


# ---------------------------------------------------------------- hostile copies
def play_hostile(runs=120):
    def one(seed):
        rng = random.Random(seed)
        name = rng.choice(["sales_month", "types_all", "deletes_v2", "deletes_v3", "types_v3", "modes_nested", "identity_multi", "formats"])
        copy = Copy(name)
        victims = [m.path for m in copy.manifests] + [copy.list.path] + [copy.local(e["data_file"]["file_path"]) for c in (0, 1, 2)
                                                                        for _, _, e in copy.entries(c)]
        for path in {rng.choice(victims) for _ in range(4)}:
            if not os.path.exists(path):
                continue
            with open(path, "rb") as f:
                data = bytearray(f.read())
            for _ in range(rng.choice([1, 2, 8])):
                if data:
                    data[rng.randrange(len(data))] = rng.randrange(256)
            if rng.random() < 0.2:
                del data[rng.randrange(len(data) + 1):]
            with open(path, "wb") as f:
                f.write(data)
        args = rng.choice([[], ["--footers"], ["--orphans"], ["--sample", "3"]])
        status, out, err = lakectl(*copy.args(), "audit", copy.folder, "--format", "json", *args)
        fine = status in (0, 1) and out.startswith("{") or status in (3, 4) and len(err.strip().split("\n")) == 1
        counts.check("hostile copy %d of %s" % (seed, name), not fine and "exit status %d: %s" % (status, short(err, 600)))
        copy.drop()
    both(one, range(runs))


PARTS = {"clean": play_clean, "foreign": play_foreign, "columns": play_columns, "structure": play_structure, "partitions": play_partitions,
         "deletes": play_deletes, "choices": play_choices, "writers": play_writers, "repair": play_repair, "hostile": play_hostile}


def main():
    try:
        for part in sys.argv[1:] or PARTS:
            PARTS[part]()
    finally:
        clean()
        traps.clean()
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
