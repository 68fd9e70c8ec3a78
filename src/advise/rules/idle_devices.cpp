#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::DeviceCounts counts, query::device_counts(c.session()));
    // Ranks that are not in the profile may use the others.
    if (counts.worked == 0 || counts.idle == 0 || counts.ranks_elsewhere) return {};
    Finding finding{"idle_devices", "note",
                    fmt::format("{} of {} GPUs that the program sees do nothing in the recording",
                                counts.idle, counts.idle + counts.worked)};
    finding.evidence = "Whether other programs use them is not in the recording.";
    finding.advice =
        "More ranks, one for each GPU, use them; CUDA_VISIBLE_DEVICES leaves them to other programs.";
    finding.view = "gpus";
    c.add(std::move(finding));
    return {};
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
        .query = "SELECT rank, device, name FROM devices",
        .verify = "torchrun --nproc-per-node GPUS train.py",
        .source = "DLProf; PyTorch, DistributedDataParallel",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
