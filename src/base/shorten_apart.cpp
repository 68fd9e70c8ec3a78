#include "base/shorten_apart.h"

#include <algorithm>
#include <map>

namespace opsight {
namespace {

constexpr int kMostRounds = 8;  // what one difference leaves alike another may tell apart

// Where the texts of these rows first differ; npos: they are alike.
size_t first_difference(const std::vector<std::string>& texts, const std::vector<size_t>& rows) {
    const std::string& one = texts[rows[0]];
    size_t first = std::string::npos;
    for (const size_t row : rows) {
        const std::string& other = texts[row];
        if (one == other) continue;
        const auto [end, ignored] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
        first = std::min(first, static_cast<size_t>(end - one.begin()));
    }
    return first;
}

}  // namespace

std::vector<std::string> shorten_apart(
    const std::vector<std::string>& texts, const std::function<std::string(const std::string&)>& shorten,
    const std::function<std::string(const std::string&, size_t place)>& around) {
    std::vector<std::string> out;
    for (const std::string& text : texts)
        out.push_back(shorten(text));
    for (int round = 0; round < kMostRounds; ++round) {
        std::map<std::string, std::vector<size_t>> alike;
        for (size_t i = 0; i < texts.size(); ++i)
            if (out[i] != texts[i]) alike[out[i]].push_back(i);
        bool told = false;
        for (const auto& [text, rows] : alike) {
            const size_t place = first_difference(texts, rows);
            if (place == std::string::npos) continue;
            for (const size_t row : rows)
                out[row] = around(texts[row], place);
            told = true;
        }
        if (!told) break;
    }
    return out;
}

}  // namespace opsight
