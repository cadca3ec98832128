#!/usr/bin/env python3
"""`lakectl dump` of every list and manifest of the corpus, and `lakectl inspect` of every table, against what fastavro reads.

  readers.py [TABLE...]"""
import glob, gzip, json, os, sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *
import fastavro
import fastavro.read

fastavro.read.LOGICAL_READERS.clear()          # raw Avro values
GIVEN = os.path.join(CORPUS, "given")
PREFIX = "s3://lake-corpus/"


def local(uri):
    return uri.replace(PREFIX, CORPUS + "/")


def read(path):
    with open(path, "rb") as f:
        r = fastavro.reader(f)
        return r.metadata, list(r)


def plain(v):
    """fastavro's value: bytes as hex; a map that is stored as an array of pairs as an object by key."""
    if isinstance(v, (bytes, bytearray)):
        return v.hex()
    if isinstance(v, list):
        if v and all(isinstance(x, dict) and set(x) == {"key", "value"} for x in v):
            return {str(x["key"]): plain(x["value"]) for x in v}
        return [plain(x) for x in v]
    return {k: plain(x) for k, x in v.items()} if isinstance(v, dict) else v


def same(want, got, at=""):
    """Where they differ, or None; empty maps may be arrays, absent members null, floats of any spelling."""
    if isinstance(want, dict) and isinstance(got, list) and all(isinstance(x, dict) and set(x) == {"key", "value"} for x in got):
        got = {str(x["key"]): x["value"] for x in got}
    if isinstance(want, dict) and isinstance(got, dict):
        for k in sorted(set(want) | set(got)):
            d = same(want.get(k), got.get(k), "%s.%s" % (at, k))
            if d:
                return d
        return None
    if isinstance(want, list) and isinstance(got, (list, dict)):
        if len(want) != len(got):
            return "%s: %d items, not %d" % (at, len(got), len(want))
        return next((d for n, (a, b) in enumerate(zip(want, got)) if (d := same(a, b, "%s[%d]" % (at, n)))), None)
    if isinstance(want, float) and isinstance(got, (float, int, str)):
        return None if str(float(got)) == str(want) else "%s: %s, not %s" % (at, got, want)
    return None if want == got and type(want) is type(got) else "%s: %s, not %s" % (at, short(got, 100), short(want, 100))


def dump(counts, path):
    name = "dump " + os.path.relpath(path, GIVEN)
    header, entries = read(path)
    status, out, err = lakectl("dump", path)
    if status:
        counts.fail(name, "exit status %d: %s" % (status, err.strip()))
        return
    j = json.loads(out)
    got = {k: v if isinstance(v, str) else json.dumps(v) for k, v in j["header"].items()}
    bad = same(plain(entries), j["entries"], "entries")
    for k, v in header.items():
        if not bad and k not in ("avro.schema", "avro.codec", "schema", "partition-spec") and got.get(k) != v:
            bad = "header %s: %s, not %s" % (k, got.get(k), v)
    counts.check(name, bad)


def load_metadata(path):
    with open(path, "rb") as f:
        raw = f.read()
    return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)


def expected(j):
    """Rows of the views, as far as they follow from the files without interpretation."""
    out = {"snapshots": [{"snapshot_id": s["snapshot-id"], "parent_id": s.get("parent-snapshot-id"), "manifest_list": s.get("manifest-list"),
                          "operation": (s.get("summary") or {}).get("operation")} for s in j.get("snapshots") or []]}
    out["history"] = [{"snapshot_id": s["snapshot-id"]} for s in j.get("snapshot-log") or []]
    refs = j.get("refs") or ({"main": {"snapshot-id": j["current-snapshot-id"], "type": "branch"}} if j.get("current-snapshot-id", -1) != -1
                             and j.get("current-snapshot-id") is not None else {})
    out["refs"] = [{"name": k, "snapshot_id": v["snapshot-id"], "type": v["type"].upper()} for k, v in sorted(refs.items())]
    current = next((s for s in j.get("snapshots") or [] if s["snapshot-id"] == j.get("current-snapshot-id")), None)
    out["manifests"], out["entries"], out["files"] = [], [], []
    if current and "manifest-list" in current:
        for m in read(local(current["manifest-list"]))[1]:
            out["manifests"].append({"path": m["manifest_path"], "length": m["manifest_length"], "partition_spec_id": m["partition_spec_id"],
                                     "content": m.get("content", 0), "added_snapshot_id": m["added_snapshot_id"]})
            for e in read(local(m["manifest_path"]))[1]:
                d, inherits = e["data_file"], e["status"] == 1 or m.get("sequence_number", 0) == 0
                seq = e.get("sequence_number")
                out["entries"].append({"status": e["status"], "sequence_number": m.get("sequence_number", 0) if seq is None and inherits else seq,
                                       "snapshot_id": e["snapshot_id"] if e.get("snapshot_id") is not None else m["added_snapshot_id"],
                                       "file_path": d["file_path"]})
                if e["status"] != 2:
                    out["files"].append({"file_path": d["file_path"], "record_count": d["record_count"], "content": d.get("content", 0),
                                         "file_size_in_bytes": d["file_size_in_bytes"], "spec_id": m["partition_spec_id"],
                                         "file_format": d["file_format"].upper()})
    return out


def rows_of(view, rows, want):
    keys = list(want[0]) if want else []
    if view == "entries":
        rows = [dict(r, file_path=r["data_file"]["file_path"]) for r in rows]
    upper = lambda k, v: v.upper() if isinstance(v, str) and k in ("file_format", "type") else v
    return [{k: upper(k, r.get(k)) for k in keys} for r in rows]


def inspect(counts, path):
    name = os.path.relpath(path, GIVEN)
    try:
        want = expected(load_metadata(path))
    except FileNotFoundError:                  # an older metadata file whose snapshots have been expired
        return
    for view, rows in want.items():
        status, out, err = lakectl("inspect", view, path, "--map", MAP, "--format", "json")
        what = "inspect %s %s" % (view, name)
        if status:
            counts.fail(what, "exit status %d: %s" % (status, err.strip()))
            continue
        got = rows_of(view, json.loads(out), rows)
        if view in ("refs", "snapshots"):
            got, rows = (sorted(x, key=lambda r: str(r)) for x in (got, rows))
        counts.check(what, len(json.loads(out)) != len(rows) and "%d rows, not %d" % (len(json.loads(out)), len(rows)) or same(rows, got, view))


def main():
    counts = Counts()
    avro = sorted(p for p in glob.glob(GIVEN + "/*/metadata/*.avro") if not sys.argv[1:] or p.split("/")[-3] in sys.argv[1:])
    both(lambda p: dump(counts, p), avro)
    newest = []
    for folder in sorted(glob.glob(GIVEN + "/*/metadata")):
        if not sys.argv[1:] or folder.split("/")[-2] in sys.argv[1:]:
            names = sorted((n for n in os.listdir(folder) if ".metadata.json" in n), key=lambda n: int(n[1:].split(".")[0]))
            newest += [os.path.join(folder, n) for n in {names[0], names[len(names) // 2], names[-1]}]
    both(lambda p: inspect(counts, p), newest)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
