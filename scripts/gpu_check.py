#!/usr/bin/env python3
"""./dev gpu-check: records real GPU programs and compares with what they did and with torch.profiler.

Ends with 0 where all is well, 1 where something differs, 3 where there is no GPU here.
"""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from gpu_compare import compare_counts, compare_kernels, compare_overhead, compare_tensor_cores, kernels_of_trace

ROOT = pathlib.Path(__file__).absolute().parents[1]
SAMPLES = ("streams", "graphs", "gemm", "unified", "processes")
MODES = ("eager", "amp", "compile", "graphs", "workers")
NO_GPU = 3
MOST_FIXTURE_BYTES = 4_000_000


def gpu_problem():
    """Why there is no GPU to check with; None: there is one."""
    if not pathlib.Path("/dev/nvidiactl").exists():
        return "/dev/nvidiactl is missing"
    if shutil.which("nvidia-smi") is None:
        return "nvidia-smi is not on PATH"
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 and "GPU 0" in done.stdout else (done.stderr or done.stdout).strip()


def find_nvcc():
    found = shutil.which("nvcc")
    places = [pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/nvcc"]
    return found or next((str(path) for path in places if path.exists()), None)


class Check:
    def __init__(self, options):
        self.options = options
        self.opsight = ROOT / "build/bin/opsight"
        self.failed = 0
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="opsight_gpu_"))

    def verdict(self, what, passed, text):
        self.failed += not passed
        print(f"{'ok    ' if passed else 'FAILED'}  {what}: {text}", flush=True)

    def skip(self, what, why):
        print(f"skipped {what}: {why}", flush=True)

    def record(self, name, command, *options):
        """The profile of a run, and what the program printed."""
        profile = self.work / f"{name}.opsight"
        done = subprocess.run([self.opsight, "profile", "--force", "--keep-capture", "-o", profile, *options, "--",
                               *command], capture_output=True, text=True, timeout=900, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr[-500:]}")
        return profile, done.stdout

    def sql(self, profile, query):
        done = subprocess.run([self.opsight, "sql", profile, query, "--format", "json"], capture_output=True,
                              text=True, check=True)
        return json.loads(done.stdout)

    def kernels(self, profile):
        return [(row["name"], row["dur_ns"]) for row in self.sql(profile, "SELECT name, dur_ns FROM kernels")]

    def guarded(self, what, action):
        try:
            action()
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as problem:
            self.verdict(what, False, str(problem))

    # ---- Samples in CUDA

    def samples(self):
        nvcc = find_nvcc()
        if nvcc is None:
            return self.skip("CUDA samples", "no nvcc")
        for name in SAMPLES:
            self.guarded(name, lambda name=name: self.sample(nvcc, name))

    def sample(self, nvcc, name):
        program = self.work / name
        subprocess.run([nvcc, "-std=c++17", "-arch=native", ROOT / f"tests/gpu/{name}.cu", "-o", program,
                        *(["-lcublas"] if name == "gemm" else [])], check=True)
        options = ["--cuda-unified-memory"] if name == "unified" else []
        profile, output = self.record(name, [program], "--cuda", *options)
        told = json.loads(output.splitlines()[-1])
        found = self.sql(profile, "SELECT (SELECT count(*) FROM kernels) AS kernels, "
                                  "(SELECT count(*) FROM memcpys) AS copies, (SELECT count(*) FROM memsets) AS sets")[0]
        if name == "unified":  # migrations are copies too
            told.pop("copies")
        self.verdict(name, *compare_counts(told, found))
        if name == "gemm":
            self.tensor_cores(program, profile)
        self.keep(name)

    def tensor_cores(self, program, profile):
        ncu = shutil.which("ncu")
        if ncu is None:
            return self.skip("Tensor Core evidence", "no ncu")
        metric = "sm__inst_executed_pipe_tensor.sum"
        done = subprocess.run([ncu, "--csv", "--print-kernel-base", "mangled", "--metrics", metric, program],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or metric not in done.stdout:
            return self.skip("Tensor Core evidence", "the counters may not be read here")
        self.keep_text("gemm.ncu.csv", done.stdout)
        import csv
        rows = csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"'))
        counted = {}
        for row in rows:
            name = row["Kernel Name"]
            counted[name] = counted.get(name, 0) + float(row["Metric Value"].replace(",", ""))
        found = self.sql(profile, "SELECT DISTINCT coalesce(mangled_name, name) AS name, uses_tc FROM kernels")
        self.verdict("Tensor Core evidence", *compare_tensor_cores({row["name"]: row["uses_tc"] for row in found},
                                                                   counted))

    # ---- PyTorch and JAX

    def pytorch(self):
        python = self.options.python
        if subprocess.run([python, "-c", "import torch, sys; sys.exit(not torch.cuda.is_available())"],
                          capture_output=True, check=False).returncode != 0:
            return self.skip("PyTorch", f"{python} has no torch that sees a GPU")
        for mode in MODES:
            self.guarded(f"PyTorch {mode}", lambda mode=mode: self.training(python, mode))

    def training(self, python, mode):
        program = [python, ROOT / "tests/gpu/train.py", mode]
        seconds = {"bare": [], "ours": [], "theirs": []}
        trace = self.work / f"{mode}.pt.trace.json"
        for _ in range(self.options.repeat):
            done = subprocess.run(program, capture_output=True, text=True, timeout=900, check=True)
            seconds["bare"].append(json.loads(done.stdout.splitlines()[-1])["seconds"])
            profile, output = self.record(mode, program, "--cuda", "--nvtx", "--capture-range", "cudaProfilerApi")
            seconds["ours"].append(json.loads(output.splitlines()[-1])["seconds"])
            done = subprocess.run([*program, "--trace", trace], capture_output=True, text=True, timeout=900, check=True)
            seconds["theirs"].append(json.loads(done.stdout.splitlines()[-1])["seconds"])
        self.verdict(f"PyTorch {mode}", *compare_kernels(self.kernels(profile), kernels_of_trace(trace),
                                                         self.options.tolerance))
        self.verdict(f"overhead of {mode}", *compare_overhead(*(min(seconds[key]) for key in seconds)))
        lost = self.sql(profile, "SELECT count(*) AS n FROM kernels WHERE op_id IS NULL OR launch_id IS NULL")[0]["n"]
        self.verdict(f"attribution of {mode}", lost == 0, f"{lost} kernels without a launching call or an op")
        self.keep(mode)
        with open(trace, "rb") as file:
            self.keep_bytes(f"{mode}.pt.trace.json.gz", gzip.compress(file.read(), mtime=0))

    def jax(self):
        code = "import jax, jax.numpy as n; x = n.ones((512, 512)); f = jax.jit(lambda a: (a @ a).sum()); " \
               "print([float(f(x)) for _ in range(5)][0]); assert jax.devices()[0].platform == 'gpu'"
        if subprocess.run([self.options.python, "-c", code], capture_output=True, check=False).returncode != 0:
            return self.skip("JAX", "no jax that sees a GPU")
        profile, _ = self.record("jax", [self.options.python, "-c", code], "--cuda", "--nvtx")
        count = len(self.kernels(profile))
        self.verdict("JAX", count >= 5, f"{count} kernels")
        self.keep("jax")

    # ---- Fixtures

    def keep(self, name):
        for index, path in enumerate(sorted(self.work.glob(f"{name}.opsight.capture-*/*.opcap"))):
            self.keep_bytes(f"{name}-{index}.opcap.gz", gzip.compress(path.read_bytes(), mtime=0))

    def keep_text(self, name, text):
        self.keep_bytes(name, text.encode())

    def keep_bytes(self, name, data):
        if self.options.fixtures is None:
            return
        if len(data) > MOST_FIXTURE_BYTES:
            return self.skip(f"fixture {name}", f"{len(data) / 1e6:.1f} MB")
        self.options.fixtures.mkdir(parents=True, exist_ok=True)
        (self.options.fixtures / name).write_bytes(data)


def main():
    parser = argparse.ArgumentParser(prog="./dev gpu-check", description=__doc__)
    parser.add_argument("--fixtures", type=pathlib.Path, metavar="FOLDER",
                        help="keep captures, traces and counters there (each below 4 MB), for tests/data/gpu")
    parser.add_argument("--python", default=os.environ.get("OPSIGHT_PYTHON", "python3"), help="with torch or jax")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs whose best time counts")
    parser.add_argument("--tolerance", type=float, default=0.01, help="difference of kernel time that is allowed")
    options = parser.parse_args()
    problem = gpu_problem()
    if problem is not None:
        print(f"there is no GPU here, so nothing was checked: {problem}")
        return NO_GPU
    check = Check(options)
    try:
        check.samples()
        check.pytorch()
        check.guarded("JAX", check.jax)
    finally:
        shutil.rmtree(check.work, ignore_errors=True)
    print(f"{check.failed} checks failed" if check.failed else "all checks passed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
