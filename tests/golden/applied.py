"""What may stand around a column in SQL, for predicates.py: casts, arithmetic, date_trunc, parts of dates. As text, and on values.

A function is a tuple: ("cast", type), ("add", c), ("from", c), ("times", c), ("by", c), ("trunc", unit), ("part", unit),
("interval", (months, days, microseconds)), where c is a Decimal or a float; ("abs", None), ("floor", None), ("ceil", None), ("lower", None),
("upper", None), ("left", n), ("append", text), ("prepend", text). Decimals are integers at their type's scale, as everywhere here."""
import calendar, datetime, decimal, math, struct
from fractions import Fraction

from icevalues import PER_DAY, decimal_of

FLOATS = ("float", "double")
WIDE = False                                   # bruteforce.py: draw what other engines' peers would not understand, too
INTS = {"int": 32, "long": 64, "date": 32, "timestamp": 64, "timestamp_ns": 64}
UNITS = {"microsecond": 1, "second": 10**6, "minute": 6 * 10**7, "hour": 36 * 10**8, "day": 864 * 10**8, "week": 7 * 864 * 10**8}


TEXT = ("lower", "upper", "left", "append", "prepend")


class Beyond(Exception):
    """The result does not fit its type: what an engine makes of that row is not said."""


def scale_of(t):
    return decimal_of(t)[1] if t.startswith("decimal") else 0


def result_type(f, t):
    op, x = f
    if op == "cast":
        return x
    if op == "interval":
        return "timestamp" if t == "date" and x[2] else t
    if op in TEXT:
        return "string"
    if op in ("abs", "floor", "ceil"):
        return "decimal(38, 0)" if op == "floor" and t.startswith("decimal") else t
    if op == "trunc":
        return "timestamp" if t == "date" else t
    if op == "part":
        return "long"
    if t in FLOATS or t == "date":
        return t
    s = -x.as_tuple().exponent
    if t.startswith("decimal") or s > 0:
        return "decimal(38, %d)" % (scale_of(t) + s if op == "times" else max(scale_of(t), s))
    return "long" if t == "int" and not -2**31 <= x < 2**31 else t


def interval_sql(x):
    """In one of the forms that people write."""
    months, days, micros = x
    form = (months + days + micros // 10**6) % 4
    if months and not days and not micros:
        if form == 0:
            return "INTERVAL '%s%d-%d' YEAR TO MONTH" % ("-" if months < 0 else "", *divmod(abs(months), 12))
        return ("INTERVAL '%d' MONTH" if form < 3 or months < 0 else "INTERVAL %d MONTHS") % months
    if days and not months and not micros:
        return ("INTERVAL '%d' DAY" if form < 2 or days < 0 else "INTERVAL %d DAYS") % days
    if micros and not months and not days and micros % 3600000000 == 0:
        return ("INTERVAL '%d hours'" if form < 2 else "INTERVAL '%d' HOUR") % (micros // 3600000000)
    if days > 0 and micros > 0 and not months and micros < 864 * 10**8 and form == 0:
        s = micros // 10**6
        return "INTERVAL '%d %d:%02d:%02d.%06d' DAY TO SECOND" % (days, s // 3600, s // 60 % 60, s % 60, micros % 10**6)
    parts = ["%d %s" % p for p in ((months, "months"), (days, "days"), (micros, "microseconds")) if p[0]]
    return "INTERVAL '%s'" % " ".join(parts or ["0 days"])


def shifted(t, x, v):
    """Months first, then days, then the rest, as all engines do."""
    months, days, micros = x
    day = PER_DAY.get(t, 1)
    if months:
        d, total = civil(v // day), 0
        total = d.year * 12 + d.month - 1 + months
        if not 12 <= total < 120000:
            raise Beyond
        year, month = total // 12, total % 12 + 1
        d = datetime.date(year, month, min(d.day, calendar.monthrange(year, month)[1]))
        v = (d.toordinal() - 719163) * day + v % day
    v += days * day
    if micros and t == "date":
        return v * PER_DAY["timestamp"] + micros
    return v + micros * (day // (864 * 10**8)) if micros else v


def quoted(x):
    return "'%s'" % x.replace("'", "''")


def sql(f, text, types={"string": "VARCHAR", "int": "INT", "long": "BIGINT", "double": "DOUBLE PRECISION", "float": "REAL"}):
    op, x = f
    if op == "interval":
        negative = tuple(-n for n in x)
        return "(%s - %s)" % (text, interval_sql(negative)) if sum(x) % 2 else "(%s + %s)" % (text, interval_sql(x))
    if op == "cast":
        return "CAST(%s AS %s)" % (text, types.get(x, x))
    if op in ("append", "prepend"):
        return "(%s || %s)" % ((text, quoted(x)) if op == "append" else (quoted(x), text))
    if op == "left":
        return ("left(%s, %d)" if x % 2 else "substring(%s, 1, %d)") % (text, x)
    if op in ("abs", "floor", "ceil", "lower", "upper"):
        return "%s(%s)" % (op, text)
    if op == "trunc":
        return "date_trunc('%s', %s)" % (x, text)
    if op == "part":
        return "extract(%s FROM %s)" % (x, text) if len(x) % 2 else "%s(%s)" % (x, text)
    c = format(x, "f") if isinstance(x, decimal.Decimal) else repr(x)
    if op == "from":
        return ("-(%s)" if text[0] == "-" else "-%s") % text if x == 0 else "(%s - %s)" % (c, text)
    if op == "add" and x < 0:
        return "(%s - %s)" % (text, c[1:])
    return "(%s %s %s)" % (text, {"add": "+", "times": "*", "by": "/"}[op], "(%s)" % c if x < 0 else c)


def fit(t, v):
    bits = INTS.get(t)
    if bits and not -2**(bits - 1) <= v < 2**(bits - 1) or t.startswith("decimal") and abs(v) >= 10**decimal_of(t)[0]:
        raise Beyond
    if t in FLOATS and not math.isfinite(v):
        raise Beyond
    return v


def single(v):
    return struct.unpack("<f", struct.pack("<f", v))[0]


def day_of(t, v):
    return v if t == "date" else v // PER_DAY[t]


def civil(days):
    try:
        return datetime.date.fromordinal(days + 719163)
    except (OverflowError, ValueError):
        raise Beyond


def cast(t, to, v):
    if t in FLOATS:
        return v
    if to in FLOATS:
        d = float(Fraction(v, 10**scale_of(t)))
        return single(d) if to == "float" else d
    if t in PER_DAY or t == "date":
        a, b = PER_DAY.get(t, 1), PER_DAY.get(to, 1)
        return v * (b // a) if b >= a else v // (a // b)
    return v * 10**(scale_of(to) - scale_of(t))


def trunc(t, unit, v):
    ns = 1000 if t.endswith("_ns") else 1
    if t == "date":
        v *= PER_DAY["timestamp"]
    day = PER_DAY["timestamp"] * ns
    if unit in UNITS:
        shift = 3 * day if unit == "week" else 0
        return (v + shift) // (UNITS[unit] * ns) * (UNITS[unit] * ns) - shift
    d = civil(v // day)
    d = d.replace(day=1, month={"month": d.month, "quarter": (d.month - 1) // 3 * 3 + 1, "year": 1}[unit])
    return (d.toordinal() - 719163) * day


def part(t, unit, v):
    if unit == "hour":
        civil(day_of(t, v))
        return v // (PER_DAY[t] // 24) % 24
    d = civil(day_of(t, v))
    return {"month": d.month, "day": d.day, "quarter": (d.month + 2) // 3, "year": d.year}[unit]


def arithmetic(op, t, c, v, narrow):
    if t in FLOATS:
        if narrow:
            c, v = single(c), single(v)
        r = {"add": lambda: v + c, "from": lambda: c - v, "times": lambda: v * c, "by": lambda: v / c}[op]()
        try:
            return single(r) if narrow and math.isfinite(r) else r
        except OverflowError:
            raise Beyond
    s = -c.as_tuple().exponent
    to = scale_of(result_type((op, c), t))
    c = int(c.scaleb(s))
    if op == "times":
        return v * c
    v, c = v * 10**(to - scale_of(t)), c * 10**(to - s)
    return v + c if op == "add" else c - v


def value(f, t, v, narrow=False):
    """narrow: a float column is computed with in 32 bits (engines differ)."""
    op, x = f
    if op in TEXT:
        return {"lower": str.lower, "upper": str.upper, "left": lambda s: s[:x], "append": lambda s: s + x, "prepend": lambda s: x + s}[op](v)
    if isinstance(v, float) and math.isnan(v):
        return v
    if op == "abs":
        return fit(t, abs(v))
    if op in ("floor", "ceil"):
        if t in FLOATS:
            if abs(v) > 9e18:
                raise Beyond                   # the result may be an integer
            return float(math.floor(v) if op == "floor" else math.ceil(v))
        return v // 10**scale_of(t)
    if op == "part":
        return part(t, x, v)
    to = result_type(f, t)
    if op == "interval":
        v = fit(to, shifted(t, x, v))
        civil(day_of(to, v))                   # within the years that have a text
        return v
    if (op, x) == ("cast", "string"):
        return str(v)
    if op in ("cast", "trunc"):
        return v if t in FLOATS else fit(to, cast(t, to, v) if op == "cast" else trunc(t, x, v))
    return fit(to, arithmetic(op, t, x, v, narrow and t == "float"))


def draw_interval(r, t):
    micros = r.choice([0, 0, 3600000000, 7200000000, -3600000000, 90000001, 86399999999, -1])
    if t.startswith("timestamptz"):            # days and months hang on the session's zone there
        return ("interval", (0, 0, micros or 3600000000))
    if t == "date" and r.random() < 0.7:
        micros = 0
    return ("interval", (r.choice([0, 0, 1, -1, 2, 13, -12, 11]), r.choice([0, 0, 1, -1, 30]), micros))


def draw(r, t):
    """A function of values of the type, or None."""
    if WIDE and (t in PER_DAY or t == "date") and r.random() < 0.3:
        return draw_interval(r, t)
    number = lambda: decimal.Decimal(r.choice([1, 7, -3, 100, 2500, 2**31])).scaleb(-r.choice([0, 0, 1, 2]))
    f = lambda: r.choice([1.0, 0.1, -0.3, 1000.5, 1e10])
    k = r.random()
    if t == "string":
        word = r.choice(["", "a", "é", "xy"])
        return r.choice([("lower", None), ("upper", None), ("left", r.choice([1, 2, 3, 7])), ("append", word), ("prepend", word)])
    if k < 0.12 and (t in FLOATS or t in ("int", "long") or t.startswith("decimal")):
        return r.choice([("abs", None), ("floor", None)] + ([] if t.startswith("decimal") else [("ceil", None)]) +
                        ([("cast", "string")] if t in ("int", "long") else []))
    k = r.random()
    if t in FLOATS:
        return r.choice([("cast", "double"), ("add", f()), ("from", f()), ("times", f()), ("by", f()), ("from", 0.0)])
    if t in ("int", "long") or t.startswith("decimal"):
        p, s = decimal_of(t) if t.startswith("decimal") else (10 if t == "int" else 19, 0)
        c = number()
        cs = -c.as_tuple().exponent
        room = p + len(str(abs(c))) + cs + 2 <= 38
        if k < 0.5 and room:
            return r.choice([("add", c), ("from", c), ("times", c)])
        if k < 0.6:
            return ("from", decimal.Decimal(0))
        if k < 0.75 and p + 2 <= 38:
            return ("cast", "decimal(%d, %d)" % (min(38, p + r.choice([0, 2])), s + r.choice([0, 1, 2])))
        if s == 0:
            return ("cast", r.choice(["int", "long", "double", "float"]))
        return ("cast", "double")
    if t == "date":
        if k < 0.2:
            return ("add", decimal.Decimal(r.choice([1, -1, 30, 365])))
        if k < 0.4:
            return ("cast", r.choice(["timestamp", "timestamp_ns"]))
        return r.choice([("trunc", u) for u in ("day", "week", "month", "quarter", "year")] +
                        [("part", u) for u in ("month", "day", "quarter", "year")])
    if t in ("timestamp", "timestamp_ns"):
        if k < 0.25:
            return ("cast", "date")
        return r.choice([("trunc", u) for u in (*UNITS, "month", "quarter", "year")] +
                        [("part", u) for u in ("month", "day", "quarter", "year", "hour")])
    return None
