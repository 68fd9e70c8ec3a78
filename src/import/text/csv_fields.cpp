#include "import/text/csv_fields.h"

#include <algorithm>

namespace opsight::importer {

void split_csv(std::string_view text, std::vector<std::string>& fields) {
    fields.assign(1, {});
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
            fields.back() += text[++i];
        else if (c == '"' && (quoted || fields.back().empty()))
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
}

bool has_odd_quotes(std::string_view text) {
    return std::count(text.begin(), text.end(), '"') % 2 == 1;
}

}  // namespace opsight::importer
