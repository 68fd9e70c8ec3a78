"""Rows as what the caller works with: pandas, Arrow, or plain dictionaries."""
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Dict, List, Optional

FORMS = ("pandas", "arrow", "rows")


def chosen_form(to: Optional[str]) -> str:
    """`to`, or pandas where it is installed, else rows."""
    if to is None:
        return "pandas" if find_spec("pandas") else "rows"
    if to not in FORMS:
        raise ValueError(f"to={to!r}: there are {', '.join(FORMS)}")
    return to


def table_of(rows: List[Dict[str, Any]], columns: List[str], form: str) -> Any:
    """A DataFrame, a pyarrow.Table, or the rows themselves."""
    if form == "rows":
        return rows
    if form == "pandas":
        return import_module("pandas").DataFrame(rows, columns=columns)
    arrow = import_module("pyarrow")
    return arrow.table({name: arrow.array([row[name] for row in rows]) for name in columns})
