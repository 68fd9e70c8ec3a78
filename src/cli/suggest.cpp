#include "cli/suggest.h"

#include <algorithm>
#include <numeric>

namespace opsight::cli {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replace, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string closest_word(std::string_view typed, const std::vector<std::string>& words) {
    std::string best;
    size_t best_distance = std::max<size_t>(1, typed.size() / 2);
    for (const std::string& word : words) {
        const size_t distance = edit_distance(typed, word);
        if (distance > best_distance || (distance == best_distance && !best.empty())) continue;
        best = word;
        best_distance = distance;
    }
    return best;
}

}  // namespace opsight::cli
