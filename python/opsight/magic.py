"""%load_ext opsight: reports within a notebook.

%opsight RUN            shows the reports of a profile
%opsight RUN SQL        shows the rows of a statement
%%opsight [RUN]         runs the cell, records it into RUN (default: a temporary profile), and shows the reports
"""
import os
import tempfile
from typing import Any, Optional

from .program import OpsightError
from .reading import Profile
from .recording import profile


def _recorded(shell: Any, path: str, cell: str) -> Profile:
    if not path:
        path = os.path.join(tempfile.mkdtemp(prefix="opsight-cell-"), "cell.opsight")
    recording = profile(path, force=True)
    with recording:
        done = shell.run_cell(cell)
    if not getattr(done, "success", True):
        raise OpsightError(f"the cell failed; what it did until then is in {path}")
    assert recording.result is not None
    return recording.result


def register(shell: Any) -> None:
    """Adds the magics to an IPython shell."""

    def opsight(line: str, cell: Optional[str] = None) -> Any:
        path, _, query = line.strip().partition(" ")
        if cell is not None:
            return _recorded(shell, path, cell)
        if not path:
            raise OpsightError("%opsight RUN [SQL]: which profile?")
        found = Profile(path)
        return found.sql(query) if query.strip() else found

    opsight.__doc__ = __doc__
    shell.register_magic_function(opsight, "line_cell", "opsight")
