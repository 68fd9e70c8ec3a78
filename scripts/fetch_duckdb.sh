#!/usr/bin/env bash
# Puts DuckDB's prebuilt library and its C header into third_party/duckdb, from two pinned npm packages.
set -euo pipefail
version=1.4.4 bindings=1.4.4-r.4
top=$(cd "$(dirname "$0")/.." && pwd)
out=$top/third_party/duckdb
[ -e "$out/libduckdb.so" ] && [ "$(cat "$out/VERSION" 2>/dev/null)" = "$bindings" ] && exit 0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm pack --silent "@duckdb/node-bindings-linux-x64@$bindings" "duckdb@$version" >/dev/null
mkdir bindings header
tar xzf duckdb-node-bindings-linux-x64-*.tgz -C bindings
tar xzf "duckdb-$version.tgz" -C header package/src/duckdb/src/include/duckdb.h package/LICENSE
mkdir -p "$out"
cp bindings/package/libduckdb.so "$out/"
cp header/package/src/duckdb/src/include/duckdb.h "$out/"
cp header/package/LICENSE "$out/LICENSE"
echo "$bindings" >"$out/VERSION"
