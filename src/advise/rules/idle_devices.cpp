#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

// Nothing where another maker's devices are hidden by means of its own.
const char* variable_that_hides(query::Vendor vendor) {
    switch (vendor) {
        case query::Vendor::kAmd:
            return "HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES";
        case query::Vendor::kNvidia:
            return "CUDA_VISIBLE_DEVICES";
        case query::Vendor::kOther:
        case query::Vendor::kUnknown:
            break;
    }
    return nullptr;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::DeviceCounts counts, query::device_counts(c.session()));
    if (!counts.listed) return c.cannot("the source does not list the devices of its machine"), Status();
    if (counts.worked == 0 && counts.idle > 0 && c.session().contents().calls) {
        Finding none{"idle_devices", "note",
                     counts.idle == 1
                         ? "The GPU of this machine does nothing in the recording"
                         : fmt::format("None of the {} GPUs of this machine does anything in the recording",
                                       counts.idle)};
        none.evidence = "Calls of its API were recorded, and no work.";
        none.advice =
            "Where the GPU should do the work, model and data must be on it: model.to(device), x.to(device).";
        none.view = "ops";
        return c.add(std::move(none)), Status();
    }
    // Ranks that are not in the profile may use the others.
    if (counts.worked == 0 || counts.idle == 0 || counts.ranks_elsewhere) return {};
    Finding finding{"idle_devices", "note",
                    fmt::format("{} of {} GPUs that the program sees do nothing in the recording",
                                counts.idle, counts.idle + counts.worked)};
    finding.evidence = "Whether other programs use them is not in the recording.";
    finding.advice = "More ranks, one for each GPU, use them";
    if (const char* hides = variable_that_hides(c.facts().vendor))
        finding.advice += fmt::format("; {} leaves them to other programs", hides);
    finding.advice += ".";
    finding.view = "gpus";
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.device_work || f.work_lost ? lacks_device_work(f) : lacks_nothing(f);
}

}  // namespace

Rule idle_devices_rule() {
    return {
        .id = "idle_devices",
        .looks_for = "devices that the program sees and does not use",
        .needs = "the devices that the source names",
        .thresholds = {},
        .bound = "",
        .confidence = "high: no work of them was recorded",
        .remedy = "Use them, or leave them to others.",
        .query =
            "SELECT rank, device, name FROM devices d WHERE NOT EXISTS (SELECT 1 FROM kernels k WHERE k.rank "
            "= d.rank "
            "AND k.device = d.device) AND NOT EXISTS (SELECT 1 FROM memcpys m WHERE m.rank = d.rank AND "
            "m.device = "
            "d.device) AND NOT EXISTS (SELECT 1 FROM memsets m WHERE m.rank = d.rank AND m.device = "
            "d.device)",
        .verify = "torchrun --nproc-per-node GPUS train.py",
        .source = "DLProf; PyTorch, DistributedDataParallel",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
