#!/usr/bin/env python3
"""Draws the output of commands as an SVG picture of a terminal, for the README.

usage: terminal_svg.py OUTPUT.svg COLUMNS 'COMMAND'...    runs each in a shell, shows "$ COMMAND" and its output
Lines past COLUMNS are cut. Bold and the eight colours are kept, other escapes dropped. A command that fails ends it.
"""
import html
import os
import re
import subprocess
import sys

ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")
COLOURS = ["#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#e6edf3"]
TEXT, BACKGROUND, PROMPT = "#e6edf3", "#0d1117", "#7ee787"
CHAR_WIDTH, LINE_HEIGHT, PADDING, FONT_SIZE = 7.83, 18, 16, 13


def styled(line):
    """[(style, text)] of one line with escapes."""
    pieces, style, at = [], "", 0
    for match in ESCAPE.finditer(line):
        pieces.append((style, line[at:match.start()]))
        at = match.end()
        if match.group(2) != "m":
            continue
        for code in (int(c or 0) for c in match.group(1).split(";")):
            if code == 0:
                style = ""
            elif code == 1:
                style += "font-weight:bold;"
            elif code == 2:
                style += f"fill:{COLOURS[0]};"
            elif 30 <= code <= 37 or 90 <= code <= 97:
                style += f"fill:{COLOURS[code % 10]};"
    pieces.append((style, line[at:]))
    return [(s, t) for s, t in pieces if t]


def cut(pieces, columns):
    room = columns
    for style, text in pieces:
        yield style, text[:max(room, 0)]
        room -= len(text)


def run(command, columns):
    env = dict(os.environ, COLUMNS=str(columns), CLICOLOR_FORCE="1")
    done = subprocess.run(command, shell=True, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"terminal_svg: '{command}' failed with {done.returncode}: {done.stderr}")
    prompt = [(f"fill:{PROMPT};font-weight:bold;", "$ "), ("font-weight:bold;", command)]
    return [prompt] + [styled(line) for line in done.stdout.expandtabs().rstrip("\n").split("\n")] + [[]]


def svg(lines, columns):
    width = round(columns * CHAR_WIDTH + 2 * PADDING)
    height = len(lines) * LINE_HEIGHT + 2 * PADDING
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}">',
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
           f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}" fill="{TEXT}" '
           'style="white-space:pre">']
    for i, pieces in enumerate(lines):
        spans, column = "", 0
        for style, text in cut(pieces, columns):
            if text.strip():
                lead = len(text) - len(text.lstrip())
                x = PADDING + (column + lead) * CHAR_WIDTH
                body = text.strip()
                spans += (f'<tspan x="{x:.1f}" textLength="{len(body) * CHAR_WIDTH:.1f}"'
                          + (f' style="{style}"' if style else "") + f' xml:space="preserve">{html.escape(body)}</tspan>')
            column += len(text)
        if spans:
            out.append(f'<text y="{PADDING + i * LINE_HEIGHT + FONT_SIZE}">{spans}</text>')
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    output, columns, commands = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    lines = [line for command in commands for line in run(command, columns)]
    with open(output, "w", encoding="utf-8") as file:
        file.write(svg(lines[:-1], columns))


if __name__ == "__main__":
    main()
