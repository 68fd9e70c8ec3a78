"""What newer versions of PyTorch have: graphs of torch.compile, odd tensors, a profiler of their own to compare with.
`./dev torch-check` runs this with another PyTorch; parts that a version lacks are skipped."""
import collections
import json
import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest

from test_profile import LACKS, OPSIGHT, PYTHON, TRAIN

OPSIGHT = OPSIGHT.absolute()
# Graphs, their ops, and dynamo's own counters. The 14 classes are more than one code object has places for.
COMPILE = """
    import torch._dynamo as dynamo
    from torch._dynamo.utils import counters
    class Breaks(nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block()
        def forward(self, x):
            y = self.block(x)
            print(end="")
            return self.block(y)
    def compiled(modules, backend="eager"):
        dynamo.reset()
        counters.clear()
        found = []
        def keep(graph, inputs):
            found.append(len(list(graph.graph.nodes)))
            return graph.forward
        for module in modules:
            module = torch.compile(module, backend=keep if backend == "eager" else backend)
            module(torch.ones(4, 8)).sum().backward()
        print(found, dict(counters["frames"]), sum(counters["graph_break"].values()), dict(counters["stats"]))
    compiled([Net()])
    compiled([Breaks()])
    compiled([type(f"Block{i}", (Block,), {"forward": eval(f"lambda self, x: self.lines[0](x) + {i}")})()
              for i in range(14)])
    compiled([Net()], "aot_eager")
    compiled([lambda x, net=Net(): net(x) * 2])
    dynamo.reset()
    print(len(torch.export.export(Net(), (torch.ones(4, 8),)).graph.nodes) if hasattr(torch, "export") else "")
    print(len(torch.fx.symbolic_trace(Net()).graph.nodes))
"""
ODD = """
    import torch, warnings
    warnings.simplefilter("ignore")
    nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)])
    nested + nested
    if hasattr(torch, "jagged"):
        jagged = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
        jagged * 2
    sparse = torch.eye(4).to_sparse()
    sparse @ torch.ones(4, 2), sparse + sparse
    torch.eye(4).to_sparse_csr() @ torch.ones(4, 2)
    torch.empty(3, 4, device="meta") @ torch.empty(4, 3, device="meta")
    if hasattr(torch, "compile"):
        from torch._subclasses import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
        with FakeTensorMode(shape_env=ShapeEnv()) as mode:
            fake = mode.from_tensor(torch.ones(5, 6))
            fake @ fake.t(), torch.cat([fake, fake])
    calls = []
    class TellsSizes(torch.Tensor):  # its size is a call of the program's own code
        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dispatch_sizes_strides_policy="sizes")
            made.held = inner
            return made
        def __init__(self, inner): pass
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            calls.append(str(func))
            plain = lambda x: [plain(y) for y in x] if isinstance(x, (list, tuple)) else getattr(x, "held", x)
            return func(*[plain(x) for x in args], **(kwargs or {}))
    torch.add(TellsSizes(torch.ones(3)), 1)
    torch._foreach_add([TellsSizes(torch.ones(3)), torch.ones(2)], 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.nn.Linear(8, 8)(torch.ones(2, 8))
    torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8).dequantize()
    print(calls)
"""
OWN_PROFILER = """
    import sys
    step()
    with torch.profiler.profile(record_shapes=True) as own:
        with torch.profiler.record_function("compared"):
            for _ in range(3): step()
    own.export_chrome_trace(sys.argv[1])
"""


def ability(test):
    return subprocess.run([PYTHON, "-c", f"import torch, sys; sys.exit(not ({test}))"]).returncode == 0


@unittest.skipIf(LACKS, LACKS)
class TorchVersions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_versions_")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def run_script(self, *parts, plain=False):
        script = self.dir / "script.py"
        script.write_text("".join(textwrap.dedent(part) for part in parts))
        before = [] if plain else [OPSIGHT, "profile", "--pytorch", "-o", self.dir / "run.opsight", "--"]
        done = subprocess.run([*before, PYTHON, script, self.dir / "trace.json"], capture_output=True, text=True,
                              cwd=self.dir, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def sql(self, query):
        done = subprocess.run([OPSIGHT, "sql", self.dir / "run.opsight", query, "--format", "json"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    @unittest.skipUnless(ability("hasattr(torch, 'compile')"), "this PyTorch has no torch.compile")
    def test_graphs_are_those_of_a_run_without_us(self):
        self.assertEqual(self.run_script(TRAIN, COMPILE), self.run_script(TRAIN, COMPILE, plain=True))
        self.assertGreater(len(self.sql("SELECT path FROM layers")), 0)

    def test_odd_tensors_are_not_asked(self):
        self.assertEqual(self.run_script(ODD), self.run_script(ODD, plain=True))
        names = {row["name"] for row in self.sql("SELECT DISTINCT name FROM ops")}
        self.assertLessEqual({"aten::add", "aten::_foreach_add", "aten::quantize_per_tensor"}, names)

    @unittest.skipUnless(ability("torch.profiler.kineto_available()"), "this PyTorch has no Kineto")
    def test_ops_and_shapes_are_those_of_its_own_profiler(self):
        self.run_script(TRAIN, OWN_PROFILER)
        trace = json.loads((self.dir / "trace.json").read_text())["traceEvents"]
        own = [event for event in trace if event.get("cat") == "cpu_op"]
        (window,) = self.sql("SELECT begin_ns, end_ns FROM annotations WHERE name = 'compared'")
        ours = self.sql("SELECT name, shapes FROM ops "
                        f"WHERE begin_ns BETWEEN {window['begin_ns']} AND {window['end_ns']}")
        self.assertGreater(len(own), 300)
        self.assertEqual(collections.Counter((row["name"], row["shapes"] or "[]") for row in ours),
                         collections.Counter((event["name"], json.dumps(event["args"].get("Input Dims", [])))
                                             for event in own))


if __name__ == "__main__":
    unittest.main()
