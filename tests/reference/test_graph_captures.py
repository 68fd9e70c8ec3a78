#!/usr/bin/env python3
"""Launches of graphs against their captures: real pairs of traces, read plainly; and small made ones for the command."""

import json
import os
import unittest

import count_trace
import opsight_cli
from tiny_trace import span

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
PAIRS = (  # capture, replay, kernels
    ("inference__vllm_decode_full__capture_traces__graph_capture_rank_0.1773709742341309550.pt.trace.json.gz",
     "inference__vllm_decode_full__graph_execution.json.gz", 421),
    ("inference__sglang_decode__capture_traces__bs_32_rank0.json.gz",
     "inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz", 544),
    # The last captured kernel is missing in the launch.
    ("inference__xdit_flux.1__capture_traces__capture_trace_rank_0.json.gz", None, 993),
)


def captured(trace):
    """(kernel, op at the call) of each launch between the begin and the end of the capture."""
    (begin,) = [call for call in trace.api if call.name == "hipStreamBeginCapture"]
    (end,) = [call for call in trace.api if call.name == "hipStreamEndCapture"]
    finder = count_trace.OpFinder(trace.ops)
    calls = sorted((call for call in trace.api if begin.begin < call.begin < end.begin and "kernel" in call.args),
                   key=lambda call: call.begin)
    for call in calls:
        op = finder.innermost(call.where, call.begin)
        yield call.args["kernel"], op.name if op else f"unassociated_{call.name}"


@unittest.skipUnless(CORPUS, "no corpus")
class CorpusTest(unittest.TestCase):
    def test_every_kernel_has_the_op_that_captured_it(self):
        folder = os.path.join(CORPUS, "kineto", "tracelens")
        for capture, replay, count in PAIRS:
            with self.subTest(capture):
                capture = os.path.join(folder, capture)
                options = ("--graph-capture", capture) if replay else ()
                profile = opsight_cli.Profile(os.path.join(folder, replay) if replay else capture, options=options)
                ours = [(row.kernel, row.op) for row in profile.rows("""
                    SELECT coalesce(k.mangled_name, k.name) AS kernel, k.op_name AS op
                    FROM kernels k JOIN api_calls c ON c.id = k.launch_id
                    WHERE c.name = 'hipGraphLaunch' ORDER BY k.begin_ns""")]
                theirs = list(captured(count_trace.load(capture)[0]))
                self.assertEqual(len(ours), count)
                self.assertEqual(ours, theirs[:count])
                self.assertLessEqual(len(theirs) - count, 1)
                told = {entry["key"]: entry["count"] for entry in profile.info()["diagnostics"]}
                self.assertEqual(told.get("joined_graph_launch"), 1)
                self.assertNotIn("unknown_graph_launch", told)


def capture_events(kernels=("gemm", "relu"), api="hip"):
    calls = [span("cuda_runtime", f"{api}StreamBeginCapture", 1, 10, 1, correlation=1),
             span("python_function", "nn.Module: Net_0", 1, 11, 80),
             span("cpu_op", "aten::mm", 1, 12, 70, **{"Input Dims": [[8, 8], [8, 8]],
                                                      "Input type": ["float", "float"]})]
    for i, kernel in enumerate(kernels):
        named = {"kernel": kernel} if api == "hip" else {}
        calls.append(span("cuda_runtime", f"{api}LaunchKernel", 1, 20 + i, 0.5, correlation=10 + i, **named))
    return calls + [span("cuda_runtime", f"{api}StreamEndCapture", 1, 95, 1, correlation=2)]


def replay_events(kernels=("gemm", "relu")):
    return [span("cuda_runtime", "hipGraphLaunch", 1, 10, 1, correlation=5)] + [
        span("kernel", kernel, 7, 20 + 10 * i, 5, pid=0, device=0, stream=7, correlation=5)
        for i, kernel in enumerate(kernels)]


class CommandTest(unittest.TestCase):
    def write(self, name, events):
        path = os.path.join(opsight_cli.temporary_folder(), name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        return path

    def test_a_capture_of_another_trace_names_ops_and_layers(self):
        replay = self.write("replay.json", replay_events())
        capture = self.write("capture.json", capture_events())
        ops = "SELECT DISTINCT op_name || ' of ' || coalesce(layer, '-') AS op FROM kernels"
        alone = opsight_cli.Profile(replay)
        self.assertEqual(alone.value(ops), "unassociated_hipGraphLaunch of -")
        self.assertIn("unknown_graph_launch", alone.imported.stderr)
        self.assertIn("--graph-capture", alone.imported.stderr)
        joined = opsight_cli.Profile(replay, options=("--graph-capture", capture))
        self.assertEqual(joined.value(ops), "aten::mm of Net_0")
        self.assertEqual(joined.value("SELECT count(*) FROM ops"), 0)  # those of the capture did not run here
        self.assertNotIn("unknown_graph_launch", joined.imported.stderr)
        (row,) = joined.report("detailed")["detailed"]
        self.assertEqual((row["op_name"], row["total_gpu_time_ns"]), ("aten::mm", 10000))

    def test_a_trace_without_a_capture_is_refused(self):
        replay = self.write("replay.json", replay_events())
        for events, words in ((replay_events(), "holds no capture of a graph"),
                              (capture_events(api="cuda"), "does not tell the names of the kernels")):
            capture = self.write("nothing.json", events)
            done = opsight_cli.run("import", replay, "--graph-capture", capture, "-o",
                                   os.path.join(opsight_cli.temporary_folder(), "none.opsight"), check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("captures of graphs in the corpus: set OPSIGHT_CORPUS to the folder of traces")
    unittest.main()
