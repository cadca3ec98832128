"""Parts A, B and C of TRAPS: column bounds and counts, NaN, text bounds, at every level: entries, summaries of manifests,
partition values, full matches. The single-column rows themselves are in tests/planner/test_traps.c."""
from table import *

INF = float("inf")


def one(type, where, want, name, form="where", nulls=0, values=10, nans=None, lower=None, upper=None, records=10, **more):
    """A table with one file `f` of one column x (id 1). want: drop, some or all. nulls, values, nans: None for absent."""
    e = lambda v: None if v is None else {1: v}
    t = Table([(1, "x", type)]).add([file("f", records=records, nulls=e(nulls), values=e(values), nans=e(nans), lower=e(lower), upper=e(upper))])
    kept(name, t, where, {"drop": "", "some": "f", "all": "f*"}[want], form, **more)


def identity(type, where, want, name, part=None, lower=None, upper=None, null=False, nan=None, form="where", **more):
    """The same by a partition value and the summary that goes with it, without column bounds."""
    t = Table([(1, "x", type)], [[(1, 1000, "x", "identity")]])
    t.add([file("f", [part])], partitions=[summary(lower, upper, null, nan)])
    kept(name, t, where, {"drop": "", "some": "f", "all": "f*"}[want], form, **more)


def by_summary(type, where, opened, name, lower=None, upper=None, null=False, nan=None, part=None, **more):
    """Whether a manifest with this summary is opened at all."""
    t = Table([(1, "x", type)], [[(1, 1000, "x", "identity")]]).add([file("f", [part])], partitions=[summary(lower, upper, null, nan)])
    scanned(name, t, where, 1 if opened else 0, **more)


def counts_and_nulls():
    for where, sql in (("NOT LIKE", "x NOT LIKE 'ab%'"), ("<>", "x <> 'ab'"), ("NOT IN", "x NOT IN ('ab', 'zz')")):
        # three-valued: null never matches, so equal bounds are enough; two-valued needs the count
        one("string", sql, "drop", "A4 SQL's null is no match for " + where, nulls=None, values=None, lower=tx("ab"), upper=tx("ab"))
    leaf = lambda type, **m: json.dumps(dict({"type": type, "term": "x"}, **m))
    for type, more in (("not-starts-with", {"value": "ab"}), ("not-eq", {"value": "ab"}), ("not-in", {"values": ["ab", "zz"]})):
        f = leaf(type, **more)
        one("string", f, "some", "A4 unknown count keeps", "filter", nulls=None, values=None, lower=tx("ab"), upper=tx("ab"))
        one("string", f, "some", "A4 a null keeps", "filter", nulls=1, lower=tx("ab"), upper=tx("ab"))
        one("string", f, "drop", "A4 count 0 prunes", "filter", nulls=0, lower=tx("ab"), upper=tx("ab"))
        by_summary("string", f, True, "A4 contains_null keeps the manifest", tx("ab"), tx("ab"), null=True, form="filter")
        by_summary("string", f, False, "A4 no null, one value: manifest pruned", tx("ab"), tx("ab"), form="filter")
    for type, where in (("int", "x <> 5"), ("int", "x NOT IN (5)"), ("int", "NOT (x = 5)"), ("int", "x IS DISTINCT FROM 5")):
        one(type, where, "some" if "DISTINCT" in where else "drop", "A5 nulls beside the one value", nulls=1, lower=i4(5), upper=i4(5))
    for f in (leaf("not-eq", value=5), leaf("not-in", values=[5, 6])):
        one("int", f, "some", "A5 mixed nulls are no full match", "filter", nulls=1, lower=i4(5), upper=i4(5))
        one("int", f, "all", "A5 all null is a full match, two-valued", "filter", nulls=10)
        one("double", f, "some", "A5 mixed NaN is no full match", "filter", nans=1, lower=f8(5), upper=f8(5))
        one("double", f, "all", "A5 all NaN is a full match, two-valued", "filter", nans=10)
    for where in ("x > 0", "x <> 7", "x NOT IN (7, 8)", "x IN (1, 2) OR x > 0", "x IS NOT NULL", "x BETWEEN 0 AND 9"):
        one("int", where, "some", "A6 an unknown null count is not 0", nulls=None, lower=i4(1), upper=i4(2))
    for where in ("x > 0", "x < 9", "x = 1", "x IS NOT NAN", "x IN (1.0)"):
        one("double", where, "some", "A6 an unknown NaN count is not 0", nans=None, lower=f8(1), upper=f8(1))
        one("float", where, "some", "A6 an unknown NaN count is not 0", nans=None, lower=f4(1), upper=f4(1))
        one("double", where, "all", "A6 a NaN count of 0 is a full match", nans=0, lower=f8(1), upper=f8(1))
    for where in ("x > 0", "x = 77", "x IS NULL", "FALSE OR x IS NOT NULL", "x IN (1, 2)", "NOT (x = 1)"):
        one("int", where, "some", "A7 -1 records are unknown", nulls=None, values=None, records=-1)
        one("int", where, "some" if "77" not in where else "drop", "A7 -1 records, all counts -1", nulls=-1, values=-1, records=-1,
            lower=None if "77" not in where else i4(1), upper=None if "77" not in where else i4(2))
        one("int", where, "drop", "A7 no record at all", nulls=None, values=None, records=0)
    one("int", "FALSE", "drop", "A7 FALSE stays FALSE", records=-1)
    one("int", "x IS NULL", "some", "A7 values -1 and no null count", nulls=None, values=-1)
    for null in (6, 9):
        one("int", "x IS NOT NULL", "some", "A15 some nulls", nulls=null)
    one("int", "x IS NOT NULL", "drop", "A15 all null", nulls=10)
    one("int", "x IS NULL", "some", "A15 some nulls, the other way", nulls=6)
    one("int", "x IS NULL", "all", "A15 all null, the other way", nulls=10)
    one("int", "x IS NULL", "drop", "A15 no null", nulls=0)
    by_summary("int", "x IS NOT NULL", True, "A15 contains_null of a manifest", i4(1), i4(2), null=True)
    by_summary("int", "x IS NULL", False, "A15 no null in a manifest", i4(1), i4(2))


def intervals():
    for where in ("x % 8 = 2", "mod(x, 8) = 2", "x * x = 4", "x / 10 = 2", "-x % 7 = 3", "(x + 1) % 8 = 2", "8 % x = 2", "sqrt(x) = 5"):
        one("int", where, "some", "A8 not monotone", lower=i4(0), upper=i4(49))
        one("int", "NOT (%s)" % where, "some", "A8 not monotone", lower=i4(0), upper=i4(49))
    one("int", "abs(x) = 3", "some", "A8 abs over a sign change", lower=i4(-5), upper=i4(2))
    one("int", "x + 2147483647 < 0", "some", "A8 an engine's addition may overflow", lower=i4(0), upper=i4(5))
    one("int", "x * 2 = 6", "some", "A8 products", lower=i4(1), upper=i4(9))
    for f in ("day(x) = 3", "extract(day from x) = 3", "dayofweek(x) = 3", "hour(x) = 3", "month(x) = 3"):
        one("timestamp", f, "some", "A8 periodic parts of a time", lower=i8(1735689600000000), upper=i8(1767225599000000))
    for t, lo, up, where in (("int", i4(2000), i4(0), "x < 500"), ("long", i8(9), i8(0), "x = 5"), ("string", tx("z"), tx("a"), "x = 'k'"),
                             ("double", f8(9), f8(0), "x IN (1.0, 2.0)"), ("decimal(9,2)", "7f", "01", "x > 100"), ("date", i4(9), i4(1), "x > DATE '2020-01-01'"),
                             ("binary", "ff", "00", "x = X'80'"), ("boolean", "01", "00", "x = TRUE")):
        one(t, where, "some", "A9 an inverted pair of bounds is ignored", nans=0, lower=lo, upper=up)
        by_summary(t, where, True, "A9 an inverted pair in a summary is ignored", lo, up)
    two = Table([(1, "x", "int"), (2, "y", "int")], [[(1, 1000, "x", "identity"), (2, 1001, "y", "identity")]])
    two.add([file("f", [5, 5])], partitions=[summary(i4(9), i4(0)), summary(i4(5), i4(5))])
    scanned("A9 other fields still prune", two, "x = 5 AND y = 6", 0)
    scanned("A9 other fields still prune", two, "x = 5 AND y = 5", 1)
    for t, lo, up, where in (("int", i4(30), i4(79), "x IN (5, 104)"), ("string", tx("f"), tx("m"), "x IN ('a', 'z')"),
                             ("date", i4(100), i4(200), "x IN (DATE '1970-01-02', DATE '1990-01-01')"), ("decimal(9,2)", "0bb8", "1edc", "x IN (5, 104.00)"),
                             ("double", f8(4), f8(NAN), "x IN (2.0, 3.0)"), ("double", f8(NAN), f8(4), "x IN (5.0, 6.0)"), ("float", f4(4), f4(NAN), "x IN (2.0, 3.0)")):
        one(t, where, "drop", "A10 no item within both bounds", lower=lo, upper=up)
        by_summary(t, where, False, "A10 no item within both bounds of a summary", lo, up)
    one("double", "x IN (2.0, 5.0)", "some", "A10 a NaN bound is open on its side only", lower=f8(4), upper=f8(NAN))
    for t, v, lit in (("int", i4(5), "5"), ("string", tx("abc"), "'abc'"), ("binary", "00ff", "X'00FF'"), ("date", i4(0), "DATE '1970-01-01'"),
                      ("decimal(9,2)", "01f4", "5"), ("uuid", "00" * 16, "UUID '00000000-0000-0000-0000-000000000000'"), ("boolean", "01", "TRUE")):
        for where in ("x <> %s" % lit, "x NOT IN (%s)" % lit, "NOT (x = %s)" % lit):
            one(t, where, "drop", "A11 one value only", lower=v, upper=v)
            by_summary(t, where, False, "A11 one value only in a manifest", v, v)
    one("double", "x <> 5", "some", "A11 NaN differs from the one value", nans=None, lower=f8(5), upper=f8(5))
    one("double", "x <> 5", "some", "A11 NaN differs from the one value", nans=1, lower=f8(5), upper=f8(5), nan="largest")
    one("double", "x <> 5", "drop", "A11 no NaN", nans=0, lower=f8(5), upper=f8(5))
    by_summary("double", "x <> 5", True, "A11 a manifest that may hold NaN", f8(5), f8(5))
    by_summary("double", "x <> 5", False, "A11 a manifest without NaN", f8(5), f8(5), nan=False)
    by_summary("string", "x NOT LIKE 'ab%'", False, "A11 one prefix only in a manifest", tx("ab1"), tx("ab2"))
    for where in ("NOT (x = 1 AND f(x) = 2)", "NOT (f(x) = 0)", "NOT (x > 9 OR f(x) = 1)", "NOT (NOT (f(x) = 0))", "x = 1 AND NOT f(x)",
                  "(f(x) = 1) IS NOT TRUE", "CASE WHEN f(x) = 1 THEN FALSE ELSE TRUE END"):
        one("int", where, "some", "A12 NOT of what is not known", lower=i4(1), upper=i4(1))
        by_summary("int", where, True, "A12 NOT of what is not known, in a manifest", i4(1), i4(1))
    one("int", "NOT (x = 1 OR f(x) = 2)", "drop", "A12 what is known still decides", lower=i4(1), upper=i4(1))
    for lo, up in (("", ""), ("", tx("b")), (tx("a"), tx("b"))):
        one("string", "x LIKE '%'", "all", "A13 the empty prefix", lower=lo, upper=up)
        one("string", json.dumps({"type": "starts-with", "term": "x", "value": ""}), "all", "A13 the empty prefix", "filter", lower=lo, upper=up)
        by_summary("string", "x LIKE '%'", True, "A13 the empty prefix, in a manifest", lo, up)
    one("string", json.dumps({"type": "not-starts-with", "term": "x", "value": ""}), "drop", "A13 not the empty prefix", "filter", lower="", upper=tx("b"))
    one("string", json.dumps({"type": "not-starts-with", "term": "x", "value": ""}), "some", "A13 not the empty prefix, nulls", "filter", nulls=1, lower="", upper=tx("b"))
    one("string", "x LIKE 'ab%'", "some", "A13 bounds shorter than the prefix", lower="", upper=tx("b"))
    one("string", "x LIKE 'ab%'", "drop", "A13 bounds shorter than the prefix", lower="", upper=tx("a"))


def partition_values():
    for where, want in (("x IN ('a', 'b')", "drop"), ("x NOT IN ('a')", "drop"), ("x = 'a'", "drop"), ("x LIKE 'a%'", "drop"), ("x IS NULL", "all"),
                        ("x NOT LIKE 'a%'", "drop"), ("x < 'b' OR x IS NULL", "all"), ("x IS DISTINCT FROM 'a'", "all")):
        identity("string", where, want, "A14 null partition value", None, null=True)
    for f, want in (({"type": "in", "values": ["a", "b"]}, "drop"), ({"type": "not-in", "values": ["a"]}, "all"), ({"type": "not-eq", "value": "a"}, "all"),
                    ({"type": "not-starts-with", "value": "a"}, "all"), ({"type": "lt", "value": "a"}, "drop")):
        identity("string", json.dumps(dict(f, term="x")), want, "A14 null partition value, two-valued", None, null=True, form="filter")
    t = Table([(1, "p", "int"), (2, "f", "string")], [[(1, 1000, "p", "identity")]])
    t.add([file("one", [1], lower={2: tx("a")}, upper={2: tx("c")}), file("two", [2], lower={2: tx("a")}, upper={2: tx("c")}), file("null", [None])],
          partitions=[summary(i4(1), i4(2), True)])
    where = "(p = 1 AND f = 'a') OR (p = 2 AND f = 'b')"
    kept("A16 values of the partition in OR", t, where, "one two")
    try:
        got = t.plan(where)
        counts.equal("A16 the residual is what is left for this partition", {k: v["sql"].replace('"', "") for k, v in got.items()}, {"one": "f = 'a'", "two": "f = 'b'"})
    except LakectlFailed as e:
        counts.fail("A16 the residual", str(e))
    dec = dict(part=bytes.fromhex("000000006e"), lower="64", upper="78")    # 1.10 between 1.00 and 1.20
    for where, want in (("x >= 1.1", "all"), ("x = 1.100", "all"), ("x > 1.195", "drop"), ("x IN (1.1)", "all"), ("x > 0.050000000000000000", "all"),
                        ("x < 1.1000001", "all"), ("x <> 1.1", "drop"), ("x = 1.105", "drop"), ("x = 110", "drop")):
        identity("decimal(10,2)", where, want, "A17 scale of a literal and a partition value", **dec)
    for where, opened in (("x > 1.195", True), ("x > 1.2", False), ("x < 1.001", True), ("x < 1", False), ("x = 1.000", True), ("x = 0.05", False)):
        by_summary("decimal(10,2)", where, opened, "A17 scale of a literal and a summary", "64", "78")
    big = "99999999999999999999"
    for t, lo, up in (("long", i8(-5), i8(5)), ("int", i4(-5), i4(5))):
        for lit in (big, "-" + big) + (("3000000000", "-3000000000") if t == "int" else ()):
            below = not lit.startswith("-")
            for where, want in (("x < " + lit, below), ("x <= " + lit, below), ("x > " + lit, not below), ("x >= " + lit, not below), ("x = " + lit, False),
                                ("x <> " + lit, True), ("x IN (%s)" % lit, False), ("x NOT IN (%s)" % lit, True)):
                one(t, where, "all" if want else "drop", "A18 a literal beyond the type", lower=lo, upper=up)
                identity(t, where, "all" if want else "drop", "A18 a literal beyond the type of a partition value", 3, lo, up)


def beyond():
    """A18's brothers: literals that the column's type cannot hold, of every type."""
    int_file = dict(lower=i4(-5), upper=i4(5))
    for where, want in (("x = 1.5", "drop"), ("x <> 1.5", "all"), ("x < 5.5", "all"), ("x <= -5.5", "drop"), ("x > -5.000000001", "all"), ("x >= 5.1", "drop"), ("x IN (1.5, 77)", "drop"),
                        ("x NOT IN (1.5)", "all"), ("x < 1e400", "all"), ("x = 1e400", "drop"), ("x > -1e400", "all"), ("x BETWEEN 0.5 AND 0.6", "drop"), ("x < 1e10", "all")):
        one("int", where, want, "A18 a literal between or beyond ints", **int_file)
        by_summary("int", where, want != "drop", "A18 a literal between or beyond ints, in a summary", i4(-5), i4(5))
    for type, b in (("float", f4), ("double", f8)):
        for where, want in (("x < 1e39", "all"), ("x > -1e39", "all"), ("x = 1e39", "drop"), ("x < 1e400", "all"), ("x > 1e400", "drop"), ("x <> 1e400", "all")):
            one(type, where, want, "A18 a literal beyond %s" % type, nans=0, lower=b(-5), upper=b(5))
    one("double", "x = 1e39", "drop", "A18 infinity is not a large number", nans=0, lower=f8(INF), upper=f8(INF))
    for where, want in (("x < 1e10", "all"), ("x = 100000000", "drop"), ("x < 12345678.125", "all"), ("x = 0.333333333333333333333", "drop"), ("x > 0.994999999999999999", "some")):
        one("decimal(4,2)", where, want, "A18 a literal beyond or between decimals", lower="63", upper="78")
    day = dict(lower=i4(19000), upper=i4(19001))
    for where, want in (("x < TIMESTAMP '2022-01-08 12:00:00'", "some"), ("x > TIMESTAMP '2022-01-08 23:59:59.999999'", "some"), ("x > TIMESTAMP '2022-01-09 00:00:00'", "drop"), ("x = TIMESTAMP '2022-01-08 12:00:00'", "drop")):
        one("date", where, want, "A18 a time between dates", **day)
    one("string", "x = 'k' AND x <> 'm'", "all", "A18 text", lower=tx("k"), upper=tx("k"))
    for where in ("x < TIMESTAMP '+294300-01-01 00:00:00'", "x >= TIMESTAMP '-294300-01-01 00:00:00'"):
        one("timestamp", where, "all", "A18 a time beyond the type", lower=i8(0), upper=i8(1))


def residuals():
    """A residual goes to readers that parse each value as one of the column's type."""
    for type, big in (("int", "3000000000"), ("long", "99999999999999999999")):
        t = Table([(1, "x", type)]).add([file("f")])
        values = [1, 2]
        for where, want in (("x IN (1, 2, %s)", {"type": "in", "term": "x", "values": values}), ("x IN (2, -%s)", {"type": "eq", "term": "x", "value": 2}),
                            ("x NOT IN (1, %s)", {"type": "and", "left": {"type": "not-eq", "term": "x", "value": 1}, "right": {"type": "not-null", "term": "x"}}),
                            ("x < %s", {"type": "not-null", "term": "x"}), ("x <> %s", {"type": "not-null", "term": "x"}),
                            ("x NOT IN (%s, -" + big + ")", {"type": "not-null", "term": "x"})):
            a = t.answer(where % big)
            counts.equal("A18 N4 residual of %s for a %s" % (where % big, type), a["files"][0]["residual"] if "files" in a else a, want)


def summaries():
    """Manifest summaries that are no pair of bounds of the right kind."""
    for lo, up in (("2a00000000000000", "2a00000000000000"), ("01", "02"), ("", ""), ("2a000000ff", i4(42))):
        by_summary("int", "x = 30", True, "C10 a summary of the wrong width", lo, up)
        by_summary("date", "x = DATE '2020-01-01'", True, "C10 a summary of the wrong width", lo, None)
    by_summary("long", "x = 42", True, "F11 a summary from before a promotion", i4(42), i4(42))
    by_summary("long", "x = 43", False, "F11 a summary from before a promotion", i4(42), i4(42))
    by_summary("double", "x = 2.5", True, "F11 a summary from before a promotion", f4(1.5), f4(2.5))
    by_summary("double", "x = 2.75", False, "F11 a summary from before a promotion", f4(1.5), f4(2.5), nan=False)
    for partitions in ([], None):
        t = Table([(1, "x", "int")], [[(1, 1000, "x", "identity")]]).add([file("f", [5])], partitions=partitions)
        scanned("A9 a list without the summaries of a spec's fields", t, "x = 6", 1)
        kept("A9 a list without the summaries of a spec's fields", t, "x = 5", "f*")
    t = Table([(1, "x", "int"), (2, "y", "int")], [[(1, 1000, "x", "identity"), (2, 1001, "y", "identity")]])
    t.add([file("f", [5, 6])], partitions=[summary(i4(5), i4(5))])
    scanned("A9 fewer summaries than fields", t, "y = 7", 1)
    scanned("A9 fewer summaries than fields: which is whose?", t, "x = 7", 1)
    t = Table([(1, "x", "int")]).add([file("f")], partitions=[summary(i4(5), i4(5))])
    scanned("A9 summaries of no field", t, "x = 7", 1)
    for name, lo, up, null, opened in (("bounds of nulls alone", None, None, True, False), ("no bounds and no nulls", None, None, False, True), ("a lower bound alone", i4(1), None, False, True),
                                       ("an upper bound alone", None, i4(9), False, True), ("a lower bound alone, above", i4(9), None, False, False)):
        by_summary("int", "x = 5", opened, "A9 " + name, lo, up, null=null)


def not_a_number():
    for t, b in (("double", f8), ("float", f4)):
        for lo, up, where in ((NAN, NAN, "x < 5"), (NAN, NAN, "x > 0"), (NAN, NAN, "x = 3"), (1, NAN, "x > 0"), (1, NAN, "x > 100"), (NAN, 1, "x < -9"), (NAN, NAN, "x IN (1.0)")):
            one(t, where, "some", "B4 a NaN bound is no bound", lower=b(lo), upper=b(up))
            by_summary(t, where, True, "B4 a NaN bound of a summary is no bound", b(lo), b(up))
        one(t, "x < 0", "drop", "B4 the other bound still counts", lower=b(1), upper=b(NAN))
        for where in ("x NOT IN (1.0, 2.0)", "x <> 2", "x > 0", "x < 9", "NOT (x = 2)"):
            one(t, where, "some", "B5 NaN bounds never make a full match", nans=None, lower=b(1), upper=b(NAN))
            one(t, where, "all" if where == "x > 0" else "some", "B5 NaN bounds, and NaN is above all", nans=None, lower=b(1), upper=b(NAN), nan="largest")
        one(t, "x NOT IN (1.0, 2.0)", "some", "B5 a NaN in the file", nans=1, lower=b(1), upper=b(NAN))
        one(t, "x = 1.0", "some", "B7 a NaN may hide behind equal bounds", nans=None, lower=b(1), upper=b(1))
        one(t, "x = 1.0", "some", "B7 a NaN behind equal bounds", nans=1, lower=b(1), upper=b(1))
        one(t, "x = 1.0", "all", "B7 known to have no NaN", nans=0, lower=b(1), upper=b(1))
        one(t, "x > 5", "some", "B7 NaN is above all where the engine says so", nans=1, lower=b(1), upper=b(2), nan="largest")
        one(t, "x > 5", "drop", "B7 NaN is not above all in Iceberg", nans=1, lower=b(1), upper=b(2))
        one(t, "x IS NAN", "drop", "B7 no NaN", nans=0)
        one(t, "x IS NAN", "some", "B7 unknown NaN count", nans=None)
        for lo, up, where in ((-0.0, -0.0, "x = 0.0"), (0.0, 0.0, "x = -0.0"), (0.0, 0.0, "x <= -0.0"), (-0.0, -0.0, "x >= 0.0"), (0.0, 5.0, "x IN (-0.0)")):
            one(t, where, "some" if up else "all", "B signed zeros are equal", nans=0, lower=b(lo), upper=b(up))
            by_summary(t, where, True, "B signed zeros are equal in summaries", b(lo), b(up))
        for v in (INF, -INF):
            one(t, "x > 1e38" if v > 0 else "x < -1e38", "all", "B infinities are values", nans=0, lower=b(v), upper=b(v))
    near = struct.unpack("<f", struct.pack("<f", -122.44))[0]      # -122.44000244…: a double literal lies between it and its neighbour
    above = struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", near))[0] - 1))[0]
    for v, where, want in ((near, "x = -122.44", "some"), (near, "x >= -122.44", "some"), (near, "x <> -122.44", "some"), (near, "x < -122.44", "some"),
                           (near, "x <= -122.44", "all"), (above, "x > -122.44", "all"), (above, "x = -122.44", "drop")):
        one("float", where, want, "B8 a double literal and a float bound", nans=0, lower=f4(v), upper=f4(v))
    t = Table([(1, "x", "double"), (2, "y", "float")], [[(1, 1000, "x", "identity")]])
    t.add([file("f", [NAN], nans={1: 10}, lower={1: f8(NAN), 2: f4(NAN)}, upper={1: f8(NAN), 2: f4(NAN)})], partitions=[summary(f8(NAN), f8(NAN), False, True)])
    t.write()
    for view in ("files", "entries", "manifests", "partitions"):
        for form in ("text", "json"):
            status, out, err = lakectl("inspect", view, t.path, "--format", form)
            counts.check("B6 inspect %s as %s with NaN bounds" % (view, form), status and err)
    kept("B6 a NaN partition value", t, "x IS NAN", "f*")
    kept("B6 a NaN partition value is not below 5", t, "x < 5", "")


def text_order():
    one("string", "x > '\uff61'", "some", "C8 bytes order text, not UTF-16", lower=tx("\uff61"), upper=tx("\U00010002"))
    one("string", "x = '\U00010001'", "some", "C8 bytes order text, not UTF-16", lower=tx("\uff61"), upper=tx("\U00010002"))
    one("string", "x < '\uff61'", "drop", "C8 bytes order text, not UTF-16", lower=tx("\uff61"), upper=tx("\U00010002"))
    by_summary("string", "x = '\U00010001'", True, "C8 bytes order text in summaries", tx("\uff61"), tx("\U00010002"))
    one("string", "x = '360手机助手'", "drop", "C8 text above ASCII", lower=tx("vivo预装"), upper=tx("三星应用商店"))
    one("string", "x = 'xx'", "some", "C8 text above ASCII", lower=tx("vivo预装"), upper=tx("三星应用商店"))
    one("uuid", "x = UUID '80000000-0000-0000-0000-000000000001'", "some", "C8 uuid bytes are unsigned", lower="7f" + "00" * 15, upper="81" + "00" * 15)
    one("binary", "x = X'80'", "some", "C8 binary bytes are unsigned", lower="7f", upper="81")
    one({"type": "fixed[2]"}["type"], "x = X'8000'", "some", "C8 fixed bytes are unsigned", lower="7f00", upper="8100")
    one("int", "x = 42", "some", "C10 an int bound of 8 bytes", lower="2a00000000000000", upper="2a00000000000000")
    one("int", "x = 77", "some", "C10 an int bound of 8 bytes is no bound", lower="2a00000000000000", upper="2a00000000000000")
    one("date", "x = DATE '2024-06-01'", "some", "C10 a date bound of 8 bytes", lower="a34d000000000000", upper="a34d000000000000")
    one("long", "x = 42", "all", "C10 a long bound of 4 bytes is an int promoted", lower=i4(42), upper=i4(42))
    one("long", "x = 43", "drop", "C10 a long bound of 4 bytes is an int promoted", lower=i4(42), upper=i4(42))
    one("double", "x = 1.5", "some", "C10 a double bound of 4 bytes is a float promoted", lower=f4(1.5), upper=f4(1.5))
    wide = (71 * 10 ** 36).to_bytes(16, "big").hex()
    one("decimal(38,38)", "x > 0.5", "all", "C11 decimals of 38 digits", lower=wide, upper=wide)
    one("decimal(38,38)", "x > 0.72", "drop", "C11 decimals of 38 digits", lower=wide, upper=wide)
    one("decimal(38,0)", "x > -99999999999999999999999999999999999998", "some", "C11 the smallest decimal",
        lower=(1 - 10 ** 38).to_bytes(16, "big", signed=True).hex(), upper=(10 ** 38 - 1).to_bytes(16, "big").hex())
    one("decimal(38,38)", "x < 5", "all", "C11 a literal beyond the type", lower=wide, upper=wide)
    one("decimal(38,38)", "x = 5", "drop", "C11 a literal beyond the type", lower=wide, upper=wide)
    identity("decimal(38,38)", "x > 0.5", "all", "C11 a partition value of 38 digits", bytes.fromhex(wide).rjust(16, b"\0"), wide, wide)


def run():
    counts_and_nulls()
    intervals()
    partition_values()
    beyond()
    residuals()
    summaries()
    not_a_number()
    text_order()
