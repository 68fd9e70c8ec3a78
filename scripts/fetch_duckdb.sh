#!/usr/bin/env bash
# Puts DuckDB's prebuilt library and its C header into third_party/duckdb, from two pinned npm packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

version=1.4.4 bindings=1.4.4-r.4
out=$root/third_party/duckdb
[ -e "$out/libduckdb.so" ] && [ "$(cat "$out/VERSION" 2>/dev/null)" = "$bindings" ] && exit 0

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
mkdir -p "$out"
cp bindings/package/libduckdb.so "$out/"
cp header/package/src/duckdb/src/include/duckdb.h "$out/"
cp header/package/LICENSE "$out/LICENSE"
echo "$bindings" >"$out/VERSION"
