#!/usr/bin/env python3
"""Row groups, case by case: faults that others had with footers, filters and indexes (spec/errata.md, TRAPS parts A, B, D, F11).
Each case is one file of one row group; a predicate must keep the file, or must drop it by its footer alone."""
import json, os, shutil, struct, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "traps")]
from support import *
import thrift
import datetime, decimal
import pyarrow as pa
import pyarrow.parquet as pq

KEEP, DROP = True, False
NAN = float("nan")
D = decimal.Decimal
UTC = datetime.timezone.utc
T = lambda ms: datetime.datetime(2024, 1, 1) + datetime.timedelta(milliseconds=ms)
BLOOM = {"bloom_filter_options": {"x": {"ndv": 100, "fpp": 0.0001}}, "use_dictionary": False}
PLAIN = {"use_dictionary": False}

NS = lambda *n: pa.array(n, pa.int64()).cast(pa.timestamp("ns"))
HALF = lambda *x: pa.array([struct.unpack("<e", struct.pack("<e", v))[0] for v in x], pa.float32()).cast(pa.float16())


def bytes_as_decimal(meta):
    """Turns the column of bytes into one of decimal(9, 2), without statistics."""
    element = meta[2][1][1][1]
    element.update({6: (thrift.I32, 5), 7: (thrift.I32, 2), 8: (thrift.I32, 9)})
    element[10] = (thrift.STRUCT, {5: (thrift.STRUCT, {1: (thrift.I32, 2), 2: (thrift.I32, 9)})})
    meta[4][1][1][0][1][1][1][0][3][1].pop(12, None)


# name, Iceberg type, array, how it is written, [(predicate, keep or drop)]
CASES = [
    ("int promoted to long, with a filter over 4 bytes", "long", pa.array([1, 5, 900], pa.int32()), BLOOM,
     [("x = 5", KEEP), ("x = 6", DROP), ("x IN (2, 3, 1099511627776)", DROP), ("x IN (2, 900)", KEEP), ("x <> 6", KEEP)]),
    ("a long in the file of an int column", "int", pa.array([1, 5]), PLAIN, [("x = 7", KEEP), ("x IS NULL", DROP)]),
    ("float promoted to double", "double", pa.array([0.1, 7.5], pa.float32()), BLOOM,
     [("x = 0.10000000149011612", KEEP), ("x = 7.5", KEEP), ("x = 7.25", DROP), ("x = 1e300", DROP)]),
    ("unsigned 32 bits as long", "long", pa.array([0, 4000000000, 7], pa.uint32()), BLOOM,
     [("x = 4000000000", KEEP), ("x > 3999999999", KEEP), ("x < 0", DROP), ("x = 3999999998", DROP), ("x > 4000000000", DROP)]),
    ("unsigned 32 bits that an int cannot hold", "int", pa.array([0, 4000000000, 7], pa.uint32()), BLOOM,
     [("x = -294967296", KEEP), ("x < 0", KEEP), ("x = 5", KEEP)]),
    ("unsigned 32 bits that an int cannot hold, in a dictionary", "int", pa.array([0, 4000000000, 7], pa.uint32()), {},
     [("x = -294967296", KEEP), ("x < 0", KEEP), ("x = 5", KEEP)]),
    ("milliseconds in a column of microseconds", "timestamp", pa.array([T(0), T(1500), T(9000)], pa.timestamp("ms")), BLOOM,
     [("x = TIMESTAMP '2024-01-01 00:00:01.5'", KEEP), ("x = TIMESTAMP '2024-01-01 00:00:01.500001'", DROP),
      ("x = TIMESTAMP '2024-01-01 00:00:02'", DROP), ("x > TIMESTAMP '2024-01-01 00:00:09'", DROP)]),
    ("INT96", "timestamptz", pa.array([T(0), T(1500)], pa.timestamp("us")), {"use_deprecated_int96_timestamps": True},
     [("x = TIMESTAMP WITH TIME ZONE '2024-01-01 00:00:01.5+00:00'", KEEP), ("x IS NULL", KEEP)]),
    ("no statistics", "int", pa.array([1, None, 3], pa.int32()), {"write_statistics": False, "use_dictionary": False},
     [("x = 2", KEEP), ("x IS NULL", KEEP), ("x IS NOT NULL", KEEP), ("x > 100", KEEP)]),
    ("some nulls", "int", pa.array([1, None, 3], pa.int32()), PLAIN,
     [("x IS NOT NULL", KEEP), ("x IS NULL", KEEP), ("x = 4", DROP), ("NOT (x = 1)", KEEP), ("x <> 1", KEEP)]),
    ("no nulls", "int", pa.array([3, 3, 3], pa.int32()), PLAIN, [("x IS NULL", DROP), ("x <> 3", DROP), ("x IS NOT NULL", KEEP)]),
    ("only nulls", "int", pa.array([None, None], pa.int32()), PLAIN, [("x IS NULL", KEEP), ("x IS NOT NULL", DROP), ("x < 5 OR x >= 5", DROP)]),
    ("NaN is outside the bounds", "double", pa.array([1.0, NAN, 2.0]), PLAIN,
     [("x > 5", DROP), ("NOT (x < 5)", KEEP), ("x IS NAN", KEEP), ("x <> 1", KEEP)]),
    ("NaN is the largest", "double", pa.array([1.0, NAN, 2.0]), PLAIN, [("largest: x > 5", KEEP), ("largest: x < 1", DROP)]),
    ("only NaN", "double", pa.array([NAN, NAN]), PLAIN, [("x IS NAN", KEEP), ("x = 5", KEEP), ("NOT (x = 5)", KEEP)]),
    ("a dictionary with NaN", "double", pa.array([1.0, NAN, 2.0]), {}, [("x IS NAN", KEEP), ("x = 1.5", DROP), ("largest: x > 5", KEEP)]),
    ("a dictionary without NaN", "double", pa.array([1.0, 2.0]), {}, [("x IS NAN", DROP), ("largest: x > 5", DROP), ("x = 2", KEEP)]),
    ("minus zero in a filter", "double", pa.array([-1.0, -0.0, 1.0]), BLOOM, [("x = 0", KEEP), ("x = -0.0", KEEP), ("x IN (0.0, 7)", KEEP)]),
    ("plus zero in a filter", "float", pa.array([-1.0, 0.0, 1.0], pa.float32()), BLOOM, [("x = -0.0", KEEP), ("x = 0", KEEP), ("x = 0.5", DROP)]),
    ("minus zero as a bound", "double", pa.array([-0.0, -0.0]), PLAIN, [("x = 0", KEEP), ("x >= 0", KEEP), ("x < 0", DROP)]),
    ("decimal in bytes", "decimal(9, 2)", pa.array([D("-1.50"), D("3.25")], pa.decimal128(9, 2)), BLOOM,
     [("x = -1.5", KEEP), ("x = 3.25", KEEP), ("x = 1.11", DROP), ("x = 3.250", KEEP)]),
    ("decimal in an int", "decimal(9, 2)", pa.array([D("-1.50"), D("3.25")], pa.decimal128(9, 2)), dict(BLOOM, store_decimal_as_integer=True),
     [("x = -1.5", KEEP), ("x = 3.25", KEEP), ("x = 1.11", DROP), ("x > 3.25", DROP)]),
    ("decimal of 38 digits", "decimal(38, 0)", pa.array([D(-10**37), D(10**37)], pa.decimal128(38, 0)), BLOOM,
     [("x = %d" % 10**37, KEEP), ("x = -%d" % 10**37, KEEP), ("x = 17", DROP), ("x < -%d" % 10**37, DROP)]),
    ("decimal in a narrower file", "decimal(18, 2)", pa.array([D("-1.50"), D("3.25")], pa.decimal128(5, 2)), BLOOM,
     [("x = -1.5", KEEP), ("x = 1.11", DROP), ("x = 99999999999.99", DROP)]),
    ("strings", "string", pa.array(["", "a", "ab", "日本"]), BLOOM,
     [("x = ''", KEEP), ("x = 'ab'", KEEP), ("x = 'aa'", DROP), ("x IN ('b', 'c', '日')", DROP), ("x LIKE 'a%'", KEEP), ("x LIKE 'b%'", KEEP)]),
    ("strings in a dictionary", "string", pa.array(["a", "ab", "日本"]), {},
     [("x = 'ab'", KEEP), ("x LIKE 'b%'", DROP), ("x > 'b' AND x < 'c'", DROP), ("x LIKE '日%'", KEEP), ("x NOT IN ('a', 'ab', '日本')", DROP)]),
    ("a dictionary that some pages do not use", "int", pa.array(list(range(0, 2000, 2)), pa.int32()),
     {"dictionary_pagesize_limit": 64, "data_page_size": 64, "write_batch_size": 8, "write_page_index": False},
     [("x = 1990", KEEP), ("x = 1991", KEEP), ("x = 0", KEEP)]),
    ("uuid", "uuid", pa.array([bytes(range(16)), b"\xff" * 16], pa.binary(16)), BLOOM,
     [("x = UUID '00010203-0405-0607-0809-0a0b0c0d0e0f'", KEEP), ("x = UUID '00010203-0405-0607-0809-0a0b0c0d0e0e'", DROP)]),
    ("dates", "date", pa.array([0, 20000], pa.int32()).cast(pa.date32()), BLOOM,
     [("x = DATE '2024-10-04'", KEEP), ("x = DATE '2024-10-03'", DROP), ("years(x) = 54", KEEP), ("years(x) = 60", DROP)]),
    ("half floats", "float", HALF(0.5, -3.25, 65504.0, 6e-8, 0.1), BLOOM,
     [("x = 0.5", KEEP), ("x = -3.25", KEEP), ("x = 65504", KEEP), ("x = 0.25", DROP), ("x = 0.50048828125", DROP), ("x = 0.5001", DROP),
      ("x = 0.0999755859375", KEEP), ("x = 5.9604644775390625e-8", KEEP), ("x = 1.1920928955078125e-7", DROP), ("x = 1000", DROP),
      ("x IN (0.25, 65504.0)", KEEP), ("x IN (0.25, 3.25)", DROP), ("x = 0.5 AND x > 0.4", KEEP), ("x IS NAN", KEEP)]),
    ("zeros of half floats", "float", HALF(-0.0, 1.0, -1.0), BLOOM, [("x = 0", KEEP), ("x = -0.0", KEEP), ("x = 0.5", DROP)]),
    ("plus zero of half floats", "double", HALF(0.0, 1.0, -1.0), BLOOM, [("x = 0", KEEP), ("x = -0.0", KEEP), ("x = 1e-300", DROP), ("x = 1", KEEP)]),
    ("infinite half floats", "float", HALF(float("inf"), 1.0), BLOOM, [("x = 65520", DROP), ("x > 70000", KEEP), ("x = 1", KEEP), ("x = 1e30", DROP)]),
    ("NaN in a filter", "double", pa.array([1.0, NAN, 2.0]), BLOOM, [("x IS NAN", KEEP), ("x = 1.5", DROP), ("x = 2", KEEP), ("x <> 2", KEEP),
      ("x IS NAN OR x = 1.5", KEEP), ("largest: x > 5", KEEP), ("largest: x = 1.5", DROP)]),
    ("milliseconds of a time", "time", pa.array([0, 1500, 86399999], pa.int32()).cast(pa.time32("ms")), BLOOM,
     [("x = TIME '00:00:01.5'", KEEP), ("x = TIME '00:00:01.500001'", DROP), ("x = TIME '00:00:02'", DROP), ("x = TIME '23:59:59.999'", KEEP)]),
    ("microseconds of a time", "time", pa.array([0, 1500, 86399999999], pa.int64()).cast(pa.time64("us")), BLOOM,
     [("x = TIME '00:00:00.0015'", KEEP), ("x = TIME '00:00:00.001501'", DROP)]),
    ("nanoseconds of a time: many read as one", "time", pa.array([1999, 5000000], pa.int64()).cast(pa.time64("ns")), BLOOM,
     [("x = TIME '00:00:00.000001'", KEEP), ("x = TIME '00:00:00.005'", KEEP), ("x = TIME '00:00:01'", DROP)]),
    ("nanoseconds in a column of microseconds", "timestamp", NS(1999, 5000000, -1), BLOOM,
     [("x = TIMESTAMP '1970-01-01 00:00:00.000001'", KEEP), ("x = TIMESTAMP '1970-01-01 00:00:00.005'", KEEP),
      ("x = TIMESTAMP '1969-12-31 23:59:59.999999'", KEEP), ("x = TIMESTAMP '1970-01-01 00:00:01'", DROP)]),
    ("microseconds in a column of nanoseconds", "timestamp_ns", pa.array([1, 5000], pa.int64()).cast(pa.timestamp("us")), BLOOM,
     [("x = TIMESTAMP '1970-01-01 00:00:00.000001'", KEEP), ("x = TIMESTAMP '1970-01-01 00:00:00.005'", KEEP),
      ("x = TIMESTAMP '1970-01-01 00:00:00.000001001'", DROP), ("x = TIMESTAMP '1970-01-01 00:00:00.000002'", DROP)]),
    ("milliseconds in a column of nanoseconds", "timestamptz_ns", pa.array([1, 5], pa.int64()).cast(pa.timestamp("ms", "UTC")), BLOOM,
     [("x = TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00.001+00:00'", KEEP), ("x = TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00.002+00:00'", DROP),
      ("x = TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00.005000001+00:00'", DROP)]),
    ("nanoseconds", "timestamp_ns", NS(1001, 1003), BLOOM, [("x = TIMESTAMP '1970-01-01 00:00:00.000001001'", KEEP),
      ("x = TIMESTAMP '1970-01-01 00:00:00.000001002'", DROP)]),
    ("a date promoted to a timestamp", "timestamp", pa.array([0, 20000], pa.int32()).cast(pa.date32()), BLOOM,
     [("x = TIMESTAMP '2024-10-04 00:00:00'", KEEP), ("x = TIMESTAMP '2024-10-04 00:00:01'", DROP), ("x = TIMESTAMP '2024-10-03 00:00:00'", DROP)]),
    ("binary", "binary", pa.array([b"", b"\x00", b"\xff\xfe"]), BLOOM, [("x = X''", KEEP), ("x = X'00'", KEEP), ("x = X'0000'", DROP), ("x = X'fffe'", KEEP)]),
    ("fixed", "fixed[2]", pa.array([b"\x00\x01", b"\xff\xfe"], pa.binary(2)), BLOOM, [("x = X'0001'", KEEP), ("x = X'0002'", DROP), ("x = X'fffe'", KEEP)]),
    ("decimals in bytes of the least length", "decimal(9, 2)", pa.array([b"\x01", b"\xff", b"\x01\x45"]), dict(BLOOM, change=bytes_as_decimal),
     [("x = 0.01", KEEP), ("x = -0.01", KEEP), ("x = 3.25", KEEP), ("x IS NULL", KEEP)]),
    ("decimals in bytes that are padded", "decimal(9, 2)", pa.array([b"\0\0\0\x01", b"\xff\xff\xff\xff", b"\0\0\x01\x45"]), dict(BLOOM, change=bytes_as_decimal),
     [("x = 0.01", KEEP), ("x = -0.01", KEEP), ("x = 3.25", KEEP)]),
    ("padded decimals in a dictionary", "decimal(9, 2)", pa.array([b"\0\0\0\x01", b"\xff\xff\xff\xff", b"\0\0\x01\x45"]), {"change": bytes_as_decimal},
     [("x = 0.01", KEEP), ("x = -0.01", KEEP), ("x = 3.25", KEEP), ("x = 0.02", DROP), ("x > 4", DROP), ("x < -0.01", DROP)]),
    ("few integers between", "long", pa.array([0, 100]), BLOOM, [("x > 10 AND x < 20", DROP), ("x BETWEEN 99 AND 101", KEEP), ("x > 10 AND x < 90", KEEP)]),
    ("AND and OR over filters", "long", pa.array([0, 50, 100]), BLOOM,
     [("x = 7 OR x = 8", DROP), ("x = 7 OR y = 1", KEEP), ("x = 7 AND y = 1", DROP), ("NOT (x <> 7)", DROP), ("(x = 7) IS TRUE", DROP),
      ("(x = 7) IS NOT TRUE", KEEP), ("CASE WHEN x = 7 THEN TRUE ELSE FALSE END", DROP)]),
]


def write(folder, number, case):
    name, type_, array, how, _ = case
    path, table = os.path.join(folder, "%d.parquet" % number), os.path.join(folder, str(number))
    how = dict(how)
    change = how.pop("change", None)
    fields = [pa.field("x", array.type, metadata={"PARQUET:field_id": "1"}), pa.field("y", pa.int32(), metadata={"PARQUET:field_id": "2"})]
    pq.write_table(pa.Table.from_arrays([array, pa.array([1] * len(array), pa.int32())], schema=pa.schema(fields)), path, store_schema=False, **how)
    if change:
        thrift.edit_footer(path, change)
    schema = {"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "required": False, "type": type_}, {"id": 2, "name": "y", "required": False, "type": "int"},
        {"id": 3, "name": "later", "required": False, "type": "string"}]}
    with open(table + ".json", "w") as f:
        json.dump(schema, f)
    # Without metrics in the manifest only the footer can tell.
    must("create", table, "--schema", table + ".json", "--format-version", 3 if type_.endswith("_ns") else 2, "--property", "write.metadata.metrics.default=none")
    must("append", table, path)
    return os.path.join(table, "metadata", "v2.metadata.json")


def run(counts, folder):
    for number, case in enumerate(CASES):
        try:
            metadata = write(folder, number, case)
        except LakectlFailed as e:
            counts.fail(case[0], str(e))
            continue
        requests = []
        for p, _ in case[4] + [("later IS NULL", KEEP), ("later IS NOT NULL", DROP), ("later = 'a'", DROP)]:
            largest = p.startswith("largest: ")
            requests.append({"name": p, "metadata": metadata, "form": "groups", "nan": "largest" if largest else "iceberg",
                             "predicate": p[9:] if largest else p})
        wanted = [k for _, k in case[4]] + [KEEP, DROP, DROP]
        for q, want, a in zip(requests, wanted, plan_cases(requests, [])):
            bad = a.get("message")
            if not bad and bool(a["files"]) != want:
                bad = "kept" if a["files"] else "dropped"
            if not bad and not a["files"] and a["counts"]["groups"][0] != 1 and "(x" not in q["predicate"]:
                bad = "not dropped by its footer"
            counts.check("%s: %s" % (case[0], q["name"]), bad)


def main():
    counts = Counts()
    folder = tempfile.mkdtemp(prefix="lake-cases.")
    try:
        run(counts, os.path.realpath(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
