#include "analyze/period.h"

#include <algorithm>
#include <utility>

namespace opsight::analyze {
namespace {

constexpr double kLeastAlike = 0.85;  // of the symbols of successive pieces, in common
constexpr double kLeastConfidence = 0.5;
constexpr double kAsGood = 0.01;     // cuts that differ less are equally good
constexpr double kWholePiece = 0.5;  // of the typical length: a shorter last piece was cut off by the end
constexpr double kOneSided = 0.8;    // confidence in pieces that may be the blocks of one pass
constexpr size_t kSureRepetitions = 3;
constexpr size_t kShortPeriod = 8;  // shorter ones have to repeat more often to be believed

struct Anchor {
    uint32_t symbol;
    size_t count, first, last;
    size_t like_it = 0;  // symbols that come as often
};

// Where calls are told, what comes several times in one comes once.
bool in_one_call(const PeriodInput& input, size_t i, size_t earlier) {
    return !input.calls.empty() && input.calls[i] != PeriodInput::kNoCall &&
           input.calls[i] == input.calls[earlier];
}

// One anchor for each number of occurrences, those shared by most symbols first. Set-up, before `from`, has
// none.
std::vector<Anchor> promising_anchors(const PeriodInput& input, size_t from, uint32_t symbol_count) {
    const std::vector<uint32_t>& symbols = input.symbols;
    std::vector<Anchor> of(symbol_count, {0, 0, 0, 0});
    for (size_t i = from; i < symbols.size(); ++i) {
        Anchor& a = of[symbols[i]];
        const bool again = a.count > 0 && in_one_call(input, i, a.last);
        if (a.count == 0) a = {symbols[i], 0, i, i};
        if (!again) ++a.count;
        a.last = i;
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
    Comparison(const PeriodInput& input, uint32_t symbol_count, uint32_t detail_count)
        : input_(input), symbols_(input.symbols), count_(symbol_count, 0), holder_(detail_count, kNobody) {
        has_wanted_ = std::find(input.wanted.begin(), input.wanted.end(), true) != input.wanted.end();
        while (first_call_ < input.calls.size() && input.calls[first_call_] == PeriodInput::kNoCall)
            ++first_call_;
    }

    size_t first_call() const { return first_call_; }

    Period cut_at(const Anchor& anchor) {
        Period period;
        size_t last = anchor.first;
        for (size_t i = anchor.first; i < symbols_.size(); ++i) {
            if (symbols_[i] != anchor.symbol) continue;
            if (i == anchor.first || !in_one_call(input_, i, last)) period.cuts.push_back(unit_of(i));
            last = i;
        }
        if (std::adjacent_find(period.cuts.begin(), period.cuts.end()) != period.cuts.end()) return {};
        period.end = symbols_.size();
        std::vector<size_t> lengths;
        for (size_t i = 0; i + 1 < period.cuts.size(); ++i)
            lengths.push_back(period.cuts[i + 1] - period.cuts[i]);
        const size_t longest = *std::max_element(lengths.begin(), lengths.end());
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
        std::nth_element(lengths.begin(), middle, lengths.end());
        period.typical_length = *middle;
        end_last_piece(period, longest);
        drop_partial_ends(period);
        period.confidence = confidence(period);
        return period;
    }

    // Where the whole sequence is one piece many times over, pieces begin with the first of it: what a name
    // that comes once in each begins is a piece's middle.
    Period from_the_first(const Period& found) {
        const size_t length = found.typical_length, size = symbols_.size();
        if (length == 0 || size % length != 0 || found.cuts.front() == 0) return found;
        if (!std::equal(symbols_.begin() + static_cast<std::ptrdiff_t>(length), symbols_.end(),
                        symbols_.begin()))
            return found;
        Period period;
        for (size_t cut = 0; cut < size; cut += length) {
            if (unit_of(cut) != cut) return found;
            period.cuts.push_back(cut);
        }
        period.end = size;
        period.typical_length = length;
        period.confidence = confidence(period);
        return period.confidence >= found.confidence ? period : found;
    }

  private:
    static constexpr uint32_t kNobody = UINT32_MAX, kSeveral = UINT32_MAX - 1;

    size_t unit_of(size_t i) const { return input_.unit.empty() ? i : input_.unit[i]; }

    // The last piece runs to the end of the sequence: too short it was cut off there, too long it has work
    // behind the repetitions.
    void end_last_piece(Period& period, size_t longest) const {
        const size_t last = period.cuts.back(), rest = period.end - last;
        if (static_cast<double>(rest) < kWholePiece * static_cast<double>(period.typical_length)) {
            period.end = last;
            period.cuts.pop_back();
        } else if (rest > longest && unit_of(last + longest) > last) {
            period.end = unit_of(last + longest);
        }
    }

    // A recording begins and ends where it likes: what it cut off is not a repetition.
    void drop_partial_ends(Period& period) {
        std::vector<size_t>& cuts = period.cuts;
        if (cuts.size() > 2 && is_part(cuts.back(), period.end, cuts[cuts.size() - 2], cuts.back())) {
            period.end = cuts.back();
            cuts.pop_back();
        }
        if (cuts.size() > 2 && is_part(cuts[0], cuts[1], cuts[1], cuts[2])) cuts.erase(cuts.begin());
    }

    // Whether the piece [a, a_end) lacks much that the longer one [b, b_end) has.
    bool is_part(size_t a, size_t a_end, size_t b, size_t b_end) {
        if (!input_.calls.empty()) return calls_in(a, a_end) < calls_in(b, b_end);
        const size_t longer = std::max(a_end - a, b_end - b);
        const double alike = static_cast<double>(in_common(a, a_end, b, b_end)) / static_cast<double>(longer);
        return a_end - a < longer && alike < kLeastAlike;
    }

    size_t calls_in(size_t from, size_t to) const {
        size_t count = 0;
        for (size_t i = from; i < to; ++i)
            count += input_.calls[i] != PeriodInput::kNoCall &&
                     (i == from || input_.calls[i] != input_.calls[i - 1]);
        return count;
    }

    double confidence(const Period& period) {
        const size_t pieces = period.cuts.size();
        const bool believable = pieces >= 2 && period.typical_length >= 2 &&
                                (pieces >= kSureRepetitions || period.typical_length >= kShortPeriod);
        if (!believable || lacks_wanted(period)) return 0;
        size_t same = 0, all = 0;
        for (size_t i = 0; i + 1 < pieces; ++i) {
            const size_t a = period.cuts[i], b = period.cuts[i + 1];
            const size_t end = i + 2 < pieces ? period.cuts[i + 2] : period.end;
            same += in_common(a, b, b, end);
            all += std::max(b - a, end - b);
        }
        const double alike = static_cast<double>(same) / static_cast<double>(all);
        if (alike < kLeastAlike) return 0;
        const bool details_tell = details_repeat(period);
        const bool head = is_own_head(period, details_tell), tail = has_own_tail(period, details_tell);
        if (head && tail) return 0;
        const double repeated =
            std::min(1.0, static_cast<double>(pieces) / static_cast<double>(kSureRepetitions));
        // As the kernels of a block.
        const bool few = period.typical_length < kShortPeriod && input_.calls.empty();
        const double doubt = (head || tail || few) && !has_wanted_ ? kOneSided : 1;
        return alike * covered(period) * repeated * doubt;
    }

    // Share of the symbols or of their time that lies in the pieces, whichever is less.
    double covered(const Period& period) const {
        const size_t first = period.cuts[0], from = std::min(first, first_call_);
        const double symbols =
            static_cast<double>(period.end - first) / static_cast<double>(symbols_.size() - from);
        const double all = time_of(from, symbols_.size());
        return all <= 0 ? symbols : std::min(symbols, time_of(first, period.end) / all);
    }

    double time_of(size_t from, size_t to) const {
        double time = 0;
        for (size_t i = from; i < to && i < input_.time.size(); ++i)
            time += static_cast<double>(input_.time[i]);
        return time;
    }

    // Whether pieces have none of what some have that each must have.
    bool lacks_wanted(const Period& period) const {
        if (!has_wanted_) return false;
        for (size_t i = 0; i < period.cuts.size(); ++i) {
            const size_t end = i + 1 < period.cuts.size() ? period.cuts[i + 1] : period.end;
            const auto wanted = input_.wanted.begin();
            const auto from = wanted + static_cast<std::ptrdiff_t>(period.cuts[i]);
            const auto to = wanted + static_cast<std::ptrdiff_t>(end);
            if (std::find(from, to, true) == to) return true;
        }
        return false;
    }

    // Details say nothing where most pieces have some of their own, as the shapes of a growing sequence.
    bool details_repeat(const Period& period) {
        if (input_.details.empty()) return false;
        const size_t pieces = period.cuts.size();
        for (size_t piece = 0; piece + 1 < pieces; ++piece)
            for (size_t i = period.cuts[piece]; i < period.cuts[piece + 1]; ++i) {
                uint32_t& holder = holder_[input_.details[i]];
                const auto here = static_cast<uint32_t>(piece);
                holder = holder == kNobody || holder == here ? here : kSeveral;
            }
        std::vector<bool> alone(pieces, false);
        for (size_t i = period.cuts.front(); i < period.cuts.back(); ++i) {
            uint32_t& holder = holder_[input_.details[i]];
            if (holder < kSeveral) alone[holder] = true;
            holder = kNobody;
        }
        const auto with = static_cast<size_t>(std::count(alone.begin(), alone.end(), true));
        return with * 2 < pieces;
    }

    // Whether what stands before the pieces is not a repetition whose begin was not recorded.
    bool is_own_head(const Period& period, bool details_tell) {
        const size_t first = period.cuts.front(), from = std::min(first, first_call_);
        if (first == from) return false;
        if (has_strangers(from, first, first, period.end, details_tell)) return true;
        const size_t next = period.cuts[1], length = std::min(first - from, next - first);
        return first - from > length || !alike_part(from, first, next - length, next);
    }

    // Whether the last piece has what no other has, or what follows it is not a repetition that was cut off.
    bool has_own_tail(const Period& period, bool details_tell) {
        const size_t first = period.cuts.front(), last = period.cuts.back(), size = symbols_.size();
        if (has_strangers(last, size, first, last, details_tell) || has_more(period)) return true;
        const size_t rest = size - period.end, length = std::min(rest, last - first);
        return rest > length || (rest > 0 && !alike_part(period.end, size, first, first + length));
    }

    bool alike_part(size_t a, size_t a_end, size_t b, size_t b_end) {
        return static_cast<double>(in_common(a, a_end, b, b_end)) >=
               kLeastAlike * static_cast<double>(a_end - a);
    }

    bool has_strangers(size_t from, size_t to, size_t known_from, size_t known_to, bool details_tell) {
        return strangers(symbols_, count_, from, to, known_from, known_to) ||
               (details_tell && strangers(input_.details, holder_, from, to, known_from, known_to));
    }
    // `marks` is left as it was.
    static bool strangers(const std::vector<uint32_t>& of, std::vector<uint32_t>& marks, size_t from,
                          size_t to, size_t known_from, size_t known_to) {
        if (known_from == known_to) return from < to;
        const uint32_t before = marks[of[known_from]], known = before + 1;
        for (size_t i = known_from; i < known_to; ++i)
            marks[of[i]] = known;
        bool found = false;
        for (size_t i = from; i < to && !found; ++i)
            found = marks[of[i]] != known;
        for (size_t i = known_from; i < known_to; ++i)
            marks[of[i]] = before;
        return found;
    }

    // Whether the last piece has more of some symbols than any other, and exceeds the others by more than any
    // of them exceeds the rest.
    bool has_more(const Period& period) {
        struct Most {
            uint32_t first = 0, second = 0, piece = 0;
        };
        std::vector<Most> most(count_.size());
        const size_t pieces = period.cuts.size();
        for (size_t piece = 0; piece < pieces; ++piece) {
            const size_t from = period.cuts[piece];
            const size_t to = piece + 1 < pieces ? period.cuts[piece + 1] : period.end;
            for (size_t i = from; i < to; ++i)
                ++count_[symbols_[i]];
            for (size_t i = from; i < to; ++i) {
                const uint32_t count = std::exchange(count_[symbols_[i]], 0);
                Most& m = most[symbols_[i]];
                if (count > m.first)
                    m = {count, m.first, static_cast<uint32_t>(piece)};
                else
                    m.second = std::max(m.second, count);
            }
        }
        std::vector<size_t> excess(pieces, 0);
        for (const Most& m : most)
            excess[m.piece] += m.first - m.second;
        return excess.back() > *std::max_element(excess.begin(), excess.end() - 1);
    }

    // Symbols that [a, a_end) and [b, b_end) have in common, with their multiplicity.
    size_t in_common(size_t a, size_t a_end, size_t b, size_t b_end) {
        size_t common = 0;
        for (size_t i = a; i < a_end; ++i)
            ++count_[symbols_[i]];
        for (size_t i = b; i < b_end; ++i)
            if (count_[symbols_[i]] > 0) {
                --count_[symbols_[i]];
                ++common;
            }
        for (size_t i = a; i < a_end; ++i)
            count_[symbols_[i]] = 0;
        return common;
    }

    const PeriodInput& input_;
    const std::vector<uint32_t>& symbols_;
    std::vector<uint32_t> count_;   // by symbol, 0 between uses
    std::vector<uint32_t> holder_;  // by detail, kNobody between uses
    bool has_wanted_ = false;
    size_t first_call_ = 0;
};

}  // namespace

Period find_period(const PeriodInput& input) {
    const std::vector<uint32_t>& symbols = input.symbols;
    Period best;
    if (symbols.size() < 4) return best;
    const uint32_t symbol_count = *std::max_element(symbols.begin(), symbols.end()) + 1;
    const uint32_t detail_count =
        input.details.empty() ? 0 : *std::max_element(input.details.begin(), input.details.end()) + 1;
    Comparison comparison(input, symbol_count, detail_count);
    for (const Anchor& anchor : promising_anchors(input, comparison.first_call(), symbol_count)) {
        Period period = comparison.cut_at(anchor);
        if (period.confidence == 0) continue;
        period = comparison.from_the_first(period);
        const bool better = period.confidence > best.confidence + kAsGood;
        const bool as_good = period.confidence > best.confidence - kAsGood;
        const bool finer = period.cuts.size() > best.cuts.size();
        const bool earlier = period.cuts.size() == best.cuts.size() && period.cuts[0] < best.cuts[0];
        if (better || (as_good && (finer || earlier))) best = std::move(period);
    }
    return best.confidence >= kLeastConfidence ? best : Period();
}

}  // namespace opsight::analyze
