#!/usr/bin/env bash
# Looks for what must not be committed: left-over marks, paths of somebody's machine, hosts of package
# registries, trailing blanks, merge conflicts. usage: check_marks.sh FILE...; exit 1 and one line per finding.
set -uo pipefail

# shellcheck source=scripts/look.sh
. "$(dirname "${BASH_SOURCE[0]}")/look.sh"

# Recorded traces and fixtures keep the words and paths of the machine they come from.
mapfile -t written < <(printf '%s\n' "$@" | grep -vE '^tests/(data|golden)/.*\.(json|txt|tsv|csv|svg)$')
[ $# -gt 0 ] || exit 0

look 'left-over mark' '\b(TODO|FIXME|XXX|HACK|WIP)\b' "${written[@]}"
look 'path of one machine' '(^|[^[:alnum:]_.$}])/(work|root|home|tmp|Users)/[[:alnum:]_.]' "${written[@]}"
look 'registry host' \
    '(//|@|\b)[[:alnum:].-]*(registry|mirror|proxy|artifact|artifactory|jfrog|nexus)[[:alnum:]-]*\.[[:alnum:].-]*[a-z]{2,}[/:]' \
    "$@"
look 'registry setting' '"resolved": *"http|^(registry|//[^=]*:_auth)|index-url' "$@"
look 'conflict marker' '^(<<<<<<<|>>>>>>>)( |$)' "$@"
exit $found
