// IdMap: from 64-bit ids of a source to rows. Ids of profilers are mostly dense, so a plain table serves
// where their range allows; else a sorted list. Built once, then read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace opsight::analyze {

class IdMap {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;

    // Rows for each id in the order of `rows`. Of several rows with one id the list keeps all, in that order.
    explicit IdMap(const std::vector<std::pair<int64_t, uint32_t>>& rows);

    // The rows of an id, as [first, last).
    std::pair<const uint32_t*, const uint32_t*> find(int64_t id) const;
    bool has(int64_t id) const {
        const auto [first, last] = find(id);
        return first != last;
    }
    size_t duplicates() const {
        return duplicates_;
    }  // ids that more than one row has, each beyond the first

  private:
    bool dense_ = false;
    int64_t lowest_ = 0;
    std::vector<uint32_t> start_;  // dense: by id - lowest_, into rows_
    std::vector<int64_t> ids_;     // sparse: sorted, beside rows_
    std::vector<uint32_t> rows_;
    size_t duplicates_ = 0;
};

}  // namespace opsight::analyze
