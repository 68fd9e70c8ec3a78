#include "import/tftimeline/reader.h"

#include "import/tftimeline/importer.h"

namespace opsight::importer::tftimeline {
namespace {

// A timeline begins with the names of its rows, of which TensorFlow calls the first so.
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    const bool names = has("\"process_name\"") && has("\"Allocators\"") && has(" Compute\"");
    return has("\"traceEvents\"") && names ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader timeline_reader() {
    return {.name = "timelines of TensorFlow",
            .description =
                "what tensorflow.python.client.timeline wrote of a session's run: ops, kernels, copies",
            .endings = {".json"},
            .sniff = sniff,
            .read = read_one<import_timeline>};
}

}  // namespace opsight::importer::tftimeline
