#!/usr/bin/env bash
# Runs the programs with planted faults of tests/pathologies and prints what advice makes of them: one table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

main() {
    case " $* " in
    *' -h '* | *' --help '*) PYTHONPATH=$root/tests exec python3 -B tests/pathologies/table.py --help ;;
    esac
    scripts/setup.sh
    configure "$preset" build
    compile build program
    OPSIGHT_PYTHON=$(torch_python)
    export OPSIGHT_PYTHON OPSIGHT_BIN_DIR=$root/build/bin
    PYTHONPATH=$root/tests exec "$OPSIGHT_PYTHON" -B tests/pathologies/table.py "$@"
}

main "$@"
