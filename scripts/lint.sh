#!/usr/bin/env bash
# clang-tidy on the C++ files given, or else on those that differ from main (all of them with --all).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

changed() {
    local base
    base=$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)
    { git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' && git ls-files -o --exclude-standard 'src/*.cpp'; } |
        sort -u
}

main() {
    local sources
    case ${1:-} in
    "") mapfile -t sources < <(changed) ;;
    --all) mapfile -t sources < <(files 'src/*.cpp') ;;
    *) sources=("$@") ;;
    esac
    [ ${#sources[@]} -gt 0 ] || { say "nothing changed: ./dev lint --all looks at every file" && return; }
    command -v clang-tidy >/dev/null || die "clang-tidy is missing: apt-get install clang-tidy"
    configure "$preset" build
    # Each file by itself, without what clang lacks, and with the sources that the build has made.
    configure lint build-lint
    mkdir -p build/lint
    sed -E 's/ -mtls-dialect=gnu2| -Wno-stringop-overread//g; s|/build-lint/generated|/build/generated|g' \
        build-lint/compile_commands.json >build/lint/compile_commands.json
    printf '%s\n' "${sources[@]}" | xargs -P "${JOBS:-$(nproc)}" -n 1 clang-tidy -p build/lint --quiet
}

main "$@"
