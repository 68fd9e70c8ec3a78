"""What programs may use of the package; its parts are loaded when they are first used."""
from typing import Any

from . import nvtx as nvtx
from . import torch as torch
from .nvtx import annotate as annotate
from .nvtx import mark as mark
from .program import OpsightError as OpsightError
from .reading import Profile as Profile
from .reading import open_profile as open
from .recording import profile as profile

def load_ipython_extension(shell: Any) -> None: ...
