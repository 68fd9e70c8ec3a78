"""The package opsight inside Python programs: annotate, nvtx, torch.init, with a tool and without one."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from test_profile import LACKS, PYTHON

OPSIGHT = (pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")) / "opsight").absolute()
PACKAGE = pathlib.Path(__file__).absolute().parents[2] / "python"
RANGES = """
    import opsight, threading

    @opsight.annotate()
    def work(fail):
        if fail: raise ValueError
        opsight.nvtx.mark("seen", color="red", payload=3)

    with opsight.annotate("epoch", domain="app", category="train", payload=0.5):
        work(False)
        try: work(True)
        except ValueError: pass
    started = opsight.nvtx.start_range("crossing")
    thread = threading.Thread(target=lambda: opsight.nvtx.end_range(started))
    thread.start(); thread.join()
    print(opsight.nvtx.push_range("a"), opsight.nvtx.push_range("b"), opsight.nvtx.pop_range(), opsight.nvtx.pop_range())
"""


class Python(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_python_")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.profile = self.dir / "run.opsight"

    def script(self, text):
        path = self.dir / "script.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def record(self, text, *options, python=sys.executable):
        done = subprocess.run([OPSIGHT, "profile", "-o", self.profile, *options, "--", python, self.script(text)],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def sql(self, query):
        done = subprocess.run([OPSIGHT, "sql", self.profile, query, "--format", "json"],
                              capture_output=True, text=True, check=True)
        return [tuple(row.values()) for row in json.loads(done.stdout)]

    def test_ranges_and_marks(self):
        done = self.record(RANGES, "--nvtx")
        self.assertEqual(done.stdout, "0 1 1 0\n")
        rows = self.sql("SELECT text, type, domain, category_name, payload, unfinished FROM nvtx_ranges ORDER BY text, type")
        self.assertEqual(rows, [
            ("a", "push_pop", None, None, None, False), ("b", "push_pop", None, None, None, False),
            ("crossing", "start_end", None, None, None, False),
            ("epoch", "push_pop", "app", "train", "0.5", False), ("seen", "mark", None, None, "3", False),
            ("work", "push_pop", None, None, None, False), ("work", "push_pop", None, None, None, False)])
        self.assertEqual(self.sql("SELECT count(*) FROM nvtx_ranges WHERE tid <> end_tid"), [(1,)])
        self.assertEqual(self.sql("SELECT color FROM nvtx_ranges WHERE text = 'seen'"), [(0xFFD55E00,)])

    def test_without_a_tool_everything_runs_and_nothing_happens(self):
        environment = {key: value for key, value in os.environ.items() if key != "NVTX_INJECTION64_PATH"}
        done = subprocess.run([sys.executable, self.script(RANGES)], capture_output=True, text=True,
                              env=dict(environment, PYTHONPATH=str(PACKAGE)))
        self.assertEqual((done.returncode, done.stdout), (0, "-2 -2 -2 -2\n"), done.stderr)
        done = subprocess.run([sys.executable, self.script(RANGES)], capture_output=True, text=True,
                              env=dict(environment, PYTHONPATH=str(PACKAGE), NVTX_INJECTION64_PATH="/nowhere.so"))
        self.assertEqual((done.returncode, done.stdout), (0, "-2 -2 -2 -2\n"), done.stderr)

    def test_pip_installs_the_package_without_a_network_and_without_setuptools(self):
        python = self.dir / "venv/bin/python"
        if subprocess.run([sys.executable, "-m", "venv", self.dir / "venv"], capture_output=True).returncode != 0:
            self.skipTest("no module venv (Debian: apt-get install python3-venv)")
        subprocess.run([python, "-m", "pip", "uninstall", "-q", "-y", "setuptools"], capture_output=True)
        for options in ((), ("--no-build-isolation",), ("-e",)):
            done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--force-reinstall", *options, PACKAGE],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            # -I: neither PYTHONPATH nor the current folder is looked into.
            script = self.script("import opsight\nwith opsight.annotate('installed'): print(opsight.__file__)")
            done = subprocess.run([OPSIGHT, "profile", "--force", "-o", self.profile, "--", python, "-I", script],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith(str(PACKAGE if "-e" in options else self.dir)), done.stdout)
            self.assertEqual(self.sql("SELECT text FROM nvtx_ranges"), [("installed",)])

    @unittest.skipIf(LACKS, LACKS)
    def test_torch_modules_and_functions(self):
        self.record("""
            import torch, opsight
            net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU())
            print(opsight.torch.init(), opsight.torch.init())
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(3):
                net(torch.ones(2, 8)).sum().backward()
                optimizer.step()
        """, "--nvtx", python=PYTHON)
        rows = self.sql("SELECT name, layer, shapes FROM ops WHERE name LIKE '%linear'")
        self.assertEqual(len(rows), 3, rows)
        self.assertEqual(self.sql("SELECT count(*) FROM iterations"), [(3,)])
        self.assertIn("Sequential/0", rows[0][1])
        self.assertEqual(json.loads(rows[0][2]), [[2, 8], [4, 8], [4]])
        self.assertEqual({name for name, in self.sql("SELECT DISTINCT name FROM module_calls")},
                         {"Sequential", "Sequential/0", "Sequential/1"})

    @unittest.skipIf(LACKS, LACKS)
    def test_a_module_whose_naming_fails_runs_on_and_is_named_by_its_class(self):
        # By the observer, and by the package's own ranges.
        for options, begin in (((), ""), (("--nvtx",), "opsight.torch.init(functions=False)")):
            done = self.record(f"""
                import torch, opsight
                asked = 0
                class Odd(torch.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.hidden = [torch.nn.Linear(8, 4)]
                        self._modules[7] = torch.nn.ReLU()
                    def named_modules(self, *args, **options):
                        global asked
                        asked += 1
                        raise RuntimeError("no names")
                    def forward(self, x):
                        return self._modules[7](self.hidden[0](x))
                {begin}
                odd = Odd()
                for _ in range(3): print(tuple(odd(torch.ones(2, 8)).shape))
                print(asked)
            """, "--force", *options, python=PYTHON)
            self.assertEqual(done.stdout, "(2, 4)\n" * 3 + "1\n")
            self.assertEqual(self.sql("SELECT name, count(*) FROM module_calls GROUP BY name ORDER BY name"),
                             [("Odd", 3), ("Odd/7", 3), ("Odd/Linear", 3)])

    @unittest.skipIf(LACKS, LACKS)
    def test_a_range_chooses_what_is_recorded_of_pytorch_too(self):
        for options, times in (((), 1), (("--capture-repeat",), 4)):
            self.record("""
                import torch, opsight
                for _ in range(4):
                    torch.ones(2) + 1
                    with opsight.annotate("wanted"): torch.ones(3) * 2
            """, "--force", "--capture-range", "wanted", *options, python=PYTHON)
            self.assertEqual(self.sql("SELECT count(*) FROM ops WHERE name = 'aten::mul'"), [(times,)])
            self.assertEqual(self.sql("SELECT count(*) FROM ops WHERE name = 'aten::add'"), [(0,)])

    @unittest.skipIf(LACKS, LACKS)
    def test_torch_init_leaves_to_the_observer_what_it_records(self):
        done = self.record("""
            import torch, opsight
            print(opsight.torch.init())
            with opsight.annotate("epoch"): torch.ones(2) + 1
        """, python=PYTHON)
        self.assertEqual(done.stdout, "False\n")
        self.assertEqual(self.sql("SELECT text FROM nvtx_ranges"), [("epoch",)])
        self.assertEqual(self.sql("SELECT count(*) FROM ops WHERE name = 'aten::add'"), [(1,)])


if __name__ == "__main__":
    unittest.main()
