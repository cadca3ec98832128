#!/usr/bin/env python3
"""How fast lakectl plans, beside the physical floor and other planners, in one run on one machine.

  run.py [--quick] [--tables L,W] [--queries abcdef] [--runs 5] [--threads 1,2] [--peers java,py,duckdb|none] [--json FILE]
         [--data DIR] [--lakectl PATH]

Tables (bench/java makes them with the official library's writers, once, in --data, $LAKE_BENCH_DATA or .cache/bench/tables):
S, M, L: 1,000, 10,000, 100,000 files of 20 columns; X: 1,000,000; W: 5,000 files of 200 columns; Lun: L with its files in no order;
Lzstd: L with zstd. Queries: a all; b one day of 365 by partition; c a range of a column that is no partition; d one value;
e 90 days AND (50 values OR a prefix); f a comparison that prunes nothing. queries.properties says what a right planner keeps.
Each plan is one process started anew, files in the page cache; all take turns (A B C, A B C, …). lakectl prints its plan as ndjson
to /dev/null. Floor (floor.c): processor time of reading, inflating and walking all manifests in one thread, the best of all
turns. Ratios are of medians of wall time. Peers: java, py (PyIceberg), duckdb; lakectl+cache (--cache, filled before), lakectl+count (--count).
--quick: tables S and M, queries b, c and f, 3 runs: about a minute. Ends with 1 if an answer is wrong."""
import csv, glob, json, os, platform, re, shutil, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "bench")
WORK = os.path.join(ROOT, ".cache", "bench")
JARS = os.path.join(ROOT, ".cache", "java", "lib", "*")
PYTHON = os.path.join(ROOT, ".cache", "venv", "bin", "python")
SHAPES = ("S", "M", "L", "W", "Lun", "Lzstd", "X")


def must(command, **kw):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if p.returncode:
        sys.exit("bench: %s failed:\n%s" % (" ".join(command), p.stdout[-3000:]))
    return p.stdout


def older(target, sources):
    return not os.path.exists(target) or any(os.path.getmtime(s) > os.path.getmtime(target) for s in sources)


def prepare(a):
    os.makedirs(WORK, exist_ok=True)
    for name, libraries in (("floor", ["-ldeflate", "-lzstd"]), ("timed", [])):
        source, target = os.path.join(HERE, name + ".c"), os.path.join(WORK, name)
        if older(target, [source]):
            must(["gcc", "-O2", "-march=native", "-D_GNU_SOURCE", "-o", target, source, *libraries])
    missing = [t for t in a["tables"] if not os.path.exists(os.path.join(a["data"], t, "queries.properties"))]
    if not missing and "java" not in a["peers"]:
        return
    if not shutil.which("javac") or not glob.glob(JARS):
        if missing:
            sys.exit("bench: making the tables %s needs a JDK and the official Java library: see .cache/java.log" % ",".join(missing))
        a["peers"].remove("java")
        print("skip java: no JDK, or no library in .cache/java")
        return
    classes, sources = os.path.join(WORK, "classes"), glob.glob(HERE + "/java/org/apache/iceberg/*.java")
    if older(os.path.join(classes, "org/apache/iceberg/PlanBench.class"), sources):
        must(["javac", "-cp", JARS, "-d", classes, *sources])
    for t in missing:
        print("making table %s" % t, flush=True)
        must(["java", "-Xmx4g", "-cp", classes + ":" + JARS, "org.apache.iceberg.GenTable", a["data"], t])


def properties(folder):
    with open(os.path.join(folder, "queries.properties")) as f:
        return dict(x.rstrip("\n").split("=", 1) for x in f if "=" in x)


def where(p, q):
    """The predicate of a query as SQL; ts is in microseconds without a zone in the properties."""
    def stamp(us):
        t = time.gmtime(int(us) // 10**6)
        return "TIMESTAMP '%s.%06d'" % (time.strftime("%Y-%m-%d %H:%M:%S", t), int(us) % 10**6)
    between = lambda low, high: "ts >= %s AND ts < %s" % (stamp(p[low]), stamp(p[high]))
    return {"a": lambda: None, "b": lambda: between("b.ts_lo", "b.ts_hi"), "c": lambda: "seq >= %s AND seq <= %s" % (p["c.seq_lo"], p["c.seq_hi"]),
            "d": lambda: "id = " + p["d.id"],
            "e": lambda: between("e.ts_lo", "e.ts_hi") + " AND (seq IN (%s) OR name LIKE '%s%%')" % (p["e.in"], p["e.prefix"]),
            "f": lambda: "c_int >= " + p["f.c_int_ge"]}[q]()


def command_of(a, peer, folder, q, threads):
    """The command and its output file; None for a peer's own line of JSON."""
    if peer.startswith("lakectl"):
        w = where(properties(folder), q)
        more = {"lakectl": ["--format", "ndjson"], "lakectl+cache": ["--format", "ndjson", "--cache", a["cache"]], "lakectl+count": ["--count"]}
        return [a["lakectl"], "plan", folder, *(["--where", w] if w else []), *more[peer], "--threads", str(threads)], "/dev/null"
    out = os.path.join(WORK, "peer.out")
    if peer == "java":
        return ["java", "-Xmx4g", "-Diceberg.scan.plan-in-worker-pool=false", "-cp", os.path.join(WORK, "classes") + ":" + JARS,
                "org.apache.iceberg.PlanBench", folder, q, str(threads)], out
    return [PYTHON, os.path.join(HERE, "plan_peer.py"), peer, folder, q, str(threads)], out


def timed(command, out):
    """Wall and user+system ms and peak MB; why it failed, or None."""
    p = subprocess.run([os.path.join(WORK, "timed"), out, *command], capture_output=True, text=True)
    status, wall, cpu, kb = p.stdout.split()
    return (float(wall), float(cpu), int(kb) / 1024), None if status == "0" else (p.stderr.strip() or "exit status " + status)[-90:]


def kept(command):
    """Files and records of lakectl's plan."""
    files = records = 0
    command = [{"ndjson": "csv"}.get(x, x) for x in command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as p:
        for r in csv.DictReader(p.stdout):
            files, records = files + 1, records + int(r["records"])
    return files, records


def answer(peer, command, expected):
    """Files kept, and whether they are right (None: cannot be told)."""
    if peer == "lakectl+count":
        return None, None
    if peer.startswith("lakectl"):
        got = kept(command)
    else:
        with open(os.path.join(WORK, "peer.out")) as f:
            r = json.loads(f.read().splitlines()[-1])
        got = (r["files"], r["rows"])
    return got[0], None if got[0] is None else got == expected


def median(values):
    return sorted(values)[len(values) // 2]


def floor_ms(folder, q):
    # d and e are held against the floor of c (bounds of one column are tested), f against that of a.
    return float(must([os.path.join(WORK, "floor"), folder, "a" if q in "af" else "c", "2"]).split()[0])


def measure(a, folder, q, threads):
    """{peer: row} of one query, peers in turn, and the floor in ms."""
    p = properties(folder)
    expected = (int(p["expect.%s.files" % q]), int(p["expect.%s.rows" % q]))
    commands = {peer: command_of(a, peer, folder, q, threads) for peer in ["lakectl"] + a["peers"]}
    if "lakectl+cache" in commands:
        timed(*commands["lakectl+cache"])
    rows = {peer: {"runs": [], "error": None} for peer in commands}
    floors = []
    for turn in range(a["runs"]):
        for peer, (command, out) in commands.items():
            if not rows[peer]["error"]:
                took, rows[peer]["error"] = timed(command, out)
                rows[peer]["runs"].append(took)
                if turn == 0 and not rows[peer]["error"]:
                    rows[peer]["files"], rows[peer]["ok"] = answer(peer, command, expected)
        floors.append(floor_ms(folder, q))
    return rows, min(floors)


def show(a, name, q, threads, rows, floor, results):
    ours = median([r[0] for r in rows["lakectl"]["runs"]])
    for peer, row in rows.items():
        if row["error"]:
            print("| %s | %s | %d | fails: %s | | | | | | |" % (peer, q, threads, row["error"].replace("\n", " ").replace("|", "/")), flush=True)
            results.append(dict(peer=peer, table=name, query=q, threads=threads, error=row["error"], ok=None if peer in a["peers"] else False))
            continue
        wall, cpu, mb = ([r[k] for r in row["runs"]] for k in range(3))
        tells = {True: "yes", False: "NO", None: "n/a"}[row["ok"]]
        print("| %s | %s | %d | %s | %s | %.1f | %.1f | %.1f | %.0f | %.2f / %.2f |" % (
            peer, q, threads, "-" if row["files"] is None else row["files"], tells, median(wall), min(wall), median(wall) / ours, max(mb),
            median(wall) / floor, median(cpu) / floor), flush=True)
        results.append(dict(
            peer=peer, table=name, query=q, threads=threads, files=row["files"], ok=row["ok"], median_ms=median(wall), min_ms=min(wall),
            cpu_ms=median(cpu), peak_mb=round(max(mb), 1), runs=len(wall), floor_ms=floor, ratio_to_lakectl=round(median(wall) / ours, 3),
            ratio_to_floor=round(median(wall) / floor, 3), load=round(os.getloadavg()[0], 2)))


def machine():
    with open("/proc/cpuinfo") as f:
        model = re.search(r"model name\s*: (.*)", f.read())
    return "%s, %d processors, %s" % (model[1] if model else platform.machine(), os.cpu_count(), platform.release())


def options(args):
    quick = "--quick" in args
    known = ("--tables", "--queries", "--runs", "--threads", "--peers", "--json", "--data", "--lakectl", "--quick")
    for x in args:
        if x.startswith("-") and x not in known:
            sys.exit("bench: unknown option %s\n\n%s" % (x, __doc__))
    option = lambda name, default: args[args.index(name) + 1] if name in args else default
    a = {"tables": option("--tables", "S,M" if quick else "L,W").split(","), "queries": option("--queries", "bcf" if quick else "abcdef"),
         "runs": int(option("--runs", "3" if quick else "5")), "threads": [int(t) for t in option("--threads", "1" if quick else "1,2").split(",")],
         "peers": [x for x in option("--peers", "java,py,duckdb").split(",") if x not in ("none", "lakectl", "")], "json": option("--json", None),
         "data": os.path.abspath(option("--data", os.environ.get("LAKE_BENCH_DATA", os.path.join(WORK, "tables")))),
         "lakectl": os.path.abspath(option("--lakectl", os.path.join(ROOT, "build", "lakectl")))}
    for t in a["tables"]:
        if t not in SHAPES:
            sys.exit("bench: no table %s; there are %s" % (t, " ".join(SHAPES)))
    for x in a["peers"]:
        if x not in ("java", "py", "duckdb", "lakectl+cache", "lakectl+count"):
            sys.exit("bench: no peer %s" % x)
    if not os.path.exists(PYTHON) and {"py", "duckdb"} & set(a["peers"]):
        a["peers"] = [x for x in a["peers"] if x not in ("py", "duckdb")]
        print("skip py, duckdb: no .cache/venv")
    return a


def main():
    a, results = options(sys.argv[1:]), []
    prepare(a)
    print("%s; %s; load %.1f" % (time.strftime("%Y-%m-%d"), machine(), os.getloadavg()[0]))
    with tempfile.TemporaryDirectory() as a["cache"]:
        for name in a["tables"]:
            folder = os.path.join(a["data"], name)
            p = properties(folder)
            print("\n%s: %s files, %s manifests, %s columns; what of it: %s\n" % (
                name, p["files"], p["manifests"], p["columns"], must([os.path.join(WORK, "floor"), folder, "a", "1", "figures"]).splitlines()[1]))
            print("| peer | query | threads | files | ok | median ms | min ms | × lakectl | peak MB | × floor wall / user+sys |\n"
                  "|---|---|---|---|---|---|---|---|---|---|")
            for q in a["queries"]:
                for threads in a["threads"]:
                    rows, floor = measure(a, folder, q, threads)
                    show(a, name, q, threads, rows, floor, results)
    if a["json"]:
        with open(a["json"], "w") as f:
            json.dump({"date": time.strftime("%Y-%m-%d"), "machine": machine(), "results": results}, f, indent=1)
    return 1 if any(r["ok"] is False for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
