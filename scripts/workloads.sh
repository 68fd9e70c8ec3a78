#!/usr/bin/env bash
# Runs the workloads of examples/workloads under 'opsight profile' and prints one table of what was recorded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

main() {
    case " $* " in
    *' -h '* | *' --help '*) ;;
    *)
        scripts/setup.sh
        configure "$preset" build
        compile build program
        ;;
    esac
    OPSIGHT_PYTHON=$(torch_python)
    export OPSIGHT_PYTHON OPSIGHT_BIN_DIR=$root/build/bin
    exec "$OPSIGHT_PYTHON" -B scripts/workloads.py "$@"
}

main "$@"
