"""G5, H6, H9, K8 and K9 of TRAPS: what `commit` makes of manifests that others wrote."""
from table import *
from manifests import ROWS, bare, created, newest, parquet, read
import pyarrow as pa


def foreign(name, entries, **options):
    return Table(ROWS).manifest(name, entries, **options)


def line_of(t, path=None):
    """The newest line of the newest list, and its manifest's header and entries."""
    lines = newest(t)[2][2]
    m = next(m for m in lines if m["added_snapshot_id"] == newest(t)[1]["snapshot-id"])
    h, schema, entries = read(bare(m["manifest_path"]))
    return m, h, entries


def rows(folder, n):
    return parquet(folder, "f%d.parquet" % n, [(1, "id", pa.int32()), (2, "s", pa.string())], [(n, "a")])


def run():
    folder, t = created(ROWS, None, 2)
    for n in range(3):
        must("append", t, rows(folder, n))
    older = foreign("older.avro", [file("/d/old.parquet", seq=1, fseq=2), file("/d/new.parquet")])
    before = open(older, "rb").read()
    must("commit", t, older)
    m, h, entries = line_of(t)
    counts.equal("G5 an older number stays, the list knows the smallest", (m["sequence_number"], m["min_sequence_number"], [e["sequence_number"] for e in entries]), (4, 1, [1, None]))
    counts.equal("H11 the manifest is taken as it is", (bare(m["manifest_path"]), open(older, "rb").read()), (older, before))
    got = {e["data_file"]["file_path"]: e["sequence_number"] for e in json.loads(must("inspect", "entries", t, "--format", "json"))}
    counts.equal("G5 numbers as read", (got["/d/old.parquet"], got["/d/new.parquet"]), (1, 4))
    kept_ = must("inspect", "entries", t, "--format", "json")
    for name, words, entries, options in (
            ("H9 an existing entry without a number", ["EXISTING", "sequence number"], [file("/d/e", status=0)], {}),
            ("H9 an existing entry without a snapshot id", ["EXISTING", "snapshot id"], [file("/d/e", status=0, seq=1)], {}),
            ("H9 a deleted entry", ["DELETED"], [file("/d/e", status=2, seq=1, snapshot=5)], {}),
            ("G5 a number beyond the table's", ["sequence number"], [file("/d/e", seq=99)], {}),
            ("H6 deletes under a header without content", ["content"], [file("/d/e", content=1)], {"content": 1, "header": {"content": None}}),
            ("H6 deletes under a header of data", ["content"], [file("/d/e", content=1)], {}),
            ("H6 a spec that the table has not", ["spec 7"], [file("/d/e")], {"header": {"partition-spec-id": "7"}}),
            ("H6 a spec of other fields", ["1000 id"], [file("/d/e")], {"header": {"partition-spec": '[{"source-id":1,"field-id":1000,"name":"id","transform":"identity"}]'}})):
        m = foreign("bad.avro", entries, **options)
        refused(name, ["bad.avro"] + words, "commit", t, m)
    counts.equal("H9 what is refused changes nothing", must("inspect", "entries", t, "--format", "json"), kept_)
    for version in (1, 2, 3):
        for own in (1, 2, 3):
            folder, t = created(ROWS, None, version)
            must("commit", t, foreign("v.avro", [file("/d/v.parquet", snapshot=12345)], version=own))
            m, h, entries = line_of(t)
            name = "H6 a v%d manifest in a v%d table" % (own, version)
            counts.check(name + ": its version", int(h["format-version"]) > version or (own == 1 and version > 1 and h["format-version"] == "1" and m["sequence_number"] > 0))
            snapshot = newest(t)[1]["snapshot-id"]
            counts.check(name + ": the snapshot id of somebody else goes", entries[0]["snapshot_id"] not in ([snapshot] if version == 1 else [None, snapshot]))
            counts.equal(name + ": inherited", [(e["snapshot_id"], e["sequence_number"]) for e in json.loads(must("inspect", "entries", t, "--format", "json"))], [(snapshot, 0 if version == 1 else 1)])
    folder, t = created(ROWS, None, 2)
    must("append", t, rows(folder, 1))
    j = newest(t)[0]
    must("commit", t, foreign("minus.avro", [file("/d/minus.parquet", records=-1)]))
    s = newest(t)[1]["summary"]
    counts.equal("K9 A7 unknown records make the total unknown", (s.get("total-records"), s.get("added-records"), s["total-data-files"]), (None, None, "2"))
    must("append", t, rows(folder, 2))
    s = newest(t)[1]["summary"]
    counts.equal("K9 an unknown total stays unknown", (s.get("total-records"), s["added-records"], s["total-data-files"]), (None, "1", "3"))
    refused("K8 a snapshot id that is taken", [str(j["current-snapshot-id"])], "write-manifest-list", "--table", t, "-o", os.path.join(t, "metadata", "l.avro"),
            "--snapshot-id", j["current-snapshot-id"], foreign("q.avro", [file("/d/q.parquet")]), status=2)
