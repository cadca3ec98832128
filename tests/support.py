"""Shared by the Python suites: where things are, counts of what passed, lakectl and plan_cases as processes, the model if it is there.

LAKE_BUILD: the build folder (default build-test); LAKE_CORPUS: the folder that holds given/ (default .cache/corpus);
LAKE_SHARED: ../shared, with the model and the files that others wrote; absent in a user's clone, and then said as skipped."""
import concurrent.futures, json, os, subprocess, sys, tempfile, threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("LAKE_BUILD", os.path.join(ROOT, "build-test")))
LAKECTL = os.environ.get("LAKECTL", os.path.join(BUILD, "lakectl"))
PLAN_CASES = os.path.join(BUILD, "tests", "plan_cases")
CORPUS = os.environ.get("LAKE_CORPUS", os.path.join(ROOT, ".cache", "corpus"))
_shared = os.path.join(ROOT, "..", "shared")
SHARED = os.environ.get("LAKE_SHARED") or (os.path.realpath(_shared) if os.path.isdir(os.path.join(_shared, "corpus")) else None)
ORACLE = os.path.join(ROOT, ".cache", "java", "oracle.jar")
MAP = "s3://lake-corpus/=%s/" % CORPUS
sys.dont_write_bytecode = True


class Counts:
    """What passed and failed; `finish` prints the line that the runner reads and gives the exit status."""

    def __init__(self, show=60):
        self.passed, self.failed, self.skipped, self.show = 0, 0, 0, show
        self.lock = threading.Lock()

    def ok(self, n=1):
        with self.lock:
            self.passed += n

    def fail(self, name, why):
        with self.lock:
            self.failed += 1
            if self.failed <= self.show:
                print("FAIL %s: %s" % (name, why), flush=True)

    def skip(self, name, why):
        with self.lock:
            self.skipped += 1
            print("skip %s: %s" % (name, why), flush=True)

    def check(self, name, bad):
        """bad: a false value for a pass, else what is wrong."""
        if bad:
            self.fail(name, bad)
        else:
            self.ok()
        return not bad

    def equal(self, name, got, want):
        return self.check(name, None if got == want else "got %s\n  wanted %s" % (short(got), short(want)))

    def finish(self):
        print("%d passed, %d failed%s" % (self.passed, self.failed, ", %d skipped" % self.skipped if self.skipped else ""))
        return 1 if self.failed else 0


def short(x, n=1500):
    s = x if isinstance(x, str) else json.dumps(x, default=str, sort_keys=True)
    return s if len(s) <= n else s[:n] + "…"


def lakectl(*args, **kw):
    """Runs lakectl; returns (exit status, stdout, stderr) as text, bytes with binary=True."""
    binary = kw.pop("binary", False)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LAKE_")}
    env["LC_ALL"] = "C.UTF-8"
    try:
        p = subprocess.run([LAKECTL, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, timeout=kw.pop("timeout", 120),
                           env=env, **kw)
    except subprocess.TimeoutExpired:
        return -1, b"" if binary else "", "no end in time"
    if binary:
        return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


class LakectlFailed(Exception):
    pass


def must(*args, **kw):
    """lakectl that has to succeed; returns stdout."""
    status, out, err = lakectl(*args, **kw)
    if status != 0:
        raise LakectlFailed("lakectl %s: exit status %d: %s" % (" ".join(map(str, args)), status, err.strip()[:1500]))
    return out


def encode(r):
    """A request of plan_cases: a dict with name, metadata and perhaps snapshot, sensitive (bool), form, nan, predicate (text)."""
    sensitive = {None: "", True: "sensitive", False: "insensitive"}[r.get("sensitive")]
    snapshot = "" if r.get("snapshot") is None else str(r["snapshot"])
    fields = (r["name"], r["metadata"], snapshot, sensitive, r.get("form", "where"), r.get("nan", "iceberg"), r["predicate"])
    return b"".join(f.encode("utf-8", "surrogatepass") + b"\0" for f in fields)


def decode(line):
    a = json.loads(line.decode("utf-8", "surrogatepass"))
    for t in a.get("files", []):
        t["deletes"] = sorted(a["deletes"][d] for d in t["deletes"])
    return a


def plan_cases(requests, maps, threads=1):
    """Yields answers in order: dicts whose files have path, match, records, deletes (paths), residual, exact, sql."""
    with tempfile.TemporaryFile() as f:
        f.writelines(encode(r) for r in requests)
        f.seek(0)
        p = subprocess.Popen([PLAN_CASES, str(threads), *maps], stdin=f, stdout=subprocess.PIPE)
        n = 0
        for line in p.stdout:
            yield decode(line)
            n += 1
        status = p.wait()
    if status != 0 or n != len(requests):
        raise LakectlFailed("plan_cases ended with status %s after %d of %d cases (next: %s)" % (
            status, n, len(requests), requests[n]["name"] if n < len(requests) else "none"))


class Engine:
    """plan_cases kept running: one question at a time. After a crash the next question starts it anew."""

    def __init__(self, maps):
        self.maps, self.process = maps, None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen([PLAN_CASES, "1", *self.maps], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.process.stdin.write(encode(request))
            self.process.stdin.flush()
            return decode(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            status = self.close()
            raise LakectlFailed("plan_cases ended with status %s" % status)

    def close(self):
        p, self.process = self.process, None
        if p is None:
            return 0
        try:
            p.stdin.close()
        except BrokenPipeError:
            pass
        p.stdout.read()
        p.stdout.close()
        return p.wait()


def model():
    """The modules of the model (expr, plan, rows, values), or None where it is not there."""
    if not SHARED or not os.path.exists(os.path.join(SHARED, "model", "model.py")):
        return None
    folder = os.path.join(SHARED, "model")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import expr, plan, rows, steps, values  # noqa: E401
    import types
    return types.SimpleNamespace(expr=expr, plan=plan, rows=rows, steps=steps, values=values)


def both(f, items):
    """Runs f on the items, two at a time; results in order."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(f, items))
