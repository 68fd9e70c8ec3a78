#!/usr/bin/env bash
# Fuzzes every reader of input from outside, under AddressSanitizer and UndefinedBehaviorSanitizer.
# usage: fuzz.sh [--seconds N | --runs N] [--mutations N] [FUZZER...]
#   --seconds N     time for each libFuzzer program (default 60; 0: they are built, and none is run)
#   --runs N        or how many inputs each of them takes
#   --mutations N   number of mutated traces to import and analyse, and a tenth as many exports and profiles
#                   (default 100000, none where FUZZERs are named; 0: none)
# A finding is left in build-fuzz/findings; found inputs that widen coverage stay in build-fuzz/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

jobs=${JOBS:-$(nproc)}
seeds=build-fuzz/seeds
[ -w /dev/shm ] && export TMPDIR=${TMPDIR:-/dev/shm} # the readers' files need no disk

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    echo "fuzzers: $(fuzzers | tr '\n' ' ')"
}

fuzzers() {
    files 'src/*_fuzzer.cpp' | sed 's|.*/||; s|\.cpp$||'
}

# Seeds that are made: exports of Nsight Systems and DLProf, and archives of the others.
make_seeds() {
    local script
    rm -rf "$seeds"
    mkdir -p "$seeds"
    for script in tests/fuzz/exports/*.sql; do
        build-fuzz/bin/mutate_exports --columns 40 --write "$seeds/$(basename "$script" .sql).sqlite" "$script"
    done
    tar -cf "$seeds/traces.tar" -C tests/fuzz/seeds kineto_2021.json nvtx.opcap
    gzip -nk "$seeds/traces.tar"
    tar -czf "$seeds/nested.tgz" -C "$seeds" traces.tar.gz nsys.sqlite
}

# One process for each core, with seeds of its own.
run_mutations() {
    local count=$1 each i script pids=() failed=0
    say "$count mutated traces, and a tenth as many exports and profiles"
    each=$(((count + jobs - 1) / jobs))
    for ((i = 0; i < jobs; i++)); do
        {
            local failed=0
            build-fuzz/bin/mutate_traces --count "$each" --seed $((i * each + 1)) tests/fuzz/seeds || failed=1
            build-fuzz/bin/mutate_profiles --count "$((each / 10 + 1))" --seed $((i * each + 1)) || failed=1
            for script in tests/fuzz/exports/*.sql; do
                build-fuzz/bin/mutate_exports --columns 40 --count "$((each / 10 + 1))" --seed $((i * each + 1)) "$script" || failed=1
            done
            exit "$failed"
        } &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || failed=1; done
    return "$failed"
}

# run_fuzzer NAME LIMIT: LIMIT as libFuzzer takes it. Without its entropic schedule, which takes half of the time for the
# readers with many branches.
run_fuzzer() {
    local name=$1 limit=$2 log=build-fuzz/findings/$1.log
    mkdir -p "build-fuzz/corpus/$name" build-fuzz/findings
    if ! build-fuzz/bin/"$name" "$limit" -entropic=0 -max_len=65536 -rss_limit_mb=4096 -timeout=25 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build-fuzz/findings/$name-" "build-fuzz/corpus/$name" tests/fuzz/seeds tests/fuzz/models tests/fuzz/mappings \
        "$seeds" >"$log" 2>&1; then
        cat "$log"
        return 1
    fi
    say "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
}

main() {
    local limit=-max_total_time=60 mutations='' names=() name failed=0
    while [ $# -gt 0 ]; do
        case $1 in
        --seconds) limit=-max_total_time=${2:?} && shift ;;
        --runs) limit=-runs=${2:?} && shift ;;
        --mutations) mutations=${2:?} && shift ;;
        -h | --help | help) usage && exit 0 ;;
        -*) usage >&2 && exit 2 ;;
        *) names+=("$1") ;;
        esac
        shift
    done
    [ -n "$mutations" ] || mutations=$([ ${#names[@]} -eq 0 ] && echo 100000 || echo 0)
    for name in "${names[@]}"; do
        fuzzers | grep -qxF "$name" || die "no fuzzer '$name': there are $(fuzzers | tr '\n' ' ')"
    done
    [ ${#names[@]} -gt 0 ] || mapfile -t names < <(fuzzers)
    scripts/setup.sh
    say "build the fuzzers"
    configure fuzz build-fuzz
    compile build-fuzz fuzzers
    make_seeds
    if [ "$limit" != -max_total_time=0 ]; then
        say "fuzz (${limit#-})"
        for name in "${names[@]}"; do run_fuzzer "$name" "$limit" || failed=1; done
    fi
    [ "$mutations" -eq 0 ] || run_mutations "$mutations" || failed=1
    [ "$failed" -eq 0 ] || die "fuzzing found something (see above, and build-fuzz/findings)"
    say "nothing found"
}

main "$@"
