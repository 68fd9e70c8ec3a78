#!/usr/bin/env bash
# Installs what is missing: the Debian packages of scripts/packages.txt, then DuckDB. Quick when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

# "PACKAGE [COMMAND]" per line: where COMMAND is found already, the package is not needed.
missing_packages() {
    local installed package command
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p')
    while read -r package command; do
        [[ -z $package || $package == \#* ]] && continue
        grep -qxF "$package" <<<"$installed" && continue
        [ -n "$command" ] && command -v "$command" >/dev/null && continue
        echo "$package"
    done <scripts/packages.txt
}

# How to run a command as root: at once, by sudo, or not at all.
as_root=()
find_root() {
    [ "$(id -u)" = 0 ] && return
    command -v sudo >/dev/null || die "there is no sudo here: as root, run: apt-get install --no-install-recommends $*"
    as_root=(sudo)
}

install_packages() {
    local missing log
    command -v dpkg-query >/dev/null || die "this is not Debian: install what scripts/packages.txt names by hand"
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -gt 0 ] || return 0
    find_root "${missing[@]}"
    say "install ${#missing[@]} Debian packages and what they need (some minutes): ${missing[*]}"
    log=$(mktemp)
    if ! {
        "${as_root[@]}" apt-get -q update &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
                install "${missing[@]}"
    } >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        die "apt-get failed (its whole output: $log)"
    fi
    rm -f "$log"
}

install_packages
scripts/fetch_duckdb.sh
