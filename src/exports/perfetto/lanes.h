// Perfetto's slices of one track must nest. What overlaps goes into lanes beside the track's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace opsight::exports {

class Lanes {
  public:
    static constexpr size_t kMost = 64;

    // The lane of a slice; spans come in order of their begins. `ended(lane, time)` is called for each slice
    // that ends before it.
    template <class Ended>
    size_t put(int64_t begin, int64_t end, const Ended& ended) {
        size_t lane = 0;
        while (lane < lanes_.size() && !fits(lane, begin, end, ended))
            ++lane;
        if (lane == lanes_.size()) {
            if (lane == kMost) {  // the last one takes it: what it cuts across ends now
                close_until(--lane, std::numeric_limits<int64_t>::max(), begin, ended);
                ++cut_;
            } else {
                lanes_.emplace_back();
            }
        }
        lanes_[lane].last = begin;
        lanes_[lane].ends.push_back(end);
        return lane;
    }
    // All that is open ends.
    template <class Ended>
    void close(const Ended& ended) {
        constexpr int64_t kEver = std::numeric_limits<int64_t>::max();
        for (size_t lane = 0; lane < lanes_.size(); ++lane)
            close_until(lane, kEver, kEver, ended);
        lanes_.clear();
    }
    int64_t cut() const { return cut_; }

  private:
    struct Lane {
        std::vector<int64_t> ends;  // of the open slices, the innermost last
        int64_t last = std::numeric_limits<int64_t>::min();
    };

    template <class Ended>
    bool fits(size_t lane, int64_t begin, int64_t end, const Ended& ended) {
        if (begin < lanes_[lane].last) return false;
        close_until(lane, begin, begin, ended);
        return lanes_[lane].ends.empty() || end <= lanes_[lane].ends.back();
    }
    template <class Ended>
    void close_until(size_t lane, int64_t time, int64_t at_most, const Ended& ended) {
        std::vector<int64_t>& ends = lanes_[lane].ends;
        for (; !ends.empty() && ends.back() <= time; ends.pop_back())
            ended(lane, ends.back() < at_most ? ends.back() : at_most);
    }

    std::vector<Lane> lanes_;
    int64_t cut_ = 0;
};

}  // namespace opsight::exports
