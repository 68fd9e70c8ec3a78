#!/usr/bin/env python3
"""Makes C++ of the tables of a document: one row of text after another, with the title of the section that holds it.

Every table whose first column names words and whose others tell what they mean is taken as it stands, without links and
marks of code. Who looks a word up decides how heads and words are compared.
"""
import argparse
import pathlib
import re


def plain(cell: str) -> str:
    return re.sub(r"[`*]", "", re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", cell)).strip()


def sentence(meaning: list[str]) -> str:
    """Of a table with a column for one call and one for a row, both."""
    return meaning[0] if len(meaning) == 1 else f"Of one call: {meaning[0]}. Of a row: {'; '.join(meaning[1:])}"


def rows(text: str):
    """Section, words and their meaning."""
    section, ruled = "", False
    for line in text.splitlines():
        if title := re.match(r"##+ (.*)", line):
            section = title[1]
        ruled = line.startswith("|") and (ruled or bool(re.fullmatch(r"[|\s:-]+", line)))
        if ruled and not re.fullmatch(r"[|\s:-]+", line):
            words, *meaning = (plain(cell) for cell in line.strip().strip("|").split("|"))
            if meaning := [cell for cell in meaning if cell]:
                yield section, words, sentence(meaning)


def literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--document", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options = parser.parse_args()
    lines = ["    {" + ", ".join(literal(part) for part in row) + "},\n"
             for row in rows(options.document.read_text(encoding="utf-8"))]
    options.source.parent.mkdir(parents=True, exist_ok=True)
    options.source.write_text('#include "query/ask/definitions_text.h"\n'
                              "namespace opsight::query {\n"
                              "static constexpr DefinedWords kRows[] = {\n" + "".join(lines) + "};\n"
                              "const std::span<const DefinedWords> kDefinitions = kRows;\n"
                              "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
