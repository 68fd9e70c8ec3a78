#!/usr/bin/env bash
# Fuzzes every reader of input from outside, under AddressSanitizer and UndefinedBehaviorSanitizer.
# usage: fuzz.sh [--seconds N] [--mutations N] [FUZZER...]
#   --seconds N     time for each libFuzzer program (default 60; 0: none of them)
#   --mutations N   number of mutated traces to import and analyse, and a tenth as many exports and profiles (default 100000; 0: none)
# A finding is left in build-fuzz/findings; found inputs that widen coverage stay in build-fuzz/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

jobs=${JOBS:-$(nproc)}

# One process for each core, with seeds of its own.
run_mutations() {
    local count=$1 each i script pids=() failed=0
    say "$count mutated traces"
    configure build-asan -DOPSIGHT_SANITIZE=ON -DOPSIGHT_BENCH=OFF
    compile build-asan mutate_traces mutate_exports mutate_profiles
    each=$(((count + jobs - 1) / jobs))
    for ((i = 0; i < jobs; i++)); do
        build-asan/bin/mutate_traces --count "$each" --seed $((i * each + 1)) tests/fuzz/seeds &
        pids+=($!)
        build-asan/bin/mutate_profiles --count "$((each / 10 + 1))" --seed $((i * each + 1)) &
        pids+=($!)
        for script in nsys dlprof; do
            build-asan/bin/mutate_exports --count "$((each / 10 + 1))" --seed $((i * each + 1)) \
                "tests/fuzz/exports/$script.sql" &
            pids+=($!)
        done
    done
    for i in "${pids[@]}"; do wait "$i" || failed=1; done
    return "$failed"
}

run_fuzzer() {
    local name=$1 seconds=$2
    say "$name for $seconds s"
    mkdir -p "build-fuzz/corpus/$name" build-fuzz/findings
    build-fuzz/bin/"$name" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=4096 -timeout=10 \
        -print_final_stats=0 -verbosity=0 -artifact_prefix="build-fuzz/findings/$name-" \
        "build-fuzz/corpus/$name" tests/fuzz/seeds tests/fuzz/models
}

main() {
    local seconds=60 mutations=100000 names=() file name failed=0
    while [ $# -gt 0 ]; do
        case $1 in
        --seconds) seconds=${2:?} && shift ;;
        --mutations) mutations=${2:?} && shift ;;
        -*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
        help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
        *) names+=("$1") ;;
        esac
        shift
    done
    scripts/setup.sh
    if [ "$seconds" -gt 0 ]; then
        configure build-fuzz -DOPSIGHT_FUZZ=ON -DOPSIGHT_BENCH=OFF -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
        compile build-fuzz fuzzers
        for file in $(files 'src/*_fuzzer.cpp'); do
            name=$(basename "$file" .cpp)
            [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" $name "* ]] || continue
            run_fuzzer "$name" "$seconds" || failed=1
        done
    fi
    [ "$mutations" -eq 0 ] || run_mutations "$mutations" || failed=1
    [ "$failed" -eq 0 ] || die "fuzzing found something (see above, and build-fuzz/findings)"
    say "nothing found"
}

main "$@"
