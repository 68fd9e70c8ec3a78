#!/usr/bin/env bash
# Puts DuckDB's prebuilt library and its C header into third_party/duckdb, from two pinned npm packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

version=1.4.4 bindings=1.4.4-r.4
# What runs inside our program, and decides what files it may reach, is these bytes and no others.
library_sha256=1ef33048e12235115ac0d277a0aaccbb560e33248144f488b5ac005cd9ba81b5
header_sha256=cbe6a827284375c5a646b8f27dbd3a00808ce8738b5bbb49c190cb1e08540281
out=$root/third_party/duckdb
# are_known LIBRARY HEADER: whether they are these.
are_known() {
    printf '%s  %s\n' "$library_sha256" "$1" "$header_sha256" "$2" | sha256sum --quiet --check
}
[ "$(cat "$out/VERSION" 2>/dev/null)" = "$bindings" ] && are_known "$out/libduckdb.so" "$out/duckdb.h" 2>/dev/null >&2 && exit 0

case $(uname -m) in
x86_64) package=node-bindings-linux-x64 ;;
*) die "no prebuilt DuckDB is known for $(uname -m): put libduckdb.so and duckdb.h where cmake finds them" ;;
esac
command -v npm >/dev/null || die "npm is missing: run ./dev setup"
say "fetch DuckDB $version (npm, about 60 MB)"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm pack --silent "@duckdb/$package@$bindings" "duckdb@$version" >log 2>&1 || {
    cat log >&2
    die "npm could not fetch DuckDB: is the npm registry reached? 'npm view duckdb' tells"
}
mkdir bindings header
tar xzf "duckdb-$package-"*.tgz -C bindings
tar xzf "duckdb-$version.tgz" -C header package/src/duckdb/src/include/duckdb.h package/LICENSE
library=bindings/package/libduckdb.so header=header/package/src/duckdb/src/include/duckdb.h
are_known "$library" "$header" >log 2>&1 || die "npm gave another DuckDB $version than the one we know: $(head -n 1 log)"
mkdir -p "$out"
cp "$library" "$header" "$out/"
cp header/package/LICENSE "$out/LICENSE"
echo "$bindings" >"$out/VERSION"
