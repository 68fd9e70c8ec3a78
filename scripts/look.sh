# shellcheck shell=bash
# For checks of sources, to be sourced. look WHAT PATTERN FILE...: prints the matches of a Perl regular expression in text
# files, and sets `found` to 1 where there is one.
found=0
look() {
    local what=$1 pattern=$2
    shift 2
    [ $# -gt 0 ] || return 0
    # shellcheck disable=SC2034  # who sources this exits with it
    if grep -nHIP -e "$pattern" -- "$@" | cut -c 1-200 | sed "s/^/$what: /" | grep .; then found=1; fi
}
