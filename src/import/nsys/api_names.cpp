#include "import/nsys/api_names.h"

#include <algorithm>

namespace opsight::importer::nsys {

std::string_view ApiNames::without_version(std::string_view name) {
    constexpr size_t kEnding = 6;
    if (name.size() <= kEnding || name.substr(name.size() - kEnding, 2) != "_v") return name;
    const std::string_view digits = name.substr(name.size() - 4);
    const bool version =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!version) return name;
    if (spelled_.find(name) == spelled_.end()) spelled_.emplace(name);
    return name.substr(0, name.size() - kEnding);
}

void ApiNames::keep(ProfileBuilder& builder) const {
    if (spelled_.empty()) return;
    std::string lines;
    for (const std::string& name : spelled_)
        lines.append(lines.empty() ? "" : "\n").append(name);
    builder.info().properties.emplace_back("source.api_names", std::move(lines));
}

bool is_driver_call(std::string_view name) {
    return name.starts_with("cu") && !name.starts_with("cuda") && !name.starts_with("cudnn");
}

}  // namespace opsight::importer::nsys
