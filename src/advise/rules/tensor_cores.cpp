#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

bool mostly(const RunFacts& f, int64_t ns) {
    return 2 * ns > f.eligible_ns;
}

// On what floats the ops of these kernels work: why they use no Tensor Cores, and whether mixed precision
// helps.
std::string floats_of(const Context& c) {
    const RunFacts& f = c.facts();
    std::vector<std::string> parts;
    for (const auto& [ns, floats] : {std::pair(f.eligible_fp32_ns, "FP32"),
                                     {f.eligible_fp64_ns, "FP64"},
                                     {f.eligible_narrow_ns, "16 bits or less"}})
        if (ns > 0) parts.push_back(fmt::format("{} {}", c.time_of(ns), floats));
    if (parts.empty()) return " What floats these ops work on was not recorded.";
    const int64_t untold = f.eligible_ns - f.eligible_fp32_ns - f.eligible_fp64_ns - f.eligible_narrow_ns;
    if (untold > 0) parts.push_back(fmt::format("{} not recorded", c.time_of(untold)));
    return fmt::format(" By the floats that these ops work on: {}.", fmt::join(parts, ", "));
}

constexpr std::string_view kNarrowAlready =
    "They are on 16 bits or less already, so mixed precision changes nothing: the library has chosen kernels "
    "without. A product with a vector, as in a batch of one, has little use for them: larger batches do. "
    "Else "
    "look at sizes that are no multiple of 8 (16 of 8 bits) and at layouts.";

std::string precision_advice(const RunFacts& f) {
    if (mostly(f, f.eligible_narrow_ns)) return std::string(kNarrowAlready);
    std::string advice;
    if (mostly(f, f.eligible_fp32_ns) && f.tf32)
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

std::string lines_for(const RunFacts& f) {
    if (!f.torch) return {};
    if (mostly(f, f.eligible_narrow_ns))
        return "hidden = (hidden + 7) // 8 * 8  # of 16-bit floats; and larger batches";
    std::string lines;
    if (mostly(f, f.eligible_fp32_ns) && f.tf32)
        lines = "torch.backends.cuda.matmul.allow_tf32 = True  # FP32 products\n";
    return lines +
           fmt::format(
               "with torch.autocast(\"cuda\", dtype=torch.{}):  # forward pass and loss\n"
               "    loss = loss_of(model(x), y)",
               f.bf16 ? "bfloat16" : "float16") +
           (f.bf16 ? "" : "\nscaler.scale(loss).backward()  # torch.amp.GradScaler");
}

Status on_known_device(Context& c) {
    const RunFacts& f = c.facts();
    if (const double share = f.share_of(f.eligible_ns); f.matrix_units && share >= c.threshold("share")) {
        Finding finding{
            "tensor_cores",
            "problem",
            fmt::format("Ops that could use {} run without them in about {} of the time", matrix_units(f),
                        percent(share)),
            fmt::format("{} of kernels of eligible ops are known to use none.", c.time_of(f.eligible_ns)) +
                floats_of(c),
            precision_advice(f),
            share,
            "kernels",
            "tensor",
            {}};
        finding.lines = lines_for(f);
        if (f.torch && !mostly(f, f.eligible_narrow_ns)) {
            finding.reading.emplace_back("PyTorch: automatic mixed precision",
                                         "https://pytorch.org/docs/stable/amp.html");
            if (f.vendor == query::Vendor::kNvidia)
                finding.reading.emplace_back(
                    "NVIDIA: training with mixed precision",
                    "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html");
        }
        OPSIGHT_ASSIGN(query::Occurrences found,
                       query::times_of(c.session(), query::Activity::kEligibleKernels));
        finding.times = std::move(found.times);
        c.add(std::move(finding));
    }
    return {};
}
// Kernels of ops that would be eligible on a device with Tensor Cores, where it is not told which device it
// is.
Status on_unknown_device(Context& c) {
    const RunFacts& f = c.facts();
    const double share = f.share_of(f.eligible_ns);
    if (f.devices_known || share < c.threshold("share")) return {};
    c.add(
        {"tensor_cores",
         "unknown",
         fmt::format("Products and convolutions on kernels without Tensor Cores take about {} of the time; "
                     "whether the device has them is not told",
                     percent(share)),
         fmt::format("{} of such kernels; the recording does not name the device.", c.time_of(f.eligible_ns)),
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
        .bound = "the time of these kernels, as if Tensor Cores took none",
        .confidence = "high: only kernels that are known to use none, of ops that are known to be able to",
        .remedy = "Mixed precision, or TF32 for FP32 products.",
        .lines =
            "torch.backends.cuda.matmul.allow_tf32 = True  # FP32 products\nwith torch.autocast(\"cuda\", "
            "dtype=torch.bfloat16):  # forward pass and loss\n    loss = loss_of(model(x), y)",
        .query =
            "SELECT op_name, label, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} "
            "AND class = 'compute' AND op_id IN (SELECT id FROM op_identities WHERE tc_eligible) AND "
            "in_tc_eligible_op AND uses_tc = 'no' GROUP BY ALL ORDER BY ms DESC LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, training with mixed precision; DLProf",
        .gives_way_to = {"layout_conversions", "double_precision", "convolution_trials", "recomputation"},
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
