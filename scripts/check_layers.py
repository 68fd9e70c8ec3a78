#!/usr/bin/env python3
"""Checks that every room of src/ includes only rooms that CMake links it with, that no two folders include each
other, and that only its owner includes a library.

usage: check_layers.py [SRC]    exit 1 and one line per breach
"""
import pathlib
import re
import sys

from circles import circles, reach

# Libraries behind one wrapper: header -> the only room that may include it.
OWNED = {"duckdb.h": "base", "duckdb.hpp": "base", "sqlite3.h": "base"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".c", ".cu", ".inc"}
ROOM = re.compile(r"^\s*opsight_room\(([^)]+)\)", re.MULTILINE)
LIBRARY = re.compile(r"^\s*target_link_libraries\(opsight_(\w+)\s+([^)]+)\)", re.MULTILINE)


def linked_rooms(src):
    """{room: the rooms it is linked with, itself among them}, from the CMake files."""
    direct = {}
    for file in sorted(src.rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
        for match in ROOM.finditer(text):
            name, *words = match.group(1).split()
            rooms = words[words.index("ROOMS") + 1:] if "ROOMS" in words else []
            direct[name] = rooms[:rooms.index("LIBS")] if "LIBS" in rooms else rooms
    for file in sorted(src.rglob("CMakeLists.txt")):
        text = file.read_text(encoding="utf-8")
        for match in LIBRARY.finditer(text):
            folder = match.group(1)
            if folder not in direct and (src / folder / "CMakeLists.txt") == file:
                direct[folder] = [word[8:] for word in match.group(2).split() if word.startswith("opsight_")]
    return {room: reach(direct, room) for room in direct}


def room_of(name, rooms):
    """The room of a file or include, the longest that fits; None outside of all."""
    parts = name.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in rooms:
            return "/".join(parts[:length])
    return None


def without_comments(text):
    """Blanks block comments, keeping line numbers; a line comment cannot start a line with #include."""
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)


def include_breach(src, rooms, room, quote, target):
    """What is wrong with one include of `room`, or None."""
    owner = OWNED.get(target)
    if owner and room != owner:
        return f"only {owner}/ may include {target}: use its wrapper"
    if quote == "<":
        return None
    other = room_of(target, rooms)
    if other:
        return None if other in rooms[room] else f"{room}/ may not use {other}/"
    if not (src / target).is_file() and "/" in target:
        return f"include {target} names no room"
    if "/" not in target:
        return f"include {target} by its full name from src/: \"{room}/{target}\""
    return None


def is_test(path):
    return path.name.startswith("test_") or path.stem.endswith(("_test", "_fuzzer"))


def breaches(src):
    found, arrows = [], {}
    rooms = linked_rooms(src)
    for path in sorted(p for p in src.rglob("*") if p.suffix in SUFFIXES):
        name = path.relative_to(src).as_posix()
        room = room_of(name, rooms)
        if not room:
            found.append(f"{path}:1: lies in no room that a CMakeLists.txt names")
            continue
        text = without_comments(path.read_text(encoding="utf-8"))
        for match in INCLUDE.finditer(text):
            breach = include_breach(src, rooms, room, match.group(1), match.group(2))
            if breach:
                line = text.count("\n", 0, match.start(1)) + 1
                found.append(f"{path}:{line}: {breach}")
            folder, other = name.rpartition("/")[0], match.group(2).rpartition("/")[0]
            if match.group(1) == '"' and folder != other and not is_test(path):
                arrows.setdefault(folder, []).append(other)
    return found + [f"{src}:1: these folders include each other: {', '.join(group)}" for group in circles(arrows)]


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
