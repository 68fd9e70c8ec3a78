#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Result<query::Occurrences> layers(Context& c, const char* pattern) {
    return query::times_of_ops(c.session(), {.pattern = pattern, .device = true, .kernels = true});
}

constexpr const char* kReformats = "^trt::(reformat|cast)$";
constexpr const char* kQuantizes = "^trt::(quantize|dequantize)$";

// What is to change differs: layouts at the ends of the engine, or where the network is quantized.
std::string advice_for(bool quantizes) {
    return quantizes
               ? "A quantize layer of its own is one that TensorRT could not fuse: quantize both inputs "
                 "of residual additions, and the inputs of every layer between two quantized ones, so "
                 "that data stay in INT8."
               : "Give the engine its inputs, and take its outputs, in the type and layout that its "
                 "first and last layers work in.";
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::Occurrences all, layers(c, "^trt::"));
    if (all.count == 0) {
        c.cannot("no layers of a TensorRT engine were recorded");
        return {};
    }
    OPSIGHT_ASSIGN(const query::Occurrences quantizes, layers(c, kQuantizes));
    OPSIGHT_ASSIGN(const query::Occurrences reformats, layers(c, kReformats));
    query::TimeSpans both = query::united(quantizes.times, reformats.times);
    const double share = c.share_of(both);
    if (share < c.threshold("share")) return {};
    const int64_t quantize_ns = query::length_of(quantizes.times),
                  reformat_ns = query::length_of(reformats.times);
    Finding finding{"engine_conversions", "problem",
                    fmt::format("Layers that only convert data take {} of {}", percent(share), c.the_time())};
    finding.evidence =
        fmt::format("Quantize layers: {}, {}; reformat and cast layers: {}, {}.", quantizes.count,
                    c.time_of(quantize_ns), reformats.count, c.time_of(reformat_ns));
    finding.advice = advice_for(quantize_ns > reformat_ns);
    finding.lines = quantize_ns > reformat_ns
                        ? "out = quantizer(out) + quantizer(identity)  # Q/DQ on both inputs of the add"
                        : "trtexec --onnx=MODEL.onnx --fp16 --inputIOFormats=fp16:hwc8 "
                          "--outputIOFormats=fp16:chw";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(both);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule engine_conversions_rule() {
    return {
        .id = "engine_conversions",
        .looks_for = "layers of a TensorRT engine that only quantize, cast or change layouts",
        .needs = "the profile of an engine's layers (trtexec --exportProfile)",
        .thresholds = {{"share", 5, "% of the time of all layers", "below, little is to gain"}},
        .bound = "the time of these layers; another placing may need a conversion elsewhere",
        .confidence = "high for the time; that all of them can go is not said",
        .remedy = "Quantize where TensorRT can fuse it, and hand data over as the engine works on them.",
        .query =
            "SELECT op_name, layer, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE "
            "{range} AND regexp_matches(op_name, '^trt::(quantize|dequantize|reformat|cast)$') GROUP "
            "BY ALL ORDER BY ms DESC, op_name, layer LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, TensorRT quantization toolkit: where Q/DQ nodes fuse; NVIDIA/TensorRT#4039",
        .of_durations = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
