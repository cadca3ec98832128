#!/usr/bin/env python3
"""Plans of directories with `--cache DIR` against plans without, while files come, go and change behind the cache's back.

  caches.py [--seed N] [--rounds N]

A cached footer is never stale: files are replaced by others of the same size, rewritten in place, given back their old times, renamed
over each other, linked elsewhere; damaged, foreign and read-only caches change nothing but the work; many processes share one."""
import json, os, random, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
from support import *
import pyarrow as pa
import pyarrow.parquet as pq


class Folder:
    def __init__(self, r, root):
        self.r, self.root, self.n = r, root, 0
        self.samples = []                                           # bytes of Parquet files, many of the same size
        for n in range(24):
            path = os.path.join(os.path.dirname(root), "sample")
            wide = n % 3 == 0
            columns = {"x": pa.array([n * 10, n * 10 + 5], pa.int64()), "s": ["v%02d" % n, "w%02d" % n]}
            if wide:
                columns["extra"] = pa.array([n, None], pa.int32())
            pq.write_table(pa.table(columns), path)
            with open(path, "rb") as f:
                self.samples.append(f.read())
        for _ in range(12):
            self.new()

    def files(self):
        return sorted(os.path.join(d, f) for d, _, fs in os.walk(self.root) for f in fs)

    def write(self, path, data, old_times=None):
        with open(path, "r+b" if os.path.exists(path) else "wb") as f:     # in place: the same inode
            f.truncate(0)
            f.write(data)
        if old_times:
            os.utime(path, ns=old_times)

    def new(self):
        d = os.path.join(self.root, "k=%d" % self.r.randrange(4))
        os.makedirs(d, exist_ok=True)
        self.n += 1
        self.write(os.path.join(d, "f%d.parquet" % self.n), self.r.choice(self.samples))

    def change(self):
        r, files = self.r, self.files()
        path = r.choice(files)
        st = os.stat(path)
        size = [s for s in self.samples if len(s) == st.st_size]
        data = r.choice(size or self.samples)
        times = (st.st_atime_ns, st.st_mtime_ns)
        kind = r.choice(["new", "in place", "in place, old times", "renamed, old times", "remove", "swap", "link", "nothing", "plain", "touch"])
        if kind == "new":
            self.new()
        elif kind == "in place":
            self.write(path, data)
        elif kind == "in place, old times":
            self.write(path, data, times)
        elif kind == "renamed, old times":
            self.write(path + ".tmp", data, times)
            os.replace(path + ".tmp", path)
        elif kind == "remove" and len(files) > 5:
            os.remove(path)
        elif kind == "swap":
            other = r.choice(files)
            os.rename(path, path + ".tmp")
            if other != path:
                os.rename(other, path)
            os.rename(path + ".tmp", other)
        elif kind == "link":
            target = os.path.join(os.path.dirname(self.root), "target%d" % self.n)
            self.n += 1
            self.write(target, data, times)
            os.remove(path)
            os.symlink(target, path)
        elif kind == "plain":
            self.write(path.replace(".parquet", ".txt"), b"no Parquet file at all")
        elif kind == "touch":
            os.utime(path)
        return kind


TIMES = ("total-duration",)
WHERES = ["x = 45", "x BETWEEN 100 AND 150", "s >= 'v12'", "k = 1 AND x < 100", "extra IS NULL", "s = 'w07' OR x = 35", "TRUE"]


def plan(root, where, *more):
    d = json.loads(must("plan", root, "--where", where, "--format", "json", "--explain", "--stats", *more))
    listing = d["listing"]
    told = {k: listing.pop(k) for k in ("read-footers", "cached-footers")}
    return d, told


def compare(counts, name, root, cache, r):
    where = r.choice(WHERES)
    more = r.choice([[], ["--row-groups"], ["--count"], ["--threads", "1"]])
    try:
        if "--count" in more:
            args = ["plan", root, "--where", where, "--count", "--format", "json"]
            counts.equal(name, must(*args, "--cache", cache), must(*args))
            return None
        plain, _ = plan(root, where, *more)
        cached, told = plan(root, where, "--cache", cache, *more)
        counts.check("%s: %s %s" % (name, where, more), difference(cached, plain))
        return told
    except LakectlFailed as e:
        if "extra" not in where:                                    # no file that is left has the column
            counts.fail(name, str(e))
        return None


def difference(a, b, at=""):
    """Where two documents differ, but for the time that planning took."""
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted(set(a) | set(b)):
            bad = None if k in TIMES else difference(a.get(k), b.get(k), at + "/" + k)
            if bad:
                return bad
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((bad for bad in (difference(x, y, "%s/%d" % (at, n)) for n, (x, y) in enumerate(zip(a, b))) if bad), None)
    return None if a == b else "%s: %s, but without a cache %s" % (at, short(a, 200), short(b, 200))


def changes(counts, seed, rounds, folder):
    r = random.Random(seed)
    f, cache = Folder(r, os.path.join(folder, "data")), os.path.join(folder, "cache")
    known = 0
    for n in range(rounds):
        if n % 6 == 0:
            time.sleep(5.2)                                         # files are old enough to be remembered
            compare(counts, "settled", f.root, cache, r)
        kind = f.change()
        told = compare(counts, "seed %d round %d, %s" % (seed, n, kind), f.root, cache, r)
        known += told["cached-footers"] if told else 0
    counts.check("the cache answers", None if known > rounds else "%d footers were known" % known)
    print("seed %d: %d changes, %d footers known from the cache" % (seed, rounds, known))


def counted(counts, folder):
    """Footers are read once: not again for row groups, nor by the next process, whatever the path is called."""
    r = random.Random(3)
    f, cache = Folder(r, os.path.join(folder, "old")), os.path.join(folder, "cache2")
    n = len(f.files())
    _, told = plan(f.root, "x >= 0", "--cache", cache)
    counts.equal("young files are not remembered", told, {"read-footers": n, "cached-footers": 0})
    _, told = plan(f.root, "x >= 0", "--cache", cache)
    counts.equal("young files are read again", told, {"read-footers": n, "cached-footers": 0})
    time.sleep(5.2)
    plan(f.root, "x >= 0", "--cache", cache)
    for name, args in (("again", [f.root]), ("with a slash", [f.root + "/"]), ("file by file", f.files()),
                       ("from elsewhere", [os.path.relpath(f.root, os.getcwd())]), ("as a URI", ["file://" + f.root])):
        d = json.loads(must("plan", *args, "--where", "x >= 0", "--cache", cache, "--format", "json"))
        counts.equal("footers are known: " + name, d["listing"]["cached-footers"], n)
    d = json.loads(must("cache", "stats", "--cache", cache, "--format", "json"))["kinds"][0]
    counts.equal("entries: one a file, and two schemas", (d["name"], d["entries"], d["leftovers"]), ("footers-v1", n + 2, 0))
    counts.equal("all of it is sound", lakectl("cache", "verify", "--cache", cache)[0], 0)
    # damage
    shards = [os.path.join(cache, "footers-v1", x) for x in os.listdir(os.path.join(cache, "footers-v1"))]
    for n, s in enumerate(shards):
        with open(s, "r+b") as g:
            data = bytearray(g.read())
            if n % 3 == 0:
                data[r.randrange(len(data))] ^= 1 << r.randrange(8)
            elif n % 3 == 1:
                del data[r.randrange(len(data)):]
            else:
                data = bytearray(r.randbytes(len(data)))
            g.seek(0)
            g.truncate()
            g.write(data)
    counts.equal("damage is seen", lakectl("cache", "verify", "--cache", cache)[0], 1)
    for k in range(5):
        compare(counts, "a damaged cache", f.root, cache, r)
    counts.equal("and repaired", plan(f.root, "x >= 0", "--cache", cache)[1]["cached-footers"], len(f.files()))
    # who may write
    os.system("chmod -R a-w '%s'" % cache)
    compare(counts, "a read-only cache", f.root, cache, r)
    os.system("chmod -R u+w '%s'" % cache)
    for name in ("/dev/null/x", f.files()[0], "/proc/none"):
        compare(counts, "a cache that cannot be: " + name, f.root, name, r)
    with open(os.path.join(cache, "other"), "w") as g:
        g.write("somebody else's")
    must("cache", "clear", "--cache", cache)
    counts.equal("clear leaves what is not its own", os.listdir(cache), ["other"])
    counts.equal("nothing is left", must("cache", "stats", "--cache", cache), "nothing is cached\n")


def together(counts, folder):
    """Processes that plan and write at the same time."""
    r = random.Random(4)
    f, cache = Folder(r, os.path.join(folder, "many")), os.path.join(folder, "cache3")
    time.sleep(5.2)
    want = must("plan", f.root, "--where", "x > 20", "--format", "paths")
    for _ in range(4):
        ps = [subprocess.Popen([LAKECTL, "plan", f.root, "--where", "x > 20", "--format", "paths", "--cache", cache],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
        for p in ps:
            out, err = p.communicate()
            counts.equal("many processes" + err.decode(), out.decode(), want)
    counts.equal("what they leave is sound", lakectl("cache", "verify", "--cache", cache)[0], 0)
    counts.equal("and complete", plan(f.root, "x > 20", "--cache", cache)[1]["cached-footers"], len(f.files()))


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(10)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="lake-cache."))
    try:
        counted(counts, folder)
        together(counts, folder)
        changes(counts, option("--seed", 1), option("--rounds", 40), folder)
    finally:
        os.system("chmod -R u+w '%s'" % folder)
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
