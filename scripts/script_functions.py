"""Finds the functions of Python and bash files and their lengths."""
import ast
import re

BASH_FUNCTION = re.compile(r"^([ \t]*)(?:function\s+)?([\w:.-]+)\s*\(\)\s*([{(])(.*)$")


def python_functions(text):
    """Every def, nested ones too; a decorator does not count."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((node.name, node.lineno, node.end_lineno - node.lineno + 1))
    return found


def bash_functions(text):
    """Functions that end with a brace at the indentation of their name (as the sources here do)."""
    found, lines = [], text.split("\n")
    for i, line in enumerate(lines):
        match = BASH_FUNCTION.match(line)
        if not match:
            continue
        indent, name, bracket, rest = match.groups()
        closing = indent + {"{": "}", "(": ")"}[bracket]
        length = 1
        if not rest.rstrip().endswith(closing.strip()):
            end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip() == closing), len(lines) - 1)
            length = end - i + 1
        found.append((name, i + 1, length))
    return found
