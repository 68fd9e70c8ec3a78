#!/usr/bin/env bash
# Profiles a small training run on this machine's CPU and shows what took its time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

opsight=$root/build/bin/opsight
profile=demo.opsight
python=$(torch_python)

# show REPORT TITLE LIMIT
show() {
    printf '\n'
    say "$2: opsight report $profile --report $1 --limit $3"
    "$opsight" report "$profile" --report "$1" --limit "$3"
}

say "opsight profile -o $profile --force -- $python examples/train_cnn.py"
"$opsight" profile -o "$profile" --force -- "$python" examples/train_cnn.py
printf '\n'
say "what took the time: opsight report $profile"
"$opsight" report "$profile" --report summary
show detailed "the ops that cost most" 12
show group_op "the layers that cost most" 12
show iteration "the iterations" 12
printf '\nThe profile is %s: try\n  build/bin/opsight info %s\n  build/bin/opsight sql %s "SELECT * FROM iterations"\n' \
    "$profile" "$profile" "$profile"
