#!/usr/bin/env python3
"""Commits: many at once, interrupted ones, failing ones; the table stays whole, and no file stays behind that nothing refers to."""
import json, os, random, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
from icevalues import *
from interop import field
import fastavro
import pyarrow.parquet as pq

FIELDS = [field(1, "id", "long", True), field(2, "d", "date"), field(3, "s", "string")]


class Table:
    def __init__(self, folder, version=2, spec=None):
        self.folder, self.inputs = os.path.join(folder, "t"), os.path.join(folder, "in")
        os.makedirs(self.inputs)
        schema = os.path.join(folder, "schema.json")
        with open(schema, "w") as f:
            json.dump({"type": "struct", "schema-id": 0, "fields": FIELDS}, f)
        must("create", self.folder, "--schema", schema, "--format-version", version, *(["--partition-by", spec] if spec else []))
        self.schema = schema

    def file(self, n, days=(20000,)):
        p = os.path.join(self.inputs, "f%03d.parquet" % n)
        rows = [{"id": n * 100 + k, "d": d, "s": "row %d" % k} for k in range(5) for d in days]
        pq.write_table(to_table(FIELDS, rows), p, store_schema=False)
        return p

    def files(self):
        out = {}
        for folder, _, names in os.walk(self.folder):
            for n in names:
                p = os.path.join(folder, n)
                with open(p, "rb") as f:
                    out[os.path.relpath(p, self.folder)] = f.read()
        return out

    def metadata(self):
        names = [n for n in os.listdir(os.path.join(self.folder, "metadata")) if n.endswith(".metadata.json")]
        newest = max(names, key=lambda n: int(n[1:].split(".")[0]))
        with open(os.path.join(self.folder, "metadata", newest)) as f:
            return newest, json.load(f)

    def referred(self):
        """Names in metadata/ that some snapshot of the newest metadata refers to, and the metadata files themselves."""
        newest, j = self.metadata()
        out = {n for n in os.listdir(os.path.join(self.folder, "metadata")) if n.endswith(".metadata.json")} | {"version-hint.text"}
        for s in j.get("snapshots", []):
            lists = s["manifest-list"]
            out.add(os.path.basename(lists))
            with open(lists.replace("file://", ""), "rb") as f:
                out |= {os.path.basename(m["manifest_path"]) for m in fastavro.reader(f)}
        return out

    def planned(self):
        plan = json.loads(must("plan", self.folder, "--format", "json"))
        return sorted(os.path.basename(t["data-file"]["file-path"]) for t in plan.get("file-scan-tasks", []))

    def whole(self, files):
        """What is wrong with the table, if these files are to be in it."""
        newest, j = self.metadata()
        snapshots = j.get("snapshots", [])
        bad = []
        if self.planned() != sorted(os.path.basename(f) for f in files):
            bad.append("planned %s" % short(self.planned()))
        if j["format-version"] > 1 and [s["sequence-number"] for s in snapshots] != list(range(1, len(snapshots) + 1)):
            bad.append("sequence numbers %s" % [s["sequence-number"] for s in snapshots])
        if [s.get("parent-snapshot-id") for s in snapshots] != [None] + [s["snapshot-id"] for s in snapshots][:-1] and snapshots:
            bad.append("parents are no chain")
        if j.get("refs", {}).get("main", {}).get("snapshot-id", j.get("current-snapshot-id")) != j.get("current-snapshot-id"):
            bad.append("main is %s" % j.get("refs"))
        if snapshots and snapshots[-1]["summary"].get("total-data-files") != str(len(files)):
            bad.append("summary %s" % snapshots[-1]["summary"])
        extra = set(os.listdir(os.path.join(self.folder, "metadata"))) - self.referred()
        if extra:
            bad.append("files that nothing refers to: %s" % sorted(extra))
        return "; ".join(bad)


def at_once(counts, folder, version):
    """Eight processes append at the same time."""
    t = Table(folder, version)
    files = [t.file(n) for n in range(8)]
    env = {k: v for k, v in os.environ.items() if not k.startswith("LAKE_")}
    ps = [subprocess.Popen([LAKECTL, "append", t.folder, f], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) for f in files]
    done = []
    for p, f in zip(ps, files):
        out, err = p.communicate(timeout=120)
        if p.returncode == 0:
            done.append(f)
        elif p.returncode != 5:
            counts.fail("append at once, v%d" % version, "exit status %d: %s" % (p.returncode, err.decode()))
    counts.check("appends at once, v%d: %d of 8 succeed" % (version, len(done)), len(done) < 6 and "only %d" % len(done))
    counts.check("appends at once, v%d: the table" % version, t.whole(done))


def failing(counts, folder):
    """What fails leaves everything as it was."""
    t = Table(folder, 2, "months(d)")
    good = t.file(1)
    must("append", t.folder, good)
    torn, text = os.path.join(t.inputs, "torn.parquet"), os.path.join(t.inputs, "text.parquet")
    with open(good, "rb") as f, open(torn, "wb") as g:
        g.write(f.read()[:-20])
    with open(text, "w") as f:
        f.write("no Parquet")
    two_months = t.file(2, (20000, 20100))
    before = t.files()
    manifest = os.path.join(t.folder, "metadata", "m.avro")
    for name, args, want in [
            ("a missing file", ["append", t.folder, t.inputs + "/missing.parquet"], 3), ("a torn file", ["append", t.folder, torn], 4),
            ("no Parquet file", ["append", t.folder, t.file(3), text], 4), ("rows of two partitions", ["append", t.folder, two_months], None),
            ("write-manifest of a torn file", ["write-manifest", "--table", t.folder, "-o", manifest, t.file(4), torn], 4),
            ("commit of a missing manifest", ["commit", t.folder, manifest], 3), ("commit of a data file", ["commit", t.folder, good], 4),
            ("create over a table", ["create", t.folder, "--schema", t.schema], 3),
            ("a dry run", ["append", t.folder, t.file(5), "--dry-run"], 0),
            ("a branch that is no name", ["append", t.folder, t.file(5), "--branch", ""], 2)]:
        status, out, err = lakectl(*args)
        bad = []
        if status != want and not (want is None and status in (2, 4)):
            bad.append("exit status %d, not %s: %s" % (status, want, err))
        if status and (len(err.strip().split("\n")) != 1 or not err.startswith("lakectl: ")):
            bad.append("not one line: %s" % err)
        after = t.files()
        if after != before:
            bad.append("changed: %s" % sorted(k for k in set(after) | set(before) if after.get(k) != before.get(k)))
        counts.check(name, "; ".join(bad))
    counts.check("after failures", t.whole([good]))


def interrupted(counts, folder):
    """Killed or asked to stop at any moment: the table opens, and holds what was reported as done."""
    t = Table(folder, 3)
    r = random.Random(1)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LAKE_")}
    start = time.monotonic()
    must("append", t.folder, t.file(0))
    span = time.monotonic() - start
    done, stopped, other = [t.file(0)], 0, []
    for n in range(1, 25):
        f, sig = t.file(n), [signal.SIGKILL, signal.SIGINT, signal.SIGTERM][n % 3]
        p = subprocess.Popen([LAKECTL, "append", t.folder, f], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        time.sleep(r.random() * span * 1.1)
        p.send_signal(sig)
        out, err = p.communicate(timeout=60)
        now = set(t.planned())
        before = {os.path.basename(x) for x in done}
        if now not in (before, before | {os.path.basename(f)}):
            counts.fail("interrupted %d" % n, "planned %s" % sorted(now))
        elif p.returncode == 0 and now == before:
            counts.fail("interrupted %d" % n, "reported as done, but not in the table")
        elif sig == signal.SIGINT and p.returncode not in (0, 130, -2):  # -2: before its handler was there; a shell says 130, too
            counts.fail("interrupted %d" % n, "exit status %d: %s" % (p.returncode, err.decode()))
        else:
            counts.ok()
        if now != before:
            done.append(f)
        stopped += now == before
    counts.check("append after interruptions", lakectl("append", t.folder, t.file(99))[2])
    counts.equal("files after interruptions", t.planned(), sorted(os.path.basename(f) for f in done + [t.file(99)]))
    print("%d of 24 appends were stopped before their commit" % stopped)


def kept(counts, folder):
    """Members that this version does not know survive a commit; what others wrote into metadata too."""
    t = Table(folder, 2)
    newest, j = t.metadata()
    j["x-unknown"] = {"big": 123456789012345678901234567890, "text": "ä\u0000", "list": [1.10]}
    j["properties"] = dict(j.get("properties") or {}, owner="somebody")
    j["schemas"][0]["x-more"] = [None, True]
    with open(os.path.join(t.folder, "metadata", newest), "w") as f:
        json.dump(j, f)
    must("append", t.folder, t.file(1))
    _, after = t.metadata()
    counts.equal("unknown members", (after.get("x-unknown"), after["schemas"][0].get("x-more"), after["properties"].get("owner")),
                 (j["x-unknown"], [None, True], "somebody"))
    counts.equal("metadata log", [os.path.basename(m["metadata-file"]) for m in after.get("metadata-log", [])], [newest])
    counts.equal("snapshot log", [s["snapshot-id"] for s in after["snapshot-log"]], [after["current-snapshot-id"]])


def main():
    counts = Counts()
    jobs = [lambda c, f: at_once(c, f, 1), lambda c, f: at_once(c, f, 2), lambda c, f: at_once(c, f, 3), failing, interrupted, kept]
    for n, job in enumerate(jobs):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-commits."))
        try:
            job(counts, folder)
        except (LakectlFailed, OSError, KeyError, ValueError) as e:
            counts.fail("job %d" % n, "%s: %s" % (type(e).__name__, e))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
