#!/usr/bin/env python3
"""Writes the files of a built page as C++: paths, types, tags and bytes, plain and gzipped.

usage: embed_web.py --output FILE.cpp [FOLDER]    no folder, or one without index.html: an empty list
"""
import argparse
import gzip
import hashlib
import pathlib

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
         ".woff2": "font/woff2", ".json": "application/json", ".webmanifest": "application/manifest+json",
         ".txt": "text/plain; charset=utf-8"}
WORTH_IT = 0.95  # a smaller gzipped form than this share is kept


def literal(data):
    """A string literal for each line of bytes: compilers read these many times faster than numbers."""
    lines = []
    for start in range(0, len(data), 4000):
        part = data[start:start + 4000]
        lines.append('"' + "".join(f"\\{byte:03o}" for byte in part) + '"')
    return "\n        ".join(lines) or '""'


def entry(path, root):
    plain = path.read_bytes()
    packed = gzip.compress(plain, 9, mtime=0)
    if len(packed) > WORTH_IT * len(plain):
        packed = b""
    tag = hashlib.sha256(plain).hexdigest()[:16]
    name = "/" + path.relative_to(root).as_posix()
    kind = TYPES.get(path.suffix, "application/octet-stream")
    return (f"    {{\"{name}\", \"{kind}\", \"\\\"{tag}\\\"\",\n"
            f"     std::string_view({literal(plain)}, {len(plain)}),\n"
            f"     std::string_view({literal(packed)}, {len(packed)})}},\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    files = []
    if arguments.folder and (arguments.folder / "index.html").is_file():
        files = sorted(path for path in arguments.folder.rglob("*") if path.is_file() and path.suffix != ".map")
    text = ("// Made by scripts/embed_web.py.\n#include \"server/assets_data.h\"\n\nnamespace opsight::server {\n\n"
            "const std::vector<Asset>& asset_list() {\n    static const std::vector<Asset> list = {\n"
            + "".join(entry(path, arguments.folder) for path in files)
            + "    };\n    return list;\n}\n\n}  // namespace opsight::server\n")
    arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
