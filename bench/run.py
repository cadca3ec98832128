#!/usr/bin/env python3
"""How fast lakectl plans, against the physical floor and other planners, in one run on one machine.

  run.py [--tables S,M,L] [--queries abcdef] [--runs 5] [--threads 1,2] [--peers] [--lakectl PATH]

Tables and queries are those of ../shared/bench (absent in a user's clone: then this says so and ends). Each plan is one process started
anew, files in the page cache; wall and user+system time are medians of the runs. The floor is floor.c: read, inflate and walk all
manifests once, in one thread (user+system). `ok`: files and rows kept are what the generator worked out without any planner.
--peers also runs Iceberg Java and, from .cache/venv, PyIceberg and DuckDB, and the Go and Rust planners where .cache/bench/src has them
built. All figures go to .cache/bench/results.jsonl as well."""
import csv, json, os, re, shutil, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(ROOT, "..", "shared", "bench")
WORK = os.path.join(ROOT, ".cache", "bench")
SRC = os.path.join(WORK, "src")


def run(command, **kw):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if p.returncode:
        sys.exit("%s failed:\n%s" % (" ".join(command), p.stdout[-3000:]))
    return p.stdout


def prepare(tables):
    if not os.path.isdir(SRC):
        shutil.copytree(SHARED, SRC)
        for folder, _, files in os.walk(SRC):
            os.chmod(folder, 0o755)
    java = os.path.join(SRC, "java")
    missing = [t for t in tables if not os.path.exists(os.path.join(WORK, "tables", t, "queries.properties"))]
    if missing:
        if not shutil.which("mvn"):
            sys.exit("bench: making the tables needs a JDK and Maven: ./dev test installs them")
        if not os.path.isdir(os.path.join(java, "classes")):
            print("building the generator", flush=True)
            run(["mvn", "-q", "-B", "-ntp", "dependency:copy-dependencies", "-DoutputDirectory=lib"], cwd=java)
            os.makedirs(os.path.join(java, "classes"))
            run(["sh", "-c", "javac -cp 'lib/*' -d classes src/org/apache/iceberg/*.java"], cwd=java)
        print("making the tables " + " ".join(missing), flush=True)
        run(["sh", os.path.join(SRC, "gen.sh"), os.path.join(WORK, "tables"), *missing])
    floor = os.path.join(WORK, "floor")
    if not os.path.exists(floor):
        run(["gcc", "-O2", "-march=native", "-o", floor, os.path.join(SRC, "floor", "floor.c"), "-ldeflate", "-lz", "-lzstd"])


def properties(folder):
    with open(os.path.join(folder, "queries.properties")) as f:
        return dict(x.rstrip("\n").split("=", 1) for x in f if "=" in x)


def where(p, q):
    """The predicate of a query as SQL; ts is in microseconds without a zone in the properties."""
    def stamp(us):
        t = time.gmtime(int(us) // 10**6)
        return "TIMESTAMP '%s.%06d'" % (time.strftime("%Y-%m-%d %H:%M:%S", t), int(us) % 10**6)
    between = lambda a, b: "ts >= %s AND ts < %s" % (stamp(p[a]), stamp(p[b]))
    return {"a": None, "b": lambda: between("b.ts_lo", "b.ts_hi"), "c": lambda: "seq >= %s AND seq <= %s" % (p["c.seq_lo"], p["c.seq_hi"]),
            "d": lambda: "id = " + p["d.id"],
            "e": lambda: between("e.ts_lo", "e.ts_hi") + " AND (seq IN (%s) OR name LIKE '%s%%')" % (p["e.in"], p["e.prefix"]),
            "f": lambda: "c_int >= " + p["f.c_int_ge"]}[q]


def timed(command):
    """Wall and user+system milliseconds and peak resident MB of a process whose output goes nowhere."""
    start = time.perf_counter()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(p.pid, 0)
    wall = time.perf_counter() - start
    err = p.stderr.read().decode()
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        sys.exit("%s: exit status %d: %s" % (" ".join(command)[:300], p.returncode, err[-500:]))
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024


def kept(command):
    """Files and records of a plan; counted while it runs, since a child's peak memory begins with its parent's."""
    files = records = 0
    with subprocess.Popen(command + ["--format", "csv"], stdout=subprocess.PIPE, text=True) as p:
        for r in csv.DictReader(p.stdout):
            files, records = files + 1, records + int(r["records"])
    return files, records


def median(values):
    return sorted(values)[len(values) // 2]


def floor_of(folder):
    out = run([os.path.join(WORK, "floor"), folder])
    return {k: float(v) for k, v in re.findall(r"read\+libdeflate\+walk \((.)\) +([0-9.]+) ms", out)}


def bench_table(a, name, results):
    folder = os.path.join(WORK, "tables", name)
    p, floor = properties(folder), floor_of(folder)
    print("\n%s: %s files in %s manifests; floor %.1f ms (all skipped), %.1f ms (bounds of one column tested); load %.1f" % (
        name, p["files"], p["manifests"], floor["a"], floor["c"], os.getloadavg()[0]))
    print("| query | threads | files | ok | wall ms | user+sys ms | x floor (wall) | x floor (user+sys) | RSS MB |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for q in a["queries"]:
        w = where(p, q)
        base = [a["lakectl"], "plan", folder, *(["--where", w()] if w else [])]
        files, records = kept(base)
        ok = (files, records) == (int(p["expect.%s.files" % q]), int(p["expect.%s.rows" % q]))
        for threads in a["threads"]:
            runs = [timed(base + ["--format", "paths", "--threads", threads]) for _ in range(a["runs"])]
            wall, cpu, rss = (median([r[k] for r in runs]) for k in range(3))
            limit = floor["a" if q == "a" else "c"]
            print("| %s | %s | %d | %s | %.1f | %.1f | %.2f | %.2f | %.0f |" % (
                q, threads, files, "yes" if ok else "NO", wall, cpu, wall / limit, cpu / limit, rss), flush=True)
            results.append(dict(peer="lakectl", table=name, query=q, threads=int(threads), files=files, ok=ok, first_ms=round(runs[0][0], 2),
                                min_ms=round(min(r[0] for r in runs), 2), med_ms=round(wall, 2), cpu_ms=round(cpu, 2), n=len(runs),
                                floor_ms=limit))


def peers(a, name, results):
    folder, java, venv = os.path.join(WORK, "tables", name), os.path.join(SRC, "java"), os.path.join(ROOT, ".cache", "venv", "bin", "python")
    commands = {
        "java": ["java", "-Xmx4g", "-Diceberg.scan.plan-in-worker-pool=false", "-cp", java + "/classes:" + java + "/lib/*",
                 "org.apache.iceberg.PlanBench"],
        "rust": [SRC + "/rust/target/release/ibench", "plan"], "go": [SRC + "/go/ibench", "plan"],
        "py": [venv, SRC + "/py/plan_pyiceberg.py"], "duckdb": [venv, SRC + "/py/plan_duckdb.py"]}
    print("\n| peer | query | files | ok | planning ms | process wall ms |\n|---|---|---|---|---|---|")
    for q in a["queries"]:
        for peer, command in commands.items():
            if not shutil.which(command[0]):
                continue
            runs = []
            for _ in range(min(3, a["runs"])):
                start = time.perf_counter()
                p = subprocess.run(command + [folder, q, "threads=1", "n=1"], capture_output=True, text=True,
                                   env=dict(os.environ, PYICEBERG_MAX_WORKERS="1"))
                wall = (time.perf_counter() - start) * 1e3
                try:
                    runs.append((wall, json.loads(p.stdout.splitlines()[-1])))
                except (IndexError, ValueError):
                    print("| %s | %s | | fails | %s | |" % (peer, q, p.stderr.strip()[-80:].replace("\n", " ")))
                    break
            else:
                r = sorted(runs, key=lambda x: x[0])[len(runs) // 2]
                print("| %s | %s | %s | %s | %.1f | %.1f |" % (peer, q, r[1]["files"], "yes" if r[1]["ok"] else "NO", r[1]["first_ms"], r[0]),
                      flush=True)
                results.append(dict(r[1], process_wall_ms=round(r[0], 1)))


def main():
    args = sys.argv[1:]
    option = lambda name, default: args[args.index(name) + 1] if name in args else default
    if not os.path.isdir(SHARED):
        print("skip bench: ../shared/bench is not there")
        return 0
    a = {"queries": option("--queries", "abcdef"), "runs": int(option("--runs", "5")), "threads": option("--threads", "1,2").split(","),
         "lakectl": option("--lakectl", os.path.join(ROOT, "build", "lakectl"))}
    tables, results = option("--tables", "S,M,L").split(","), []
    os.makedirs(WORK, exist_ok=True)
    prepare(tables)
    for name in tables:
        bench_table(a, name, results)
        if "--peers" in args:
            peers(a, name, results)
    with open(os.path.join(WORK, "results.jsonl"), "a") as f:
        f.writelines(json.dumps(r) + "\n" for r in results)
    return 0 if all(r["ok"] for r in results if r["peer"] == "lakectl") else 1


if __name__ == "__main__":
    sys.exit(main())
