#!/usr/bin/env python3
"""Checks that every room of src/ includes only rooms above it, and that only its owner includes a library.

usage: check_layers.py [SRC]    exit 1 and one line per breach
"""
import pathlib
import re
import sys

ROOMS = ["base", "wire", "store", "model", "hardware", "import", "cost", "analyze", "advise", "map", "db",
         "query", "report", "server", "cli"]
# Rooms that see less than everything above them.
NARROW = {"collect": ["base", "wire"], "map": ["base", "hardware", "cost"]}
# Rooms that see a room which is in no one's way: the command line starts the collector.
WIDE = {"cli": ["collect"]}
# Libraries behind one wrapper: header -> the only room that may include it.
OWNED = {"duckdb.h": "base", "duckdb.hpp": "base", "sqlite3.h": "base"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".c", ".cu", ".inc"}


def allowed_rooms(room):
    if room in NARROW:
        return NARROW[room] + [room]
    return ROOMS[:ROOMS.index(room) + 1] + WIDE.get(room, [])


def without_comments(text):
    """Blanks block comments, keeping line numbers; a line comment cannot start a line with #include."""
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)


def include_breach(src, room, quote, target):
    """What is wrong with one include of `room`, or None."""
    owner = OWNED.get(target)
    if owner and room != owner:
        return f"only {owner}/ may include {target}: use its wrapper"
    if quote == "<":
        return None
    other = target.split("/")[0]
    if other in ROOMS or other in NARROW:
        if other not in allowed_rooms(room):
            return f"{room}/ may not use {other}/"
        return None
    if not (src / target).is_file() and "/" in target:
        return f"include {target} names no room"
    if "/" not in target:
        return f"include {target} by its full name from src/: \"{room}/{target}\""
    return None


def breaches(src):
    found = []
    for path in sorted(p for p in src.rglob("*") if p.suffix in SUFFIXES):
        relative = path.relative_to(src)
        room = relative.parts[0]
        if len(relative.parts) == 1 or (room not in ROOMS and room not in NARROW):
            found.append(f"{path}:1: lies in no known room ({', '.join(ROOMS)}, collect)")
            continue
        text = without_comments(path.read_text(encoding="utf-8"))
        for match in INCLUDE.finditer(text):
            breach = include_breach(src, room, match.group(1), match.group(2))
            if breach:
                line = text.count("\n", 0, match.start(1)) + 1
                found.append(f"{path}:{line}: {breach}")
    return found


def main():
    src = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    if not src.is_dir():
        print(f"check_layers: no folder {src}", file=sys.stderr)
        return 2
    found = breaches(src)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
