"""Tells the observer of process groups of torch.distributed as they are made: names, backends, members."""
import ctypes
import sys

_BETWEEN = "\x1f"  # of the facts of a group, as src/import/capture/process_groups.cpp reads them
_MAKERS = ("init_process_group", "new_group", "split_group")
_LONGEST = 3000  # a property has room for 4096 bytes


class Groups:
    def __init__(self, library, module):
        self._library = library
        self._module = module  # torch.distributed.distributed_c10d
        self._told = {}  # by id; the group itself is kept, so that its address stays its own
        self._rank_told = False

    def tell(self, _=None):
        """All groups that are new, and which rank this process is."""
        module = self._module
        if not self._rank_told and module.is_initialized():
            self._library.opsight_torch_property(b"group_rank", str(module.get_rank()).encode())
            self._library.opsight_torch_property(b"group_size", str(module.get_world_size()).encode())
            self._rank_told = True
        world = getattr(module, "_world", None)  # from PyTorch 2.0 on
        names = world.pg_names if world is not None else module._pg_names
        backends = world.pg_map if world is not None else module._pg_map
        members = world.pg_group_ranks if world is not None else module._pg_group_ranks
        for group, name in list(names.items()):
            if id(group) not in self._told and group in members:
                self._told[id(group)] = group
                self._tell(group, name, str(backends[group][0]), members[group])

    def _tell(self, group, name, backend, members):
        address = _address(group)
        if not address:
            return
        ranks = sorted(members, key=members.get)
        description = str(getattr(group, "group_desc", "") or "")
        facts = _BETWEEN.join((str(name), description, backend, str(len(ranks)), _runs(ranks)))
        self._library.opsight_torch_group(address, len(self._told), facts.encode("utf-8", "replace"))


def _address(group):
    """Where the C++ object of a group is: pybind11 keeps it as the first thing in its Python object."""
    kind = type(group)
    while kind.__base__ is not None and kind.__base__ is not object and kind.__base__.__name__ != "pybind11_object":
        kind = kind.__base__
    if kind.__base__ is None or kind.__base__.__name__ != "pybind11_object" or type(group).__basicsize__ < 32:
        return 0
    return ctypes.c_void_p.from_address(id(group) + object.__basicsize__).value or 0


def _runs(ranks):
    """[0, 1, 2, 3, 8] as "0:4:1,8:1:0": first, how many, step. Empty where it would be too long."""
    runs = []
    for rank in ranks:
        last = runs[-1] if runs else None
        if last is not None and (last[1] == 1 or rank == last[0] + last[1] * last[2]):
            if last[1] == 1:
                last[2] = rank - last[0]
            last[1] += 1
        else:
            runs.append([rank, 1, 0])
    text = ",".join(f"{first}:{count}:{step}" for first, count, step in runs)
    return text if len(text) <= _LONGEST else ""


def observe(torch, library, put):
    """`put(owner, name, helper)` has helper called after each call of owner.name."""
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available():
        return
    module = sys.modules.get("torch.distributed.distributed_c10d")
    if module is None:
        return
    groups = Groups(library, module)
    # Those that took the functions into their own names before.
    for owner in (distributed, module, sys.modules.get("torch.distributed.device_mesh")):
        for name in _MAKERS:
            if hasattr(owner, name):
                put(owner, name, groups.tell)
