"""Counted work of the corpus' profiles against closed forms and the networks' known sizes."""
import json
import math
import os
import re
import tempfile
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "kineto")

# Multiply-adds of one image without bias, as public counters agree (tests/golden/test_estimate.py).
RESNET50_MACS, RESNET50_CLASSIFIER_MACS = 4089184256, 2048 * 1000
# ResNet-18 with its strides, fewer the max pool that the traced variant keeps: convolutions alone.
RESNET18_CONVOLUTION_MACS = 1814073344 - 512 * 1000


@unittest.skipIf(CORPUS is None, "no corpus")
class ProfileWork(unittest.TestCase):
    def report(self, name, *source):
        with tempfile.TemporaryDirectory() as folder:
            profile = os.path.join(folder, "p.opsight")
            opsight_cli.run("import", os.path.join(CORPUS, *source), "-o", profile)
            return json.loads(opsight_cli.run("report", profile, "--report", name, "--all-iterations",
                                              "--json").stdout)[name]

    def roofline(self, *trace):
        return self.report("roofline", "kineto", *trace)

    def rows(self, report, name="roofline"):
        return report[name]

    def test_vision_transformer_equals_its_closed_form(self):
        report = self.roofline("tracelens", "h100__Falconsai_nsfw_image_detection__1016002.json.gz")
        products = ("aten::addmm", "aten::cudnn_convolution", "aten::_flash_attention_forward")
        counted = {name: sum(row["flops"] for row in self.rows(report) if row["op_name"] == name)
                   for name in products}
        batch, tokens, width, hidden = 4, 197, 768, 3072
        rows = batch * tokens
        # Four projections and two linear layers in each of 12 blocks, and the pooler, which sees one token. A
        # bias is one multiply-add for each output.
        block = 2 * rows * width * (4 * width + 2 * hidden) + 2 * rows * (4 * width + hidden + width)
        pooler = 2 * batch * width * (width + 1)
        self.assertEqual(counted["aten::addmm"], 12 * block + pooler)
        self.assertEqual(counted["aten::cudnn_convolution"], 2 * batch * 196 * width * 3 * 16 * 16)
        scores = 12 * batch * 12 * tokens * tokens
        self.assertEqual(counted["aten::_flash_attention_forward"], scores * (4 * 64 + 6))

    def test_resnet50_in_training(self):
        report = self.roofline("kineto-tb", "resnet50_nw0_a__worker0.1623143089861.pt.trace.json.gz")
        forward = [row for row in self.rows(report) if row["op_name"] == "aten::cudnn_convolution"]
        flops = sum(row["flops"] for row in forward)
        image = 2 * (RESNET50_MACS - RESNET50_CLASSIFIER_MACS)
        self.assertEqual(flops % (32 * image), 0)
        self.assertEqual(flops // (32 * image), 6)  # iterations

    def test_resnet18_in_training(self):
        report = self.roofline("tracelens", "mi300__ddp_resnet18_no_pool__train_resnet18.json.gz")
        forward = sum(row["flops"] for row in self.rows(report) if row["op_name"] == "aten::miopen_convolution")
        backward = sum(row["flops"] for row in self.rows(report) if row["op_name"] == "aten::convolution_backward")
        first_layer = 2 * 512 * 64 * 112 * 112 * 3 * 49  # needs no gradient of its data
        steps = forward // (512 * 2 * RESNET18_CONVOLUTION_MACS)
        self.assertEqual(forward, steps * 512 * 2 * RESNET18_CONVOLUTION_MACS)
        self.assertEqual(backward, 2 * forward - steps * first_layer)

    def test_resnet50_of_onnx_runtime(self):
        report = self.report("roofline", "ort", "generated__ort1.30.0_resnet50_light_optall.json")
        products = [row for row in self.rows(report) if row["op_name"] in ("Conv", "Gemm")]
        # A bias is one multiply-add for each output.
        bias = sum(row["flops"] for row in products) - 10 * 2 * RESNET50_MACS
        self.assertGreater(bias, 0)
        self.assertLess(bias, 0.01 * 10 * 2 * RESNET50_MACS)
        self.assertTrue(all(row["spans"] > 0 for row in self.rows(report, "uncounted")))

    def test_convolutions_of_onednn_by_their_problems(self):
        name = "generated__torch1.13_onednn2.6_resnet18_train_v1.log"
        wanted = 0
        with open(os.path.join(CORPUS, "onednn", name), encoding="utf-8") as log:
            for line in log:
                if ",exec,cpu,convolution," not in line:
                    continue
                size = {key: int(value) for key, value in re.findall(r"([a-z]+)(\d+)", line.split(",")[-2])}
                wanted += 2 * math.prod(size[key] for key in ("mb", "oc", "oh", "ow", "ic", "kh", "kw"))
        report = self.report("roofline", "onednn", name)
        self.assertEqual(sum(row["flops"] or 0 for row in self.rows(report)), wanted)
        self.assertEqual(self.rows(report, "uncounted"), [])

    def test_an_int8_convolution_of_tensorrt_without_tensor_cores_could_use_them(self):
        summary = self.report("summary", "tensorrt", "pytorch", "resnet", "A100", "qat")
        kernels = self.report("kernel", "tensorrt", "pytorch", "resnet", "A100", "qat")
        products = [row for row in kernels if row["op_name"] == "trt::convolution"]
        using = sum(row["total_gpu_time_ns"] for row in products if row["uses_tc"] == "yes")
        share = 100 * using / sum(row["total_gpu_time_ns"] for row in products)
        self.assertLess(share, 80)
        self.assertAlmostEqual(summary["tensor_core_efficiency_pct"], share)

    def test_what_is_faster_than_its_bound_is_explained(self):
        for trace in (("kineto-tb", "resnet50_nw0_a__worker0.1623143089861.pt.trace.json.gz"),
                      ("tracelens", "mi300__ddp_resnet18_no_pool__train_resnet18.json.gz")):
            report = self.roofline(*trace)
            fast = [row for row in self.rows(report) if (row["efficiency_pct"] or 0) > 100]
            self.assertTrue(fast)
            for row in fast:
                self.assertIn("faster than its bound", row["remarks"], row["op_name"])

    def test_time_is_counted_or_listed(self):
        report = self.roofline("hta", "trace_filter__sampled_rank-0.json.gz")
        rows = self.rows(report)
        counted = sum(row["work_time_ns"] or 0 for row in rows)
        missing = sum(row["time_ns"] for row in self.rows(report, "uncounted"))
        self.assertEqual(counted + missing, sum(row["time_ns"] for row in rows))
        self.assertGreater(counted, missing, "sizes of its collectives are told")
        self.assertGreater(missing, 0)


if __name__ == "__main__":
    unittest.main()
