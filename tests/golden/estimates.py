#!/usr/bin/env python3
"""Estimates of random predicates over random tables (those of bruteforce.py), against the rows themselves.

  estimates.py [--seed N] [--tables N] [--predicates N]

What is marked exact is so, for each file, for the sums, and for what is left of each column; every matching value lies in the
interval; bounds of the row count hold, and are those of plan --count; selectivities lie between 0 and 1; a leaf said to rule files out alone does. Then, on uniform data,
estimates are near the truth (within 30 % and five rows), and a file of unknown size of rows is never counted as none."""
import json, math, os, re, shutil, struct, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop"), os.path.join(os.path.dirname(HERE), "traps")]
from support import *
import bruteforce, predicates as pr
from table import Table, clean, file, i8, tx
import pyarrow as pa, pyarrow.parquet as pq


def key(v):
    return v.encode() if isinstance(v, str) else v


def is_nan(v):
    return isinstance(v, float) and math.isnan(v)


def bound(t, figure):
    """The value of a bound; None: absent."""
    if figure["precision"] == "absent":
        return None
    v = figure["value"]
    if v in ("Infinity", "-Infinity"):
        return float(v)
    return key(pr.from_json_value(t, v))


def judge_column(c, figures, rows, certain):
    """rows: those that match; certain: there are no others that may."""
    values = [c.of(r) for r in rows]
    nulls, nans = sum(v is None for v in values), sum(is_nan(v) for v in values)
    real = [key(v) for v in values if v is not None and not is_nan(v)]
    for name, truth in (("nulls", nulls), ("nans", nans), ("ndv", len(set(real)))):
        f = figures[name]
        if certain and f["precision"] == "exact" and f["value"] != truth:
            return "%s: %s are said to be exactly %s, but are %s" % (c.name, name, f["value"], truth)
        if f["precision"] != "absent" and f["value"] < 0:
            return "%s: %s below 0" % (c.name, name)
    low, high = bound(c.type, figures["lower"]), bound(c.type, figures["upper"])
    for v in real:
        if (low is not None and v < low) or (high is not None and v > high):
            return "%s: %r lies outside [%r, %r]" % (c.name, v, low, high)
    for end, name, f in ((low, "lower", min), (high, "upper", max)):
        if certain and figures[name]["precision"] == "exact" and (not real or f(real) != end):
            return "%s: %s is said to be exactly %r, but is %r" % (c.name, name, end, f(real) if real else None)
    return None


def judge(w, p, largest, a, columns, narrow):
    files = {f["file-path"][7:] if f["file-path"].startswith("file://") else f["file-path"]: f for f in a["data-files"]}
    matching, maybe = [], 0                    # maybe: rows for which engines fail or say anything
    for path, rows in w.rows.items():
        truths = [bruteforce.on_row(p, r, True, largest, narrow) for r in rows]
        true, open_rows = [r for r, x in zip(rows, truths) if x is True], truths.count("?")
        matching += true
        maybe += open_rows
        f = files.get(path)
        if f is None:
            if true:
                return "dropped %s, which has matching rows" % path
            continue
        if f["rows"]["precision"] == "exact" and not 0 <= f["rows"]["value"] - len(true) <= open_rows:
            return "%s: exactly %s rows are said to match, but %s do" % (path, f["rows"]["value"], len(true))
        if not 0 <= f["selectivity"] <= 1:
            return "%s: selectivity %s" % (path, f["selectivity"])
    n, rows = len(matching), a["rows"]
    if rows["precision"] == "absent":
        return "no estimate"
    if rows["precision"] == "exact" and not 0 <= rows["value"] - n <= maybe:
        return "exactly %s rows are said to match, but %s do" % (rows["value"], n)
    if not a["rows-at-least"] <= n + maybe or not n <= a["rows-at-most"] or not a["rows-at-least"] <= rows["value"] <= a["rows-at-most"]:
        return "%s rows match, estimated %s, not in [%s, %s]" % (n, rows["value"], a["rows-at-least"], a["rows-at-most"])
    if rows["value"] == 0 and rows["precision"] == "inexact":
        return "about 0 rows"
    s = a["selectivity"]
    if s["precision"] == "absent" or not 0 <= s["value"] <= 1:
        return "selectivity %s" % s
    if s["precision"] == "exact" and not maybe and abs(s["value"] * sum(map(len, w.rows.values())) - n) > 1e-6:
        return "selectivity is not exactly %s" % s
    for f in a["columns"]:
        bad = judge_column(columns[f["name"]], f, matching, not maybe) if f["name"] in columns else None
        if bad:
            return bad
    return None


def judge_leaves(e, p):
    for l in e["leaves"]:
        for what in ("manifests", "files"):
            n = dict(l[what])
            asked = n.pop("asked")
            if "opaque" not in l and sum(n.values()) != asked:
                return "%s: %s" % (l["leaf"], l[what])
    if p[0] not in ("is", "not", "and", "or") and len(e["leaves"]) == 1 and "opaque" not in e["leaves"][0] and e["manifests"] and e["leaves"][0]["manifests"]["asked"]:
        l = e["leaves"][0]                     # alone, it must do what the plan did
        if l["files"]["pruned"] > sum(not f["kept"] for f in e["files"]):
            return "%s: more files are pruned alone than dropped" % l["leaf"]
    return None


def random_tables(counts, seed, tables, predicates, folder):
    seen = [0, 0, 0]
    for n in range(tables):
        w = bruteforce.World(seed, n, folder)
        what = "%s (v%d, partitioned by %s, metrics %s)" % (w.name, w.version, w.spec, w.mode)
        try:
            w.make()
            columns = {c.name: c for c in w.columns}
            rows = [r for f in w.files for r in f]

            def ask(k):
                p, largest, footers = asked[k]
                args = ["estimate", w.metadata, "--where", pr.to_sql(p), "--nan", "largest" if largest else "iceberg", "--format", "json",
                        "--files"] + (["--footers"] if footers else []) + ["--column", pr.sql_name(w.columns[k % len(w.columns)])]
                plan = ["plan", w.metadata, "--where", pr.to_sql(p), "--format", "json"]
                told = json.loads(must(*args))
                if k % 4 == 1:                 # the same proof, unless footers know more
                    n = json.loads(must(*plan, "--nan", "largest" if largest else "iceberg", "--count"))
                    a, b = (n["low"], n["high"]), (told["rows-at-least"], told.get("rows-at-most"))
                    inside = a[0] <= b[0] and b[1] <= a[1]
                    counts.check(what + ": plan --count", None if (inside if footers else a == b) else "%s: %s, estimated %s" % (pr.to_sql(p), a, b))
                return told, json.loads(must(*plan, "--explain"))["explain"] if k % 8 == 0 else None

            def draw():
                p = pr.predicate(w.r, w.columns, rows)
                return draw() if "--" in pr.to_sql(p) else p  # which begins a comment

            asked = [(draw(), w.r.random() < 0.15, w.r.random() < 0.3) for _ in range(predicates)]
            for (p, largest, footers), (a, e) in zip(asked, both(ask, range(predicates))):
                bad = judge(w, p, largest, a, columns, False) or judge(w, p, largest, a, columns, True) or (e and judge_leaves(e, p))
                counts.check(what, bad and "%s\n  %s%s%s" % (bad, "NaN largest: " if largest else "", "footers: " if footers else "",
                                                         short(pr.to_sql(p), 700)))
                seen[0] += 1
                seen[1] += a["rows"]["precision"] == "exact"
                seen[2] += sum(f["rows"]["precision"] == "exact" for f in a["data-files"])
        except LakectlFailed as e:
            counts.fail(what, str(e))
    print("seed %d: %d estimates, %d of them exact; %d exact files" % (seed, *seen))
    counts.check("some are exact, some are not", not 0 < seen[1] < seen[0] and "%d of %d" % (seen[1], seen[0]))


# ---------------------------------------------------------------- uniform data
UNIFORM = [  # predicate, truth over rows (i, d, s, k)
    ("i < 2500", lambda r: r[0] < 2500), ("i BETWEEN 1000 AND 1999", lambda r: 1000 <= r[0] <= 1999),
    ("NOT (i >= 100)", lambda r: r[0] < 100), ("i < 5000 AND d < 0.5", lambda r: r[0] < 5000 and r[1] is not None and r[1] < 0.5),
    ("i < 2000 OR d > 0.75", lambda r: r[0] < 2000 or (r[1] is not None and r[1] > 0.75)), ("d IS NULL", lambda r: r[1] is None),
    ("d >= 0.25", lambda r: r[1] is not None and r[1] >= 0.25), ("NOT (d < 0.25)", lambda r: r[1] is not None and r[1] >= 0.25),
    ("s >= 'm'", lambda r: r[2] >= "m"), ("s BETWEEN 'c' AND 'f'", lambda r: "c" <= r[2] <= "f"), ("k = 3", lambda r: r[3] == 3),
    ("k IN (1, 2, 5)", lambda r: r[3] in (1, 2, 5)), ("k <> 4", lambda r: r[3] != 4), ("i = 4711", lambda r: r[0] == 4711),
    ("CASE WHEN k = 1 THEN i < 5000 ELSE i >= 5000 END", lambda r: (r[0] < 5000) == (r[3] == 1)),
    ("(i < 5000) IS NOT TRUE", lambda r: r[0] >= 5000), ("i % 2 = 0 AND i < 0", lambda r: False)]


def uniform(counts, folder):
    import random
    r = random.Random(5)
    rows = [(n, None if r.random() < 0.1 else r.random(), chr(97 + r.randrange(26)) + chr(97 + r.randrange(26)), r.randrange(10))
            for n in range(10000)]
    r.shuffle(rows)
    schema = {"type": "struct", "schema-id": 0, "fields": [
        {"id": n + 1, "name": x, "type": t, "required": False} for n, (x, t) in enumerate((("i", "long"), ("d", "double"), ("s", "string"), ("k", "int")))]}
    with open(os.path.join(folder, "u.json"), "w") as f:
        json.dump(schema, f)
    table = os.path.join(folder, "uniform")
    paths = []
    for n in range(4):
        part = list(zip(*rows[n * 2500:(n + 1) * 2500]))
        types = (pa.int64(), pa.float64(), pa.string(), pa.int32())
        fields = [pa.field(x, t, metadata={"PARQUET:field_id": str(i + 1)}) for i, (x, t) in enumerate(zip("idsk", types))]
        paths.append(os.path.join(folder, "u%d.parquet" % n))
        pq.write_table(pa.table([pa.array(c, t) for c, t in zip(part, types)], schema=pa.schema(fields)), paths[-1])
    must("create", table, "--schema", os.path.join(folder, "u.json"))
    must("append", table, *paths)
    for sql, truth in UNIFORM:
        n = sum(truth(x) for x in rows)
        got = json.loads(must("estimate", table, "--where", sql, "--format", "json"))["rows"]["value"]
        counts.check("uniform: " + sql, abs(got - n) > 0.3 * n + 5 and "estimated %d rows, but %d match" % (got, n))
    order = [json.loads(must("estimate", table, "--where", "i < %d" % n, "--format", "json"))["rows"]["value"] for n in range(0, 11000, 500)]
    counts.check("a wider range has no fewer rows", order != sorted(order) and str(order))
    # distinct values by the caller's word, and by dictionaries
    stats = os.path.join(folder, "stats.json")
    with open(stats, "w") as f:
        json.dump({"row-count": 10000, "columns": {"s": {"ndv": 676}}}, f)
    n = sum(x[2] == "qq" for x in rows)
    for more in (["--stats-file", stats], ["--footers"]):
        a = json.loads(must("estimate", table, "--where", "s = 'qq'", "--format", "json", *more))
        got = a["rows"]["value"]
        counts.check("uniform: s = 'qq' %s" % more[0], abs(got - n) > 0.3 * n + 5 and "estimated %d rows, but %d match" % (got, n))
    a = json.loads(must("estimate", table, "--format", "json", "--footers"))
    ndv = {c["name"]: c["ndv"] for c in a["columns"]}
    counts.check("dictionaries count distinct values", (ndv["k"].get("value"), ndv["k"].get("source")) != (10, "footers") and str(ndv))
    a = json.loads(must("estimate", table, "--join", table, "--on", "k=k", "--where", "i < 1000", "--footers", "--format", "json"))
    n = sum(x[0] < 1000 for x in rows) * 1000
    counts.check("uniform: a join", abs(a["rows"]["value"] - n) > 0.3 * n and "estimated %s rows of about %d" % (a["rows"], n))
    counts.equal("uniform: the filtered side is hashed", a["build"], "left")


# ---------------------------------------------------------------- statistics files
def puffin(path, blobs):
    """blobs: (bytes, members of its metadata) each; a file as the Puffin spec has it."""
    data, metas = b"PFA1", []
    for b, m in blobs:
        metas.append(dict({"type": "apache-datasketches-theta-v1", "snapshot-id": 1, "sequence-number": 1, "offset": len(data), "length": len(b)}, **m))
        data += b
    payload = json.dumps({"blobs": metas}).encode()
    with open(path, "wb") as f:
        f.write(data + b"PFA1" + payload + struct.pack("<ii", len(payload), 0) + b"PFA1")


def sketches():
    """Sketches of the official library: {number of values: (estimate, bytes)}."""
    with open(os.path.join(ROOT, "spec", "vectors", "theta.tsv")) as f:
        rows = [x.rstrip("\n").split("\t") for x in f if not x.startswith("#")][1:]
    return {int(n): (float(e), bytes.fromhex(b)) for _, n, e, b in rows}


def statistics(counts):
    """Who answers for distinct values: metadata, the footer, the sketch; what is broken or lost declines."""
    import cramjam
    ndv = lambda n: {"ndv": str(n)}
    meta = lambda fields, **more: dict({"type": "apache-datasketches-theta-v1", "snapshot-id": 1, "sequence-number": 1, "fields": fields}, **more)
    estimate, sketch = sketches()[1000]
    official = open(os.path.join(CORPUS, "given", "lifecycle", "metadata", "stats-1.puffin"), "rb").read() if os.path.isdir(CORPUS) else None
    cases = [  # name, blobs of the file (None: no file; bytes: the file itself), blob-metadata, wanted by column
        ("metadata first", [(b"x", {"fields": [1], "properties": ndv(7)})], [meta([1], properties=ndv(5))], {"a": 5, "b": None}),
        ("no file is needed", None, [meta([1], properties=ndv(5)), meta([2], properties=ndv(3))], {"a": 5, "b": 3}),
        ("footer", [(b"x", {"fields": [2], "properties": ndv(8)})], [meta([2])], {"a": None, "b": 8}),
        ("sketch", [(sketch, {"fields": [1]})], [meta([1])], {"a": round(estimate), "b": None}),
        ("compressed sketch", [(bytes(cramjam.zstd.compress(sketch)), {"fields": [1], "compression-codec": "zstd"})], [], {"a": round(estimate)}),
        ("sketch of several columns", [(sketch, {"fields": [1, 2]})], [], {"a": None, "b": None}),
        ("other blob", [(sketch, {"fields": [1], "type": "other"})], [], {"a": None}),
        ("broken sketch", [(b"not a sketch at all", {"fields": [1]})], [], {"a": None}),
        ("blob beyond the file", [(sketch, {"fields": [1], "offset": 10**9})], [], {"a": None}),
        ("bad ndv", [(b"", {"fields": [1], "properties": ndv("-3")})], [meta([1], properties=ndv(" 3"))], {"a": None}),
        ("lost file", None, [meta([1])], {"a": None}), ("no Puffin file", b"PFA1 is not enough", [], {"a": None}),
        ("written by the official library", official, [], {"a": None, "b": 3})]
    for name, blobs, metadata, want in cases:
        if name.startswith("written") and official is None:
            counts.skip("statistics: " + name, "needs the corpus")
            continue
        t = Table([(1, "a", "long"), (2, "b", "string")])
        path = os.path.join(t.folder, "s.puffin")
        if isinstance(blobs, list):
            puffin(path, blobs)
        elif blobs is not None:
            with open(path, "wb") as f:
                f.write(blobs)
        t.more = {"statistics": [{"snapshot-id": 1, "statistics-path": path, "file-size-in-bytes": 100, "file-footer-size-in-bytes": 50,
                                  "blob-metadata": metadata}]}
        t.add([file("f", records=1000, lower={1: i8(0), 2: tx("a")}, upper={1: i8(10**6), 2: tx("z")}, values={1: 1000, 2: 1000}, nulls={1: 0, 2: 0})])
        a = json.loads(must("estimate", t.write(), "--format", "json"))
        got = {c["name"]: (c["table-ndv"].get("value"), c["table-ndv"].get("source", "puffin")) for c in a["columns"]}
        counts.equal("statistics: " + name, {k: got[k] for k in want}, {k: (v, "puffin") for k, v in want.items()})
    a = json.loads(must("estimate", t.path, "--where", "b = 'q'", "--format", "json"))
    if official is not None:
        counts.equal("one of three values", a["rows"]["value"], 333)


def unknown_files(counts):
    """A file without a record count, or without any metrics, is never taken for empty."""
    t = Table([(1, "a", "long"), (2, "b", "double")])
    t.add([file("known", records=100, lower={1: i8(0)}, upper={1: i8(99)}, values={1: 100}, nulls={1: 20}), file("unknown", records=-1), file("bare", records=50)])
    t.write()
    for where, low in (("a < 50", 41), ("a IS NULL", 21), ("b > 1", 50), ("a = 7", 1), ("b IS NULL OR b IS NAN", 1)):
        a = json.loads(must("estimate", t.path, "--where", where, "--format", "json", "--files", "--column", "a"))
        by = {f["file-path"]: f for f in a["data-files"]}
        bad = a["rows"]["precision"] != "inexact" or a["rows"]["value"] < low or "rows-at-most" in a or by["unknown"]["rows"]["precision"] != "absent"
        bad = bad or by["bare"]["rows"] == {"precision": "exact", "value": 0} or not by["bare"]["selectivity"] > 0
        nulls = a["columns"][0]["nulls"]
        bad = bad or (nulls["precision"] == "exact" and "IS NULL" in where)
        counts.check("unknown files: " + where, bad and json.dumps(a))
    a = json.loads(must("estimate", t.path, "--format", "json"))
    counts.check("unknown files: no predicate", (a["rows"]["precision"] != "inexact" or a["rows"]["value"] <= 150 or a["total-rows"]["precision"] == "exact")
                 and json.dumps(a))


def columns_of(a):
    return {c["name"]: c for c in a["columns"]}


def rows_of(a):
    return a["rows"]["precision"], a["rows"]["value"], a["rows-at-least"], a.get("rows-at-most")


def deletes(counts):
    """100 rows that match; what ten records of deletes leave."""
    vector = dict(file_format="PUFFIN", referenced_data_file="f", content_offset=4, content_size_in_bytes=40)
    for name, version, d, want in (
            ("equality deletes may find any row", 2, [dict(content=2, equality_ids=[1])], ("inexact", 90, 0, 100)),
            ("position deletes find at most a row each", 2, [dict(content=1)], ("inexact", 90, 90, 100)),
            ("vectors are counted", 3, [dict(content=1, **vector)], ("exact", 90, 90, 90)),
            ("both", 2, [dict(content=1), dict(content=2, equality_ids=[1])], ("inexact", 80, 0, 100))):
        t = Table([(1, "a", "long")], version=version)
        t.add([file("f", records=100, lower={1: i8(0)}, upper={1: i8(99)}, values={1: 100}, nulls={1: 0})])
        t.add([file("d%d" % n, records=10, **x) for n, x in enumerate(d)], content=1, line={"sequence_number": 5, "min_sequence_number": 5})
        a = json.loads(must("estimate", t.write(), "--where", "a >= 0", "--format", "json"))
        counts.equal("deletes: " + name, rows_of(a), want)
        half = json.loads(must("estimate", t.path, "--where", "a < 50", "--format", "json"))
        counts.equal("deletes: half of the rows, " + name, half["rows"]["value"], round(want[1] / 2))


def pairs(counts):
    """Two columns compared: intervals decide, or a third of the rows that have both values."""
    t = Table([(n + 1, c, "long") for n, c in enumerate("abcd")])
    bound = lambda *v: {n + 1: i8(x) for n, x in enumerate(v)}
    t.add([file("f", records=100, lower=bound(0, 20, 5, 0), upper=bound(10, 30, 25, 10), values={n: 100 for n in (1, 2, 3, 4)},
                nulls={1: 0, 2: 0, 3: 0, 4: 20})])
    t.write()
    for where, want in (("a < b", ("exact", 100)), ("a > b", ("exact", 0)), ("a = b", ("exact", 0)), ("a < c", ("inexact", 33)), ("b > d", ("inexact", 80)),
                        ("d > b", ("exact", 0)), ("d <= c", ("inexact", 27)), ("NOT b > d", ("exact", 0)), ("(b > d) IS NULL", ("inexact", 20)),
                        ("a < b AND d IS NULL", ("exact", 20)), ("a < b OR d IS NULL", ("exact", 100))):
        a = json.loads(must("estimate", t.path, "--where", where, "--format", "json"))
        counts.equal("pairs: " + where, (a["rows"]["precision"], a["rows"]["value"]), want)


def empty_files(counts, folder):
    """A file without rows says nothing, and takes nothing from what others say."""
    t = Table([(1, "a", "long"), (2, "s", "string")])
    t.add([file("f", records=10, lower={1: i8(5), 2: tx("k")}, upper={1: i8(9), 2: tx("m")}, values={1: 10, 2: 10}, nulls={1: 0, 2: 0}), file("e", records=0)])
    t.write()
    root = os.path.join(folder, "with-empty")
    os.makedirs(root)
    schema = pa.schema([("a", pa.int64()), ("s", pa.string())])
    pq.write_table(pa.table({"a": [5, 9], "s": ["k", "m"]}, schema=schema), root + "/f.parquet")
    pq.write_table(pa.table({"a": [], "s": []}, schema=schema), root + "/e.parquet")
    for what in (t.path, root):
        for more in ([], ["--where", "a > 0", "--column", "s"], ["--column", "a", "--column", "s"]):
            c = columns_of(json.loads(must("estimate", what, "--format", "json", *more)))
            got = [c[n][b].get("value") for n in "as" for b in ("lower", "upper")] + [c[n]["nulls"] == {"precision": "exact", "value": 0,
                   "source": "manifests" if what == t.path else "footers"} for n in "as"]
            counts.equal("an empty file %s" % more, got, [5, 9, "k", "m", True, True])
    only = os.path.join(folder, "only-empty")
    os.makedirs(only)
    shutil.copy(root + "/e.parquet", only)
    a = json.loads(must("estimate", only, "--format", "json"))
    counts.equal("only an empty file", (rows_of(a), a["columns"][0]["lower"]), (("exact", 0, 0, 0), {"precision": "absent"}))


def open_ends(counts):
    """An end that is only the type's is no bound."""
    kinds = [("i", "int"), ("l", "long"), ("f", "float"), ("d", "double"), ("s", "string"), ("t", "timestamp"), ("x", "binary"), ("m", "decimal(9,2)")]
    t = Table([(n + 1, c, k) for n, (c, k) in enumerate(kinds)])
    t.add([file("f", records=10)])
    t.write()
    for where in (None, "i IS NOT NULL AND d IS NOT NULL"):
        c = columns_of(json.loads(must("estimate", t.path, "--format", "json", *(["--where", where] if where else []))))
        counts.equal("open ends, %s" % where, [n for n in c if c[n]["lower"] != {"precision": "absent"} or c[n]["upper"] != {"precision": "absent"}], [])
    text = must("estimate", t.path, "--where", "i > 3")
    counts.check("an open end is shown as -", None if re.search(r"^i +int +4 +- ", text, re.M) else text)


def directories(counts, folder):
    """What an estimate says of a table it says of its files in a directory, too; and the same with any number of threads."""
    root, table = os.path.join(folder, "plain"), os.path.join(folder, "uniform")
    os.makedirs(root)
    for n in range(4):
        shutil.copy(os.path.join(folder, "u%d.parquet" % n), root)

    def ask(what, *args):
        a = json.loads(must("estimate", what, "--format", "json", *args))
        return {k: v["value"] if isinstance(v, dict) else v for k, v in a.items() if k in ("rows", "files", "bytes", "rows-at-least", "rows-at-most")}, {
            c["name"]: [c[k].get("value") for k in ("lower", "upper", "nulls", "nans", "ndv")] for c in a["columns"]}
    for where in ("i < 2500", "d IS NULL", "s BETWEEN 'c' AND 'f' AND k = 3", "i > 99999", "k IN (1, 2) OR i = 5"):
        for more in ([], ["--footers"], ["--footers", "--threads", "1"], ["--footers", "--threads", "4"]):
            counts.equal("directory: %s %s" % (where, more), ask(root, "--where", where, *more), ask(table, "--where", where, "--footers" if more else "--quiet"))
    a = json.loads(must("estimate", root, "--join", table, "--on", "i=i", "--format", "json"))
    counts.check("a join with a directory", None if 8000 < a["rows"]["value"] < 12000 else str(a["rows"]))


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(20)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-estimates."))
    try:
        random_tables(counts, option("--seed", 1), option("--tables", 8), option("--predicates", 40), folder)
        uniform(counts, folder)
        statistics(counts)
        unknown_files(counts)
        deletes(counts)
        pairs(counts)
        empty_files(counts, folder)
        open_ends(counts)
        directories(counts, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        clean()
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
