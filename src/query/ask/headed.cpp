#include "query/ask/headed.h"

#include <cctype>

namespace opsight::query::headed {
namespace {

struct Suffix {
    std::string_view header, key;
};

Suffix suffix_of(Unit unit) {
    switch (unit) {
        case Unit::kNs:
            return {" (ns)", "_ns"};
        case Unit::kBytes:
            return {" (bytes)", "_bytes"};
        case Unit::kBytesPerSecond:
            return {" (bytes/s)", "_bytes_per_s"};
        case Unit::kPercent:
            return {" (%)", "_pct"};
        case Unit::kNone:
        case Unit::kCount:
        case Unit::kFlops:
            break;
    }
    return {};
}

std::string snake(std::string_view words) {
    std::string key;
    for (const char c : words) {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalnum(u))
            key += static_cast<char>(std::tolower(u));
        else if (!key.empty() && key.back() != '_')
            key += '_';
    }
    if (key.ends_with('_')) key.pop_back();
    return key;
}

}  // namespace

Column of(std::string header, Unit unit, Role role) {
    const Suffix suffix = suffix_of(unit);
    const bool told = header.ends_with(suffix.header);
    std::string_view words = header;
    if (told) words.remove_suffix(suffix.header.size());
    std::string key = snake(words) + std::string(suffix.key);
    if (!told && role != Role::kNumber) header += suffix.header;
    return {std::move(key), std::move(header), unit, 0, role};
}

ResultTable table(std::string title, std::vector<Column> columns, std::vector<std::vector<Cell>> rows) {
    ResultTable table;
    table.title = std::move(title);
    table.columns = std::move(columns);
    table.rows = std::move(rows);
    return table;
}

}  // namespace opsight::query::headed
