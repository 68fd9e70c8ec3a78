#!/usr/bin/env bash
# Runs the benchmarks of tests/bench and prints one table. usage: bench.sh [NAME...]
#
# A benchmark is an executable tests/bench/bench_NAME.{sh,py}. It gets OPSIGHT_BIN_DIR (the built programs) and
# BENCH_DIR (an empty folder, removed afterwards), and prints one line per result, with tabs between:
#   bench<TAB>what was measured<TAB>value<TAB>unit<TAB>goal
# where goal is "<= N", ">= N" or "-". Anything else that it prints is shown as it comes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

wanted() {
    local script name
    for script in tests/bench/bench_*.sh tests/bench/bench_*.py; do
        name=$(basename "${script%.*}")
        [ -x "$script" ] || continue
        [ $# -eq 0 ] || [[ " $* " == *" ${name#bench_} "* ]] || continue
        printf '%s\n' "$script"
    done
}

# Leaves the result lines of one benchmark in the file given; its folder is removed whatever happens.
measure() {
    local script=$1 results=$2 status=0
    BENCH_DIR=$(mktemp -d "${TMPDIR:-/var/tmp}/opsight-bench.XXXXXX")
    export BENCH_DIR
    say "$script"
    "$script" | tee >(grep -aP '^bench\t' >>"$results") | grep -avP '^bench\t' || status=${PIPESTATUS[0]}
    rm -rf "$BENCH_DIR"
    [ "$status" = 0 ] || printf 'bench\t%s\tfailed\t\t-\n' "$script" >>"$results"
}

main() {
    local results scripts script
    scripts/setup.sh
    configure "$preset" build
    compile build
    OPSIGHT_PYTHON=$(torch_python)
    export OPSIGHT_PYTHON OPSIGHT_BIN_DIR=$root/build/bin
    mapfile -t scripts < <(wanted "$@")
    [ ${#scripts[@]} -gt 0 ] || die "no benchmark of that name in tests/bench"
    mkdir -p build
    results=$root/build/bench-results.tsv
    : >"$results"
    for script in "${scripts[@]}"; do
        measure "$script" "$results"
    done
    printf '\n'
    python3 scripts/bench_table.py "$results"
}

main "$@"
