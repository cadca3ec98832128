#!/usr/bin/env python3
"""`lakectl rebuild-stats`: copies of corpus tables whose recorded statistics were damaged are mended: an audit then finds none of it, what
is no statistic stays as it was (paths, partitions, sequence numbers, row ids, delete files), and the official library reads the same rows
before and after."""
import random, subprocess

from audit_tables import *
import audit
from audit import Damage, TABLES, wrong, brief

counts = Counts(40)
ORACLE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ".cache", "java", "oracle.jar")
STATISTICS = {"column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"}
WITH_DELETES = {"deletes_v2", "deletes_v3", "defaults_v3", "upgrade", "lifecycle"}


def entries_of(copy):
    """What must not change, of all live entries, as one list."""
    out = []
    for content in (0, 1, 2):
        for l, _, e in copy.entries(content):
            d = {k: v for k, v in e["data_file"].items() if k not in STATISTICS and k not in ("block_size_in_bytes", "file_ordinal", "sort_columns",
                                                                                             "distinct_counts", "split_offsets", "file_size_in_bytes")}
            d.setdefault("content", 0)
            for k in [k for k, v in d.items() if v is None or k == "first_row_id"]:
                del d[k]
            # What an entry leaves open is inherited from its line.
            first = copy.version == 1
            sequence = None if first else e["sequence_number"] if e.get("sequence_number") is not None else l["sequence_number"]
            snapshot = e["snapshot_id"] if e.get("snapshot_id") is not None else l["added_snapshot_id"]
            out.append((content, d["file_path"], str(sorted(d.items(), key=str)), sequence, snapshot))
    return sorted(out, key=str)


def row_ids(copy):
    """The first row id of each live data file by the rule of inheritance; None where nothing gives it one."""
    out = {}
    for l, m in zip(copy.list.rows, copy.manifests):
        following = l.get("first_row_id")
        for e in m.rows if not l.get("content", 0) else []:
            own = e["data_file"].get("first_row_id")
            if e["status"] == 2:
                continue
            if own is None and following is not None:
                own, following = following, following + e["data_file"]["record_count"]
            out[e["data_file"]["file_path"]] = own
    return out


def rows(folder, root, name):
    """All rows, by the official library."""
    p = subprocess.run(["java", "-Xmx1g", "-jar", ORACLE, "dump-table", "--root", root, "--metadata", current_metadata(folder)],
                       capture_output=True, timeout=300)
    if p.returncode:
        raise RuntimeError("the Java command ended with status %d: %s" % (p.returncode, p.stderr.decode()[-300:]))
    return json.loads(p.stdout)["rows"]


def damage(copy, rng):
    d = Damage(copy, rng)
    for l, _, e in copy.entries():
        sources = {f["source-id"] for f in copy.specs[l["partition_spec_id"]]}
        leaves = [(i, p, t) for i, (p, t) in copy.leaves().items() if i not in sources or rng.random() < 0.5]
        for field_id, path, t in rng.sample(leaves, min(3, len(leaves))):
            d.one(e, field_id, path, t)
    copy.write()
    return d.want


def one(job):
    name, seed, by_java = job
    copy, rng = Copy(name), random.Random("%s %d" % (name, seed))
    label = "%s %d" % (name, seed)
    base = {(f["kind"], f.get("file"), f.get("column")) for f in wrong(copy.audit()[1])}
    want = damage(copy, rng)
    copy.load()
    before, read = entries_of(copy), rows(copy.folder, copy.root, name) if by_java else None
    ids = row_ids(copy)
    files = {p for p, _, fs in os.walk(copy.folder) for p in [os.path.join(p, f) for f in fs]}
    status, out, err = lakectl(*copy.args(), "rebuild-stats", copy.folder, "--dry-run")
    counts.equal(label + ": a dry run", (status, err.strip()), (0, ""))
    counts.equal(label + ": a dry run leaves no file", {p for p, _, fs in os.walk(copy.folder) for p in [os.path.join(p, f) for f in fs]}, files)
    said = {j["file-path"] for j in map(json.loads, out.splitlines()) if "file-path" in j}
    counts.check(label + ": a dry run names the damaged files", sorted({k[1] for k in want} - said))
    status, out, err = lakectl(*copy.args(), "rebuild-stats", copy.folder)
    counts.equal(label + ": exit status", (status, err.strip()), (0, ""))
    if status:
        return
    copy.metadata_path = current_metadata(copy.folder)
    copy.load()
    status, doc = copy.audit()
    if not isinstance(doc, dict):
        return counts.fail(label, "audit: exit status %d: %s" % (status, doc))
    counts.equal(label + ": what an audit finds", {(f["kind"], f.get("file"), f.get("column")) for f in wrong(doc)}, base)
    counts.check(label + ": loose or missing statistics", brief([f for f in doc["findings"] if f["verdict"] != "wrong"]))
    counts.equal(label + ": what must stay", entries_of(copy), before)
    after = row_ids(copy)
    counts.equal(label + ": row ids", {p: after[p] for p in ids if ids[p] is not None}, {p: i for p, i in ids.items() if i is not None})
    if copy.version > 2:
        taken = sorted((i, i + e["data_file"]["record_count"]) for _, _, e in copy.entries() for i in [after[e["data_file"]["file_path"]]])
        counts.check(label + ": row ids overlap", [a for a, b in zip(taken, taken[1:]) if a[1] > b[0]] or
                     (taken[-1][1] > copy.json["next-row-id"] and "beyond next-row-id"))
    counts.equal(label + ": operation", copy.snapshot["summary"]["operation"], "replace")
    if by_java:
        counts.equal(label + ": rows", (len(read) > 0, rows(copy.folder, copy.root, name)), (True, read))
    again = json.loads(lakectl(*copy.args(), "rebuild-stats", copy.folder)[1])
    counts.equal(label + ": a second time", again["snapshot-id"], None)
    copy.drop()


def choices():
    """--where, --files, --columns and --metrics change what they name and nothing else."""
    copy = Copy("sales_plain")
    damage(copy, random.Random(5))
    copy.load()
    paths = [e["data_file"]["file_path"] for _, _, e in copy.entries()]
    old = {e["data_file"]["file_path"]: {k: e["data_file"][k] for k in STATISTICS} for _, _, e in copy.entries()}
    names = {i: ".".join(p) for i, (p, t) in copy.leaves().items()}
    chosen, column = paths[0], sorted(names)[0]
    with open(os.path.join(copy.root, "list"), "w") as f:
        f.write(chosen + "\n")
    must(*copy.args(), "rebuild-stats", copy.folder, "--files", "@" + f.name, "--columns", names[column], "--metrics", "full")
    copy.metadata_path = current_metadata(copy.folder)
    copy.load()
    bad = []
    for _, _, e in copy.entries():
        d = e["data_file"]
        for k in STATISTICS:
            a, b = ({x["key"]: x["value"] for x in side or []} for side in (old[d["file_path"]][k], d[k]))
            bad += ["%s %s of %d" % (os.path.basename(d["file_path"]), k, i) for i in set(a) | set(b)
                    if a.get(i) != b.get(i) and not (d["file_path"] == chosen and i == column)]
    counts.check("only the chosen file and column", bad)
    for args, code in [(["--files", "@/nowhere"], 3), (["--columns", "nope"], 2), (["--where", "nope = 1"], 2), (["--metrics", "some"], 2),
                       (["--branch", "nope"], 3)]:
        counts.equal("refused: %s" % args, lakectl(*copy.args(), "rebuild-stats", copy.folder, *args)[0], code)
    first = next(iter(copy.entries()))
    first[2]["data_file"]["record_count"] += 1
    copy.write()
    status, _, err = lakectl(*copy.args(), "rebuild-stats", copy.folder)
    counts.equal("other rows than recorded", (status, os.path.basename(first[2]["data_file"]["file_path"]) in err), (4, True))
    copy.drop()


def main():
    java = os.path.exists(ORACLE)
    if not java:
        counts.skip("rows by the official library", "it is not there")
    names = [n for n in TABLES if n not in ("formats",)]
    both(one, [(n, 1, java and (k % 3 == 0 or n in WITH_DELETES)) for k, n in enumerate(names)])
    choices()
    shutil.rmtree(WORK, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
