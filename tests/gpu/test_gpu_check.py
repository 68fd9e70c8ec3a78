"""What ./dev gpu-check concludes, with made-up numbers; that its samples compile; that it says where no GPU is."""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).absolute().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import gpu_check  # noqa: E402
import gpu_compare as compare  # noqa: E402


class Conclusions(unittest.TestCase):
    KERNELS = [("gemm", 1_000_000), ("gemm", 1_000_000), ("add", 10_000)]

    def test_kernels(self):
        passed, text = compare.compare_kernels(self.KERNELS, [("add", 10_500), *self.KERNELS[:2]])
        self.assertTrue(passed, text)
        self.assertIn("3 kernels, 2.010 ms by Opsight, 2.010 ms by torch.profiler, 0.02% apart", text)
        slow = [(name, duration * 102 // 100) for name, duration in self.KERNELS]
        self.assertFalse(compare.compare_kernels(slow, self.KERNELS)[0])
        self.assertTrue(compare.compare_kernels(slow, self.KERNELS, 0.03)[0])
        passed, text = compare.compare_kernels(self.KERNELS[:2], self.KERNELS)
        self.assertEqual((passed, "add, 0 by Opsight, 1 by" in text), (False, True))
        self.assertFalse(compare.compare_kernels([], self.KERNELS)[0])
        self.assertFalse(compare.compare_kernels([], [])[0])

    def test_counts(self):
        told = {"kernels": 10, "copies": 2, "graph_launches": 1}
        self.assertEqual(compare.compare_counts(told, {"kernels": 10, "copies": 2, "sets": 5})[0], True)
        passed, text = compare.compare_counts(told, {"kernels": 9, "copies": 2})
        self.assertEqual((passed, text), (False, "kernels: 9 recorded of 10"))

    def test_overhead(self):
        self.assertEqual(compare.compare_overhead(2.0, 2.1, 3.0),
                         (True, "Opsight +5.0%, torch.profiler +50.0% of 2.000 s"))
        self.assertFalse(compare.compare_overhead(0, 1, 1)[0])

    def test_tensor_cores(self):
        counted = {"hmma": 100.0, "plain": 0.0, "odd": 5.0}
        self.assertTrue(compare.compare_tensor_cores({"hmma": "yes", "plain": "no", "odd": "unknown"}, counted)[0])
        passed, text = compare.compare_tensor_cores({"hmma": "yes", "plain": "yes"}, counted)
        self.assertEqual((passed, "1 of 2 kernels" in text), (False, True))
        self.assertFalse(compare.compare_tensor_cores({}, counted)[0])

    def test_kernels_of_a_trace(self):
        events = [{"ph": "X", "cat": "kernel", "name": "gemm", "dur": 1.5}, {"ph": "X", "cat": "cpu_op", "name": "mm"},
                  {"ph": "f", "cat": "kernel", "name": "gemm"}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json.gz"
            path.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
            self.assertEqual(compare.kernels_of_trace(path), [("gemm", 1500)])


class Here(unittest.TestCase):
    def test_without_a_gpu_it_says_so(self):
        if gpu_check.gpu_problem() is None:
            self.skipTest("there is a GPU")
        done = subprocess.run([ROOT / "dev", "gpu-check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("there is no GPU here, so nothing was checked", done.stdout)

    def test_the_samples_compile(self):
        nvcc = gpu_check.find_nvcc()
        if nvcc is None:
            self.skipTest("no nvcc")
        with tempfile.TemporaryDirectory() as folder:
            for name in gpu_check.SAMPLES:
                done = subprocess.run([nvcc, "-std=c++17", "-c", "-arch=sm_80", "-Werror", "all-warnings",
                                       ROOT / f"tests/gpu/{name}.cu", "-o", f"{folder}/{name}.o"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
