// OpenSpans: the spans of one thread that are open at the place of a sweep, innermost last.
//
// The ends on the stack never grow. A span that crosses the end of open ones either takes their place (push:
// from then on it is the inner of the two, until it ends last) or goes below them (slide_under: they stay the
// inner ones until they end).
#pragma once

#include <cstddef>
#include <vector>

#include "model/spans.h"

namespace opsight::analyze {

inline constexpr int64_t kRoundingNs = 1000;  // old traces count whole microseconds

class OpenSpans {
  public:
    explicit OpenSpans(const HostSpans& spans) : h_(spans) {}

    // Moves to the begin of a row, which is no earlier than that of the row before: closes what has ended. Of
    // two spans without length that begin together, only one of an outer kind stays open for the other.
    void advance(uint32_t row) {
        while (!open_.empty() && open_.back().end <= h_.begin[row] && !holds_empty(row))
            open_.pop_back();
    }

    bool empty() const { return open_.empty(); }
    uint32_t top() const { return open_.back().row; }
    int64_t top_end() const { return open_.back().end; }
    size_t depth() const { return open_.size(); }

    struct Place {
        int64_t end = 0;  // end to nest by: that of what encloses the row, where only rounding puts it beyond
        size_t outside = 0;    // how many of the open spans enclose the row
        bool crosses = false;  // it began inside a span that ends before it
    };
    // Where the row belongs; call advance() before.
    Place place_of(uint32_t row) {
        Place place{h_.begin[row] + h_.dur[row], open_.size(), false};
        for (; place.outside > 0; --place.outside) {
            const Open& open = open_[place.outside - 1];
            const int64_t beyond = place.end - open.end, within = open.end - h_.begin[row];
            if (beyond <= 0) break;
            if (beyond <= kRoundingNs && beyond <= within) {
                place.end = open.end;
                break;
            }
            if (within <= kRoundingNs)  // a neighbour, not a crossing one
                open_.pop_back();
            else
                place.crosses = true;
        }
        return place;
    }
    bool encloses(const Place& place) const { return place.outside > 0; }
    uint32_t around(const Place& place) const { return open_[place.outside - 1].row; }

    void push(uint32_t row, const Place& place) {
        open_.resize(place.outside);
        open_.push_back({place.end, row});
    }
    void slide_under(uint32_t row, const Place& place) {
        if (open_.size() - place.outside > kMostKeptOpen) return push(row, place);
        open_.insert(open_.begin() + static_cast<std::ptrdiff_t>(place.outside), {place.end, row});
    }

  private:
    static constexpr size_t kMostKeptOpen = 64;  // keeps the cost of a crossing constant
    struct Open {
        int64_t end;
        uint32_t row;
    };
    bool holds_empty(uint32_t row) const {
        const uint32_t outer = open_.back().row;
        return h_.dur[row] == 0 && h_.begin[outer] == h_.begin[row] &&
               inwardness(h_.kind[outer]) < inwardness(h_.kind[row]);
    }

    const HostSpans& h_;
    std::vector<Open> open_;
};

}  // namespace opsight::analyze
