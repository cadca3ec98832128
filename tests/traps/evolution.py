"""Parts E and F of TRAPS: partition transforms and their projection, several specs, evolved schemas, names, nested columns."""
from table import *

US = 1000000
DAY = 86400 * US


def at(text):
    import datetime
    d = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (d.days * 86400 + d.seconds) * US + d.microseconds


def parts(type, transform, values, **more):
    """A table with a file and a manifest for each partition value, named by it; no column bounds."""
    t = Table([(1, "x", type)], [[(1, 1000, "x_p", transform)]], **more)
    for v in values:
        b = None if v is None else tx(v) if isinstance(v, str) else i8(v) if (type, transform[:8]) == ("long", "truncate") else i4(v)
        t.add([file(str(v), [v], nulls={1: 10 if v is None else 0}, values={1: 10})], partitions=[summary(b, b, v is None)])
    return t


def boundaries():
    for type, q in (("timestamptz", "'%s'"), ("timestamp", "TIMESTAMP '%s 00:00:00'"), ("date", "DATE '%s'")):
        t = parts(type, "month", [660, 661, 662])
        lit = q % "2025-02-01"
        for where, want in (("x < %s", "660*"), ("x <= %s", "660* 661"), ("x = %s", "661"), ("x >= %s", "661* 662*"), ("x > %s", "661 662*"),
                            ("x <> %s", "660* 661 662*"), ("x IN (%s)", "661"), ("NOT (x < %s)", "661* 662*"), ("NOT (x >= %s)", "660*"),
                            ("x BETWEEN %s AND DATE '2025-02-27'" if type == "date" else "x BETWEEN %s AND '2025-02-27'", "661")):
            kept("E5 months, %s" % type, t, where % lit, want)
        for n, unit, v in (("E5 years", "year", [54, 55, 56]), ("E5 days", "day", [20088, 20089, 20090])):
            t2, lit2 = parts(type, unit, v), q % "2025-01-01"
            kept("%s, %s" % (n, type), t2, "x < " + lit2, "%d*" % v[0])
            kept("%s, %s" % (n, type), t2, "x >= " + lit2, "%d* %d*" % (v[1], v[2]))
            kept("%s, %s" % (n, type), t2, "x = " + lit2, ("%d*" if type == "date" and unit == "day" else "%d") % v[1])
    t = parts("timestamp", "hour", [-1, 0, 1])
    kept("E5 hours before 1970", t, "x < TIMESTAMP '1970-01-01 00:00:00'", "-1*")
    kept("E5 hours before 1970", t, "x = TIMESTAMP '1969-12-31 23:59:59.999999'", "-1")
    t = parts("timestamp", "month", [-2, -1, 0])
    kept("E5 months before 1970", t, "x < TIMESTAMP '1970-01-01 00:00:00'", "-2* -1*")
    kept("E5 months before 1970", t, "x > TIMESTAMP '1969-12-31 23:59:59'", "-1 0*")
    t = Table([(1, "type_id", "int"), (2, "ts", "timestamp"), (3, "name", "string")], [[(1, 1000, "type_id", "identity"), (2, 1001, "m", "month")]])
    t.add([file("%d/%d" % (i, m), [i, m], lower={3: tx(lo)}, upper={3: tx(up)}) for i in (36, 37) for m, lo, up in
           ((660, "bar", "foz"), (661, "foobar", "foobar"), (662, "foobas", "z"), (663, "a", "fooba"))], partitions=[summary(i4(36), i4(37)), summary(i4(660), i4(663))])
    kept("E6 two fields and bounds", t, "type_id = 36 AND name = 'foobar'", "36/660 36/661")
    day = parts("timestamp", "day", [18083, 18084, 18085])
    kept("E12 strict days", day, "x > TIMESTAMP '2019-07-07 23:59:59.999999'", "18085*")
    kept("E12 strict days", day, "x > TIMESTAMP '2019-07-07 15:46:00'", "18084 18085*")
    kept("E12 strict days", day, "x <= TIMESTAMP '2019-07-07 23:59:59.999999'", "18083* 18084*")
    kept("E12 strict days", day, "x < TIMESTAMP '2019-07-07 23:59:59.999999'", "18083* 18084")
    try:
        got = {k: v["sql"] for k, v in day.plan("x > TIMESTAMP '2019-07-07 15:46:00'").items()}
        counts.check("E12 the boundary day keeps its residual", not ("15:46" in got["18084"] and got["18085"] in ("TRUE", "")) and str(got))
        got = {k: v["sql"] for k, v in day.plan("x >= TIMESTAMP '2019-07-07 15:46:00'").items()}
        counts.check("E13 >= stays >=", ">=" not in got["18084"] and str(got))
        got = {k: v["residual"] for k, v in day.plan("x >= TIMESTAMP '2019-07-07 15:46:00'").items()}
        counts.check("E13 >= stays >= in JSON", "gt-eq" not in json.dumps(got["18084"]) and str(got))
    except LakectlFailed as e:
        counts.fail("E12 residuals", str(e))
    for type, values in (("int", [1, None]), ("string", ["b", None])):
        t = parts(type, "identity", values)
        for op in ("<", "<=", "=", ">", ">=", "<>"):
            kept("E13 a null partition value", t, "x %s %s" % (op, "5" if type == "int" else "'c'"), "%s*" % values[0] if op in ("<", "<=", "<>") else "")


def wrapping():
    t = parts("int", "truncate[10000]", [2147477296, -2147480000, 0])
    kept("E7 a wrapped value is not positive", t, "x < 0", "2147477296* -2147480000*")
    kept("E7 a wrapped value is not positive", t, "x = -2147483648", "2147477296")
    kept("E7 a wrapped value is not positive", t, "x > 2147477296", "")
    t = parts("long", "truncate[10]", [9223372036854775806, 0])
    kept("E7 a wrapped long", t, "x < 0", "9223372036854775806*")
    kept("E7 a wrapped long", t, "x = -9223372036854775808", "9223372036854775806")
    t = parts("timestamp", "hour", [-2120780968, 0])
    kept("E8 a wrapped hour", t, "x > TIMESTAMP '2020-01-01 00:00:00'", "-2120780968")
    kept("E8 a wrapped hour", t, "x < TIMESTAMP '1960-01-01 00:00:00'", "-2120780968")
    # the same year 250000 as a literal: no hour of it fits 32 bits
    t = parts("timestamp", "hour", [0, 1])
    kept("E8 a literal whose hour does not fit", t, "x < TIMESTAMP '+250000-01-01 00:00:00'", "0* 1*")
    kept("E8 a literal whose hour does not fit", t, json.dumps({"type": "lt", "term": "x", "value": "+250000-01-01T00:00:00"}), "0* 1*", "filter")


def buckets():
    # hashes of Appendix B
    for type, lit, h in (("int", "34", 2017239379), ("long", "34", 2017239379), ("date", "DATE '2017-11-16'", -653330422), ("time", "TIME '22:31:08'", -662762989),
                         ("timestamp", "TIMESTAMP '2017-11-16 22:31:08'", -2047944441), ("timestamp", "TIMESTAMP '2017-11-16 22:31:08.000001'", -1207196810),
                         ("timestamptz", "TIMESTAMP WITH TIME ZONE '2017-11-16 14:31:08-08:00'", -2047944441), ("string", "'iceberg'", 1210000089),
                         ("uuid", "UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", 1488055340), ("binary", "X'00010203'", -188683207), ("decimal(9,2)", "14.20", -500754589)):
        n = (h & 0x7fffffff) % 1000
        t = parts(type, "bucket[1000]", [n, (n + 1) % 1000])
        kept("E9 bucket of %s" % type, t, "x = " + lit, str(n))
        kept("E9 bucket of %s" % type, t, "bucket(1000, x) = %d" % n, "%d*" % n)
        kept("E9 bucket of %s" % type, t, "x <> " + lit, "%d %d*" % (n, (n + 1) % 1000))
    for type, lit in (("timestamp_ns", "TIMESTAMP '2017-11-16 22:31:08.000001001'"), ("timestamptz_ns", "TIMESTAMP WITH TIME ZONE '2017-11-16 22:31:08.000001999+00:00'")):
        n = (-1207196810 & 0x7fffffff) % 1000
        kept("E9 bucket of %s is that of microseconds" % type, parts(type, "bucket[1000]", [n, n + 1], version=3), "x = " + lit, str(n))
    promoted = parts("long", "bucket[1000]", [(2017239379) % 1000, 5])
    kept("E9 an int column promoted to long", promoted, "x = 34", str(2017239379 % 1000))
    before = os.environ.get("TZ")
    for zone in ("Asia/Kolkata", "America/Los_Angeles", "UTC"):
        os.environ["TZ"] = zone
        t = parts("timestamptz", "day", [19722, 19723])
        t.write()
        for where, want in (("x = '2023-12-31T23:30:00+00:00'", ["19722"]), ("x = '2024-01-01T00:00:00+00:00'", ["19723"]), ("x = '2024-01-01T05:00:00+05:30'", ["19722"]),
                            ("x = '2023-12-31 23:59:59'", ["19722"])):
            s, out, err = lakectl("plan", t.path, "--where", where, "--format", "paths")
            counts.equal("E10 %s with TZ=%s" % (where, zone), out.split() or err, want)
    os.environ.pop("TZ")
    os.environ.update({"TZ": before} if before else {})
    t = parts("timestamp", "day", [99, 100, 101])
    kept("E11 a transform as a term", t, "days(x) = 100", "100*")
    kept("E11 a transform as a term", t, "days(x) = DATE '1970-04-11'", "100*")
    kept("E11 a transform as a term, JSON", t, json.dumps({"type": "eq", "term": {"type": "transform", "transform": "day", "term": "x"}, "value": 100}), "100*", "filter")
    kept("E11 a transform as a term, JSON", t, json.dumps({"type": "gt", "term": {"type": "transform", "transform": "day", "term": "x"}, "value": "1970-04-11"}), "101*", "filter")


def several_specs():
    t = Table([(1, "data", "string"), (2, "y", "int")], [[], [(1, 1000, "data", "identity")], [(2, 1001, "y_b", "truncate[10]")]])
    t.add([file("old", [], lower={1: tx("a")}, upper={1: tx("z")})], spec=0, partitions=[])
    t.add([file("a", ["a"]), file("b", ["b"])], spec=1, partitions=[summary(tx("a"), tx("b"))])
    t.add([file("y0", [0]), file("y10", [10])], spec=2, partitions=[summary(i4(0), i4(10))])
    kept("F3 each manifest by its own spec", t, "data = 'b'", "old b* y0 y10")
    kept("E11 a field of a later spec", t, "y < 10", "old a b y0*")
    kept("F3 both", t, "data = 'b' AND y < 5", "old b y0")
    scanned("F3 manifests are pruned by their own spec", t, "data = 'c' AND y > 30", 1)
    try:
        got = {k: v["sql"].replace('"', "") for k, v in t.plan("y < 10").items()}
        counts.equal("E11 old files keep the row predicate", (got["old"], got["a"]), ("y < 10", "y < 10"))
    except LakectlFailed as e:
        counts.fail("E11 residuals", str(e))
    t = Table([(1, "x", "int"), (2, "y", "int")], [[(1, 1000, "z", "zorder[4]"), (2, 1001, "y", "identity")]])
    t.add([file("f", ["q", 1]), file("g", ["r", 2])], partitions=[summary(tx("q"), tx("r")), summary(i4(1), i4(2))])
    kept("E14 an unknown transform says nothing", t, "x = 1", "f g")
    kept("E14 the other field prunes", t, "x = 1 AND y = 2", "g")
    scanned("E14 the other field prunes manifests", t, "y = 3", 0)
    # dropped source columns
    for version, transform in ((1, "void"), (2, "month"), (2, "identity"), (2, "bucket[4]"), (2, "void"), (3, "truncate[4]")):
        t = Table([(2, "y", "int")], [[(1, 1000, "gone", transform), (2, 1001, "y", "identity")], [(2, 1001, "y", "identity")]], version)
        v = None if transform == "void" else "s" if avro_type(transform, None) == "string" else 1
        t.add([file("f", [v, 1]), file("g", [v, 2])], partitions=[summary(null=v is None, lower=v and "00", upper=v and "00"), summary(i4(1), i4(2))])
        kept("F4 %s of a dropped column, v%d" % (transform, version), t, "y = 2", "g*")
        t.write()
        for view in ("partitions", "files", "spec"):
            s, out, err = lakectl("inspect", view, t.path, "--format", "json")
            counts.check("F4 inspect %s with %s of a dropped column" % (view, transform), s and err)
    t = Table([(1, "c", "string"), (2, "y", "int")], [[(1, 1000, "c_b", "bucket[2]")], [(1, 1000, "c_b", "void"), (2, 1001, "y", "identity")]], 1)
    n = (1210000089 & 0x7fffffff) % 2
    t.add([file("in", [n]), file("out", [1 - n])], spec=0, partitions=[summary(i4(0), i4(1))])
    t.add([file("void", [None, 1], lower={1: tx("a")}, upper={1: tx("z")})], spec=1, partitions=[summary(null=True), summary(i4(1), i4(1))])
    kept("F5 void gives no projection", t, "c = 'iceberg'", "in void")
    kept("F5 void gives no projection", t, "c IS NOT NULL", "in* out* void")
    kept("F5 void gives no projection", t, "c IS NULL", "void")
    kept("F5 void gives no projection", t, "c = 'iceberg' AND y = 1", "in void")
    t = Table([(1, "s", "string")], [[(1, 1000, "a_trunc", "truncate[1]")], [(1, 1001, "a_trunc", "truncate[10]")]])
    t.add([file("one", ["a"]), file("oneb", ["b"])], spec=0, partitions=[summary(tx("a"), tx("b"))])
    t.add([file("ten", ["abcdefghij"]), file("tenb", ["b"])], spec=1, partitions=[summary(tx("abcdefghij"), tx("b"))])
    kept("F10 one name, two transforms", t, "s = 'abcdefghijk'", "one ten")
    kept("F10 one name, two transforms", t, "s LIKE 'b%'", "oneb* tenb*")
    t.write()
    s, out, err = lakectl("inspect", "partitions", t.path, "--format", "json")
    counts.check("F10 inspect partitions", s and err or len(json.loads(out)) != 4 and out)


def names():
    ab = {"type": "struct", "fields": [{"id": 3, "name": "B", "type": "int", "required": False}]}
    t = Table([(1, "A.B", "int"), (2, "A", ab)]).add([file("dot", lower={1: i4(1), 3: i4(50)}, upper={1: i4(1), 3: i4(50)})])
    kept("F6 a quoted name with a dot", t, '"A.B" = 1', "dot")
    kept("F6 a quoted name with a dot", t, '"A.B" = 50', "")
    kept("F6 a nested field", t, '"A"."B" = 50', "dot")
    kept("F6 a nested field", t, '"A"."B" = 1', "")
    t = Table([(1, "month", "int"), (2, "id", "int"), (3, "ID", "int")]).add([file("f", nulls={1: 0, 2: 0, 3: 0}, lower={1: i4(11), 2: i4(1), 3: i4(5)}, upper={1: i4(11), 2: i4(1), 3: i4(5)})])
    kept("F7 case does not matter", t, "MONTH = 11", "f*")
    kept("F7 case does not matter", t, "MONTH = 12", "")
    kept("F7 case matters if asked", t, "ID = 5", "f*", sensitive=True)
    kept("F7 case matters if asked", t, "id = 5", "", sensitive=True)
    for where, form, sensitive, word in (("Id = 1", "where", None, "ambiguous"), ("id = 1", "where", None, "ambiguous"), ("MONTH = 11", "where", True, "MONTH"),
                                         ('{"type":"eq","term":"MONTH","value":11}', "filter", None, "MONTH")):
        a = t.answer(where, form, sensitive=sensitive)
        counts.check("F7 %s is refused" % where, not ("error" in a and word in a["message"]) and str(a))
    m = {"type": "map", "key-id": 10, "key": "string", "value-id": 11, "value-required": False, "value": "double"}
    l = {"type": "list", "element-id": 12, "element": "int", "element-required": False}
    address = {"type": "struct", "fields": [{"id": 13, "name": "city", "type": "string", "required": False}]}
    t = Table([(1, "m", m), (2, "l", l), (3, "address", address), (4, "v", "int")]).add(
        [file("f", nulls={4: 0, 10: 0, 11: 10, 12: 0, 13: 10}, values={4: 10, 10: 10, 11: 10, 12: 10, 13: 10})])
    for c in ("m", "l", "address"):
        kept("F8 F9 a %s has no counts of its own" % c, t, "%s IS NULL" % c, "f")
        kept("F8 F9 a %s has no counts of its own" % c, t, "%s IS NOT NULL" % c, "f")
        kept("F8 F9 a %s has no counts of its own" % c, t, "NOT (%s IS NULL)" % c, "f")
    kept("F9 a struct's leaf has counts", t, "address.city IS NOT NULL", "")
    t = Table([(1, "m", m), (3, "address", address)]).add([file("f", nulls={1: 0, 3: 0}, values={1: 10, 3: 10})])
    kept("F8 counts of a map, if some writer has them", t, "m IS NOT NULL", "f*")
    outer = {"type": "struct", "fields": [{"id": 2, "name": "b", "type": address, "required": False}]}
    t = Table([(1, "a", outer)]).add([file("f", nulls={2: 0, 13: 0}, values={2: 6, 13: 6}, lower={13: tx("k")}, upper={13: tx("m")})])
    for c in ("a", "a.b", "a.b.city"):
        kept("F9 4 of 10 rows lack the struct around", t, "%s IS NULL" % c, "f")
        kept("F9 4 of 10 rows lack the struct around", t, "%s IS NOT NULL" % c, "f")
    kept("F9 bounds of a leaf hold all the same", t, "a.b.city = 'a'", "")
    kept("F9 bounds of a leaf hold all the same", t, "a.b.city < 'z'", "f")
    t = Table([(1, "x", "long"), (2, "d", "double"), (3, "e", "decimal(18,2)"), (4, "t", "timestamp")]).add([file("f", lower={1: i4(-5), 2: f4(1.5), 3: "64", 4: i4(19000)}, upper={1: i4(5), 2: f4(2.5), 3: "0078", 4: i4(19000)})])
    for where, want in (("x = -3", "f"), ("x = 6", ""), ("x < 0", "f"), ("d = 2.5", "f"), ("d > 2.5", ""), ("e = 1.1", "f"), ("e > 1.2", ""), ("t > TIMESTAMP '1980-01-01 00:00:00'", "f")):
        kept("F11 bounds written before a promotion", t, where, want)
    t = Table([(1, "x", "long")], [[(1, 1000, "x", "identity")]]).add([file("f", [7])], partitions=[summary(i4(7), i4(7))],
                                                                       change=lambda s: narrow(s))
    kept("F11 a partition value written before a promotion", t, "x = 7", "f*")
    kept("F11 a partition value written before a promotion", t, "x = 8", "")


def narrow(schema):
    """The partition field as it was before int became long."""
    s = json.loads(json.dumps(schema))
    d = s["fields"][-1]["type"]["fields"]
    next(f for f in d if f["name"] == "partition")["type"]["fields"][0]["type"] = ["null", "int"]
    return s


def run():
    boundaries()
    wrapping()
    buckets()
    several_specs()
    names()
