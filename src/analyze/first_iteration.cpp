#include "analyze/first_iteration.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

// A stretch of spans that the other iterations lack is passed over for more than so many that they have.
constexpr int64_t kCostOfStretch = 2;
// Of the spans of an iteration the first one must have so many to be cut.
constexpr double kHeld = 0.75;

struct Outermost {
    StringId name;
    int64_t begin;
    bool module;
};

struct OfThread {
    std::vector<Outermost> first;  // those of the first iteration
    // How often each later iteration has a name, of those that have it.
    std::unordered_map<uint32_t, std::vector<uint32_t>> later;
    size_t later_with_rows = 0;
};

bool is_counted(HostKind kind) {
    return kind == HostKind::kOp || kind == HostKind::kAnnotation || kind == HostKind::kDataLoad ||
           kind == HostKind::kModule || kind == HostKind::kPythonFrame;
}

// The spans of a thread that lie in an iteration as a whole, and in no other such span.
class ThreadWalk {
  public:
    ThreadWalk(const Profile& profile, const Iteration* begin, const Iteration* end)
        : p_(profile), first_(begin), at_(begin), end_(end) {}

    OfThread walk(const TrackRows& rows) {
        for (size_t row = rows.first; row < rows.last; ++row) {
            const int64_t begin = p_.host.begin[row], ends = begin + p_.host.dur[row];
            while (at_ != end_ && at_->end_ns <= begin)
                next_iteration();
            if (at_ == end_) break;
            if (begin < at_->begin_ns || begin < covered_ || ends > at_->end_ns) continue;
            if (!is_counted(p_.host.kind[row])) continue;
            covered_ = ends;
            add(row);
        }
        if (at_ != end_) next_iteration();
        return std::move(found_);
    }

  private:
    void add(size_t row) {
        if (at_ == first_)
            found_.first.push_back(
                {p_.host.name[row], p_.host.begin[row], p_.host.kind[row] == HostKind::kModule});
        else
            ++counts_[p_.host.name[row].value];
    }
    void next_iteration() {
        for (const auto& [name, count] : counts_)
            found_.later[name].push_back(count);
        found_.later_with_rows += !counts_.empty();
        counts_.clear();
        ++at_;
    }

    const Profile& p_;
    const Iteration *first_, *at_, *end_;
    int64_t covered_ = std::numeric_limits<int64_t>::min();
    std::unordered_map<uint32_t, uint32_t> counts_;  // of the iteration at hand
    OfThread found_;
};

// How many spans of each name at least half of `iterations` have.
std::unordered_map<uint32_t, int64_t> usual_counts(OfThread& thread, size_t iterations) {
    std::unordered_map<uint32_t, int64_t> usual;
    for (auto& [name, counts] : thread.later) {
        const size_t without = iterations - counts.size(), half = iterations / 2;
        if (without > half) continue;
        const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(half - without);
        std::nth_element(counts.begin(), middle, counts.end());
        usual[name] = *middle;
    }
    return usual;
}

struct Fit {
    size_t begin = 0;  // of the spans of the first iteration
    int64_t held = 0;  // spans from there on that are as the others'
};

// Back from the end of the first iteration as far as its spans are as those of the others.
Fit fit_of(const std::vector<Outermost>& first, std::unordered_map<uint32_t, int64_t> left) {
    Fit best{first.size(), 0};
    int64_t held = 0, score = 0, best_score = 0;
    bool passing = false;
    for (size_t i = first.size(); i-- > 0;) {
        const auto known = left.find(first[i].name.value);
        const bool fits = known != left.end() && known->second > 0;
        if (fits) {
            --known->second;
            ++held, ++score;
        } else if (!passing) {
            score -= kCostOfStretch;
        }
        passing = !fits;
        if (score > best_score) best_score = score, best = {i, held};
    }
    return best;
}

// Where the first iteration begins on a thread; nothing where the others have nothing there.
std::optional<int64_t> begin_on(OfThread& thread, size_t iterations) {
    const std::vector<Outermost>& first = thread.first;
    if (first.empty() || thread.later_with_rows * 2 < iterations) return std::nullopt;
    const std::unordered_map<uint32_t, int64_t> usual = usual_counts(thread, iterations);
    int64_t expected = 0;
    for (const auto& [name, count] : usual)
        expected += count;
    const Fit fit = fit_of(first, usual);
    const bool enough =
        fit.held > 0 && static_cast<double>(fit.held) >= kHeld * static_cast<double>(expected);
    const auto set_up_ends = first.begin() + static_cast<std::ptrdiff_t>(fit.begin);
    const bool own_modules = std::any_of(first.begin(), set_up_ends, [&](const Outermost& span) {
        return span.module && !usual.contains(span.name.value);
    });
    return (enough && !own_modules ? *set_up_ends : first.front()).begin;
}

void leave_out_of(const Profile& p, Iteration* first, const Iteration* end) {
    const auto later = static_cast<size_t>(end - first) - 1;
    if (later == 0) return;
    std::optional<int64_t> begin;
    for (const TrackRows& rows : track_rows(p.host.track)) {
        const Track& track = p.tracks[rows.track.index()];
        if (track.rank != first->rank || track.kind == TrackKind::kOther) continue;
        OfThread thread = ThreadWalk(p, first, end).walk(rows);
        const std::optional<int64_t> here = begin_on(thread, later);
        if (here && (!begin || *here < *begin)) begin = here;
    }
    if (begin && *begin > first->begin_ns && *begin < first->end_ns) first->begin_ns = *begin;
}

}  // namespace

void leave_set_up_out(const Profile& profile, std::vector<Iteration>& iterations) {
    Iteration* const end = iterations.data() + iterations.size();
    for (Iteration* first = iterations.data(); first != end;) {
        Iteration* last = first;
        while (last != end && last->rank == first->rank)
            ++last;
        leave_out_of(profile, first, last);
        first = last;
    }
}

}  // namespace opsight::analyze
