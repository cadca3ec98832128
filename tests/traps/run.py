#!/usr/bin/env python3
"""The faults of other tools, played against lakectl on small tables made for each: see tests/TRAPS.md.

  run.py [PART...]          pruning, evolution, deletes, manifests, columns, footers, committing"""
import importlib, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from table import *

PARTS = ["pruning", "evolution", "deletes", "manifests", "columns", "footers", "committing"]


def main():
    try:
        for part in sys.argv[1:] or PARTS:
            importlib.import_module(part).run()
    finally:
        clean()
    return counts.finish()


if __name__ == "__main__":
    sys.exit(main())
