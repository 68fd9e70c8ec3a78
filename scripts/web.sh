#!/usr/bin/env bash
# The viewer's page (web/): usage: web.sh install | build OUT | check | test | browser [FILE]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

stamp=web/node_modules/.installed
export NO_COLOR=1

# Installs the very packages of the lock file, unless they are there.
install() {
    local wanted
    wanted=$(sha256sum <web/package-lock.json)
    [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
    command -v npm >/dev/null || die "npm is missing: run ./dev setup"
    local log
    log=$(mktemp)
    (cd web && npm ci --no-progress) >"$log" 2>&1 || {
        cat "$log" >&2
        die "npm could not install the viewer's packages: is the npm registry reached? 'npm view vite' tells"
    }
    rm -f "$log"
    echo "$wanted" >"$stamp"
}

# run TOOL ARGUMENT...: a program of the installed packages, in web/.
run() {
    local tool=$1
    shift
    (cd web && "node_modules/.bin/$tool" "$@")
}

build() {
    install
    run vite build --logLevel error --emptyOutDir --outDir "$1"
}

check() {
    install
    run tsc --noEmit -p tsconfig.json
    run tsc --noEmit -p tsconfig.browser.json
    run eslint --max-warnings 0 .
}

main() {
    local command=${1:-}
    [ $# -eq 0 ] || shift
    case $command in
    install) install ;;
    build) build "$(realpath -m "${1:?where to build the page into}")" ;;
    check) check ;;
    test)
        install
        run vitest run
        ;;
    browser)
        install
        [ -x /usr/bin/chromium ] || die "the tests of the page need Debian's chromium: run ./dev setup"
        run vitest run --config vitest.browser.config.ts "$@"
        ;;
    *) die "no command '$command': there are install, build OUT, check, test, browser [FILE]" ;;
    esac
}

main "$@"
