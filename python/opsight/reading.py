"""Profiles in Python: opsight.open("run.opsight") and its tables.

The rows come through the duckdb module where that is installed (no copy on the way to Arrow), else from the opsight
program. A profile may come from anybody: either way it is opened for reading only, and SQL reaches no other file.
"""
import csv
import html
import io
import json
import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Dict, List, Optional, Tuple, Union

from . import program
from .tables import chosen_form, table_of

Rows = List[Dict[str, Any]]
Path = Union[str, "os.PathLike[str]"]

# As the program's own sessions are: nothing outside of the profile can be read or written.
_LOCKED = {"enable_external_access": "false", "autoinstall_known_extensions": "false",
           "autoload_known_extensions": "false", "lock_configuration": "true"}


def _connect(path: str) -> Any:
    """A connection of the duckdb module; None where there is none, or one too old for the file."""
    if not find_spec("duckdb"):
        return None
    duckdb = import_module("duckdb")
    try:
        return duckdb.connect(path, read_only=True, config=dict(_LOCKED))
    except duckdb.Error:
        if program.find() is None:
            raise
        return None


class Profile:
    """One profile. Times are nanoseconds from the begin of the run; what the recording does not tell is missing.

    `to` of each method: "pandas" (the default where it is installed), "arrow", or "rows", a list of dictionaries.
    """

    path: str

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"{self.path}: there is no such profile")
        self._info: Optional[Dict[str, Any]] = None
        if program.find() is not None:
            self._info = self._ask("info", "--json")  # refuses what is no profile, and brings an older one up to date
        self._duck = _connect(self.path)
        if self._duck is None and self._info is None:
            raise program.OpsightError("neither the program opsight nor the Python module duckdb is found: "
                                       "put opsight on PATH, or pip install duckdb")

    def __repr__(self) -> str:
        return f"opsight.open({self.path!r})"

    def __enter__(self) -> "Profile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file; further questions go to the program."""
        if self._duck is not None:
            self._duck.close()
            self._duck = None

    def info(self) -> Dict[str, Any]:
        """What is in it, as `opsight info --json`."""
        if self._info is None:
            self._info = self._ask("info", "--json")
        return self._info

    def sql(self, query: str, to: Optional[str] = None) -> Any:
        """The rows of one statement of DuckDB's SQL; docs/SCHEMA.md lists the views."""
        form = chosen_form(to)
        if self._duck is not None:
            return self._from_duckdb(query, form)
        rows, columns = self._from_program(query)
        return table_of(rows, columns, form)

    def ops(self, to: Optional[str] = None) -> Any:
        """Each call of an op: its name, layer, direction, iteration, times and shapes."""
        return self.sql("FROM ops", to)

    def kernels(self, to: Optional[str] = None) -> Any:
        """Each kernel that ran: its name, op, times, launch, and whether it used Tensor Cores."""
        return self.sql("FROM kernels", to)

    def layers(self, to: Optional[str] = None) -> Any:
        """Layers of the model with all that they hold, by the time that they took (the report group_op)."""
        return self.report("group_op", to)

    def iterations(self, to: Optional[str] = None) -> Any:
        """The iterations of each rank, with their times."""
        return self.sql("FROM iterations", to)

    def report(self, name: str = "summary", to: Optional[str] = None, *options: str) -> Any:
        """A report of `opsight report --report NAME`: a table, or a dictionary of the parts of one that has several.

        `options`: further ones of the command, as "--iter-start", "10".
        """
        form = chosen_form(to)
        found = self._ask("report", "--report", name, "--format", "json", *options)[name]
        if isinstance(found, list):
            return _rows_as(found, form)
        return {part: _rows_as(rows, form) for part, rows in found.items()}

    def findings(self) -> Rows:
        """What to change, the largest first, as `opsight advise --json` tells it."""
        findings: Rows = self._ask("advise", "--json")["findings"]
        return findings

    def html(self) -> str:
        """The reports as a page of its own."""
        return program.run("report", "--format", "html", "--", self.path)

    def _repr_html_(self) -> str:
        """Jupyter shows the page in the cell's output; it runs no script."""
        return (f'<iframe sandbox="allow-popups" srcdoc="{html.escape(self.html())}" title="Opsight" '
                'style="width:100%;height:640px;border:1px solid #ccc"></iframe>')

    def _ask(self, command: str, *options: str) -> Any:
        return json.loads(program.run(command, *options, "--", self.path))  # whose name may begin with a dash

    def _from_duckdb(self, query: str, form: str) -> Any:
        done = self._duck.cursor().execute(query)
        if form == "pandas":
            return done.df()
        if form == "arrow":
            table = done.arrow()
            return table.read_all() if hasattr(table, "read_all") else table
        columns = [column[0] for column in done.description]
        return [dict(zip(columns, row)) for row in done.fetchall()]

    def _from_program(self, query: str) -> Tuple[Rows, List[str]]:
        rows = json.loads(program.run("sql", "--format", "json", "--", self.path, query))
        if rows:
            return rows, list(rows[0])
        head = program.run("sql", "--format", "csv", "--", self.path, query)
        return rows, next(csv.reader(io.StringIO(head)), [])


def _rows_as(part: Any, form: str) -> Any:
    """Rows as a table; facts and lists of notes as they are."""
    if not isinstance(part, list) or not all(isinstance(row, dict) for row in part):
        return part
    return table_of(part, list(part[0]) if part else [], form)


def open_profile(path: Path) -> Profile:
    """A profile that `opsight profile` or `opsight import` wrote. OpsightError: it is none, or cannot be read."""
    return Profile(path)
