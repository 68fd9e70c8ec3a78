#include "analyze/period.h"

#include <algorithm>
#include <numeric>

namespace opsight {
namespace {

constexpr double kLeastConfidence = 0.5;
constexpr double kAsGood = 0.01;     // cuts that differ less are equally good
constexpr double kWholePiece = 0.5;  // of the typical length: a shorter last piece was cut off by the end
constexpr size_t kSureRepetitions = 3;
constexpr size_t kShortPeriod = 8;  // shorter ones have to repeat more often to be believed

struct Anchor {
    uint32_t symbol;
    size_t count, first;
    size_t like_it = 0;  // symbols that come as often
};

// One anchor for each number of occurrences, those shared by most symbols first.
std::vector<Anchor> promising_anchors(const std::vector<uint32_t>& symbols, uint32_t symbol_count) {
    std::vector<Anchor> of(symbol_count, {0, 0, 0});
    for (size_t i = 0; i < symbols.size(); ++i) {
        Anchor& a = of[symbols[i]];
        if (a.count++ == 0) a = {symbols[i], 1, i};
    }
    std::erase_if(of, [&](const Anchor& a) { return a.count < 2 || a.count * 2 > symbols.size(); });
    std::sort(of.begin(), of.end(), [](const Anchor& a, const Anchor& b) {
        return a.count != b.count ? a.count < b.count : a.first < b.first;
    });
    std::vector<Anchor> result;
    for (const Anchor& a : of) {
        if (result.empty() || result.back().count != a.count) result.push_back(a);
        ++result.back().like_it;
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Anchor& a, const Anchor& b) { return a.like_it > b.like_it; });
    if (result.size() > kMostAnchors) result.resize(kMostAnchors);
    return result;
}

class Comparison {
  public:
    Comparison(const std::vector<uint32_t>& symbols, uint32_t symbol_count)
        : symbols_(symbols), count_(symbol_count, 0) {}

    Period cut_at(const Anchor& anchor) {
        Period period;
        for (size_t i = anchor.first; i < symbols_.size(); ++i)
            if (symbols_[i] == anchor.symbol) period.cuts.push_back(i);
        period.end = symbols_.size();
        std::vector<size_t> lengths;
        for (size_t i = 0; i + 1 < period.cuts.size(); ++i)
            lengths.push_back(period.cuts[i + 1] - period.cuts[i]);
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
        std::nth_element(lengths.begin(), middle, lengths.end());
        period.typical_length = *middle;
        const size_t rest = period.end - period.cuts.back();
        if (static_cast<double>(rest) < kWholePiece * static_cast<double>(period.typical_length)) {
            period.end = period.cuts.back();
            period.cuts.pop_back();
        }
        period.confidence = confidence(period);
        return period;
    }

  private:
    double confidence(const Period& period) {
        const size_t pieces = period.cuts.size();
        const bool believable = pieces >= 2 && period.typical_length >= 2 &&
                                (pieces >= kSureRepetitions || period.typical_length >= kShortPeriod);
        if (!believable) return 0;
        size_t same = 0, all = 0;
        for (size_t i = 0; i + 1 < pieces; ++i) {
            const size_t a = period.cuts[i], b = period.cuts[i + 1];
            const size_t end = i + 2 < pieces ? period.cuts[i + 2] : period.end;
            same += in_common(a, b, end);
            all += std::max(b - a, end - b);
        }
        const double covered =
            static_cast<double>(period.end - period.cuts[0]) / static_cast<double>(symbols_.size());
        const double repeated =
            std::min(1.0, static_cast<double>(pieces) / static_cast<double>(kSureRepetitions));
        return static_cast<double>(same) / static_cast<double>(all) * covered * repeated;
    }

    // Symbols that the pieces [a, b) and [b, end) have in common, with their multiplicity.
    size_t in_common(size_t a, size_t b, size_t end) {
        size_t common = 0;
        for (size_t i = a; i < b; ++i)
            ++count_[symbols_[i]];
        for (size_t i = b; i < end; ++i)
            if (count_[symbols_[i]] > 0) {
                --count_[symbols_[i]];
                ++common;
            }
        for (size_t i = a; i < b; ++i)
            count_[symbols_[i]] = 0;
        return common;
    }

    const std::vector<uint32_t>& symbols_;
    std::vector<uint32_t> count_;
};

}  // namespace

Period find_period(const std::vector<uint32_t>& symbols) {
    Period best;
    if (symbols.size() < 4) return best;
    const uint32_t symbol_count = *std::max_element(symbols.begin(), symbols.end()) + 1;
    Comparison comparison(symbols, symbol_count);
    for (const Anchor& anchor : promising_anchors(symbols, symbol_count)) {
        Period period = comparison.cut_at(anchor);
        if (period.confidence == 0) continue;
        const bool better = period.confidence > best.confidence + kAsGood;
        const bool as_good = period.confidence > best.confidence - kAsGood;
        const bool finer = period.cuts.size() > best.cuts.size();
        const bool earlier = period.cuts.size() == best.cuts.size() && period.cuts[0] < best.cuts[0];
        if (better || (as_good && (finer || earlier))) best = std::move(period);
    }
    return best.confidence >= kLeastConfidence ? best : Period();
}

}  // namespace opsight
