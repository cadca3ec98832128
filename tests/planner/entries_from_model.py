#!/usr/bin/env python3
"""Writes spec/vectors/plan_entries.tsv: random entries and predicates over one column x, with the outcome sets that the executable
specification of the planner predicts.   entries_from_model.py MODEL_FOLDER SEED ROWS [DEPTH] > spec/vectors/plan_entries.tsv"""
import math, random, struct, sys, types
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from plan import *

R = random.Random(int(sys.argv[2]))
DEPTH = int(sys.argv[4]) if len(sys.argv) > 4 else 2
TYPES = ["boolean", "int", "long", "float", "double", "decimal(9, 2)", "decimal(38, 10)", "date", "time", "timestamp", "timestamptz",
         "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[2]", "binary"]


def value(t):
    """A random key."""
    if t == "boolean":
        return R.randrange(2)
    if t in ("int", "long"):
        return R.choice([R.randrange(-20, 20), R.randrange(-20, 20), R.choice([-2**31, 2**31 - 1, -2**31 + 5])])
    if t in ("float", "double"):
        return R.choice([0.0, -0.0, 1.0, 1.5, -2.25, R.choice([math.inf, -math.inf, 3.0, 0.1 if t == "double" else 0.125]), float(R.randrange(-9, 9))])
    if t.startswith("decimal"):
        return R.randrange(-2000, 2000)
    if t == "date":
        return R.choice([R.randrange(19700, 19800), R.randrange(-800, 800)])
    if t == "time":
        return R.randrange(0, 24) * 3600 * 10**6 + R.choice([0, 1, 999999])
    if kind(t) == "int":
        n = PER_DAY[t]
        return R.choice([R.randrange(19700, 19800), R.randrange(-3, 3)]) * n + R.choice([0, 0, 1, n // 24, n - 1, R.randrange(n)])
    if t == "string":
        return "".join(R.choice("abA é_%") for _ in range(R.randrange(0, 5))).encode()
    if t == "uuid":
        return bytes([R.choice([0, 127, 128, 255])] + [0] * 14 + [R.randrange(3)])
    n = 2 if t.startswith("fixed") else R.randrange(0, 4)
    return bytes(R.choice([0, 1, 97, 255]) for _ in range(n))


def civil(days):
    y = 1970 + days * 400 // 146097 - 1
    while globals()["days"](y + 1, 1, 1) <= days:
        y += 1
    m = 1
    d0 = globals()["days"]
    while m < 12 and d0(y, m + 1, 1) <= days:
        m += 1
    return f"{y:04d}-{m:02d}-{days - d0(y, m, 1) + 1:02d}"


def fixed_point(v, scale):
    s = f"{abs(v):0{scale + 1}d}"
    return ("-" if v < 0 else "") + (s[:-scale] + "." + s[-scale:] if scale else s)


def literal_of(t):
    v = value(t)
    if t == "boolean":
        return "TRUE" if v else "FALSE"
    if t in ("int", "long"):
        return R.choice([str(v), str(v), f"{v}.5", f"{v}e0", f"{v}0e-1", R.choice(["3000000000", "-99999999999999999999"])])
    if t in ("float", "double"):
        if math.isinf(v):
            return R.choice(["1e39", "-1e39", "1e400"])
        return R.choice([f"{v:f}", f"{v:f}", "0.1", "-122.44", "16777217"])
    if t.startswith("decimal"):
        return R.choice([fixed_point(v, scale(t)), fixed_point(v, scale(t)) + "5", fixed_point(v, scale(t)) + "000"])
    if t == "date":
        return R.choice([f"DATE '{civil(v)}'", f"'{civil(v)}'", f"TIMESTAMP '{civil(v)} 00:00:00.5'"])
    if t == "time":
        s = v // 10**6
        return f"'{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}" + R.choice(["'", ".000001'", ".0000005'"])
    if kind(t) == "int":
        n = PER_DAY[t]
        s, f = v % n * 86400 // n, v % (n // 86400)
        text = f"{civil(v // n)}T{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}.{f:0{len(str(n // 86400)) - 1}d}"
        return R.choice(["TIMESTAMP ", ""]) + "'" + text + R.choice(["", "1", "Z", "+01:00", "-0530"]) + "'"
    if t == "string":
        return "'" + v.decode() + "'"
    if t == "uuid":
        h = v.hex()
        return f"UUID '{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}'"
    return "X'" + v.hex() + "'"


def leaf(t):
    x = "x"
    c = R.randrange(14)
    if c == 0:
        return f"x IS {R.choice(['', 'NOT '])}NULL"
    if c == 1 and kind(t) == "float":
        return f"x IS {R.choice(['', 'NOT '])}NAN"
    if c == 2:
        vs = [literal_of(t) for _ in range(R.randrange(1, 5))] + (["NULL"] if R.random() < .2 else [])
        return f"x {R.choice(['', 'NOT '])}IN ({', '.join(vs)})"
    if c == 3:
        return f"x {R.choice(['', 'NOT '])}BETWEEN {R.choice(['', 'SYMMETRIC '])}{literal_of(t)} AND {literal_of(t)}"
    if c == 4 and t == "string":
        p = value(t).decode() + R.choice(["%", "", "%a", "_", "!%%"])
        if p.replace("!%", "").count("!") or R.random() < .3:
            p = p.replace("!", "")
            return f"x {R.choice(['', 'NOT '])}LIKE '{p}'"
        return f"x {R.choice(['', 'NOT '])}LIKE '{p}' ESCAPE '!'"
    if c == 5:
        return f"x IS {R.choice(['', 'NOT '])}DISTINCT FROM {literal_of(t)}"
    if c == 6:
        return R.choice(["lower(x) = 'a'", "x = x", "x IS NULL IS TRUE", "NULL"])
    if c == 7 and (t in PER_DAY):
        tr = R.choice(["years", "months", "days"] + (["hours"] if t != "date" else []))
        n = value(t) // PER_DAY[t]
        lit = {"years": n // 365, "months": n // 30, "days": n, "hours": n * 24}[tr]
        if tr == "days":
            lit = f"DATE '{civil(n)}'"
        return f"{tr}(x) {R.choice(['=', '<', '>=', '<>'])} {lit}"
    if c == 8 and t in ("int", "long", "date", "string", "uuid", "binary", "timestamp", "timestamp_ns") or c == 9 and t.startswith("decimal"):
        return f"bucket(4, x) {R.choice(['=', '<', '<>'])} {R.randrange(4)}"
    if c == 9 and t in ("int", "long", "string", "binary"):
        return f"truncate({R.choice([1, 2, 3])}, x) {R.choice(['=', '<', '>'])} {literal_of(t)}"
    return f"x {R.choice(['=', '<>', '<', '<=', '>', '>='])} {literal_of(t)}"


def predicate(t, depth):
    c = R.randrange(10)
    if depth == 0 or c < 3:
        return leaf(t)
    sub = lambda: "(" + predicate(t, depth - 1) + ")"
    if c < 5:
        return " AND ".join(sub() for _ in range(R.randrange(2, 4)))
    if c < 7:
        return " OR ".join(sub() for _ in range(R.randrange(2, 4)))
    if c == 7:
        return "NOT " + sub()
    if c == 8:
        return f"CASE WHEN {sub()} THEN {sub()} WHEN {sub()} THEN {sub()} " + (f"ELSE {sub()} " if R.random() < .6 else "") + "END"
    return f"{sub()} IS {R.choice(['', 'NOT '])}{R.choice(['TRUE', 'FALSE', 'UNKNOWN'])}"


def binary(t, v):
    if t == "boolean":
        return bytes([v])
    if t in ("int", "date"):
        return struct.pack("<i", v)
    if t == "float":
        return struct.pack("<f", v)
    if t == "double":
        return struct.pack("<d", v)
    if t.startswith("decimal"):
        return v.to_bytes(max(1, (v if v >= 0 else ~v).bit_length() // 8 + 1), "big", signed=True)
    return struct.pack("<q", v) if kind(t) == "int" else v


def transforms(t):
    out = ["identity", "void", "zorder[4]"]
    if t in PER_DAY:
        out += ["year", "month", "day"] + (["hour"] if t != "date" else [])
    if t in ("int", "long", "string", "binary") or t.startswith("decimal"):
        out += ["truncate[3]", "truncate[1]"]
    if t not in ("boolean", "float", "double"):
        out += ["bucket[8]", "bucket[3]"]
    return out


def part_value(t, text):
    tr = Transform(text, t)
    if R.random() < .2 or text in ("void", "zorder[4]"):
        return "n", None
    if tr.name in ("year", "month", "hour", "day"):
        d = value(t) // PER_DAY[t]
        v = {"year": d // 365, "month": d // 30, "day": d, "hour": d * 24 + R.randrange(24)}[tr.name]
        return f"i:{v}", v
    if tr.name == "bucket":
        v = R.randrange(tr.n)
        return f"i:{v}", v
    v = value(t)
    if kind(t) == "float":
        v = math.nan if R.random() < .2 else v
        return f"f:{v!r}", v
    if kind(t) == "bytes":
        if tr.name == "truncate":
            v = v.decode()[:tr.n].encode() if t == "string" else v[:tr.n]
        return f"b:{v.hex()}", (v.decode() if t == "string" else v)
    if t == "boolean":
        return f"o:{v}", bool(v)
    if tr.name == "truncate":
        v -= v % tr.n
        if v < -2**31:
            v += 2**32
    if t.startswith("decimal"):
        b = binary(t, v)
        return f"b:{b.hex()}", b
    return f"i:{v}", v


def row():
    t = R.choice(TYPES)
    table = Table.__new__(Table)
    table.schema = Schema({"schema-id": 0, "fields": [{"id": 1, "name": "x", "type": t, "required": R.random() < .1}]})
    texts = [R.choice(transforms(t)) for _ in range(R.choice([0, 0, 1, 1, 2]))]
    parts = [part_value(t, x) for x in texts]
    spec = Spec({"fields": [{"field-id": 1000 + i, "transform": x, "source-id": 1} for i, x in enumerate(texts)]})
    table.schemas, table.specs, table.snapshots, table.name_mapping = {0: table.schema}, {0: spec}, {}, False
    records = R.choice([10, 10, 10, 10, -1, 3])
    some = lambda *vs: R.choice([None, None, *vs])
    values, nulls = some(10, 10, 10, 3), some(0, 0, 0, 10, 3, 4, -1)
    nans = some(0, 0, 10, 6, 7) if kind(t) == "float" else None
    lo, hi = value(t), value(t)
    if R.random() < .95 and lo > hi:
        lo, hi = hi, lo
    lo, hi = (some(binary(t, lo), binary(t, lo)), some(binary(t, hi), binary(t, hi)))
    if R.random() < .2:
        hi = lo
    if R.random() < .03 and kind(t) == "float":
        hi = binary(t, math.nan)
    sem, largest, where = R.choice(["sql", "filter"]), R.random() < .2, predicate(t, R.choice([0, 0, 1, 1, 2, DEPTH]))
    maps = {109: values, 110: nulls, 137: nans, 125: lo, 128: hi}
    m = types.SimpleNamespace(table=table, spec=spec, snapshot_id=1, seq=1)
    e = Entry({0: ADDED, 2: {100: "f", 101: "parquet", 102: {1000 + i: v for i, (_, v) in enumerate(parts)}, 103: records,
                             **{k: {} if v is None else {1: v} for k, v in maps.items()}}}, m)
    node = Binder(table.schema, sem, True, largest).bind(Sql(where).tree)
    out = evaluate(node, lambda k: file_facts(e, k))
    cell = lambda v: "-" if v is None else v.hex() or "''" if isinstance(v, bytes) else str(v)
    pairs = [(x, p[0]) for x, p in zip(texts, parts)] + [("-", "-")] * 2
    print(t + ("!" if table.schema.fields[1].required else ""), where, sem + ("+nan" if largest else ""), *pairs[0], *pairs[1], records, cell(values),
          cell(nulls), cell(nans), cell(lo), cell(hi), out, sep="\t")


print("# Made by tests/planner/entries_from_model.py: entries of files, a predicate on their column x, and the set of its outcomes (TRUE 1,\n"
      "# FALSE 2, UNKNOWN 4) by the executable specification. type! is required; parts: n null, i int, o boolean, f float, b hex bytes.")
print("type", "where", "semantics", "transform1", "part1", "transform2", "part2", "records", "values", "nulls", "nans", "lower", "upper", "outcomes", sep="\t")
n = 0
while n < int(sys.argv[3]):
    row()
    n += 1
