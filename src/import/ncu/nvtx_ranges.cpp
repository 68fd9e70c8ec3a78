#include "import/ncu/nvtx_ranges.h"

#include <algorithm>

namespace opsight::importer::ncu {

std::vector<std::string> range_names(std::string_view text, bool with_domain) {
    constexpr std::ptrdiff_t kFactsOfRange = 6;
    std::vector<std::string> names;
    for (;;) {
        const size_t first = text.find('"');
        if (first == text.npos) return names;
        text.remove_prefix(first + 1);
        std::string_view range = text.substr(0, text.find('"'));
        text.remove_prefix(std::min(range.size() + 1, text.size()));
        if (with_domain) range.remove_prefix(std::min(range.find(':'), range.size() - 1) + 1);
        if (std::count(range.begin(), range.end(), ':') >= kFactsOfRange)
            for (int i = 0; i < kFactsOfRange; ++i)
                range = range.substr(0, range.rfind(':'));
        if (!range.empty()) names.emplace_back(range);
    }
}

}  // namespace opsight::importer::ncu
