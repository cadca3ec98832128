"""Part D of TRAPS, and B and C of Parquet: footers whose statistics lie, lack or use the old order. From the data all comes out
right (write-manifest, stats); with --footer-only only what can be trusted is told."""
import decimal

from table import *
from columns import entry, of
from manifests import created, parquet
from thrift import *
import pyarrow as pa


def told(path, *options):
    """{column: what `stats` says}, by name."""
    return {c["name"]: c for c in json.loads(must("stats", path, "--format", "json", *options))["files"][0]["columns"]}


def odd(name, type, arrow, values, change, want, truth, groups=None):
    """want: (nulls, lower hex, upper hex) that --footer-only may at most claim, None for unknown; truth: the same from the data."""
    folder, t = created([(1, "x", type)], None)
    path = parquet(folder, "f.parquet", [(1, "x", arrow)], [(v,) for v in values])
    if groups:
        import pyarrow.parquet as pq
        pq.write_table(pq.read_table(path), path, row_group_size=groups)
    edit_footer(path, change)
    try:
        c = told(path, "--footer-only")["x"]
        counts.equal(name + ", footer only", [c.get("null-value-count"), c.get("lower-bound-hex"), c.get("upper-bound-hex")], list(want))
        d = entry(t, path, "full")
        counts.equal(name + ", from the data", [of(d, "null_value_counts"), of(d, "lower_bounds"), of(d, "upper_bounds")], list(truth))
        rows_stay(name, type, path, values)
    except LakectlFailed as e:
        counts.fail(name, str(e))


def literal(v):
    return "'%s'" % v if isinstance(v, str) else "X'%s'" % v.hex() if isinstance(v, bytes) else "%r" % v if isinstance(v, float) else str(v)


def rows_stay(name, type, path, values):
    """plan --row-groups, by the footer alone: the row groups that hold a value stay for it."""
    folder, t = created([(1, "x", type)], None, 2, "--property", "write.metadata.metrics.default=none")
    must("append", t, path)
    for v in dict.fromkeys(values):
        for where in ["x IS NULL"] if v is None else ["x = " + literal(v), "x >= " + literal(v), "x <= " + literal(v)]:
            tasks = json.loads(must("plan", t, "--where", where, "--row-groups", "--format", "json"))["file-scan-tasks"]
            counts.check("%s, row groups for %s" % (name, where), not any(g["rows"] > 0 and g["row-ranges"] for task in tasks for g in task["row-groups"]) and short(tasks))


def old(lo, up, nulls=0):
    """The deprecated min and max alone."""
    def change(meta):
        s = statistics_of(meta)
        s.clear()
        s.update({1: (BINARY, up), 2: (BINARY, lo), 3: (I64, nulls)})
        meta.pop(7, None)
    return change


def new(lo, up, nulls=0):
    def change(meta):
        s = statistics_of(meta)
        s.clear()
        s.update({3: (I64, nulls), 5: (BINARY, up), 6: (BINARY, lo)})
    return change


def run():
    h = bytes.fromhex
    words = ["三星应用商店", "vivo预装", "360手机助手"]
    right = (tx("360手机助手"), tx("三星应用商店"))
    odd("D7 old min and max of text", "string", pa.string(), words, old("三星应用商店".encode(), "vivo预装".encode()), (0, None, None), (0, *right))
    odd("D7 old min and max of text, equal", "string", pa.string(), words, old("三".encode(), "三".encode()), (0, None, None), (0, *right))
    odd("D7 old min and max of ints are in their order", "int", pa.int32(), [-5, 7], old(h(i4(-5)), h(i4(7))), (0, i4(-5), i4(7)), (0, i4(-5), i4(7)))
    odd("D7 old min and max of fixed", "fixed[2]", pa.binary(2), [b"\x80\0", b"\x01\0"], old(b"\x80\0", b"\x01\0"), (0, None, None), (0, "0100", "8000"))
    # parquet-mr before 1.8 kept a reused array as both (PARQUET-251): equal ones of bytes say nothing
    odd("D7 old min and max of fixed, equal", "fixed[2]", pa.binary(2), [b"\x01\0", b"\x02\0"], old(b"\x02\0", b"\x02\0"), (0, None, None), (0, "0100", "0200"))
    odd("D7 old min and max of decimals in fixed, equal", "decimal(9,2)", pa.decimal128(9, 2), [decimal.Decimal("1.20"), decimal.Decimal("1.21")],
        old(h("00000079"), h("00000079")), (0, None, None), (0, "78", "79"))

    def no_order(meta):
        meta.pop(7)
    odd("D7 min_value without a column order, text", "string", pa.string(), words, no_order, (0, None, None), (0, *right))
    odd("D8 old min and max of unsigned ints", "long", pa.uint32(), [0, 4000000000, 7], old(h(i4(-294967296)), h(i4(7))), (0, None, None), (0, i8(0), i8(4000000000)))
    odd("D8 unsigned ints", "long", pa.uint32(), [0, 4000000000, 7], lambda m: None, (0, i8(0), i8(4000000000)), (0, i8(0), i8(4000000000)))

    def no_nulls(group):
        def change(meta):
            statistics_of(meta, group).pop(3)
        return change
    for group in (0, 1):
        odd("D4 row group %d has no null count" % group, "int", pa.int32(), [None, 2, 3, None], no_nulls(group), (None, i4(2), i4(3)), (2, i4(2), i4(3)), 2)

    def without(meta):
        meta[4][1][1][1][1][1][1][0][3][1].pop(12)
    odd("D9 row group 1 has no statistics", "int", pa.int32(), [None, 2, 99, None], without, (None, None, None), (2, i4(2), i4(99)), 2)

    def all_without(meta):
        for g in meta[4][1][1]:
            g[1][1][1][0][3][1].pop(12)
    odd("D10 no statistics at all", "int", pa.int32(), [5, 7], all_without, (None, None, None), (0, i4(5), i4(7)))
    odd("D10 a null count beyond the rows", "int", pa.int32(), [5, 7], new(h(i4(5)), h(i4(7)), 3), (None, i4(5), i4(7)), (0, i4(5), i4(7)))
    odd("D10 a negative null count", "int", pa.int32(), [5, 7], new(h(i4(5)), h(i4(7)), -1), (None, i4(5), i4(7)), (0, i4(5), i4(7)))
    odd("A9 inverted statistics", "int", pa.int32(), [5, 7], new(h(i4(7)), h(i4(5))), (0, None, None), (0, i4(5), i4(7)))
    odd("C10 statistics of the wrong width", "int", pa.int32(), [5, 7], new(h(i8(5)), h(i8(7))), (0, None, None), (0, i4(5), i4(7)))
    odd("D statistics of no bytes", "int", pa.int32(), [5, 7], new(b"", b""), (0, None, None), (0, i4(5), i4(7)))
    odd("I7 statistics of the empty string", "string", pa.string(), ["", "b"], new(b"", b"b"), (0, "", tx("b")), (0, "", tx("b")))
    odd("B4 NaN as statistics", "double", pa.float64(), [1.0, 2.0], new(h(f8(NAN)), h(f8(NAN))), (0, None, None), (0, f8(1), f8(2)))
    odd("B4 NaN as the upper statistic", "double", pa.float64(), [1.0, 2.0], new(h(f8(1)), h(f8(NAN))), (0, None, None), (0, f8(1), f8(2)))
    odd("B zero as statistics may be of either sign", "double", pa.float64(), [0.0, -0.0], new(h(f8(0.0)), h(f8(0.0))), (0, f8(-0.0), f8(0.0)), (0, f8(-0.0), f8(0.0)))
    odd("D5 decimals in bytes of another length", "decimal(9,2)", pa.decimal128(9, 2), [None, decimal.Decimal("1.20")], new(h("0078"), h("0078"), 1), (1, None, None), (1, "78", "78"))
