#include "query/compare/batch_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "cost/torch_call.h"

namespace opsight::query {
namespace {

// Ops with other shapes: so many, of all ops and of these, must have grown alike to be another batch.
constexpr double kOfAll = 0.25, kOfOthers = 0.5;
constexpr size_t kFewest = 3;

}  // namespace

std::optional<FirstDimensions> first_dimensions(const std::string& base_shapes,
                                                const std::string& next_shapes) {
    const std::vector<Shape> base = cost::read_shapes(base_shapes), next = cost::read_shapes(next_shapes);
    if (base.size() != next.size()) return std::nullopt;
    for (size_t i = 0; i < base.size(); ++i) {
        const Shape &a = base[i], &b = next[i];
        if (a.empty() || a.size() != b.size() || a[0] == b[0] || a[0] <= 0 || b[0] <= 0) continue;
        if (std::equal(a.begin() + 1, a.end(), b.begin() + 1)) return FirstDimensions{a[0], b[0]};
    }
    return std::nullopt;
}

std::optional<std::string> batch_hint(const Changes& changes) {
    std::map<FirstDimensions, std::map<FirstDimensions, size_t>> factors;  // reduced, with what they are of
    std::map<FirstDimensions, size_t> counts;
    size_t others = 0;
    for (const Change& row : changes.ops) {
        others += row.kind == ChangeKind::kOtherShape;
        if (!row.first_dimensions) continue;
        const auto [before, after] = *row.first_dimensions;
        const int64_t by = std::gcd(before, after);
        const FirstDimensions factor{before / by, after / by};
        ++factors[factor][*row.first_dimensions];
        ++counts[factor];
    }
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(counts.begin(), counts.end(), by_count);
    if (most == counts.end() || most->second < kFewest) return std::nullopt;
    const auto count = static_cast<double>(most->second);
    if (count <= kOfOthers * static_cast<double>(others) ||
        count < kOfAll * static_cast<double>(changes.ops.size()))
        return std::nullopt;
    const auto& sizes = factors[most->first];
    const auto [before, after] = std::max_element(sizes.begin(), sizes.end(), by_count)->first;
    return fmt::format(
        "the first dimension of inputs is {:.4g} times as long in {} of {} ops, mostly {} before and {} "
        "after: where that is the batch, --per-sample {} {} compares the time of an item",
        static_cast<double>(after) / static_cast<double>(before), most->second, changes.ops.size(), before,
        after, before, after);
}

}  // namespace opsight::query
