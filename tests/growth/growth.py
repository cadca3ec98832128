"""Growth of planning without a clock: allocations, instructions and memory against the number of files, manifests, columns and values.

Tables of any size come from tests/growth/growth.c. Allocations are counted by the library's one door to the heap; instructions by
callgrind in a release build (build/, made when it is not there) over manifests that are not compressed, so that only lakectl's own
work counts, as differences of two sizes; memory is the peak of a process that a small parent started. BUDGET says what was measured
and what is allowed; a test fails at more, so that a slow-down is seen whatever the machine does besides."""
import json, os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import BUILD, ROOT, Counts

GROWTH, TIMED = os.path.join(BUILD, "tests", "growth"), os.path.join(BUILD, "tests", "timed")
RELEASE = os.path.join(ROOT, "build")
TYPES = ("int", "long", "double", "string")
SNAPSHOT = 4242
# Instructions (gcc 12, x86-64, -O3): measured when recorded. 1.25 times as many are allowed.
TOLERANCE = 1.25
BUDGET = {
    "an entry of 20 columns that is read and dropped by a bound": 6765,
    "the same, each further column": 80,
    "an entry that is kept and printed as ndjson": 11086,
    "a manifest that is read (without its entries)": 13183,
    "a manifest that its line in the list drops": 3962,
    "a value of an IN list": 2995,
}
c = Counts()


def field(i, name, kind, required=False):
    return {"id": i, "name": name, "type": kind, "required": required}


def make(folder, files, manifests, columns=20, *codec):
    """A table of version 2, partitioned by day. Returns its metadata file."""
    os.makedirs(folder)
    fields = [field(1, "id", "long"), field(2, "seq", "long"), field(3, "day", "int"), field(4, "name", "string")]
    fields += [field(i, "c%d" % i, TYPES[i % 4]) for i in range(5, columns + 1)]
    metadata = {
        "format-version": 2, "table-uuid": "f7a2d1c4-0000-4000-8000-000000000001", "location": "file://" + folder, "last-sequence-number": 1,
        "last-updated-ms": 1700000000000, "last-column-id": columns, "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}], "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": [{"name": "day", "transform": "identity", "source-id": 3, "field-id": 1000}]}],
        "last-partition-id": 1000, "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}], "properties": {},
        "current-snapshot-id": SNAPSHOT, "refs": {"main": {"type": "branch", "snapshot-id": SNAPSHOT}},
        "snapshots": [{"snapshot-id": SNAPSHOT, "sequence-number": 1, "timestamp-ms": 1700000000000, "schema-id": 0,
                       "summary": {"operation": "append"}, "manifest-list": folder + "/list.avro"}]}
    path = os.path.join(folder, "v1.metadata.json")
    with open(path, "w") as f:
        json.dump(metadata, f)
    subprocess.run([GROWTH, "make", path, folder, str(files), str(manifests), *codec], check=True)
    return path


# Of the files, those with seq in [0, 99,999]: 100, scattered over all manifests.
HUNDRED = "seq >= 500 AND seq <= 99500"


def allocations(table, where):
    out = subprocess.run([GROWTH, "allocations", table, where], capture_output=True, text=True, check=True).stdout
    return [int(x) for x in out.split()]


def test_allocations(tmp):
    """Ten times the entries in as many manifests, as many of them kept: not one allocation more but of blocks that grow."""
    small, large = make(tmp + "/a1", 2000, 4), make(tmp + "/a2", 20000, 4)
    for name, where in (("a bound of numbers", HUNDRED), ("a partition and text", "day < 0 OR (seq <= 99500 AND name >= 'a')")):
        calls1, bytes1, kept1 = allocations(small, where)
        calls2, bytes2, kept2 = allocations(large, where)
        c.equal("files kept by %s" % name, (kept1, kept2), (100, 100))
        c.check("allocations per entry read, %s" % name, calls2 > calls1 + 40 and "%d for 2,000 entries, %d for 20,000" % (calls1, calls2))
    calls, asked, kept = allocations(large, "day = 100")
    c.check("allocations per entry kept", calls > calls1 + 3 * kept and "%d calls for %d entries kept" % (calls, kept))


def release():
    """The release's lakectl, brought up to date; None if it cannot be built."""
    if not os.path.exists(RELEASE + "/build.ninja"):
        subprocess.run(["meson", "setup", RELEASE, ROOT], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    p = subprocess.run(["ninja", "-C", RELEASE, "lakectl"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode:
        c.fail("a release for counting", p.stdout[-1500:])
        return None
    return RELEASE + "/lakectl"


def instructions(lakectl, tmp, table, where=None):
    out = tmp + "/callgrind.out"
    command = [lakectl, "plan", table, "--threads", "1", "--format", "ndjson", *(["--where", where] if where else [])]
    p = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, *command], stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, text=True)
    m = re.search(r"Collected : (\d+)", p.stderr)
    if p.returncode or not m:
        raise RuntimeError("callgrind: %s" % p.stderr[-500:])
    return int(m[1])


def test_instructions(lakectl, tmp):
    def count(name, where=None):
        return instructions(lakectl, tmp, tables[name], where)
    tables = {"small": make(tmp + "/i1", 1000, 4), "large": make(tmp + "/i2", 5000, 4), "wide1": make(tmp + "/i3", 1000, 4, 120),
              "wide2": make(tmp + "/i4", 5000, 4, 120), "parts": make(tmp + "/i5", 5000, 104)}
    none = "seq = -1 AND day >= 0"
    values = lambda n: "seq IN (%s)" % ", ".join(str(-1 - k) for k in range(n)) + " AND day >= 0"
    base, large = count("small", none), count("large", none)
    entry = (large - base) / 4000
    everything = (count("large") - count("small")) / 4000
    measured = {
        "an entry of 20 columns that is read and dropped by a bound": entry,
        "the same, each further column": ((count("wide2", none) - count("wide1", none)) / 4000 - entry) / 100,
        "an entry that is kept and printed as ndjson": everything,
        "a manifest that is read (without its entries)": (count("parts", none) - large) / 100,
        "a manifest that its line in the list drops": (count("parts", "day = -1") - count("large", "day = -1")) / 100,
        "a value of an IN list": (count("small", values(2100)) - count("small", values(100))) / 2000,
    }
    for name, got in measured.items():
        print("%-62s %8.0f of %d instructions" % (name, got, BUDGET[name]), flush=True)
        c.check("instructions: " + name, got > BUDGET[name] * TOLERANCE and "%.0f, recorded %d" % (got, BUDGET[name]))


def test_memory(lakectl, tmp):
    """What a plan needs follows what it keeps, not what it reads."""
    table = make(tmp + "/m", 100000, 100)
    for what, where, limit in (("100 files of 100,000 kept", HUNDRED, 12), ("none kept", "seq = -1", 12), ("100,000 kept", None, 120)):
        out = subprocess.run([TIMED, "/dev/null", lakectl, "plan", table, "--threads", "2", "--format", "ndjson", *(["--where", where] if where else [])],
                             capture_output=True, text=True).stdout.split()
        print("%-62s %8.1f of %d MB" % (what, int(out[3]) / 1024, limit), flush=True)
        c.check("memory: " + what, (out[0] != "0" and "exit status " + out[0]) or (int(out[3]) > limit * 1024 and "%s KB, %d MB allowed" % (out[3], limit)))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        test_allocations(tmp)
        lakectl = release()
        if lakectl:
            test_memory(lakectl, tmp)
        if not lakectl or not shutil.which("valgrind"):
            c.skip("instructions against their budget", "valgrind is not there" if lakectl else "no release")
        else:
            test_instructions(lakectl, tmp)
    return c.finish()


if __name__ == "__main__":
    sys.exit(main())
