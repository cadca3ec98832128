#!/usr/bin/env python3
"""`lakectl stats` and `append` on Parquet files that the official Java library writes with schema, rows and table properties drawn at
random, against counting the values.

  random_java.py [--runs N] [--seed S] [--only N] [--keep DIR]     N files (default: as many as a test run has time for)

Schemas: all primitive types, in structs, lists and maps too. Rows: nulls, NaN, both zeros, the ends of every type, empty and long
strings; never no rows, of which Java makes no file. Properties: codec and level, page version and sizes, row groups, dictionaries, bloom
filters, statistics, metrics modes. One process writes them. What is expected is worked out from the rows; what Java says of its own
file is compared too, but for its known faults (unlike_java)."""
import glob, json, math, os, random, shutil, struct, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "interop")]
from support import *
from icevalues import *
import interop
import fastavro

RUNS = 60
BATCH = 100  # files that are there at a time
PRIMITIVES = interop.PRIMITIVES[:5] + interop.PRIMITIVES[8:] + ["timestamp_ns", "timestamptz_ns", "string", "float", "double"]
KEYS = ["string", "int", "long", "date", "uuid", "decimal(9, 2)", "boolean", "timestamp", "binary", "double"]
MICROS = [-2**63 + 2 * 86400 * 10**6, 2**63 - 1 - 86400 * 10**6, -1, 0]  # Java's arithmetic ends a day before the type
WIDER = {"date": [-2**31, 2**31 - 1, -1, 0], "timestamp": MICROS, "timestamptz": MICROS,
         "string": ["", "\0", "\uffff" * 3000, "\U0010ffff" * 40, "a" * 5000, "ä" * 16]}


# ---------------------------------------------------------------- schemas and values


class Ids:
    def __init__(self):
        self.last = 0

    def next(self):
        self.last += 1
        return self.last


def primitive(r):
    if r.random() < 0.15:
        p = r.choice([1, 5, 9, 10, 18, 19, 30, 38])
        return "decimal(%d, %d)" % (p, r.choice([0, 1, p]))
    return "fixed[%d]" % r.choice([1, 5, 8, 16, 20]) if r.random() < 0.07 else r.choice(PRIMITIVES)


def type_of(r, ids, depth):
    kind = r.random() if depth else 0
    if kind < 0.55:
        return primitive(r)
    if kind < 0.7:
        return {"type": "list", "element-id": ids.next(), "element": type_of(r, ids, depth - 1), "element-required": r.random() < 0.3}
    if kind < 0.83:
        return {"type": "map", "key-id": ids.next(), "key": r.choice(KEYS), "value-id": ids.next(), "value": type_of(r, ids, depth - 1),
                "value-required": r.random() < 0.3}
    return {"type": "struct", "fields": [field(r, ids, "m%d" % i, depth - 1) for i in range(r.randint(1, 3))]}


def field(r, ids, name, depth):
    return {"id": ids.next(), "name": name, "required": r.random() < 0.3, "type": type_of(r, ids, depth)}


def draw(r, t):
    if t == "string" and r.random() < 0.3:
        return r.choice(["", "common prefix of many bytes "]) + "".join(
            r.choice("ab\x7f€\U0001f600\uffff") for _ in range(r.choice([0, 1, 15, 16, 17, 300])))
    if t.startswith("fixed"):
        return bytes(r.choice([0, 255, r.randrange(256)]) for _ in range(int(t[6:-1])))
    return interop.draw(r, t)


def extremes(t):
    n = int(t[6:-1]) if t.startswith("fixed") else 0
    if t.startswith("decimal"):
        return [v for v in interop.extremes(t) if abs(v) < 10**decimal_of(t)[0]]
    return WIDER.get(t) or ([bytes(n), b"\xff" * n, b"\x80" + bytes(n - 1)] if n else interop.extremes(t))


def maker(r, t, required):
    """A function that draws values of a type in a style of its own."""
    share = 0 if required else r.choice([0, 0, 0.1, 0.6, 1])
    maybe = lambda make: (lambda: None if share and r.random() < share else make())
    if not isinstance(t, dict):
        style = r.randrange(5)
        if t in ("float", "double") and r.random() < 0.3:  # zeros alone, NaN alone
            pool = r.choice([[0.0, -0.0], [-0.0], [math.nan], [math.nan, -0.0, 0.0]])
            return maybe(lambda: r.choice(pool))
        if style == 0:
            return maybe(lambda: r.choice(extremes(t)))
        if style == 1:  # few values; sometimes one
            pool = [r.choice(extremes(t)) if r.random() < 0.2 else draw(r, t) for _ in range(r.choice([1, 2, 5, 40]))]
            return maybe(lambda: r.choice(pool))
        return maybe(lambda: draw(r, t) if style < 4 or r.random() > 0.03 else r.choice(extremes(t)))
    longest = r.choice([0, 1, 3, 8])
    if t["type"] == "list":
        one = maker(r, t["element"], t["element-required"])
        return maybe(lambda: [one() for _ in range(r.randint(0, longest))])
    if t["type"] == "map":
        key, value = maker(r, t["key"], True), maker(r, t["value"], t["value-required"])
        return maybe(lambda: list({repr(seal(k)): [k, value()] for k in [key() for _ in range(r.randint(0, longest))]}.values()))
    makers = [(f["name"], maker(r, f["type"], f["required"])) for f in t["fields"]]
    return maybe(lambda: {n: m() for n, m in makers})


def for_java(t, v):
    """A value as the Java command takes it: floats as their bits, decimals as text, bytes in hex, rows and structs as lists."""
    if v is None:
        return v
    if not isinstance(t, dict):
        if isinstance(v, float):
            return struct.pack(">f" if t == "float" else ">d", v).hex()
        return v.hex() if isinstance(v, bytes) else str(v) if t.startswith("decimal") else v
    if t["type"] == "list":
        return [for_java(t["element"], x) for x in v]
    if t["type"] == "map":
        return [[for_java(t["key"], k), for_java(t["value"], x)] for k, x in v]
    return [for_java(f["type"], v[f["name"]]) for f in t["fields"]]


def columns_of(t, values, f=None, name="", inside=False):
    """(id, name, type, values that exist, inside a list or map) of each leaf; a null above a leaf is a null of it, unless a list or map
    lies between."""
    if not isinstance(t, dict):
        yield f, name, t, values, inside
    elif t["type"] == "struct":
        for c in t["fields"]:
            below = [None if v is None else v[c["name"]] for v in values]
            yield from columns_of(c["type"], below, c["id"], (name and name + ".") + c["name"], inside)
    elif t["type"] == "list":
        yield from columns_of(t["element"], [x for v in values for x in v or ()], t["element-id"], name + ".element", True)
    else:
        yield from columns_of(t["key"], [k for v in values for k, _ in v or ()], t["key-id"], name + ".key", True)
        yield from columns_of(t["value"], [x for v in values for _, x in v or ()], t["value-id"], name + ".value", True)


# ---------------------------------------------------------------- files


def properties(r, columns, rows):
    p = {"write.parquet.compression-codec": r.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4_raw"]),
         "write.parquet.page-version": r.choice(["v1", "v2"]), "write.parquet.page-size-bytes": r.choice([64, 300, 5000, 1 << 20]),
         "write.parquet.page-row-limit": r.choice([1, 7, 100, 20000]), "write.parquet.dict-size-bytes": r.choice([64, 100, 3000, 2 << 20]),
         "write.parquet.row-group-size-bytes": r.choice([1 if rows <= 100 else 3000, 3000, 100000, 128 << 20]),
         "write.parquet.row-group-check-min-record-count": r.choice([1, 10, 100]),
         "write.parquet.row-group-check-max-record-count": r.choice([100, 10000]),
         "write.metadata.metrics.default": r.choice(["truncate(16)", "truncate(1)", "truncate(5)", "full", "counts"])}
    if p["write.parquet.compression-codec"] == "zstd" and r.random() < 0.4:
        p["write.parquet.compression-level"] = r.choice([1, 3, 9])
    if r.random() < 0.3:
        p["write.parquet.row-group-size-track-uncompressed"] = "true"
    if r.random() < 0.4:
        p["write.parquet.bloom-filter-max-bytes"] = r.choice([64, 1024, 65536])
        p["write.parquet.bloom-filter-adaptive-enabled"] = r.choice(["true", "false"])
    for _, name, t, _, _ in columns:
        if "write.parquet.bloom-filter-max-bytes" in p and t != "boolean" and r.random() < 0.5:
            p["write.parquet.bloom-filter-enabled.column." + name] = "true"
            p["write.parquet.bloom-filter-fpp.column." + name] = r.choice([0.01, 0.3])
            if r.random() < 0.5:
                p["write.parquet.bloom-filter-ndv.column." + name] = r.choice([1, 100, 10000])
        if r.random() < 0.15:
            p["write.parquet.stats-enabled.column." + name] = "false"
        if r.random() < 0.2:
            p["write.parquet.dict-encoding-enabled.column." + name] = "false"
        if r.random() < 0.1:
            p["write.metadata.metrics.column." + name] = r.choice(["none", "counts", "truncate(3)", "full"])
    return {k: str(v) for k, v in p.items()}


class File:
    def __init__(self, folder, seed, n):
        r = random.Random("java %d/%d" % (seed, n))
        self.name, self.path, ids = "file %d of seed %d" % (n, seed), os.path.join(folder, "%d.parquet" % n), Ids()
        self.type = {"type": "struct", "fields": [field(r, ids, "c%d" % i, r.choice([0, 0, 1, 2, 3])) for i in range(r.randint(1, 7))]}
        nested = any(isinstance(f["type"], dict) for f in self.type["fields"])
        count = r.choice([1, 2, 7, 100, 500, 500 if nested else 3000])
        make = maker(r, self.type, True)
        self.rows = [make() for _ in range(count)]
        self.columns = list(columns_of(self.type, self.rows))
        self.properties = properties(r, self.columns, count)
        self.schema = dict(self.type, **{"schema-id": 0})

    def job(self):
        rows = [for_java(self.type, v) for v in self.rows]
        return json.dumps({"path": self.path, "schema": self.schema, "properties": self.properties, "rows": rows})

    def mode(self, name):
        m = self.properties.get("write.metadata.metrics.column." + name, self.properties["write.metadata.metrics.default"])
        return (m, int(m[9:-1]) if m.startswith("truncate") else None)


def write(files, folder):
    jobs = os.path.join(folder, "jobs")
    with open(jobs, "w") as f:
        f.writelines(x.job() + "\n" for x in files)
    p = subprocess.run(["java", "-Xmx1g", "-XX:+UseSerialGC", "-jar", ORACLE, "write-parquet", "--jobs", jobs], capture_output=True, text=True)
    os.remove(jobs)
    if p.returncode:
        raise RuntimeError("write-parquet: " + p.stderr[-2000:])
    return [json.loads(x) for x in p.stdout.splitlines()]


# ---------------------------------------------------------------- comparisons
STATS = {"values": "value-count", "nulls": "null-value-count", "nans": "nan-value-count", "lower": "lower-bound-hex", "upper": "upper-bound-hex"}
ENTRY = {"values": "value_counts", "nulls": "null_value_counts", "nans": "nan_value_counts", "lower": "lower_bounds", "upper": "upper_bounds"}


def stats_differ(f, out):
    file = json.loads(out)["files"][0]
    have = {c["id"]: c for c in file["columns"]}
    bad = [] if file["record-count"] == len(f.rows) else ["%d records" % file["record-count"]]
    if set(have) != {c[0] for c in f.columns}:
        bad.append("columns %s" % sorted(have))
    for i, name, t, values, _ in f.columns:
        want = statistics(t, values, None)
        for k, w in want.items():
            got = have.get(i, {}).get(STATS[k])
            if got != w:
                bad.append("%s (%s): %s is %s, not %s" % (name, t, k, got, w))
    return "; ".join(short(b, 300) for b in bad[:4])


def recorded(f, column):
    """What the table's properties ask a manifest to hold of a column."""
    _, name, t, values, inside = column
    mode, cut = f.mode(name)
    want = statistics(t, values, cut)
    if mode == "none" or inside:  # as Java: nothing of what lists and maps hold
        return {k: None for k in want}
    if mode == "counts":
        want["lower"] = want["upper"] = None
    return want


def append(f, folder):
    """The data file's record in the manifest that append writes; maps by field id."""
    table = os.path.join(folder, os.path.basename(f.path) + ".table")
    try:
        with open(table + ".json", "w") as o:
            json.dump(f.schema, o)
        told = [x for k, v in f.properties.items() for x in ("--property", "%s=%s" % (k, v))]
        must("create", table, "--schema", table + ".json", "--format-version", 3, *told)
        status, by_table, err = lakectl("stats", f.path, "--table", table, "--format", "json")
        must("append", table, f.path)
        manifest, = [p for p in glob.glob(table + "/metadata/*.avro") if "snap-" not in os.path.basename(p)]
        with open(manifest, "rb") as m:
            record = next(iter(fastavro.reader(m)))["data_file"]
        plain = lambda v: v.hex() if isinstance(v, bytes) else v
        maps = {k: {e["key"]: plain(e["value"]) for e in record[k] or []} for k in ENTRY.values()}
        return by_table if not status else err, dict(record, **maps)
    finally:
        shutil.rmtree(table, True)
        if os.path.exists(table + ".json"):
            os.remove(table + ".json")


def entry_differs(f, e):
    size = (e["record_count"], e["file_size_in_bytes"])
    bad = [] if size == (len(f.rows), os.path.getsize(f.path)) else ["%s records, %s bytes" % size]
    for c in f.columns:
        for k, w in recorded(f, c).items():
            got = e[ENTRY[k]].get(c[0])
            if got != w:
                bad.append("%s (%s, %s): %s is %s, not %s" % (c[1], c[2], f.mode(c[1])[0], k, got, w))
    return "; ".join(short(b, 300) for b in bad[:4])


def unlike_java(f, e, java):
    """What of the entry is unlike that which Java says when it has written the file. Known: where a property turns a column's statistics
    off, Java knows nothing of it (but for floats, which it counts itself). It joins the bounds of uuids in several row groups by their signed
    halves, so that they do not hold all values."""
    if e["split_offsets"] != java["split_offsets"]:
        yield "split offsets %s, Java %s" % (e["split_offsets"], java["split_offsets"])
    for i, name, t, _, _ in f.columns:
        for k, there in ENTRY.items():
            ours, theirs = e[there].get(i), (java[there] or {}).get(str(i))
            off = theirs is None and "write.parquet.stats-enabled.column." + name in f.properties
            signed = t == "uuid" and k in ("lower", "upper") and len(java["split_offsets"]) > 1
            if ours != theirs and not off and not signed:
                yield "%s (%s): %s is %s, Java %s" % (name, t, k, ours, theirs)


def main():
    args = sys.argv[1:]
    option = lambda name, default: args[args.index(name) + 1] if name in args else default
    runs, seed, keep, only = int(option("--runs", RUNS)), int(option("--seed", 5)), option("--keep", None), option("--only", None)
    counts = Counts()
    if not os.path.exists(ORACLE):
        counts.skip("random files by Java", "the Java command is not there")
        return counts.finish()
    folder = tempfile.mkdtemp(prefix="lake-random-java-")

    def one(job):
        f, java = job
        what = json.dumps(f.properties)
        try:
            if "error" in java:
                return counts.fail(f.name, "Java: %s [%s]" % (java["error"], what))
            status, out, err = lakectl("stats", f.path, "--schema", schema_file(f), "--format", "json")
            by_table, entry = append(f, folder)
            why = "exit status %d: %s" % (status, err.strip()) if status else stats_differ(f, out)
            ok = counts.check(f.name + ", stats", why and "%s [%s]" % (why, what))
            counts.check(f.name + ", stats --table", ok and by_table != out and "%s, not as with --schema" % short(by_table))
            why = entry_differs(f, entry)
            ok = counts.check(f.name + ", append", why and "%s [%s]" % (why, what)) and ok
            ok = counts.check(f.name + ", as Java", short("; ".join(unlike_java(f, entry, java)), 600)) and ok
            if not ok and keep:
                shutil.copy(f.path, keep)
        except (ValueError, KeyError, TypeError, OSError, LakectlFailed) as e:
            counts.fail(f.name, "%s: %s [%s]" % (type(e).__name__, str(e)[:300], what))

    def schema_file(f):
        with open(f.path + ".json", "w") as o:
            json.dump(f.schema, o)
        return f.path + ".json"

    numbers = [int(only)] if only else range(runs)
    try:
        for at in range(0, len(numbers), BATCH):
            files = [File(folder, seed, n) for n in numbers[at:at + BATCH]]
            both(one, list(zip(files, write(files, folder), strict=True)))
            for f in files:
                for p in (f.path, f.path + ".json"):
                    if os.path.exists(p):
                        os.remove(p)
    except RuntimeError as e:
        counts.fail("random files of Java", str(e))
    finally:
        shutil.rmtree(folder)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
