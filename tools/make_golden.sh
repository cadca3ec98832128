#!/usr/bin/env bash
# Makes tests/golden/corpus.tar.xz from the corpus' tables, cases and metrics: the same bytes whenever the corpus is the same.
#   tools/make_golden.sh [CORPUS]     CORPUS holds given/ (default: ../shared/corpus)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
corpus=${1:-../shared/corpus}
[ -d "$corpus/given" ] || { echo "make_golden.sh: $corpus has no folder given" >&2; exit 3; }
out=tests/golden/corpus.tar.xz
tar --sort=name --mtime='2025-01-01 00:00:00 UTC' --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' --format=ustar \
    -C "$corpus" -cf - given | xz -9e -T1 > "$out.new"
mv "$out.new" "$out"
ls -l "$out"
