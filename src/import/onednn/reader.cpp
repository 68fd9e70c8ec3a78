#include "import/onednn/reader.h"

#include "import/onednn/importer.h"
#include "import/onednn/line.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::onednn {
namespace {

// The program may print a good deal before it first calls oneDNN.
template <size_t kWithin>
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const bool is_text = !behind_space(first).empty() && first.find('\0') == first.npos;
    if (!is_text || begins_json_objects(first)) return Claim::kNone;
    const bool marked = behind_marker(first) || behind_marker(head.first(kWithin));
    return marked ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader log_reader() {
    return {.name = "logs of oneDNN",
            .description =
                "what a program printed under ONEDNN_VERBOSE=1 or 2 (DNNL_, MKLDNN_): primitives with shapes",
            .endings = {".onednn.log"},  // a proposal: it is what a program printed
            .sniff = sniff<Head::kOutputBytes>,
            .read = read_one<import_log>,
            .sniff_far = sniff<Head::kFarBytes>};
}

}  // namespace opsight::importer::onednn
