#include "model/einsum.h"

#include <algorithm>
#include <map>
#include <string>

namespace opsight {
namespace {

// The letters of one term; axes of "..." are numbers below 0, the last one -1. Nothing where they do not fit.
std::optional<std::vector<int>> labels_of(std::string_view term, size_t rank) {
    const size_t dots = term.find("...");
    const size_t letters = term.size() - (dots == term.npos ? 0 : 3);
    if (letters > rank || (dots == term.npos && letters != rank)) return std::nullopt;
    std::vector<int> labels;
    for (size_t i = 0; i < term.size(); ++i) {
        if (i == dots) {
            for (size_t axis = rank - letters; axis > 0; --axis)
                labels.push_back(-static_cast<int>(axis));
            i += 2;
        } else if (term[i] == '.') {
            return std::nullopt;
        } else {
            labels.push_back(static_cast<unsigned char>(term[i]));
        }
    }
    return labels;
}

}  // namespace

std::optional<EinsumSizes> einsum_sizes(std::string_view text, const std::vector<Shape>& inputs) {
    std::string equation(text);
    std::erase(equation, ' ');
    const size_t arrow = equation.find("->");
    std::string_view rest = std::string_view(equation).substr(0, arrow);
    std::map<int, int64_t> sizes;
    std::map<int, int> times;
    for (size_t input = 0; input < inputs.size(); ++input) {
        const size_t end = std::min(rest.find(','), rest.size());
        const auto labels = labels_of(rest.substr(0, end), inputs[input].size());
        const bool last = input + 1 == inputs.size();
        if (!labels || last != (end == rest.size())) return std::nullopt;
        for (size_t i = 0; i < labels->size(); ++i) {
            int64_t& size = sizes.try_emplace((*labels)[i], 1).first->second;
            const int64_t own = inputs[input][i];
            if (size != 1 && own != 1 && size != own) return std::nullopt;
            if (own != 1) size = own;
            ++times[(*labels)[i]];
        }
        rest.remove_prefix(last ? end : end + 1);
    }
    EinsumSizes out;
    for (const auto& [label, size] : sizes)
        out.product *= static_cast<double>(size);
    std::vector<int> wanted;
    if (arrow == std::string::npos) {
        for (const auto& [label, count] : times)
            if (label < 0 || count == 1) wanted.push_back(label);
    } else {
        const std::string_view term = std::string_view(equation).substr(arrow + 2);
        const auto dots = static_cast<size_t>(
            std::count_if(sizes.begin(), sizes.end(), [](const auto& each) { return each.first < 0; }));
        const bool has_dots = term.find("...") != term.npos;
        const auto labels = labels_of(term, term.size() - (has_dots ? 3 : 0) + (has_dots ? dots : 0));
        if (!labels) return std::nullopt;
        wanted = *labels;
    }
    for (int label : wanted) {
        const auto size = sizes.find(label);
        if (size == sizes.end()) return std::nullopt;
        out.output.push_back(size->second);
    }
    return out;
}

}  // namespace opsight
