#include "import/tftimeline/reader.h"

#include "import/reader/rank_hint.h"
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

Result<ImportFacts> read(PeekedSource& source, const InputFile& file, const ReadContext& context,
                         ProfileBuilder& builder) {
    const TimelineOptions options{rank_hint(file.path), context.progress, context.disk_before};
    OPSIGHT_ASSIGN(const TimelineFacts facts, import_timeline(source, file.path, options, builder));
    return ImportFacts{1, facts.bytes, facts.events};
}

}  // namespace

Reader timeline_reader() {
    return {.name = "timelines of TensorFlow",
            .description =
                "what tensorflow.python.client.timeline wrote of a session's run: ops, kernels, copies",
            .endings = {".json"},
            .sniff = sniff,
            .read = read};
}

}  // namespace opsight::importer::tftimeline
