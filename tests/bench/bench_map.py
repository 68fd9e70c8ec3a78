#!/usr/bin/env python3
"""Mappings evaluated each second on one core, against Timeloop 3.0.3 on the same architecture and layers: 373 and
278 valid ones each second (golden/timeloop/README.md)."""
import json
import os
import subprocess
import sys
import time

CASES = (("conv_small", "{N: 1, C: 16, K: 32, P: 14, Q: 14, R: 3, S: 3}", 373),
         ("alexnet_conv3", "{N: 1, C: 192, K: 384, P: 13, Q: 13, R: 3, S: 3}", 278))

bin_dir, folder = os.environ["OPSIGHT_BIN_DIR"], os.environ["BENCH_DIR"]
corpus = os.environ.get("OPSIGHT_CORPUS") or os.path.join(bin_dir, "..", "..", "..", "shared", "corpus")
arch = os.path.join(corpus, "timeloop", "eyeriss-256", "eyeriss-256.yaml")
if not os.path.exists(arch):
    print("skipped: no Timeloop files in OPSIGHT_CORPUS")
    sys.exit(0)
for name, problem, timeloop in CASES:
    path = os.path.join(folder, name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"problem: {problem}\n")
    tried, valid, seconds, proven, one_by_one = subprocess.run([os.path.join(bin_dir, "map_pass"), arch, path], check=True,
                                                   text=True, capture_output=True).stdout.split()
    print(f"bench\tmappings tried on one core, {name}\t{tried}\t/s\t-")
    print(f"bench\tvalid mappings on one core, {name}\t{valid}\t/s\t-")
    print(f"bench\tvalid mappings against Timeloop, {name}\t{float(valid) / timeloop:.0f}\tx\t>= 30")
    print(f"bench\tvalid mappings one after the other, {name}\t{one_by_one}\t/s\t-")
    print(f"bench\tthe same against Timeloop, {name}\t{float(one_by_one) / timeloop:.0f}\tx\t>= 30")
    if proven == "1":
        print(f"bench\tleast EDP proven on one core, {name}\t{seconds}\ts\t<= 10")
    else:
        print(f"bench\tleast EDP of {name}\tnot proven\t\t<= 10")
model = os.path.join(corpus, "onnx", "onnx-light__resnet50.onnx")
if os.path.exists(model):
    begin = time.monotonic()
    totals = json.loads(subprocess.run(
        [os.path.join(bin_dir, "opsight"), "map", model, "--arch", "eyeriss-256", "--threads", "2", "--format", "json"],
        check=True, text=True, capture_output=True).stdout)["totals"]
    print(f"bench\tResNet-50 on Eyeriss-256, all unique layers\t{time.monotonic() - begin:.1f}\ts\t<= 300")
    print(f"bench\tof its layers with a proof\t{totals['proven_layers']}\tof {totals['layers']}\t-")
