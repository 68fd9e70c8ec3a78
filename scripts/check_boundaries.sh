#!/usr/bin/env bash
# Threads start in one place (src/base/task_group.h), which carries what they throw to who joins them; what goes to
# standard output goes through one (src/cli/standard_output.cpp), which notices a full disk; JSON is written by one
# (src/base/json_writer.cpp). Finds code beside these.
# usage: check_boundaries.sh FILE...; exit 1 and one line per finding
set -uo pipefail

# shellcheck source=scripts/look.sh
. "$(dirname "${BASH_SOURCE[0]}")/look.sh"

# Those that FILE... names, without the one that may.
but() {
    local allowed=$1 file
    shift
    for file in "$@"; do [[ $file == *"$allowed" ]] || printf '%s\n' "$file"; done
}

[ $# -gt 0 ] || exit 0
mapfile -t sources < <(but src/base/task_group.h "$@")
code='^(?!\s*//).*'
look 'starts a thread that no TaskGroup guards' "$code"'(std::(j?thread|async)\b(?!::)|\bpthread_create\()' "${sources[@]}"
# That of the server runs only what catches all.
mapfile -t sources < <(but src/server/http_server.cpp "$@")
look 'starts threads that no TaskGroup guards' "$code"'\bthread_pool\b' "${sources[@]}"
mapfile -t sources < <(but src/cli/standard_output.cpp "$@")
look 'writes to standard output unchecked' \
    "$code"'((?<![\w.>])(std::)?(v?printf|puts|putchar)\(|\bstd::cout\b|\bfmt::print\((?!stderr)|\bstdout\b)' "${sources[@]}"
mapfile -t sources < <(but src/base/json_writer.cpp "$@")
look 'writes JSON beside JsonWriter' \
    "$code"'(#include <rapidjson/|"[{,]*(\\n)?\\"[\w{}]+\\":|R"\w*\([^)]*"[\w{}]+":)' "${sources[@]}"
exit $found
