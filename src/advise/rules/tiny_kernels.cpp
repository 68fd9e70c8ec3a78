#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    const query::RunFacts& f = c.facts();
    OPSIGHT_ASSIGN(const auto sizes,
                   query::short_kernels(c.session(), static_cast<int64_t>(c.threshold("us") * 1000)));
    const auto [kernels, brief] = sizes;
    if (kernels < static_cast<int64_t>(c.threshold("kernels")) * c.parts()) return {};
    const double part = 100.0 * static_cast<double>(brief) / static_cast<double>(kernels);
    OPSIGHT_ASSIGN(query::TimeSpans idle, idle_times(c.session()));
    const double share = f.cpu.value_or(0);  // while only the host is at work
    if (part < c.threshold("part") || share < c.threshold("idle")) return {};
    Finding finding{"tiny_kernels", "problem",
                    fmt::format("{} of the kernels are shorter than their launch, and the GPU waits for the "
                                "CPU in {} of the time",
                                percent(part), percent(share))};
    finding.evidence = fmt::format("{}, {} of them of less than {:.0f} µs.", c.how_often(kernels, "kernels"),
                                   percent(part), c.threshold("us"));
    finding.advice = f.torch ? "Fused ops (torch.compile), foreach or fused optimizers and graphs of the "
                               "GPU's work (torch.cuda.graphs) launch less."
                             : "Fused kernels and CUDA graphs launch less.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.times = std::move(idle);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule tiny_kernels_rule() {
    return {
        .id = "tiny_kernels",
        .looks_for = "many kernels that are shorter than their launch",
        .needs = "work of a device",
        .thresholds = {{"us", 10, "µs", "a launch takes 5 to 10 µs of the host"},
                       {"part", 50, "% of the kernels", "most of them"},
                       {"idle", 20, "% of the wall clock", "else launches keep up"},
                       {"kernels", 50, "in an iteration", "fewer are not many"}},
        .bound = "the time in which no device works",
        .confidence = "medium: launches are the likely cause of the gaps, not the only one",
        .remedy = "Launch less.",
        .lines = "model = torch.compile(model, mode=\"reduce-overhead\")",
        .query =
            "SELECT label, count(*) AS kernels, avg(dur_ns) / 1e3 AS mean_us FROM kernels GROUP BY ALL ORDER "
            "BY kernels DESC LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, CUDA graphs; HTA, kernels shorter than their launch",
        .compiles = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
