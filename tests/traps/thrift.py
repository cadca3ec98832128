"""The compact protocol of Thrift, read and written without a schema, to make Parquet footers as odd as a trap needs.

A struct is a dict {field id: (type, value)}; a list is (element type, [values])."""
import struct

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        out = shift = 0
        while True:
            b = self.data[self.at]
            self.at += 1
            out |= (b & 127) << shift
            shift += 7
            if b < 128:
                return out

    def signed(self):
        n = self.varint()
        return n >> 1 ^ -(n & 1)

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def value(self, t, inside_list=False):
        if t in (TRUE, FALSE):
            return self.take(1)[0] == 1 if inside_list else t == TRUE
        if t == BYTE:
            return self.take(1)[0]
        if t in (I16, I32, I64):
            return self.signed()
        if t == DOUBLE:
            return struct.unpack("<d", self.take(8))[0]
        if t == BINARY:
            return self.take(self.varint())
        if t in (LIST, SET):
            head = self.take(1)[0]
            n = head >> 4 if head >> 4 != 15 else self.varint()
            return head & 15, [self.value(head & 15, True) for _ in range(n)]
        if t == STRUCT:
            out, last = {}, 0
            while (head := self.take(1)[0]) != 0:
                last = last + (head >> 4) if head >> 4 else self.signed()
                out[last] = (head & 15, self.value(head & 15))
            return out
        raise ValueError("type %d" % t)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def signed(n):
    return varint((n << 1 ^ n >> 63) & (1 << 64) - 1)


def put(t, v, inside_list=False):
    if t in (TRUE, FALSE):
        return bytes([1 if v else 2]) if inside_list else b""
    if t == BYTE:
        return bytes([v])
    if t in (I16, I32, I64):
        return signed(v)
    if t == DOUBLE:
        return struct.pack("<d", v)
    if t == BINARY:
        return varint(len(v)) + v
    if t in (LIST, SET):
        of, items = v
        head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([0xf0 | of]) + varint(len(items))
        return head + b"".join(put(of, x, True) for x in items)
    out, last = b"", 0
    for id in sorted(v):
        t, x = v[id]
        t = (TRUE if x else FALSE) if t in (TRUE, FALSE) else t
        out += bytes([id - last << 4 | t]) if 0 < id - last < 16 else bytes([t]) + signed(id)
        out += put(t, x)
        last = id
    return out + b"\0"


def edit_footer(path, change):
    """Rewrites the footer of a Parquet file in place: change(FileMetaData as a dict)."""
    with open(path, "rb") as f:
        data = f.read()
    n = int.from_bytes(data[-8:-4], "little")
    meta = Reader(data[-8 - n:-8]).value(STRUCT)
    if put(STRUCT, meta) != data[-8 - n:-8]:
        raise ValueError("the footer of %s does not come back as it was" % path)
    change(meta)
    footer = put(STRUCT, meta)
    with open(path, "wb") as f:
        f.write(data[:-8 - n] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def statistics_of(meta, group=0, column=0):
    """The statistics of a column chunk: 1 max, 2 min (deprecated), 3 null_count, 5 max_value, 6 min_value."""
    return meta[4][1][1][group][1][1][1][column][3][1][12][1]
