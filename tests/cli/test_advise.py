"""opsight advise: findings with bounds, thresholds, formats, exit codes; docs/ADVICE.md says what the rules say."""
import html.parser
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPSIGHT = str(pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", ROOT / "build" / "bin"), "opsight"))
MS = 1000  # of a trace, which has microseconds


def steps(load=3.0, count=10):
    """Steps of 10 ms whose loader takes `load` ms, then an op and its kernel of 4 ms."""
    events = []

    def add(cat, name, ts, dur, tid=1, pid=100, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    for i in range(count):
        at = 10 * MS * i
        add("user_annotation", f"ProfilerStep#{i}", at, 10 * MS)
        add("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, load * MS)
        add("cpu_op", "aten::relu", at + 5 * MS, 100)
        add("cuda_runtime", "cudaLaunchKernel", at + 5 * MS + 10, 10, correlation=i + 1)
        add("kernel", "elementwise_kernel", at + 5 * MS + 100, 4 * MS, tid=7, pid=0, correlation=i + 1, stream=7, device=0)
    return {"traceEvents": events, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "computeMajor": 8,
                                                         "computeMinor": 0, "numSms": 108}], "schemaVersion": 1}


class Advise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = self.write("run.json", json.dumps(steps()))

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path

    def run_it(self, *args, code=0):
        done = subprocess.run([OPSIGHT, "advise", *args], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout if code in (0, 3) else done.stderr

    def finding(self, rule, *args):
        found = json.loads(self.run_it(self.trace, "--json", *args))
        return next((each for each in found["findings"] if each["rule"] == rule), None), found

    def onednn_log(self, *kinds):
        return self.write("run.onednn.log", "onednn_verbose,info,cpu,runtime:OpenMP\n" + "".join(
            f"onednn_verbose,exec,cpu,{kind},jit:uni,undef,src_f32::blocked:abcd:f0 dst_f32::blocked:Acdb16a:f0,,,"
            "64x3x7x7,0.5\n" for kind in kinds))

    def test_where_the_wall_clock_is_not_known_only_durations_are_judged(self):
        found = json.loads(self.run_it(self.onednn_log(*["eltwise"] * 20), "--json"))
        self.assertEqual((found["findings"], found["quiet"]), ([], ["layout_reorders"]))
        found = json.loads(self.run_it(self.onednn_log(*["reorder"] * 15, *["convolution"] * 5), "--json"))
        (finding,) = found["findings"]
        self.assertEqual(finding["title"], "Reorders between layouts of oneDNN take 75.0% of the recorded time")
        self.assertEqual((finding["bound"]["ns"], found["wall_ns"]), (7_500_000, 10_000_000))

    def creations(self, *lines):
        text = "".join(f"onednn_verbose,{what},cpu,convolution,jit:avx2,forward_training,src_f32::blocked:acdb:f0 "
                       f"wei_f32::blocked:Acdb16a:f0 dst_f32::blocked:acdb:f0,,alg:convolution_direct,"
                       f"mb1_ic16oc16_ih{size}oh{size}kh3sh1dh0ph1_iw{size}ow{size}kw3sw1dw0pw1,{ms}\n"
                       for what, size, ms in lines)
        return json.loads(self.run_it(self.write("run.onednn.log", text), "--rule", "primitive_creation", "--json"))

    def test_primitives_that_are_created_anew_are_told(self):
        (finding,) = self.creations(("create:cache_miss", 32, 1), ("exec", 32, 1), ("create:cache_hit", 32, 0.5),
                                    ("exec", 32, 1), ("create:cache_miss", 34, 1), ("exec", 34, 0.5))["findings"]
        self.assertEqual(finding["title"], "Creating primitives of oneDNN takes 40.0% of the recorded time")
        self.assertEqual(finding["evidence"], "2 primitives created, 2 different ones; the cache had 1 more.")
        self.assertIn("Hardly one was created twice", finding["advice"])
        self.assertEqual((finding["bound"]["ns"], finding["lines"]), (2_000_000, ""))
        self.assertEqual(len(finding["rows"]["rows"]), 1)
        (finding,) = self.creations(*[("create:cache_miss", 32, 1), ("exec", 32, 1)] * 2)["findings"]
        self.assertTrue(finding["advice"].startswith("1 had been created before"), finding["advice"])
        self.assertIn("CACHE_CAPACITY", finding["lines"])

    def test_few_creations_are_no_matter_and_unrecorded_ones_are_said(self):
        found = self.creations(("create:cache_miss", 32, 1), *[("exec", 32, 1)] * 40)
        self.assertEqual((found["findings"], found["quiet"]), ([], ["primitive_creation"]))
        found = self.creations(("exec", 32, 1))
        self.assertIn("no creations", found["not_checked"][0]["why"])

    def test_an_engine_is_asked_for_layers_that_only_convert(self):
        layers = [{"count": 10}] + [{"name": name, "timeMs": 10 * ms, "averageMs": ms, "percentage": 100 * ms}
                                    for name, ms in (("conv1.weight + QuantizeLinear_7 + Conv_9", 0.7),
                                                     ("QuantizeLinear_2", 0.2),
                                                     ("Reformatting CopyNode for Input Tensor 0 to Conv_1", 0.1))]
        found = json.loads(self.run_it(self.write("engine.profile.json", json.dumps(layers)), "--json"))
        finding = next(each for each in found["findings"] if each["rule"] == "engine_conversions")
        self.assertEqual(finding["title"], "Layers that only convert data take 30.0% of the recorded time")
        self.assertEqual(finding["evidence"], "Quantize layers: 1, 0.20 ms; reformat and cast layers: 1, 0.10 ms.")
        self.assertIn("residual additions", finding["advice"])
        self.assertEqual(finding["bound"]["ns"], 300_000)
        self.assertIsNone(self.finding("engine_conversions")[0])
        plain = next(each for each in found["findings"] if each["rule"] == "plain_kernels")
        self.assertEqual(plain["severity"], "note", "the same layers")
        unknown = next(each for each in found["findings"] if each["rule"] == "unknown_kernels")
        self.assertIn("--exportLayerInfo", unknown["advice"])

    def test_a_summary_of_nvprof_is_asked_for_its_copies(self):
        found = json.loads(self.run_it(self.write("run.nvprof.txt", """==7== NVPROF is profiling process 7, command: ./a
==7== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:   70.00%  700.00us         7  100.00us  100.00us  100.00us  [CUDA memcpy HtoD]
                   30.00%  300.00us         3  100.00us  100.00us  100.00us  MatAdd(float*, float*, float*)
"""), "--json"))
        (finding,) = found["findings"]
        self.assertEqual(finding["title"], "Copies and sets of memory take 70.0% of the recorded time of the GPU")
        self.assertEqual(finding["evidence"],
                         "Most of it: 7 HtoD copies, 0.70 ms. Whether kernels ran meanwhile was not recorded.")
        self.assertEqual((finding["bound"]["ns"], found["wall_ns"]), (700_000, 1_000_000))
        text = pathlib.Path(self.folder.name, "run.nvprof.txt").read_text(encoding="utf-8")
        text += text.splitlines()[-2].replace(" GPU activities:", "                ").replace("HtoD", "DtoH") + "\n"
        text += text.splitlines()[-1].replace("DtoH", "DtoD") + "\n"
        three = json.loads(self.run_it(self.write("three.nvprof.txt", text), "--rule", "copies", "--json"))
        self.assertTrue(three["findings"][0]["evidence"].startswith("The largest part: 7 "), "of 21 alike")
        self.assertIn({"rule": "summed_calls", "why": "no sums over calls of an API were recorded"}, found["not_checked"])

    def calls_of_nvprof(self, longest, launches="1.0000ms"):
        return json.loads(self.run_it(self.write("run.nvprof.txt", f"""==7== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:  100.00%  2.0000ms         2  1.0000ms  1.0000ms  1.0000ms  MatAdd(float*, float*, float*)
      API calls:   90.00%  9.0000ms         3  3.0000ms  1.0000ms  {longest}  cudaMalloc
                   10.00%  {launches}         2  500.00us  500.00us  500.00us  cudaLaunchKernel
                   10.00%  {launches}         2  500.00us  500.00us  500.00us  cudaFree
"""), "--rule", "summed_calls", "--json"))

    def test_calls_of_a_summary_are_told_beside_the_work(self):
        (finding,) = self.calls_of_nvprof("7.0000ms")["findings"]
        self.assertEqual(finding["title"], "Calls of the GPU's API take 11.00 ms, and the work of the GPU 2.00 ms: "
                                           "most of the calls' time is in cudaMalloc")
        self.assertTrue(finding["evidence"].startswith("cudaMalloc: 9.00 ms in 3 calls, the longest 7.00 ms."))
        self.assertAlmostEqual(finding["share_pct"], 100 * 9 / 11)
        self.assertEqual(finding["rows"]["rows"][0], {"subject": "cudaMalloc", "calls": 3.0, "ms": 9.0})
        self.assertTrue(finding["advice"].startswith("One call takes most of it"))
        (finding,) = self.calls_of_nvprof("4.0000ms", "8.0000ms")["findings"]
        self.assertIn(": the largest part of the calls' time is in cudaMalloc", finding["title"])
        self.assertTrue(finding["advice"].startswith("A timeline"))
        self.assertEqual(json.loads(self.run_it(self.trace, "--rule", "summed_calls", "--json"))["findings"], [])

    def test_where_nothing_can_be_asked_that_is_said(self):
        self.assertTrue(self.run_it(self.write("empty.json", json.dumps({"schemaVersion": 1, "traceEvents": []})))
                        .startswith("No rule could be asked of this recording"))
        trace = {"traceEvents": [{"ph": "i", "name": "x", "ts": 1, "pid": 1, "tid": 1, "s": "t"}]}
        self.assertIn("Of a file's events none is of a kind that Opsight knows",
                      self.run_it(self.write("unknown.json", json.dumps(trace))))

    def test_a_reason_stands_once_with_the_rules_that_it_keeps(self):
        text = self.run_it(self.onednn_log("eltwise"))
        self.assertEqual(text.count("no work of a device was recorded"), 1)
        self.assertIn("\n- no work of a device was recorded: tensor_cores, ", text)

    def test_a_bound_is_the_time_of_what_it_is_about(self):
        loading, found = self.finding("data_loading")
        self.assertAlmostEqual(loading["bound"]["ns"], 3e6, delta=4e5)
        self.assertAlmostEqual(loading["bound"]["pct"], 30, delta=4)
        self.assertIsNone(loading["bound"]["predicted_ns"])
        self.assertEqual(loading["severity"], "high")
        self.assertIn("num_workers", loading["lines"])
        self.assertLessEqual(found["combined"]["pct"], 100)
        self.assertGreaterEqual(found["combined"]["ns"], loading["bound"]["ns"])
        self.assertIn("copies", found["quiet"])
        self.assertIn({"rule": "pageable_copies", "why": "no copies that tell the kind of their memory were recorded"},
                      found["not_checked"])

    def test_a_finding_shows_the_first_rows_of_its_evidence(self):
        loading, _ = self.finding("data_loading")
        done = subprocess.run([OPSIGHT, "sql", self.trace, loading["query"], "--format", "json"],
                              capture_output=True, text=True, timeout=120, check=True)
        self.assertEqual(loading["rows"]["rows"], json.loads(done.stdout))
        self.assertEqual(loading["rows"]["columns"], ["name", "calls", "ms"])
        self.assertFalse(loading["rows"]["more"])
        name = loading["rows"]["rows"][0]["name"]
        for form in ("text", "markdown", "html"):
            self.assertIn(name, self.run_it(self.trace, "--rule", "data_loading", "--format", form), form)
        self.assertNotIn(name, self.run_it(self.trace, "--rule", "data_loading", "--rows", "0"))
        self.assertEqual(self.finding("data_loading", "--rows", "0")[0]["rows"]["rows"], [])

    def test_a_prediction_is_no_more_than_the_bound(self):
        loading, found = self.finding("data_loading", "--predict")
        self.assertEqual(found["prediction_note"], "")
        predicted = loading["bound"]["predicted_ns"]
        self.assertAlmostEqual(predicted, 3e6, delta=5e5)
        self.assertLessEqual(predicted, loading["bound"]["ns"] + 1)

    def test_what_cannot_be_checked_is_said(self):
        trace = steps()
        trace["traceEvents"] = [e for e in trace["traceEvents"] if e["cat"] not in ("kernel", "cuda_runtime")]
        found = json.loads(self.run_it(self.write("cpu.json", json.dumps(trace)), "--json"))
        self.assertIn({"rule": "tensor_cores", "why": "no work of a device was recorded"}, found["not_checked"])

    def test_limits_strike(self):
        self.run_it(self.trace, "--fail-on", "high", code=3)
        self.run_it(self.trace, "--rule", "zero_grad", "--fail-on", "low")
        self.run_it(self.trace, "--rule", "data_loading", "--fail-on", "low", "--threshold", "data_loading.share=50")
        limits = self.write("limits.txt", "# ours\n\ndata_loading.share = 50\n".replace(" = ", "="))
        self.run_it(self.trace, "--rule", "data_loading", "--fail-on", "low", "--threshold-file", limits)
        self.assertIn("limits.txt: line 1", self.run_it(
            self.trace, "--threshold-file", self.write("limits.txt", "data_loading.share=x\n"), code=2))

    def test_misuse_is_explained(self):
        for args, word in ((["--rule", "none"], "the rules are"), (["--format", "pdf"], "use text"),
                           (["--fail-on", "note"], "low, medium or high"), (["--threshold", "x"], "RULE.NAME=VALUE"),
                           (["--threshold", "data_loading.none=1"], "no threshold 'none'")):
            self.assertIn(word, self.run_it(self.trace, *args, code=2))
        self.assertIn("a run is needed", self.run_it(code=2))

    def test_every_format_says_the_same_and_takes_no_markup(self):
        trace = steps()
        for event in trace["traceEvents"]:
            event["name"] = event["name"].replace("elementwise_kernel", "<b>|kernel</b>")
        path = self.write("odd.json", json.dumps(trace))
        title = "The run waits for its data"
        for form in ("text", "markdown", "html"):
            text = self.run_it(path, "--format", form)
            self.assertIn(title, text)
            self.assertNotIn("<b>|kernel", text)
        page = self.run_it(path, "--format", "html")
        html.parser.HTMLParser().feed(page)
        out = os.path.join(self.folder.name, "advice.html")
        self.run_it(path, "--format", "html", "-o", out)
        self.run_it(path, "--format", "html", "-o", out, code=1)
        self.run_it(path, "--format", "html", "-o", out, "--force")

    def test_each_finding_shows_its_evidence_and_what_verifies_it(self):
        found = json.loads(self.run_it(self.trace, "--json"))["findings"]
        text, markdown = self.run_it(self.trace), self.run_it(self.trace, "--format", "markdown")
        plain = " ".join(text.split())
        self.assertTrue(any(each["bound"] for each in found))
        for each in found:
            for part in (each["query"], each["verify"]):
                self.assertIn(" ".join(part.split()), plain)
                self.assertIn(part, markdown)
            for place in each["places"]:
                self.assertGreater(place["end_ns"], place["begin_ns"])
        loading = next(each for each in found if each["rule"] == "data_loading")
        longest = loading["places"][0]
        self.assertIn(f"longest in the timeline: {(longest['end_ns'] - longest['begin_ns']) / 1e6:.3f} ms at ", plain)
        self.assertEqual(loading["verify"], f"opsight compare {self.trace} AFTER.opsight")
        self.assertIn(loading["bound"]["formula"].split(",")[0], markdown)
        self.assertIn("Confidence high", markdown)
        self.assertIn("of the time. The training process", " ".join(markdown.split()).replace("\\", ""))
        self.assertEqual(self.run_it(self.trace, "--format", "table"), text)
        self.assertEqual(self.run_it(self.trace, "--format", "md"), markdown)

    def test_the_document_says_what_the_rules_say(self):
        rules = self.run_it("--explain", "all", "--format", "markdown").rstrip("\n")
        document = (ROOT / "docs" / "ADVICE.md").read_text(encoding="utf-8")
        self.assertTrue(document.rstrip("\n").endswith(rules),
                        "the list of docs/ADVICE.md is not: opsight advise --explain all --format markdown")
        for rule in ("data_loading", "tensor_cores"):
            self.assertIn("looks for", self.run_it("--explain", rule))
        self.assertIn("the rules are", self.run_it("--explain", "none", code=2))


if __name__ == "__main__":
    unittest.main()
