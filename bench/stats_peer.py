#!/usr/bin/env python3
"""One tool's exact statistics of all columns of *.parquet in a folder, file by file.

  stats_peer.py TOOL DIR THREADS     TOOL: polars, duckdb, pyarrow, pyarrow-footer

Prints one line of JSON: {"ms": the work without start and imports, "files": {name: {column: [least, greatest, nulls, NaNs]}}}."""
import datetime, decimal, glob, json, os, sys, time

tool, folder, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.environ["POLARS_MAX_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(threads)
files = sorted(glob.glob(os.path.join(folder, "*.parquet")))


def text(v):
    if isinstance(v, (datetime.date, datetime.datetime)):
        return v.isoformat()
    return str(v) if isinstance(v, decimal.Decimal) else v


def duckdb_stats():
    import duckdb
    c = duckdb.connect(config={"threads": threads})
    start = time.perf_counter()
    out = {}
    for f in files:
        columns = c.execute("DESCRIBE SELECT * FROM read_parquet('%s')" % f).fetchall()
        parts = []
        for name, kind, *_ in columns:
            nans = "count(*) FILTER (isnan(\"%s\"))" % name if kind in ("DOUBLE", "FLOAT") else "0"
            parts.append('min("{0}"), max("{0}"), count(*) - count("{0}"), {1}'.format(name, nans))
        row = c.execute("SELECT %s FROM read_parquet('%s')" % (", ".join(parts), f)).fetchone()
        out[f] = {col[0]: row[4 * i:4 * i + 4] for i, col in enumerate(columns)}
    return start, out


def polars_stats():
    import polars as pl
    start = time.perf_counter()
    out = {}
    for f in files:
        frame = pl.scan_parquet(f)
        schema, parts = frame.collect_schema(), []
        for name, kind in schema.items():
            c = pl.col(name)
            parts += [c.min().alias(name + " lo"), c.max().alias(name + " hi"), c.null_count().alias(name + " nulls")]
            if kind.is_float():
                parts.append(c.is_nan().sum().alias(name + " nans"))
        row = frame.select(parts).collect(engine="streaming").row(0, named=True)
        out[f] = {n: [row[n + " lo"], row[n + " hi"], row[n + " nulls"], row.get(n + " nans", 0)] for n in schema}
    return start, out


def pyarrow_stats():
    import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
    pa.set_cpu_count(threads)
    start = time.perf_counter()
    out = {}
    for f in files:
        columns = {}
        for batch in pq.ParquetFile(f).iter_batches(batch_size=131072, use_threads=threads > 1):
            for name, a in zip(batch.schema.names, batch.columns):
                if pa.types.is_string_view(a.type):  # min_max has no kernel for it
                    a = a.cast(pa.string())
                ends = pc.min_max(a)
                s = columns.setdefault(name, [[], [], 0, 0])
                s[0].append(ends["min"].as_py())
                s[1].append(ends["max"].as_py())
                s[2] += a.null_count
                if pa.types.is_floating(a.type):
                    s[3] += pc.sum(pc.is_nan(a)).as_py() or 0
        out[f] = {n: [min(s[0]), max(s[1]), s[2], s[3]] for n, s in columns.items()}
    return start, out


def footer_stats():
    import pyarrow.parquet as pq
    start = time.perf_counter()
    out = {}
    for f in files:
        m, columns = pq.read_metadata(f), {}
        for g in range(m.num_row_groups):
            group = m.row_group(g)
            for i in range(m.num_columns):
                chunk = group.column(i)
                s = chunk.statistics
                if s is not None and s.has_min_max:
                    old = columns.get(chunk.path_in_schema)
                    columns[chunk.path_in_schema] = [min(old[0], s.min), max(old[1], s.max), old[2] + s.null_count, 0] if old else \
                        [s.min, s.max, s.null_count, 0]
        out[f] = columns
    return start, out


start, result = {"duckdb": duckdb_stats, "polars": polars_stats, "pyarrow": pyarrow_stats, "pyarrow-footer": footer_stats}[tool]()
ms = (time.perf_counter() - start) * 1e3
print(json.dumps({"ms": ms, "files": {os.path.basename(f): {n: [text(v) for v in s] for n, s in c.items()} for f, c in result.items()}}))
