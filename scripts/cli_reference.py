#!/usr/bin/env python3
"""Writes the command line reference from the program's own help.

usage: cli_reference.py OPSIGHT > docs/CLI.md
"""
import re
import subprocess
import sys

HEAD = """# Command line

What `opsight --help` and the help of every command say. Exit codes: 0 done, 1 the task failed, 2 the command was
used wrongly; `opsight profile` passes on the exit code of the profiled program.
"""


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").split("\n"))


def names_in(text):
    """Names of the subcommands, in the order of the help text; of most commands none."""
    section = re.search(r"^Subcommands:\n((?:[ \t]+\S.*\n|\n)*)", text + "\n", re.MULTILINE)
    return re.findall(r"^  (\S+)", section.group(1), re.MULTILINE) if section else []


def commands_in(text):
    names = names_in(text)
    if not names:
        sys.exit("cli_reference: the help text lists no subcommands")
    return names


def parts_of(program, *command):
    """Of a command and those below it."""
    text = help_of(program, *command)
    yield f"## opsight {' '.join(command)}\n\n```\n{text}\n```\n"
    for name in names_in(text):
        yield from parts_of(program, *command, name)


def reference(program):
    top = help_of(program)
    parts = [HEAD, f"## opsight\n\n```\n{top}\n```\n"]
    for name in commands_in(top):
        parts += parts_of(program, name)
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(reference(sys.argv[1]))
