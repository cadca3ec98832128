#!/usr/bin/env python3
"""Runs the scripts tests/cli/*.test: commands with their exact output and exit status.

  run.py [--show] [FILE...]        --show prints what really came out, in the same form, for a person to check

A script is made of blocks:

  # a comment (between blocks)
  %needs shared          skips the script, by name, where ../shared is not there (also: corpus, pty)
  $ lakectl plan t       a command, run by bash; `> ` begins its further lines (a here-document, say)
  lines of stdout        exactly as they are; [..] stands for any text within a line, [...] alone for any number of lines
  ! lines of stderr      none: stderr must be empty
  ? 2                    the exit status, 0 if not given

A line of output that would begin with one of these marks gets a backslash in front. Empty lines at the end of a block do not count.
All commands of a script run in one fresh folder, whose path is $PWD and reads as [PWD] in the output. PATH begins with the folder of
lakectl (environment LAKECTL, default build-test/lakectl); $CORPUS is the folder that holds given/, $SHARED is ../shared;
`lakectl` needs `--map s3://lake-corpus/=$CORPUS/` for the corpus' tables."""
import concurrent.futures, glob, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LAKECTL = os.path.abspath(os.environ.get("LAKECTL", os.path.join(ROOT, "build-test", "lakectl")))
CORPUS = os.environ.get("LAKE_CORPUS", os.path.join(ROOT, ".cache", "corpus"))
SHARED = os.environ.get("LAKE_SHARED", "")


class Block:
    def __init__(self, line, command):
        self.line, self.command, self.out, self.err, self.status = line, command, [], [], 0


def parse(path):
    blocks, needs = [], []
    for n, line in enumerate(open(path, encoding="utf-8").read().split("\n"), 1):
        b = blocks[-1] if blocks else None
        if line.startswith("$ "):
            blocks.append(Block(n, line[2:]))
        elif line.startswith("%needs "):
            needs += line.split()[1:]
        elif line.startswith("#") or b is None:
            if line.strip() and not line.startswith("#"):
                raise SystemExit("%s:%d: text before the first command" % (path, n))
        elif line.startswith("> ") or line == ">":
            b.command += "\n" + line[2:]
        elif line.startswith("! ") or line == "!":
            b.err.append(line[2:])
        elif line.startswith("? "):
            b.status = int(line[2:])
        else:
            b.out.append(line[1:] if line.startswith("\\") else line)
    for b in blocks:
        while b.out and not b.out[-1].strip():
            b.out.pop()
    return blocks, needs


def line_matches(want, got):
    if "[..]" not in want:
        return want == got
    return re.fullmatch(".*".join(re.escape(p) for p in want.split("[..]")), got, re.S) is not None


def matches(want, got):
    if not want:
        return not got
    if want[0] == "[...]":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and line_matches(want[0], got[0]) and matches(want[1:], got[1:])


def lines_of(data, folder):
    text = data.decode("utf-8", "backslashreplace").replace("\0", "\\0").replace(folder, "[PWD]")
    got = text.split("\n")
    while got and not got[-1]:
        got.pop()
    return got


def diff(label, want, got):
    return ["  %s, wanted:" % label] + ["    " + x for x in want] + ["  %s, came:" % label] + ["    " + x for x in got[:60]]


def run_block(b, folder, env):
    """Returns stdout, stderr, status and, in lines, what is wrong."""
    try:
        p = subprocess.run(["bash", "-c", b.command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        out, err, status = lines_of(p.stdout, folder), lines_of(p.stderr, folder), p.returncode
    except subprocess.TimeoutExpired:
        return [], [], -1, ["  no end after 120 s"]
    bad = []
    if not matches(b.out, out):
        bad += diff("stdout", b.out, out)
    if not matches(b.err, err):
        bad += diff("stderr", b.err, err)
    if status != b.status:
        bad += ["  exit status %d, wanted %d" % (status, b.status)]
    return out, err, status, bad


def can_open_pty():
    """A container without /dev/pts has no terminals to give."""
    try:
        for end in os.openpty():
            os.close(end)
        return True
    except OSError:
        return False


def run(path, show):
    name = os.path.basename(path)
    blocks, needs = parse(path)
    have = {"shared": SHARED and os.path.isdir(SHARED), "corpus": os.path.isdir(os.path.join(CORPUS, "given")),
            "pty": can_open_pty()}
    lost = [n for n in needs if not have.get(n)]
    if lost:
        return 0, 0, 1, ["skip %s: needs %s" % (name, ", ".join(lost))]
    env = dict(os.environ, PATH=os.path.dirname(LAKECTL) + ":" + os.environ["PATH"], CORPUS=CORPUS, SHARED=SHARED, LC_ALL="C.UTF-8",
               TZ="UTC", COLUMNS="120", TERM="dumb", ROOT=ROOT)
    for k in [k for k in env if k.startswith("LAKE_") or k == "NO_COLOR"]:
        del env[k]
    passed, failed, text = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="lake-cli.") as folder:
        folder = os.path.realpath(folder)
        env.update(HOME=folder, PWD=folder)
        for b in blocks:
            out, err, status, bad = run_block(b, folder, env)
            if show:
                esc = lambda x: "\\" + x if x[:2] in ("$ ", "! ", "? ", "> ") or x[:1] in ("#", "\\") else x
                text += ["$ " + b.command.replace("\n", "\n> ")] + [esc(x) for x in out] + ["! " + x for x in err]
                text += ["? %d" % status, ""] if status else [""]
            elif bad:
                text += ["FAIL %s:%d: $ %s" % (name, b.line, b.command.split("\n")[0])] + bad
            passed, failed = passed + (not bad), failed + bool(bad)
    return passed, failed, 0, text


def main():
    args = [a for a in sys.argv[1:] if a != "--show"]
    files = args or sorted(glob.glob(os.path.join(HERE, "*.test")))
    total = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for passed, failed, skipped, text in pool.map(lambda f: run(f, "--show" in sys.argv), files):
            total = [a + b for a, b in zip(total, (passed, failed, skipped))]
            if text:
                print("\n".join(text), flush=True)
    print("%d passed, %d failed%s" % (total[0], total[1], ", %d skipped" % total[2] if total[2] else ""))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
