"""The kinds of predicates that peer_kinds.py measures: sections of (kind, SQL, filter, more).

filter: the same for the Java library and PyIceberg, which have no SQL of their own (PyIceberg's parser knows a part of these), or None.
more: `duckdb`, `datafusion`, `sql` (both): their spelling; `truth`: DuckDB's spelling of what lakectl means, where that differs;
`largest`: of what it means to those for whom NaN is the largest number, and lakectl is told so. `behind`: peers known to prune more;
`other`: peers of other rules, and which. Columns
are described in peer_kinds.py. What a kind leaves out is what can be said by another of the list."""


def leaf(op):
    return lambda term, *v: dict({"type": op, "term": term}, **({"value": v[0]} if v else {}))


eq, ne, lt, le, gt, ge = map(leaf, ("eq", "not-eq", "lt", "lt-eq", "gt", "gt-eq"))
null, some, nan, number = map(leaf, ("is-null", "not-null", "is-nan", "not-nan"))
starts, starts_not = map(leaf, ("starts-with", "not-starts-with"))


def among(term, *v, **kw):
    return {"type": kw.get("op", "in"), "term": term, "values": list(v)}


def both(a, b, op="and"):
    return {"type": op, "left": a, "right": b}


def either(a, b):
    return both(a, b, "or")


def no(a):
    return {"type": "not", "child": a}


def by(transform, term):
    return {"type": "transform", "transform": transform, "term": term}


MANY = list(range(25, 30)) + list(range(1000, 1995))
KINDS = [
    ("Comparisons", [
        ("=", "i = 55", eq("i", 55)),
        ("constant first", "55 = i", eq("i", 55)),
        ("<>", "q <> 'v4'", ne("q", "v4")),
        ("<>, nulls in the column", "q <> 'v9'", ne("q", "v9")),
        ("<", "i < 25", lt("i", 25)),
        (">=", "i >= 75", ge("i", 75)),
        ("BETWEEN", "i BETWEEN 25 AND 34", both(ge("i", 25), le("i", 34))),
        ("NOT BETWEEN", "i NOT BETWEEN 10 AND 89", either(lt("i", 10), gt("i", 89))),
        ("BETWEEN SYMMETRIC", "i BETWEEN SYMMETRIC 34 AND 25", None, {"truth": "i BETWEEN 25 AND 34"}),
        ("IN", "i IN (5, 57, 203)", among("i", 5, 57, 203)),
        ("IN, values between the files' ranges", "l IN (975, 1975, 8975)", among("l", 975, 1975, 8975)),
        ("IN, 1,000 values", "i IN (%s)" % ", ".join(map(str, MANY)), among("i", *MANY)),
        ("NOT IN", "q NOT IN ('v3', 'v4')", among("q", "v3", "v4", op="not-in")),
        ("NOT IN with NULL", "q NOT IN ('v3', NULL)", None),
        ("IN with NULL", "i IN (55, NULL)", None),
        ("IS DISTINCT FROM", "q IS DISTINCT FROM 'v4'", None),
        ("IS NOT DISTINCT FROM", "q IS NOT DISTINCT FROM 'v4'", None),
        ("IS NOT DISTINCT FROM NULL", "w IS NOT DISTINCT FROM NULL", null("w")),
    ]),
    ("Null and NaN", [
        ("IS NULL", "w IS NULL", null("w")),
        ("IS NOT NULL", "w IS NOT NULL", some("w")),
        ("comparison, files of nulls alone", "w < 100", lt("w", 100)),
        ("comparison with NULL", "i = NULL", None),
        ("IS NAN", "x IS NAN", nan("x"), {"sql": "isnan(x)"}),
        ("IS NOT NAN", "x IS NOT NAN", number("x"), {"sql": "x IS NULL OR NOT isnan(x)"}),
        ("isnan", "isnan(x)", nan("x")),
        ("comparison, NaN in the column", "x > 8.5", gt("x", 8.5), {"truth": "x > 8.5 AND NOT isnan(x)", "largest": "x > 8.5"}),
        ("comparison, NaN in the column", "x < 1.5", lt("x", 1.5), {"largest": "x < 1.5"}),
        ("NOT, NaN in the column", "NOT (x > 0.5)", no(gt("x", 0.5)), {"truth": "NOT (x > 0.5) OR isnan(x)", "largest": "NOT (x > 0.5)"}),
    ]),
    ("Text", [
        ("LIKE 'prefix%'", "s LIKE 'c%'", starts("s", "c")),
        ("LIKE, more behind the prefix", "s LIKE 'c0%5'", None),
        ("LIKE, _ behind the prefix", "s LIKE 'c0_'", None),
        ("LIKE without a wildcard", "s LIKE 'c05'", None),
        ("LIKE with ESCAPE", "q LIKE 'v!4' ESCAPE '!'", None),
        ("LIKE '%x'", "s LIKE '%5'", None),
        ("NOT LIKE 'prefix%'", "q NOT LIKE 'v4%'", starts_not("q", "v4")),
        ("NOT LIKE without a wildcard", "q NOT LIKE 'v4'", None),
        ("ILIKE 'prefix%'", "s ILIKE 'C%'", None),
        ("NOT ILIKE", "q NOT ILIKE 'V4%'", None),
        ("starts_with", "starts_with(s, 'c')", starts("s", "c")),
        ("range", "s >= 'c' AND s < 'd'", both(ge("s", "c"), lt("s", "d"))),
    ]),
    ("Booleans", [
        ("column", "b", eq("b", True)),
        ("NOT column", "NOT b", no(eq("b", True))),
        ("= TRUE", "b = TRUE", eq("b", True)),
        ("<> TRUE", "b <> TRUE", ne("b", True)),
        ("IS TRUE", "b IS TRUE", None),
        ("IS NOT TRUE", "b IS NOT TRUE", None),
        ("IS UNKNOWN", "b IS UNKNOWN", None, {"duckdb": "b IS NULL"}),
        ("below FALSE", "b < FALSE", lt("b", False)),
    ]),
    ("NOT", [
        ("=", "NOT (q = 'v4')", no(eq("q", "v4"))),
        ("<", "NOT (i < 75)", no(lt("i", 75))),
        ("BETWEEN", "NOT (i BETWEEN 10 AND 89)", no(both(ge("i", 10), le("i", 89)))),
        ("IN", "NOT (q IN ('v3', 'v4'))", no(among("q", "v3", "v4"))),
        ("IS NULL", "NOT (w IS NULL)", no(null("w"))),
        ("IS NOT NULL", "NOT (w IS NOT NULL)", no(some("w"))),
        ("LIKE", "NOT (q LIKE 'v4%')", no(starts("q", "v4"))),
        ("OR", "NOT (i < 75 OR s >= 'D')", no(either(lt("i", 75), ge("s", "D")))),
        ("AND", "NOT (i >= 15 AND i <= 88)", no(both(ge("i", 15), le("i", 88)))),
        ("NOT", "NOT (NOT (i = 55))", no(no(eq("i", 55)))),
        ("CASE", "NOT (CASE WHEN i < 85 THEN TRUE ELSE FALSE END)", None),
        ("what is opaque", "NOT (i < 85 OR sin(d) > 2)", None),
    ]),
    ("AND, OR", [
        ("AND of two columns", "i < 35 AND s >= 'c'", both(lt("i", 35), ge("s", "c"))),
        ("OR of two columns", "i = 5 OR q = 'v8'", either(eq("i", 5), eq("q", "v8"))),
        ("OR on one column", "i < 5 OR i > 95", either(lt("i", 5), gt("i", 95))),
        ("OR of equalities on one column", "i = 5 OR i = 57", either(eq("i", 5), eq("i", 57))),
        ("OR with IS NULL", "w > 8 OR w IS NULL", either(gt("w", 8), null("w"))),
        ("two columns that exclude each other", "i = 5 AND q = 'v8'", both(eq("i", 5), eq("q", "v8"))),
        ("contradiction", "i > 50 AND i < 40", both(gt("i", 50), lt("i", 40))),
        ("contradiction of equalities", "i = 5 AND i = 6", both(eq("i", 5), eq("i", 6))),
        ("contradiction inside one file", "i > 54 AND i < 55", both(gt("i", 54), lt("i", 55))),
        ("contradiction with IN", "i IN (5, 55) AND i IN (6, 56)", both(among("i", 5, 55), among("i", 6, 56))),
        ("contradiction with NULL", "w IS NULL AND w = 5", both(null("w"), eq("w", 5))),
        ("OR of contradictions", "(i < 4 AND i > 6) OR (s < 'A' AND s > 'B')",
         either(both(lt("i", 4), gt("i", 6)), both(lt("s", "A"), gt("s", "B")))),
        ("tautology", "w = 5 OR w <> 5", either(eq("w", 5), ne("w", 5))),
        ("nested", "(i < 15 OR i > 85) AND (s < 'D' OR q = 'v1')",
         both(either(lt("i", 15), gt("i", 85)), either(lt("s", "D"), eq("q", "v1")))),
        ("AND with what is opaque", "i = 55 AND sin(d) < 2", None),
        ("OR with what is opaque", "i = 55 OR (i = 65 AND sin(d) < 2)", None),
        ("predicate IS TRUE", "(i > 85) IS TRUE", None),
        ("predicate IS NOT TRUE", "(w > 3) IS NOT TRUE", None),
        ("predicate IS UNKNOWN", "(w > 3) IS UNKNOWN", None, {"duckdb": "(w > 3) IS NULL"}),
    ]),
    ("Choices", [
        ("CASE of predicates", "CASE WHEN i < 50 THEN s = 'c05' ELSE q = 'v8' END", None),
        ("CASE of values, compared", "CASE WHEN i < 50 THEN s ELSE q END = 'v8'", None),
        ("CASE of constants, compared", "CASE WHEN i < 20 THEN 1 WHEN i < 50 THEN 2 ELSE 3 END = 1", None),
        ("CASE without ELSE", "CASE WHEN i < 20 THEN TRUE END", None),
        ("simple CASE", "CASE q WHEN 'v1' THEN 1 WHEN 'v2' THEN 2 END = 2", None),
        ("COALESCE = its constant", "COALESCE(w, 5) = 5", None),
        ("COALESCE, other", "COALESCE(w, 0) > 7", None),
        ("COALESCE of columns", "COALESCE(w, i) = 55", None),
        ("NULLIF IS NULL", "NULLIF(w, 5) IS NULL", None),
        ("NULLIF =", "NULLIF(i, 55) = 56", None),
        ("GREATEST", "greatest(i, 20) > 85", None),
    ]),
    ("Literals of another type or out of range", [
        ("int column, decimal", "i = 55.0", None),
        ("int column, decimal between", "i = 54.5", None),
        ("int column, decimal, >", "i > 84.5", None),
        ("int column, beyond its range, <", "i < 3000000000", lt("i", 3000000000)),
        ("int column, beyond its range, =", "i = 3000000000", eq("i", 3000000000)),
        ("long column, beyond its range, >", "l > 99999999999999999999", None),
        ("double column, int", "d > 8", gt("d", 8)),
        ("decimal column", "n = 5.25", eq("n", "5.25")),
        ("decimal column, more digits", "n > 8.949", None),
        ("decimal column, more digits, =", "n = 5.255", None),
        ("decimal column, int", "n < 2", None),
        ("date column, text", "dt = '2024-06-10'", eq("dt", "2024-06-10")),
        ("date column, DATE", "dt >= DATE '2024-09-10'", ge("dt", "2024-09-10")),
        ("date column, timestamp", "dt < TIMESTAMP '2024-02-10 12:00:00'", None),
        ("timestamp column", "ts = TIMESTAMP '2024-06-10 09:00:00'", eq("ts", "2024-06-10T09:00:00")),
        ("timestamp column, date", "ts >= DATE '2024-10-05'", None),
        ("timestamp column, CAST of text", "ts >= CAST('2024-10-05' AS TIMESTAMP)", ge("ts", "2024-10-05T00:00:00")),
        ("timestamptz column", "tz < TIMESTAMPTZ '2024-02-05 00:00:00+00:00'", lt("tz", "2024-02-05T00:00:00+00:00"),
         {"datafusion": "tz < TIMESTAMP '2024-02-05 00:00:00+00:00'"}),
        ("arithmetic of constants", "i = 50 + 5", None),
    ]),
    ("Casts", [
        ("int to bigint", "CAST(i AS BIGINT) = 55", None),
        ("int to double", "CAST(i AS DOUBLE) > 85.5", None),
        ("int to decimal", "CAST(i AS DECIMAL(12, 2)) = 55.00", None),
        ("::", "i::bigint < 15", None),
        ("timestamp to date", "CAST(ts AS DATE) = DATE '2024-06-10'", None),
        ("date to timestamp", "CAST(dt AS TIMESTAMP) >= TIMESTAMP '2024-09-10 00:00:00'", None),
        ("double to int", "CAST(d AS INT) = 7", None, {"other": {"DataFusion": "rounds down"}}),
        ("int to text", "CAST(i AS VARCHAR) = '55'", None),
        ("long to int", "CAST(l AS INT) < 1500", None),
    ]),
    ("Arithmetic", [
        ("x + c", "i + 10 = 65", None),
        ("x - c", "i - 10 < 5", None),
        ("c - x", "100 - i <= 15", None),
        ("x * c", "i * 2 > 185", None),
        ("-x", "-i > -5", None),
        ("two steps", "(i + 5) * 2 < 30", None),
        ("double / c", "d / 2.0 < 0.4", None),
        ("date + days", "dt + 30 < DATE '2024-02-25'", None),
        ("date + INTERVAL", "dt + INTERVAL '30 days' < TIMESTAMP '2024-02-25 00:00:00'", None),
        ("timestamp - INTERVAL", "ts - INTERVAL '1 day' >= TIMESTAMP '2024-10-05 00:00:00'", None),
        ("x % c", "i % 10 = 3", None),
        ("abs", "abs(i) = 55", None),
        ("two columns", "i + l < 1000", None, {"behind": ["DuckDB, footers"]}),
    ]),
    ("Calendar", [
        ("year", "year(y) = 2020", None, {"datafusion": "date_part('year', y) = 2020"}),
        ("EXTRACT YEAR", "EXTRACT(YEAR FROM y) >= 2022", None),
        ("month", "month(ts) = 6", None, {"datafusion": "date_part('month', ts) = 6"}),
        ("quarter", "quarter(dt) = 2", None, {"datafusion": "date_part('quarter', dt) = 2"}),
        ("day", "day(dd) = 6", None, {"datafusion": "date_part('day', dd) = 6"}),
        ("dayofyear", "dayofyear(dd) = 131", None, {"datafusion": "date_part('doy', dd) = 131"}),
        ("hour", "hour(h) = 6", None, {"datafusion": "date_part('hour', h) = 6"}),
        ("date_part", "date_part('month', ts) = 6", None),
        ("date_trunc, month", "date_trunc('month', ts) = TIMESTAMP '2024-06-01 00:00:00'", None),
        ("date_trunc, a value in the middle", "date_trunc('month', ts) = TIMESTAMP '2024-06-02 00:00:00'", None),
        ("date_trunc, year", "date_trunc('year', y) < DATE '2018-01-01'", None),
        ("DATE()", "DATE(ts) = DATE '2024-06-10'", None, {"duckdb": "CAST(ts AS DATE) = DATE '2024-06-10'"}),
    ]),
    ("Transforms as functions", [
        ("years", "years(y) = 50", eq(by("year", "y"), 50), {"truth": "year(y) = 2020"}),
        ("months", "months(ts) = 653", eq(by("month", "ts"), 653), {"truth": "year(ts) = 2024 AND month(ts) = 6"}),
        ("days", "days(ts) = DATE '2024-06-10'", eq(by("day", "ts"), "2024-06-10"), {"truth": "CAST(ts AS DATE) = DATE '2024-06-10'"}),
        ("hours", "hours(h) < 476355", lt(by("hour", "h"), 476355), {"truth": "epoch(h) < 476355 * 3600"}),
        ("truncate of an int", "truncate(10, i) = 50", eq(by("truncate[10]", "i"), 50), {"truth": "i BETWEEN 50 AND 59"}),
        ("truncate of text", "truncate(1, s) = 'c'", eq(by("truncate[1]", "s"), "c"), {"truth": "s[1] = 'c'"}),
        ("bucket", "bucket(8, l) = 3", eq(by("bucket[8]", "l"), 3), {"truth": "bucket8 = 3"}),
        ("bucket, files of one value", "bucket(8, q) = 3", eq(by("bucket[8]", "q"), 3), {"truth": "bucketq = 3"}),
    ]),
    ("Columns with columns", [
        ("<", "lo < hi", None),
        ("=", "lo = hi", None),
        ("int and double", "i < d", None),
        ("int and long", "i = l", None),
        ("date and timestamp", "dt <= ts", None),
        ("text", "s = q", None),
        ("a column with itself", "w < w", None),
        ("IS DISTINCT FROM", "lo IS NOT DISTINCT FROM hi", None),
    ]),
    ("Structs, lists, rows", [
        ("field, =", "st.a = 55", eq("st.a", 55)),
        ("field, LIKE", "st.t LIKE 'c%'", starts("st.t", "c")),
        ("field IS NULL", "st.a IS NULL", null("st.a")),
        ("struct IS NULL", "st IS NULL", None),
        ("row =", "(i, q) = (55, 'v5')", None),
        ("row IN", "(i, q) IN ((5, 'v0'), (55, 'v5'), (65, 'v5'))", None),
        ("row <", "(i, q) < (15, 'v1')", None),
        ("subscript of a list", "li[1] = 55", None, {"behind": ["DuckDB, footers"]}),
        ("array_has", "array_has(li, 55)", None),
        ("list IS NULL", "li IS NULL", None),
    ]),
    ("Other functions", [
        ("sin", "sin(d) > 2", None),
        ("length", "length(q) = 3", None, {"behind": ["DataFusion"]}),
        ("lower", "lower(s) = 'c05'", None),
        ("upper", "upper(q) = 'V5'", None),
        ("substring", "substring(q, 1, 2) = 'v5'", None),
        ("concatenation", "q || 'x' = 'v5x'", None),
        ("floor", "floor(d) = 7", None),
        ("left", "left(q, 2) = 'v5'", None),
        ("ceil", "ceil(d) = 7", None),
        ("joined in front", "'x' || s < 'xD'", None),
        ("regular expression", "regexp_matches(s, '^c0')", None, {"datafusion": "regexp_like(s, '^c0')"}),
    ]),
]

# The table of the next sections had e added, and p promoted from int to long, after its first five files.
EVOLVED = [
    ("Evolved columns", [
        ("column that is added, =", "e = 7", eq("e", 7)),
        ("column that is added, <>", "e <> 7", ne("e", 7)),
        ("column that is added, IS NULL", "e IS NULL", null("e")),
        ("column that is added, IS NOT NULL", "e IS NOT NULL", some("e")),
        ("promoted column, =", "p = 55", eq("p", 55)),
        ("promoted column, < of a long", "p < 3000000000", lt("p", 3000000000)),
        ("promoted column, > of a long", "p > 3000000000", gt("p", 3000000000)),
    ]),
]

# Tables without bounds, a file for each partition.
PARTITIONS = [
    (("q", "identity"), [
        ("=", "q = 'v5'", eq("q", "v5")),
        ("<>", "q <> 'v5'", ne("q", "v5")),
        ("<", "q < 'v3'", lt("q", "v3")),
        ("IN", "q IN ('v5', 'v7x')", among("q", "v5", "v7x")),
        ("NOT IN", "q NOT IN ('v5', 'v6')", among("q", "v5", "v6", op="not-in")),
        ("LIKE 'prefix%'", "q LIKE 'v5%'", starts("q", "v5")),
        ("LIKE '%x'", "q LIKE '%5'", None),
        ("IS NULL", "q IS NULL", null("q")),
        ("IS NOT NULL", "q IS NOT NULL", some("q")),
        ("upper", "upper(q) = 'V5'", None),
        ("length", "length(q) = 3", None, {"behind": ["DataFusion"]}),
        ("CASE", "CASE q WHEN 'v5' THEN TRUE ELSE FALSE END", None),
        ("partition in OR", "q = 'v5' OR (q = 'v6' AND i = 5)", either(eq("q", "v5"), both(eq("q", "v6"), eq("i", 5)))),
    ]),
    (("y", "year"), [
        ("=", "y = DATE '2020-06-10'", eq("y", "2020-06-10")),
        ("< first day", "y < DATE '2018-01-01'", lt("y", "2018-01-01")),
        (">= last day", "y >= DATE '2022-12-31'", ge("y", "2022-12-31")),
        ("BETWEEN", "y BETWEEN DATE '2017-03-01' AND DATE '2018-03-01'", both(ge("y", "2017-03-01"), le("y", "2018-03-01"))),
        ("years", "years(y) = 50", eq(by("year", "y"), 50), {"truth": "year(y) = 2020"}),
        ("year()", "year(y) = 2020", None),
        ("IS NULL", "y IS NULL", null("y")),
    ]),
    (("ts", "month"), [
        ("=", "ts = TIMESTAMP '2024-06-10 09:00:00'", eq("ts", "2024-06-10T09:00:00")),
        ("< first moment", "ts < TIMESTAMP '2024-03-01 00:00:00'", lt("ts", "2024-03-01T00:00:00")),
        ("<= first moment", "ts <= TIMESTAMP '2024-03-01 00:00:00'", le("ts", "2024-03-01T00:00:00")),
        (">", "ts > TIMESTAMP '2024-09-30 23:59:59'", gt("ts", "2024-09-30T23:59:59")),
        ("IN", "ts IN (TIMESTAMP '2024-06-10 09:00:00', TIMESTAMP '2024-07-10 09:00:00')",
         among("ts", "2024-06-10T09:00:00", "2024-07-10T09:00:00")),
        ("months", "months(ts) = 653", eq(by("month", "ts"), 653), {"truth": "year(ts) = 2024 AND month(ts) = 6"}),
        ("month()", "month(ts) = 6", None),
        ("date_trunc", "date_trunc('month', ts) = TIMESTAMP '2024-06-01 00:00:00'", None),
        ("CAST AS DATE", "CAST(ts AS DATE) = DATE '2024-06-10'", None),
        ("x + c", "ts + INTERVAL '1 day' < TIMESTAMP '2024-02-10 00:00:00'", None),
    ]),
    (("dd", "day"), [
        ("=", "dd = DATE '2024-05-06'", eq("dd", "2024-05-06")),
        (">=", "dd >= DATE '2024-05-08'", ge("dd", "2024-05-08")),
        ("<>", "dd <> DATE '2024-05-08'", ne("dd", "2024-05-08")),
        ("days", "days(dd) = DATE '2024-05-06'", eq(by("day", "dd"), "2024-05-06"), {"truth": "dd = DATE '2024-05-06'"}),
        ("day()", "day(dd) = 6", None),
    ]),
    (("h", "hour"), [
        ("=", "h = TIMESTAMP '2024-05-05 06:03:00'", eq("h", "2024-05-05T06:03:00")),
        ("< full hour", "h < TIMESTAMP '2024-05-05 03:00:00'", lt("h", "2024-05-05T03:00:00")),
        ("hours", "hours(h) < 476355", lt(by("hour", "h"), 476355), {"truth": "epoch(h) < 476355 * 3600"}),
        ("hour()", "hour(h) = 6", None),
    ]),
    (("l", "bucket[8]"), [
        ("=", "l = 5050", eq("l", 5050)),
        ("IN", "l IN (5050, 6050)", among("l", 5050, 6050)),
        ("<", "l < 0", lt("l", 0)),
        ("<>", "l <> 5050", ne("l", 5050)),
        ("bucket", "bucket(8, l) = 3", eq(by("bucket[8]", "l"), 3), {"truth": "bucket8 = 3"}),
        ("bucket IN", "bucket(8, l) IN (3, 5)", among(by("bucket[8]", "l"), 3, 5), {"truth": "bucket8 IN (3, 5)"}),
        ("x + c", "l + 50 = 5100", None),
        ("CAST", "CAST(l AS DECIMAL(20, 0)) = 5050", None),
    ]),
    (("i", "truncate[10]"), [
        ("=", "i = 55", eq("i", 55)),
        ("< lower end", "i < 30", lt("i", 30)),
        ("<= upper end", "i <= 29", le("i", 29)),
        (">", "i > 79", gt("i", 79)),
        ("IN", "i IN (5, 57, 203)", among("i", 5, 57, 203)),
        ("NOT BETWEEN", "i NOT BETWEEN 10 AND 89", either(lt("i", 10), gt("i", 89))),
        ("truncate", "truncate(10, i) = 50", eq(by("truncate[10]", "i"), 50), {"truth": "i BETWEEN 50 AND 59"}),
        ("x + c", "i + 10 = 65", None),
    ]),
    (("s", "truncate[1]"), [
        ("=", "s = 'c05'", eq("s", "c05")),
        ("<", "s < 'C'", lt("s", "C")),
        ("LIKE 'prefix%'", "s LIKE 'c0%'", starts("s", "c0")),
        ("NOT LIKE 'prefix%'", "s NOT LIKE 'c%'", starts_not("s", "c")),
        ("ILIKE 'prefix%'", "s ILIKE 'C0%'", None),
        ("truncate", "truncate(1, s) = 'c'", eq(by("truncate[1]", "s"), "c"), {"truth": "s[1] = 'c'"}),
    ]),
]
