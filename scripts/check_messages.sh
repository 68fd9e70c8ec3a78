#!/usr/bin/env bash
# What programs decide by is a code (src/base/result.h; `code` of the server's errors), never the words of a message:
# finds code that compares these. Also "is no number" in them, where people say "is not a number".
# usage: check_messages.sh FILE...; exit 1 and one line per finding
set -uo pipefail

# shellcheck source=scripts/look.sh
. "$(dirname "${BASH_SOURCE[0]}")/look.sh"

[ $# -gt 0 ] || exit 0
text='\.(what|message|text|remedy)(\(\))?'
error='(error|problem|failure|status|said|refused)(\(\))?'
look 'compares the words of an error' \
    "\b$error(\.|->)(what|message|text|remedy)(\(\))?(\.(find(?!\('\\\\n')|rfind|contains|starts_with|ends_with|compare|includes|indexOf|startsWith|endsWith|match|search)\(| ?[!=]=)|\.test\(\w*$error$text\)" \
    "$@"
# shellcheck disable=SC2016 # a backtick begins a text of TypeScript
look '"is no X", not "is not a X"' '["`][^"`]*(?<![Tt]here )\b(is|was|are|were) no (?!longer|use|more|part|other)[A-Za-z]+\b[^"`]*["`]' "$@"
exit $found
