#include "analyze/iterations.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <limits>
#include <span>

#include "analyze/open_spans.h"
#include "analyze/recording_pauses.h"
#include "base/text.h"
#include "model/marks/serving_step.h"

namespace opsight::analyze {
namespace {

constexpr int64_t kLeastTimesRounding = 100;  // so much longer than it are iterations, at least
constexpr int64_t kTimesTheLongerOfTwo = 10;  // of two nobody knows how far they vary

void sort_by_end(std::vector<IterationCandidate>& c) {
    std::stable_sort(c.begin(), c.end(), [](const IterationCandidate& a, const IterationCandidate& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.end < b.end;
    });
}

void sort_by_begin(std::vector<IterationCandidate>& c) {
    std::stable_sort(c.begin(), c.end(), [](const IterationCandidate& a, const IterationCandidate& b) {
        if (a.rank != b.rank) return a.rank < b.rank;
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
}

void push(Iterations& iterations, RankId rank, int64_t begin, int64_t end, StringId name) {
    const bool same_rank = !iterations.list.empty() && iterations.list.back().rank == rank;
    Iteration it;
    it.rank = rank;
    it.number = same_rank ? iterations.list.back().number + 1 : 0;
    it.begin_ns = begin;
    it.end_ns = end;
    it.name = name;
    it.warmup_reason = StringId(size_t{0});
    iterations.list.push_back(it);
}

// Whether two spans abut but for the rounding of the source's times, which begin and duration have each.
bool overlap_by_rounding(const Iteration& before, const IterationCandidate& next) {
    const int64_t shorter = std::min(before.end_ns - before.begin_ns, next.end - next.begin);
    return before.end_ns - next.begin <= std::min(kRoundingNs, shorter / kLeastTimesRounding);
}

Iterations from_spans(std::vector<IterationCandidate> candidates, IterationSource source) {
    sort_by_begin(candidates);
    Iterations result;
    for (const IterationCandidate& c : candidates) {
        if (c.end <= c.begin) continue;
        if (!result.list.empty() && result.list.back().rank == c.rank) {
            Iteration& before = result.list.back();
            if (overlap_by_rounding(before, c)) before.end_ns = std::min(before.end_ns, c.begin);
            if (before.end_ns > c.begin) continue;
        }
        push(result, c.rank, c.begin, c.end, c.name);
    }
    if (!result.list.empty()) {
        result.source = source;
        result.confidence = 1;
    }
    return result;
}

constexpr std::string_view kPrefill = "prefill", kDecode = "decode";

bool is_step_of_server(std::string_view kind) {
    return kind == kPrefill || kind == kDecode;
}

// What marks have in common that are of one kind of step: all but their numbers. Of a server's, whether
// sequences are read for the first time.
std::string step_kind(std::string_view name) {
    if (const auto step = marks::serving_step(name))
        return std::string(step->prefill > 0 ? kPrefill : kDecode);
    std::string kind;
    for (const char c : name)
        if (c < '0' || c > '9')
            kind += c;
        else if (!kind.ends_with('#'))
            kind += '#';
    return kind;
}

double median(std::vector<double>& values) {
    const size_t middle = values.size() / 2;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(middle);
    std::nth_element(values.begin(), at, values.end());
    if (values.size() % 2) return *at;
    return (*at + *std::max_element(values.begin(), at)) / 2;
}

// Whether `first` stands out from the durations after it.
bool stands_out(int64_t first, const std::vector<int64_t>& rest) {
    std::vector<double> values(rest.begin(), rest.end());
    const double middle = median(values);
    for (double& value : values)
        value = std::abs(value - middle);
    const double deviation = median(values);
    return static_cast<double>(first) > middle + std::max(3 * deviation, kLeastSlower * middle);
}

// Whether iterations as long as `first` come again among shorter ones: a batch that a worker loads in every
// third is no warm-up. One alone may be chance, but where it is as long as the first, all others are much
// shorter, and it is not the last, which may hold what comes behind the loop.
bool comes_again(int64_t first, const std::vector<int64_t>& rest) {
    constexpr double kAsLong = 0.9, kMuchShorter = 0.5;
    const auto of_first = [first](int64_t part) {
        return static_cast<double>(part) / static_cast<double>(first);
    };
    const auto as_long = [&](int64_t each) { return of_first(each) >= kAsLong; };
    const auto shorter = std::find_if_not(rest.begin(), rest.end(), as_long);
    const std::ptrdiff_t count = std::count_if(shorter, rest.end(), as_long);
    if (count != 1) return count > 1;
    const auto again = std::find_if(shorter, rest.end(), as_long);
    return again + 1 != rest.end() && of_first(*again) <= 1 / kAsLong &&
           std::all_of(rest.begin(), rest.end(), [&](const int64_t& each) {
               return &each == &*again || of_first(each) < kMuchShorter;
           });
}

// Of the iterations of one rank.
class SlowStart {
  public:
    SlowStart(Iteration* begin, Iteration* end, const NameOf& name_of,
              const std::vector<RecordingPause>& pauses)
        : list_(begin, end) {
        if (name_of)
            for (const Iteration& it : list_)
                kinds_.push_back(step_kind(name_of(it.name)));
        measure(pauses);
    }

    void mark(const Intern& intern) {
        const size_t slow = slow_ones();
        for (size_t i = 0; i < slow - alike_at_the_end(slow); ++i) {
            list_[i].warmup = true;
            list_[i].warmup_reason = intern("slower than the iterations after it");
        }
    }

  private:
    size_t slow_ones() const {
        for (size_t i = 0; i < times_.size(); ++i) {
            const std::vector<int64_t> rest = after(i);
            if (rest.size() + 1 < kFewestRest || !stands_out(times_[i], rest) || comes_again(times_[i], rest))
                return i;
            const bool dwarfs_all =
                times_[i] / kTimesTheLongerOfTwo >= *std::max_element(rest.begin(), rest.end());
            if (rest.size() + 1 == kFewestRest && !dwarfs_all) return i;
        }
        return times_.size();
    }

    // A start is slow for a while, and less and less so: several that take equally long do other work than
    // those after them (another network, another phase of the training).
    size_t alike_at_the_end(size_t slow) const {
        constexpr size_t kFewest = 4;
        constexpr double kAlike = 1.15;
        size_t count = 0;
        int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
        for (; count < slow; ++count) {
            least = std::min(least, times_[slow - 1 - count]);
            most = std::max(most, times_[slow - 1 - count]);
            if (static_cast<double>(most) > kAlike * static_cast<double>(least)) break;
        }
        return count >= kFewest ? count : 0;
    }

    // Marks of little of the time say little of it: then an iteration takes until the next one begins, and
    // what the last takes is not known.
    void measure(const std::vector<RecordingPause>& pauses) {
        constexpr int64_t kFar = 2;
        const auto recorded = [&](const Iteration& from, const Iteration& to) {
            return to.begin_ns - from.begin_ns - paused_ns(pauses, from.rank, from.begin_ns, to.begin_ns);
        };
        for (const Iteration& it : list_)
            times_.push_back(it.end_ns - it.begin_ns);
        if (list_.size() < 2) return;
        int64_t marked = 0;
        for (size_t i = 0; i + 1 < list_.size(); ++i)
            marked += times_[i];
        if (recorded(list_[0], list_.back()) / kFar <= marked) return;
        times_.pop_back();
        for (size_t i = 0; i < times_.size(); ++i)
            times_[i] = recorded(list_[i], list_[i + 1]);
    }

    // The times behind this one, of its kind; of a mark of which there are too few others, all.
    std::vector<int64_t> after(size_t i) const {
        std::vector<int64_t> alike;
        for (size_t k = i + 1; k < times_.size(); ++k)
            if (kinds_.empty() || kinds_[k] == kinds_[i]) alike.push_back(times_[k]);
        const bool told = !kinds_.empty() && is_step_of_server(kinds_[i]);
        if (alike.size() + 1 >= kFewestRest || told) return alike;
        return {times_.begin() + static_cast<std::ptrdiff_t>(i) + 1, times_.end()};
    }

    std::span<Iteration> list_;
    std::vector<std::string> kinds_;
    std::vector<int64_t> times_;
};

}  // namespace

Iterations iterations_from_key_op(std::vector<IterationCandidate> candidates,
                                  const std::vector<RankBegin>& ranks, std::string_view key_op) {
    sort_by_end(candidates);
    Iterations result;
    for (auto rank = ranks.begin(); rank != ranks.end();) {
        const auto next_rank =
            std::find_if(rank, ranks.end(), [&](const RankBegin& other) { return other.rank != rank->rank; });
        int64_t begin = rank->begin, last_end = rank->begin;
        bool first = true;
        auto it =
            std::lower_bound(candidates.begin(), candidates.end(), rank->rank,
                             [](const IterationCandidate& c, RankId wanted) { return c.rank < wanted; });
        for (auto anew = rank + 1; it != candidates.end() && it->rank == rank->rank; ++it) {
            const IterationCandidate& c = *it;
            if (c.end <= begin) continue;
            for (; anew != next_rank && anew->begin <= c.begin; ++anew)
                begin = std::max(begin, anew->begin);
            if (!first && c.begin < last_end) {  // overlaps the instance before: one cut, at the later end
                result.list.back().end_ns = begin = last_end = c.end;
                continue;
            }
            push(result, rank->rank, begin, c.end, c.name);
            begin = last_end = c.end;
            first = false;
        }
        rank = next_rank;
    }
    if (result.list.empty()) return result;
    result.source = IterationSource::kKeyOp;
    result.confidence = 1;
    result.description = fmt::format("{} x {}", result.list.size(), key_op);
    return result;
}

Iterations iterations_from_ranges(std::vector<IterationCandidate> candidates, std::string_view pattern) {
    Iterations result = from_spans(std::move(candidates), IterationSource::kRangeRegex);
    if (!result.list.empty())
        result.description = fmt::format("{} ranges match {}", result.list.size(), pattern);
    return result;
}

Iterations iterations_from_markers(std::vector<IterationCandidate> candidates) {
    return from_spans(std::move(candidates), IterationSource::kStepMarker);
}

void mark_warmup(Iterations& iterations, const std::vector<WarmupEvent>& events, const Intern& intern,
                 const NameOf& name_of, const std::vector<RecordingPause>& pauses) {
    std::vector<Iteration>& list = iterations.list;
    for (size_t first = 0; first < list.size();) {
        size_t last = first;
        while (last < list.size() && list[last].rank == list[first].rank)
            ++last;
        SlowStart(list.data() + first, list.data() + last, name_of, pauses).mark(intern);
        first = last;
    }
    for (const WarmupEvent& event : events) {
        const auto after =
            std::upper_bound(list.begin(), list.end(), event, [](const WarmupEvent& e, const Iteration& it) {
                return e.rank != it.rank ? e.rank < it.rank : e.time < it.begin_ns;
            });
        if (after == list.begin()) continue;
        Iteration& it = *(after - 1);
        if (it.rank != event.rank || event.time >= it.end_ns) continue;
        it.warmup = true;
        it.warmup_reason = intern(event.reason);
    }
}

std::vector<WarmupEvent> cut_heads(const Iterations& iterations, const std::vector<RankBegin>& kept_from) {
    const bool marked = iterations.source == IterationSource::kStepMarker ||
                        iterations.source == IterationSource::kRangeRegex;
    std::vector<WarmupEvent> events;
    const std::vector<Iteration>& list = iterations.list;
    for (size_t i = 0; i < list.size(); ++i) {
        const auto kept =
            std::lower_bound(kept_from.begin(), kept_from.end(), list[i].rank,
                             [](const RankBegin& each, RankId rank) { return each.rank < rank; });
        if (kept == kept_from.end() || kept->rank != list[i].rank) continue;
        const bool first = i == 0 || list[i - 1].rank != list[i].rank;
        if (list[i].begin_ns <= kept->begin || (first && !marked))
            events.push_back({list[i].rank, list[i].begin_ns, kCutHead});
    }
    return events;
}

Status check_range_pattern(std::string_view pattern) {
    const re2::RE2 re(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet);
    if (re.ok()) return {};
    return fail(
        Error{fmt::format("the pattern \"{}\" of --iteration-range is not valid: {}", pattern, re.error()),
              {},
              {},
              "use RE2 syntax, e.g. 'step\\[\\d+\\]'",
              2});
}

struct RangePattern::Impl {
    re2::RE2 re;
};

RangePattern::RangePattern(std::string_view pattern)
    : impl_(new Impl{re2::RE2(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet)}) {}

RangePattern::~RangePattern() = default;

bool RangePattern::matches(std::string_view name) const {
    return impl_->re.ok() && re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), impl_->re);
}

IterationIndex::IterationIndex(const std::vector<Iteration>& list) {
    for (const Iteration& it : list) {
        if (it.rank.index() >= by_rank_.size()) by_rank_.resize(it.rank.index() + 1);
        by_rank_[it.rank.index()].push_back({it.begin_ns, it.end_ns, static_cast<int32_t>(it.number)});
    }
}

int32_t IterationIndex::at(RankId rank, int64_t time) const {
    if (rank.index() >= by_rank_.size()) return -1;
    const std::vector<Stretch>& stretches = by_rank_[rank.index()];
    const auto after = std::upper_bound(stretches.begin(), stretches.end(), time,
                                        [](int64_t t, const Stretch& s) { return t < s.begin; });
    if (after == stretches.begin()) return -1;
    const Stretch& stretch = *(after - 1);
    return time < stretch.end ? stretch.number : -1;
}

}  // namespace opsight::analyze
