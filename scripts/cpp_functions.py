"""Finds the functions of a C++ file and their lengths, by matching braces over blanked source.

No parser: it knows comments, strings, raw strings, preprocessor lines, namespaces, classes, data tables
and functions that only return one, constructor initialisers, lambdas at namespace scope, and macros that look
like functions (TEST).
Code under both branches of an #if must balance on its own.
"""
import re

NOISE = re.compile(
    r'//(?:\\\n|[^\n])*'                                       # line comment
    r'|/\*.*?\*/'                                              # block comment
    r'|(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'                                    # string
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"                    # character (not a digit separator)
    r'|^[ \t]*#(?:\\\n|[^\n])*',                               # preprocessor line
    re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r'\b(namespace|class|struct|union|extern)\b')
ATTRIBUTE = re.compile(r'\[\[.*?\]\]|\b(?:alignas|noexcept|decltype|explicit)\s*\([^()]*\)'
                       r'|__attribute__\s*\(\(.*?\)\)', re.DOTALL)
CTOR_INIT = re.compile(r'\)\s*(?:noexcept\s*(?:\([^()]*\))?\s*)?:(?!:)')
NAME = re.compile(r'((?:~|\boperator\b[^(]*|[\w:<>,~]+)?)\s*\(')


def blank(text):
    """Comments, strings and preprocessor lines replaced; line breaks kept."""
    def replacement(match):
        word = match.group()
        filler = '""' if word[0] in '"uULR' or word[0] == "'" else ' '
        return filler + "\n" * word.count("\n")
    return NOISE.sub(replacement, text)


def without_template(head):
    """`head` with its leading template<...> blanked."""
    match = re.match(r"\s*template\s*<", head)
    if not match:
        return head
    depth, i = 1, match.end()
    while i < len(head) and depth:
        depth += {"<": 1, ">": -1}.get(head[i], 0)
        i += 1
    return without_template(" " * i + head[i:])


def assigned_value(head):
    """What follows the last `=` outside brackets that is an assignment, or None."""
    depth, found = 0, None
    for i, c in enumerate(head):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "=" and depth == 0 and head[i - 1:i] not in set("=!<>") and head[i + 1:i + 2] != "=":
            if not re.search(r"\boperator\s*$", head[:i]):
                found = head[i + 1:]
    return found


def kind_of_brace(head):
    """What an opening brace after `head` begins, outside a function: scope, function, init or data."""
    head = without_template(head).strip()
    value = assigned_value(head)
    if value is not None:
        return "function" if value.lstrip().startswith("[") else "data"
    if head.count("(") > head.count(")"):
        return "init"  # a default argument
    if CTOR_INIT.search(head) and not re.search(r"[)}]$", head):
        return "init"
    head = ATTRIBUTE.sub(" ", head)
    if ")" in head:
        return "function"
    return "scope" if SCOPE.search(head) and not re.search(r"\benum\b", head) else "data"


def name_of(head):
    head = re.sub(r"\s+", " ", without_template(head)).strip()
    head = ATTRIBUTE.sub(" ", head)
    test = re.match(r"(\w*TEST\w*|BENCHMARK\w*)\s*\(([^)]*)\)", head)
    if test:
        return f"{test.group(1)}({test.group(2)})"
    match = NAME.search(head)
    name = match.group(1).strip() if match else ""
    if not name and "=" in head:
        name = (re.search(r"(\w+)\s*=", head) or [None, "lambda"])[1]
    return name or "unnamed"


def skip_braces(code, start):
    """Index just past the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(code)):
        if code[i] == "{":
            depth += 1
        elif code[i] == "}":
            depth -= 1
            if depth == 0:
                return i + 1
    return len(code)


def is_table(body):
    """Whether a function's body is one `return {...};`: data that needs a function to be made."""
    match = re.match(r"\{\s*return\s*(?=\{)", body)
    return bool(match) and re.fullmatch(r"\s*;\s*\}", body[skip_braces(body, match.end()):]) is not None


def functions(text):
    code = blank(text)
    found, begin, i = [], 0, 0  # begin: where the current declaration starts
    while i < len(code):
        c = code[i]
        if c in ";}":
            begin = i + 1
        elif c == "{":
            head = code[begin:i]
            kind = kind_of_brace(head)
            if kind == "scope":
                begin = i + 1
            else:
                end = skip_braces(code, i)
                if kind == "function" and not is_table(code[i:end]):
                    first = begin + len(head) - len(head.lstrip())
                    line = code.count("\n", 0, first) + 1
                    found.append((name_of(head), line, code.count("\n", first, end) + 1))
                if kind == "init":
                    code = code[:i] + "()" + "\n" * code.count("\n", i, end) + code[end:]
                else:
                    begin = i = end
                continue
        elif c == ":" and re.search(r"\b(public|private|protected)\s*$", code[begin:i]):
            begin = i + 1
        i += 1
    return found
