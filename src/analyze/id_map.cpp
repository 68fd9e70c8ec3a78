#include "analyze/id_map.h"

#include <algorithm>

namespace opsight::analyze {

IdMap::IdMap(const std::vector<std::pair<int64_t, uint32_t>>& rows) {
    if (rows.empty()) return;
    int64_t highest = lowest_ = rows[0].first;
    for (const auto& [id, row] : rows) {
        lowest_ = std::min(lowest_, id);
        highest = std::max(highest, id);
    }
    rows_.resize(rows.size());
    const uint64_t range = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest_);
    dense_ = range < 8 * rows.size() + 1024;
    if (!dense_) {
        std::vector<std::pair<int64_t, uint32_t>> sorted(rows);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        ids_.reserve(sorted.size());
        for (size_t i = 0; i < sorted.size(); ++i) {
            ids_.push_back(sorted[i].first);
            rows_[i] = sorted[i].second;
            if (i > 0) duplicates_ += ids_[i] == ids_[i - 1];
        }
        return;
    }
    start_.assign(range + 2, 0);
    for (const auto& [id, row] : rows)
        ++start_[static_cast<size_t>(id - lowest_) + 1];
    for (size_t i = 1; i < start_.size(); ++i) {
        if (start_[i] > 1) duplicates_ += start_[i] - 1;
        start_[i] += start_[i - 1];
    }
    std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
    for (const auto& [id, row] : rows)
        rows_[next[static_cast<size_t>(id - lowest_)]++] = row;
}

std::pair<const uint32_t*, const uint32_t*> IdMap::find(int64_t id) const {
    const uint32_t* const base = rows_.data();
    if (dense_) {
        const uint64_t at = static_cast<uint64_t>(id) - static_cast<uint64_t>(lowest_);  // wraps where lower
        if (at >= start_.size() - 1) return {base, base};
        return {base + start_[at], base + start_[at + 1]};
    }
    const auto [first, last] = std::equal_range(ids_.begin(), ids_.end(), id);
    return {base + (first - ids_.begin()), base + (last - ids_.begin())};
}

}  // namespace opsight::analyze
