#!/usr/bin/env python3
"""Claims of a sort order: `write-manifest --verify-sorted` takes exactly the files whose rows are in the order, by PyIceberg's transforms
and a plain comparison of neighbours; the row and both values of the first fault are told."""
import datetime, json, os, random, re, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from support import *
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.transforms import BucketTransform, DayTransform, HourTransform, IdentityTransform, MonthTransform, TruncateTransform, YearTransform
from pyiceberg.types import DateType, DecimalType, DoubleType, LongType, StringType, TimestampType
import decimal

UTC0 = datetime.datetime(1970, 1, 1)
DRAW = {
    "l": lambda r: r.randrange(-5, 6), "d": lambda r: r.choice([float("nan"), -0.0, 0.0, 1.5, float("-inf"), float("inf"), -2.0]),
    "s": lambda r: r.choice(["", "a", "ab", "abc", "é", "日本", "😀x", "zz", "abd"]), "t": lambda r: r.randrange(-10**15, 10**15),
    "day": lambda r: r.randrange(-800, 800), "dec": lambda r: r.randrange(-500, 500)}
TYPES = {"l": ("long", LongType(), pa.int64()), "d": ("double", DoubleType(), pa.float64()), "s": ("string", StringType(), pa.string()),
         "t": ("timestamp", TimestampType(), pa.timestamp("us")), "day": ("date", DateType(), pa.date32()),
         "dec": ("decimal(9, 2)", DecimalType(9, 2), pa.decimal128(9, 2))}
IDS = {c: i + 1 for i, c in enumerate(TYPES)}
TRANSFORMS = {"l": ["%s", "bucket(4, %s)", "truncate(3, %s)"], "d": ["%s"], "s": ["%s", "bucket(3, %s)", "truncate(2, %s)"],
              "t": ["%s", "years(%s)", "months(%s)", "days(%s)", "hours(%s)", "bucket(5, %s)"],
              "day": ["%s", "years(%s)", "months(%s)", "days(%s)", "bucket(3, %s)"], "dec": ["%s", "truncate(100, %s)", "bucket(4, %s)"]}
PEERS = {"bucket": BucketTransform, "truncate": TruncateTransform, "years": YearTransform, "months": MonthTransform, "days": DayTransform,
         "hours": HourTransform}


def result(term, column, v):
    """The transform's result as something that Python puts in order."""
    m = re.match(r"(\w+)\((?:(\d+), )?", term)
    t = IdentityTransform() if not m else PEERS[m.group(1)](int(m.group(2))) if m.group(2) else PEERS[m.group(1)]()
    if v is None:
        return None
    given = decimal.Decimal(v).scaleb(-2) if column == "dec" else v
    out = t.transform(TYPES[column][1])(given)
    if isinstance(out, float):
        return (1, 0, 0) if out != out else (0, out, 0 if str(out)[0] == "-" else 1)
    return out.encode() if isinstance(out, str) else out


def fault(order, rows):
    """The first row that lies before its predecessor."""
    for i in range(1, len(rows)):
        for term, column, desc, last in order:
            a, b = (result(term, column, r[column]) for r in rows[i - 1:i + 1])
            if a is None or b is None:
                if (a is None) == (b is None):
                    continue
                if (b is None) != last:
                    return i
                break
            if a == b:
                continue
            if (a > b) != desc:
                return i
            break
    return -1


def sorted_rows(order, rows):
    import functools

    def compare(x, y):
        return -1 if fault(order, [x, y]) < 0 and fault(order, [y, x]) >= 0 else 1 if fault(order, [x, y]) >= 0 else 0
    return sorted(rows, key=functools.cmp_to_key(compare))


def write(path, rows, r):
    columns, fields = [], []
    for c, (_, _, t) in TYPES.items():
        v = [x[c] for x in rows]
        if c == "dec":
            v = [None if x is None else decimal.Decimal(x).scaleb(-2) for x in v]
        a = pa.array(v, pa.int64()).cast(t) if c == "t" else pa.array(v, pa.int32()).cast(t) if c == "day" else pa.array(v, t)
        columns.append(a)
        fields.append(pa.field(c, t, True, {"PARQUET:field_id": str(IDS[c])}))
    pq.write_table(pa.Table.from_arrays(columns, schema=pa.schema(fields)), path, row_group_size=r.choice([3, 10, 1000]),
                   use_dictionary=r.random() < 0.5, data_page_size=r.choice([20, 1 << 20]), store_schema=False)


def case(counts, folder, n):
    r = random.Random(n)
    order = []
    for column in r.sample(sorted(TYPES), r.randrange(1, 4)):
        order.append((r.choice(TRANSFORMS[column]) % column, column, r.random() < 0.5, r.random() < 0.5))
    text = ", ".join("%s %s nulls %s" % (t, "desc" if d else "asc", "last" if l else "first") for t, _, d, l in order)
    rows = [{c: None if r.random() < 0.15 else DRAW[c](r) for c in TYPES} for _ in range(r.choice([0, 1, 2, 30, 200]))]
    rows = sorted_rows(order, rows)
    if len(rows) > 1 and r.random() < 0.6:
        i, k = r.randrange(len(rows)), r.randrange(len(rows))
        rows[i], rows[k] = rows[k], rows[i]
    want = fault(order, rows)
    base = os.path.join(folder, str(n))
    os.makedirs(base)
    with open(base + "/schema.json", "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [
            {"id": IDS[c], "name": c, "required": False, "type": t[0]} for c, t in TYPES.items()]}, f)
    must("create", base + "/t", "--schema", base + "/schema.json", "--sort-by", text)
    write(base + "/f.parquet", rows, r)
    name = "%d: %s, %d rows, fault at %d" % (n, text, len(rows), want)
    status, out, err = lakectl("write-manifest", "--table", base + "/t", "-o", base + "/m.avro", "--verify-sorted", base + "/f.parquet")
    if want < 0:
        if counts.check(name, status and err):
            with open(base + "/m.avro", "rb") as f:
                counts.equal(name + ": recorded", [e["data_file"]["sort_order_id"] for e in fastavro.reader(f)], [1])
        return
    m = re.search(r"row (\d+) \(counted from 0\) has (\S+) (.*) after (.*) \(", err)
    bad = None
    if status != 4 or not m:
        bad = "exit status %d: %s" % (status, err)
    elif int(m.group(1)) != want:
        bad = "told of row %s: %s" % (m.group(1), err)
    elif os.path.exists(base + "/m.avro"):
        bad = "a manifest is left"
    elif m.group(2) in ("l", "s"):
        told = [None if x == "null" else int(x) if m.group(2) == "l" else x for x in (m.group(3), m.group(4))]
        if told != [rows[want][m.group(2)], rows[want - 1][m.group(2)]]:
            bad = "told of %s: %s" % (told, err)
    counts.check(name, bad)
    status, out, err = lakectl("append", base + "/t", "--sort-order", "1", base + "/f.parquet")
    counts.check(name + ": believed", status and err)


def refusals(counts, folder):
    base = os.path.join(folder, "refusals")
    os.makedirs(base)
    with open(base + "/schema.json", "w") as f:
        json.dump({"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "l", "required": False, "type": "long"}]}, f)
    must("create", base + "/plain", "--schema", base + "/schema.json")
    must("create", base + "/sorted", "--schema", base + "/schema.json", "--sort-by", "l")
    pq.write_table(pa.table({"l": [1, 2]}), base + "/f.parquet")
    for table, args, want in [
            ("plain", ["--verify-sorted"], "the table has no default sort order"), ("plain", ["--sort-order", "1"], "the table has no sort order 1"),
            ("sorted", ["--sort-order", "2"], "the table has no sort order 2"), ("sorted", ["--sort-order", "-1"], "no id of an order"),
            ("sorted", ["--sort-order", "1", "--content", "position-deletes"], "position deletes are sorted by file and position")]:
        status, out, err = lakectl("write-manifest", "--table", base + "/" + table, "-o", base + "/m.avro", *args, base + "/f.parquet")
        counts.check("refused: %s %s" % (table, args), None if status == 2 and want in err else "%d: %s" % (status, err))
    status, out, err = lakectl("write-manifest", "--table", base + "/sorted", "-o", base + "/m0.avro", "--sort-order", "0", base + "/f.parquet")
    counts.check("order 0", status and err)


def main():
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        refusals(counts, folder)
        both(lambda n: case(counts, folder, n), range(int(os.environ.get("CASES", "60"))))
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
