#!/usr/bin/env bash
# Profiles a small training run on this machine's CPU and shows what took its time: as tables, then as a page.
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
say "the profile is $profile. Try next:"
cat <<TEXT
   $opsight info $profile                                   what is in it
   $opsight report $profile --report op_type                by type of op
   $opsight report $profile --iter-start 30 --iter-stop 39  any range of iterations
   $opsight sql $profile "FROM iterations"                  your own question
TEXT
printf '\n'

if [ -t 1 ]; then
    say "see it in the browser: opsight view $profile    (open the address below; Ctrl-C ends the server)"
    exec "$opsight" view "$profile"
fi

# Nobody looks: the page must answer all the same.
said=$(mktemp)
"$opsight" view --no-open -p 0 "$profile" >"$said" &
server=$!
trap 'kill -INT "$server" 2>/dev/null || true; rm -f "$said"' EXIT
for _ in $(seq 100); do
    [ ! -s "$said" ] || break
    kill -0 "$server" 2>/dev/null || die "opsight view ended at once"
    sleep 0.1
done
say "check that the page answers: opsight view --no-open -p 0 $profile"
"$python" scripts/page_answers.py "$(head -n 1 "$said")"
kill -INT "$server"
wait "$server" || die "opsight view did not end cleanly"
