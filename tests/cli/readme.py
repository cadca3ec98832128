#!/usr/bin/env python3
"""Prints the tour of README.md as a script for run.py: the blocks ```console. What differs from run to run (ids, times, the folder
/tmp/tour) becomes a wildcard."""
import os, re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VARIABLE = r'(?<="table-uuid":")[0-9a-f-]+|(?<="manifest_length":)\d+|(?<=planned           in ).*|(?<=manifest bytes    ).*'
MARKS = ("! ", "? ", "> ", "#", "\\")

for block in re.findall(r"^```console\n(.*?)^```", open(os.path.join(ROOT, "README.md"), encoding="utf-8").read(), re.S | re.M):
    errors = []
    for line in block.splitlines():
        if line.startswith("$ "):
            print("\n".join(errors + [line]))
            errors, command = [], line
        elif line.startswith("lakectl: ") or (errors and line.startswith("  ")):
            errors.append("! " + re.sub(VARIABLE, "[..]", line))
            if "||" not in command and line.startswith("lakectl: "):
                print("? 2")
        else:
            line = re.sub(VARIABLE, "[..]", line.replace("/tmp/tour", "[PWD]"))
            print(("\\" if line.startswith(MARKS) else "") + line)
    print("\n".join(errors))
