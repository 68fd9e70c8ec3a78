"""What the reader of a program's output hears of us."""
import sys


def say(text):
    print(f"opsight: {text}", file=sys.stderr, flush=True)
