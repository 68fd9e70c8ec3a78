#!/usr/bin/env bash
# Everything that must pass: checks of the sources, unit tests, reference checks, sanitizers.
# Ends with one line "N passed, N failed, N skipped"; exit 1 where anything failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

jobs=${JOBS:-$(nproc)}
results=$root/build/test-results
started=$SECONDS

# suite NAME DIR CTEST-OPTION...: runs the tests of one build folder; failures are counted at the end.
suite() {
    local name=$1 dir=$2
    shift 2
    say "$name"
    mkdir -p "$results/$name"
    # ctest would keep 1 KiB of what a passed test says, too little to count its cases.
    GTEST_OUTPUT=xml:$results/$name/ ctest --test-dir "$dir" -j "$jobs" --output-on-failure --no-tests=error \
        --test-output-size-passed 1048576 --test-output-size-failed 1048576 --output-junit "$results/$name.junit" "$@" || true
}

# On what the tests leave of the processors: they wait for programs that start, end or sleep.
build_sanitized() {
    renice -n 19 -p "$BASHPID" >/dev/null
    configure sanitize build-asan
    compile build-asan sanitized
}

main() {
    local building log=$root/build/sanitized-build.log
    scripts/setup.sh servers
    warn_of_missing_data
    OPSIGHT_PYTHON=$(torch_python)
    export OPSIGHT_PYTHON
    say "build"
    configure "$preset" build
    compile build
    rm -rf "$results"
    build_sanitized >"$log" 2>&1 &
    building=$!
    suite tests build
    say "build with sanitizers (begun beside the tests)"
    wait "$building" || {
        cat "$log" >&2
        exit 1
    }
    suite sanitized build-asan -L sanitized
    warn_of_missing_data
    warn_of_missing_servers
    say "result after $((SECONDS - started)) s"
    python3 scripts/tally.py "$results"
}

main "$@"
