#!/usr/bin/env python3
"""One plan by PyIceberg or DuckDB: plan_peer.py py|duckdb TABLE QUERY THREADS. Prints one line of JSON: files, rows, planning_ms.

The table and queries.properties are of bench/java. DuckDB opens the data files that it keeps, and there are none: its queries ask for
`seq = -1` as well, so that every entry of every manifest that survives is tested and no file is kept; its answer cannot be compared."""
import json, os, sys, time

peer, folder, query, threads = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3], int(sys.argv[4])
metadata = folder + "/metadata/v1.metadata.json"
with open(folder + "/queries.properties") as f:
    p = dict(line.rstrip("\n").split("=", 1) for line in f if "=" in line)


def pyiceberg():
    os.environ["PYICEBERG_MAX_WORKERS"] = str(threads)
    from datetime import datetime, timedelta
    from pyiceberg.expressions import (AlwaysTrue, And, EqualTo, GreaterThanOrEqual, In, LessThan, LessThanOrEqual, Or, StartsWith)
    from pyiceberg.table import StaticTable

    def between(low, high):
        low, high = ((datetime(1970, 1, 1) + timedelta(microseconds=int(p[k]))).isoformat() for k in (low, high))
        return And(GreaterThanOrEqual("ts", low), LessThan("ts", high))
    filters = {
        "a": AlwaysTrue, "b": lambda: between("b.ts_lo", "b.ts_hi"),
        "c": lambda: And(GreaterThanOrEqual("seq", int(p["c.seq_lo"])), LessThanOrEqual("seq", int(p["c.seq_hi"]))),
        "d": lambda: EqualTo("id", int(p["d.id"])),
        "e": lambda: And(between("e.ts_lo", "e.ts_hi"), Or(In("seq", [int(v) for v in p["e.in"].split(",")]), StartsWith("name", p["e.prefix"]))),
        "f": lambda: GreaterThanOrEqual("c_int", int(p["f.c_int_ge"]))}
    start = time.perf_counter()
    tasks = list(StaticTable.from_metadata("file://" + metadata).scan(row_filter=filters[query]()).plan_files())
    return len(tasks), sum(t.file.record_count for t in tasks), start


def duckdb_plan():
    import importlib.util
    import duckdb
    c = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": threads})
    for name in ("avro", "iceberg"):
        root = os.path.dirname(importlib.util.find_spec("duckdb_extension_" + name).origin)
        c.execute("LOAD '%s/extensions/v%s/%s.duckdb_extension'" % (root, duckdb.__version__, name))

    def between(low, high):
        return "ts >= make_timestamp(%s) AND ts < make_timestamp(%s)" % (p[low], p[high])
    where = {
        "a": "true", "b": between("b.ts_lo", "b.ts_hi"), "c": "seq >= %s AND seq <= %s" % (p["c.seq_lo"], p["c.seq_hi"]),
        "d": "id = " + p["d.id"], "e": "%s AND (seq IN (%s) OR name LIKE '%s%%')" % (between("e.ts_lo", "e.ts_hi"), p["e.in"], p["e.prefix"]),
        "f": "c_int >= " + p["f.c_int_ge"]}[query]
    start = time.perf_counter()
    c.execute("SELECT count(id) FROM iceberg_scan('%s') WHERE (%s) AND seq = -1" % (metadata, where)).fetchall()
    return None, None, start


files, rows, begun = pyiceberg() if peer == "py" else duckdb_plan()
print(json.dumps({"files": files, "rows": rows, "planning_ms": round((time.perf_counter() - begun) * 1e3, 2)}), flush=True)
