#include "import/ort/reader.h"

#include "import/ort/importer.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::ort {
namespace {

// The first events are those of a session that loads its model; of a run that was profiled by itself, of
// nodes.
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    const bool is_list = behind_space(first).starts_with('[');
    const bool loads = has("\"model_loading") || has("\"session_initialization\"");
    const bool session = has("\"Session\"") && loads;
    const bool nodes = has("\"Node\"") && has("_kernel_time\"") && has("\"op_name\"");
    return is_list && (session || nodes) ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader profile_reader() {
    return {.name = "profiles of ONNX Runtime",
            .description =
                "what a session or a run with enable_profiling wrote: nodes with shapes and providers, "
                "kernels, runs",
            .endings = {".json"},
            .sniff = sniff,
            .read = read_one<import_profile>};
}

}  // namespace opsight::importer::ort
