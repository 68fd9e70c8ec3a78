#!/usr/bin/env bash
# Profiles a small training run on this machine's CPU and shows what took its time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

opsight=build/bin/opsight
profile=demo.opsight
reports=summary,detailed,group_op,iteration
python=$(torch_python)
[ -t 1 ] || export COLUMNS="${COLUMNS:-120}" # tables fit a page where there is no terminal to fit

say "train a small network under the profiler: opsight profile -o $profile --force -- $python examples/train_cnn.py"
"$opsight" profile -o "$profile" --force -- "$python" examples/train_cnn.py
printf '\n'
say "what took the time (in all, by op, by layer, by iteration): opsight report $profile --report $reports --limit 8"
"$opsight" report "$profile" --report "$reports" --limit 8
printf '\n'
say "done: the profile is $profile. Try next:"
cat <<TEXT
   $opsight info $profile                                   what is in it
   $opsight report $profile --report op_type                by type of op
   $opsight report $profile --iter-start 30 --iter-stop 39  any range of iterations
   $opsight sql $profile "FROM iterations"                  your own question
TEXT
