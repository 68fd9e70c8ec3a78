#include "import/reader/reader.h"

#include <algorithm>

#include "import/text/first_bytes.h"

namespace opsight::importer {

std::string_view Head::first(size_t bytes) const {
    // What cannot be read is said when it is read.
    constexpr size_t kMark = 3;
    const Result<std::string_view> got = source_.peek(bytes + kMark);
    return got ? behind_mark(*got).substr(0, bytes) : std::string_view();
}

bool Head::has_table(std::string_view name) const {
    return std::find(tables_.begin(), tables_.end(), name) != tables_.end();
}

bool Head::has_table_like(std::string_view prefix) const {
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace opsight::importer
