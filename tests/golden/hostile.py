#!/usr/bin/env python3
"""Torn and hostile files: tables of the corpus whose metadata, lists, manifests or Parquet files are cut off or changed at random.

  hostile.py [--seed N] [--rounds N]

Whatever the bytes, the library answers or fails with a status and a message of one line that names the file; it neither crashes nor
leaks (the sanitizers say so to the runner). A file that is cut off anywhere must fail: none of them is complete with fewer bytes.
A dozen cases go through the program, for its exit status and its line."""
import gzip, json, os, random, shutil, sys, tempfile, zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import *

TABLES = {"sales_month": "order_date >= DATE '2025-03-01'", "deletes_v3": "id > 5", "deletes_v2": "id > 5", "types_v3": "c_string LIKE 'a%'",
          "types_all": "c_int > 5", "modes_nested": "point.y > 0", "upgrade": "TRUE", "codecs": "TRUE", "spec_evolution_v1": "TRUE"}
VIEWS = ["snapshots", "history", "refs", "manifests", "files", "entries", "partitions", "schema", "spec", "properties"]


def newest(folder):
    names = [n for n in os.listdir(folder) if n.endswith(".metadata.json")]
    return max(names, key=lambda n: int(n[1:].split(".")[0]))


def mutations(r, data, rounds):
    """(what was done, bytes): cut off, and flipped, overwritten or doubled in places."""
    cuts = {0, 1, len(data) // 2, len(data) - 1} | {r.randrange(len(data)) for _ in range(rounds)}
    for n in sorted(c for c in cuts if c < len(data)):
        yield "cut to %d of %d bytes" % (n, len(data)), data[:n], True
    for _ in range(rounds * 2):
        b = bytearray(data)
        for _ in range(r.choice([1, 1, 2, 8])):
            at, kind = r.randrange(len(b)), r.randrange(4)
            if kind == 0:
                b[at] ^= 1 << r.randrange(8)
            elif kind == 1:
                b[at] = r.choice([0, 0xff, 0x7f, 0x80, 1])
            elif kind == 2:
                b[at:at + 9] = bytes([0xff] * 9)
            else:
                b[at:at] = b[max(0, at - r.randrange(1, 20)):at]
        yield "changed near byte %d" % at, bytes(b), False


def requests(serial, name, path, where):
    base = {"name": name, "metadata": path, "predicate": ""}
    if path.endswith(".parquet"):
        return [dict(base, form="stats"), dict(base, form="dump")]
    folder = os.path.dirname(path)
    # The engine keeps a table open while its location stays the same; so another spelling each time.
    metadata = os.path.join(folder, "./" * (serial % 2), newest(folder))
    return [dict(base, metadata=metadata, predicate=where), dict(base, form="dump"),
            dict(base, metadata=metadata, form="inspect", predicate=VIEWS[serial % len(VIEWS)])]


def one_table(counts, seed, rounds, table, where):
    r = random.Random("%d %s" % (seed, table))
    folder = tempfile.mkdtemp(prefix="lake-hostile.")
    try:
        work = os.path.join(folder, table)
        shutil.copytree(os.path.join(CORPUS, "given", table), work)
        maps = ["s3://lake-corpus/given/%s/=%s/" % (table, work)]
        metadata = os.path.join(work, "metadata", newest(os.path.join(work, "metadata")))
        used = in_use(metadata, maps)
        engine, serial = Engine(maps), 0
        for path in sorted(used):
            with open(path, "rb") as f:
                good = f.read()
            n = rounds if path.endswith((".json", ".avro")) else max(2, rounds // 3)
            for what, data, cut in mutations(r, good, n):
                name = "%s %s" % (os.path.relpath(path, folder), what)
                with open(path, "wb") as f:
                    f.write(data)
                serial += 1
                for q in requests(serial, name, path, "" if cut else where):
                    try:
                        judge(counts, name, q, engine.ask(q), path, cut)
                    except LakectlFailed as e:
                        counts.fail(name, "%s: %s" % (q.get("form", "plan"), e))
            with open(path, "wb") as f:
                f.write(good)
        counts.check(table + ": the engine's end", engine.close())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def in_use(metadata, maps):
    """The files that planning the newest snapshot reads, and three data files."""
    local = lambda p: p.replace(maps[0].split("=")[0], maps[0].split("=")[1])
    with open(metadata, "rb") as f:
        raw = f.read()
    j = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    out = {metadata}
    snapshot = next(s for s in j["snapshots"] if s["snapshot-id"] == j["current-snapshot-id"])
    if "manifest-list" in snapshot:
        out.add(local(snapshot["manifest-list"]))
        import fastavro
        with open(local(snapshot["manifest-list"]), "rb") as f:
            out |= {local(m["manifest_path"]) for m in list(fastavro.reader(f))[:4]}
    data = os.path.join(os.path.dirname(os.path.dirname(metadata)), "data")
    files = sorted(os.path.join(d, f) for d, _, fs in os.walk(data) for f in fs if f.endswith(".parquet"))
    return out | set(files[:3])


def judge(counts, name, q, a, path, cut):
    what = "%s (%s)" % (name, q.get("form", "plan"))
    if "error" in a:
        m = a["message"]
        bad = "no message" if not m else "several lines: %s" % m if "\n" in m else None
        if a["error"] in ("internal", "no-memory") and not bad:
            bad = "%s: %s" % (a["error"], m)
        if cut and not bad and os.path.basename(path) not in m:
            bad = "the message names no file: %s" % m
        counts.check(what, bad)
    else:
        counts.check(what, cut and q.get("form") != "inspect" and "no error")


def program(counts):
    """Exit status and the line on stderr, by the program itself."""
    with tempfile.TemporaryDirectory(prefix="lake-hostile.") as folder:
        p = lambda name, data: (open(os.path.join(folder, name), "wb").write(data), os.path.join(folder, name))[1]
        good = open(os.path.join(CORPUS, "given", "sales_plain", "metadata", "v1.metadata.json"), "rb").read()
        cases = [
            ("plan", p("empty.metadata.json", b""), 4), ("plan", p("torn.metadata.json", good[:500]), 4),
            ("plan", p("text.metadata.json", b"hello"), 4), ("plan", p("array.metadata.json", b"[]"), 4),
            ("plan", p("v9.metadata.json", good.replace(b'"format-version":2', b'"format-version":9').replace(
                b'"format-version" : 2', b'"format-version" : 9')), 4),
            ("plan", os.path.join(folder, "missing.metadata.json"), 3), ("plan", os.path.join(folder, "missing"), 3),
            ("plan", (os.mkdir(os.path.join(folder, "nothing-in-it")), os.path.join(folder, "nothing-in-it"))[1], 3),
            ("dump", p("x.avro", b"Obj\1" + bytes(40)), 4), ("dump", p("empty.avro", b""), 4), ("stats", p("x.parquet", b"PAR1PAR1"), 4),
            ("stats", p("empty.parquet", b""), 4), ("stats", os.path.join(folder, "missing.parquet"), 3),
        ]
        for command, path, want in cases:
            status, out, err = lakectl(command, path)
            lines = err.strip().split("\n")
            bad = None
            if status != want or len(lines) != 1 or not lines[0].startswith("lakectl: ") or os.path.basename(path) not in lines[0]:
                bad = "exit status %d, wanted %d: %s" % (status, want, err)
            counts.check("%s %s" % (command, os.path.basename(path)), bad)


def main():
    args = sys.argv[1:]
    option = lambda name, default: int(args[args.index(name) + 1]) if name in args else default
    counts = Counts(25)
    both(lambda t: one_table(counts, option("--seed", 1), option("--rounds", 8), t, TABLES[t]), sorted(TABLES))
    program(counts)
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
