"""opsight profile from outside: counts against PyTorch's own profiler, exit codes, signals, crashes, odd commands.

Needs a Python with torch (OPSIGHT_PYTHON, else /usr/bin/python3); says so and passes where there is none.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

OPSIGHT = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")) / "opsight"
PYTHON = os.environ.get("OPSIGHT_PYTHON") or sys.executable


def lacks():
    done = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True)
    if done.returncode != 0:
        return f"{PYTHON} has no torch (Debian: apt-get install python3-torch)"
    if not (OPSIGHT.parent / "../lib/libopsight_torch.so").exists():
        return "the PyTorch observer was not built (Debian: apt-get install libtorch-dev)"
    return None


LACKS = lacks()
TRAIN = """
    import torch
    from torch import nn
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.lines = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        def forward(self, x):
            for line in self.lines:
                x = torch.relu(line(x))
            return x
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(Block(), Block())
            self.head = nn.Linear(8, 2)
        def forward(self, x):
            return self.head(self.body(x))
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    def step():
        optimizer.zero_grad()
        loss = net(torch.ones(4, 8)).sum()
        loss.backward()
        optimizer.step()
"""


@unittest.skipIf(LACKS, LACKS)
class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="opsight_profile_")
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.profile = self.dir / "run.opsight"

    def script(self, *parts):
        path = self.dir / "script.py"
        path.write_text("".join(textwrap.dedent(part) + "\n" for part in parts), encoding="utf-8")
        return path

    def command(self, script, *options, arguments=()):
        return [OPSIGHT, "profile", "-o", self.profile, *options, "--", PYTHON, script, *arguments]

    def run_profile(self, *parts, options=(), arguments=(), **more):
        command = self.command(self.script(*parts), *options, arguments=arguments)
        return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)

    def sql(self, query):
        done = subprocess.run([OPSIGHT, "sql", self.profile, query, "--format", "json"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def one(self, query):
        (row,) = self.sql(query)
        (value,) = row.values()
        return value

    def info(self):
        done = subprocess.run([OPSIGHT, "info", self.profile, "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def left_over(self):
        return [path.name for path in self.dir.iterdir() if ".capture" in path.name]

    def test_counts_the_ops_that_pytorch_itself_counts(self):
        done = self.run_profile(TRAIN, """
            import json, sys
            from torch.autograd import profiler_legacy
            step()
            with profiler_legacy.profile() as own:
                for _ in range(5):
                    step()
            counts = {}
            for event in own.function_events:
                counts[event.name] = counts.get(event.name, 0) + 1
            json.dump(counts, open(sys.argv[1], "w"))
        """, arguments=[self.dir / "counts.json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        own = json.loads((self.dir / "counts.json").read_text())
        self.assertGreater(len(own), 10)
        ours = {row["name"]: row["n"] for row in self.sql(
            "SELECT name, count(*) AS n FROM ops GROUP BY name")}
        # One of six steps ran outside of PyTorch's profiler; both count the same things in all of them.
        for name in ("aten::addmm", "aten::relu", "aten::mm", "AddmmBackward0", "aten::linear", "aten::threshold_backward"):
            self.assertEqual(ours.get(name, 0) * 5, own[name] * 6, name)

    def test_tells_shapes_modules_iterations_and_directions(self):
        done = self.run_profile(TRAIN, "for _ in range(4): step()")
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual(info["producer"], "Opsight collector")
        self.assertEqual(info["iterations"]["total"], 4)
        layers = {row["path"] for row in self.sql("SELECT path FROM layers")}
        self.assertLessEqual({"Net", "Net/body", "Net/body/0", "Net/body/1/lines/0", "Net/head"}, layers)
        forward = self.sql("SELECT shapes, dtypes, layer FROM ops WHERE name = 'aten::linear'")
        self.assertEqual(len(forward), 4 * 5)
        self.assertIn("Net/body/0/lines/1", {row["layer"] for row in forward})
        self.assertEqual({row["shapes"] for row in forward},
                         {"[[4, 8], [8, 8], [8]]", "[[4, 8], [2, 8], [2]]"})
        self.assertEqual({row["dtypes"] for row in forward}, {'["float", "float", "float"]'})
        backward = self.sql("SELECT layer, direction FROM ops WHERE name = 'AddmmBackward0'")
        self.assertEqual({row["direction"] for row in backward}, {"bprop"})
        self.assertIn("Net/body/1/lines/1", {row["layer"] for row in backward})

    def test_output_and_exit_code_pass_through(self):
        done = self.run_profile("import sys, torch; print('out'); print('err', file=sys.stderr); sys.exit(7)")
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, "out\n")
        self.assertIn("err\n", done.stderr)
        self.assertTrue(self.profile.exists())
        self.assertEqual(self.left_over(), [])

    def test_input_passes_through(self):
        done = self.run_profile("import torch; print(input()[::-1])", input="abc\n")
        self.assertEqual(done.stdout, "cba\n")

    def test_an_exception_leaves_a_profile(self):
        done = self.run_profile(TRAIN, "step()\nraise RuntimeError('broken')")
        self.assertEqual(done.returncode, 1)
        self.assertIn("RuntimeError: broken", done.stderr)
        self.assertGreater(self.one("SELECT count(*) FROM ops"), 50)

    def killed_by(self, number):
        return self.run_profile(TRAIN, f"""
            import os
            for _ in range(3): step()
            os.kill(os.getpid(), {int(number)})
        """)

    def test_a_killed_script_leaves_a_profile(self):
        for number in (signal.SIGKILL, signal.SIGSEGV):
            with self.subTest(number):
                done = self.killed_by(number)
                self.assertEqual(done.returncode, 128 + number)
                self.assertIn(number.name, done.stderr)
                self.assertEqual(self.one("SELECT count(*) FROM ops WHERE name = 'aten::linear'"), 3 * 5)
                self.assertIn("capture_not_closed", {d["key"] for d in self.info()["diagnostics"]})
                self.profile.unlink()

    def test_ctrl_c_ends_the_script_and_keeps_the_profile(self):
        script = self.script(TRAIN, """
            import time
            for _ in range(3): step()
            print("ready", flush=True)
            time.sleep(120)
        """)
        for group in (True, False):
            with self.subTest(terminal=group):
                run = subprocess.Popen(self.command(script, "--force"), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True)
                self.assertEqual(run.stdout.readline(), "ready\n")
                if group:  # as a terminal does
                    os.killpg(run.pid, signal.SIGINT)
                else:
                    run.send_signal(signal.SIGINT)
                _, errors = run.communicate(timeout=120)
                self.assertEqual(run.returncode, 128 + signal.SIGINT, errors)
                self.assertIn("KeyboardInterrupt", errors)
                self.assertEqual(self.one("SELECT count(*) FROM ops WHERE name = 'aten::linear'"), 3 * 5)

    def test_iterations_are_skipped_and_recorded(self):
        self.run_profile(TRAIN, "for _ in range(10): step()",
                         options=["--skip-iterations", "3", "--record-iterations", "4"])
        self.assertEqual(self.one("SELECT count(*) FROM ops WHERE name = 'aten::linear'"), 4 * 5)
        self.assertIn("Net/body/0/lines/0", {row["path"] for row in self.sql("SELECT path FROM layers")})

    def test_delay_and_duration_bound_the_recording(self):
        self.run_profile(TRAIN, """
            import time
            step()
            time.sleep(1.5)
            step()
            time.sleep(2.5)
            step()
        """, options=["--delay", "1", "--duration", "2"])
        self.assertEqual(self.one("SELECT count(*) FROM ops WHERE name = 'aten::linear'"), 5)

    def test_parts_can_be_left_out(self):
        self.run_profile(TRAIN, "step()", options=["--no-shapes", "--no-modules", "--no-memory"])
        self.assertEqual(self.one("SELECT count(*) FROM layers"), 0)
        self.assertEqual(self.one("SELECT count(*) FROM ops WHERE shapes LIKE '%4%'"), 0)
        self.assertGreater(self.one("SELECT count(*) FROM ops"), 50)

    def test_a_full_buffer_is_told(self):
        done = self.run_profile("""
            import torch
            x = torch.zeros(1)
            for _ in range(60000): x.add_(1)
            import time
            time.sleep(2)
        """, options=["--buffer-mb", "1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("is full, 1 MB after"), 1, "told while it runs")
        lost = {d["key"]: d["count"] for d in self.info()["diagnostics"]}.get("lost_records", 0)
        kept = self.one("SELECT count(*) FROM ops")
        self.assertGreater(kept, 10000)  # of about 48 bytes each, beside the allocations
        self.assertGreater(lost, 0)
        self.assertGreaterEqual(kept + lost, 5 * 60000)  # add_ of a Python number calls four more

    def test_the_newest_are_kept_where_that_is_asked_for(self):
        """And nothing else changes: what encloses them, their layers and names, and the number of all records."""
        script = ("import torch", "from torch import nn", """
            class Inner(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.act = nn.ReLU()
                def forward(self, x): return self.act(x)
            class Outer(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = Inner()
                def forward(self, x):
                    for i in range(8000):
                        with torch.profiler.record_function(f"turn {i}"):
                            for _ in range(5): self.inner(x)
            Outer()(torch.ones(4))
            import time
            time.sleep(2)
        """)
        kept = ("SELECT (SELECT count(*) FROM ops) + (SELECT count(*) FROM module_calls) "
                "+ (SELECT count(*) FROM annotations) + (SELECT count(*) FROM memory_events)")
        done = self.run_profile(*script)
        self.assertEqual(done.returncode, 0, done.stderr)
        everything = self.one(kept)
        self.assertEqual(self.one("SELECT count(*) FROM diagnostics WHERE key = 'lost_records'"), 0)
        layers = self.sql("SELECT path FROM layers ORDER BY path")

        done = self.run_profile(*script, options=["--buffer-mb", "1", "--keep-last", "--force"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("from now on the newest records take the place of the oldest", done.stderr)
        lost = {d["key"]: d["count"] for d in self.info()["diagnostics"]}
        unknown = lost.get("unknown_free", 0)  # of memory whose allocation is among them
        self.assertGreater(lost["lost_records"], everything // 2)
        self.assertEqual(self.one(kept) + lost["lost_records"] + unknown, everything)
        turns = [int(row["name"].split()[1]) for row in self.sql(
            "SELECT name FROM annotations WHERE name LIKE 'turn %' ORDER BY begin_ns")]
        self.assertEqual(turns, list(range(8000 - len(turns), 8000)))
        self.assertGreater(len(turns), 300)
        self.assertEqual(self.sql("SELECT path FROM layers ORDER BY path"), layers)
        self.assertEqual(self.one("SELECT count(*) FROM module_calls WHERE name = 'Outer'"), 1)
        self.assertEqual(self.one("SELECT count(*) FROM diagnostics WHERE key IN ('bad_event', 'truncated_input')"), 0)

    def test_an_iteration_whose_begin_was_not_kept_is_no_sample(self):
        done = self.run_profile(TRAIN, """
            import time
            for _ in range(2000): step()
            time.sleep(1)
        """, options=["--buffer-mb", "1", "--keep-last"])
        self.assertEqual(done.returncode, 0, done.stderr)
        cut = self.sql("SELECT iteration, warmup_reason AS reason, coalesce(warmup_reason, '') LIKE 'newer records%' AS cut "
                       "FROM iterations ORDER BY iteration")
        self.assertGreater(len(cut), 20)
        self.assertTrue(cut[0]["cut"])
        self.assertLess(sum(row["cut"] for row in cut), len(cut) // 2)
        ops = {row["iteration"]: row["n"] for row in self.sql(
            "SELECT iteration, count(*) AS n FROM ops WHERE iteration >= 0 GROUP BY iteration")}
        whole = {ops[row["iteration"]] for row in cut if not row["cut"]}
        self.assertEqual(len(whole), 1, whole)
        # A key op that is looked for later cuts the same head off.
        report = subprocess.run([OPSIGHT, "report", self.profile, "--key-op", "aten::sum", "--all-iterations", "--report",
                                 "iteration", "--format", "json"], capture_output=True, text=True, check=True).stdout
        first = json.loads(report)["iteration"]["iterations"][0]
        self.assertEqual((first["iteration"], first["warmup_reason"]), (0, cut[0]["reason"]))

    def test_data_loader_workers_are_recorded_as_processes(self):
        done = self.run_profile(TRAIN, """
            from torch.utils.data import DataLoader, Dataset
            class Ones(Dataset):
                def __len__(self): return 12
                def __getitem__(self, i): return torch.ones(8) + i
            if __name__ == "__main__":
                for batch in DataLoader(Ones(), batch_size=4, num_workers=2):
                    step()
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM ops WHERE name = 'aten::stack'"), 3)
        self.assertEqual(self.one("SELECT count(*) FROM ops WHERE name = 'aten::linear'"), 3 * 5)
        self.assertNotIn("capture_not_closed", {d["key"] for d in self.info()["diagnostics"]})

    def test_a_command_without_torch_is_told(self):
        done = self.run_profile("print('plain')")
        self.assertEqual((done.returncode, done.stdout), (1, "plain\n"))
        self.assertIn("nor did it import torch", done.stderr)
        self.assertFalse(self.profile.exists())
        self.assertEqual(self.left_over(), [])

    def test_a_missing_command_is_told(self):
        done = subprocess.run([OPSIGHT, "profile", "-o", self.profile, "--", "no-such-command"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 127)
        self.assertIn("no-such-command: command not found", done.stderr)
        self.assertEqual(self.left_over(), [])

    def test_an_existing_output_is_kept(self):
        self.profile.write_text("mine")
        done = self.run_profile("raise SystemExit(print('ran'))")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--force", done.stderr)
        self.assertEqual(self.profile.read_text(), "mine")

    def test_the_programs_own_sitecustomize_and_profiler_still_work(self):
        (self.dir / "sitecustomize.py").write_text("import builtins; builtins.greeting = 'chained'")
        done = self.run_profile("""
            import torch, sys
            with torch.autograd.profiler_legacy.profile(profile_memory=True) as own:
                torch.ones(3) + 1
            print(greeting, len(own.function_events) > 1, any("inject" in entry for entry in sys.path))
        """, env={**os.environ, "PYTHONPATH": str(self.dir)})
        self.assertEqual(done.stdout, "chained True False\n", done.stderr)

    def test_forward_that_raises_closes_its_modules(self):
        done = self.run_profile(TRAIN, """
            class Bad(nn.Module):
                def forward(self, x): raise ValueError(x)
            for _ in range(3):
                try: nn.Sequential(Bad())(torch.ones(1))
                except ValueError: pass
            step()
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        layers = {row["path"] for row in self.sql("SELECT path FROM layers")}
        self.assertIn("Sequential/0", layers)
        self.assertIn("Net/head", layers)

    def test_allocations_add_up(self):
        self.run_profile("""
            import torch
            kept = torch.empty(1 << 20)
            for _ in range(10): torch.empty(1 << 18)
        """)
        rows = self.sql("SELECT bytes FROM memory_events WHERE abs(bytes) >= 1048576")
        self.assertEqual(sorted(row["bytes"] for row in rows), [-1048576] * 10 + [1048576] * 10 + [4194304])


if LACKS:
    print(f"SKIPPED, LOUDLY: {LACKS}", file=sys.stderr)
if __name__ == "__main__":
    unittest.main()
