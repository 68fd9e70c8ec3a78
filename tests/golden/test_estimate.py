"""Estimates of networks against other tools' counts, and against what is known of the corpus' models."""
import csv
import json
import os
import tempfile
import unittest
from xml.etree import ElementTree

import opsight_cli

GOLDEN = opsight_cli.shared_folder("golden", "flops")
CORPUS = opsight_cli.shared_folder("corpus", "onnx")

# Multiply-adds of convolutions, linear layers and matrix products without bias, on which calflops (CNNs) and
# fvcore (ViT, but for the projection that it leaves out) agree.
MACS = {"alexnet": 714188480, "vgg16": 15470264320, "resnet50": 4089184256, "mobilenet_v2": 300774272,
        "googlenet": 1498376192, "vit_b_16": 17563828224}
# Where batch normalisation is folded into convolutions, each channel has one bias instead of weight and bias.
FOLDED = {"resnet50", "mobilenet_v2", "googlenet"}


def estimate(path, *options):
    return json.loads(opsight_cli.run("estimate", path, "--json", *options).stdout)


@unittest.skipIf(GOLDEN is None, "no golden numbers")
class OtherCounters(unittest.TestCase):
    def path(self, name):
        return os.path.join(GOLDEN, "flops", "onnx", name + ".noweights.onnx")

    def test_multiply_adds_are_those_that_other_counters_agree_on(self):
        for name, macs in MACS.items():
            with self.subTest(name):
                total = estimate(self.path(name))["total"]
                self.assertEqual(total["macs"], macs)
                self.assertEqual(total["uncounted"], [])

    def test_parameters(self):
        with open(os.path.join(GOLDEN, "flops", "summary.csv"), encoding="utf-8") as file:
            known = {row["model"]: int(row["params"]) for row in csv.DictReader(file) if row["tool"] == "torch"}
        for name in MACS:
            with self.subTest(name):
                result = estimate(self.path(name), "--unfused")
                parameters = result["total"]["parameters"]
                if name in FOLDED:
                    channels = sum(int(layer["output_shape"].split("x")[1]) for layer in result["layers"]
                                   if layer["op_type"] == "Conv")
                    parameters += channels
                self.assertEqual(parameters, known[name])

    def test_every_layer(self):
        """Convolutions and linear layers of the CNNs, in their order, as fvcore and thop count them."""
        for name in MACS:
            if name == "vit_b_16":
                continue
            with open(os.path.join(GOLDEN, "flops", "consensus", name + ".csv"), encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["thop_agrees"] == "1"]
            layers = [layer for layer in estimate(self.path(name), "--unfused")["layers"]
                      if layer["op_type"] in ("Conv", "Gemm")]
            with self.subTest(name):
                self.assertEqual(sorted(layer["macs"] for layer in layers),
                                 sorted(int(row["macs_fvcore_no_bias"]) for row in rows))
                self.assertEqual(sum(layer["output_bytes"] for layer in layers),
                                 sum(int(row["out_bytes_fp32"]) for row in rows))


@unittest.skipIf(CORPUS is None, "no corpus")
class CorpusModels(unittest.TestCase):
    def path(self, name):
        return os.path.join(CORPUS, "onnx", name)

    def test_every_model_is_read(self):
        for name in sorted(os.listdir(os.path.join(CORPUS, "onnx"))):
            if name.endswith(".onnx"):
                with self.subTest(name):
                    self.assertTrue(estimate(self.path(name))["layers"])

    def test_published_sizes(self):
        # SqueezeNet 1.0 and VGG-19 of their papers; AlexNet with two groups (Krizhevsky 2012).
        self.assertEqual(estimate(self.path("onnx-light__squeezenet.onnx"))["total"]["parameters"], 1235496)
        vgg = estimate(self.path("onnx-light__vgg19.onnx"))["total"]
        self.assertEqual((vgg["parameters"], vgg["macs"]), (143667240, 19632062464))
        self.assertEqual(estimate(self.path("onnx-light__bvlc_alexnet.onnx"))["total"]["parameters"], 60965224)

    def test_a_model_of_its_own_counts_alone(self):
        total = estimate(self.path("onnx-extended__tree_ensemble_custom_domain.onnx"))["total"]
        self.assertEqual(total["uncounted"], ["1 x TreeEnsembleRegressorSparse"])
        self.assertEqual((total["complete"], total["flops"], total["intensity"]), (False, None, None))
        text = opsight_cli.run("estimate", self.path("onnx-extended__tree_ensemble_custom_domain.onnx"),
                               "--device", "l4").stdout
        self.assertRegex(text, r"FLOPs +not known")
        self.assertRegex(text, r"FLOP/B +not known")
        # Of the two numbers that come and go around the ensemble.
        self.assertEqual((total["bytes_min"], total["peak_memory_bytes"]), (8, 8))
        for fact in (r"Bytes \(compulsory\)", "Peak memory"):
            self.assertRegex(text, fact + " +at least 8 B")

    def test_what_a_change_would_buy_is_unknown_where_the_work_is(self):
        path = self.path("onnx-extended__tree_ensemble_custom_domain.onnx")
        text = opsight_cli.run("estimate", path, "--device", "h100-sxm").stdout
        section = text[text.index("What It Would Buy"):]
        self.assertNotRegex(section, r"\b0 ns\b")
        self.assertNotRegex(section, r"\b65 B\b")

    def test_facts_are_written_for_people(self):
        for name in ("ort-examples__mnist.onnx", "onnx-light__resnet50.onnx"):
            text = opsight_cli.run("estimate", self.path(name), "--device", "h100-sxm").stdout
            self.assertNotRegex(text, r"\d[eE][+-]\d", name)
            self.assertNotRegex(text, r"\d us\b", name)
            self.assertLessEqual(max(map(len, text.splitlines())), 100, name)

    def test_recurrent_layers_and_padding_of_a_voice_detector(self):
        result = estimate(self.path("silero_vad.onnx"), "--shape", "input=1x576", "--unfused")
        self.assertEqual(result["total"]["uncounted"], [])
        self.assertIn("LSTM", [layer["op_type"] for layer in result["layers"]])

    def test_no_layer_is_drawn_above_the_peak(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "roof.svg")
            estimate(self.path("onnx-light__vgg19.onnx"), "--device", "rtx-4090", "--dtype", "fp16", "--picture", picture)
            name = "{http://www.w3.org/2000/svg}"
            chart = ElementTree.parse(picture).findall(f"{name}g")[0]
            roofs = [line for line in chart.iter(f"{name}polyline") if "products" in line.find(f"{name}title").text]
            self.assertIn("330", roofs[0].find(f"{name}title").text)
            top = float(roofs[0].get("points").split()[0].split(",")[1])
            for point in chart.iter(f"{name}circle"):
                self.assertGreaterEqual(float(point.get("cy")), top - 2)  # elementwise work beside the product

    def test_figures_without_a_source_are_said(self):
        result = estimate(self.path("onnx-light__resnet50.onnx"), "--device", "gaudi2", "--dtype", "bf16")
        self.assertTrue(any("no source gives" in note and "matrix peak in bf16" in note for note in result["notes"]))

    def test_a_processor_multiplies_bytes(self):
        """MLPerf Inference v1.1: two of them did 4223 images a second (ResNet-50, INT8, Offline)."""
        result = estimate(self.path("onnx-light__resnet50.onnx"), "--device", "xeon-8380", "--dtype", "int8",
                          "--batch", "256")
        self.assertGreater(result["total"]["throughput"], 4223.33 / 2)

    def test_a_picture(self):
        """No layer is drawn above the roof: rate at most intensity times bandwidth."""
        model = self.path("onnx-light__squeezenet.onnx")
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "roof.svg")
            estimate(model, "--device", "l4", "--dtype", "fp16", "--picture", picture)
            tree = ElementTree.parse(picture)
            name = "{http://www.w3.org/2000/svg}"
            chart = tree.findall(f"{name}g")[0]
            points = [(float(c.get("cx")), float(c.get("cy"))) for c in chart.iter(f"{name}circle")]
            self.assertGreater(len(points), 20)
            memory = [line for line in chart.iter(f"{name}polyline") if "memory" in line.find(f"{name}title").text][0]
            (x0, y0), (x1, y1) = [tuple(map(float, p.split(","))) for p in memory.get("points").split()]
            for x, y in points:
                self.assertGreaterEqual(y, y0 + (x - x0) * (y1 - y0) / (x1 - x0) - 0.2)  # y grows downwards
            again = opsight_cli.run("estimate", model, "--device", "l4", "--picture", picture, check=False)
            self.assertIn("--force", again.stderr)
            without = opsight_cli.run("estimate", model, "--picture", picture, check=False)
            self.assertEqual(without.returncode, 2)

    def graph(self, name):
        return os.path.join(CORPUS, "graphdef", name)

    def test_graphs_of_tensorflow(self):
        """ResNet-50 with its stride in the last unit of each block, as TensorFlow's slim models have it; an LSTM of
        128 units over 28 steps of 28 values, (28 + 128) * 4 * 128 each, and its 10 classes; dense layers."""
        resnet = estimate(self.graph("oneapi__amx_bf16_saved_model.pb"))["total"]
        self.assertEqual((resnet["macs"], resnet["uncounted"]), (3480217600, []))
        macs = {"fc-layers": 784 * 256 + 256 * 256 + 256 * 10,
                "ae0": 784 * 256 + 256 * 128 + 128 * 128 + 128 * 784}
        for name, count in macs.items():
            with self.subTest(name):
                self.assertEqual(estimate(self.graph(f"tf2onnx__{name}_frozen.pb"))["total"]["macs"], count)
        lstm = estimate(self.graph("tf2onnx__lstm_frozen.pb"), "--shape", "keep_prob=1")["total"]
        self.assertEqual((lstm["macs"], lstm["uncounted"]), (28 * (28 + 128) * 4 * 128 + 128 * 10, []))

    def test_a_graph_of_tensorflow_without_shapes(self):
        name = self.graph("tf2onnx__regression_saved_model.pb")
        self.assertTrue(any("--shape 'X=" in note for note in estimate(name)["notes"]))
        total = estimate(name, "--shape", "X=8")["total"]
        self.assertEqual((total["flops"], total["uncounted"]), (16, []))  # W * X + b

    def test_a_training_graph_in_text(self):
        result = estimate(self.graph("zhacmsra__graph.pbtxt"))
        self.assertEqual(result["total"]["uncounted"], ["5 x SymbolicGradient"])
        self.assertTrue(any("leave --train away" in note for note in result["notes"]))

    def test_an_open_dimension(self):
        def macs(batch):
            return estimate(self.path("ort-examples__mnist_original.onnx"), "--dim", f"batch={batch}")["total"]["macs"]
        self.assertEqual(macs(7), 7 * macs(1))


if __name__ == "__main__":
    if GOLDEN is None or CORPUS is None:
        opsight_cli.say_skipped("estimates against other counters: no golden or corpus folder")
    unittest.main()
