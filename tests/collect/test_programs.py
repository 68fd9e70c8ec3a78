"""opsight profile on programs of other shapes: shells, modules, forks, threads, odd ends, full disks, GPU builds."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

from test_profile import LACKS, OPSIGHT, PYTHON, TRAIN

OPSIGHT = OPSIGHT.absolute()


@unittest.skipIf(LACKS, LACKS)
class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_programs_")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.profile = self.dir / "run.opsight"

    def write(self, name, *parts):
        path = self.dir / name
        path.write_text("".join(textwrap.dedent(part) + "\n" for part in parts), encoding="utf-8")
        return path

    def run_command(self, *command, options=(), **more):
        return subprocess.run([OPSIGHT, "profile", "-o", self.profile, *options, "--", *command],
                              capture_output=True, text=True, timeout=300, cwd=self.dir, **more)

    def run_script(self, *parts, **more):
        return self.run_command(PYTHON, self.write("script.py", *parts), **more)

    def sql(self, query):
        done = subprocess.run([OPSIGHT, "sql", self.profile, query, "--format", "json"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def linears(self):
        return self.sql("SELECT count(*) AS n FROM ops WHERE name = 'aten::linear'")[0]["n"]

    def test_module_shell_and_env_commands(self):
        self.write("train.py", TRAIN, "step()")
        shell = self.write("run.sh", "#!/bin/sh\npython=$1\n\"$python\" train.py\nexit 5\n")
        for command, code in (((PYTHON, "-m", "train"), 0), (("sh", shell, PYTHON), 5),
                              (("env", "A=b", PYTHON, "train.py"), 0)):
            with self.subTest(command):
                done = self.run_command(*command, options=["--force"])
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(self.linears(), 5)

    def test_a_crash_in_native_code_keeps_what_came_before(self):
        done = self.run_script(TRAIN, "import ctypes\nstep()\nctypes.string_at(0)")
        self.assertEqual(done.returncode, 128 + 11)
        self.assertEqual(self.linears(), 5)

    def test_os_exit_and_exec_keep_what_came_before(self):
        for end in ("os._exit(3)", "os.execv('/bin/sh', ['sh', '-c', 'exit 3'])"):
            with self.subTest(end):
                done = self.run_script(TRAIN, f"import os\nstep()\n{end}", options=["--force"])
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(self.linears(), 5)

    def test_forked_and_spawned_processes_are_recorded(self):
        for method in ("fork", "spawn"):
            with self.subTest(method):
                done = self.run_script(TRAIN, f"""
                    import multiprocessing
                    if __name__ == "__main__":
                        step()
                        child = multiprocessing.get_context("{method}").Process(target=step)
                        child.start()
                        child.join()
                """, options=["--force"])
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = self.sql("SELECT count(*) AS n FROM ops WHERE name = 'aten::linear' GROUP BY pid")
                self.assertEqual([row["n"] for row in rows], [5, 5])

    def test_a_capture_that_cannot_be_read_costs_its_process_only(self):
        done = self.run_script(TRAIN, """
            import os
            step()
            folder = os.environ["OPSIGHT_CAPTURE_DIR"]
            # A process that was killed while it opened its capture; one whose header is damaged; no capture at all.
            open(f"{folder}/900001-0.opcap", "wb").write(bytes(4096))
            open(f"{folder}/900002-0.opcap", "wb").write(b"OPSCAP\\r\\n" + bytes(4088))
            open(f"{folder}/900003-0.opcap", "wb").write(b"text")
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.linears(), 5)
        found = {row["key"]: row["count"] for row in self.sql("SELECT key, count FROM diagnostics")}
        self.assertEqual(found.get("unread_capture"), 2, "what was being opened held nothing")

    def test_tracebacks_and_functions_look_as_ever(self):
        self.write("script.py", TRAIN, """
            import inspect, sys, traceback
            class Bad(nn.Module):
                def forward(self, x): raise ValueError(x)
            for bad in (lambda: nn.Sequential(Bad())(1), lambda: torch.optim.SGD([], lr=1),
                        lambda: optimizer.step(lambda: {}["x"])):
                try: bad()
                except Exception: traceback.print_exc(file=sys.stdout)
            step()
            call = nn.Module.__call__
            print(inspect.signature(call), inspect.getsourcefile(call), isinstance(call, type(step)), call.__name__,
                  net.__call__.__self__ is net, inspect.signature(torch.optim.SGD))
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            step(); scheduler.step()
            import copy
            copy.deepcopy(optimizer).step()
        """)
        bare = subprocess.run([PYTHON, "script.py"], capture_output=True, text=True, cwd=self.dir)
        done = self.run_command(PYTHON, "script.py")
        self.assertEqual((bare.returncode, bare.stdout, bare.stderr), (0, done.stdout, ""))
        self.assertIn("ValueError: 1", done.stdout)

    def test_after_its_window_nothing_of_ours_is_left(self):
        done = self.run_script(TRAIN, """
            for _ in range(4): step()
            function = type(step)
            print([type(f) is function for f in (nn.Module.__call__, torch.optim.SGD.step, torch.optim.Optimizer.__init__)])
        """, options=["--skip-iterations", "1", "--record-iterations", "2"])
        self.assertEqual(done.stdout, "[True, True, True]\n", done.stderr)
        self.assertEqual(self.linears(), 2 * 5)

    def test_chosen_iterations_are_those_of_the_run(self):
        """Whole ones, also where several optimizers step in each."""
        for clue, loop in (("batches", "DataLoader(torch.ones(30, 8))"), ("turns", "torch.ones(30, 1, 8)")):
            for chosen in ((), ("--skip-iterations", "3")):
                with self.subTest(clue, chosen=chosen):
                    done = self.run_script(f"""
                        import torch
                        from torch import nn
                        from torch.utils.data import DataLoader
                        nets = [nn.Linear(8, 8), nn.Linear(8, 8)]
                        optimizers = [torch.optim.Adam(net.parameters()) for net in nets]
                        for batch in {loop}:
                            for net, optimizer in zip(nets, optimizers):
                                optimizer.zero_grad()
                                net(batch).sum().backward()
                                optimizer.step()
                    """, options=["--force", "--record-iterations", "10", *chosen])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.linears(), 20)
                    rows = self.sql("SELECT name FROM iterations")
                    self.assertEqual([row["name"] for row in rows], ["Optimizer.step#Adam_1.step"] * 10)

    def test_threads_keep_their_own_ops_and_modules(self):
        done = self.run_script(TRAIN, """
            import threading
            threads = [threading.Thread(target=lambda: [net(torch.ones(4, 8)) for _ in range(50)]) for _ in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.sql("SELECT count(*) AS n, count(DISTINCT layer) AS layers FROM ops "
                        "WHERE name = 'aten::linear' GROUP BY tid")
        self.assertEqual([(row["n"], row["layers"]) for row in rows], [(250, 5)] * 4)

    def test_threads_go_on_in_the_blocks_of_those_that_ended(self):
        done = self.run_script(TRAIN, """
            import threading
            for _ in range(300):
                thread = threading.Thread(target=lambda: net(torch.ones(4, 8)))
                thread.start(); thread.join()
        """, options=["--buffer-mb", "4"])  # 64 blocks
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.sql("SELECT count(*) AS n, count(DISTINCT layer) AS layers FROM ops "
                        "WHERE name = 'aten::linear' GROUP BY tid")
        self.assertEqual(sum(row["n"] for row in rows), 300 * 5)
        self.assertGreater(len(rows), 1, "each on its own row, where the system gives it a number of its own")
        self.assertEqual({row["layers"] for row in rows}, {5})
        self.assertEqual(self.sql("SELECT key FROM diagnostics WHERE key = 'lost_records'"), [])

    def test_a_process_that_outlives_the_program_keeps_its_recording(self):
        done = self.run_script(TRAIN, """
            import os, sys, time
            step()
            if os.fork() == 0:
                os.setsid()
                step()
                for file in range(3): os.close(file)
                while not os.path.exists("go"): time.sleep(0.05)
                step()
                open("gone", "w")
                os._exit(0)
            time.sleep(1)
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("still running", done.stderr)
        (folder,) = self.dir.glob("*.capture-*")
        (self.dir / "go").touch()
        for _ in range(600):
            if (self.dir / "gone").exists(): break
            time.sleep(0.1)
        self.profile = self.dir / "later.opsight"
        subprocess.run([OPSIGHT, "import", "--quiet", folder, "-o", self.profile], check=True)
        self.assertEqual(self.linears(), 3 * 5)

    def test_a_process_that_only_begins_after_the_program_keeps_its_recording(self):
        self.write("later.py", "import os, time", "while not os.path.exists('go'): time.sleep(0.05)", TRAIN, "step()",
                   "open('gone', 'w')")
        done = self.run_command("sh", "-c", f"setsid {PYTHON} later.py >&- 2>&- <&- &")
        self.assertIn("nothing was recorded yet", done.stderr)
        (folder,) = self.dir.glob("*.capture-*")
        self.assertIn(f"1 of the program's processes is still running: what they do is recorded in {folder}", done.stderr)
        (self.dir / "go").touch()
        for _ in range(600):
            if (self.dir / "gone").exists(): break
            time.sleep(0.1)
        subprocess.run([OPSIGHT, "import", "--quiet", folder, "-o", self.profile], check=True)
        self.assertEqual(self.linears(), 5)

    def test_what_is_no_capture_among_captures_holds_nobody_up(self):
        done = self.run_script(TRAIN, """
            import os
            step()
            folder = os.environ["OPSIGHT_CAPTURE_DIR"]
            os.mkfifo(folder + "/pipe.opcap")
            os.symlink("/dev/zero", folder + "/zero.opcap")
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.linears(), 5)

    def test_a_slash_in_a_name_is_no_layer(self):
        done = self.run_script(TRAIN, """
            odd = nn.ModuleDict({"a/b": nn.Linear(8, 8)})
            class Odd(nn.Module):
                def __init__(self): super().__init__(); self.odd = odd
                def forward(self, x): return self.odd["a/b"](x)
            Odd()(torch.ones(4, 8))
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row["path"] for row in self.sql("SELECT path FROM layers")},
                         {"Odd", "Odd/odd", "Odd/odd/a\u2215b"})

    def test_a_checkpoint_calls_the_same_layers_again(self):
        done = self.run_script(TRAIN, """
            from torch.utils.checkpoint import checkpoint
            class Kept(nn.Module):
                def __init__(self): super().__init__(); self.body = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
                def forward(self, x): return checkpoint(self.body, x)
            net = nn.Sequential(nn.Linear(8, 8), Kept(), Kept())
            net(torch.ones(4, 8)).sum().backward()
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row["path"] for row in self.sql("SELECT path FROM layers")} - {"Sequential"},
                         {"Sequential/0", *(f"Sequential/{i}{below}" for i in (1, 2)
                                            for below in ("", "/body", "/body/0", "/body/1"))})
        calls = self.sql("SELECT layer, count(*) AS calls FROM ops WHERE name = 'aten::linear' GROUP BY ALL ORDER BY 1")
        self.assertEqual([(row["layer"], row["calls"]) for row in calls],
                         [("Sequential/0", 1), ("Sequential/1/body/0", 2), ("Sequential/2/body/0", 2)])

    def test_only_regular_files_are_replaced(self):
        os.mkfifo(self.profile)
        done = self.run_script("print('ran')", options=["--force"])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("only a regular file is written or replaced", done.stderr)
        self.assertTrue(self.profile.is_fifo())

    def test_a_ctrl_c_during_the_import_leaves_the_recording(self):
        self.write("script.py", "import torch", "x = torch.zeros(1)", "for _ in range(150000): x.add_(1)")
        run = subprocess.Popen([OPSIGHT, "profile", "-o", self.profile, "--", PYTHON, "script.py"], text=True,
                               stderr=subprocess.PIPE, cwd=self.dir)
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children")
        while not children.read_text(): time.sleep(0.01)
        while children.read_text(): time.sleep(0.01)
        time.sleep(0.1)  # to where the import has begun
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 128 + signal.SIGINT, errors)
        (folder,) = self.dir.glob("*.capture-*")
        self.assertIn(f"opsight import {folder} -o {self.profile}", errors)
        self.assertFalse(self.profile.exists())

    def test_backward_ops_tell_their_forward_op(self):
        done = self.run_script(TRAIN, "step()\nstep()")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.sql("SELECT b.sequence AS seq, f.name AS forward FROM ops b JOIN ops f ON b.forward_op = f.id "
                        "WHERE b.name = 'AddmmBackward0'")
        self.assertEqual([row["forward"] for row in rows], ["aten::addmm"] * 10)
        self.assertTrue(all(row["seq"] >= 0 for row in rows))

    def test_waits_for_the_data_loader_are_data_loading(self):
        done = self.run_script(TRAIN, """
            from torch.utils.data import DataLoader
            for batch in DataLoader(torch.ones(12, 8), batch_size=4):
                step()
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = self.sql("SELECT count(*) AS n FROM ops WHERE direction = 'dataload' AND name = 'aten::stack'")
        self.assertEqual(names[0]["n"], 3)

    def test_scripted_models_run_and_are_recorded(self):
        done = self.run_script(TRAIN, """
            scripted = torch.jit.script(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))
            traced = torch.jit.trace(net, torch.ones(4, 8))
            for _ in range(3): scripted(torch.ones(4, 8)); traced(torch.ones(4, 8))
            if hasattr(torch, "compile"): torch.compile(net, backend="eager")(torch.ones(4, 8))
            print("ran")
        """)
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)
        self.assertGreaterEqual(self.linears(), 3 + 3 * 5)

    def test_a_folder_that_cannot_be_written_is_told_before_the_run(self):
        self.profile = self.dir / "nowhere" / "run.opsight"
        done = self.run_script("print('ran')")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nowhere", done.stderr)

    def test_a_full_disk_costs_the_profile_but_not_the_exit_code(self):
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount a small file system")
        self.write("script.py", "import torch\nx = torch.zeros(1)", "for _ in range(100000): x.add_(1)",
                   "print('ran')", "raise SystemExit(9)")
        (self.dir / "small").mkdir()
        self.write("run.sh", """
            mount -t tmpfs -o size=6m none small
            "$1" profile -o small/run.opsight -- "$2" script.py
            code=$?
            "$1" import --quiet -o run.opsight small/run.opsight.capture-*
            exit $code
        """)
        done = subprocess.run(["unshare", "-m", "sh", "run.sh", OPSIGHT, PYTHON],
                              capture_output=True, text=True, cwd=self.dir)
        self.assertEqual((done.returncode, done.stdout), (9, "ran\n"), done.stderr)
        self.assertIn("the disk is full: the profile does not fit in small", done.stderr)
        self.assertNotIn("Stack Trace", done.stderr)
        self.assertIn("the recording is kept: opsight import", done.stderr)
        # What fitted on the disk can be imported later, and only what did not fit is missing.
        self.assertGreater(self.sql("SELECT count(*) AS n FROM ops")[0]["n"], 100000)
        found = {row["key"] for row in self.sql("SELECT key FROM diagnostics")}
        self.assertIn("lost_records", found)
        self.assertNotIn("truncated_input", found)

    def fake_torch(self, kineto):
        """A GPU build of another version: the observer does not fit it."""
        (self.dir / "torch").mkdir()
        self.write("torch/__init__.py", f"""
            __version__ = "9.1.0+cu999"
            from . import cuda, nn, optim, profiler
            profiler.kineto_available = lambda: {kineto}
        """)
        self.write("torch/cuda.py", "is_available = lambda: True")
        self.write("torch/nn.py", "class Module:\n    def __call__(self): return self.forward()")
        self.write("torch/optim.py", "class Optimizer:\n    def __init__(self): pass")
        self.write("torch/profiler.py", """
            import json
            class profile:
                def __init__(self, **options): self.options = options
                def start(self): print("started", flush=True)
                def step(self): pass
                def stop(self): print("stopped", flush=True)
                def export_chrome_trace(self, path):
                    ops = [{"ph": "X", "cat": "cpu_op", "name": "aten::fake", "pid": 1, "tid": 1, "ts": i, "dur": 1}
                           for i in range(3)]
                    json.dump({"traceEvents": ops}, open(path, "w"))
        """)
        return self.run_script("""
            import torch
            class Net(torch.nn.Module):
                def forward(self): return 4
            print(Net()(), torch.cuda.is_available())
            raise SystemExit(6)
        """, env={**os.environ, "PYTHONPATH": str(self.dir)})

    def test_a_foreign_gpu_build_without_kineto_runs_as_ever(self):
        done = self.fake_torch(False)
        self.assertEqual((done.returncode, done.stdout), (6, "4 True\n"), done.stderr)
        self.assertIn("9.1.0+cu999", done.stderr)

    def test_a_foreign_gpu_build_is_recorded_with_its_own_profiler(self):
        done = self.fake_torch(True)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(done.stdout, "started\n4 True\nstopped\n")
        self.assertIn("torch.profiler", done.stderr)
        self.assertEqual(self.sql("SELECT count(*) AS n FROM ops")[0]["n"], 3)

    def test_torch_profiler_gets_cupti_where_it_uses_it(self):
        """Only one tool of a process can have CUPTI: the driver must not load our library too."""
        # As the driver asks, not by Python's own copy of the environment.
        script = "import ctypes, torch\nprint(ctypes.CDLL(None).getenv(b'CUDA_INJECTION64_PATH') != 0)"
        (self.dir / "torch").mkdir()
        for activities, ours in (("CPU", True), ("CPU CUDA", False)):
            self.write("torch/__init__.py", f"""
                import collections
                from . import nn, optim, profiler
                __version__ = "9.1.0"
                profiler.kineto_available = lambda: True
                Activity = collections.namedtuple("Activity", "name")
                profiler.supported_activities = lambda: [Activity(name) for name in {activities!r}.split()]
            """)
            self.write("torch/nn.py", "class Module:\n    def __call__(self): pass")
            self.write("torch/optim.py", "class Optimizer:\n    def __init__(self): pass")
            self.write("torch/profiler.py", "")
            done = self.run_script(script, env={**os.environ, "PYTHONPATH": str(self.dir)})
            self.assertIn(f"{ours}\n", done.stdout, done.stderr)


if LACKS:
    print(f"SKIPPED, LOUDLY: {LACKS}", file=sys.stderr)
if __name__ == "__main__":
    unittest.main()
