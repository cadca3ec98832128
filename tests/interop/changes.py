#!/usr/bin/env python3
"""Commits that take files away: delete, overwrite. After each step the rows are read by the official library, PyIceberg and
DuckDB, and are what the files that should be live hold."""
import json, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from interop import duckdb_connection, ORACLE
from commits import Table
import fastavro


def ids(files):
    return sorted(int(os.path.basename(f)[1:4]) * 100 + k for f in files for k in range(5))


def newest(t):
    name, j = t.metadata()
    return os.path.join(t.folder, "metadata", name), j


class Steps:
    """Metadata files with the rows that they must show; read by all peers in the end."""

    def __init__(self, counts):
        self.counts, self.steps = counts, []

    def note(self, name, t, files):
        path, j = newest(t)
        snapshot = j["snapshots"][-1]
        bad = []
        if t.planned() != sorted(os.path.basename(f) for f in files):
            bad.append("planned %s" % short(t.planned()))
        want = {"total-data-files": str(len(files)), "total-records": str(5 * len(files)),
                "total-files-size": str(sum(os.path.getsize(f) for f in files))}
        got = {k: snapshot["summary"].get(k) for k in want}
        if got != want:
            bad.append("summary %s, not %s" % (got, want))
        self.counts.check(name, "; ".join(bad))
        self.steps.append((name, path, ids(files), j["format-version"]))

    def judge(self):
        from pyiceberg.table import StaticTable
        for name, path, want, _ in self.steps:
            self.counts.equal(name + ": PyIceberg", sorted(StaticTable.from_metadata(path).scan().to_arrow()["id"].to_pylist()), want)
            rows = duckdb_connection().execute("SELECT id FROM iceberg_scan('%s') ORDER BY id" % path).fetchall()
            self.counts.equal(name + ": DuckDB", [r[0] for r in rows], want)
        if not os.path.exists(ORACLE):
            self.counts.skip("rows by the official library", "it is not there")
            return
        p = subprocess.run(["java", "-Xmx1g", "-jar", ORACLE, "dump-live", *(path for _, path, _, _ in self.steps)], capture_output=True,
                           timeout=600)
        answers = {j["path"]: j for j in map(json.loads, p.stdout.decode().splitlines())}
        for name, path, want, _ in self.steps:
            j = answers.get(path, {"error": p.stderr.decode()[-500:]})
            self.counts.equal(name + ": official library", j.get("error") or sorted(r["id"] for r in j["rows"]), want)


def manifest_entries(path):
    _, j = path
    lists = j["snapshots"][-1]["manifest-list"]
    with open(lists, "rb") as f:
        for m in fastavro.reader(f):
            with open(m["manifest_path"], "rb") as g:
                for e in fastavro.reader(g):
                    yield m, e


def tour(counts, steps, folder, version, spec):
    what = "v%d%s" % (version, ", " + spec if spec else "")
    t = Table(folder, version, spec)
    files = [t.file(n, (20000 + 40 * (n % 3),)) for n in range(8)]
    must("append", t.folder, *files[:3])
    must("append", t.folder, *files[3:6])
    _, before = newest(t)
    listed = os.path.join(folder, "list")
    with open(listed, "w") as f:
        f.write(files[1] + "\nfile://" + files[4] + "\n")
    must("delete", t.folder, "--files", "@" + listed)
    live = [files[0], files[2], files[3], files[5]]
    steps.note(what + ": files deleted", t, live)
    _, j = newest(t)
    statuses = sorted((os.path.basename(e["data_file"]["file_path"]), e["status"]) for _, e in manifest_entries(newest(t)))
    counts.equal(what + ": entries", statuses, [("f%03d.parquet" % n, 2 if n in (1, 4) else 0) for n in range(6)])
    if version > 1:
        old = {s["snapshot-id"]: s["sequence-number"] for s in before["snapshots"]}
        bad = [e for _, e in manifest_entries(newest(t)) if e["status"] == 0 and (
            old.get(e["snapshot_id"]) != e["sequence_number"] or e["file_sequence_number"] != e["sequence_number"])]
        bad += [e for _, e in manifest_entries(newest(t)) if e["status"] == 2 and (
            e["snapshot_id"] != j["current-snapshot-id"] or e["sequence_number"] not in (1, 2))]
        counts.equal(what + ": sequence numbers are kept", bad, [])
    must("delete", t.folder, "--where", "id >= 300 AND id < 400")
    live.remove(files[3])
    steps.note(what + ": a filter", t, live)
    must("overwrite", t.folder, "--where", "id < 100", files[6], files[7])
    live = [f for f in live if f != files[0]] + [files[6], files[7]]
    steps.note(what + ": overwrite", t, live)
    counts.equal(what + ": operations", [s["summary"]["operation"] for s in newest(t)[1]["snapshots"]],
                 ["append", "append", "delete", "delete", "overwrite"])
    refused(counts, t, what, files)
    must("delete", t.folder, "--where", "TRUE")
    steps.note(what + ": everything", t, [])
    must("append", t.folder, files[0])
    steps.note(what + ": again", t, [files[0]])
    if version == 3:
        ranges = [(s["first-row-id"], s["added-rows"]) for s in newest(t)[1]["snapshots"]]
        counts.equal(what + ": row ids", [a + n for a, n in ranges[:-1]] + [newest(t)[1]["next-row-id"]],
                     [a for a, _ in ranges[1:]] + [sum(ranges[-1])])


def refused(counts, t, what, files):
    listed = os.path.join(os.path.dirname(t.folder), "list2")
    before = t.files()
    with open(listed, "w") as f:
        f.write(files[1] + "\n")
    for name, args, want in [
            ("rows, not files", ["delete", t.folder, "--where", "id >= 202"], 4), ("a file that is not there", ["delete", t.folder, "--files", "@" + listed], 3),
            ("nothing said", ["delete", t.folder], 2), ("a bad filter", ["delete", t.folder, "--where", "id >"], 2),
            ("nothing matches", ["delete", t.folder, "--where", "id > 100000"], 0),
            ("a dry run", ["delete", t.folder, "--where", "id >= 600 AND id < 700", "--dry-run"], 0),
            ("a dry run that adds", ["overwrite", t.folder, "--where", "id >= 600 AND id < 700", files[1], "--dry-run"], 0)]:
        status, out, err = lakectl(*args)
        counts.equal("%s: %s: exit status" % (what, name), status, want)
        counts.check("%s: %s: the table" % (what, name), t.files() != before and "changed")


def at_once(counts, folder, version):
    """Deletes, overwrites and appends at the same time: all are there in the end."""
    t = Table(folder, version)
    files = [t.file(n) for n in range(12)]
    must("append", t.folder, *files[:6])
    env = {k: v for k, v in os.environ.items() if not k.startswith("LAKE_")}
    jobs, live = [], set(files[:6])
    for n in range(6):
        where = "id >= %d AND id < %d" % (100 * n, 100 * n + 100)
        jobs.append((["delete", t.folder, "--where", where], {files[n]}, set()) if n % 3 == 0 else
                    (["overwrite", t.folder, "--where", where, files[6 + n]], {files[n]}, {files[6 + n]}) if n % 3 == 1 else
                    (["append", t.folder, files[6 + n]], set(), {files[6 + n]}))
    ps = [subprocess.Popen([LAKECTL, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) for args, _, _ in jobs]
    done = 0
    for p, (args, gone, come) in zip(ps, jobs):
        out, err = p.communicate(timeout=120)
        if p.returncode == 0:
            live = (live - gone) | come
            done += 1
        elif p.returncode != 5:
            counts.fail("changes at once, v%d" % version, "exit status %d: %s" % (p.returncode, err.decode()))
    counts.check("changes at once, v%d: %d of 6 succeed" % (version, done), done < 4 and "only %d" % done)
    counts.check("changes at once, v%d: the table" % version, t.whole(live))
    # The same file deleted twice at once: one succeeds, the other finds nothing or meets a conflict.
    last = sorted(live)[0]
    listed = os.path.join(folder, "list")
    with open(listed, "w") as f:
        f.write(last + "\n")
    ps = [subprocess.Popen([LAKECTL, "delete", t.folder, "--files", "@" + listed], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
          for _ in range(3)]
    codes = sorted(p.wait(timeout=120) for p in ps)
    for p in ps:
        p.communicate()
    counts.check("one file deleted three times, v%d" % version, (codes[0] != 0 or any(c not in (3, 5) for c in codes[1:])) and codes)
    counts.check("one file deleted three times, v%d: the table" % version, t.whole(live - {last}))


def main():
    counts = Counts()
    steps = Steps(counts)
    folders = []
    jobs = [lambda f, v=v, s=s: tour(counts, steps, f, v, s) for v in (1, 2, 3) for s in (None, "months(d)")]
    jobs += [lambda f, v=v: at_once(counts, f, v) for v in (1, 2, 3)]
    for n, job in enumerate(jobs):
        folders.append(os.path.realpath(tempfile.mkdtemp(prefix="lake-changes.")))
        try:
            job(folders[-1])
        except (LakectlFailed, OSError, KeyError, ValueError) as e:
            counts.fail("job %d" % n, "%s: %s" % (type(e).__name__, e))
    steps.judge()
    for f in folders:
        shutil.rmtree(f, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
