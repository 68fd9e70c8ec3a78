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

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root to run '$*': install sudo, or run ./dev setup as root"
    fi
}

install_packages() {
    local missing
    command -v dpkg-query >/dev/null || die "this is no Debian: install what scripts/packages.txt names by hand"
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -gt 0 ] || return 0
    say "install ${missing[*]}"
    as_root apt-get -q update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}"
}

install_packages
scripts/fetch_duckdb.sh
