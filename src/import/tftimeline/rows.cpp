#include "import/tftimeline/rows.h"

#include <charconv>
#include <optional>

namespace opsight::importer::tftimeline {
namespace {

// The number behind the last `word`; empty: there is none.
std::optional<int64_t> number_behind(std::string_view name, std::string_view word) {
    const size_t at = name.rfind(word);
    if (at == name.npos) return {};
    int64_t value = 0;
    const char* first = name.data() + at + word.size();
    const auto [end, error] = std::from_chars(first, name.data() + name.size(), value);
    return error == std::errc() && end != first && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

Row row_of(std::string_view name) {
    constexpr std::string_view kCompute = " Compute";
    Row row;
    row.name = name;
    if (!name.ends_with(kCompute)) return row;
    name.remove_suffix(kCompute.size());
    row.kind = RowKind::kHost;
    for (const std::string_view word : {"gpu:", "GPU:"})
        if (const auto device = number_behind(name, word)) row.device = *device;
    if (name.ends_with("/stream:all")) row.kind = RowKind::kAll;
    if (name.ends_with("/memcpy")) row.kind = RowKind::kCopies;
    if (const auto stream = number_behind(name, "/stream:")) {
        row.kind = RowKind::kStream;
        row.stream = *stream;
    }
    return row;
}

}  // namespace opsight::importer::tftimeline
