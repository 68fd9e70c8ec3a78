#include "import/xplane/reader.h"

#include <algorithm>

#include "import/protobuf/fields.h"
#include "import/xplane/importer.h"

namespace opsight::importer::xplane {
namespace {

using protobuf::Field;
using protobuf::Fields;

// A file begins with a plane, and that with its number and name.
Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    if (!first.starts_with('\x0a')) return Claim::kNone;
    size_t at = 1;
    while (at < first.size() && at < 10 && (first[at] & '\x80'))
        ++at;
    const std::string_view plane = first.substr(std::min(at + 1, first.size()));
    Fields fields(plane);
    Field field;
    while (fields.next(field))
        if (field.is(2, Field::Type::kBytes)) {
            const bool known = field.bytes.starts_with("/host:") || field.bytes.starts_with("/device:") ||
                               field.bytes.starts_with("#Chip") || field.bytes == "Task Environment";
            return known ? Claim::kCertain : Claim::kNone;
        } else if (!field.is(1, Field::Type::kVarint)) {
            break;
        }
    return Claim::kNone;
}

}  // namespace

Reader profile_reader() {
    return {.name = "profiles of XLA (XPlane)",
            .description =
                "what TensorFlow's and JAX's profilers wrote: GPUs and TPUs with XLA's ops, host threads",
            .endings = {".xplane.pb"},
            .sniff = sniff,
            .read = read_one<import_profile>};
}

}  // namespace opsight::importer::xplane
