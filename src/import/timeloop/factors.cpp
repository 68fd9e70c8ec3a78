#include "import/timeloop/factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opsight::importer::timeloop {
namespace {

// Words between blanks and commas, of a text or of all texts in a list.
Result<std::vector<std::string>> words_of(const Tree& tree) {
    std::vector<std::string> words;
    if (tree.is_list()) {
        for (const Tree& item : tree.items) {
            if (!item.is_text()) return fail(item.error("a text was expected here"));
            OPSIGHT_ASSIGN(const std::vector<std::string> inner, words_of(item));
            words.insert(words.end(), inner.begin(), inner.end());
        }
        return words;
    }
    constexpr const char* kGaps = " ,\t";
    for (size_t at = tree.text.find_first_not_of(kGaps); at != std::string::npos;) {
        const size_t end = std::min(tree.text.find_first_of(kGaps, at), tree.text.size());
        words.push_back(tree.text.substr(at, end - at));
        at = tree.text.find_first_not_of(kGaps, end);
    }
    return words;
}

Result<Factor> factor_of(const std::string& word, const Tree& tree, const map::Problem& problem) {
    const size_t number = word.find_last_not_of("0123456789") + 1;
    size_t name = number;
    Factor factor;
    if (name > 0 && word[name - 1] == '=') --name;
    if (name > 0 && name < number && word[name - 1] == '<') {
        --name;
        factor.at_most = true;
    }
    const char* end = word.data() + word.size();
    const auto [stop, bad] = std::from_chars(word.data() + number, end, factor.count);
    if (name == 0 || stop != end || bad != std::errc())
        return fail(tree.error(fmt::format("'{}' is not a factor, as in C4 or C=4", word),
                               "factors with a remainder (C=5,3) are not supported"));
    factor.dimension = problem.dimension(word.substr(0, name));
    if (factor.dimension < 0)
        return fail(tree.error(fmt::format("there is no dimension '{}'", word.substr(0, name))));
    return factor;
}

}  // namespace

Result<std::vector<Factor>> read_factors(const Tree& tree, const map::Problem& problem) {
    std::vector<Factor> factors;
    OPSIGHT_ASSIGN(const std::vector<std::string> words, words_of(tree));
    for (const std::string& word : words) {
        OPSIGHT_ASSIGN(const Factor factor, factor_of(word, tree, problem));
        for (const Factor& other : factors)
            if (other.dimension == factor.dimension)
                return fail(tree.error(
                    fmt::format("dimension {} has two factors", problem.dimensions[factor.dimension].name)));
        factors.push_back(factor);
    }
    return factors;
}

Result<std::vector<int>> read_order(const Tree& tree, const map::Problem& problem) {
    std::vector<int> order;
    const auto add = [&](const std::string& name) -> Status {
        const int dimension = problem.dimension(name);
        if (dimension < 0) return fail(tree.error(fmt::format("there is no dimension '{}'", name)));
        if (std::find(order.begin(), order.end(), dimension) != order.end())
            return fail(tree.error(fmt::format("dimension {} is there twice", name)));
        order.push_back(dimension);
        return {};
    };
    OPSIGHT_ASSIGN(const std::vector<std::string> words, words_of(tree));
    for (const std::string& word : words) {
        if (problem.dimension(word) >= 0) {
            OPSIGHT_TRY(add(word));
            continue;
        }
        for (const char letter : word)
            OPSIGHT_TRY(add(std::string(1, letter)));
    }
    return order;
}

}  // namespace opsight::importer::timeloop
