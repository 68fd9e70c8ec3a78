#!/usr/bin/env python3
"""Makes C++ of the .sql files of one room: NAME.sql becomes the constant NAME in the namespace that is given.

Each file is one or more statements of DuckDB, with $names where the program gives values. The header changes only
when files come or go, so that a changed statement compiles one small file again.
"""
import argparse
import pathlib
import re
import sys


def literal(text: str) -> str:
    # Compilers must take 65,536 characters of one literal, and join those that follow each other.
    parts = [text[at:at + 16000] for at in range(0, len(text), 16000)] or [""]
    return "\n    ".join(f'R"sql({part})sql"' for part in parts)


def write(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", required=True, help="query/ask")
    parser.add_argument("--header", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    declared, defined = [], []
    for file in sorted(options.files):
        text = file.read_text(encoding="utf-8")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", file.stem):
            sys.exit(f"{file}: the name must be one of C++, in small letters")
        if ')sql"' in text:
            sys.exit(f"{file}: holds the end mark of the literal that it becomes")
        declared.append(f"extern const duck::Sql {file.stem};\n")
        defined.append(f'const duck::Sql {file.stem}{{"{file.stem}",\n    {literal(text)}}};\n')
    opened = f"namespace opsight::{options.room.replace('/', '::')}::sql {{\n"
    write(options.header, '#pragma once\n#include "base/sql.h"\n' + opened + "".join(declared) + "}\n")
    write(options.source, f'#include "{options.room}/sql.h"\n' + opened
          + "".join(defined) + "}\n")
    options.source.touch()


if __name__ == "__main__":
    main()
