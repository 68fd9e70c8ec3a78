#!/usr/bin/env python3
"""Checks what the page and the Python package import: folders of the page only those before them in its folders.txt,
and no files in a circle, not even for types or within functions.

usage: check_imports.py [WEB PACKAGE]    by default web/src python/opsight; exit 1 and one line per breach
"""
import ast
import os
import pathlib
import re
import sys

from circles import circles

ORDER = "folders.txt"
SUFFIXES = (".ts", ".tsx")
COMMENT = re.compile(r"^\s*//.*|/\*[\s\S]*?\*/", re.MULTILINE)
# import … from "./x", export … from "./x", import "./x", and import("./x"), also of types.
IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*["'](\.[^"']*)["']""")


def web_imports(path, text):
    """(line, what is imported by its place) in a file of the page."""
    text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
    for match in IMPORT.finditer(text):
        target = os.path.normpath(path.parent / match.group(1).partition("?")[0])
        yield text.count("\n", 0, match.start(1)) + 1, pathlib.Path(target)


def web_file(target):
    """The file that an import without or with a suffix means, or None."""
    for each in (target, *(target.with_name(target.name + suffix) for suffix in SUFFIXES)):
        if each.is_file():
            return each
    return None


def folder_of(web, path):
    """The folder of the page that a file lies in; "" for what starts the page, beside the folders."""
    parts = path.relative_to(web).parts
    return parts[0] if len(parts) > 1 else ""


def web_breach(web, order, path, target):
    """What is wrong with one import, or None."""
    file = web_file(target)
    if file is None:
        return f"imports {os.path.relpath(target, web)}, which is not a file"
    if not file.is_relative_to(web) or file.suffix not in SUFFIXES:
        return None
    own, other = folder_of(web, path), folder_of(web, file)
    if own and not other:
        return f"{own}/ may not import {file.name}, which starts the page"
    if own and other in order and order.index(other) > order.index(own):
        return f"{own}/ may not import {other}/"
    return None


def web_breaches(web):
    order = [line for line in (web / ORDER).read_text(encoding="utf-8").split("\n") if line and line[0] != "#"]
    files = sorted(path for path in web.rglob("*") if path.suffix in SUFFIXES)
    folders = {folder_of(web, path) for path in files} - {""}
    found = [f"{web / ORDER}:1: has no place for {folder}/" for folder in sorted(folders - set(order))]
    found += [f"{web / ORDER}:1: there is no folder {folder}/" for folder in order if folder not in folders]
    arrows = {}
    for path in files:
        for line, target in web_imports(path, path.read_text(encoding="utf-8")):
            breach = web_breach(web, order, path, target)
            if breach:
                found.append(f"{path}:{line}: {breach}")
            arrows.setdefault(str(path.relative_to(web)), []).append(os.path.relpath(web_file(target) or target, web))
    return found + [f"{web}:1: these files import each other: {', '.join(group)}" for group in circles(arrows)]


def named(node, inside):
    """The full names in an import statement of a module that lies in the package `inside` (its parts)."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = inside[: len(inside) - node.level + 1] if node.level else []
    base = [*base, *(node.module or "").split(".")] if node.module else base
    return [".".join([*base, alias.name]) for alias in node.names]


def python_breaches(package):
    modules = {}
    for path in sorted(package.rglob("*.py")):
        name = [package.name, *path.relative_to(package).with_suffix("").parts]
        modules[".".join(name[:-1] if path.name == "__init__.py" else name)] = path
    arrows = {}
    for name, path in modules.items():
        parts = name.split(".")
        inside = parts if path.name == "__init__.py" else parts[:-1]
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        names = [each for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
                 for each in named(node, inside)]
        # A name that is not a module is one in a module.
        arrows[name] = [each if each in modules else each.rpartition(".")[0] for each in names]
    return [f"{package}:1: these modules import each other: {', '.join(group)}" for group in circles(arrows)]


def main():
    web, package = (pathlib.Path(each) for each in sys.argv[1:] or ("web/src", "python/opsight"))
    for folder in (web, package):
        if not folder.is_dir():
            print(f"check_imports: no folder {folder}", file=sys.stderr)
            return 2
    found = web_breaches(web) + python_breaches(package)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
