#!/usr/bin/env python3
"""`opsight compare`: the answer in every format, and what it refuses."""

import csv
import io
import json
import os
import tempfile
import unittest
import xml.etree.ElementTree

import opsight_cli
import tiny_trace

CORPUS = opsight_cli.shared_folder("corpus", "tensorrt")


def slowed(trace, name, by):
    """The trace with the kernels of `name` longer by so many us, and all that follows later."""
    late = 0.0
    for event in sorted(trace["traceEvents"], key=lambda each: each["ts"]):
        event["ts"] += late
        if event["name"].startswith("ProfilerStep"):
            event["dur"] += by
        if event["cat"] == "kernel" and event["name"] == name:
            event["dur"] += by
            late += by
    return trace


KERNELS = {"aten::linear": ("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_nn", 40), "aten::layer_norm": ("void at::native::vectorized_kernel<4>(int)", 15),
           "aten::gelu": ("void at::native::elementwise_kernel<128, 2>(int)", 20), "aten::add": ("void at::native::elementwise_kernel<128, 2>(int)", 10)}


def planted(slower=1.0, without=False, rows=64, name="Block_2", outlier=None):
    """Twelve steps of four blocks of four ops, with one thing that is another one: a kernel that is slower by a factor, an op
    that is gone, an input of other rows (whose kernel takes no longer), a block of another name, one step that takes long."""
    events, at, correlation = [], 0.0, 0
    for step in range(12):
        begin, now = at, at + 10
        device = now + 20
        for block in range(4):
            module_begin = now
            for place, (op, (kernel, us)) in enumerate(KERNELS.items()):
                if without and (block, op) == (1, "aten::gelu"):
                    continue
                correlation += 1
                shape = [[rows if (block, op) == (1, "aten::linear") else 64, 64], [64, 64]]
                took = (us + (step * 7 + block * 3 + place) % 5 * 0.1) * (slower if (block, op) == (3, "aten::layer_norm") else 1)
                device = max(device, now + 8)
                events += [
                    tiny_trace.span("cpu_op", op, 1, now + 1, 8, **{"Input Dims": shape, "Input type": ["c10::Half", "c10::Half"]}),
                    tiny_trace.span("cuda_runtime", "cudaLaunchKernel", 1, now + 3, 4, correlation=correlation),
                    tiny_trace.span("kernel", kernel, 7, device, took, pid=0, device=0, stream=7, correlation=correlation)]
                device += took + 1
                now += 10
            module = name if block == 2 else f"Block_{block}"
            events.append(tiny_trace.span("python_function", f"nn.Module: {module}", 1, module_begin, now - module_begin,
                                          **{"Python id": 1000 * step + block + 1, "Python module id": block}))
        at = max(now, device) + 5
        if step == outlier:
            at += 2 * (at - begin)
        events.append(tiny_trace.span("user_annotation", f"ProfilerStep#{step}", 1, begin, at - begin - 1))
    return {**tiny_trace.trace(1), "traceEvents": events}


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.base = self.write("base.json", tiny_trace.trace(steps=9))
        self.new = self.write("new.json", slowed(tiny_trace.trace(steps=9), "relu_kernel(float*)", 5))

    def write(self, name, trace):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        return path

    def compare(self, *arguments, code=0):
        done = opsight_cli.run("compare", *arguments, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_json_adds_up(self):
        answer = json.loads(self.compare(self.base, self.new, "--format", "json"))
        self.assertEqual(answer["difference_ns"], 5000)
        self.assertEqual(answer["verdict"], "real")
        self.assertEqual(sum(row["difference_ns"] or 0 for row in answer["budget"]), answer["mean_difference_ns"])
        self.assertEqual({row["class"]: row["difference_ns"] for row in answer["budget"]}["other_kernel"], 5000)
        gpu = {level: sum(row["gpu_difference_ns"] for row in answer[level]) for level in ("layers", "ops", "kernels")}
        self.assertEqual(gpu, {"layers": 5000, "ops": 5000, "kernels": 5000})
        self.assertEqual((answer["kernels"][0]["kernel"], answer["kernels"][0]["kind"]), ("relu_kernel", "slower"))
        self.assertEqual((answer["ops"][0]["op"], answer["ops"][0]["kind"]), ("aten::relu", "slower"))
        self.assertIn("slower: the iterations of these two runs differ by more than noise", answer["notes"][0])

    def test_a_profile_and_its_trace_are_the_same(self):
        profile = os.path.join(self.folder, "base.opsight")
        self.assertEqual(opsight_cli.run("import", self.base, "-o", profile).returncode, 0)
        answer = json.loads(self.compare(profile, self.base, "--json"))
        self.assertEqual(answer["verdict"], "equal")
        self.assertTrue(all(row["difference_ns"] in (0, None) for row in answer["budget"]))
        self.assertEqual({row["kind"] for row in answer["ops"]}, {"same work"})

    def test_the_same_trace_written_otherwise(self):
        """With its lists on several lines, without its layers, without its shapes: nothing but that differs."""
        trace = tiny_trace.trace(steps=9)
        begins = [event["ts"] for event in trace["traceEvents"] if event["name"].startswith("ProfilerStep")]
        for event in trace["traceEvents"]:
            if event["cat"] == "cpu_op":
                event["args"].update({"Input Dims": [[64, 64], []], "Input type": ["long int", ""]})
        # Two ops of one name in layers of their own, as Python's tracer records them.
        for begin in begins:
            for i, (at, op) in enumerate(((70, "aten::add"), (80, "aten::add"))):
                trace["traceEvents"] += [
                    tiny_trace.span("python_function", f"nn.Module: Linear_{i}", 1, begin + at, 8,
                                    **{"Python id": i + 1, "Python module id": i}),
                    tiny_trace.span("cpu_op", op, 1, begin + at + 1, 5,
                                    **{"Input Dims": [[64, 64], []], "Input type": ["long int", ""]})]
        base = self.write("base_layers.json", trace)
        indented = os.path.join(self.folder, "indented.json")
        with open(indented, "w", encoding="utf-8") as file:
            json.dump(trace, file, indent=1)
        answer = json.loads(self.compare(base, indented, "--json"))
        self.assertEqual({row["kind"] for row in answer["ops"]}, {"same work"})
        self.assertEqual(answer["causes"], [])
        plain = {**trace, "traceEvents": [each for each in trace["traceEvents"] if each["cat"] != "python_function"]}
        plain = json.loads(self.compare(base, self.write("plain.json", plain), "--json"))
        self.assertIn("layers", {row["kind"] for row in plain["caveats"]})
        self.assertEqual({row["kind"] for row in plain["ops"]}, {"same work"})
        self.assertEqual({row["op"]: row["new_calls"] for row in plain["ops"]}["aten::add"], 2)
        self.assertEqual((plain["causes"], plain["base_matched_pct"], plain["new_matched_pct"]), ([], 100, 100))

    def test_formats(self):
        text = self.compare(self.base, self.new)
        self.assertTrue(text.startswith("iteration time: "), text)
        self.assertIn("Time Budget of an Iteration", text)
        tables = self.compare(self.base, self.new, "--format", "csv").split("\n\n")
        names = [table.split("\n")[0] for table in tables]
        self.assertEqual(names[:4], ["compare", "caveats", "causes", "budget"])
        budget = list(csv.DictReader(io.StringIO(tables[3].split("\n", 1)[1])))
        self.assertEqual(sum(int(row["Difference (ns)"] or 0) for row in budget), 5000)
        markdown = self.compare(self.base, self.new, "--format", "markdown")
        self.assertTrue(markdown.startswith("## Comparison\n"), markdown)
        self.assertIn("| Other kernels |", markdown)
        page = self.compare(self.base, self.new, "--format", "html")
        self.assertTrue(page.startswith("<!DOCTYPE html>"), page)
        self.assertIn("but runs of one program may, too", page)

    def test_limits(self):
        junit = os.path.join(self.folder, "limits.xml")
        done = opsight_cli.run("compare", self.base, self.new, "--fail-if", "iteration_time > 3%", "--fail-if",
                               "kernel:relu* gpu_time > 20%", "--fail-if", "kernel:volta* gpu_time > 0%", "--junit", junit,
                               check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("over the limit 'iteration_time > 3%': iteration time: 100.000 µs before, 105.000 µs after", done.stderr)
        self.assertIn("kernel relu_kernel in /: 10.000 µs before, 15.000 µs after (+50.0%)", done.stderr)
        suite = xml.etree.ElementTree.parse(junit).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "2"))
        self.assertEqual([case.find("failure") is None for case in suite], [False, False, True])
        held = opsight_cli.run("compare", self.base, self.base, "--fail-if", "iteration_time > 0%", "--strict")
        self.assertEqual(held.stderr, "")
        self.assertIn("percentage", self.compare(self.base, self.new, "--fail-if", "iteration_time > 3", code=2))
        self.assertIn("holds nothing", self.compare(self.base, self.new, "--fail-if", "op:x gpu_time > 3%", code=1))
        self.assertIn("--fail-if", self.compare(self.base, self.new, "--strict", code=2))

    # Of two whole recordings no difference stands against noise: a limit that one is over would hold for ever.
    def test_a_limit_that_nothing_can_judge_does_not_hold(self):
        junit = os.path.join(self.folder, "unjudged.xml")
        whole = ("--whole-run", "--fail-if", "iteration_time > 3%")
        said = self.compare(self.base, self.new, *whole, "--junit", junit, code=1)
        self.assertIn("the limit 'iteration_time > 3%' cannot be judged: iteration time (+", said)
        case = xml.etree.ElementTree.parse(junit).find("testsuite/testcase/failure")
        self.assertTrue(case.text.startswith("cannot be judged: "), case.text)
        self.compare(self.new, self.base, *whole)
        self.compare(self.base, self.new, *whole, "--strict", code=3)

    def test_repeated_runs(self):
        base = [self.write(f"base{by}.json", slowed(tiny_trace.trace(steps=9), "relu_kernel(float*)", by)) for by in range(5)]
        new = [self.write(f"new{by}.json", slowed(tiny_trace.trace(steps=9), "relu_kernel(float*)", by)) for by in range(10, 15)]
        answer = json.loads(self.compare("--base", *base, "--new", *new, "--json"))
        self.assertEqual((answer["verdict"], answer["base_median_ns"], answer["new_median_ns"]), ("real", 102000, 112000))
        self.assertEqual((answer["base"], answer["new"]), (base[2], new[2]))
        self.assertIn("slower, and that stands against the noise", answer["notes"][0])
        self.assertEqual([row["median_ns"] for row in answer["runs"] if row["side"] == "base"],
                         [100000, 101000, 102000, 103000, 104000])
        self.assertIn("over the limit", self.compare("--base", *base, "--new", *new, "--fail-if", "iteration_time > 5%", code=3))
        # Nine and nine iterations of one run differ without a doubt; runs of one program may differ by more than that.
        self.assertEqual(json.loads(self.compare(base[0], base[4], "--json"))["verdict"], "run to run")
        self.assertEqual(json.loads(self.compare(base[0], new[0], "--json"))["verdict"], "real")
        self.compare(base[0], base[4], "--fail-if", "iteration_time > 3%")
        mixed = self.compare("--base", *base, "--new", *reversed(base), "--json", "--fail-if", "iteration_time > 0%", "--strict")
        self.assertEqual(json.loads(mixed)["verdict"], "equal")
        self.assertIn("--new C D", self.compare("--base", *base, code=2))
        self.assertIn("excludes", self.compare(self.base, self.new, "--base", *base, code=2))

    def test_causes_and_launches(self):
        answer = json.loads(self.compare(self.base, self.new, "--json"))
        causes = {row["kind"]: row for row in answer["causes"]}
        self.assertEqual(causes["slower"]["gpu_difference_ns"], 5000)
        self.assertIn("aten::relu", causes["slower"]["text"])
        self.assertIn("\nWhy\n  slower: the same work, slower: +5.000 µs of work on the device in 1 op, aten::relu\n",
                      self.compare(self.base, self.new))
        wide = tiny_trace.trace(steps=9)
        for event in wide["traceEvents"]:
            if event["name"].startswith("relu_kernel"):
                event["args"]["grid"] = [8, 1, 1]
        launches = json.loads(self.compare(self.base, self.write("wide.json", wide), "--report", "kernel", "--json"))["launches"]
        grids = {row["kernel"]: (row["base_grid"], row["new_grid"], row["base_block"]) for row in launches}
        self.assertEqual(grids["relu_kernel"], ("4 x 1 x 1", "8 x 1 x 1", "128 x 1 x 1"))
        self.assertIn("use all or kernel", self.compare(self.base, self.new, "--report", "ops", code=2))

    def test_what_was_planted_is_named_first(self):
        base = self.write("planted.json", planted())
        def first(**what):
            return json.loads(self.compare(base, self.write("planted_new.json", planted(**what)), "--json"))
        slower = first(slower=1.07)
        self.assertEqual(slower["causes"][0]["kind"], "slower")
        self.assertIn("aten::layer_norm in /Block_3", slower["causes"][0]["text"])
        self.assertEqual([slower[level][0]["kind"] for level in ("layers", "ops", "kernels")], ["slower"] * 3)
        self.assertEqual((slower["kernels"][0]["kernel"], slower["kernels"][0]["verdict"]), ("vectorized_kernel", "real"))
        gone = first(without=True)
        self.assertEqual(gone["causes"][0]["kind"], "removed_ops")
        self.assertIn("aten::gelu in /Block_1", gone["causes"][0]["text"])
        self.assertEqual((gone["ops"][0]["kind"], gone["ops"][0]["op"]), ("removed", "aten::gelu"))
        shape = first(rows=128)
        self.assertEqual(shape["causes"][0]["kind"], "shape")
        self.assertIn("aten::linear in /Block_1 ([[64,64],[64,64]] -> [[128,64],[64,64]])", shape["causes"][0]["text"])
        self.assertEqual((shape["ops"][0]["kind"], shape["ops"][0]["gpu_difference_ns"]), ("other shape", 0))
        renamed = first(name="Stage_0")
        self.assertEqual([row["text"] for row in renamed["causes"]], ["layers of another name: /Block_2 -> /Stage_0"])
        self.assertEqual((renamed["layers"][0]["kind"], renamed["layers"][0]["new_layer"]), ("renamed", "/Stage_0"))
        self.assertEqual({row["kind"] for row in renamed["ops"]}, {"same work"})
        outlier = first(outlier=6)
        self.assertEqual((outlier["verdict"], outlier["caveats"][0]["kind"], outlier["causes"][0]["kind"]), ("noise", "outlier", "outlier"))
        self.assertIn("iteration 6 of the new run is far longer", outlier["causes"][0]["text"])

    def test_per_sample(self):
        answer = json.loads(self.compare(self.base, self.new, "--per-sample", "5", "10", "--json"))
        self.assertEqual((answer["base_median_ns"], answer["new_median_ns"]), (20000, 10500))
        self.assertEqual(sum(row["difference_ns"] or 0 for row in answer["budget"]), answer["mean_difference_ns"])
        self.assertIn("of an item (5 an iteration before, 10 after)", answer["notes"][0])
        self.compare(self.base, self.new, "--per-sample", "0", "1", code=2)

    def test_a_new_problem(self):
        waits = tiny_trace.trace(steps=9)
        late = 0.0
        for event in sorted(waits["traceEvents"], key=lambda each: each["ts"]):
            event["ts"] += late
            if event["name"].startswith("ProfilerStep"):
                begin = event["ts"]
                waits["traceEvents"].append(tiny_trace.span("cuda_runtime", "cudaDeviceSynchronize", 1, begin + 92, 200))
                event["dur"] += 200
                late += 200
        new = self.write("waits.json", waits)
        held = json.loads(self.compare(self.base, self.base, "--fail-if", "finding:new", "--json"))
        self.assertEqual(held["limits"][0]["held"], True)
        self.assertEqual(held["findings"], [])
        self.assertIn("over the limit 'finding:new': new problem (", self.compare(self.base, new, "--fail-if", "finding:new", code=3))

    def test_pictures(self):
        picture = self.compare(self.base, self.new, "--format", "svg")
        self.assertEqual(xml.etree.ElementTree.fromstring(picture).tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn("Other kernels: +5", picture)
        self.assertIn("Other kernels: +5", self.compare(self.base, self.new, "--format", "html"))

    def test_unlike_sides(self):
        """Other producers, a CPU beside a GPU, no iterations, no ops: a comparison that says so, or a reason."""
        def only(name, keep, **more):
            trace = tiny_trace.trace(steps=9)
            trace["traceEvents"] = [event for event in trace["traceEvents"] if event["cat"] in keep]
            return self.write(name, {**trace, **more})
        host = only("host.json", ("user_annotation", "cpu_op"))
        answer = json.loads(self.compare(self.base, host, "--json"))
        self.assertIn("device_work", {row["kind"] for row in answer["caveats"]})
        self.assertEqual(answer["measure"], "cpu_time")
        self.assertTrue(all(row["new_gpu_ns"] is None for row in answer["ops"]))
        loose = only("loose.json", ("cpu_op", "cuda_runtime", "kernel"))
        self.assertEqual(sum(row["difference_ns"] or 0 for row in json.loads(self.compare(self.base, loose, "--json"))["budget"]),
                         json.loads(self.compare(self.base, loose, "--json"))["mean_difference_ns"])
        bare = only("bare.json", ("user_annotation", "cuda_runtime", "kernel"))
        answer = json.loads(self.compare(self.base, bare, "--json"))
        self.assertIn("ops", {row["kind"] for row in answer["caveats"]})
        nothing = self.write("nothing.json", {"schemaVersion": 1, "traceEvents": []})
        self.assertRegex(self.compare(self.base, nothing, code=1), "nothing")
        other = os.path.join(os.environ.get("OPSIGHT_CORPUS", ""), "nsys-sqlite", "extrap__concurrent_profile16.sqlite")
        if os.path.exists(other):
            answer = json.loads(self.compare(self.base, other, "--json"))
            self.assertIn("other_producer", {row["kind"] for row in answer["caveats"]})
            self.assertEqual(sum(row["difference_ns"] or 0 for row in answer["budget"]), answer["mean_difference_ns"])

    def test_output_is_a_new_file(self):
        path = os.path.join(self.folder, "answer.md")
        self.assertEqual(self.compare(self.base, self.new, "--format", "markdown", "-o", path), path + "\n")
        self.assertIn("answer.md", self.compare(self.base, self.new, "-o", path, code=1))
        self.compare(self.base, self.new, "-o", path, "--force")

    def test_refusals(self):
        self.assertIn("xml", self.compare(self.base, self.new, "--format", "xml", code=2))
        self.assertIn("nothing.opsight", self.compare(self.base, os.path.join(self.folder, "nothing.opsight"), code=1))
        self.assertIn("NEW", self.compare(self.base, code=2))
        text = self.write("text.txt", "no trace")
        self.assertIn("text.txt", self.compare(text, self.new, code=1))


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class RealPairs(unittest.TestCase):
    def compare(self, folder, base, new):
        paths = (os.path.join(CORPUS, folder, name) for name in (base, new))
        return json.loads(opsight_cli.run("compare", *paths, "--json", "--limit", "0").stdout)

    def test_layers_of_an_engine_go_with_those_that_do_the_same(self):
        answer = self.compare("tensorrt/pytorch/resnet/A100", "fp16/resnet.onnx.engine.profile.json",
                              "qat/resnet-qat.onnx.engine.profile.json")
        pairs = {row["base_layer"]: (row["new_layer"], row["base_gpu_ns"], row["new_gpu_ns"])
                 for row in answer["layers"] if row["base_layer"] and row["new_layer"]}
        self.assertEqual(pairs["/Conv_0"], ("/Conv_9", 111616, 201728))
        self.assertEqual(pairs["/MaxPool_2"], ("/MaxPool_12", 62464, 95232))
        self.assertEqual(pairs["/Conv_3"], ("/Conv_22", 53248, 32768))
        self.assertEqual(pairs["/GlobalAveragePool_46"], ("/GlobalAveragePool_246", 9216, 11264))
        self.assertEqual(pairs["/Gemm_48"], ("/Gemm_257", 11264, 13312))
        for base, (new, _, _) in pairs.items():
            self.assertEqual(base.rstrip("0123456789"), new.rstrip("0123456789"))
        added = [row["new_layer"] for row in answer["layers"] if row["kind"] == "added"]
        self.assertEqual(sum("QuantizeLinear" in name for name in added if name.count("+") == 0), 10)

    def test_three_short_waits_are_not_more_than_a_long_one(self):
        answer = self.compare("kineto/pytorch-benchmark", "trace.json", "trace2.json")
        self.assertEqual([row["kind"] for row in answer["causes"]],
                         ["other_copies", "less_overlap", "host_ops", "host", "less_synchronization"])
        self.assertEqual(answer["causes"][-1]["wall_difference_ns"], -30476500)


if __name__ == "__main__":
    unittest.main()
