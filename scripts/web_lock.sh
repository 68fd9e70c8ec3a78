#!/usr/bin/env bash
# Writes web/package-lock.json anew after a change of web/package.json. Addresses of the registry are left out of it
# afterwards, for npm forgets the packages of other platforms where it is told to leave them out itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"
rm -f package-lock.json
npm install --package-lock-only --omit-lockfile-registry-resolved=false
sed -i '/^ *"resolved": /d' package-lock.json
