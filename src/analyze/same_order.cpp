#include "analyze/same_order.h"

#include <algorithm>

namespace opsight::analyze {
namespace {

// Fewer calls of a thread, or at the edge of one, are in other places by chance.
constexpr size_t kLongEnough = 16;
// Different numbers that agree: one alone may do so by chance.
constexpr int kConfirming = 2;
// Comparisons of numbers, over all places: then there are too many to tell.
constexpr size_t kMostComparisons = 100'000'000;

// How many names from each position of `text` on are the first of `pattern` (the Z function).
std::vector<size_t> common_lengths(const std::vector<uint32_t>& pattern, const std::vector<uint32_t>& text) {
    const size_t size = pattern.size() + text.size();
    const auto at = [&](size_t i) { return i < pattern.size() ? pattern[i] : text[i - pattern.size()]; };
    std::vector<size_t> z(size, 0);
    for (size_t i = 1, left = 0, right = 0; i < size; ++i) {
        if (i < right) z[i] = std::min(right - i, z[i - left]);
        while (i + z[i] < size && at(z[i]) == at(i + z[i]))
            ++z[i];
        if (i + z[i] > right) left = i, right = i + z[i];
    }
    z.erase(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(pattern.size()));
    for (size_t& length : z)
        length = std::min(length, pattern.size());
    return z;
}

class Search {
  public:
    Search(const Sequence& calls, std::span<const Sequence> threads) : calls_(calls), threads_(threads) {}

    FoundPlace run() {
        for (size_t i = 0; i < threads_.size(); ++i)
            look_in(i);
        if (compared_ > kMostComparisons) return {{}, "fit in too many places of the trace to tell which"};
        if (confirmed_.size() == 1) return {confirmed_[0], {}};
        if (confirmed_.size() > 1) return several(confirmed_.size());
        if (whole_.size() == 1) return {whole_[0], {}};
        if (whole_.size() > 1) return several(whole_.size());
        if (around_.size() == 1) return {around_[0], {}};
        if (around_.size() > 1) return several(around_.size());
        return {{},
                differ_ > 0 ? "stand in the trace with other numbers of autograd: another run"
                            : "fit nowhere in the trace"};
    }

  private:
    static FoundPlace several(size_t places) {
        return {{}, "fit in " + std::to_string(places) + " places of the trace alike"};
    }

    void look_in(size_t thread) {
        const Sequence& other = threads_[thread];
        const size_t mine = calls_.names.size(), its = other.names.size();
        if (mine == 0 || its == 0) return;
        const std::vector<size_t> from_there = common_lengths(calls_.names, other.names);
        for (size_t there = 0; there < its; ++there)
            if (const size_t length = std::min(mine, its - there); from_there[there] == length)
                weigh({thread, 0, there, length});
        const std::vector<size_t> from_here = common_lengths(other.names, calls_.names);
        for (size_t here = 1; here < mine; ++here)
            if (const size_t length = std::min(its, mine - here); from_here[here] == length)
                weigh({thread, here, 0, length});
    }

    void weigh(const Place& place) {
        const Sequence& other = threads_[place.thread];
        const bool is_whole = place.length == calls_.names.size();
        const bool is_around = place.length == other.names.size() && place.length >= kLongEnough;
        if (!is_whole && place.length < kLongEnough) return;
        int confirming = 0;
        int64_t last = -1;
        for (size_t i = 0; i < place.length && compared_ <= kMostComparisons; ++i, ++compared_) {
            const int64_t mine = calls_.numbers[place.here + i], its = other.numbers[place.there + i];
            if (mine < 0 || its < 0) continue;
            if (mine != its) {
                ++differ_;
                return;
            }
            confirming += mine != last;
            last = mine;
        }
        if (confirming >= kConfirming) confirmed_.push_back(place);
        if (is_whole)
            whole_.push_back(place);
        else if (is_around)
            around_.push_back(place);
    }

    const Sequence& calls_;
    std::span<const Sequence> threads_;
    std::vector<Place> confirmed_, whole_, around_;
    size_t compared_ = 0, differ_ = 0;
};

}  // namespace

FoundPlace find_place(const Sequence& calls, std::span<const Sequence> threads) {
    return Search(calls, threads).run();
}

}  // namespace opsight::analyze
