#!/usr/bin/env bash
# Only the tests of the ClickHouse kind of store, on a cluster on loopback that they start and stop.
# Its arguments go to Python's unittest: ./dev clickhouse NothingLost.test_full_disk
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

scripts/setup.sh servers
mapfile -t missing < <(missing_packages scripts/packages_servers.txt)
[ ${#missing[@]} -eq 0 ] || die "NOTHING WAS TESTED: these Debian packages are missing: ${missing[*]}"
configure "$preset" build
compile build opsight store_probe
OPSIGHT_BIN_DIR=$PWD/build/bin PYTHONPATH=tests exec /usr/bin/python3 -B tests/fleet/test_clickhouse.py -v "$@"
