#!/usr/bin/env python3
"""Makes a C++ source of the sum over the files that decide what a profile's file says of a run.

Two programs whose sums differ may read, judge and count the same trace differently.
"""
import argparse
import hashlib
import pathlib


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="what the files' names are told from")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    total = hashlib.sha256()
    for file in sorted(options.files):
        total.update(f"{file.relative_to(options.root)}\n".encode())
        total.update(file.read_bytes())
    options.source.parent.mkdir(parents=True, exist_ok=True)
    options.source.write_text('#include "db/rules.h"\n\nnamespace opsight::db {\n\n'
                              f'std::string_view rules() {{\n    return "{total.hexdigest()[:16]}";\n}}\n\n'
                              '}  // namespace opsight::db\n', encoding="utf-8")


if __name__ == "__main__":
    main()
