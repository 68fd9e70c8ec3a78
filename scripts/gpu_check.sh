#!/usr/bin/env bash
# Builds Opsight where there is a GPU, and runs gpu_check.py. Without one it says so and ends with 3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
if [ -e /dev/nvidiactl ]; then
    scripts/setup.sh
    configure "$preset" build
    compile build opsight opsight_nvtx opsight_cuda
fi
exec python3 -B scripts/gpu_check.py "$@"
