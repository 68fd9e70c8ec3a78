#!/usr/bin/env python3
"""Statements of query/ stand in files (docs/decisions/0019): names the SQL that is left in C++, and in the files lines that
are too long, numbers in place of names (db/sql_names.h), and windows over all rows: DuckDB up to 1.5.5 fails now and then where
several threads compute one (duckdb/duckdb#22352, #25713); a scalar subquery over a MATERIALIZED relation tells the same."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
LONGEST = 120
# What puts statements together, from quoted names and from other statements.
MAKERS = {"ask/lean_views.cpp", "ask/page.cpp", "ask/question.cpp", "session/session.cpp", "session/cut_range.cpp",
          "reports/range_resources.cpp"}
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ALL_ROWS = re.compile(r"\bOVER\s*\(\s*\)")
STATEMENT = re.compile(r"\b(SELECT\s|FROM (raw|sel|st|all)[._]|(LEFT|SEMI|ANTI|ASOF) JOIN|GROUP BY|ORDER BY|CREATE (OR|TEMP))")
NUMBER = re.compile(r"\b(kind|uses_tc|class|direction|resource|style)\s*(=|<>|<=?|>=?|IN)\s*\(?\s*[0-9]|\bflags\s*&\s*[0-9]")


def in_code(path: pathlib.Path) -> list[str]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = re.sub(r"(^|\s)//.*$", "", line)
        if any(STATEMENT.search(text) for text in TEXT.findall(code)):
            found.append(f"{path.relative_to(ROOT)}:{number}: SQL in C++: put it into a file of sql/")
    return found


def in_file(path: pathlib.Path) -> list[str]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.relative_to(ROOT)}:{number}:"
        if len(line) > LONGEST or line != line.rstrip() or "\t" in line:
            found.append(f"{where} over {LONGEST} columns, or blanks at the end")
        if NUMBER.search(line.split("--")[0]):
            found.append(f"{where} a number in place of a name: see src/db/sql_names.h")
    return found


def windows_in(path: pathlib.Path) -> list[str]:
    """In SQL and in the texts of code, wherever it stands."""
    comment = "--" if path.suffix == ".sql" else "//"
    return [f"{path.relative_to(ROOT)}:{number}: OVER (): see the head of scripts/check_sql.py"
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if ALL_ROWS.search(line.split(comment)[0])]


def main() -> int:
    room = ROOT / "src" / "query"
    found: list[str] = []
    for path in sorted([*room.rglob("*.cpp"), *room.rglob("*.h")]):
        name = str(path.relative_to(room))
        if name not in MAKERS and not path.stem.endswith("_test") and not path.name.startswith("test_"):
            found += in_code(path)
    for path in sorted(room.rglob("sql/*.sql")):
        found += in_file(path)
    for path in sorted([*(ROOT / "src").rglob("*.sql"), *(ROOT / "src").rglob("*.cpp")]):
        found += windows_in(path)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
