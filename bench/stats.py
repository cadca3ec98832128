#!/usr/bin/env python3
"""How fast exact statistics of Parquet files are, beside Polars, DuckDB and PyArrow, in one run on one machine.

  stats.py [--data DIR] [--scale 5] [--runs 5] [--threads 2] [--sets NAME,…] [--json FILE] [--lakectl PATH]

Data: TPC-H lineitem in 4 files, twice: snappy_decimal (tpchgen-cli as it is) and zstd_double (DuckDB, money as DOUBLE), made once in DIR
($LAKE_BENCH_DATA or .cache/bench/lineitem; 2 GB at scale 5). Tools take turns (A B C D, A B C D, …), a process for each run, files in
the page cache; figures are medians. lakectl's time is that of its whole process, a peer's is its work alone, without start and imports.
The answers have to agree. Ends with 1 if an answer differs. Targets: 1.5 x Polars, 2 x DuckDB, 4 x PyArrow, with less memory than any;
the footers alone faster than PyArrow reads them."""
import glob, json, os, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEER = os.path.join(ROOT, "bench", "stats_peer.py")
TARGETS = {"polars": 1.5, "duckdb": 2.0, "pyarrow": 4.0}


def make(folder, scale):
    import duckdb
    first, second = os.path.join(folder, "snappy_decimal"), os.path.join(folder, "zstd_double")
    if len(glob.glob(second + "/*.parquet")) == 4:
        return
    print("making lineitem at scale %s in %s" % (scale, folder), flush=True)
    os.makedirs(second, exist_ok=True)
    if not os.path.isdir(first):
        tool = os.path.join(os.path.dirname(sys.executable), "tpchgen-cli")
        subprocess.check_call([tool, "parquet", "-s", scale, "--tables=lineitem", "--parts=4", "--output-dir=" + folder])
        os.rename(os.path.join(folder, "lineitem"), first)
    doubles = ", ".join("%s::DOUBLE AS %s" % (c, c) for c in ("l_quantity", "l_extendedprice", "l_discount", "l_tax"))
    for i, f in enumerate(sorted(glob.glob(first + "/*.parquet"))):
        to = os.path.join(second, "part%d.parquet" % i)
        duckdb.sql("COPY (SELECT * REPLACE (%s) FROM read_parquet('%s')) TO '%s' (FORMAT parquet, COMPRESSION zstd)" % (doubles, f, to + ".part"))
        os.rename(to + ".part", to)


def run(command):
    """Wall milliseconds, user+system milliseconds, peak resident MB and the output of a process."""
    start = time.perf_counter()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out = p.stdout.read()
    err = p.stderr.read().decode()
    _, status, usage = os.wait4(p.pid, 0)
    wall = (time.perf_counter() - start) * 1e3
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        sys.exit("%s: exit status %d: %s" % (" ".join(command)[:200], p.returncode, err[-600:]))
    return wall, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024, out


def number(v):
    try:
        return float(v)
    except (TypeError, ValueError):
        return v


def answers(tool, out):
    """{file: {column: (least, greatest, nulls, NaNs)}}, numbers as floats so that 1.00 and 1.0 are one."""
    if tool.startswith("lakectl"):
        return {os.path.basename(f["file-path"]): {
            c["name"]: (number(c.get("lower-bound")), number(c.get("upper-bound")), c.get("null-value-count"), c.get("nan-value-count", 0))
            for c in f["columns"]} for f in json.loads(out)["files"]}
    return {f: {n: (number(s[0]), number(s[1]), s[2], s[3]) for n, s in columns.items()} for f, columns in json.loads(out)["files"].items()}


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    args = sys.argv[1:]
    option = lambda name, default: args[args.index(name) + 1] if name in args else default
    data = option("--data", os.environ.get("LAKE_BENCH_DATA") or os.path.join(ROOT, ".cache", "bench", "lineitem"))
    threads, runs = option("--threads", "2"), int(option("--runs", "5"))
    lakectl = option("--lakectl", os.path.join(ROOT, "build", "lakectl"))
    os.makedirs(data, exist_ok=True)
    if "--make" in args:
        make(data, option("--scale", "5"))
        return 0
    # A process of its own: a child's peak memory begins with its parent's, so this one stays small.
    subprocess.check_call([sys.executable, os.path.abspath(__file__), "--make", "--data", data, "--scale", option("--scale", "5")])
    results, wrong = [], 0
    for name in option("--sets", "snappy_decimal,zstd_double").split(","):
        files = sorted(glob.glob(os.path.join(data, name, "*.parquet")))
        size = sum(os.path.getsize(f) for f in files)
        ours = [lakectl, "stats", *files, "--format", "json", "--threads", threads]
        commands = {"lakectl": ours, "lakectl-footer": ours + ["--footer-only"]}
        for peer in ("polars", "duckdb", "pyarrow", "pyarrow-footer"):
            commands[peer] = [sys.executable, PEER, peer, os.path.join(data, name), threads]
        seen, first = {t: [] for t in commands}, {}
        for f in files:  # into the page cache
            with open(f, "rb") as fh:
                while fh.read(1 << 20):
                    pass
        for _ in range(runs):
            for tool, command in commands.items():
                wall, cpu, rss, out = run(command)
                seen[tool].append((wall if tool.startswith("lakectl") else json.loads(out)["ms"], cpu, rss))
                first.setdefault(tool, answers(tool, out))
        print("\n%s: %d files, %.2f GB, %s threads, load %.1f" % (name, len(files), size / 1e9, threads, os.getloadavg()[0]))
        print("| tool | ms | spread | x lakectl | target | user+sys ms (whole process) | peak MB | answers |\n|---|---|---|---|---|---|---|---|")
        for tool, figures in seen.items():
            base = "lakectl-footer" if tool.endswith("-footer") else "lakectl"
            ms, cpu, rss = (median([x[k] for x in figures]) for k in range(3))
            ratio = ms / median([x[0] for x in seen[base]])
            same = "" if tool.endswith("-footer") else "equal" if first[tool] == first["lakectl"] else "DIFFER"
            wrong += same == "DIFFER"
            if same == "DIFFER":
                for f in first[tool]:
                    for c, s in first[tool][f].items():
                        if s != first["lakectl"].get(f, {}).get(c):
                            print("%s: %s: %s: %s, lakectl %s" % (tool, f, c, s, first["lakectl"].get(f, {}).get(c)))
            target = TARGETS.get(tool, 1.0 if tool == "pyarrow-footer" else 0)
            print("| %s | %.0f | %.0f..%.0f | %.2f | %s | %.0f | %.0f | %s |" % (
                tool, ms, min(x[0] for x in figures), max(x[0] for x in figures), ratio, target or "", cpu, rss, same), flush=True)
            results.append(dict(set=name, tool=tool, threads=int(threads), ms=round(ms, 1), ratio=round(ratio, 3), cpu_ms=round(cpu, 1),
                                peak_mb=round(rss, 1), target=target, answers=same, runs=runs))
    if "--json" in args:
        with open(option("--json", None), "w") as f:
            json.dump(results, f, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
