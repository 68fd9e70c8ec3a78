#include "import/snapshot/reader.h"

#include "import/snapshot/importer.h"

namespace opsight::importer::snapshot {
namespace {

// A pickle, whose first or second key is "segments".
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const bool pickle = first.size() > 2 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5;
    if (!pickle) return Claim::kNone;
    const bool snapshot = first.find("segments") != first.npos || first.find("device_traces") != first.npos;
    return snapshot ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader snapshot_reader() {
    return {.name = "snapshots of memory",
            .description =
                "what PyTorch's torch.cuda.memory._dump_snapshot() wrote: allocations with their call stacks",
            .endings = {".pickle", ".pkl"},
            .sniff = sniff,
            .read = read_one<import_snapshot>};
}

}  // namespace opsight::importer::snapshot
