// For tests: throughputs that others measured and published, with where. All on inputs of one size, for
// results on sequences of many lengths (BERT, GPT-J and RNN-T of MLPerf Inference) say nothing about one; of
// Llama 2 70B the tokens that were generated, each of which takes a token's products at least.
#pragma once

#include "hardware/precision.h"

namespace opsight::cost {

enum class PublishedNetwork : uint8_t { kResNet50, kBert128, kBert512, kLlama70BToken };

struct Published {
    PublishedNetwork network;
    const char* device;
    double count;  // of devices
    hardware::Precision format;
    bool train;
    double
        batch;  // where the source does not tell: a usual one; at these sizes the bound hardly depends on it
    double samples_per_s;
    const char* source;
};

// mlcommons/inference_results_vX.Y on GitHub,
// closed/NVIDIA/results/SYSTEM/resnet50/Offline/performance/run_1/ mlperf_log_summary.txt, "Samples per
// second"; v0.5: resnet instead of resnet50. INT8.
#define MLPERF(version, system) "mlcommons/inference_results_v" version ", " system
// NVIDIA/DeepLearningExamples on GitHub.
constexpr const char* kResNetExamples = "PyTorch/Classification/ConvNets/resnet50v1.5/README.md";
constexpr const char* kBertExamples = "TensorFlow/LanguageModeling/BERT/README.md, pre-training, single node";

// TensorFlow's tf_cnn_benchmarks; their ResNet-50 has a little less work than this one.
constexpr const char* kLambda = "https://lambdalabs.com/blog/2080-ti-deep-learning-benchmarks";
// By the ratios that it gives: of RTX 2080 Ti in FP16 to FP32, 1.59, and to GTX 1080 Ti in FP16, 1.72 on
// average.
constexpr const char* kLambdaRatios = kLambda;
constexpr const char* kServerGear =
    "https://server-gear.com/blog/post/rtx4090-x4-exhaustive-tf-cnn-benchmarks";

// Offline results of MLPerf Inference v4.1, as an article gives them.
constexpr const char* kFirstBlackwell =
    "https://worldnl.com/nvidia-publishes-first-blackwell-b200-mlperf-results-up-to-4x-faster-than-its-h100-"
    "predecessor-when-31162.html";
constexpr const char* kMangoBoost = "https://tekmono.com/?p=498 on MLPerf Inference v5.0, 32 MI300X";
constexpr const char* kAzure =
    "https://techcommunity.microsoft.com/blog/azurehighperformancecomputingblog/"
    "azure%E2%80%99s-nd-gb200-v6-delivers-record-performance-for-inference-workloads/4399253";

using enum PublishedNetwork;
using enum hardware::Precision;

constexpr Published kPublished[] = {
    {kResNet50, "h100-sxm", 1, kInt8, false, 2048, 88526, MLPERF("3.1", "DGX-H100_H100-SXM-80GBx1_TRT")},
    {kResNet50, "h100-sxm", 1, kInt8, false, 2048, 81292.2, MLPERF("2.1", "H100-SXM-80GBx1_TRT")},
    {kResNet50, "h100-pcie", 1, kInt8, false, 2048, 56635, MLPERF("3.0", "H100-PCIe-80GBx1_TRT")},
    {kResNet50, "a100-80", 1, kInt8, false, 2048, 39830.1, MLPERF("1.1", "DGX-A100_A100-SXM-80GBx1_TRT")},
    {kResNet50, "a100-80-pcie", 1, kInt8, false, 2048, 39814.4, MLPERF("2.1", "A100-PCIe-80GBx1_TRT")},
    {kResNet50, "a100-80-pcie", 1, kInt8, false, 2048, 36905.1, MLPERF("1.1", "A100-PCIe-80GBx1_TRT")},
    {kResNet50, "a100-40-pcie", 1, kInt8, false, 2048, 31063.5, MLPERF("1.0", "A100-PCIex1_TRT")},
    {kResNet50, "a10", 1, kInt8, false, 1024, 13805.2, MLPERF("1.1", "A10x1_TRT")},
    {kResNet50, "l4", 1, kInt8, false, 32, 13157.8, MLPERF("3.0", "L4x1_TRT")},
    {kResNet50, "l4", 1, kInt8, false, 32, 12881.7, MLPERF("3.1", "L4x1_TRT")},
    {kResNet50, "gh200", 1, kInt8, false, 2048, 93198.3,
     MLPERF("3.1", "GH200-GraceHopper-Superchip_GH200-96GB_aarch64x1_TRT")},
    {kResNet50, "a30", 1, kInt8, false, 1024, 18265, MLPERF("1.1", "A30x1_TRT")},
    {kResNet50, "a30", 1, kInt8, false, 1024, 18072.9, MLPERF("2.0", "A30x1_TRT")},
    {kResNet50, "a2", 1, kInt8, false, 1024, 3036.57, MLPERF("2.0", "A2x1_TRT")},
    {kResNet50, "xeon-8380", 2, kInt8, false, 256, 4223.33,
     "mlcommons/inference_results_v1.1, closed/Intel, 1-node-2S-ICX-OpenVINO-INT8"},
    {kResNet50, "xeon-8380", 2, kInt8, false, 256, 4103.45,
     "mlcommons/inference_results_v1.1, closed/Intel, 1-node-2S-ICX-PyTorch-INT8"},
    {kResNet50, "titan-rtx", 4, kInt8, false, 512, 66250.4, MLPERF("0.5", "TitanRTXx4")},
    {kResNet50, "t4", 8, kInt8, false, 128, 44977.8, MLPERF("0.5", "T4x8")},
    {kResNet50, "t4", 8, kInt8, false, 128, 48897.8, MLPERF("0.7", "T4x8_TRT")},
    {kResNet50, "a100-80", 1, kFp16, true, 256, 2470, kResNetExamples},
    {kResNet50, "a100-80", 8, kFp16, true, 256, 16621, kResNetExamples},
    {kResNet50, "a100-80", 1, kFp32, true, 256, 938, kResNetExamples},
    {kResNet50, "v100-sxm2", 1, kFp16, true, 256, 1200, kResNetExamples},
    {kResNet50, "v100-sxm2", 1, kFp32, true, 128, 367, kResNetExamples},
    {kResNet50, "v100-sxm2", 1, kFp16, false, 256, 3382, kResNetExamples},
    {kResNet50, "v100-sxm2", 1, kFp32, false, 256, 1261, kResNetExamples},
    {kResNet50, "v100-sxm2", 1, kFp16, false, 1, 78, kResNetExamples},
    {kResNet50, "t4", 1, kFp16, false, 256, 1198, kResNetExamples},
    {kResNet50, "t4", 1, kFp32, false, 64, 428, kResNetExamples},
    {kResNet50, "gtx-1080-ti", 1, kFp32, true, 64, 209, kLambda},
    {kResNet50, "gtx-1080-ti", 1, kFp16, true, 64, 294 * 1.59 / 1.72, kLambdaRatios},
    {kResNet50, "titan-xp", 1, kFp32, true, 64, 236, kLambda},
    {kResNet50, "titan-v", 1, kFp32, true, 64, 300, kLambda},
    {kResNet50, "rtx-2080", 1, kFp32, true, 64, 213, kLambda},
    {kResNet50, "rtx-2080-ti", 1, kFp32, true, 64, 294, kLambda},
    {kResNet50, "rtx-2080-ti", 1, kFp16, true, 64, 294 * 1.59, kLambdaRatios},
    {kResNet50, "rtx-3090", 1, kFp16, true, 512, 1205.02, kServerGear},
    {kResNet50, "rtx-4090", 1, kFp16, true, 256, 1776.41, kServerGear},
    {kResNet50, "rtx-4090", 1, kFp16, false, 374, 4455.73,
     "https://docs.aigate.cc/selectGPU/PerformanceBenchmarking.html"},
    {kBert128, "a100-40", 1, kFp16, true, 64, 356.845, kBertExamples},
    {kBert128, "a100-40", 1, kFp32, true, 64, 238.1, kBertExamples},
    {kBert512, "a100-40", 1, kFp16, true, 16, 70.856, kBertExamples},
    {kBert512, "a100-40", 1, kFp32, true, 8, 39.96, kBertExamples},
    {kBert128, "v100-sxm2", 1, kFp16, true, 64, 188.04, kBertExamples},
    {kBert128, "v100-sxm2", 16, kFp32, true, 32, 761.92, kBertExamples},
    {kBert512, "v100-sxm2", 1, kFp16, true, 8, 35.32, kBertExamples},
    {kBert512, "v100-sxm2", 1, kFp32, true, 8, 11.67, kBertExamples},
    {kLlama70BToken, "mi325x", 8, kFp8, false, 2048, 33928.1,
     MLPERF("5.0", "summary_results.json: closed, AMD, 8xMI325X_2xEPYC_9575F, llama2-70b-99, Offline")},
    {kLlama70BToken, "mi300x", 8, kFp8, false, 2048, 8840.42,
     MLPERF("5.1", "summary_results.json: closed, AMD, 8xMI300X_2xEPYC_9575F, llama2-70b-99, Interactive")},
    {kLlama70BToken, "mi300x", 32, kFp8, false, 2048, 103182, kMangoBoost},
    {kLlama70BToken, "mi355x", 87, kFp4, false, 2048, 785522,
     MLPERF("6.0", "summary_results.json: closed, AMD, 87xMI355X_22xEPYC_9575F, llama2-70b-99, Interactive")},
    {kLlama70BToken, "b200", 1, kFp4, false, 2048, 11264, kFirstBlackwell},
    {kLlama70BToken, "h200", 1, kFp8, false, 2048, 4488, kFirstBlackwell},
    {kLlama70BToken, "h200", 8, kFp8, false, 2048, 32124, kFirstBlackwell},
    {kLlama70BToken, "h100-sxm", 4, kFp8, false, 2048, 10700, kFirstBlackwell},
    {kLlama70BToken, "gb200", 72, kFp4, false, 2048, 865000, kAzure},
};
#undef MLPERF

}  // namespace opsight::cost
