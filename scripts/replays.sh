#!/usr/bin/env bash
# Replays every profile of a folder of real traces without changes and prints how far off that is: one table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

main() {
    scripts/setup.sh
    configure "$preset" build
    compile build program
    OPSIGHT_BIN_DIR=$root/build/bin PYTHONPATH=$root/tests exec python3 -B tests/replays/table.py "$@"
}

main "$@"
