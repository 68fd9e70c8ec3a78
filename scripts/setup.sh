#!/usr/bin/env bash
# Installs what is missing: the Debian packages of scripts/packages.txt, then DuckDB. Quick when all is there.
# usage: setup.sh [servers]    servers: those of scripts/packages_servers.txt too, where they can be had
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

# Without these two files the package has no service that could be started.
no_service=(-o "Dpkg::Options::=--path-exclude=/lib/systemd/system/clickhouse-server.service"
    -o "Dpkg::Options::=--path-exclude=/etc/init.d/clickhouse-server")

# How to run a command as root: at once, by sudo, or not at all.
as_root=()
find_root() {
    [ "$(id -u)" = 0 ] && return
    command -v sudo >/dev/null || die "there is no sudo here: as root, run: apt-get install --no-install-recommends $*"
    as_root=(sudo)
}

# install_packages FILE [APT-OPTION...]
install_packages() {
    local missing log list=$1
    shift
    command -v dpkg-query >/dev/null || die "this is not Debian: install what $list names by hand"
    mapfile -t missing < <(missing_packages "$list")
    [ ${#missing[@]} -gt 0 ] || return 0
    find_root "${missing[@]}"
    say "install ${#missing[@]} Debian packages and what they need (some minutes): ${missing[*]}"
    log=$(mktemp)
    if ! {
        "${as_root[@]}" apt-get -q update &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@" \
                install "${missing[@]}"
    } >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        die "apt-get failed (its whole output: $log)"
    fi
    rm -f "$log"
}

install_packages scripts/packages.txt
if [ "${1:-}" = servers ] && ! (install_packages scripts/packages_servers.txt "${no_service[@]}"); then
    warn_of_missing_servers
fi
scripts/fetch_duckdb.sh
