"""The opsight program: where it is, and what it answers."""
import json
import os
import shutil
import subprocess
from typing import List, Optional


class OpsightError(RuntimeError):
    """What the opsight program said, or why there is none."""


def _places() -> List[str]:
    package = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(package))
    return [os.path.join(root, "build", "bin", "opsight"),  # of a checkout: ROOT/python/opsight
            os.path.normpath(os.path.join(root, "..", "..", "bin", "opsight"))]  # PREFIX/share/opsight/python/opsight


def find() -> Optional[str]:
    """The program of OPSIGHT_PROGRAM, of PATH, or that lies beside this package; None where there is none."""
    told = os.environ.get("OPSIGHT_PROGRAM")
    if told:
        return told
    found = shutil.which("opsight")
    if found:
        return found
    return next((path for path in _places() if os.access(path, os.X_OK)), None)


def _words(said: str) -> str:
    """An error as a sentence, also where --json had it told as an object."""
    try:
        error = json.loads(said)
        place = "".join(f"{error[key]}: " for key in ("file", "place") if error[key])
        return place + error["error"] + (f" ({error['remedy']})" if error["remedy"] else "")
    except (ValueError, KeyError, TypeError):
        return said


def run(*arguments: str) -> str:
    """What the program prints. OpsightError: it failed, with its words, or is not found."""
    program = find()
    if program is None:
        raise OpsightError("the program opsight is not found: put it on PATH, or its place in OPSIGHT_PROGRAM")
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    except OSError as problem:
        raise OpsightError(f"{program} cannot be started: {problem}") from problem
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise OpsightError(_words(said) or f"{program} ended with exit code {done.returncode}")
    return done.stdout.decode("utf-8")
