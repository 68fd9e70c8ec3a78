#!/usr/bin/env python3
"""Holds that no type of the program has two definitions: not one name in one namespace in two files.

usage: check_types.py FILE...   exit 1, and a line for each definition that is not the first, where one has

The compiler sees one file at a time, and the linker takes either definition: what one file wrote by the one, another
reads by the other. Types within functions and in nameless namespaces are their file's own. Tests are linked with all
that is not a test, and with the tests of their room. What has one definition that means two things (by a macro, or by
what stands before it) only the linker sees: `./dev odr`.
"""
import pathlib
import re
import sys

import cpp_functions

TYPE = re.compile(r"\b(?:enum\s+(?:class|struct)|enum|class|struct|union)\s+(?P<name>[A-Za-z_][\w:]*"
                  r"(?:\s*<.*>)?)\s*(?:final\b\s*)?(?::(?!:).*)?$", re.DOTALL)
NAMESPACE = re.compile(r"\bnamespace\b\s*(?P<name>[\w:]*)\s*$")


def scope_of(head):
    """The name that an opening brace after `head` begins a scope of ("" is nameless), whether it is a type; or None."""
    head = cpp_functions.ATTRIBUTE.sub(" ", cpp_functions.without_template(head)).strip()
    space = NAMESPACE.search(head)
    if space:
        return space["name"], False
    named = TYPE.search(head)
    if named:
        return re.sub(r"\s+", "", named["name"]), True
    return None


def types(text):
    """(full name, line) of each type that other files could define again."""
    code, found, scopes = cpp_functions.blank(text), [], []
    begin, i = 0, 0
    while i < len(code):
        c = code[i]
        if c in ";}":
            begin = i + 1
            if c == "}" and scopes:
                scopes.pop()
        elif c == "{":
            head = code[begin:i]
            begin = i + 1
            scope = scope_of(head) if cpp_functions.kind_of_brace(head) in ("scope", "data") else None
            if scope is None and re.search(r'\bextern\s*""\s*$', head):
                scope = "", False
                scopes.append("extern")
            elif scope is None:
                i = begin = cpp_functions.skip_braces(code, i)
                continue
            else:
                scopes.append(scope[0])
                if scope[1] and all(scopes):
                    full = "::".join(each for each in scopes if each != "extern")
                    found.append((full, code.count("\n", 0, i) + 1))
        elif c == ":" and re.search(r"\b(public|private|protected)\s*$", code[begin:i]):
            begin = i + 1
        i += 1
    return found


def linked(one, other):
    """Whether two files can be part of one program."""
    tests = [path for path in (one, other) if path.stem.endswith("_test") or path.stem.startswith("test_")]
    return len(tests) < 2 or one.parent == other.parent


def main(files):
    known, repeated = {}, 0
    for path in map(pathlib.Path, sorted(files)):
        if path.stem.endswith("_fuzzer") or path.name == "main.cpp":
            continue  # programs of their own
        for name, line in types(path.read_text(encoding="utf-8")):
            first = next((each for each in known.get(name, ()) if each[0] != path and linked(each[0], path)), None)
            if first:
                print(f"{path}:{line}: {name} is defined in {first[0]}:{first[1]} too")
                repeated += 1
            known.setdefault(name, []).append((path, line))
    return 1 if repeated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
