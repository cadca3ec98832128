#!/usr/bin/env python3
"""Random tables whose schema and partition spec change between commits, end to end, against the rows themselves.

  evolve.py [--seed N] [--tables N] [--predicates N]

Columns are added (in v3 with initial defaults), dropped, renamed, added again under an old name, and promoted; also inside a struct.
Specs follow. Files hold field ids, or none where the table has a name mapping. Plans are judged as in bruteforce.py, with each row
read through the current schema."""
import json, os, random, sys

import pyarrow as pa
import bruteforce
from bruteforce import *
from predicates import json_value

GROW = {"int": ["long"], "float": ["double"], "decimal(9, 2)": ["decimal(18, 2)", "decimal(38, 2)"], "decimal(18, 2)": ["decimal(38, 2)"]}
TYPES = ["boolean", "int", "int", "long", "float", "float", "double", "decimal(9, 2)", "decimal(9, 2)", "date", "time", "timestamp",
         "timestamptz", "string", "string", "uuid", "fixed[5]", "binary"]
ABSENT = object()


class Changing(World):
    def __init__(self, seed, n, folder):
        r = self.r = random.Random(seed * 7919 + n)
        self.name, self.folder = "seed %d table %d" % (seed, n), os.path.join(folder, "e%d" % n)
        self.version = r.choice([1, 2, 3, 3, 3])
        self.mode = r.choice(["truncate(3)", "truncate(16)", "full", "counts"])
        self.last_id, self.last_part, self.history = 0, 999, []
        self.mapped = r.random() < 0.2
        self.fields = [self.new("id", "long")] + [self.new("c%d" % k, r.choice(TYPES)) for k in range(4)]
        s = self.new("s", None)
        s["type"] = {"type": "struct", "fields": [self.new("x", r.choice(TYPES)), self.new("y", "string")]}
        self.fields.append(s)
        self.spec, self.files, self.pools = [], [], {}

    def new(self, name, t, default=False):
        self.last_id += 1
        return {"id": self.last_id, "name": name, "required": False, "type": t}

    # ---- changes
    def groups(self):
        return [self.fields] + [f["type"]["fields"] for f in self.fields if isinstance(f["type"], dict)]

    def used(self):
        return {f["source-id"] for f in self.spec}

    def change(self):
        r = self.r
        for _ in range(r.randrange(1, 5)):
            fields = r.choice([self.fields] * 2 + self.groups())
            plain = [f for f in fields if not isinstance(f["type"], dict) and f["name"] != "id"]
            kind = r.random()
            if kind < 0.45:
                gone = [n for n in ["c0", "c1", "c2", "c3", "x", "y"] + ["n%d" % k for k in range(40)] if n not in [f["name"] for f in fields]]
                f = self.new(r.choice(gone), r.choice(TYPES))
                if self.version == 3 and fields is self.fields and r.random() < 0.8:
                    v = draw(r, f["type"])
                    f["initial-default"] = f["write-default"] = json_value(f["type"], v)
                    f["_"] = v
                fields.append(f)
            elif kind < 0.6 and plain and len(fields) > 2 and not self.mapped:
                f = r.choice(plain)
                if f["id"] not in self.used():
                    fields.remove(f)
            elif kind < 0.72 and plain:
                f = r.choice(plain)
                name = r.choice(["c0", "c1", "c2", "n1", "n2", "n3"])
                if name not in [g["name"] for g in fields] and not self.mapped:
                    f["name"] = name
            elif plain:
                grow = [f for f in plain if f["type"] in GROW]
                if grow:
                    f = r.choice(grow)
                    f["type"] = r.choice(GROW[f["type"]])

    def new_spec(self):
        r, out = self.r, []
        flat = [f for g in self.groups() for f in g if not isinstance(f["type"], dict) and f["name"] != "id"]
        for f in r.sample(flat, min(len(flat), r.choice([0, 1, 1, 2]))):
            tr = r.choice(pr.transforms_of(f["type"]) + ["identity"])
            self.last_part += 1
            out.append({"source-id": f["id"], "field-id": self.last_part, "name": "p%d" % self.last_part, "transform": tr})
        if self.version == 1:
            out = [dict(f, transform="void", name=f["name"] + "_") if not f["name"].endswith("_") else f for f in self.spec] + out
        self.spec = out

    def schema(self, id):
        clean = lambda fs: [dict({k: v for k, v in f.items() if k != "_"}, type=dict(f["type"], fields=clean(f["type"]["fields"]))
                            if isinstance(f["type"], dict) else f["type"]) for f in fs]
        return {"type": "struct", "schema-id": id, "fields": clean(self.fields)}

    def where(self):
        with open(os.path.join(self.folder, "metadata", "version-hint.text")) as f:
            return os.path.join(self.folder, "metadata", "v%d.metadata.json"), int(f.read().strip())

    def edit(self):
        """What another engine's ALTER TABLE leaves: one more metadata file."""
        path, n = self.where()
        with open(path % n) as f:
            m = json.load(f)
        same = lambda a, b: {k: v for k, v in a.items() if k != "schema-id"} == {k: v for k, v in b.items() if k != "schema-id"}
        schema = self.schema(1 + max(s["schema-id"] for s in m["schemas"]))
        old = [s for s in m["schemas"] if same(s, schema)]
        if old:
            schema = old[0]
        else:
            m["schemas"].append(schema)
        m["current-schema-id"], m["last-column-id"] = schema["schema-id"], self.last_id
        spec = [s for s in m["partition-specs"] if s["fields"] == self.spec]
        if not spec:
            spec = [{"spec-id": 1 + max(s["spec-id"] for s in m["partition-specs"]), "fields": self.spec}]
            m["partition-specs"] += spec
        m["default-spec-id"], m["last-partition-id"] = spec[0]["spec-id"], self.last_part
        if self.mapped:
            m["properties"]["schema.name-mapping.default"] = self.mapping()
        if self.version == 1:
            m["schema"], m["partition-spec"] = schema, self.spec
        with open(path % (n + 1), "w") as f:
            json.dump(m, f)
        with open(os.path.join(self.folder, "metadata", "version-hint.text"), "w") as f:
            f.write(str(n + 1))

    def mapping(self):
        names = lambda fs: [dict({"field-id": f["id"], "names": [f["name"]]}, **({"fields": names(f["type"]["fields"])}
                            if isinstance(f["type"], dict) else {})) for f in fs]
        return json.dumps(names(self.fields))

    # ---- rows: by field id
    def draw(self, fields):
        r, row = self.r, {}
        for f in fields:
            if isinstance(f["type"], dict):
                row[f["id"]] = None if r.random() < 0.2 else self.draw(f["type"]["fields"])
            else:
                pool = self.pools.setdefault((f["id"], f["type"]), [draw(r, f["type"]) for _ in range(4)])
                row[f["id"]] = self.value(f["type"], pool)
        return row

    def named(self, fields, row):
        return {f["name"]: None if row[f["id"]] is None else self.named(f["type"]["fields"], row[f["id"]])
                if isinstance(f["type"], dict) else row[f["id"]] for f in fields}

    def now(self, fields, row):
        """A row as a reader of the current schema has it."""
        out = {}
        for f in fields:
            v = row.get(f["id"], ABSENT)
            if v is ABSENT:
                v = f.get("_")
            elif isinstance(f["type"], dict) and v is not None:
                v = self.now(f["type"]["fields"], v)
            out[f["name"]] = v
        return out

    def batch(self):
        r, groups = self.r, {}
        types = {f["id"]: (f["type"], None) for f in self.fields}
        for f in self.fields:
            if isinstance(f["type"], dict):
                types.update({g["id"]: (g["type"], f["id"]) for g in f["type"]["fields"]})
        def source(row, id):
            t, parent = types[id]
            return row[id] if parent is None else None if row[parent] is None else row[parent][id]
        for _ in range(r.randrange(5, 30)):
            row = self.draw(self.fields)
            key = repr(seal([apply(f["transform"], types[f["source-id"]][0], source(row, f["source-id"]))
                             for f in self.spec if f["transform"] != "void"]))
            groups.setdefault(key, []).append(row)
        paths = []
        for rows in groups.values():
            while rows:
                k = r.randrange(1, 10)
                p = os.path.join(self.folder + ".in", "f%03d.parquet" % len(self.files))
                table = to_table(self.fields, [self.named(self.fields, x) for x in rows[:k]])
                if self.mapped and r.random() < 0.5:
                    bare = lambda t: pa.struct([pa.field(c.name, bare(c.type), c.nullable) for c in t]) if pa.types.is_struct(t) else t
                    table = table.cast(pa.schema([pa.field(c.name, bare(c.type), c.nullable) for c in table.schema]))
                pq.write_table(table, p, store_schema=False, data_page_version=r.choice(["1.0", "2.0"]), row_group_size=r.choice([3, 1000]))
                self.files.append((p, rows[:k]))
                rows = rows[k:]
                paths.append(p)
        must("append", self.folder, *paths)

    def make(self):
        os.makedirs(self.folder + ".in")
        schema = self.folder + ".schema.json"
        with open(schema, "w") as f:
            json.dump(self.schema(0), f)
        more = ["--property", "schema.name-mapping.default=" + self.mapping()] if self.mapped else []
        must("create", self.folder, "--schema", schema, "--format-version", self.version, "--property",
             "write.metadata.metrics.default=" + self.mode, *more)
        for step in range(self.r.randrange(2, 6)):
            if step:
                self.change()
            if self.r.random() < 0.5:
                self.new_spec()
            self.edit()
            self.batch()
        if self.r.random() < 0.5:
            self.change()
            self.edit()
        path, n = self.where()
        self.metadata = path % n
        self.columns = []
        for f in self.fields:
            if isinstance(f["type"], dict):
                self.columns += [pr.Column(f["name"] + "." + g["name"], g["type"], (f["name"], g["name"])) for g in f["type"]["fields"]]
            else:
                self.columns.append(pr.Column(f["name"], f["type"], (f["name"],)))
        self.rows = {p: [self.now(self.fields, x) for x in rows] for p, rows in self.files}
        self.files = list(self.rows.values())
        self.spec = [(f["source-id"], f["transform"]) for f in self.spec]


if __name__ == "__main__":
    bruteforce.World = Changing
    if "--tables" not in sys.argv:
        sys.argv += ["--tables", "20"]
    if "--predicates" not in sys.argv:
        sys.argv += ["--predicates", "50"]
    sys.exit(main())
