#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/rules/rules.h"
#include "query/reports/without_tensor_cores.h"

namespace opsight::advise {
namespace {

using query::EligibleTime;
using query::RunFacts;
using query::WithoutTensorCores;

// What Tensor Cores, or other types, could help.
struct Work {
    WithoutTensorCores by;
    EligibleTime all;
    int64_t left_out = 0;  // bound by memory, and of 16 bits or less already

    explicit Work(const WithoutTensorCores& found)
        : by(found), all(found.all()), left_out(found.narrow.memory_bound_ns()) {
        by.narrow.ns -= left_out;
        by.narrow.depthwise_ns = by.narrow.vector_ns = 0;
        all = by.all();
    }
    bool mostly(const EligibleTime& part) const { return 2 * part.ns > all.ns; }
    // Only of floats that are known to be wide: of others nobody knows that narrower ones help.
    int64_t wide_vectors_ns() const { return by.fp32.vector_ns + by.fp64.vector_ns; }
    int64_t wide_depthwise_ns() const { return by.fp32.depthwise_ns + by.fp64.depthwise_ns; }
    bool mostly_memory() const { return 2 * (wide_vectors_ns() + wide_depthwise_ns()) > all.ns; }
    bool mostly_vectors() const { return 2 * wide_vectors_ns() > all.ns; }
};

std::string forms_of(const Context& c, int64_t depthwise_ns, int64_t vector_ns) {
    std::vector<std::string> parts;
    if (depthwise_ns > 0) parts.push_back(c.time_of(depthwise_ns) + " of depthwise convolutions");
    if (vector_ns > 0) parts.push_back(c.time_of(vector_ns) + " of products with a vector");
    return fmt::format("{}", fmt::join(parts, " and "));
}

// On what floats the ops of these kernels work, and which of them memory bounds: why they use no Tensor
// Cores, and what helps.
std::string evidence_of(const Context& c, const Work& work, const EligibleTime& left_out) {
    std::vector<std::string> parts;
    for (const auto& [time, floats] :
         {std::pair(&work.by.fp32, "FP32"), {&work.by.fp64, "FP64"}, {&work.by.narrow, "16 bits or less"}})
        if (time->ns > 0) parts.push_back(fmt::format("{} {}", c.time_of(time->ns), floats));
    std::string text =
        fmt::format("{} of kernels of eligible ops are known to use none.", c.time_of(work.all.ns));
    if (parts.empty()) {
        text += " What floats these ops work on was not recorded.";
    } else {
        if (work.by.untold.ns > 0)
            parts.push_back(fmt::format("{} not recorded", c.time_of(work.by.untold.ns)));
        text += fmt::format(" By the floats that these ops work on: {}.", fmt::join(parts, ", "));
    }
    if (work.all.memory_bound_ns() > 0)
        text += fmt::format(
            " Of these, {}: memory bounds them, so narrower types may help, and Tensor Cores hardly.",
            forms_of(c, work.all.depthwise_ns, work.all.vector_ns));
    if (work.left_out > 0)
        text += fmt::format(" Left out: {}, of 16 bits or less already.",
                            forms_of(c, left_out.depthwise_ns, left_out.vector_ns));
    return text;
}

constexpr std::string_view kNarrowAlready =
    "They are on 16 bits or less already, so mixed precision changes nothing: the library has chosen kernels "
    "without. Look at sizes that are not multiples of 8 (16 of 8 bits), at few rows, and at layouts "
    "(convolutions: channels_last).";

// Autocast makes narrow copies of weights, which a product with a vector then reads as well.
constexpr std::string_view kNarrowWeights =
    "Keep weights and activations in 16 bits, model.to(torch.bfloat16) for inference: half the bytes take "
    "half "
    "the time. More rows at once (a larger batch) read the weights once for all.";

std::string precision_advice(const RunFacts& f, const Work& work) {
    if (work.mostly(work.by.narrow)) return std::string(kNarrowAlready);
    if (f.torch && work.mostly_vectors()) return std::string(kNarrowWeights);
    std::string advice;
    if (work.mostly(work.by.fp32) && f.tf32 && !work.mostly_memory())
        advice = f.torch ? "torch.backends.cuda.matmul.allow_tf32 = True gives FP32 products Tensor Cores at "
                           "little cost. "
                         : "TF32 gives FP32 products Tensor Cores at little cost. ";
    if (f.torch && f.bf16)
        advice +=
            "torch.autocast(\"cuda\", dtype=torch.bfloat16) around the forward pass and the loss lets "
            "eligible ops use them.";
    else if (f.torch)
        advice += "torch.autocast(\"cuda\", dtype=torch.float16) with GradScaler lets eligible ops use them.";
    else
        advice += "Mixed precision lets eligible ops use them.";
    return advice + " Sizes that are multiples of 8 (FP16, BF16) fit them best.";
}

std::string lines_for(const RunFacts& f, const Work& work) {
    if (!f.torch) return {};
    if (work.mostly(work.by.narrow))
        return "hidden = (hidden + 7) // 8 * 8  # of 16-bit floats; and larger batches";
    if (work.mostly_vectors())
        return fmt::format("model = model.to(torch.{})  # inference", f.bf16 ? "bfloat16" : "float16");
    std::string lines;
    if (work.mostly(work.by.fp32) && f.tf32 && !work.mostly_memory())
        lines = "torch.backends.cuda.matmul.allow_tf32 = True  # FP32 products\n";
    return lines +
           fmt::format(
               "with torch.autocast(\"cuda\", dtype=torch.{}):  # forward pass and loss\n"
               "    loss = loss_of(model(x), y)",
               f.bf16 ? "bfloat16" : "float16") +
           (f.bf16 ? "" : "\nscaler.scale(loss).backward()  # torch.amp.GradScaler");
}

std::string title_of(const Context& c, const Work& work, double share) {
    if (!work.mostly_memory())
        return fmt::format("Ops that could use {} run without them in about {} of {}",
                           matrix_units(c.facts()), percent(share), c.the_time());
    const bool vectors = work.wide_vectors_ns() > work.wide_depthwise_ns();
    return fmt::format("{} on floats of more than 16 bits take about {} of {}, bound by memory",
                       vectors ? "Products with a vector" : "Depthwise convolutions", percent(share),
                       c.the_time());
}

Status on_known_device(Context& c) {
    const RunFacts& f = c.facts();
    if (!f.matrix_units || c.share_of_plain(f.eligible_ns) < c.threshold("share")) return {};
    OPSIGHT_ASSIGN(const WithoutTensorCores found, query::work_without_tensor_cores(c.session()));
    const Work work(found);
    const double share = c.share_of_plain(work.all.ns);
    if (share < c.threshold("share")) return {};
    Finding finding{"tensor_cores",
                    "problem",
                    title_of(c, work, share),
                    evidence_of(c, work, found.narrow),
                    precision_advice(f, work),
                    share,
                    "kernels",
                    "tensor",
                    {}};
    finding.lines = lines_for(f, work);
    if (f.torch && !work.mostly(work.by.narrow)) {
        finding.reading.emplace_back("PyTorch: automatic mixed precision",
                                     "https://pytorch.org/docs/stable/amp.html");
        if (f.vendor == query::Vendor::kNvidia)
            finding.reading.emplace_back(
                "NVIDIA: training with mixed precision",
                "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html");
    }
    OPSIGHT_ASSIGN(query::Occurrences times, query::times_without_tensor_cores(c.session()));
    finding.times = std::move(times.times);
    c.add(std::move(finding));
    return {};
}

// Kernels of ops that would be eligible on a device with Tensor Cores, where it is not told which device it
// is.
Status on_unknown_device(Context& c) {
    const RunFacts& f = c.facts();
    const double share = c.share_of_plain(f.eligible_ns);
    if (f.devices_known || share < c.threshold("share")) return {};
    c.add({"tensor_cores",
           "unknown",
           fmt::format("Products and convolutions on kernels without Tensor Cores take about {} of {}; "
                       "whether the device has them is not told",
                       percent(share), c.the_time()),
           fmt::format("{} of such kernels; the recording does not tell which device it is.",
                       c.time_of(f.eligible_ns)),
           {},
           share,
           "kernels",
           {},
           {}});
    return {};
}

Status check(Context& c) {
    OPSIGHT_TRY(on_known_device(c));
    return on_unknown_device(c);
}

}  // namespace

Rule tensor_cores_rule() {
    return {
        .id = "tensor_cores",
        .looks_for = "ops that could use Tensor Cores (AMD: matrix cores) and run on kernels that do not",
        .needs = "kernels with names or code that tell",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound =
            "the time of these kernels, as if Tensor Cores took none; without depthwise convolutions and "
            "products "
            "with a vector that have 16 bits already",
        .confidence = "high: only kernels that are known to use none, of ops that are known to be able to",
        .remedy = "Mixed precision, or TF32 for FP32 products.",
        .lines =
            "torch.backends.cuda.matmul.allow_tf32 = True  # FP32 products\nwith torch.autocast(\"cuda\", "
            "dtype=torch.bfloat16):  # forward pass and loss\n    loss = loss_of(model(x), y)",
        .query =
            "SELECT op_name, label, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE "
            "{range} AND class = 'compute' AND op_id IN (SELECT id FROM op_identities WHERE "
            "tc_eligible) AND in_tc_eligible_op AND uses_tc = 'no' GROUP BY ALL ORDER BY ms DESC, "
            "op_name, label LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, training with mixed precision; DLProf",
        .gives_way_to = {"layout_conversions", "double_precision", "convolution_trials", "recomputation"},
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
