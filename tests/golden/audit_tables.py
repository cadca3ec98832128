"""Copies of corpus tables whose metadata can be damaged (with fastavro, not with lakectl), and what brute force by pyarrow says of their
files: for audit.py."""
import decimal, glob, gzip, json, os, shutil, struct, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

WIDE = decimal.Context(prec=80)
fastavro.write.LOGICAL_WRITERS.clear()          # raw Avro values
fastavro.read.LOGICAL_READERS.clear()
PREFIX = "s3://lake-corpus/"
WORK = tempfile.mkdtemp(prefix="lake-audit.")


def current_metadata(folder):
    number = lambda p: int(os.path.basename(p).lstrip("v").split(".")[0])
    return max(glob.glob(folder + "/metadata/v*.metadata.json*") + glob.glob(folder + "/metadata/v*.gz.metadata.json"), key=number)


def read_json(path):
    with open(path, "rb") as f:
        data = f.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


class Avro:
    """An Avro file as a list of records; `write` keeps its schema, header and codec."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            r = fastavro.reader(f)
            self.meta = {k: v for k, v in r.metadata.items() if not k.startswith("avro.")}
            self.schema, self.codec = json.loads(r.metadata["avro.schema"]), r.codec
            self.rows = list(r)

    def write(self):
        with open(self.path, "wb") as f:
            fastavro.writer(f, fastavro.parse_schema(self.schema), self.rows, codec=self.codec, metadata=self.meta)


class Copy:
    """A table of the corpus in a folder of its own. Its locations stay as they are."""

    def __init__(self, name):
        self.name, self.root = name, tempfile.mkdtemp(dir=WORK)
        self.folder = os.path.join(self.root, "given", name)
        shutil.copytree(os.path.join(CORPUS, "given", name), self.folder)
        for p in ("cases.ndjson", "java_errors.ndjson"):                       # the corpus' own
            if os.path.exists(os.path.join(self.folder, p)):
                os.remove(os.path.join(self.folder, p))
        self.metadata_path = current_metadata(self.folder)
        self.load()

    def load(self):
        self.json = read_json(self.metadata_path)
        j = self.json
        self.version, self.snapshot = j["format-version"], next(s for s in j["snapshots"] if s["snapshot-id"] == j["current-snapshot-id"])
        self.schema = next((s for s in j.get("schemas", []) if s["schema-id"] == j.get("current-schema-id")), j.get("schema"))
        self.specs = {s["spec-id"]: s["fields"] for s in j["partition-specs"]}
        self.list = Avro(self.local(self.snapshot["manifest-list"]))
        self.manifests = [Avro(self.local(l["manifest_path"])) for l in self.list.rows]

    def local(self, location):
        return os.path.join(self.root, location[len(PREFIX):]) if location.startswith(PREFIX) else location

    def entries(self, content=0):
        """(line, manifest, entry) of the live files."""
        for l, m in zip(self.list.rows, self.manifests):
            for e in m.rows:
                if e["status"] != 2 and e["data_file"].get("content", 0) == content:
                    yield l, m, e

    def write(self, lengths=True):
        for l, m in zip(self.list.rows, self.manifests):
            m.write()
            if lengths:
                l["manifest_length"] = os.path.getsize(m.path)
        self.list.write()
        with open(self.metadata_path, "wb") as f:
            f.write(json.dumps(self.json).encode())

    def args(self):
        return ["--map", "%s=%s/" % (PREFIX, self.root)]

    def audit(self, *more):
        """(exit status, document or error text)"""
        status, out, err = lakectl(*self.args(), "audit", self.folder, "--format", "json", *more)
        try:
            return status, json.loads(out)
        except ValueError:
            return status, err.strip() or out

    def drop(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def leaves(self):
        """{id: (path of names, type)} of the columns that are in no list or map."""
        out = {}

        def walk(fields, path):
            for f in fields:
                t = f["type"]
                if isinstance(t, str):
                    out[f["id"]] = (path + [f["name"]], t)
                elif t["type"] == "struct":
                    walk(t["fields"], path + [f["name"]])
        walk(self.schema["fields"], [])
        return out


# ---------------------------------------------------------------- single values (spec.md, Appendix D)
def is_bytes(t):
    return t in ("string", "uuid", "binary") or t.startswith("fixed")


def encode(t, v):
    if is_bytes(t):
        return v
    if t.startswith("decimal"):
        n = 1
        while not -(1 << 8 * n - 1) <= v < 1 << 8 * n - 1:
            n += 1
        return v.to_bytes(n, "big", signed=True)
    if t == "boolean":
        return b"\1" if v else b"\0"
    return struct.pack({"int": "<i", "date": "<i", "float": "<f", "double": "<d"}.get(t, "<q"), v)


def decode(t, b):
    if is_bytes(t):
        return b
    if t.startswith("decimal"):
        return int.from_bytes(b, "big", signed=True)
    if t == "boolean":
        return b[0]
    return struct.unpack(("<f" if len(b) == 4 else "<d") if t in ("float", "double") else "<i" if len(b) == 4 else "<q", b)[0]


def order(v):
    """The total order of bounds: -0.0 before 0.0."""
    return (v, struct.pack(">d", v)[0] < 128) if isinstance(v, float) else v


# ---------------------------------------------------------------- brute force
def find_column(table, schema, field_id):
    """The column with this Parquet field id, as an array with nulls of the structs around it; None: not there."""
    def ids(field):
        return int((field.metadata or {}).get(b"PARQUET:field_id", b"-1"))

    def walk(fields, arrays):
        for f, a in zip(fields, arrays):
            if ids(f) == field_id:
                return a
            if pa.types.is_struct(f.type):
                found = walk(list(f.type), a.flatten())
                if found is not None:
                    return found
        return None
    return walk(list(schema), [c.combine_chunks() if c.num_chunks != 1 else c.chunk(0) for c in table.columns] if table.num_rows
                else [pa.array([], f.type) for f in schema])


def keys(array, t):
    """Values as Python keys: None, float('nan'), numbers, bytes."""
    a = array
    if t.startswith("timestamp"):
        a = a.cast(pa.timestamp("ns" if t.endswith("_ns") else "us", a.type.tz)).cast(pa.int64())
    elif t == "time":
        a = a.cast(pa.time64("us")).cast(pa.int64())
    elif t == "date":
        a = a.cast(pa.int32())
    out = []
    for v in a.to_pylist():
        if v is None or isinstance(v, float):
            out.append(v)
        elif isinstance(v, str):
            out.append(v.encode())
        elif isinstance(v, decimal.Decimal):
            out.append(int(v.scaleb(int(t[:-1].split(",")[1]), WIDE)))
        elif hasattr(v, "bytes") and not isinstance(v, (bytes, int)):
            out.append(v.bytes)
        else:
            out.append(float(v) if t in ("float", "double") else v if isinstance(v, bytes) else int(v))
    return out


def column_values(copy, location, field_id, t):
    with open(copy.local(location), "rb") as f:
        if f.read(4) != b"PAR1":
            return None
    table = pq.read_table(copy.local(location), partitioning=None)
    array = find_column(table, table.schema, field_id)
    return None if array is None else keys(array, t)


def metric(data_file, name):
    return {x["key"]: x["value"] for x in data_file.get(name) or []}


def set_metric(data_file, name, field_id, value):
    """value None: takes it away."""
    rest = [x for x in data_file.get(name) or [] if x["key"] != field_id]
    data_file[name] = rest + ([] if value is None else [{"key": field_id, "value": value}])


def clean():
    shutil.rmtree(WORK, ignore_errors=True)
