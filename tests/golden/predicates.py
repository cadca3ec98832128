"""Random predicates for bruteforce.py: as SQL, as Iceberg JSON, and evaluated on rows.

A predicate is a tuple: ("and"|"or", a, b), ("not", a), ("is", a, "TRUE"|"FALSE"|"UNKNOWN"), ("cmp", term, op, value),
("in", term, [value or None]), ("like", column, pattern), ("null", column), ("nan", column), ("between", term, low, high),
("distinct", column, value), ("const", True); and what only bruteforce.py draws: ("row", columns, op, rows of values), ("same", term, term),
("choice", operand, test), ("ilike", column, pattern), ("isnan", column), ("part", column, op, value), which is a field by subscript. A term is (column, transform or None); a column has name, type and path.
Truth is True, False or None for SQL's UNKNOWN; with JSON's two-valued semantics a leaf is False on null."""
from fractions import Fraction
import datetime, math, re, string, struct

import applied
from icevalues import PER_DAY, NS, apply, decimal_of, exact, order, result_type

FLOATS = ("float", "double")


class Column:
    def __init__(self, name, type, path):
        self.name, self.type, self.path = name, type, path

    def of(self, row):
        for p in self.path:
            if row is None:
                return None
            row = row[p]
        return row


# ---------------------------------------------------------------- text
def iso(t, v):
    """Date, time or timestamp as text, without a zone."""
    if t == "date":
        return datetime.date.fromordinal(v + 719163).isoformat()
    if t == "time":
        return "%02d:%02d:%02d.%06d" % (v // 3600000000, v // 60000000 % 60, v // 1000000 % 60, v % 1000000)
    day, rest = divmod(v, PER_DAY[t])
    second = PER_DAY[t] // 86400
    s, f = divmod(rest, second)
    return "%sT%02d:%02d:%02d.%0*d" % (iso("date", day), s // 3600, s // 60 % 60, s % 60, 9 if t in NS else 6, f)


def sql_value(t, v):
    if t == "boolean":
        return "TRUE" if v else "FALSE"
    if t in ("int", "long"):
        return str(v)
    if t in FLOATS:
        return repr(v) if math.isfinite(v) else "'%s'" % v
    if t.startswith("decimal"):
        return format(exact(v, decimal_of(t)[1]), "f")
    if t == "date":
        return "DATE '%s'" % iso(t, v)
    if t == "time":
        return "TIME '%s'" % iso(t, v)
    if t in ("timestamptz", "timestamptz_ns"):
        return "TIMESTAMP WITH TIME ZONE '%s+00:00'" % iso(t, v).replace("T", " ")
    if t in PER_DAY:
        return "TIMESTAMP '%s'" % iso(t, v).replace("T", " ")
    if t == "string":
        return "'%s'" % v.replace("'", "''")
    if t == "uuid":
        return "UUID '%s'" % uuid_text(v)
    return "X'%s'" % v.hex()


def uuid_text(v):
    h = v.hex()
    return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))


def json_value(t, v):
    if t in ("boolean", "int", "long", "string", *FLOATS):
        return v
    if t.startswith("decimal"):
        return format(exact(v, decimal_of(t)[1]), "f")
    if t in ("timestamptz", "timestamptz_ns"):
        return iso(t, v) + "+00:00"
    if t in PER_DAY or t in ("date", "time"):
        return iso(t, v)
    return uuid_text(v) if t == "uuid" else v.hex()


def from_json_value(t, v):
    import decimal
    if t in ("boolean", "int", "long", "string") or isinstance(v, int) and t not in FLOATS and not t.startswith("decimal"):
        return v
    if t in FLOATS:                            # a literal has its column's type
        return float(v) if t == "double" else struct.unpack("<f", struct.pack("<f", float(v)))[0]
    if t.startswith("decimal"):
        return int(decimal.Decimal(str(v)).scaleb(decimal_of(t)[1], decimal.Context(prec=60)))
    if t == "date":
        return datetime.date.fromisoformat(v).toordinal() - 719163
    m = re.fullmatch(r"(?:(.*)T)?(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|\+00:00)?", v)
    if t == "time" or t in PER_DAY:
        nanos = (int(m[2]) * 3600 + int(m[3]) * 60 + int(m[4] or 0)) * 10**9 + int((m[5] or "0").ljust(9, "0"))
        nanos += from_json_value("date", m[1]) * 86400 * 10**9 if m[1] else 0
        return nanos if t in NS else nanos // 1000
    return bytes.fromhex(v.replace("-", ""))


def sql_name(c):
    return ".".join(p if re.fullmatch(r"[a-z][a-z0-9_]*", p) else '"%s"' % p for p in c.path)


def sql_term(term):
    c, tr = term
    if tr is None:
        return sql_name(c)
    if isinstance(tr, tuple):
        text = sql_name(c)
        for f in tr:
            text = applied.sql(f, text)
        return text
    name, _, n = tr.rstrip("]").partition("[")
    return "%s(%s, %s)" % (name, n, sql_name(c)) if n else "%ss(%s)" % (name, sql_name(c))


def term_type(term):
    if isinstance(term[1], tuple):
        t = term[0].type
        for f in term[1]:
            t = applied.result_type(f, t)
        return t
    return term[0].type if term[1] is None else result_type(term[1], term[0].type)


def of_term(term, v, narrow=False):
    """The term's value for the column's; applied.Beyond where engines say nothing."""
    c, tr = term
    if not isinstance(tr, tuple):
        return v if tr is None else apply(tr, c.type, v)
    t = c.type
    for f in tr:
        v = applied.value(f, t, v, narrow)
        t = applied.result_type(f, t)
    return v


def to_sql(p):
    op = p[0]
    if op in ("and", "or"):
        return "(%s %s %s)" % (to_sql(p[1]), op.upper(), to_sql(p[2]))
    if op == "not":
        return "NOT (%s)" % to_sql(p[1])
    if op == "is":
        return "(%s) IS %s" % (to_sql(p[1]), p[2])
    if op == "cmp":
        return "%s %s %s" % (sql_term(p[1]), p[2], p[4] if len(p) > 4 else sql_value(term_type(p[1]), p[3]))
    if op in WIDE:
        return wide_sql(p)
    if op == "pair":
        return "%s %s %s" % (sql_term(p[1]), p[2], sql_term(p[3]))
    if op == "in":
        return "%s IN (%s)" % (sql_term(p[1]), ", ".join("NULL" if v is None else sql_value(term_type(p[1]), v) for v in p[2]))
    if op == "between":
        return "%s BETWEEN %s AND %s" % (sql_term(p[1]), *(sql_value(term_type(p[1]), v) for v in p[2:]))
    if op == "like":
        return "%s LIKE '%s'" % (sql_name(p[1]), p[2].replace("'", "''"))
    if op == "distinct":
        return "%s IS DISTINCT FROM %s" % (sql_name(p[1]), sql_value(p[1].type, p[2]))
    return "TRUE" if op == "const" else "%s IS %s" % (sql_name(p[1]), "NULL" if op == "null" else "NAN")


JSON_OPS = {"=": "eq", "<>": "not-eq", "<": "lt", "<=": "lt-eq", ">": "gt", ">=": "gt-eq"}


def to_json(p):
    """None where the form has no such predicate."""
    op = p[0]
    if op in ("and", "or"):
        a, b = to_json(p[1]), to_json(p[2])
        return None if a is None or b is None else {"type": op, "left": a, "right": b}
    if op == "not":
        a = to_json(p[1])
        return None if a is None else {"type": "not", "child": a}
    if op in ("is", "distinct", "between", "const", "pair") or op in WIDE or (op == "in" and None in p[2]):
        return None
    if op in ("null", "nan"):
        return {"type": "is-" + op, "term": p[1].name}
    if op == "like":
        return {"type": "starts-with", "term": p[1].name, "value": p[2][:-1]} if re.fullmatch(r"[^%_]*%", p[2]) else None
    c, tr = p[1]
    if isinstance(tr, tuple):
        return None
    term = c.name if tr is None else {"type": "transform", "transform": tr, "term": c.name}
    t = term_type(p[1])
    if op == "in":
        return None if any(isinstance(v, float) and not math.isfinite(v) for v in p[2]) else {
            "type": "in", "term": term, "values": [json_value(t, v) for v in p[2]]}
    if isinstance(p[3], float) and not math.isfinite(p[3]):
        return None
    return {"type": JSON_OPS[p[2]], "term": term, "value": json_value(t, p[3])}


def from_json(j, columns):
    """The tree of a JSON expression; columns: by full name."""
    if isinstance(j, bool):
        return ("const", j)
    t = j["type"]
    if t in ("true", "false"):
        return ("const", t == "true")
    if t == "not":
        return ("not", from_json(j["child"], columns))
    if t in ("and", "or"):
        return (t, from_json(j["left"], columns), from_json(j["right"], columns))
    term = j.get("term", j.get("child", j.get("left")))
    tr = None
    if isinstance(term, dict) and term["type"] == "transform":
        term, tr = term["term"], term["transform"]
    if isinstance(term, dict):
        term = term.get("name", term.get("term"))
    c = columns[term]
    kind = term_type((c, tr))
    if t in ("is-null", "not-null"):
        return ("null", c) if t == "is-null" else ("not", ("null", c))
    if t in ("is-nan", "not-nan"):
        return ("nan", c) if t == "is-nan" else ("not", ("nan", c))
    if t in ("in", "not-in"):
        p = ("in", (c, tr), [from_json_value(kind, v) for v in j["values"]])
        return p if t == "in" else ("not", p)
    if t in ("starts-with", "not-starts-with"):
        p = ("prefix", c, j["value"])
        return p if t == "starts-with" else ("not", p)
    if t == "not-eq":
        return ("not", ("cmp", (c, tr), "=", from_json_value(kind, j["value"])))
    return ("cmp", (c, tr), {"eq": "=", "lt": "<", "lt-eq": "<=", "gt": ">", "gt-eq": ">="}[t], from_json_value(kind, j["value"]))


# ---------------------------------------------------------------- truth
def compare(a, op, b, largest):
    an, bn = (isinstance(x, float) and math.isnan(x) for x in (a, b))
    if an or bn:
        if not largest:
            return op == "<>"
        a, b = an, bn
    elif isinstance(a, str):
        a, b = a.encode(), b.encode()
    return {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def meet(t, v):
    """A value as one that compares with those of related types."""
    if t.startswith("decimal"):
        return Fraction(v, 10**decimal_of(t)[1])
    day = {"date": 1, **PER_DAY}.get(t)
    return Fraction(v, day) if day else v


FAMILIES = [("int", "long", "float", "double", "decimal"), ("date", "timestamp", "timestamp_ns"), ("timestamptz",),
            ("timestamptz_ns",), ("string",), ("uuid",), ("binary",), ("boolean",), ("time",)]


def pair(r, columns):
    """Two columns that can be compared, or None."""
    a = r.choice(columns)
    family = next((f for f in FAMILIES if a.type.split("(")[0] in f), None)
    others = family and [c for c in columns if c.type.split("(")[0] in family]
    if not others:
        return None
    b = r.choice(others)
    terms = []
    for c in (a, b):
        f = applied.draw(r, c.type) if r.random() < 0.2 else None
        same = f and f[0] != "part" and any(applied.result_type(f, c.type).split("(")[0] in g and c.type.split("(")[0] in g for g in FAMILIES)
        terms.append((c, (f,) if same else None))
    return ("pair", terms[0], r.choice(list(JSON_OPS)), terms[1])


def truth(p, row, sql=True, largest=False, narrow=False):
    op = p[0]
    null = None if sql else False
    if op == "const":
        return p[1]
    if op == "and":
        a, b = truth(p[1], row, sql, largest, narrow), truth(p[2], row, sql, largest, narrow)
        return False if a is False or b is False else None if a is None or b is None else True
    if op == "or":
        a, b = truth(p[1], row, sql, largest, narrow), truth(p[2], row, sql, largest, narrow)
        return True if a or b else None if a is None or b is None else False
    if op == "not":
        a = truth(p[1], row, sql, largest, narrow)
        return None if a is None else not a
    if op == "is":
        return truth(p[1], row, sql, largest, narrow) is {"TRUE": True, "FALSE": False, "UNKNOWN": None}[p[2]]
    if op in WIDE:
        return wide_truth(p, row, largest, narrow)
    if op == "pair":
        values = [None if v is None else of_term(term, v, narrow) for term, v in ((t, t[0].of(row)) for t in (p[1], p[3]))]
        if None in values:
            return null
        return compare(meet(term_type(p[1]), values[0]), p[2], meet(term_type(p[3]), values[1]), largest)
    c, tr = p[1] if isinstance(p[1], tuple) else (p[1], None)
    v = c.of(row)
    if op == "null":
        return v is None
    if op == "distinct":
        return v is None or compare(v, "<>", p[2], largest)
    if v is None:
        return null if sql else op == "cmp" and p[2] == "<>"
    v = of_term((c, tr), v, narrow)
    if op == "cmp":
        return compare(v, p[2], p[3], largest)
    if op == "in":
        if any(x is not None and compare(v, "=", x, largest) for x in p[2]):
            return True
        return None if None in p[2] else False
    if op == "between":
        return compare(v, ">=", p[2], largest) and compare(v, "<=", p[3], largest)
    if op == "nan":
        return isinstance(v, float) and math.isnan(v)
    if op == "prefix":
        return v.startswith(p[2])
    return matches(v, p[2])


# ---------------------------------------------------------------- drawing
RANGES = {"int": (-2**31, 2**31 - 1), "long": (-2**63, 2**63 - 1), "date": (-719162, 2932896), "time": (0, 86399999999)}
RANGES.update({t: (-62135596800000000, 253402300799999999) for t in ("timestamp", "timestamptz")})
RANGES.update({t: (-2**63, 2**63 - 1) for t in NS})


def near(r, t, v):
    """v or a value close to it, of the same type."""
    if r.random() < 0.5 or t == "boolean":
        return v
    if isinstance(v, float):
        return v + r.choice([-1.0, 1.0, 0.5]) if math.isfinite(v) else 0.0
    if isinstance(v, int):
        lo, hi = RANGES.get(t) or (1 - 10**decimal_of(t)[0], 10**decimal_of(t)[0] - 1)
        return min(max(v + r.choice([-1, 1, 31, 1000, -1000]), lo), hi)
    if isinstance(v, str):
        return v[:r.randrange(len(v) + 1)] + r.choice(["", "a", "é"])
    return bytes(v[:-1]) + bytes([r.randrange(256)]) if v else v


def transforms_of(t):
    if t in ("boolean", *FLOATS):
        return []
    out = ["bucket[4]", "bucket[7]"]
    if t in ("int", "long"):
        out += ["truncate[10]", "truncate[1000]"]
    if t == "string":
        out += ["truncate[2]"]
    if t in PER_DAY or t == "date":
        out += ["year", "month", "day"] + (["hour"] if t != "date" else [])
    return out


def within(term, v):
    try:
        return of_term(term, v)
    except applied.Beyond:
        return None


# ---------------------------------------------------------------- more of SQL
WIDE = ("row", "same", "choice", "ilike", "isnan", "part")


def operand_sql(x):
    """("column", c), ("value", type, value), ("coalesce", [operands]), ("nullif", c, operand), ("case", [(condition, operand)], operand or
    None), ("simple", c, [(value, operand)], operand or None)."""
    if x[0] == "column":
        return sql_name(x[1])
    if x[0] == "value":
        return "NULL" if x[2] is None else sql_value(x[1], x[2])
    if x[0] == "coalesce":
        return "COALESCE(%s)" % ", ".join(map(operand_sql, x[1]))
    if x[0] == "nullif":
        return "NULLIF(%s, %s)" % (sql_name(x[1]), operand_sql(x[2]))
    simple = x[0] == "simple"
    arms = x[2] if simple else x[1]
    when = lambda w: ("NULL" if w is None else sql_value(x[1].type, w)) if simple else to_sql(w)
    return "CASE %s%s%s END" % (sql_name(x[1]) + " " if simple else "",
                                " ".join("WHEN %s THEN %s" % (when(w), operand_sql(v)) for w, v in arms),
                                "" if x[-1] is None else " ELSE " + operand_sql(x[-1]))


def operand_value(x, row, largest, narrow):
    if x[0] == "column":
        return x[1].of(row)
    if x[0] == "value":
        return x[2]
    if x[0] == "coalesce":
        return next((v for v in (operand_value(o, row, largest, narrow) for o in x[1]) if v is not None), None)
    equal = lambda a, b: a is not None and b is not None and compare(a, "=", b, largest)
    if x[0] == "nullif":
        v = x[1].of(row)
        return None if equal(v, operand_value(x[2], row, largest, narrow)) else v
    for w, v in x[2] if x[0] == "simple" else x[1]:
        if equal(x[1].of(row), w) if x[0] == "simple" else truth(w, row, True, largest, narrow) is True:
            return operand_value(v, row, largest, narrow)
    return None if x[-1] is None else operand_value(x[-1], row, largest, narrow)


def wide_sql(p):
    op = p[0]
    if op == "row":
        left = "(%s)" % ", ".join(map(sql_name, p[1]))
        rows = ["(%s)" % ", ".join("NULL" if v is None else sql_value(c.type, v) for c, v in zip(p[1], values)) for values in p[3]]
        return "%s %s %s" % (left, p[2], "(%s)" % ", ".join(rows) if p[2].endswith("IN") else rows[0])
    if op == "same":
        return "%s IS NOT DISTINCT FROM %s" % (sql_term(p[1]), sql_term(p[2]))
    if op == "ilike":
        return "%s ILIKE '%s'" % (sql_name(p[1]), p[2].replace("'", "''"))
    if op == "isnan":
        return "isnan(%s)" % sql_name(p[1])
    if op == "part":
        return "%s['%s'] %s %s" % (p[1].path[0], p[1].path[1], p[2], sql_value(p[1].type, p[3]))
    t, test = p[2], p[3]
    value = lambda v: "NULL" if v is None else sql_value(t, v)
    tail = {"in": lambda: "IN (%s)" % ", ".join(map(value, test[1])), "between": lambda: "BETWEEN %s%s AND %s" % (
        "SYMMETRIC " if test[3] else "", value(test[1]), value(test[2])), "null": lambda: "IS NULL",
        "distinct": lambda: "IS DISTINCT FROM " + value(test[1]), "like": lambda: "LIKE '%s'" % test[1].replace("'", "''")}
    return "%s %s" % (operand_sql(p[1]), tail[test[0]]() if test[0] in tail else "%s %s" % (test[0], value(test[1])))


def tested(test, v, largest):
    op = test[0]
    if op == "null":
        return v is None
    if op == "distinct":
        return (v is None) != (test[1] is None) or v is not None and compare(v, "<>", test[1], largest)
    if v is None:
        return None
    if op == "in":
        if any(x is not None and compare(v, "=", x, largest) for x in test[1]):
            return True
        return None if None in test[1] else False
    if op == "between":
        between = lambda a, b: compare(v, ">=", a, largest) and compare(v, "<=", b, largest)
        return between(test[1], test[2]) or test[3] and between(test[2], test[1])
    return matches(v, test[1]) if op == "like" else compare(v, op, test[1], largest)


def matches(v, pattern, flags=0):
    rx = "".join(".*" if ch == "%" else "." if ch == "_" else re.escape(ch) for ch in pattern)
    return re.fullmatch(rx, v, re.S | flags) is not None


def both(values):
    return False if False in values else None if None in values else True


def wide_truth(p, row, largest, narrow):
    """narrow: the other kind of engine: rows are structs, in which null equals null; isnan(NULL) is FALSE."""
    op = p[0]
    if op == "row":
        def equal(a, b):
            if a is None or b is None:
                return a is b if narrow or "DISTINCT" in p[2] else None
            return compare(a, "=", b, largest)
        each = [both([equal(c.of(row), v) for c, v in zip(p[1], values)]) for values in p[3]]
        x = True if True in each else None if None in each else False
        return x if p[2] in ("=", "IN", "IS NOT DISTINCT FROM") or x is None else not x
    if op == "same":
        a, b = (None if v is None else of_term(term, v, narrow) for term, v in ((t, t[0].of(row)) for t in p[1:]))
        if a is None or b is None:
            return a is b
        nan = lambda v: isinstance(v, float) and math.isnan(v)
        if nan(a) and nan(b):
            return largest or narrow
        return compare(meet(term_type(p[1]), a), "=", meet(term_type(p[2]), b), largest)
    if op == "choice":
        return tested(p[3], operand_value(p[1], row, largest, narrow), largest)
    v = p[1].of(row)
    if v is None:
        return False if op == "isnan" and narrow else None
    if op == "isnan":
        return math.isnan(v)
    return matches(v, p[2], re.I) if op == "ilike" else compare(v, p[2], p[3], largest)


def operand(r, c, columns, rows, lit):
    """A choice among values of c's type, most of them of c."""
    column = ("column", c)
    alike = [("column", x) for x in columns if x.type == c.type]
    simple = lambda: r.choice([column, column, r.choice(alike), ("value", c.type, lit()), ("value", c.type, None)])
    condition = lambda: leaf(r, [r.choice([c, r.choice(columns)])], rows)
    k = r.randrange(5)
    if k == 0:
        return ("coalesce", [column] + [r.choice(alike) for _ in range(r.randrange(2))] + [r.choice([("value", c.type, lit()), r.choice(alike)])])
    if k == 1:
        return ("nullif", c, r.choice([("value", c.type, lit()), r.choice(alike)]))
    if k == 2:
        return ("simple", c, [(lit(), simple()) for _ in range(r.randrange(1, 4))] + [(lit(), column)], r.choice([None, simple()]))
    return ("case", [(condition(), simple()) for _ in range(r.randrange(1, 3))] + [(condition(), column)], r.choice([None, simple()]))


def finite(values):
    return [v for v in values if v is not None and not (isinstance(v, float) and not math.isfinite(v))]


def wide(r, columns, rows):
    """A leaf of more kinds, or None."""
    few = lambda c: finite([c.of(r.choice(rows)) for _ in range(8)])
    k = r.random()
    c = r.choice(columns)
    values = few(c)
    if not values:
        return None
    lit = lambda: near(r, c.type, r.choice(values))
    if k < 0.3:
        cs = [c] + [r.choice(columns) for _ in range(r.choice([1, 1, 2]))]
        some = {x: few(x) for x in cs}
        if not all(some.values()):
            return None
        op = r.choice(["=", "<>", "IN", "IN", "NOT IN", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
        one = lambda row: [None if r.random() < 0.08 else v if v in some[x] or r.random() < 0.8 and v in finite([v]) else r.choice(some[x])
                           for x, v in ((x, x.of(row)) for x in cs)]
        return ("row", cs, op, [one(r.choice(rows)) for _ in range(r.choice([1, 2, 3, 12]) if op.endswith("IN") else 1)])
    if k < 0.4:
        two = pair(r, columns)
        return two and ("same", two[1], two[3])
    if k < 0.45:
        deep = [x for x in columns if len(x.path) > 1]
        x = r.choice(deep) if deep else None
        some = few(x) if x else []
        return ("part", x, r.choice(list(JSON_OPS)), r.choice(some)) if some else None
    if c.type in FLOATS and k < 0.6:
        return ("isnan", c)
    if c.type == "string" and k < 0.65:
        s = "".join(ch for ch in r.choice(values) if ch in string.ascii_letters or ch > "\x7f")
        return ("ilike", c, r.choice([s, s.upper(), s.lower(), s.swapcase()])[:r.randrange(len(s) + 1)] + r.choice(["%", "%", "_%", "", "%a"]))
    if c.type in ("date", *PER_DAY) and k < 0.75:
        f = applied.draw_interval(r, c.type)
        base = lit()
        try:
            v = applied.value(f, c.type, base)
            if not 0 < applied.civil(applied.day_of(applied.result_type(f, c.type), v)).year < 10000:
                return None
        except applied.Beyond:
            return None
        if c.type == "date" and f[1][2]:       # an instant is no day
            return None
        if "timestamptz" in c.type and (f[1][0] or f[1][1]):
            return None
        return ("cmp", (c, None), r.choice(list(JSON_OPS)), v, applied.sql(f, sql_value(c.type, base)))
    test = r.choice([("in", [lit() for _ in range(r.randrange(1, 4))] + ([None] if r.random() < 0.1 else [])),
                     ("between", lit(), lit(), r.random() < 0.3), ("null",), ("distinct", r.choice([lit(), lit(), None])),
                     *((op, lit()) for op in JSON_OPS)])
    if c.type == "string" and r.random() < 0.2:
        test = ("like", "".join(ch for ch in lit() if ch in string.ascii_letters)[:2] + r.choice(["%", "", "_%"]))
    return ("choice", operand(r, c, columns, rows, lit), c.type, test)


def leaf(r, columns, rows):
    more = wide(r, columns, rows) if applied.WIDE and r.random() < 0.35 else None
    if more:
        return more
    two = pair(r, columns) if r.random() < 0.12 else None
    if two:
        return two
    c = r.choice(columns)
    row = lambda: r.choice(rows)
    kind = r.random()
    if kind < 0.08:
        return ("null", c)
    if kind < 0.14 and c.type in FLOATS:
        return ("nan", c)
    tr = r.choice(transforms_of(c.type)) if kind > 0.85 and transforms_of(c.type) else None
    if tr is None and kind > 0.4 and r.random() < 0.4:
        f = applied.draw(r, c.type)
        g = applied.draw(r, applied.result_type(f, c.type)) if f and r.random() < 0.2 else None
        tr = None if f is None else (f,) if g is None else (f, g)
    t = term_type((c, tr))
    values = [v for v in (c.of(row()) for _ in range(8)) if v is not None and not (isinstance(v, float) and not math.isfinite(v))]
    if not values:
        return ("null", c)
    if isinstance(tr, tuple):
        values = [x for x in map(lambda v: within((c, tr), v), values) if x is not None]
        if not values:
            return ("null", c)
        lit = lambda: near(r, t, r.choice(values))
    elif tr is not None:
        values = [apply(tr, c.type, v) for v in values]
        lit = lambda: r.choice(values) if tr.startswith(("bucket", "truncate")) else near(r, t, r.choice(values))
    else:
        lit = lambda: near(r, t, r.choice(values))
    if c.type == "string" and tr is None and kind < 0.4:
        s = "".join(ch for ch in r.choice(values) if ch in string.ascii_letters or ch > "\x7f")
        return ("like", c, s[:r.randrange(len(s) + 1)] + r.choice(["%", "%", "_%", "", "%a"]))
    if kind < 0.55:
        return ("in", (c, tr), [lit() for _ in range(r.randrange(1, 5))] + ([None] if r.random() < 0.1 else []))
    if kind < 0.65:
        a, b = lit(), lit()
        return ("between", (c, tr), *((a, b) if order(t, a) <= order(t, b) or r.random() < 0.1 else (b, a)))
    if kind < 0.68 and tr is None:
        return ("distinct", c, lit())
    return ("cmp", (c, tr), r.choice(list(JSON_OPS)), lit())


def predicate(r, columns, rows, depth=0):
    k = r.random()
    if depth >= 3 or k < 0.35 + 0.1 * depth:
        return leaf(r, columns, rows)
    if k < 0.5:
        return ("not", predicate(r, columns, rows, depth + 1))
    if k < 0.54:
        return ("is", predicate(r, columns, rows, depth + 1), r.choice(["TRUE", "FALSE", "UNKNOWN"]))
    few = r.sample(columns, min(len(columns), 2)) if r.random() < 0.6 else columns
    return (r.choice(["and", "or"]), predicate(r, few, rows, depth + 1), predicate(r, few, rows, depth + 1))
