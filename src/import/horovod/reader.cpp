#include "import/horovod/reader.h"

#include "import/horovod/importer.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::horovod {
namespace {

// Begins with the rows of the first tensors, of which one is negotiated at once, or with marks of the cycles
// in which there was none yet.
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    const bool is_list = behind_space(first).starts_with('[');
    const bool signs = has("\"start_time_since_epoch_in_micros\"") || has("\"NEGOTIATE_");
    const bool tensors = signs && has("\"process_name\"");
    return is_list && (tensors || has("\"CYCLE_START\"")) ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader timeline_reader() {
    return {
        .name = "timelines of Horovod",
        .description =
            "what HOROVOD_TIMELINE or 'horovodrun --timeline-filename' wrote: collectives of each tensor, "
            "and how long they waited for all ranks",
        .endings = {".json"},
        .sniff = sniff,
        .read = read_one<import_timeline>};
}

}  // namespace opsight::importer::horovod
