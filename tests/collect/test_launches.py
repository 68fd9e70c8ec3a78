"""opsight profile on the many ways in which programs are launched, fork, thread and end. Each run is compared with
what the program itself did: exit code, output, ops, ranks and iterations. The table that this prints is the one of
docs/COLLECTING.md.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from test_profile import LACKS, OPSIGHT, PYTHON

OPSIGHT = OPSIGHT.absolute()
DOCS = pathlib.Path(__file__).parents[2] / "docs" / "COLLECTING.md"

# train(n) makes n calls of one linear layer and n steps.
LIBRARY = """
    import os, signal, subprocess, sys, threading, time
    import torch
    from torch import nn
    torch.set_num_threads(1)
    net = nn.Linear(8, 8)
    def linear(n):
        for _ in range(n):
            net(torch.ones(2, 8))
    def train(n, optimizer=None):
        optimizer = optimizer or torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(n):
            optimizer.zero_grad()
            net(torch.ones(2, 8)).sum().backward()
            optimizer.step()
    def join(rank, size, port):
        import torch.distributed
        torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=size)
"""
# As torchrun starts workers and starts them anew. (The one of PyTorch 1.13 does not run in Python 3.11.)
ELASTIC = """
    import os, subprocess, sys, time, torch
    size, restarts = int(sys.argv[1]), int(sys.argv[2])
    for start in range(restarts + 1):
        told = dict(os.environ, WORLD_SIZE=str(size), TORCHELASTIC_RESTART_COUNT=str(start))
        workers = [subprocess.Popen([sys.executable, *sys.argv[3:]], env={**told, "RANK": str(i)}) for i in range(size)]
        while all(worker.poll() is None for worker in workers): time.sleep(0.02)
        failed = any(worker.poll() for worker in workers)
        for worker in workers:
            if failed: worker.kill()
            worker.wait()
        if not failed: break
"""
# By a launcher of MPI or Slurm: two processes, told their rank in the environment.
TWO = """
    for rank in 0 1; do env $(echo "$1" | sed "s/%/$rank/g") "$2" train.py & done; wait
"""
LOADER = """
    from lib import *
    from torch.utils.data import DataLoader, Dataset, IterableDataset
    class Ones(Dataset):
        def __len__(self): return 12
        def __getitem__(self, i): return torch.ones(8)
    class Stream(IterableDataset):
        def __iter__(self): return iter(torch.ones(12, 8))
    if __name__ == "__main__":
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for batch in DataLoader(%s, batch_size=2, %s):
            train(1, optimizer)
        print(len(batch))
"""
END = "from lib import *\ntrain(3)\nprint('out', flush=True)\n"

Launch = collections.namedtuple("Launch", "name script code output linears ranks", defaults=(4, {0: 4}))
PY = object()  # stands for the Python


def script(text, *arguments):
    return ("script", text, arguments)


def command(*words, **files):
    return ("command", words, files)


def optimizers(loop, count=3):
    return script(f"""
        from lib import *
        nets = [nn.Linear(8, 8) for _ in range({count})]
        a, b, c = (torch.optim.Adam(nets[i % {count}].parameters()) for i in range(3))
        def update(optimizer, times=1):
            for _ in range(times):
                optimizer.zero_grad()
                sum(net(torch.ones(2, 8)).sum() for net in nets).backward()
                optimizer.step()
        {loop}
    """)


LAUNCHES = [
    Launch("`python train.py`", command(PY, "train.py"), 0, "done\n"),
    Launch("`python -m train`", command(PY, "-m", "train"), 0, "done\n"),
    Launch("`python -c …`", command(PY, "-c", "from lib import *; train(4); print('done')"), 0, "done\n"),
    Launch("`python - < train.py`", command("sh", "-c", 'exec "$1" - < train.py', "sh", PY), 0, "done\n"),
    Launch("`python -OO -B -u`", command(PY, "-OO", "-B", "-u", "train.py"), 0, "done\n"),
    Launch("shell wrapper", command("sh", "-c", '"$1" train.py; exit 5', "sh", PY), 5, "done\n"),
    Launch("shell wrapper, `exec`", command("sh", "-c", 'exec "$1" train.py', "sh", PY), 0, "done\n"),
    Launch("`env`, `nice`, `setsid -w`", command("env", "A=b", "nice", "setsid", "-w", PY, "train.py"), 0, "done\n"),
    Launch("two programs, one after the other", command("sh", "-c", '"$1" train.py; "$1" train.py', "sh", PY), 0,
           "done\ndone\n", 8, {0: 4, 1: 4}),
    Launch("torchrun, 2 workers", command(PY, "elastic.py", "2", "0", "train.py"), 0, "done\ndone\n", 8, {0: 4, 1: 4}),
    Launch("torchrun, one restart", command(PY, "elastic.py", "2", "1", "fails.py", **{"fails.py": """
        from lib import *
        train(3)
        if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
            if os.environ["RANK"] == "0": open("ready", "w"); time.sleep(60)
            while not os.path.exists("ready"): time.sleep(0.02)
            os._exit(1)
        train(2)
    """}), 0, "", 16, {0: 8, 1: 8}),
    Launch("`mpirun` (Open MPI)", command("sh", "two.sh", "OMPI_COMM_WORLD_RANK=% OMPI_COMM_WORLD_SIZE=2", PY), 0,
           "done\ndone\n", 8, {0: 4, 1: 4}),
    Launch("`mpiexec` (MPICH)", command("sh", "two.sh", "PMI_RANK=% PMI_SIZE=2", PY), 0, "done\ndone\n", 8, {0: 4, 1: 4}),
    Launch("`srun`", command("sh", "two.sh", "SLURM_PROCID=% SLURM_NTASKS=2", PY), 0, "done\ndone\n", 8, {0: 4, 1: 4}),
    Launch("`mp.spawn`, ranks to `init_process_group`", script("""
        from lib import *
        import torch.multiprocessing
        def work(i, port):
            join(1 - i, 2, port)
            train(3 + i)
        if __name__ == "__main__":
            import socket
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            os.environ["RANK"] = "7"  # of another launcher: the children have ranks of their own
            torch.multiprocessing.spawn(work, (port,), nprocs=2)
    """), 0, "", 7, {0: 4, 1: 3}),
    Launch("`mp.spawn` without a process group", script("""
        from lib import *
        import torch.multiprocessing
        def work(i): train(4)
        if __name__ == "__main__": torch.multiprocessing.spawn(work, nprocs=2)
    """), 0, "", 8, {0: 4, 1: 4}),
    Launch("`fork`, parent and child train", script("""
        from lib import *
        import multiprocessing
        train(2)
        child = multiprocessing.get_context("fork").Process(target=train, args=(5,))
        child.start(); child.join(); train(1)
    """), 0, "", 8, {0: 3, 1: 5}),
    Launch("`forkserver`, child computes", script("""
        from lib import *
        import multiprocessing
        if __name__ == "__main__":
            train(4)
            child = multiprocessing.get_context("forkserver").Process(target=linear, args=(3,))
            child.start(); child.join()
    """), 0, "", 7),
    Launch("`os.fork`, child ends by `os._exit`", script("""
        from lib import *
        train(4)
        child = os.fork()
        if child == 0: linear(2); os._exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """), 0, "3\n", 6),
    Launch("`ProcessPoolExecutor`", script("""
        from lib import *
        from concurrent.futures import ProcessPoolExecutor
        if __name__ == "__main__":
            train(4)
            with ProcessPoolExecutor(2) as pool: list(pool.map(linear, [1, 1, 1]))
    """), 0, "", 7),
    Launch("`subprocess.run` of another script", script("""
        from lib import *
        train(4)
        print(subprocess.run([sys.executable, "-c", "from lib import *; linear(3); sys.exit(9)"]).returncode)
    """), 0, "9\n", 7),
    Launch("`DataLoader`", script(LOADER % ("Ones()", "")), 0, "2\n", 6, {0: 6}),
    Launch("`DataLoader`, 2 workers", script(LOADER % ("Ones()", "num_workers=2")), 0, "2\n", 6, {0: 6}),
    Launch("`DataLoader`, spawned workers",
           script(LOADER % ("Ones()", "num_workers=1, multiprocessing_context='spawn'")), 0, "2\n", 6, {0: 6}),
    Launch("`DataLoader` of an `IterableDataset`", script(LOADER % ("Stream()", "num_workers=1, prefetch_factor=3")), 0,
           "2\n", 6, {0: 6}),
    Launch("GAN: two Adams by turns", optimizers("for _ in range(4): update(a); update(b)", 2), 0, "", 16),
    Launch("Wasserstein GAN: 3 critic steps", optimizers("for _ in range(4): update(a, 3); update(b)", 2), 0, "", 32),
    Launch("three Adams, one backward", optimizers("for _ in range(4): update(a); b.step(); c.step()"), 0, "", 12),
    Launch("alternating fine-tuning, in phases", optimizers("update(a, 9); update(b, 9)", 1), 0, "", 18, {0: 18}),
    Launch("gradients of 3 batches for a step", optimizers(
        "for _ in range(4):\n            for _ in range(3): nets[0](torch.ones(2, 8)).sum().backward()\n"
        "            a.step()", 1), 0, "", 12),
    Launch("threads", script("""
        from lib import *
        train(4)
        threads = [threading.Thread(target=linear, args=(5,)) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """), 0, "", 44),
    Launch("a thread for each of 300 requests", script("""
        from lib import *
        train(4)
        for _ in range(300):
            thread = threading.Thread(target=linear, args=(1,))
            thread.start(); thread.join()
    """), 0, "", 304),
    Launch("`sys.exit(3)`", script(END + "sys.exit(3)"), 3, "out\n", 3, {0: 3}),
    Launch("an exception", script(END + "raise ValueError('x')"), 1, "out\n", 3, {0: 3}),
    Launch("`os._exit(4)`", script(END + "os._exit(4)"), 4, "out\n", 3, {0: 3}),
    Launch("`exec` of another program", script(END + "os.execv('/bin/sh', ['sh', '-c', 'exit 6'])"), 6, "out\n", 3, {0: 3}),
    Launch("SIGTERM", script(END + "os.kill(os.getpid(), signal.SIGTERM)"), 143, "out\n", 3, {0: 3}),
    Launch("SIGINT", script(END + "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)"), 130, "out\n", 3, {0: 3}),
    Launch("SIGKILL", script(END + "os.kill(os.getpid(), signal.SIGKILL)"), 137, "out\n", 3, {0: 3}),
    Launch("SIGSEGV", script(END + "import ctypes; ctypes.string_at(0)"), 139, "out\n", 3, {0: 3}),
    Launch("`abort`", script(END + "os.abort()"), 134, "out\n", 3, {0: 3}),
    Launch("`ulimit -f` of 1 MB", command("sh", "-c", 'ulimit -f 2048; "$1" train.py', "sh", PY), 0, "done\n"),
    Launch("`ulimit -v` of 16 GB", command("sh", "-c", 'ulimit -v 16000000; "$1" train.py', "sh", PY), 0, "done\n"),
    Launch("closes all files, opens its own", script("""
        from lib import *
        train(1)
        for file in range(3, 200):
            try: os.close(file)
            except OSError: pass
        files = [open(f"own{i}", "w+b") for i in range(20)]
        for _ in range(20): linear(2000)
        train(3)
        print(sum(os.fstat(file.fileno()).st_size for file in files))
    """), 0, "0\n", 40004),
    Launch("recursion to its limit", script("""
        from lib import *
        class Deep(nn.Module):
            def forward(self, n): return self(n + 1) if n < limit else n
        def fits(n):
            global limit
            limit = n
            try: return Deep()(0) == n
            except RecursionError: return False
        train(4)
        print(max(n for n in range(250, 400) if fits(n)) > 325)
    """), 0, "True\n"),
    Launch("`chroot`", script("""
        from lib import *
        train(2)
        if os.geteuid() == 0: os.mkdir("root"); os.chroot("root")
        for _ in range(20): linear(2000)
        train(2)
    """), 0, "", 40004),
    Launch("a daemon: two forks, all files closed", script("""
        from lib import *
        read, write = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for file in range(200):
                    if file != write:
                        try: os.close(file)
                        except OSError: pass
                linear(3)
                os.write(write, b"done")
            os._exit(0)
        os.close(write)
        os.wait()
        print(os.read(read, 9).decode())
        train(4)
    """), 0, "done\n", 7),
    Launch("`python -I`: our hook is not seen", command(PY, "-I", "-c", "import torch; print('done')"), 1, "done\n", None,
           {}),
]


class Run:
    def __init__(self, launch):
        self.launch = launch
        with tempfile.TemporaryDirectory(prefix="opsight_launches_") as folder:
            self._dir = pathlib.Path(folder)
            self._run()

    def _write(self, name, text):
        (self._dir / name).write_text(textwrap.dedent(text), encoding="utf-8")

    def _run(self):
        kind, what, more = self.launch.script
        for name, text in (("lib.py", LIBRARY), ("elastic.py", ELASTIC), ("two.sh", TWO),
                           ("train.py", "from lib import *\ntrain(4)\nos.write(1, b'done\\n')")):
            self._write(name, text)
        if kind == "script":
            self._write("script.py", what)
            words = [PYTHON, "script.py", *more]
        else:
            for name, text in more.items():
                self._write(name, text)
            words = [PYTHON if word is PY else word for word in what]
        env = {key: value for key, value in os.environ.items() if not key.startswith(("RANK", "WORLD", "SLURM", "PMI"))}
        done = subprocess.run([OPSIGHT, "profile", "-o", "run.opsight", "--", *words], cwd=self._dir, text=True,
                              capture_output=True, timeout=300, env=env, stdin=subprocess.DEVNULL)
        self.code, self.output, self.errors = done.returncode, done.stdout, done.stderr
        self.linears = self._sql("SELECT count(*) AS n FROM ops WHERE name = 'aten::linear'")
        self.linears = self.linears[0]["n"] if self.linears else None
        self.ranks = {row["rank"]: row["n"] for row in
                      self._sql("SELECT rank, count(*) AS n FROM iterations GROUP BY rank ORDER BY rank")}

    def _sql(self, query):
        done = subprocess.run([OPSIGHT, "sql", "run.opsight", query, "--format", "json"], cwd=self._dir,
                              capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else []

    def row(self):
        output = self.output.strip().replace("\n", " ") or "-"
        linears = "-" if self.linears is None else self.linears
        iterations = ", ".join(str(count) for count in self.ranks.values()) or "-"
        return f"| {self.launch.name} | {self.code} | {output} | {linears} | {len(self.ranks) or '-'} | {iterations} |"


@unittest.skipIf(LACKS, LACKS)
class Launches(unittest.TestCase):
    def test_every_launch_is_recorded_as_what_it_is(self):
        with concurrent.futures.ThreadPoolExecutor(max(2, (os.cpu_count() or 2) // 2)) as pool:
            runs = list(pool.map(Run, LAUNCHES))
        for run in runs:
            print(run.row())
        for run in runs:
            with self.subTest(run.launch.name):
                self.assertEqual((run.code, run.output, run.linears, run.ranks), run.launch[2:], run.errors)
        documented = DOCS.read_text(encoding="utf-8").splitlines()
        self.assertEqual([run.row() for run in runs if run.row() not in documented], [], "missing in docs/COLLECTING.md")


if LACKS:
    print(f"SKIPPED, LOUDLY: {LACKS}", file=sys.stderr)
if __name__ == "__main__":
    unittest.main()
