#!/usr/bin/env bash
# The collector's tests with the PyTorch of OPSIGHT_PYTHON. Where Opsight's own observer does not fit it, the first
# test builds one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

OPSIGHT_PYTHON=$(torch_python)
export OPSIGHT_PYTHON OPSIGHT_BIN_DIR=${OPSIGHT_BIN_DIR:-$root/build/bin} PYTHONPATH=$root/tests
if [ ! -x "$OPSIGHT_BIN_DIR/opsight" ]; then
    configure "$preset" build
    compile build opsight opsight_nvtx opsight_cuda
fi
say "PyTorch $("$OPSIGHT_PYTHON" -c 'import torch; print(torch.__version__)')"
failed=0
for name in torch_versions profile programs python builder; do
    (cd tests/collect && "$OPSIGHT_PYTHON" -B "test_$name.py" -v) || failed=1
done
exit $failed
