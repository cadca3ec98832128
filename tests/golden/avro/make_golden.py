#!/usr/bin/env python3
"""Makes the Avro files of this folder with fastavro (1.13). They are kept in the repository; run this only to add more.

usage: make_golden.py [FOLDER]
"""
import os
import sys

import fastavro

here = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
SYNC = bytes(range(1, 17))


def write(name, schema, records, codec="null", meta=None, sync_interval=16000):
    with open(os.path.join(here, name), "wb") as f:
        fastavro.writer(f, fastavro.parse_schema(schema), records, codec=codec, metadata=meta or {},
                        sync_marker=SYNC, sync_interval=sync_interval)


write("longs_bzip2.avro", {"type": "long"}, range(1000), codec="bzip2")


def opt(t):
    return ["null", t]


def field(id, name, t):
    f = {"name": name, "type": t, "field-id": id}
    if isinstance(t, list):
        f["default"] = None
    return f


def pairs(key_id, value_id, value):
    return {"type": "array", "logicalType": "map", "items": {
        "type": "record", "name": f"k{key_id}_v{value_id}",
        "fields": [{"name": "key", "type": "int", "field-id": key_id}, {"name": "value", "type": value, "field-id": value_id}]}}


def data_file(version, partition):
    fs = []
    if version > 1:
        fs.append(field(134, "content", "int"))
    fs += [field(100, "file_path", "string"), field(101, "file_format", "string"),
           field(102, "partition", {"type": "record", "name": "r102", "fields": partition}),
           field(103, "record_count", "long"), field(104, "file_size_in_bytes", "long")]
    if version == 1:
        fs.append(field(105, "block_size_in_bytes", "long"))
    fs += [field(108, "column_sizes", opt(pairs(117, 118, "long"))), field(109, "value_counts", opt(pairs(119, 120, "long"))),
           field(110, "null_value_counts", opt(pairs(121, 122, "long"))),
           field(137, "nan_value_counts", opt(pairs(138, 139, "long"))),
           field(125, "lower_bounds", opt(pairs(126, 127, "bytes"))), field(128, "upper_bounds", opt(pairs(129, 130, "bytes"))),
           field(131, "key_metadata", opt("bytes")),
           field(132, "split_offsets", opt({"type": "array", "items": "long", "element-id": 133}))]
    if version > 1:
        fs.append(field(135, "equality_ids", opt({"type": "array", "items": "int", "element-id": 136})))
    fs.append(field(140, "sort_order_id", opt("int")))
    if version > 2:
        fs.append(field(142, "first_row_id", opt("long")))
    if version > 1:
        fs.append(field(143, "referenced_data_file", opt("string")))
    if version > 2:
        fs += [field(144, "content_offset", opt("long")), field(145, "content_size_in_bytes", opt("long"))]
    return {"type": "record", "name": "r2", "fields": fs}


def entry_schema(version, partition):
    fs = [field(0, "status", "int"), field(1, "snapshot_id", "long" if version == 1 else opt("long"))]
    if version > 1:
        fs += [field(3, "sequence_number", opt("long")), field(4, "file_sequence_number", opt("long"))]
    return {"type": "record", "name": "manifest_entry", "fields": fs + [field(2, "data_file", data_file(version, partition))]}


def long8(v):
    return v.to_bytes(8, "little", signed=True)


def entries(version, partitions):
    out = []
    for i, p in enumerate(partitions):
        n = 10 * (i + 1)
        f = {"content": 0, "file_path": f"s3://bucket/table/data/{i:05d}.parquet", "file_format": "PARQUET", "partition": p,
             "record_count": n, "file_size_in_bytes": 1000 + i, "block_size_in_bytes": 67108864,
             "column_sizes": [{"key": 1, "value": 100 + i}, {"key": 2, "value": 200}],
             "value_counts": [{"key": 1, "value": n}, {"key": 2, "value": n}],
             "null_value_counts": [{"key": 1, "value": 0}, {"key": 2, "value": i}],
             "nan_value_counts": [], "lower_bounds": [{"key": 1, "value": long8(i)}, {"key": 2, "value": b""}],
             "upper_bounds": [{"key": 1, "value": long8(i + 100)}, {"key": 2, "value": b"zz"}],
             "key_metadata": None, "split_offsets": [4, 1 << 33], "sort_order_id": 0}
        out.append({"status": 1, "snapshot_id": 42 if version == 1 else None, "sequence_number": None,
                    "file_sequence_number": None, "data_file": f})
    return out


SCHEMA = ('{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":true,"type":"long"},'
          '{"id":2,"name":"s","required":false,"type":"string"}]}')
SPEC = '[{"name":"s","transform":"identity","source-id":2,"field-id":1000}]'
PART = [field(1000, "s", opt("string"))]


def manifest(name, version, codec, sync_interval=16000):
    meta = {"schema": SCHEMA, "partition-spec": SPEC, "partition-spec-id": "0", "format-version": str(version)}
    if version > 1:
        meta["content"] = "data"
    write(name, entry_schema(version, PART), entries(version, [{"s": "x"}, {"s": None}, {"s": ""}]), codec, meta, sync_interval)


manifest("manifest_v1.avro", 1, "null")
manifest("manifest_v2.avro", 2, "deflate")
manifest("manifest_v2_null_codec.avro", 2, "null")
manifest("manifest_v3_one_each.avro", 3, "deflate", sync_interval=1)

SUMMARY = {"type": "record", "name": "r508", "fields": [
    field(509, "contains_null", "boolean"), field(518, "contains_nan", opt("boolean")),
    field(510, "lower_bound", opt("bytes")), field(511, "upper_bound", opt("bytes"))]}


def list_schema(version, old_names=False):
    files = "data_files" if old_names else "files"
    fs = [field(500, "manifest_path", "string"), field(501, "manifest_length", "long"), field(502, "partition_spec_id", "int")]
    if version > 1:
        fs += [field(517, "content", "int"), field(515, "sequence_number", "long"), field(516, "min_sequence_number", "long")]
    fs.append(field(503, "added_snapshot_id", "long"))
    for i, what in ((504, "added"), (505, "existing"), (506, "deleted")):
        fs.append(field(i, f"{what}_{files}_count", opt("int") if version == 1 else "int"))
    for i, what in ((512, "added"), (513, "existing"), (514, "deleted")):
        fs.append(field(i, f"{what}_rows_count", opt("long") if version == 1 else "long"))
    fs += [field(507, "partitions", opt({"type": "array", "items": SUMMARY, "element-id": 508})),
           field(519, "key_metadata", opt("bytes"))]
    if version > 2:
        fs.append(field(520, "first_row_id", opt("long")))
    return {"type": "record", "name": "manifest_file", "fields": fs}


LINES = [
    {"manifest_path": "s3://bucket/table/metadata/m0.avro", "manifest_length": 7000, "partition_spec_id": 0, "content": 0,
     "sequence_number": 5, "min_sequence_number": 3, "added_snapshot_id": 42, "added_files_count": 3, "existing_files_count": 0,
     "deleted_files_count": 1, "added_data_files_count": 3, "existing_data_files_count": 0, "deleted_data_files_count": 1,
     "added_rows_count": 60, "existing_rows_count": 0, "deleted_rows_count": 7,
     "partitions": [{"contains_null": True, "contains_nan": False, "lower_bound": b"", "upper_bound": b"x"}],
     "key_metadata": b"\0\1", "first_row_id": 1000},
    {"manifest_path": "s3://bucket/table/metadata/m1.avro", "manifest_length": 1 << 33, "partition_spec_id": 7, "content": 1,
     "sequence_number": 4, "min_sequence_number": 4, "added_snapshot_id": -9223372036854775808, "added_files_count": 0,
     "existing_files_count": 2, "deleted_files_count": 0, "added_data_files_count": 0, "existing_data_files_count": 2,
     "deleted_data_files_count": 0, "added_rows_count": 0, "existing_rows_count": 1 << 40, "deleted_rows_count": 0,
     "partitions": [{"contains_null": False, "contains_nan": None, "lower_bound": None, "upper_bound": None}],
     "key_metadata": None, "first_row_id": None},
]
UNCOUNTED = {"manifest_path": "m2.avro", "manifest_length": 1, "partition_spec_id": 0, "added_snapshot_id": 1,
             **{f"{w}_{n}_count": None for w in ("added", "existing", "deleted") for n in ("files", "data_files", "rows")},
             "partitions": None, "key_metadata": None}
write("list_v3.avro", list_schema(3), LINES, "deflate", {"format-version": "3"})
write("list_v2.avro", list_schema(2), LINES, "deflate", {"format-version": "2"})
write("list_v1_old_names.avro", list_schema(1, True), [LINES[0], UNCOUNTED], "deflate")
write("list_empty.avro", list_schema(2), [], "deflate")

# Puffin files with a footer as it is and one compressed with LZ4 (puffin-spec.md, "Footer structure").
FOOTER = ('{"blobs":[{"type":"deletion-vector-v1","fields":[2147483545],"snapshot-id":-1,"sequence-number":-1,"offset":4,'
          '"length":10,"properties":{"cardinality":"3","referenced-data-file":"s3://b/f.parquet"}}],'
          '"properties":{"created-by":"a test"}}').encode()


def puffin(name, payload, flags):
    with open(os.path.join(here, name), "wb") as f:
        f.write(b"PFA1" + bytes(10) + b"PFA1" + payload + len(payload).to_bytes(4, "little") + bytes([flags, 0, 0, 0]) + b"PFA1")


puffin("footer_plain.puffin", FOOTER, 0)
try:
    import lz4.frame
    puffin("footer_lz4.puffin", lz4.frame.compress(FOOTER, store_size=True), 1)
except ImportError:
    print("no lz4: footer_lz4.puffin is left as it is")
