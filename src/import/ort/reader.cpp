#include "import/ort/reader.h"

#include "import/ort/importer.h"
#include "import/reader/rank_hint.h"

namespace opsight::importer::ort {
namespace {

// The first events are those of a session that loads its model.
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    const size_t start = first.find_first_not_of(" \t\r\n");
    const bool is_list = start != first.npos && first[start] == '[';
    const bool loads = has("\"model_loading") || has("\"session_initialization\"");
    return is_list && has("\"Session\"") && loads ? Claim::kCertain : Claim::kNone;
}

Result<ImportFacts> read(PeekedSource& source, const InputFile& file, const ReadContext& context,
                         ProfileBuilder& builder) {
    const ProfileOptions options{rank_hint(file.path), context.progress, context.disk_before};
    OPSIGHT_ASSIGN(const ProfileFacts facts, import_profile(source, file.path, options, builder));
    return ImportFacts{1, facts.bytes, facts.events};
}

}  // namespace

Reader profile_reader() {
    return {.name = "profiles of ONNX Runtime",
            .description =
                "what a session with enable_profiling wrote: nodes with shapes and providers, kernels, runs",
            .endings = {".json"},
            .sniff = sniff,
            .read = read};
}

}  // namespace opsight::importer::ort
