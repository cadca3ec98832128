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


def run():
    paths()
    sequence_numbers()
    vectors()
    scope()
