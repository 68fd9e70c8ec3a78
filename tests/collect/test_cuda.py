"""The CUDA library in programs that use a made-up GPU: a CUPTI of our own tells it of kernels that never ran."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from opcap import Capture

BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")).absolute()
LIB = BIN.parent / "lib"
VERSIONS = ("12.0", "12.9", "13.0", "14.0")
RECORDING, NO_CUPTI, TOO_OLD, HELD, NO_PERMISSION, NO_DRIVER, FAILED, NEWER = range(1, 9)
PART = 9
NONE = 0xFFFFFFFF


class Cuda(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_cuda_")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def run_program(self, *arguments, expect=9, captures=1, library=LIB / "libopsight_cuda.so",
                    program=BIN / "cuda_program", **environment):
        shutil.rmtree(self.dir / "captures", ignore_errors=True)
        (self.dir / "captures").mkdir()
        environment = {"CUDA_INJECTION64_PATH": str(library), "OPSIGHT_CUPTI": str(LIB / "libfake_cupti.so"),
                       "OPSIGHT_CAPTURE_DIR": str(self.dir / "captures"), **environment}
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (expect, "ran\n", ""))
        files = sorted((self.dir / "captures").glob("*.opcap"))
        self.assertEqual(len(files), captures)
        return Capture(files[0]) if captures == 1 else [Capture(file) for file in files]


class Decoding(Cuda):
    def test_each_version_of_the_records(self):
        for version in VERSIONS:
            with self.subTest(version):
                capture = self.run_program("everything", FAKE_CUPTI_CUDA=version)
                self.assertTrue(capture.finished)
                self.assertEqual((capture.lost, capture["dropped"]), (0, []))
                self.check_facts(capture)
                self.check_work(capture)
                self.check_kernels(capture, version)
                self.check_copies(capture, version)
                self.check_waits_and_memory(capture, version)
                self.check_graph(capture)
                self.check_modules(capture)
                self.assertEqual(NEWER in capture.states(), version == "14.0")
                self.assertIn(RECORDING, capture.states())

    def check_facts(self, capture):
        (device,) = capture["device"]
        self.assertEqual(
            (device["blob"], device["sm_count"], device["threads_per_sm"], device["clock_hz"], device["bandwidth"],
             device["memory_bytes"], device["l2"], device["ecc"], device["uuid"], device["major"]),
            (b"Fake GPU", 132, 2048, 1_980_000_000, 2_000_000_000_000, 80 << 30, 50 << 20, 1, bytes(range(1, 17)), 9))
        self.assertEqual(capture["context"], [{"context": 1, "device": 0, "null_stream": 7, "parent": NONE,
                                               "sm_count": 0, "api": 1, "green": 0}])
        self.assertEqual(capture["stream"], [{"context": 1, "stream": 13, "priority": -1, "flag": 2,
                                              "correlation": 0}])
        handles = [(row["what"], row["handle"], row["context"], row["stream"]) for row in capture["handle"]]
        self.assertEqual(handles, [(1, 1, 1, NONE), (2, 13 << 8, 1, 13), (2, 14 << 8, 1, 14)])

    def check_work(self, capture):
        calls = {(row["name"], row["domain"]) for row in capture["api"]}
        self.assertEqual(calls, {("cudaLaunchKernel", 2), ("cudaMemcpyAsync", 2), ("cudaGraphLaunch", 2),
                                 ("cudaEventRecord", 2), ("cuMemAlloc_v2", 1)})
        for row in capture["api"]:
            self.assertLessEqual(row["begin"], row["end"])
            self.assertGreater(row["thread"], 1)
        by_correlation = {row["correlation"]: row for row in capture["api"]}
        for row in capture["kernel"]:
            self.assertGreater(row["begin"], by_correlation[row["correlation"]]["end"])

    def check_kernels(self, capture, version):
        kernels = [row for row in capture["kernel"] if row["correlation"] <= 10]
        self.assertEqual([row["correlation"] for row in kernels], list(range(1, 11)))
        self.assertEqual({row["name"] for row in kernels}, {"_Z4gemmPfS_S_i", "_Z3addPfi"})
        self.assertEqual(len(capture["kernel_kind"]), 2)
        shape = kernels[0]["shape"]
        self.assertEqual(
            [shape[key] for key in ("gx", "gy", "gz", "bx", "by", "bz", "cx", "registers", "static_shared",
                                    "dynamic_shared", "executed_shared", "local_total", "cache_requested",
                                    "cache_executed", "active_clusters", "from_device")],
            [16, 2, 1, 128, 1, 1, 1, 32, 1024, 2048, 8192, 4096, 1, 2, 5, 0])
        for row in kernels:
            self.assertEqual((row["end"] - row["begin"], row["completed"], row["graph_node"], row["device"],
                              row["context"], row["stream"], row["channel"], row["grid_id"]),
                             (50_000, 0, 0, 0, 1, 7, 3, row["correlation"]), version)

    def check_copies(self, capture, version):
        copy, peer = capture["copy"]
        self.assertEqual((copy["copy_kind"], copy["from_kind"], copy["to_kind"], copy["bytes"], copy["flags"],
                          copy["end"] - copy["begin"], copy["stream"], copy["between"], copy["from_device"]),
                         (1, 2, 3, 1 << 20, 1, 88_000, 13, 0, NONE))
        self.assertEqual(copy["count"], 0 if version == "12.0" else 3)
        self.assertEqual((peer["between"], peer["from_device"], peer["to_device"], peer["to_context"],
                          peer["channel"]), (1, 0, 1, 2, NONE))
        (memset,) = capture["set"]
        self.assertEqual((memset["value"], memset["bytes"], memset["memory_kind"]), (7, 512, 3))

    def check_waits_and_memory(self, capture, version):
        (event,), (sync,), (memory,), (jit,) = (capture[name] for name in ("event", "sync", "memory", "jit"))
        old = version == "12.0"
        self.assertEqual((event["event"], event["stream"], event["event_sync"], event["device"]),
                         (5, 7, 0 if old else 77, NONE if old else 0))
        self.assertEqual((sync["type"], sync["event"], sync["event_sync"]), (2, 5, 0 if old else 77))
        self.assertEqual((memory["what"], memory["bytes"], memory["pool_bytes"], memory["source"]),
                         (1, 1 << 20, 2 << 20, "libtorch_cuda.so" if version in ("13.0", "14.0") else None))
        self.assertEqual((jit["operation"], capture.texts[jit["path"]], jit["thread"]), (3, "/cache", 0))
        self.assertEqual((len(capture["pool"]), capture["overhead"][0]["kind"], capture["external"][0]["external"]),
                         (1, 3 << 16, 1234))

    def check_graph(self, capture):
        made = [(row["what"], row["node"], row["original_node"], row["graph"], row["original_graph"])
                for row in capture["graph"]]
        self.assertEqual(made, [(1, 0, 0, 1, 0), *[(3, node, 0, 1, 0) for node in (100, 101, 102)], (2, 0, 0, 2, 1),
                                *[(4, node + 100, node, 2, 0) for node in (100, 101, 102)], (5, 0, 0, 9, 2)])
        self.assertEqual({row["thread"] for row in capture["graph"]}, {row["thread"] for row in capture["api"]})
        fan_out = [(row["correlation"], row["graph_node"], row["graph"], row["name"]) for row in capture["kernel"]
                   if row["graph"]]
        self.assertEqual(fan_out, [(turn, node, 9, name) for turn in (70, 71) for node, name in (
            (200, "_Z4gemmPfS_S_i"), (201, "_Z3addPfi"), (202, "_Z4gemmPfS_S_i"))])

    def check_modules(self, capture):
        self.assertEqual([(row["module"], row["content"], row["bytes"], row["whole"], row["context"])
                          for row in capture["module"]],
                         [(1, 1, 100_000, 1, 1), (2, 2, 50, 1, 1), (3, 1, 100_000, 1, 1)])
        code = {}
        for row in capture["module_bytes"]:
            self.assertEqual(len(code.setdefault(row["content"], b"")), row["offset"])
            code[row["content"]] += row["blob"]
        self.assertEqual(code, {1: b"c" * 100_000, 2: b"d" * 50})

    def test_odd_records(self):
        capture = self.run_program("odd")
        kernels = capture["kernel"]
        self.assertEqual([row["correlation"] for row in kernels], [1, 1, 2, 4, 3, 5, 6, 8])
        self.assertEqual((kernels[2]["begin"], kernels[2]["end"]), (0, 0))
        self.assertGreater(kernels[3]["begin"], kernels[4]["begin"])
        self.assertEqual((kernels[5]["name"], len(kernels[6]["name"])), (None, 10_002))
        losses = {(row["what"], row["kind"]): row["count"] for row in capture["dropped"]}
        self.assertEqual(losses, {(1, 0): 17, (2, 99): 1, (4, 0): 1})

    def test_a_clock_that_is_not_ours(self):
        capture = self.run_program("everything", FAKE_CUPTI_NO_CLOCK="1")
        pairs = capture["clock"]
        self.assertGreaterEqual(len(pairs), 2)
        self.assertEqual(capture.order.index("clock"), min(map(capture.order.index, ("clock", "kernel", "api"))))
        self.assertEqual({row["times"] for row in pairs}, {1})
        for row in pairs:
            self.assertLess(row["before"], row["after"])
        for row in capture["kernel"]:
            self.assertTrue(abs(row["begin"] - pairs[0]["cupti"]) < 10e9)
        self.assertEqual({row["times"] for row in self.run_program("everything")["clock"]}, {0})


class Refused(Cuda):
    def refused(self, state, *words, **environment):
        capture = self.run_program("everything", **environment)
        self.assertEqual(list(capture.states()), [state])
        self.assertEqual((capture["kernel"], capture["api"]), ([], []))
        self.assertTrue(capture.finished)
        for word in words:
            self.assertIn(word, capture.states()[state])

    def test_why_nothing_is_recorded(self):
        self.refused(HELD, "torch.profiler", "MULTIPLE_SUBSCRIBERS", FAKE_CUPTI_FAILS="cuptiSubscribe=39")
        self.refused(HELD, "only one can", FAKE_CUPTI_FAILS="cuptiSubscribe=12")
        self.refused(NO_PERMISSION, "permission", FAKE_CUPTI_FAILS="cuptiActivityEnable=35")
        self.refused(NO_DRIVER, "driver", "cuptiActivityEnable", FAKE_CUPTI_FAILS="cuptiActivityEnable=999")
        self.refused(FAILED, "cuptiActivityRegisterCallbacks", FAKE_CUPTI_FAILS="cuptiActivityRegisterCallbacks=8")
        self.refused(TOO_OLD, "older than CUDA 12", "libfake_cupti.so", FAKE_CUPTI_CUDA="11.8")
        self.refused(NO_CUPTI, "OPSIGHT_CUPTI", "/nowhere/libcupti.so", OPSIGHT_CUPTI="/nowhere/libcupti.so")
        self.refused(TOO_OLD, OPSIGHT_CUPTI=str(LIB / "libopsight_cuda.so"))

    def test_a_kind_that_cannot_be_had(self):
        capture = self.run_program("everything", FAKE_CUPTI_FAILS="jit=27")
        self.assertIn("compilation", capture.states()[PART])
        self.assertGreater(len(capture["kernel"]), 0)

    def test_without_a_place_to_write_nothing_happens(self):
        self.run_program("everything", captures=0, OPSIGHT_CAPTURE_DIR="")

    def test_the_real_cupti_without_a_driver(self):
        real = next((path for path in pathlib.Path("/usr/local").glob("cuda*/lib*/libcupti.so.1[23]")), None)
        if real is None or pathlib.Path("/dev/nvidiactl").exists():
            self.skipTest("needs the CUDA toolkit, and no GPU")
        self.refused(NO_DRIVER, "driver", OPSIGHT_CUPTI=str(real))


class Living(Cuda):
    def test_threads_lose_nothing(self):
        capture = self.run_program("threads", "5000")
        kernels = [row["correlation"] for row in capture["kernel"]]
        self.assertEqual(sorted(kernels), list(range(1, 40_001)))
        self.assertEqual(sorted(row["correlation"] for row in capture["api"]), sorted(kernels))
        self.assertEqual(len({row["thread"] for row in capture["api"]}), 8)
        self.assertEqual(capture["dropped"], [])

    def test_threads_that_outlive_main(self):
        self.assertGreater(len(self.run_program("outlive")["kernel"]), 100)

    def test_a_forked_child_leaves_the_capture_alone(self):
        capture = self.run_program("fork")
        self.assertEqual([row["correlation"] for row in capture["kernel"]], [1, 2])
        self.assertTrue(capture.finished)

    def test_forks_in_the_middle_of_other_threads_calls(self):
        capture = self.run_program("fork_storm", OPSIGHT_FLUSH="0.01")
        self.assertGreater(len(capture["kernel"]), 100)

    def test_what_came_before_the_end_is_kept(self):
        for how, code in (("kill", -9), ("_exit", 3), ("abort", -6), ("exec", 4)):
            with self.subTest(how):
                capture = self.run_program(how, expect=code, OPSIGHT_FLUSH="0.1")
                self.assertEqual([row["correlation"] for row in capture["kernel"]], list(range(1, 101)))
                self.assertFalse(capture.finished)

    def test_a_full_disk_stops_the_recording_and_not_the_program(self):
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount a small file system")
        (self.dir / "small").mkdir()
        script = "mount -t tmpfs -o size=6m none small; \"$1\" many 100000; code=$?; cp small/*.opcap .; exit $code"
        environment = dict(os.environ, CUDA_INJECTION64_PATH=str(LIB / "libopsight_cuda.so"),
                           OPSIGHT_CUPTI=str(LIB / "libfake_cupti.so"), OPSIGHT_CAPTURE_DIR=str(self.dir / "small"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", BIN / "cuda_program"], capture_output=True,
                              text=True, cwd=self.dir, env=environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (9, "ran\n", ""))
        capture = Capture(next(self.dir.glob("*.opcap")))
        kept = len(capture["kernel"])
        self.assertTrue(10_000 < kept < 100_000, kept)
        self.assertGreater(capture.lost + kept + len(capture["api"]), 199_999)

    def test_buffers_are_bounded_and_what_is_lost_is_told(self):
        # The program is quicker than the flush, and two buffers hold some thousand kernels.
        capture = self.run_program("many", "40000", OPSIGHT_CUDA_BUFFER_BYTES="1", OPSIGHT_LIMIT_BYTES=str(4 << 20))
        told = sum(row["count"] for row in capture["dropped"] if row["what"] == 1)
        self.assertEqual(len(capture["kernel"]) + len(capture["api"]) + told + capture.lost >= 80_000, True)


class Choosing(Cuda):
    def test_from_cuda_profiler_start_to_stop(self):
        for repeat, kernels in (("0", [10]), ("1", [10, 11])):
            capture = self.run_program("profiler", OPSIGHT_CAPTURE_RANGE="cudaProfilerApi",
                                       OPSIGHT_CAPTURE_REPEAT=repeat)
            self.assertEqual([row["correlation"] for row in capture["kernel"]], kernels)
            self.assertEqual([row["correlation"] for row in capture["api"]], kernels)

    def test_delay_and_duration(self):
        capture = self.run_program("delayed", OPSIGHT_DELAY="0.4", OPSIGHT_DURATION="0.6")
        self.assertEqual([row["correlation"] for row in capture["kernel"]], [2])

    def test_iterations_that_never_begin(self):
        capture = self.run_program("many", "10", OPSIGHT_ITERATIONS="1")
        self.assertEqual((capture["kernel"], capture["api"]), ([], []))
        self.assertEqual(len(self.run_program("many", "10", OPSIGHT_ITERATIONS="0")["kernel"]), 10)


class Launching(Cuda):
    """Through `opsight profile`, as users do."""

    def profile(self, *arguments, options=(), program=BIN / "cuda_program", fake=LIB / "libfake_cupti.so", **more):
        done = subprocess.run(
            [BIN / "opsight", "profile", "--force", "--keep-capture", "-o", self.dir / "run.opsight", *options, "--",
             program, *arguments],
            capture_output=True, text=True, timeout=120, cwd=self.dir,
            env={**os.environ, "OPSIGHT_CUPTI": str(fake), **more})
        return done, [Capture(path) for path in sorted(self.dir.glob("*.capture-*/*.opcap"))]

    def test_cuda_is_recorded_by_default_and_by_name(self):
        for options in ((), ("--cuda",), ("--nvtx", "--cuda")):
            done, captures = self.profile("many", "20", options=options)
            self.assertEqual((done.returncode, done.stdout), (9, "ran\n"), done.stderr)
            self.assertEqual(len(captures[-1]["kernel"]), 20, options)
            self.assertNotIn("CUDA:", done.stderr)
            shutil.rmtree(next(self.dir.glob("*.capture-*")))
        done, captures = self.profile("many", "20", options=("--nvtx",), CUDA_INJECTION64_PATH="")
        self.assertIn("nothing was recorded", done.stderr)

    def sql(self, query):
        done = subprocess.run([BIN / "opsight", "sql", self.dir / "run.opsight", query, "--format", "json"],
                              capture_output=True, text=True, check=True)
        return [tuple(row.values()) for row in json.loads(done.stdout)]

    def test_the_profile_of_it(self):
        for version in VERSIONS:
            with self.subTest(version):
                done, _ = self.profile("everything", FAKE_CUPTI_CUDA=version)
                self.assertEqual(done.returncode, 9, done.stderr)
                # Ten launches, and three kernels in each of two launches of a graph; each knows its call.
                self.assertEqual(self.sql("SELECT mangled_name, count(*), count(launch_id), count(graph) FROM kernels "
                                          "GROUP BY 1 ORDER BY 1"),
                                 [("_Z3addPfi", 7, 7, 2), ("_Z4gemmPfS_S_i", 9, 9, 4)])
                self.assertEqual(self.sql("SELECT name, count(*) FROM api_calls GROUP BY 1 ORDER BY 1"),
                                 [("cuMemAlloc_v2", 1), ("cudaEventRecord", 1), ("cudaGraphLaunch", 2),
                                  ("cudaLaunchKernel", 10), ("cudaMemcpyAsync", 1)])
                self.assertEqual(self.sql("SELECT name FROM tracks WHERE kind = 'stream' ORDER BY stream"),
                                 [("all the rest (stream 7)",), ("copies (stream 13)",)])
                # From CUDA 13 on the device tells when it came by the event.
                self.assertEqual(self.sql("SELECT name, stream, dur_ns, external_id, begin_ns > launch_ns "
                                          "FROM device_other WHERE kind = 'other'"),
                                 [("Event Record", 7, 0, 1234, True)] if version in ("13.0", "14.0") else
                                 [("Event Record (when called)", 7, 0, 1234, False)])
                self.assertEqual(self.sql("SELECT count(*) FROM diagnostics WHERE key = 'unread_row'"), [(0,)])
                self.assertEqual(self.sql("SELECT name, sm_count FROM devices WHERE declared"), [("Fake GPU", 132)])
                self.assertEqual(self.sql("SELECT count(*), min(bytes) FROM memcpys"), [(2, 4096)])
        report = subprocess.run([BIN / "opsight", "report", self.dir / "run.opsight"], capture_output=True, text=True)
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("Fake GPU", report.stdout)

    def test_why_there_is_no_cuda_is_said(self):
        done, _ = self.profile("everything", FAKE_CUPTI_FAILS="cuptiSubscribe=39")
        self.assertEqual(done.returncode, 9)
        self.assertIn("opsight: CUDA: another profiler in this process uses CUPTI", done.stderr)
        done, _ = self.profile("everything", fake="/nowhere/libcupti.so")
        self.assertIn("CUDA: the CUPTI that OPSIGHT_CUPTI names cannot be opened", done.stderr)
        done, _ = self.profile("-c", "exit 3", program="/bin/sh", options=("--cuda",))
        self.assertEqual(done.returncode, 3)
        self.assertIn("CUDA: no process started it", done.stderr)

    def test_the_profiler_range(self):
        done, captures = self.profile("profiler", options=("--capture-range", "cudaProfilerApi"))
        self.assertEqual([row["correlation"] for row in captures[-1]["kernel"]], [10], done.stderr)
        self.assertNotIn("never", done.stderr)
        done, _ = self.profile("many", "1", options=("--capture-range", "cudaProfilerApi"))
        self.assertIn("cudaProfilerStart was never called", done.stderr)

    def test_work_that_a_range_launched_is_kept(self):
        for options, wanted in (((), [11, 12]), (("--capture-repeat",), [11, 12, 21, 22])):
            with self.subTest(options):
                done, captures = self.profile("ranges", options=("--capture-range", "wanted", *options))
                self.assertEqual((done.returncode, done.stdout), (9, "ran\n"), done.stderr)
                cuda = next(capture for capture in captures if capture["kernel"])
                self.assertEqual([row["correlation"] for row in cuda["api"]], wanted)
                ends = [row["end"] for row in cuda["range"] if row["end"]]
                self.assertEqual((len(ends), len(cuda["range"])), (len(wanted) // 2, len(wanted)))
                # What one of them launched ran after the end; the work of before ran inside, and is not of it.
                self.assertGreater(min(row["begin"] for row in cuda["kernel"] if row["correlation"] == 12), ends[0])
                self.assertEqual(self.sql("SELECT correlation, launch_id IS NOT NULL FROM kernels ORDER BY 1"),
                                 [(correlation, True) for correlation in wanted])
                shutil.rmtree(next(self.dir.glob("*.capture-*")))

    def test_all_is_kept_where_times_cannot_be_compared_with_the_range(self):
        done, captures = self.profile("ranges", options=("--capture-range", "wanted"), FAKE_CUPTI_NO_CLOCK="1")
        self.assertEqual(done.stderr.count("work outside of the chosen range is kept"), 1, done.stderr)
        cuda = next(capture for capture in captures if capture["kernel"])
        launched = {row["correlation"] for row in cuda["api"]}
        self.assertLess({11, 12, 21, 22}, launched)
        self.assertEqual(cuda["range"], [])

    def test_each_problem_of_the_whole_run_once(self):
        done, captures = self.profile("delayed", options=("--flush-every", "0.1"), FAKE_CUPTI_CUDA="14.0")
        told = [line for line in done.stderr.splitlines() if "newer than Opsight knows" in line]
        self.assertEqual(len(told), 1, done.stderr)
        noted = sum(row["state"] == NEWER for row in captures[-1]["state"])
        self.assertGreater(noted, 1)
        self.assertIn(f"({noted} times)", told[0])
        # Noted behind thousands of records.
        done, _ = self.profile("many", "3000", FAKE_CUPTI_CUDA="14.0")
        self.assertEqual(done.stderr.count("newer than Opsight knows"), 1, done.stderr)

    def test_check_tells_of_cuda(self):
        done = subprocess.run([BIN / "opsight", "profile", "--check"], capture_output=True, text=True)
        line = next(line for line in done.stdout.splitlines() if line.startswith("cuda"))
        if not pathlib.Path("/dev/nvidiactl").exists():
            self.assertRegex(line, "cuda +no +(no NVIDIA driver|an NVIDIA driver, but no device)")


if __name__ == "__main__":
    unittest.main()
