#!/usr/bin/env bash
# The main job on real files, called by ./dev demo after the build: each command is shown before it runs.
# The Parquet files are those of the table sales_month in the golden archive: written by Apache Iceberg Java, one month a file.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
root=$PWD
export PATH="$root/build:$PATH"
demo=$root/.cache/demo
rm -rf "$demo"
mkdir -p "$demo/in"
cp "$root"/.cache/corpus/given/sales_month/data/*/*.parquet "$demo/in"
cd "$demo"

title() { printf '\n== %s\n' "$*"; }
run() {
    printf '\n$ %s\n' "$1"
    bash -c "$1"
}

title "A table, partitioned by month; its schema is that of a Parquet file"
run "lakectl create sales --schema in/f-00001.parquet --partition-by 'months(order_date)'"

title "Exact statistics of a file, from the data itself"
run "lakectl stats in/f-00002.parquet"

title "Manifests with those statistics: one of the files up to February, one of the others"
run "lakectl write-manifest --table sales -o sales/metadata/winter-m0.avro in/f-0000[13458].parquet"
run "lakectl write-manifest --table sales -o sales/metadata/spring-m0.avro in/f-0000[267].parquet in/f-0001*.parquet"

title "One commit makes them the table's"
run "lakectl commit sales sales/metadata/winter-m0.avro sales/metadata/spring-m0.avro"
run "lakectl inspect snapshots sales"
run "lakectl inspect manifests sales"
run "lakectl inspect files sales"

title "Planning: manifests fall away by their partition summaries, then files by partitions and bounds; and why"
run "lakectl plan sales --where \"order_date >= DATE '2025-04-01' AND amount > 100\" --explain"
run "lakectl plan sales --where \"order_date BETWEEN DATE '2025-02-01' AND DATE '2025-02-28'\" --explain"

title "The same for programs: paths, and tasks as JSON (--format json: the REST catalog's planning result)"
run "lakectl plan sales --where 'order_id < 20' --format paths"
run "lakectl plan sales --where 'order_id < 20' --format ndjson | head -2"
