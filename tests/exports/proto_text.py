"""Reads protobuf files through protoc, Google's own reader: a message as a dict of lists."""

import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'\s*(?:([A-Za-z_]\w*)\s*(\{|:)|(\})|("(?:[^"\\]|\\.)*")|([^\s{}]+))')
ESCAPE = re.compile(rb'\\([0-7]{1,3}|.)')
NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def unescaped(text):
    def one(match):
        what = match.group(1)
        return bytes([int(what, 8)]) if what.isdigit() else NAMED.get(what, what)
    return ESCAPE.sub(one, text[1:-1].encode()).decode()


def parsed(text):
    stack = [{}]
    name = None
    for match in TOKEN.finditer(text):
        key, opens, closes, quoted, plain = match.groups()
        if key and opens == "{":
            inner = {}
            stack[-1].setdefault(key, []).append(inner)
            stack.append(inner)
        elif key:
            name = key
        elif closes:
            stack.pop()
        elif quoted is not None:
            stack[-1].setdefault(name, []).append(unescaped(quoted))
        elif plain:
            stack[-1].setdefault(name, []).append(plain)
    assert len(stack) == 1
    return stack[0]


def decode(path, schema, message):
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", f"--decode={message}", "-I", HERE, os.path.join(HERE, schema)], stdin=file,
                              capture_output=True, check=True)
    return parsed(done.stdout.decode())
