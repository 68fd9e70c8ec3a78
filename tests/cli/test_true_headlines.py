#!/usr/bin/env python3
"""What a headline makes one believe, and whether it holds: each case is a small trace, or a real one of the corpus, of which
an earlier version said something false."""

import json
import os
import unittest

import opsight_cli
from tiny_trace import span

CORPUS = opsight_cli.shared_folder("corpus", "xplane")
NUMBER = iter(range(1, 10 ** 9))


def write(name, events, device="NVIDIA A100-SXM4-40GB", **more):
    path = os.path.join(opsight_cli.temporary_folder(), name)
    known = {"id": 0, "name": device, "totalGlobalMem": 1 << 34, "computeMajor": 8, "computeMinor": 0, "numSms": 108}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events, "deviceProperties": [{**known, **more}]}, file)
    return path


def launched(call, begin, dur, name="some_kernel", category="kernel", **more):
    number = next(NUMBER)
    return [span("cuda_runtime", more.pop("call_name", "cudaLaunchKernel"), 1, call, 5, correlation=number),
            span(category, name, 7, begin, dur, pid=0, device=0, stream=7, correlation=number, **more)]


def steps(lengths, kernel=0.2):
    """Marked iterations of these lengths in us, each with an op and a kernel."""
    events, at = [], 0.0
    for number, length in enumerate(lengths):
        events += [span("user_annotation", f"ProfilerStep#{number}", 1, at, length),
                   span("cpu_op", "aten::mm", 1, at + 1, 0.5 * length)]
        events += launched(at + 2, at + 10, kernel * length)
        at += length
    return events


def findings(profile, rule):
    done = opsight_cli.run("advise", profile.path, "--json", "--rule", rule)
    return json.loads(done.stdout)["findings"]


def text_of(profile, *arguments):
    return opsight_cli.run("report", profile.path, *arguments).stdout


class TwoLengths(unittest.TestCase):
    def test_no_typical_iteration_is_made_up(self):
        profile = opsight_cli.Profile(write("two.json", steps([11600, 11800, 101500, 106800, 107600])))
        (found,) = findings(profile, "uneven_iterations")
        self.assertIn("two lengths: 2 of 11.6 - 11.8 ms, 3 of 101.5 - 107.6 ms", found["title"])
        text = text_of(profile, "--all-iterations")
        self.assertRegex(text, r"Two Lengths +2 of 11.6 - 11.8 ms, 3 of 101.5 - 107.6 ms")

    def test_a_spread_is_not_two_lengths(self):
        for lengths in ([10000, 10100, 10200, 10300, 10400, 10500], [1000, 1700, 2900, 4900, 8300, 14000],
                        [10000, 10100, 10200, 10300, 10400, 30000]):
            profile = opsight_cli.Profile(write("spread.json", steps(lengths)))
            statistics = profile.report("summary", "--all-iterations")["summary"]["iterations"]
            self.assertIsNone(statistics["two_lengths"], lengths)

    # Another network trained before: few iterations, and most of the time.
    def test_few_that_take_much_of_the_time_are_told_and_not_left_out(self):
        profile = opsight_cli.Profile(write("phases.json", steps([176000, 174000, 177000, 181000, 176000, 164000] + [25000] * 38)))
        statistics = profile.report("summary")["summary"]["iterations"]
        self.assertEqual(statistics["two_lengths"], "38 of 25.0 - 25.0 ms, 6 of 164.0 - 181.0 ms")
        self.assertEqual(statistics["selected"], 44)
        rare = opsight_cli.Profile(write("rare.json", steps(([10000] * 24 + [25000]) * 4)))
        self.assertIsNone(rare.report("summary")["summary"]["iterations"]["two_lengths"], "they take a tenth of the time")

    def test_one_iteration_has_no_statistics(self):
        text = text_of(opsight_cli.Profile(write("one.json", steps([10000]))))
        self.assertIn("Iteration Time ", text)
        for word in ("Average Iteration", "Median Duration", "P95", "Deviation"):
            self.assertNotIn(word, text)


class Synchronization(unittest.TestCase):
    """Iterations of 10 ms with a kernel, and a wait for it."""

    def make(self, wait_begin, wait, kernel_begin, kernel):
        events = []
        for step in range(8):
            at = 10000.0 * step
            events += [span("user_annotation", f"ProfilerStep#{step}", 1, at, 10000),
                       span("cuda_runtime", "cudaDeviceSynchronize", 1, at + wait_begin, wait, correlation=next(NUMBER))]
            events += launched(at + 10, at + kernel_begin, kernel)
        return opsight_cli.Profile(write("waits.json", events))

    def test_what_runs_dry_in_a_wait_is_lost(self):
        # The kernel ends at 3 ms, the wait (of 2.5 ms) at 3.1, and the next kernel begins at 10.02: no more than the wait is
        # lost, in seven of eight steps.
        (found,) = findings(self.make(600, 2500, 20, 2980), "synchronization")
        self.assertAlmostEqual(found["share_pct"], 25 * 7 / 8, delta=0.1)
        self.assertIn("leave it without work in 2", found["title"])
        self.assertIn("1 call in an iteration wait for it, 2.50 ms together", found["evidence"])

    def test_after_the_last_work_nothing_is_lost(self):
        events = launched(10, 20, 5000)
        events += [span("cuda_runtime", "cudaDeviceSynchronize", 1, 600, 4450, correlation=next(NUMBER)),
                   span("cpu_op", "aten::cpu", 1, 5060, 4000)]
        self.assertEqual(findings(opsight_cli.Profile(write("tail.json", events)), "synchronization"), [])

    def test_a_wait_with_a_full_queue_costs_nothing(self):
        # The device works until 9.9 ms, the wait ends long before.
        self.assertEqual(findings(self.make(600, 2500, 20, 9880), "synchronization"), [])


class NotRecorded(unittest.TestCase):
    def test_waits_without_launches(self):
        events = [span("user_annotation", "ProfilerStep#0", 1, 0, 1000)]
        events += [span("kernel", "k", 7, 100.0 * i, 50, pid=0, device=0, stream=7) for i in range(5)]
        (stream,) = opsight_cli.Profile(write("unlaunched.json", events)).report("summary")["summary"]["streams"]
        for key in ("host_wait_ns", "queued_wait_ns", "queue_depth_mean", "queue_depth_max"):
            self.assertIsNone(stream[key], key)
        self.assertEqual(stream["other_wait_ns"], 4 * 50_000)

    def test_utilization_where_all_kernels_are_lost_and_sets_are_kept(self):
        events = [span("cuda_runtime", "cudaLaunchKernel", 1, 10.0 * i, 5, correlation=next(NUMBER)) for i in range(50)]
        events += launched(600, 610, 1, "Memset (Device)", "gpu_memset", call_name="cudaMemsetAsync", bytes=4)
        profile = opsight_cli.Profile(write("lost.json", events))
        report = profile.report("summary")["summary"]
        for key in ("gpu_utilization_pct", "kernel_utilization_pct", "non_tensor_core_kernel_pct", "communication_ns"):
            self.assertIsNone(report[key], key)
        self.assertIsNone(report["devices"][0]["gpu_utilization_pct"])
        self.assertIn("lost_device_work", [each["key"] for each in report["diagnostics"]])

    def test_what_was_not_recorded_was_not_checked(self):
        profile = opsight_cli.Profile(write("checked.json", steps([10000] * 6)))
        advice = json.loads(opsight_cli.run("advise", profile.path, "--json").stdout)
        not_checked = {each["rule"]: each["why"] for each in advice["not_checked"]}
        self.assertEqual(not_checked["data_loading"], "no loading of data was recorded")
        self.assertEqual(not_checked["file_io"], "no calls of the system were recorded")
        for rule in ("clock_changes", "fragmentation", "memory_unused"):
            self.assertIn(rule, not_checked)
            self.assertNotIn(rule, advice["quiet"])
        self.assertIn("synchronization", advice["quiet"])  # calls were recorded, and none waits

    def test_classes_that_neither_run_recorded(self):
        path = opsight_cli.Profile(write("same.json", steps([10000] * 6))).path
        answer = json.loads(opsight_cli.run("compare", path, path, "--json").stdout)
        loading = [row for row in answer["budget"] if row["class"] == "dataloader"]
        self.assertEqual([row["difference_ns"] for row in loading], [None])


class OneJob(unittest.TestCase):
    def folder(self, name, begins, **more):
        """Traces of three steps each, that begin at these times in us."""
        folder = os.path.join(opsight_cli.temporary_folder(), name)
        os.mkdir(folder)
        for number, begin in enumerate(begins):
            path = write(os.path.join(name, f"{number}.json"), steps([10000] * 3))
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
            for event in trace["traceEvents"]:
                event["ts"] += begin
            trace["distributedInfo"] = {"rank": number, **more}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(trace, file)
        return folder

    def test_a_folder_of_traces_of_other_years_is_no_job(self):
        years = 365 * 86400 * 1e6
        profile = opsight_cli.Profile(self.folder("years", [0, years, 3 * years]))
        why = "3 recordings, recorded at 3 times with up to 730 days in between by their clocks"
        self.assertIn("not_one_job", profile.imported.stderr)
        self.assertIn(why, profile.imported.stderr)
        text = opsight_cli.run("info", profile.path).stdout
        self.assertIn("of recordings that are not of one job", " ".join(text.split()))
        self.assertIn(why, " ".join(text.split()))
        report = text_of(profile)
        first = report[report.index("Where to Look First"):].splitlines()[1]
        self.assertIn("These files do not fit together as one job", first)
        advice = opsight_cli.run("advise", profile.path).stdout
        self.assertTrue(advice.startswith("No gain is added up: the files do not fit together as one job."), advice)
        self.assertIn("do not fit together as one job", " ".join(report.split()))

    def test_ranks_of_one_job_are_left_alone(self):
        profile = opsight_cli.Profile(self.folder("ranks", [0, 3000, 20e6], world_size=3))
        self.assertNotIn("not_one_job", profile.imported.stderr)
        self.assertEqual(findings(profile, "one_job"), [])


class WorkOfAGpuInLogsOfOneDnn(unittest.TestCase):
    """Times that the host measured around primitives of a GPU: no report says that nothing ran there."""

    def report_of(self, engine):
        path = os.path.join(opsight_cli.temporary_folder(), f"{engine[:3]}.onednn.log")
        line = (f"onednn_verbose,v1,primitive,exec,{engine},matmul,jit:gemm,undef,src:f16:a:blocked:ab::f0 "
                "wei:f16::blocked:ab::f0 dst:f16::blocked:ab::f0,,,64x32:32x16,0.5\n")
        with open(path, "w", encoding="utf-8") as file:
            file.write("[INFO] begin\n" + 2 * line)
        profile = opsight_cli.Profile(path)
        return [" ".join(text_of(profile, *more).split()) for more in ((), ("--report", "roofline"), ("--report", "kernel"))]

    def test_of_a_gpu(self):
        texts = self.report_of("gpu:0")
        for text in texts[1:]:
            self.assertIn("a device was used, but none of its work is recorded", text)
        for text in texts:
            self.assertNotIn("nothing ran on a device", text)
            self.assertNotIn("all times are those of the CPU", text)
        self.assertIn("2 of 2 primitives ran on a GPU", texts[0])

    def test_of_a_cpu(self):
        report, roofline, kernel = self.report_of("cpu")
        self.assertIn("no device work was recorded: all times are those of the CPU", report)
        self.assertRegex(report, r"FLOPs 131\.072 k")
        for text in (roofline, kernel):
            self.assertIn("nothing ran on a device", text)


class CyclesOfOneProcess(unittest.TestCase):
    def test_files_of_two_cycles_are_told(self):
        folder = opsight_cli.temporary_folder()
        for start in (0, 5e6):
            events = steps([1000] * 3)
            for event in events:
                event["ts"] += start
            with open(os.path.join(folder, f"node_7.{int(start) + 1}.pt.trace.json"), "w", encoding="utf-8") as file:
                json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        profile = opsight_cli.Profile(folder)
        self.assertIn("2 with the number of one process one after the other, as cycles of one profiler", profile.imported.stderr)
        self.assertIn("These files do not fit together as one job", text_of(profile))


class Info(unittest.TestCase):
    def test_long_texts_of_the_source_fit_a_line(self):
        path = write("talks.json", steps([10000] * 3))
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        trace["INFO"] = [f"INFO:2024-11-11 10:02:{i} Profiler.cpp:995] Evaluating whether to run it." for i in range(40)]
        trace["ERROR"] = ["ERROR:2024-11-11 10:03:10 DeviceProperties.cpp:47] gpuGetDeviceCount failed with code 35"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        profile = opsight_cli.Profile(path)
        lines = opsight_cli.run("info", profile.path).stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 100)
        (said,) = [line for line in lines if line.startswith("INFO ")]
        self.assertTrue(said.startswith("INFO  40 messages: INFO:2024-11-11 10:02:0"), said)
        self.assertIn("gpuGetDeviceCount failed with code 35", " ".join(lines))
        self.assertEqual(len(json.loads(profile.info()["properties"]["INFO"])), 40)

    def test_what_differs_between_files_is_one_line(self):
        path = opsight_cli.temporary_folder()
        for number in range(3):
            name = write(f"named{number}.json", steps([10000] * 3))
            with open(name, encoding="utf-8") as file:
                trace = json.load(file)
            trace.update(traceName=f"step{number}.json", distributedInfo={"rank": number})
            with open(name, "w", encoding="utf-8") as file:
                json.dump(trace, file)
        profile = opsight_cli.Profile(*(os.path.join(path, f"named{number}.json") for number in range(3)))
        text = opsight_cli.run("info", profile.path).stdout
        self.assertIn("traceName  3 values: step0.json, step1.json, step2.json\n", text)


class NothingToSay(unittest.TestCase):
    def test_a_file_without_events_is_said_to_be_one(self):
        profile = opsight_cli.Profile(write("empty.json", []))
        self.assertIn("nothing_recorded", profile.imported.stderr)
        self.assertRegex(opsight_cli.run("info", profile.path).stdout, r"(?m)^Duration +-$")
        text = text_of(profile)
        self.assertIn("No rule could be asked of this recording", text)
        self.assertNotIn("Nothing stands out", text)

    def test_spans_of_unknown_kinds_are_no_idle_program(self):
        events = [span("someone_elses", f"work_{i}", 1, 100.0 * i, 90) for i in range(50)]
        profile = opsight_cli.Profile(write("unknown_kinds.json", events))
        advice = json.loads(opsight_cli.run("advise", profile.path, "--json").stdout)
        self.assertEqual([each["title"] for each in advice["findings"] if "nothing of the recording runs" in each["title"]], [])
        why = {each["rule"]: each["why"] for each in advice["not_checked"]}
        self.assertEqual(why["beside_ops"], "what was recorded is of kinds that Opsight does not know")

    def test_calls_of_a_gpu_that_ran_nothing_are_no_ops(self):
        events = [span("user_annotation", "ProfilerStep#0", 1, 0, 10000), span("cpu_op", "aten::mm", 1, 0, 3000),
                  span("cuda_runtime", "cudaDeviceSynchronize", 1, 3000, 6900)]
        (found,) = [each for each in findings(opsight_cli.Profile(write("cpu.json", events)), "host_bound")]
        self.assertEqual(found["title"], "The work is done by the CPU, whose ops and calls of the GPU's API take 99.0% of the time")
        self.assertIn("cudaDeviceSynchronize takes 6.90 ms", found["evidence"])

    def test_the_cpu_reserves_no_memory(self):
        memory = [{"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": 1, "ts": 10.0 * i, "s": "t",
                   "args": {"Device Type": 0, "Device Id": -1, "Bytes": 64, "Addr": 64 * i, "Total Allocated": 64 * (i + 1),
                            "Total Reserved": 0}} for i in range(4)]
        profile = opsight_cli.Profile(write("memory.json", steps([10000] * 3) + memory))
        (place,) = profile.report("summary")["summary"]["peak_memory"]
        self.assertEqual(place["allocated_bytes"], 256)
        self.assertIsNone(place["reserved_bytes"])

    def test_calls_inside_calls_of_their_type_are_told(self):
        events = []
        for number in range(3):
            at = 10000.0 * number
            events += [span("user_annotation", f"ProfilerStep#{number}", 1, at, 10000),
                       span("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 1, at + 10, 5000),
                       span("cpu_op", "MmBackward0", 1, at + 20, 4900), span("cpu_op", "aten::relu", 1, at + 6000, 100)]
        profile = opsight_cli.Profile(write("nested.json", events))
        self.assertIn("totals hold calls inside calls of the same type twice (of MmBackward0 3 calls)",
                      " ".join(text_of(profile).split()))
        flat = opsight_cli.Profile(write("flat.json", steps([10000] * 3)))
        self.assertNotIn("calls of the same type", " ".join(text_of(flat).split()))

    def test_little_work_of_a_device_is_not_none(self):
        text = text_of(opsight_cli.Profile(write("little.json", steps([1e6] * 3, kernel=1e-6))))
        self.assertIn("a device was at work for <0.1% of the wall clock", " ".join(text.split()))


class WholeRuns(unittest.TestCase):
    def test_what_a_whole_run_loses_is_not_shared_among_guessed_iterations(self):
        events = []
        for number in range(12):
            for kernel, name in enumerate(("read_all", "write_all", "sum_all")):
                at = 900_000 + 1000.0 * number + 300 * kernel
                events += launched(at, at + 10, 200, name)
        events += [span("cuda_runtime", "cudaFree", 1, 0, 100, correlation=next(NUMBER))]
        profile = opsight_cli.Profile(write("guessed.json", events))
        self.assertGreater(profile.info()["iterations"]["total"], 1)
        advice = json.loads(opsight_cli.run("advise", profile.path, "--json").stdout)
        self.assertEqual(advice["iterations"], 0)
        self.assertAlmostEqual(advice["wall_ns"] / 1e6, 911.8, delta=0.2)
        self.assertNotIn("per iteration", opsight_cli.run("advise", profile.path).stdout)


class OtherMakers(unittest.TestCase):
    def test_advice_on_devices_that_idle(self):
        for name, variable in (("AMD Instinct MI300X", "HIP_VISIBLE_DEVICES"), ("NVIDIA H100 80GB HBM3", "CUDA_VISIBLE_DEVICES")):
            path = write("idle.json", steps([10000] * 6), name)
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
            trace["deviceProperties"].append({**trace["deviceProperties"][0], "id": 1})
            with open(path, "w", encoding="utf-8") as file:
                json.dump(trace, file)
            (found,) = findings(opsight_cli.Profile(path), "idle_devices")
            self.assertIn(variable, found["advice"])

    def test_a_trend_of_two_programs_says_so(self):
        one = opsight_cli.Profile(write("one_program.json", steps([10000] * 6)))
        events = [{**event, "name": event["name"].replace("aten::mm", "aten::conv2d").replace("some_kernel", "other")}
                  for event in steps([20000] * 6)]
        other = opsight_cli.Profile(write("other_program.json", events))
        self.assertIn("the runs are of different programs", opsight_cli.run("trend", one.path, other.path).stdout)
        self.assertNotIn("different programs", opsight_cli.run("trend", one.path, one.path).stdout)


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class RealRuns(unittest.TestCase):
    def test_a_tpu_is_no_gpu_and_nobody_knows_who_waited(self):
        profile = opsight_cli.Profile(os.path.join(CORPUS, "xplane", "xprof__tpu_inference_2_older.xplane.pb"))
        self.assertEqual(profile.info()["words"], {"device": "TPU", "matrix_unit": "matrix unit", "api": "runtime",
                                                   "multiprocessor": "core", "clock": "CPU"})
        refused = opsight_cli.run("whatif", profile.path, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no launch of the devices' work was recorded", refused.stderr)
        path = text_of(profile, "--report", "critical_path")
        self.assertIn("no critical path: no launch", path)
        self.assertNotIn("100.0", path)
        text = text_of(profile)
        head = text[:text.index("System Config")]
        self.assertIn("TPU Utilization %", head)
        for word in ("GPU", "Tensor Core"):
            self.assertNotIn(word, head)
        (copies,) = findings(profile, "copies")
        # 2.37 s of each stream's 78.4 s are kernels, which no copy hides.
        self.assertAlmostEqual(copies["bound"]["pct"], 97.0, delta=0.1)
        for found in json.loads(opsight_cli.run("advise", profile.path, "--json").stdout)["findings"]:
            for text in (found["title"], found["evidence"], found["advice"]):
                self.assertNotRegex(text, r"\bGPU|Tensor Core")

    def test_iterations_of_two_lengths_have_no_average(self):
        trace = os.path.join(CORPUS, "kineto", "tracelens", "mi300__ddp_resnet18_no_pool__train_resnet18.json.gz")
        profile = opsight_cli.Profile(trace)
        (found,) = findings(profile, "uneven_iterations")
        self.assertRegex(found["title"], r"two lengths: 2 of 11\d\.\d - 11\d\.\d ms, 3 of 10\d\d\.\d - 10\d\d\.\d ms")


if __name__ == "__main__":
    unittest.main()
