#!/usr/bin/env bash
# What programs decide by is a code (src/base/result.h; `code` of the server's errors), never the words of a message:
# finds code that compares these. Also "is no number" in them, where people say "is not a number".
# usage: check_messages.sh FILE...; exit 1 and one line per finding
set -uo pipefail

found=0
# look WHAT PATTERN FILE...: prints the matches of a Perl regular expression.
look() {
    local what=$1 pattern=$2
    shift 2
    if grep -nHIP -e "$pattern" -- "$@" | cut -c 1-200 | sed "s/^/$what: /" | grep .; then found=1; fi
}

[ $# -gt 0 ] || exit 0
text='\.(what|message|text|remedy)(\(\))?'
error='(error|problem|failure|status|said|refused)(\(\))?'
look 'compares the words of an error' \
    "\b$error(\.|->)(what|message|text|remedy)(\(\))?(\.(find(?!\('\\\\n')|rfind|contains|starts_with|ends_with|compare|includes|indexOf|startsWith|endsWith|match|search)\(| ?[!=]=)|\.test\(\w*$error$text\)" \
    "$@"
look '"is no X", not "is not a X"' '"[^"]*(?<!there )\b(is|was) no (?!longer|use|more|part)[a-z]+\b[^"]*"' "$@"
exit $found
