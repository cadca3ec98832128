#!/usr/bin/env python3
"""Every manifest and manifest list of the corpus, decoded by the manifest reader (print_entries) and by fastavro: all values of
all entries must be the same. Fields are taken by their field id, as the public spec asks, so that nothing here leans on names.

  entries.py [FOLDER...]"""
import glob
import io
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *
import fastavro

PROGRAM = os.path.join(BUILD, "tests", "manifest", "print_entries")

METRICS = {108: "size", 109: "values", 110: "nulls", 137: "nans", 125: "lower", 128: "upper"}


def strip(schema):
    """The schema without logical types, so that fastavro gives plain values."""
    if isinstance(schema, dict):
        return {k: strip(v) for k, v in schema.items() if k not in ("logicalType", "precision", "scale")}
    if isinstance(schema, list):
        return [strip(s) for s in schema]
    return schema


def read(path):
    with open(path, "rb") as f:
        header = fastavro.reader(f)
        schema = json.loads(header.metadata["avro.schema"])
        meta = header.metadata
    with open(path, "rb") as f:
        data = f.read()
    # the records as plain Avro values: the same bytes under a header whose schema has no logical types
    fo = io.BytesIO(data)
    rd = fastavro.block_reader(fo)
    records = []
    plain = fastavro.parse_schema(strip(schema))
    for block in rd:
        raw = block.bytes_ if hasattr(block, "bytes_") else block.bytes
        buf = io.BytesIO(raw.getvalue() if hasattr(raw, "getvalue") else raw)
        for _ in range(block.num_records):
            records.append(fastavro.schemaless_reader(buf, plain))
    return schema, meta, records


def record_of(t):
    for b in t if isinstance(t, list) else [t]:
        if isinstance(b, dict) and b.get("type") == "record":
            return b
        if isinstance(b, dict) and b.get("type") == "array":
            return record_of(b["items"])
    return None


def by_id(record_schema, value):
    return {f.get("field-id"): (f, value[f["name"]]) for f in record_schema["fields"]}


def hexed(v):
    if isinstance(v, str):
        return v.encode("utf-8", "surrogateescape").hex()
    return v.hex() if isinstance(v, (bytes, bytearray)) else v


def datum(schema, v):
    kinds = schema if isinstance(schema, list) else [schema]
    names = [k["type"] if isinstance(k, dict) else k for k in kinds]
    if v is None or isinstance(v, bool):
        return v
    if isinstance(v, float) or (isinstance(v, int) and any(n in ("float", "double") for n in names)):
        return float(v).hex()
    return v if isinstance(v, int) else hexed(v)


def same_float(a, b):
    try:
        return struct.pack("<d", float.fromhex(a)) == struct.pack("<d", float.fromhex(b))
    except (TypeError, ValueError):
        return a == b


def entry(schema, rec):
    e = by_id(schema, rec)
    fs, f = e[2]
    d = by_id(record_of(fs["type"]), f)
    get = lambda m, i: m.get(i, (None, None))[1]
    out = {"status": get(e, 0), "content": get(d, 134) or 0, "file_path": get(d, 100), "file_format": get(d, 101),
           "record_count": get(d, 103), "file_size_in_bytes": get(d, 104)}
    for name, m, i in (("snapshot_id", e, 1), ("sequence_number", e, 3), ("file_sequence_number", e, 4),
                       ("sort_order_id", d, 140), ("first_row_id", d, 142), ("referenced_data_file", d, 143),
                       ("content_offset", d, 144), ("content_size_in_bytes", d, 145)):
        if get(m, i) is not None:
            out[name] = get(m, i)
    if get(d, 131) is not None:
        out["key_metadata"] = get(d, 131).hex()
    out["split_offsets"] = get(d, 132) or []
    out["equality_ids"] = get(d, 135) or []
    cols = {}
    for i, name in METRICS.items():
        for kv in get(d, i) or []:
            cols.setdefault(str(kv["key"]), {}).setdefault(name, hexed(kv["value"]))
    out["columns"] = cols
    ps, p = d[102]
    pr = record_of(ps["type"])
    out["_partition"] = {f.get("field-id"): (f, p[f["name"]]) for f in pr["fields"]}
    return out


def line(schema, rec):
    d = by_id(schema, rec)
    get = lambda i: d.get(i, (None, None))[1]
    out = {"manifest_path": get(500), "manifest_length": get(501), "partition_spec_id": get(502),
           "content": get(517) or 0, "sequence_number": get(515) or 0, "min_sequence_number": get(516) or 0}
    for name, i in (("added_snapshot_id", 503), ("added_files_count", 504), ("existing_files_count", 505),
                    ("deleted_files_count", 506), ("added_rows_count", 512), ("existing_rows_count", 513),
                    ("deleted_rows_count", 514), ("first_row_id", 520)):
        if get(i) is not None:
            out[name] = get(i)
    if get(519) is not None:
        out["key_metadata"] = get(519).hex()
    if get(507) is not None:
        rs = record_of(d[507][0]["type"])
        out["partitions"] = []
        for s in get(507):
            m = by_id(rs, s)
            g = lambda i: m.get(i, (None, None))[1]
            x = {"contains_null": int(g(509)), "contains_nan": -1 if g(518) is None else int(g(518))}
            if g(510) is not None:
                x["lower_bound"] = g(510).hex()
            if g(511) is not None:
                x["upper_bound"] = g(511).hex()
            out["partitions"].append(x)
    return out


def expected_partition(meta, e):
    """Partition values in the order of the header's spec."""
    spec = json.loads(meta["partition-spec"])
    fields = spec["fields"] if isinstance(spec, dict) else spec
    parts = e.pop("_partition")
    out = []
    for n, f in enumerate(fields):
        hit = parts.get(f.get("field-id", 1000 + n))
        out.append(None if hit is None else datum(hit[0]["type"], hit[1]))
    return out


def compare(program, path):
    schema, meta, records = read(path)
    if "fields" not in schema:
        return None
    ids = {f.get("field-id") for f in schema["fields"]}
    kind = "list" if 500 in ids else "manifest" if {0, 1, 2} <= ids and "partition-spec" in meta else None
    if not kind:
        return None
    run = subprocess.run([program, kind, path], capture_output=True)
    if run.returncode:
        return f"{path}: {run.stderr.decode()}"
    got = [json.loads(l) for l in run.stdout.decode().splitlines()]
    if len(got) != len(records):
        return f"{path}: {len(got)} records, fastavro reads {len(records)}"
    for n, (g, r) in enumerate(zip(got, records)):
        if kind == "list":
            want = line(schema, r)
        else:
            want = entry(schema, r)
            part = expected_partition(meta, want)
            have = g.pop("partition")
            if len(part) != len(have) or not all(same_float(a, b) if isinstance(a, str) and isinstance(b, str) else a == b
                                                 for a, b in zip(part, have)):
                return f"{path}: entry {n}: partition {have}, fastavro reads {part}"
            if 3 not in ids and int(meta.get("format-version", "1")) == 1:
                want["sequence_number"] = want["file_sequence_number"] = 0
        if g != want:
            diff = {k: (g.get(k), want.get(k)) for k in set(g) | set(want) if g.get(k) != want.get(k)}
            return f"{path}: record {n}: (ours, fastavro's) {diff}"
    return kind, len(records)


def main():
    folders = sys.argv[1:] or [os.path.join(CORPUS, "given"), os.path.join(ROOT, "tests", "golden", "avro")]
    if not sys.argv[1:] and SHARED:
        folders.append(os.path.join(SHARED, "corpus", "foreign-tables"))
    counts, records = Counts(), 0
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.avro"), recursive=True)):
            name = "entries of " + os.path.relpath(path, folder)
            try:
                answer = compare(PROGRAM, path)
            except Exception as e:
                answer = "fastavro or this script: %s: %s" % (type(e).__name__, e)
            if answer is None:
                continue
            counts.check(name, answer if isinstance(answer, str) else None)
            records += 0 if isinstance(answer, str) else answer[1]
    print("%d records are the same" % records)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
