"""Part G of TRAPS: which delete files a plan attaches to which data files."""
from table import *

PATH_ID, POS_ID = 2147483546, 2147483545
COLUMNS = [(1, "id", "int"), (2, "p", "int"), (3, "d", "double")]


def position(name, part=(), lower=None, upper=None, **more):
    """A position delete file; bounds of file_path as text."""
    b = lambda v: None if v is None else {PATH_ID: tx(v)}
    return file(name, part, lower=b(lower), upper=b(upper), content=1, **more)


def equality(name, part=(), ids=(1,), **more):
    return file(name, part, content=2, equality_ids=list(ids), **more)


def vector(name, data, offset, size=40, part=(), **more):
    return file(name, part, content=1, file_format="PUFFIN", referenced_data_file=data, content_offset=offset, content_size_in_bytes=size, **more)


def table(data, gone, version=2, specs=((),), part_spec=0, data_line=None, line=None):
    t = Table(COLUMNS, specs, version)
    t.add(data, spec=part_spec, line=data_line)
    return t.add(gone, content=1, line=dict({"sequence_number": 5, "min_sequence_number": 5}, **(line or {})))


def paths():
    f1, f2, other = "s3://bucket/path/data/f1.parquet", "s3://bucket/path/data/f2.parquet", "s3://bucket/other/f3.parquet"
    data = [file(f) for f in (f1, f2, other)]
    for what, gone in (("G2 bounds cut to 16", position("d", lower="s3://bucket/path", upper="s3://bucket/pati")),
                       ("G2 equal bounds that are a prefix", position("d", lower="s3://bucket/path", upper="s3://bucket/path")),
                       ("G2 a cut upper bound that was not rounded up", position("d", lower="s3://bucket/p", upper="s3://bucket/path/"))):
        deletes(what, table(data, [gone]), {f1: "d", f2: "d", other: ""})
    deletes("G2 equal whole bounds", table(data, [position("d", lower=f1, upper=f1)]), {f1: "d", f2: "", other: ""})
    deletes("G2 a referenced data file", table(data, [position("d", lower="s3://bucket/path", upper="s3://bucket/pati", referenced_data_file=f2)]),
            {f1: "", f2: "d", other: ""})
    every = {f1: "d", f2: "d", other: "d"}
    deletes("G3 inverted bounds", table(data, [position("d", lower="z", upper="a")]), every)
    deletes("G3 a null referenced data file", table(data, [position("d", referenced_data_file=None)]), every)
    deletes("G3 a lower bound alone", table(data, [position("d", lower="s3://bucket/path/data/f2")]), {f1: "", f2: "d", other: ""})
    deletes("G3 an upper bound alone", table(data, [position("d", upper="s3://bucket/other/z")]), {f1: "", f2: "", other: "d"})
    deletes("G8 no bounds", table(data, [position("d")]), every)
    deletes("G8 bounds of pos alone", table(data, [file("d", content=1, lower={POS_ID: i8(0)}, upper={POS_ID: i8(9)})]), every)
    deletes("G8 empty bounds", table(data, [position("d", lower="", upper="")]), every)


def sequence_numbers():
    for status in (0, 1):
        gone = equality("d", status=status, seq=None if status else 5)
        deletes("G4 a delete manifest of status %d alone" % status, table([file("f")], [gone]), {"f": "d"})
    deletes("G4 a deleted delete file is gone", table([file("f")], [equality("d", status=2, seq=5)]), {"f": ""})
    deletes("G4 deleted data files are gone", table([file("f"), file("g", status=2, seq=1)], [position("d")]), {"f": "d"})
    # a compaction of rows of sequence number 1, committed as 7: deletes of 3 still count
    late = {"sequence_number": 7, "min_sequence_number": 1}
    three = {"sequence_number": 3, "min_sequence_number": 3}
    deletes("G5 an added file with an older number keeps it", table([file("f", seq=1, fseq=7)], [equality("d")], data_line=late, line=three), {"f": "d"})
    deletes("G5 an added file without a number inherits", table([file("f")], [equality("d")], data_line=late, line=three), {"f": ""})
    deletes("G5 the number of the data, not of the file", table([file("f", seq=3, fseq=7)], [equality("d"), position("e")], data_line=late, line=three), {"f": "e"})
    deletes("G5 a delete file with an older number", table([file("f", seq=2, fseq=2)], [equality("d", seq=2, fseq=5), position("e", seq=1, fseq=5)]), {"f": ""})
    # version 1 data: number 0, in an upgraded table
    for more in ({}, {"drop": ("sequence_number", "file_sequence_number"), "version": 1}):
        t = Table(COLUMNS).add([file("f", snapshot=1)], line={"sequence_number": 0, "min_sequence_number": 0}, **more)
        t.add([equality("d"), position("e")], content=1, line={"sequence_number": 1, "min_sequence_number": 1})
        deletes("G8 data of sequence number 0, %s" % ("a v1 manifest" if more else "a v2 manifest"), t, {"f": "d e"})
        t = Table(COLUMNS).add([file("f", snapshot=1)], line={"sequence_number": 0, "min_sequence_number": 0}, **more)
        t.add([equality("d", seq=0), position("e", seq=0)], content=1, line={"sequence_number": 0, "min_sequence_number": 0})
        deletes("G8 0 is a number: equality deletes of 0 do not touch it, %s" % ("a v1 manifest" if more else "a v2 manifest"), t, {"f": "e"})


def vectors():
    data = [file("f1"), file("f2"), file("f3")]
    t = table(data, [vector("dv.puffin", "f1", 4, 46), vector("dv.puffin", "f2", 50, 46)], 3)
    deletes("G6 two vectors in one file", t, {"f1": "dv.puffin#4", "f2": "dv.puffin#50", "f3": ""})
    out = json.loads(must("plan", t.path, "--format", "json"))
    got = sorted((d["file-path"], d.get("content-offset"), d.get("content-size-in-bytes"), d.get("referenced-data-file")) for d in out["delete-files"])
    counts.equal("G6 G7 offset and size are those of the manifest", [list(g) for g in got], [["dv.puffin", 4, 46, "f1"], ["dv.puffin", 50, 46, "f2"]])
    deletes("G6 a vector replaces position deletes, not equality deletes", table([file("f1"), file("f2")],
            [vector("dv", "f1", 4), position("p"), equality("e")], 3), {"f1": "dv#4 e", "f2": "e p"})
    deletes("G7 a vector in a file of any name", table(data, [vector("dv.bin", "f1", 0, 34)], 3), {"f1": "dv.bin#0", "f2": "", "f3": ""})
    deletes("G6 a vector older than its data", table([file("f1", seq=6, fseq=6)], [vector("dv", "f1", 4, seq=5)], 3), {"f1": ""})


    two = table(data, [vector("a", "f1", 4), vector("b", "f1", 4), vector("c", "f2", 4)], 3)
    two.write()
    refused("G6 two vectors for one file", ["f1", "two deletion vectors", "a and b"], "plan", two.path)
    deletes("G6 one vector listed twice", table(data, [vector("a", "f1", 4), vector("a", "f1", 4)], 3), {"f1": "a#4", "f2": "", "f3": ""})
    deletes("G6 a vector that a later one replaced", table(data, [vector("a", "f1", 4, seq=3), vector("b", "f1", 4, seq=4), vector("c", "f1", 4, seq=2)], 3),
            {"f1": "b#4", "f2": "", "f3": ""})


def scope():
    specs = [[(2, 1000, "p", "identity")], []]
    t = Table(COLUMNS, specs)
    t.add([file("one", [1]), file("two", [2]), file("null", [None])], partitions=[summary(i4(1), i4(2), True)])
    t.add([file("flat", [])], spec=1, partitions=[])
    line = {"sequence_number": 5, "min_sequence_number": 5}
    t.add([equality("e1", [1]), position("p2", [2]), position("pn", [None])], content=1, line=line, partitions=[summary(i4(1), i4(2), True)])
    t.add([equality("all", []), position("pf", [])], spec=1, content=1, line=line, partitions=[])
    deletes("G scope: partition and spec", t, {"one": "all e1", "two": "all p2", "null": "all pn", "flat": "all pf"})
    deletes("G scope under a filter", t, {"two": "all p2", "flat": "all pf"}, "p = 2")
    deletes("G scope under a filter", t, {"null": "all pn", "flat": "all pf"}, "p IS NULL")
    t = Table(COLUMNS, specs)
    t.add([file("same", [1], seq=5), file("older", [1], seq=4), file("newer", [1], seq=6), file("flat5", [1], seq=5)])
    t.add([equality("e", [1]), position("p", [1])], content=1, line=line)
    deletes("G5 of one number: positions yes, equality no, in a partition", t, {"same": "p", "older": "e p", "newer": "", "flat5": "p"})
    t = Table(COLUMNS, [[(1, 1000, "z", "zorder[4]")]]).add([file("f", ["q"]), file("g", ["r"]), file("null", [None])])
    t.add([position("p", ["q"]), equality("e", ["r"]), position("n", [None])], content=1, line=line)
    deletes("E14 a value of an unknown transform still says which deletes apply", t, {"f": "p", "g": "e", "null": "n"})
    # one partition, written as another Avro type: int before and long after a promotion, decimal as fixed and as bytes
    def as_long(schema):
        s = json.loads(json.dumps(schema))
        next(f for f in s["fields"][-1]["type"]["fields"] if f["name"] == "partition")["type"]["fields"][0]["type"] = ["null", "long"]
        return s
    t = Table([(1, "id", "int"), (2, "p", "long")], specs).add([file("f", [1]), file("g", [2])])
    t.add([position("p", [1])], content=1, line=line, change=as_long)
    t.lists[0]["manifest_path"] = t.manifest("m0.avro", [file("f", [1]), file("g", [2])], change=lambda s: json.loads(json.dumps(as_long(s)).replace('"null", "long"]}]', '"null", "int"]}]')))
    deletes("G scope across a promotion", t, {"f": "p", "g": ""})
    # equality bounds: disjoint ones need not be attached, nulls and NaN of both must be
    data = [file("f", nulls={1: 0}, values={1: 10}, lower={1: i4(1)}, upper={1: i4(9)}), file("nulls", nulls={1: 10}, values={1: 10}), file("unknown")]
    deletes("G equality deletes by bounds", table(data, [equality("in", nulls={1: 0}, values={1: 10}, lower={1: i4(9)}, upper={1: i4(20)}),
                                                       equality("null", nulls={1: 1}, values={1: 10}, lower={1: i4(50)}, upper={1: i4(60)})]),
            {"f": "in", "nulls": "null", "unknown": "in null"})
    deletes("G equality deletes with inverted bounds", table(data, [equality("e", lower={1: i4(60)}, upper={1: i4(50)})]), {"f": "e", "nulls": "e", "unknown": "e"})
    nan = [file("f", nulls={3: 0}, nans={3: 2}, values={3: 10}, lower={3: f8(1)}, upper={3: f8(2)})]
    deletes("G equality deletes of NaN", table(nan, [equality("e", ids=(3,), nulls={3: 0}, nans={3: 1}, values={3: 10}, lower={3: f8(7)}, upper={3: f8(8)})]), {"f": "e"})
    deletes("G equality deletes with NaN bounds", table(nan, [equality("e", ids=(3,), lower={3: f8(NAN)}, upper={3: f8(NAN)})]), {"f": "e"})
    zero = [file("f", nulls={3: 0}, nans={3: 0}, values={3: 10}, lower={3: f8(-0.0)}, upper={3: f8(-0.0)})]
    deletes("G equality deletes of the other zero", table(zero, [equality("e", ids=(3,), nulls={3: 0}, nans={3: 0}, values={3: 10}, lower={3: f8(0.0)}, upper={3: f8(0.0)})]), {"f": "e"})
    deletes("G an equality column that is gone", table([file("f")], [equality("e", ids=(77,))]), {"f": "e"})
    # the predicate must not prune delete files by their own bounds
    t = table([file("f", lower={1: i4(1)}, upper={1: i4(9)})], [equality("e", lower={1: i4(7)}, upper={1: i4(7)}), position("p")])
    deletes("G a filter beside the deletes", t, {"f": "e p"}, "id <= 7")
    refused("G paths would give deleted rows back", ["delete files", "2"], "plan", t.path, "--format", "paths")


def floats():
    """Partition values are equal if their bits are, all NaN alike (spec.md, "Scan Planning", note 3)."""
    other_nan = struct.unpack("<d", struct.pack("<Q", 0xfff8000000000001))[0]
    for kind, type, nan in (("double", "double", other_nan), ("float", "float", -NAN)):
        t = Table([(1, "id", "int"), (2, "x", type)], [[(2, 1000, "x", "identity")]])
        t.add([file("minus", [-0.0]), file("plus", [0.0]), file("nan", [NAN]), file("other nan", [nan]), file("null", [None]), file("inf", [float("inf")])])
        t.add([position("p-", [-0.0]), equality("e+", [0.0]), equality("en", [NAN]), position("pn", [nan]), position("p0", [None])], content=1,
              line={"sequence_number": 5, "min_sequence_number": 5})
        deletes("G scope: zeros and NaN of a %s" % kind, t, {"minus": "p-", "plus": "e+", "nan": "en pn", "other nan": "en pn", "null": "p0", "inf": ""})
        deletes("G scope: zeros of a %s under a filter" % kind, t, {"minus": "p-", "plus": "e+"}, "x = 0")


def transforms():
    """A transform that is not known counts for equality of partitions; one of a column that is gone, too."""
    t = Table([(1, "id", "int"), (2, "x", "int")], [[(2, 1000, "x_z", "zorder[4]"), (2, 1001, "x", "identity")]])
    t.add([file("a", ["one", 1]), file("b", ["two", 1]), file("c", [None, 1])])
    t.add([equality("ea", ["one", 1]), position("pb", ["two", 1]), position("pc", [None, 1]), equality("ex", ["three", 1])], content=1,
          line={"sequence_number": 5, "min_sequence_number": 5})
    deletes("G scope: an unknown transform", t, {"a": "ea", "b": "pb", "c": "pc"})
    for name, values in (("int", (1, 2)), ("double", (1.5, 2.5)), ("string", ("1", "2"))):
        t = Table([(1, "id", "int"), (2, "x", name)], [[(2, 1000, "x", "identity")]])
        t.schema["fields"].pop()                            # no schema is left that has it
        t.add([file("a", values[:1]), file("b", values[1:]), file("n", [None])])
        t.add([equality("ea", values[:1]), position("pb", values[1:]), position("pn", [None])], content=1, line={"sequence_number": 5, "min_sequence_number": 5})
        deletes("G scope: the source column is lost, %s" % name, t, {"a": "ea", "b": "pb", "n": "pn"})
    # only void fields: unpartitioned, so global for equality deletes; position deletes stay in their spec
    t = Table(COLUMNS, [[(2, 1000, "p", "identity")], [(2, 1000, "p", "void")], []])
    t.add([file("one", [1])]).add([file("void", [None])], spec=1).add([file("flat", [])], spec=2)
    line = {"sequence_number": 5, "min_sequence_number": 5}
    t.add([equality("e", [None]), position("p", [None])], spec=1, content=1, line=line)
    t.add([equality("g", []), position("q", [])], spec=2, content=1, line=line)
    deletes("G scope: a spec of void fields is unpartitioned", t, {"one": "e g", "void": "e g p", "flat": "e g q"})


def own_bounds():
    """Delete files fall to the predicate only by their partition and the bounds of their equality columns."""
    data = [file("f", lower={1: i4(1), 2: i4(0)}, upper={1: i4(9), 2: i4(99)})]
    e = equality("e", values={1: 3}, nulls={1: 0}, lower={1: i4(3), 2: i4(50)}, upper={1: i4(5), 2: i4(60)})
    t = table(data, [e, position("p"), equality("two", ids=(1, 2), values={1: 3, 2: 3}, nulls={1: 0, 2: 0}, lower={1: i4(3), 2: i4(50)}, upper={1: i4(5), 2: i4(60)})])
    deletes("G own bounds: none falls", t, {"f": "e p two"}, "id < 4")
    deletes("G own bounds: no deleted row can match", t, {"f": "p"}, "id > 5")
    deletes("G own bounds: further columns of the deleted rows say nothing", t, {"f": "e p"}, "p < 50")
    deletes("G own bounds: both columns must match", t, {"f": "e p"}, "p > 60 AND id = 4")
    deletes("G own bounds: NOT", t, {"f": "p"}, "NOT (id BETWEEN 3 AND 5)")
    deletes("G own bounds: no null among them", t, {"f": "p"}, "id IS NULL")
    n = table([file("f")], [equality("n", records=2, values={1: 2}, nulls={1: 2}), equality("some", values={1: 2}, nulls={1: 1}, lower={1: i4(7)}, upper={1: i4(7)}),
                            equality("unknown", lower={1: i4(7)}, upper={1: i4(7)})])
    deletes("G own bounds: nulls", n, {"f": "n some unknown"}, "id IS NULL")
    deletes("G own bounds: only nulls", n, {"f": "some unknown"}, "id = 7")
    deletes("G own bounds: neither", n, {"f": ""}, "id = 8")
    wrong = table([file("f")], [equality("e", lower={1: i4(5)}, upper={1: i4(3)}), equality("w", lower={1: "03"}, upper={1: "05"})])
    deletes("G own bounds: inverted ones and those of a wrong width say nothing", wrong, {"f": "e w"}, "id > 50")
    x = table([file("f")], [equality("e", ids=(3,), nulls={3: 0}, values={3: 3}, lower={3: f8(1)}, upper={3: f8(2)}),
                            equality("none", ids=(3,), nulls={3: 0}, nans={3: 0}, values={3: 3}, lower={3: f8(1)}, upper={3: f8(2)})])
    deletes("G own bounds: NaN is outside", x, {"f": "e"}, "d IS NAN")
    deletes("G own bounds: zeros", table([file("f")], [equality("e", ids=(3,), nans={3: 0}, lower={3: f8(-0.0)}, upper={3: f8(-0.0)})]), {"f": "e"}, "d = 0.0")
    # the summaries of delete manifests
    specs = [[(2, 1000, "p", "identity")]]
    t = Table(COLUMNS, specs).add([file("one", [1]), file("two", [2])], partitions=[summary(i4(1), i4(2))])
    line = {"sequence_number": 5, "min_sequence_number": 5}
    t.add([equality("e1", [1]), position("p1", [1])], content=1, line=line, partitions=[summary(i4(1), i4(1))])
    t.add([equality("e2", [2])], content=1, line=line, partitions=[summary(i4(2), i4(1))])
    deletes("G own summaries: inverted ones say nothing", t, {"two": "e2"}, "p = 2")
    deletes("G own summaries", t, {"one": "e1 p1"}, "p = 1")


def dropped():
    """Equality deletes on columns that the schema has no more, or that came after the data (spec.md, "Equality Delete Files")."""
    both = [(1, "id", "int"), (2, "p", "int"), (3, "d", "double")]
    t = Table(both)
    old = t.schema
    t.more = {"schemas": [old, {"type": "struct", "schema-id": 1, "fields": old["fields"][:1]}], "current-schema-id": 1}
    t.add([file("in", nulls={2: 0}, values={2: 10}, lower={2: i4(1)}, upper={2: i4(9)}), file("out", nulls={2: 0}, values={2: 10}, lower={2: i4(20)}, upper={2: i4(30)}),
           file("nulls", nulls={2: 10}, values={2: 10}), file("unknown")])
    t.add([equality("e", ids=(2,), nulls={2: 0}, values={2: 1}, lower={2: i4(5)}, upper={2: i4(5)}), equality("n", ids=(2,), records=1, nulls={2: 1}, values={2: 1}),
           equality("gone", ids=(77,), lower={77: i4(5)}, upper={77: i4(5)}), equality("mixed", ids=(77, 2), nulls={2: 0}, values={2: 1}, lower={2: i4(5)}, upper={2: i4(5)})],
          content=1, line={"sequence_number": 5, "min_sequence_number": 5})
    deletes("G a dropped equality column", t, {"in": "e gone mixed", "out": "gone", "nulls": "n gone", "unknown": "e n gone mixed"})
    deletes("G a dropped equality column, under a filter on another", t, {"in": "e gone mixed", "out": "gone", "nulls": "n gone", "unknown": "e n gone mixed"}, "id > 3")
    # a column that came after the data: null there, or its initial default
    for what, default, want in (("null", {}, {"old": "n", "new": "e n d"}), ("its default", {"initial-default": 7, "write-default": 7}, {"old": "d", "new": "e n d"})):
        t = Table([(1, "id", "int")], version=3)
        later = {"id": 2, "name": "p", "type": "int", "required": False, **default}
        snapshot = {"timestamp-ms": 1700000000000, "summary": {"operation": "append"}, "first-row-id": 0, "added-rows": 0}
        t.more = {"schemas": [t.schema, {"type": "struct", "schema-id": 1, "fields": t.schema["fields"] + [later]}], "current-schema-id": 1}
        t.add([file("old", snapshot=7, status=0, seq=1), file("new", snapshot=1, seq=2, fseq=2)])
        t.add([equality("e", ids=(2,), nulls={2: 0}, values={2: 1}, lower={2: i4(5)}, upper={2: i4(5)}), equality("n", ids=(2,), records=1, nulls={2: 1}, values={2: 1}),
               equality("d", ids=(2,), nulls={2: 0}, values={2: 1}, lower={2: i4(7)}, upper={2: i4(7)})], content=1, line={"sequence_number": 5, "min_sequence_number": 5})
        j = t.metadata()
        first = dict(snapshot, **{"snapshot-id": 7, "schema-id": 0, "sequence-number": 1, "manifest-list": j["snapshots"][0]["manifest-list"], "timestamp-ms": 1600000000000})
        t.more["snapshots"] = [first, dict(j["snapshots"][0], **{"schema-id": 1})]
        deletes("G an equality column that came after the data: %s" % what, t, want)


def run():
    paths()
    sequence_numbers()
    vectors()
    scope()
    floats()
    transforms()
    own_bounds()
    dropped()
