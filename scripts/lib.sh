# shellcheck shell=bash
# Shared by ./dev and scripts/*.sh. Sourced with the repository's root as the current folder.

root=$PWD
preset=${OPSIGHT_PRESET:-dev} # of build/: `ci` makes warnings errors
export OPSIGHT_CORPUS=${OPSIGHT_CORPUS:-$root/../shared/corpus}
export OPSIGHT_GOLDEN=${OPSIGHT_GOLDEN:-$root/../shared/golden}

say() { printf '== %s\n' "$*"; }
die() {
    printf 'dev: %s\n' "$*" >&2
    exit 1
}

# The Python that the collector is built for: Debian's, which has torch, rather than one first in PATH.
torch_python() {
    local python
    for python in "${OPSIGHT_PYTHON:-}" /usr/bin/python3 python3; do
        [ -n "$python" ] || continue
        if "$python" -c 'import sys, importlib.util as u; sys.exit(u.find_spec("torch") is None)' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    die "no python3 with torch found: run ./dev setup, or set OPSIGHT_PYTHON"
}

# configure PRESET DIR: with what CMakePresets.json says, and only where DIR was not configured so.
configure() {
    local preset=$1 dir=$2 wanted
    wanted="$root $preset $(cksum <CMakePresets.json)"
    if [ -e "$dir/build.ninja" ] && [ "$(cat "$dir/.configured" 2>/dev/null)" = "$wanted" ]; then return; fi
    rm -rf "$dir/CMakeCache.txt" "$dir/CMakeFiles" # with another compiler, cmake would forget the other options
    cmake --preset "$preset" >"$dir.log" 2>&1 || {
        cat "$dir.log" >&2
        die "cmake failed for $dir"
    }
    mv "$dir.log" "$dir/configure.log"
    echo "$wanted" >"$dir/.configured"
}

# compile DIR [TARGET...]: builds in a configured folder; shows progress on a terminal only.
compile() {
    local dir=$1
    shift
    set -- -C "$dir" -j "${JOBS:-$(nproc)}" "$@"
    if [ -t 1 ]; then
        ninja "$@"
    else
        ninja --quiet "$@" | { grep -vxF 'ninja: no work to do.' || true; }
    fi
}

# Tells, where nobody can miss it, that real traces or other tools' numbers are not there.
warn_of_missing_data() {
    local folder missing=()
    for folder in "$OPSIGHT_CORPUS" "$OPSIGHT_GOLDEN"; do
        [ -d "$folder" ] || missing+=("$folder")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    printf '\n!!! No folder %s\n' "${missing[@]}"
    printf '!!! Tests on real traces and against other tools are SKIPPED (see CONTRIBUTING.md, "Real traces").\n\n'
}

# missing_packages FILE: those of its lines that are not installed. A line is "PACKAGE [COMMAND]": where COMMAND is
# found already, the package is not needed.
missing_packages() {
    local installed package command
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p')
    while read -r package command; do
        [[ -z $package || $package == \#* ]] && continue
        grep -qxF "$package" <<<"$installed" && continue
        [ -n "$command" ] && command -v "$command" >/dev/null && continue
        echo "$package"
    done <"$1"
}

# The same of servers that tests start.
warn_of_missing_servers() {
    local missing
    mapfile -t missing < <(missing_packages scripts/packages_servers.txt)
    [ ${#missing[@]} -gt 0 ] || return 0
    printf '\n!!! Debian packages that are not installed: %s\n' "${missing[*]}"
    printf "!!! Tests of 'opsight fleet' on a ClickHouse cluster are SKIPPED (see docs/FLEET.md, \"ClickHouse\").\n\n"
}

# files PATTERN...: the project's files as git sees them (committed, or new and not ignored); `*` spans folders.
files() {
    local file pattern
    { git -c safe.directory="$root" ls-files -co --exclude-standard 2>/dev/null || unpacked_files; } | sort -u |
        while IFS= read -r file; do
            for pattern in "$@"; do
                # shellcheck disable=SC2053  # a pattern on purpose
                if [[ $file == $pattern && -f $file ]]; then
                    printf '%s\n' "$file"
                    break
                fi
            done
        done
}

# The same where the sources came without git.
unpacked_files() {
    find . -type f ! -path './build*' ! -path './third_party/*' ! -path '*/node_modules/*' ! -path '*/.git/*' \
        ! -path '*/__pycache__/*' ! -name '*.opsight' -printf '%P\n'
}
