#include "import/text/lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace opsight::importer {

std::string list_of(const std::vector<int64_t>& numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

}  // namespace opsight::importer
