"""Steps of PyTorch's optimizers, through their class: each subclass's `step` is wrapped once."""


def watch(optimizer, around):
    """`around(step, name)` makes what is called in place of `step` of the optimizer class `name`."""
    make, wrapped = optimizer.__init__, set()

    def __init__(self, *args, **kwargs):
        make(self, *args, **kwargs)
        try:
            wrap(type(self))
        except Exception:  # the program matters more than its profile
            pass

    def wrap(kind):
        if kind in wrapped:
            return
        wrapped.add(kind)
        step = kind.step
        replaced = around(step, kind.__name__)
        for name in ("hooked", "__name__", "__doc__", "__wrapped__", "_cycle_guard"):
            if hasattr(step, name):
                setattr(replaced, name, getattr(step, name))
        kind.step = replaced

    optimizer.__init__ = __init__
