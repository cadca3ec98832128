#!/usr/bin/env python3
"""Runs every test program and suite, two at a time, and ends with one line `N passed, N failed[, N skipped]`.

  run_tests.py --build DIR [--lost WHAT]... [NAME...]      NAME: only those whose name contains it

Criterion 2.4.1 hides what sanitizers find (a leaking test exits 0), so each run gets a fresh folder as the sanitizers' log_path
and fails if a report appears in it. A program that crashes, hangs or executes no test fails. A script suite prints lines
`FAIL name: why` and `skip name: why` and ends with the same line as this one. --lost names something that could not be installed:
a failure of its own."""
import argparse, concurrent.futures, json, os, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Script suites, the longest first; a suite whose file is not there yet does not run.
SUITES = [
    ("golden plans", "tests/golden/play.py", 1500),
    ("cached plans", "tests/golden/cached.py", 1500),
    ("interop", "tests/interop/interop.py", 1200),
    ("estimates", "tests/golden/estimates.py", 600),
    ("brute force", "tests/golden/bruteforce.py", 600),
    ("other engines", "tests/golden/engines.py", 600),
    ("evolution", "tests/golden/evolve.py", 600),
    ("answers", "tests/golden/answers.py", 600),
    ("row groups", "tests/golden/rowgroups.py", 600),
    ("row groups of DataFusion", "tests/golden/datafusion_peer.py", 600),
    ("cases of other engines", "tests/golden/peer_cases.py", 600),
    ("kinds of predicates", "tests/golden/peer_kinds.py", 300),
    ("row groups case by case", "tests/golden/rowgroup_cases.py", 300),
    ("hostile files", "tests/golden/hostile.py", 600),
    ("fuzz", "tests/fuzz/run.py", 600),
    ("foreign tables", "tests/interop/foreign.py", 600),
    ("avro and orc tables", "tests/interop/formats.py", 600),
    ("commits", "tests/interop/commits.py", 300),
    ("changes", "tests/interop/changes.py", 600),
    ("replaced files", "tests/interop/replace.py", 600),
    ("maintenance", "tests/interop/maintenance.py", 600),
    ("rebuilt statistics", "tests/golden/rebuild.py", 600),
    ("directories", "tests/interop/directories.py", 900),
    ("caches", "tests/interop/caches.py", 300),
    ("growth", "tests/growth/growth.py", 600),
    ("manifest caches", "tests/interop/manifest_cache.py", 300),
    ("increments", "tests/interop/increments.py", 300),
    ("splits", "tests/interop/splits.py", 300),
    ("deletion vectors", "tests/interop/vectors.py", 300),
    ("sketches", "tests/interop/sketches.py", 300),
    ("geometries", "tests/interop/geometries.py", 300),
    ("ingest", "tests/interop/ingest.py", 300),
    ("sort claims", "tests/interop/sortclaims.py", 300),
    ("golden readers", "tests/golden/readers.py", 600),
    ("golden entries", "tests/golden/entries.py", 600),
    ("large pages", "tests/golden/large_pages.py", 600),
    ("random files", "tests/golden/random_files.py", 600),
    ("random files of Java", "tests/golden/random_java.py", 600),
    ("golden metrics", "tests/golden/metrics.py", 600),
    ("audit", "tests/golden/audit.py", 600),
    ("avro and orc", "tests/golden/avro_orc.py", 600),
    ("golden manifests", "tests/golden/manifests.py", 600),
    ("traps", "tests/traps/run.py", 600),
    ("command line", "tests/cli/run.py", 600),
]
LAST = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
UNIT_TIMEOUT = 300


class Result:
    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped = name, 0, 0, 0
        self.seconds, self.output, self.notes = 0.0, "", []

    def fail(self, why):
        self.failed += 1
        self.notes.append("FAIL %s: %s" % (self.name, why))


def environment(args, reports):
    env = dict(os.environ)
    shared = os.path.join(ROOT, "..", "shared")
    env.setdefault("LAKE_CORPUS", os.path.join(ROOT, ".cache", "corpus"))
    if os.path.isdir(os.path.join(shared, "corpus")):
        env.setdefault("LAKE_SHARED", os.path.realpath(shared))
    env["LAKE_BUILD"] = os.path.abspath(args.build)
    env["LAKECTL"] = os.path.join(os.path.abspath(args.build), "lakectl")
    log = "log_path=%s/report" % reports
    env["ASAN_OPTIONS"] = log + ":detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1"
    env["LSAN_OPTIONS"] = log
    env["UBSAN_OPTIONS"] = log + ":print_stacktrace=1"
    return env


def execute(command, env, timeout, result):
    """Runs in a process group of its own, which is killed as a whole on time-out. Returns the exit status or None."""
    start = time.monotonic()
    p = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         start_new_session=True)
    try:
        out, _ = p.communicate(timeout=timeout)
        status = p.returncode
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, _ = p.communicate()
        status = None
        result.fail("no end after %d s" % timeout)
    result.seconds = time.monotonic() - start
    result.output = out.decode("utf-8", "replace")
    return status


def sanitizer_reports(reports, result):
    for f in sorted(os.listdir(reports))[:3]:
        with open(os.path.join(reports, f), errors="replace") as fh:
            text = fh.read()
        if text.strip():
            result.fail("a sanitizer reports:\n" + text[:6000])


def run_unit(args, program, reports):
    r = Result(os.path.basename(program))
    report = os.path.join(reports, "..", os.path.basename(reports) + ".json")
    status = execute([program, "-j1", "--ascii", "--json=" + report], environment(args, reports), UNIT_TIMEOUT, r)
    try:
        with open(report) as f:
            j = json.load(f)
    except (OSError, ValueError):
        j = None
    if j is None:
        if status is not None:
            r.fail("no report, exit status %s" % status)
    else:
        r.passed, r.skipped = j["passed"], j["skipped"]
        r.failed += j["failed"] + j["errored"]
        for s in j["test_suites"]:
            for t in s["tests"]:
                if t["status"] == "SKIPPED":
                    r.notes.append("skip %s: %s::%s" % (r.name, s["name"], t["name"]))
                elif t["status"] != "PASSED":
                    r.notes.append("FAIL %s: %s::%s" % (r.name, s["name"], t["name"]))
        if r.passed + r.failed + r.skipped == 0:
            r.fail("executes no test")
        elif status not in (0, None) and r.failed == 0:
            r.fail("exit status %d" % status)
    return r


def run_suite(args, name, script, timeout, reports):
    r = Result(name)
    status = execute([sys.executable, script], environment(args, reports), timeout, r)
    lines = r.output.rstrip("\n").split("\n")
    m = LAST.match(lines[-1])
    if m:
        r.passed, r.skipped = int(m[1]), int(m[3] or 0)
        r.failed += int(m[2])
        r.notes += [x for x in lines if x.startswith("skip ")]
        if r.passed + r.failed + r.skipped == 0:
            r.fail("executes no test")
        elif status not in (0, None) and r.failed == 0:
            r.fail("exit status %d" % status)
    elif status is not None:
        r.fail("ends without a line of counts, exit status %s" % status)
    return r


def jobs(args):
    out = []
    for name, script, timeout in SUITES:
        if os.path.exists(os.path.join(ROOT, script)):
            out.append((name, lambda reports, n=name, s=script, t=timeout: run_suite(args, n, s, t, reports)))
    folder = os.path.join(args.build, "tests")
    for f in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        p = os.path.join(folder, f)
        if f.startswith("test_") and os.path.isfile(p) and os.access(p, os.X_OK):
            out.append((f, lambda reports, p=os.path.abspath(p): run_unit(args, p, reports)))
    return [j for j in out if not args.names or any(n in j[0] for n in args.names)]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build-test")
    ap.add_argument("--lost", action="append", default=[])
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    work = tempfile.mkdtemp(prefix="lake-tests.")
    results = []

    def run(n, job):
        reports = os.path.join(work, str(n))
        os.mkdir(reports)
        r = job[1](reports)
        sanitizer_reports(reports, r)
        return r

    try:
        todo = jobs(args)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for f in concurrent.futures.as_completed([pool.submit(run, n, j) for n, j in enumerate(todo)]):
                r = f.result()
                results.append(r)
                print("%-4s %-40s %6d passed %4d failed %4d skipped %7.1f s" % (
                    "FAIL" if r.failed else "ok", r.name, r.passed, r.failed, r.skipped, r.seconds), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    for what in args.lost:
        r = Result("installing")
        r.fail("could not get %s: is the network there?" % what)
        results.append(r)
    for r in results:
        if r.failed:
            print("\n===== %s" % r.name)
            print(r.output[-20000:].rstrip("\n"))
            print("\n".join(r.notes))
    skipped = [n for r in results if not r.failed for n in r.notes]
    if skipped:
        print("\n" + "\n".join(skipped))
    print("\nslowest:")
    for r in sorted(results, key=lambda r: -r.seconds)[:10]:
        print("%8.1f s  %s" % (r.seconds, r.name))
    passed, failed, skipped = (sum(getattr(r, k) for r in results) for k in ("passed", "failed", "skipped"))
    if passed + failed == 0:
        print("no test ran")
        failed = 1
    print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
