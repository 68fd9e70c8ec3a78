#include "analyze/period.h"

#include <algorithm>
#include <numeric>

namespace opsight {
namespace {

constexpr double kLeastAlike = 0.85;  // of the symbols of successive pieces, in common
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
    Comparison(const PeriodInput& input, uint32_t symbol_count)
        : input_(input), symbols_(input.symbols), count_(symbol_count, 0) {}

    Period cut_at(const Anchor& anchor) {
        Period period;
        for (size_t i = anchor.first; i < symbols_.size(); ++i)
            if (symbols_[i] == anchor.symbol) period.cuts.push_back(unit_of(i));
        if (std::adjacent_find(period.cuts.begin(), period.cuts.end()) != period.cuts.end()) return {};
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
    size_t unit_of(size_t i) const { return input_.unit.empty() ? i : input_.unit[i]; }

    double confidence(const Period& period) {
        const size_t pieces = period.cuts.size();
        const bool believable = pieces >= 2 && period.typical_length >= 2 &&
                                (pieces >= kSureRepetitions || period.typical_length >= kShortPeriod);
        if (!believable || lacks_wanted(period) || is_inner_part(period)) return 0;
        size_t same = 0, all = 0;
        for (size_t i = 0; i + 1 < pieces; ++i) {
            const size_t a = period.cuts[i], b = period.cuts[i + 1];
            const size_t end = i + 2 < pieces ? period.cuts[i + 2] : period.end;
            same += in_common(a, b, end);
            all += std::max(b - a, end - b);
        }
        const double alike = static_cast<double>(same) / static_cast<double>(all);
        if (alike < kLeastAlike) return 0;
        const double covered =
            static_cast<double>(period.end - period.cuts[0]) / static_cast<double>(symbols_.size());
        const double repeated =
            std::min(1.0, static_cast<double>(pieces) / static_cast<double>(kSureRepetitions));
        return alike * covered * repeated;
    }

    // Whether pieces have none of what some have that each must have.
    bool lacks_wanted(const Period& period) const {
        size_t with = 0;
        for (size_t i = 0; i < period.cuts.size(); ++i) {
            const size_t end = i + 1 < period.cuts.size() ? period.cuts[i + 1] : period.end;
            for (size_t at = period.cuts[i]; at < end && at < input_.wanted.size(); ++at)
                if (input_.wanted[at]) {
                    ++with;
                    break;
                }
        }
        const bool any = std::find(input_.wanted.begin(), input_.wanted.end(), true) != input_.wanted.end();
        return any && with < period.cuts.size();
    }

    // Whether there are symbols both before the pieces and at their end that the rest of them has not.
    bool is_inner_part(const Period& period) {
        const size_t first = period.cuts.front(), last = period.cuts.back();
        const bool head = has_strangers(0, first, first, period.end);
        return head && has_strangers(last, symbols_.size(), first, last);
    }
    bool has_strangers(size_t from, size_t to, size_t known_from, size_t known_to) {
        for (size_t i = known_from; i < known_to; ++i)
            ++count_[symbols_[i]];
        bool found = false;
        for (size_t i = from; i < to; ++i)
            found |= count_[symbols_[i]] == 0;
        for (size_t i = known_from; i < known_to; ++i)
            count_[symbols_[i]] = 0;
        return found;
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

    const PeriodInput& input_;
    const std::vector<uint32_t>& symbols_;
    std::vector<uint32_t> count_;
};

}  // namespace

Period find_period(const PeriodInput& input) {
    const std::vector<uint32_t>& symbols = input.symbols;
    Period best;
    if (symbols.size() < 4) return best;
    const uint32_t symbol_count = *std::max_element(symbols.begin(), symbols.end()) + 1;
    Comparison comparison(input, symbol_count);
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
