#!/usr/bin/env python3
"""Plans of tables with a manifest cache that is torn, damaged, foreign, full, read-only, too small or shared by many processes: they must
be the plans without a cache.

  manifest_cache.py [--seed N] [--rounds N]"""
import json, os, random, re, resource, shutil, subprocess, sys, tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "growth")]
from support import *
import growth

TABLES = ["sales_month", "bucket_numbers", "codecs"]


class Plans:
    def __init__(self, counts):
        self.counts, self.queries, self.plain = counts, [], {}
        for t in TABLES:
            path = os.path.join(CORPUS, "given", t, "cases.ndjson")
            cases = [json.loads(x) for x in open(path, encoding="utf-8")]
            self.queries += [(c["metadata"], c["where"], c["case_sensitive"], c["snapshot_id"]) for c in cases[:: max(1, len(cases) // 12)]]

    def command(self, q, cache, more=()):
        metadata, where, sensitive, snapshot = q
        return [LAKECTL, "plan", metadata, "--map", MAP, "--format", "json", "--cache", cache, "--where", where,
                "--case-sensitive" if sensitive else "--case-insensitive", *(["--snapshot", str(snapshot)] if snapshot is not None else []), *more]

    def clean(self, out):
        return re.sub(rb'"total-duration":\d+', b"", out)

    def run(self, q, cache, more=(), before=None):
        p = subprocess.run(self.command(q, cache, more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)
        return p.returncode, self.clean(p.stdout), p.stderr

    def check(self, name, q, cache, more=(), before=None):
        if q not in self.plain:
            self.plain[q] = self.run(q, "none")
        got = self.run(q, cache, more, before)
        self.counts.check("%s: %s" % (name, q[1][:60]), got != self.plain[q] and "exit status %d: %s" % (got[0], short(got[2].decode())))


def predicate(r, files):
    """Of columns that lie scattered, sorted, or as text over the files of growth.make."""
    def term():
        c, top = r.choice(["id", "seq", "seq", "c6", "day"]), 1000 * files
        v = lambda: r.choice([r.randrange(-1000, top + 1000), r.randrange(files) * 1000, r.randrange(files) * 1000 + 999])
        a, b = sorted((v(), v()))
        return r.choice(["%s = %d" % (c, a), "%s BETWEEN %d AND %d" % (c, a, b), "%s IN (%s)" % (c, ",".join(str(v()) for _ in range(r.randrange(1, 14)))),
                         "%s %s %d" % (c, r.choice(["<", "<=", ">", ">=", "<>"]), a), "%s >= %d AND %s <= %d" % (c, a, c, a + r.randrange(50000)),
                         "%s IS NULL" % c, "NOT (%s > %d)" % (c, b), "name >= 'n%d'" % r.randrange(files), "day < %d" % r.randrange(400)])
    return r.choice(["%s", "%s", "(%s) AND (%s)", "(%s) OR (%s)", "NOT ((%s) AND (%s))"]).replace("%s", "{}").format(term(), term())


def packs(cache):
    d = os.path.join(cache, "manifests-v1")
    return [os.path.join(d, f) for f in sorted(os.listdir(d)) if f.endswith(".pack")] if os.path.isdir(d) else []


def damage(r, path):
    kind = r.choice(["bits", "bits", "bits", "torn", "zeros", "longer", "other"])
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if kind == "bits":
        for _ in range(r.randrange(1, 20)):
            data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    elif kind == "torn":
        del data[r.randrange(len(data)):]
    elif kind == "zeros":
        at = r.randrange(len(data))
        data[at:at + 4096] = bytes(len(data[at:at + 4096]))
    elif kind == "longer":
        data += os.urandom(r.randrange(1, 100))
    else:
        data = bytearray(os.urandom(r.randrange(200)))
    os.unlink(path)                                                # never in place: a mapped file must not shrink
    with open(path, "wb") as f:
        f.write(data)
    return kind


def main():
    seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else random.randrange(1 << 32)
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 40
    r, counts = random.Random(seed), Counts()
    print("seed", seed)
    plans, work = Plans(counts), tempfile.mkdtemp(prefix="lake-manifests-")
    cache = os.path.join(work, "deep", "down", "c")
    some = lambda: r.choice(plans.queries)

    for q in plans.queries:
        plans.check("cold", q, cache)
        plans.check("warm", q, cache)
    counts.check("packs stay few", len(packs(cache)) > 12 and "%d" % len(packs(cache)))

    for n in range(rounds):
        kinds = [damage(r, p) for p in packs(cache) if r.random() < 0.7]
        for _ in range(3):
            plans.check("damaged (%s)" % ", ".join(kinds), some(), cache)
    shutil.rmtree(cache)
    for q in plans.queries:
        plans.check("anew", q, cache)
    status, out, _ = lakectl("cache", "verify", "--cache", cache, "--format", "json")
    kinds = {k["name"]: k for k in json.loads(out)["kinds"]}
    counts.check("verified", (status, kinds["manifests-v1"]["damaged"]) != (0, 0) and out)

    # Bounds side by side, of many entries: what is decided in a loop.
    table, many = growth.make(os.path.join(work, "table"), 3000, 20), os.path.join(work, "many")
    for n in range(max(20, rounds * 2)):
        plans.check("many entries", (table, predicate(r, 3000), False, None), many)

    # Foreign things where packs would be.
    d = os.path.join(cache, "manifests-v1")
    name = os.path.basename(packs(cache)[0])
    os.makedirs(os.path.join(d, name[:17] + "0" * 16 + ".pack"))
    os.symlink("/dev/zero", os.path.join(d, name[:17] + "1" * 16 + ".pack"))
    os.mkfifo(os.path.join(d, name[:17] + "2" * 16 + ".pack"))
    open(os.path.join(d, name[:17] + "3" * 16 + ".pack"), "w").close()
    open(os.path.join(d, "note.txt"), "w").close()
    for _ in range(10):
        plans.check("foreign files", some(), cache)
    counts.check("foreign files stay", not os.path.exists(os.path.join(d, "note.txt")) and "gone")

    # No room, no folder, no right to write.
    for limit in (0, 1000, 8192, 60000):
        full = os.path.join(work, "full%d" % limit)
        for _ in range(4):
            plans.check("a disk of %d bytes" % limit, some(), full,
                        before=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)), __import__("signal").signal(__import__("signal").SIGXFSZ, __import__("signal").SIG_IGN)) if limit else None)
    tiny = os.path.join(work, "tmpfs")
    os.makedirs(tiny)
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", tiny], stderr=subprocess.DEVNULL).returncode == 0:
        for q in plans.queries:
            plans.check("a full file system", q, tiny)
        counts.check("no leftovers", any(f.startswith(".pack") for f in os.listdir(os.path.join(tiny, "manifests-v1"))) and "some")
        subprocess.run(["umount", tiny])
    else:
        counts.skip("a full file system", "cannot mount")
    plans.check("a file for a folder", some(), os.path.join(d, "note.txt"))
    plans.check("under /proc", some(), "/proc/lake-cache")
    os.chmod(d, 0o555)
    for _ in range(5):
        plans.check("read-only", some(), cache)
    os.chmod(d, 0o755)
    for size in ("1", "4K", "64K", "1M"):
        small = os.path.join(work, "size" + size)
        for _ in range(12):
            plans.check("--cache-size " + size, some(), small, ["--cache-size", size])
        used = sum(os.path.getsize(p) for p in packs(small))
        limit = {"1": 1, "4K": 4096, "64K": 65536, "1M": 1 << 20}[size]
        counts.check("--cache-size %s is kept" % size, used > 2 * limit and "%d bytes" % used)

    # Many at once, cold and while files go away.
    shared = os.path.join(work, "shared")
    for n in range(4):
        chosen = [some() for _ in range(8)] if n % 2 else [some()] * 8
        running = [subprocess.Popen(plans.command(q, shared), stdout=subprocess.PIPE) for q in chosen]
        for p in packs(shared)[:2]:
            os.path.exists(p) and os.unlink(p)
        for q, p in zip(chosen, running):
            out = plans.clean(p.communicate()[0])
            plans.plain.setdefault(q, plans.run(q, "none"))
            counts.check("8 at once", out != plans.plain[q][1] and "another plan")
    counts.check("no leftovers of many", any(f.startswith(".pack") for f in os.listdir(os.path.join(shared, "manifests-v1"))) and "some")
    shutil.rmtree(work)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
