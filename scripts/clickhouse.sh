#!/usr/bin/env bash
# Tests the ClickHouse kind of store on a cluster on loopback; installs what that needs and nothing else does.
# Its arguments go to Python's unittest: ./dev clickhouse NothingLost.test_full_disk
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

packages=(clickhouse-server libzookeeper-java openjdk-17-jre-headless)
# Without these two files the package has no service that could be started.
no_service=(-o "Dpkg::Options::=--path-exclude=/lib/systemd/system/clickhouse-server.service"
    -o "Dpkg::Options::=--path-exclude=/etc/init.d/clickhouse-server")

install_servers() {
    local missing=() package as_root=()
    for package in "${packages[@]}"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "NOTHING WAS TESTED: install these Debian packages as root: ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get -q update >/dev/null || die "NOTHING WAS TESTED: apt-get update failed"
    for package in "${missing[@]}"; do
        apt-cache show --no-all-versions "$package" >/dev/null 2>&1 ||
            die "NOTHING WAS TESTED: there is no package $package here (Debian 12 has it)"
    done
    say "install ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        "${no_service[@]}" install "${missing[@]}" >/dev/null ||
        die "NOTHING WAS TESTED: apt-get could not install ${missing[*]}"
}

install_servers
scripts/setup.sh
configure "${OPSIGHT_PRESET:-dev}" build
compile build opsight store_probe
OPSIGHT_BIN_DIR=$PWD/build/bin PYTHONPATH=tests/fleet exec /usr/bin/python3 -B tests/fleet/clickhouse_suite.py -v "$@"
