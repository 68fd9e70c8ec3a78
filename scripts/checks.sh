#!/usr/bin/env bash
# The checks of the sources. usage: checks.sh [NAME...]; without names all of them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

all=(layers imports types sql lengths format marks messages boundaries shell python)

shell_files() {
    local file
    files '*' | while IFS= read -r file; do
        case $file in
        *.sh) printf '%s\n' "$file" ;;
        *.*) [[ $file == .ci/* ]] && printf '%s\n' "$file" ;;
        *) head -c 64 "$file" | head -n 1 | grep -aqE '^#!.*\b(ba)?sh\b' && printf '%s\n' "$file" ;;
        esac
    done
}

check_layers() { python3 scripts/check_layers.py src; }

check_imports() { python3 scripts/check_imports.py web/src python/opsight; }

check_types() {
    local sources
    mapfile -t sources < <(files 'src/*.h' 'src/*.cpp')
    python3 scripts/check_types.py "${sources[@]}"
}

check_sql() { python3 scripts/check_sql.py; }

check_lengths() {
    local sources
    # web/src/api/schema.ts is made from docs/openapi.json.
    mapfile -t sources < <({ files '*.cpp' '*.h' '*.c' '*.cu' '*.py' '*.ts' '*.tsx' '*.css' '*.cmake' '*CMakeLists.txt' &&
        shell_files; } | grep -vxF web/src/api/schema.ts)
    python3 scripts/check_lengths.py --exceptions scripts/length_exceptions.txt "${sources[@]}"
}

check_format() {
    local sources
    mapfile -t sources < <(files '*.cpp' '*.h')
    clang-format --dry-run -Werror "${sources[@]}"
}

check_marks() {
    local sources
    mapfile -t sources < <(files '*' | grep -vE '^(LICENSE|tests/house/.*|scripts/check_marks.sh)$')
    scripts/check_marks.sh "${sources[@]}"
}

check_messages() {
    local sources
    mapfile -t sources < <(files 'src/*.cpp' 'src/*.h' 'web/src/*.ts' 'web/src/*.tsx' 'python/*.py' |
        grep -vE '_test\.cpp$|\.test\.tsx?$|/test_[^/]*$')
    scripts/check_messages.sh "${sources[@]}"
}

# src/collect/cuda/ runs in other programs, and is built without exceptions.
check_boundaries() {
    local sources
    mapfile -t sources < <(files 'src/*.cpp' 'src/*.h' | grep -vE '_test\.cpp$|^src/collect/cuda/')
    scripts/check_boundaries.sh "${sources[@]}"
}

check_shell() {
    local sources
    mapfile -t sources < <(shell_files)
    shellcheck --shell=bash --external-sources "${sources[@]}"
}

check_python() {
    local sources
    mapfile -t sources < <(files '*.py')
    python3 - "${sources[@]}" <<'PYTHON'
import ast, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        ast.parse(file.read(), path)
PYTHON
}

main() {
    local name failed=0
    [ $# -gt 0 ] || set -- "${all[@]}"
    for name in "$@"; do
        declare -F "check_$name" >/dev/null || die "no check '$name': there are ${all[*]}"
        if "check_$name"; then
            echo "check $name: ok"
        else
            echo "check $name: FAILED"
            failed=1
        fi
    done
    return $failed
}

main "$@"
