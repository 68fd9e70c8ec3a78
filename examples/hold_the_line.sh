#!/usr/bin/env bash
# Fails where a change makes a training run slower: records the program before and after it, and compares the two.
#
#   examples/hold_the_line.sh OUT 'python3 main/train.py' 'python3 train.py' ['iteration_time > 10%'] ...
#
# OUT is a folder that it makes, with the profiles, comparison.md (for a pull request) and limits.xml (JUnit). A limit
# that does not hold must fail twice: one run a side does not tell how much runs differ from each other, and a machine
# that was busy for a while is no slower program. Exit codes are those of opsight compare: 3, a limit does not hold.
set -euo pipefail

[ $# -ge 3 ] || {
    echo "usage: ${0##*/} OUT BASE_COMMAND NEW_COMMAND [LIMIT...]" >&2
    exit 2
}
opsight=${OPSIGHT:-opsight}
out=$1 base=$2 new=$3
shift 3
[ $# -gt 0 ] || set -- 'iteration_time > 10%'
limits=()
for limit in "$@"; do
    limits+=(--fail-if "$limit")
done

# record NAME COMMAND: what the program prints goes to a file beside the profile.
record() {
    "$opsight" profile -o "$out/$1.opsight" --force -- sh -c "$2" >"$out/$1.log" 2>&1 || {
        cat "$out/$1.log" >&2
        echo "'$2' failed" >&2
        exit 1
    }
}

# One try: exit code of the comparison, whose tables are in comparison.md.
hold() {
    "$opsight" compare "$out/base.opsight" "$out/new.opsight" "${limits[@]}" --junit "$out/limits.xml" \
        --format markdown -o "$out/comparison.md" --force
}

mkdir -p "$out"
record base "$base"
record new "$new"
code=0
hold || code=$?
if [ "$code" = 3 ]; then
    echo "recording both once more, the other way round" >&2
    record new "$new"
    record base "$base"
    code=0
    hold || code=$?
fi
exit "$code"
