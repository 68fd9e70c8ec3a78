#include "analyze/infer_iterations.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "analyze/capture_times.h"
#include "analyze/graph_cycles.h"
#include "analyze/iteration_inputs.h"
#include "analyze/numbered_layers.h"
#include "analyze/period.h"
#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

constexpr size_t kFewKernels = 8;  // with fewer the ops tell more
constexpr std::string_view kUnevenWords = "the longest takes";
constexpr double kUneven = 5, kOfUneven = 0.5;  // times the median; the confidence that is left
constexpr double kOfGraphLaunches = 0.8;        // confidence in a loop that shows in nothing but its calls
constexpr double kLeastCovered = 0.5;           // of the device work, that a loop must launch
constexpr double kAgainstRange = 0.9;  // confidence where the program has one range around all repetitions

struct Stretch {
    int64_t begin, end;
};

// What one rank did, in the order of time.
struct Repeated {
    PeriodInput input;
    std::vector<int64_t> at;      // begin of the launch or op
    std::vector<uint32_t> row;    // the launching call or the op
    std::vector<Stretch> around;  // its outermost op, module call or range
};

// What tells two launches of one kernel or two calls of one op apart: symbol, op, shapes, dtypes, launch.
using Detail = std::array<uint32_t, 5>;

bool has_backward(const Repeated& s) {
    return std::find(s.input.wanted.begin(), s.input.wanted.end(), true) != s.input.wanted.end();
}

class Inference {
  public:
    Inference(const Profile& profile, const Analysis& analysis)
        : p_(profile), a_(analysis), captures_(find_capture_times(profile)) {}

    Iterations run() {
        std::vector<Repeated> kernels = launched_kernels();
        for (size_t rank = 0; rank < p_.ranks.size(); ++rank) {
            std::string_view what = "kernels";
            Repeated& s = kernels[rank];
            if (s.at.size() < kFewKernels) {
                s = outermost_ops(RankId(rank));
                what = "ops";
            }
            find_units(s, true);
            Period period = period_of_calls(s);
            if (period.cuts.empty()) period = find_period(s.input);
            // A range around all steps of a training: what has backward work is not a layer of one pass.
            if (period.cuts.empty() && has_backward(s)) {
                find_units(s, false);
                period = find_period(s.input);
                period.confidence *= kAgainstRange;
            }
            if (is_of_one_pass(RankId(rank), s, period)) period.cuts.clear();
            if (period.cuts.empty() && period_of_graph(RankId(rank), s, period)) what = "calls";
            add(RankId(rank), s, period, what);
        }
        return std::move(result_);
    }

  private:
    Stretch span_of(size_t row) const { return {p_.host.begin[row], p_.host.begin[row] + p_.host.dur[row]}; }
    RankId rank_of(TrackId track) const { return p_.tracks[track.index()].rank; }

    Stretch outermost(size_t row, bool with_ranges) const {
        const uint32_t top = outermost_[with_ranges][row];
        Stretch found = span_of(top == HostSpanId::kNone ? row : top);
        if (const Interval* c = capture_at(captures_[rank_of(p_.host.track[row]).index()], found.begin))
            found = {c->begin, std::max(found.end, c->end)};
        return found;
    }

    // Of each row the outermost op, module call or range that it is or lies in. Parents come first.
    void find_outermost(bool with_ranges) {
        std::vector<uint32_t>& tops = outermost_[with_ranges];
        if (!tops.empty()) return;
        tops.assign(p_.host.size(), HostSpanId::kNone);
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            if (const HostSpanId parent = a_.parent[row]; parent.valid()) tops[row] = tops[parent.index()];
            const HostKind kind = p_.host.kind[row];
            const bool counts = kind == HostKind::kOp || kind == HostKind::kModule ||
                                (with_ranges && kind == HostKind::kAnnotation);
            if (tops[row] == HostSpanId::kNone && counts) tops[row] = row;
        }
    }

    void append(Repeated& s, size_t row, uint32_t symbol, bool backward, const Detail& detail, int64_t time) {
        s.at.push_back(p_.host.begin[row]);
        s.row.push_back(static_cast<uint32_t>(row));
        s.input.symbols.push_back(symbol);
        s.input.wanted.push_back(backward);
        s.input.details.push_back(
            details_.try_emplace(detail, static_cast<uint32_t>(details_.size())).first->second);
        s.input.time.push_back(time);
    }

    const Op& op_of(size_t op_row) const { return a_.ops[a_.op[p_.host.detail[op_row]].index()]; }

    bool is_backward(size_t op_row) const { return op_of(op_row).direction == Direction::kBackward; }

    Detail detail_of(uint32_t symbol, HostSpanId op, uint32_t config) const {
        if (!op.valid()) return {symbol, 0, 0, 0, config};
        const Op& o = op_of(op.index());
        return {symbol, o.name.value, o.shapes.value, o.dtypes.value, config};
    }

    // Of each rank, in the order of the launches. What one call launched is one symbol: its first kernel.
    std::vector<Repeated> launched_kernels() {
        std::vector<uint32_t> spans;
        for (uint32_t span = 0; span < p_.device.size(); ++span)
            if (a_.kernel[span].valid() && a_.launch[span].valid()) spans.push_back(span);
        std::stable_sort(spans.begin(), spans.end(), [&](uint32_t x, uint32_t y) {
            return a_.host_ns[x] != a_.host_ns[y] ? a_.host_ns[x] < a_.host_ns[y]
                                                  : a_.launch[x] < a_.launch[y];
        });
        std::vector<Repeated> result(p_.ranks.size());
        HostSpanId last;
        for (uint32_t span : spans) {
            Repeated& s = result[rank_of(p_.device.track[span]).index()];
            if (a_.launch[span] == last) {
                s.input.time.back() += p_.device.dur[span];
                continue;
            }
            last = a_.launch[span];
            const HostSpanId op = a_.launch_op[span];
            const uint32_t kernel = a_.kernel[span].value;
            append(s, last.index(), kernel, op.valid() && is_backward(op.index()),
                   detail_of(kernel, op, p_.device.config[span].value), p_.device.dur[span]);
        }
        return result;
    }

    Repeated outermost_ops(RankId rank) {
        const auto is_outermost = [&](size_t row) {
            return p_.host.kind[row] == HostKind::kOp && !a_.op_span[row].valid();
        };
        TrackRows busiest;
        int64_t most = 0;
        for (const TrackRows& rows : track_rows(p_.host.track)) {
            if (rank_of(rows.track) != rank) continue;
            int64_t time = 0;
            for (uint32_t row = rows.first; row < rows.last; ++row)
                if (is_outermost(row)) time += p_.host.dur[row] + 1;
            if (time > most) {
                most = time;
                busiest = rows;
            }
        }
        Repeated s;
        for (uint32_t row = busiest.first; row < busiest.last; ++row)
            if (is_outermost(row)) {
                const uint32_t name = p_.host.name[row].value;
                append(s, row, name, is_backward(row), detail_of(name, HostSpanId(row), 0), p_.host.dur[row]);
            }
        return s;
    }

    // A unit begins where everything before it began before its outermost op, call or range did.
    void find_units(Repeated& s, bool with_ranges) {
        find_outermost(with_ranges);
        s.around.clear();
        for (const uint32_t row : s.row)
            s.around.push_back(outermost(row, with_ranges));
        std::vector<size_t>& unit = s.input.unit;
        unit.resize(s.at.size());
        for (size_t i = 0; i < s.at.size(); ++i) {
            const auto first = std::lower_bound(s.at.begin(), s.at.begin() + static_cast<std::ptrdiff_t>(i),
                                                s.around[i].begin);
            unit[i] = static_cast<size_t>(first - s.at.begin());
            if (unit[i] < i) unit[i] = unit[unit[i]];
        }
    }

    // Where the program calls one network again and again, what it did before the first call was to set up:
    // the values of the weights, the data. Such repetitions are no blocks of a pass either: these lie within
    // a call, or are calls of different modules.
    Period period_of_calls(Repeated& s) {
        s.input.calls = outermost_calls(s);
        Period period;
        const auto is_call = [](uint32_t row) { return row != PeriodInput::kNoCall; };
        if (std::any_of(s.input.calls.begin(), s.input.calls.end(), is_call)) period = find_period(s.input);
        if (!call_the_same(s.input.calls, period)) period.cuts.clear();
        s.input.calls.clear();
        return period;
    }

    // Of each symbol of a sequence the outermost module call that it lies in.
    std::vector<uint32_t> outermost_calls(const Repeated& s) {
        if (call_around_.empty()) {
            call_around_.assign(p_.host.size(), HostSpanId::kNone);
            for (uint32_t row = 0; row < p_.host.size(); ++row) {  // parents come first
                if (const HostSpanId parent = a_.parent[row]; parent.valid())
                    call_around_[row] = call_around_[parent.index()];
                if (call_around_[row] == HostSpanId::kNone && p_.host.kind[row] == HostKind::kModule)
                    call_around_[row] = row;
            }
        }
        std::vector<uint32_t> calls;
        for (const uint32_t row : s.row)
            calls.push_back(call_around_[row]);
        return calls;
    }

    // Whether all repetitions call the same modules.
    bool call_the_same(const std::vector<uint32_t>& calls, const Period& period) const {
        std::set<StringId> first, names;
        for (size_t i = 0; i < period.cuts.size(); ++i) {
            const size_t end = i + 1 < period.cuts.size() ? period.cuts[i + 1] : period.end;
            names.clear();
            for (size_t k = period.cuts[i]; k < end; ++k)
                if (calls[k] != PeriodInput::kNoCall) names.insert(p_.host.name[calls[k]]);
            if (i == 0) first = names;
            if (names.empty() || names != first) return false;
        }
        return true;
    }

    // A loop of one graph launch: what repeats is the work around it. A graph holds a pass, not a part of
    // one, so that there is work of its own before and behind the loop says nothing.
    bool period_of_graph(RankId rank, Repeated& s, Period& period) {
        if (!cycles_) cycles_ = find_graph_cycles(p_, a_);
        const GraphCycle& cycle = (*cycles_)[rank.index()];
        if (cycle.rows.empty() || cycle.share < kLeastCovered) return false;
        s = {};
        for (size_t i = 0; i < cycle.rows.size(); ++i) {
            const uint32_t row = cycle.rows[i];
            // Launches of another graph by the same call are something else.
            const uint32_t symbol = 2 * p_.host.name[row].value + (cycle.launches[i] ? 1 : 0);
            append(s, row, symbol, false, detail_of(symbol, HostSpanId(), 0), 0);
        }
        find_units(s, true);
        period = find_period(s.input);
        period.confidence *= cycle.share * kOfGraphLaunches;
        for (size_t i = 0; i < period.cuts.size(); ++i) {
            const size_t end = i + 1 < period.cuts.size() ? period.cuts[i + 1] : period.end;
            const auto from = cycle.launches.begin();
            if (std::count(from + static_cast<std::ptrdiff_t>(period.cuts[i]),
                           from + static_cast<std::ptrdiff_t>(end), true) != 1) {
                period.cuts.clear();
                break;
            }
        }
        return !period.cuts.empty();
    }

    bool is_of_one_pass(RankId rank, const Repeated& s, const Period& period) const {
        if (period.cuts.empty()) return false;
        std::vector<int64_t> begins;
        for (const size_t cut : period.cuts)
            begins.push_back(s.around[cut].begin);
        return are_parts_of_a_pass(p_, rank, begins, s.around[period.end - 1].end);
    }

    std::vector<int64_t> begins_of(RankId rank, const Repeated& s, const Period& period) {
        std::vector<IterationHead> heads;
        for (const size_t cut : period.cuts)
            heads.push_back(
                {cut > 0 ? s.at[cut - 1] : std::numeric_limits<int64_t>::min(), s.around[cut].begin});
        if (heads.empty()) return {};
        if (inputs_.empty()) {
            find_outermost(true);
            inputs_ = begins_of_inputs(p_, a_, outermost_[true]);
        }
        return begin_with_inputs(heads, inputs_[rank.index()]);
    }

    void add(RankId rank, const Repeated& s, const Period& period, std::string_view what) {
        const std::vector<int64_t> begins = begins_of(rank, s, period);
        for (size_t i = 0; i < period.cuts.size(); ++i) {
            const bool last = i + 1 == period.cuts.size();
            const size_t next = last ? period.end : period.cuts[i + 1];
            Iteration it;
            it.rank = rank;
            it.number = static_cast<int64_t>(i);
            it.begin_ns = begins[i];
            it.end_ns = last ? s.around[next - 1].end : begins[i + 1];
            it.name = it.warmup_reason = StringId(size_t{0});
            result_.list.push_back(it);
        }
        if (period.cuts.empty()) return;
        const double longest = longest_in_medians(period.cuts.size());
        const double confidence = period.confidence * (longest > kUneven ? kOfUneven : 1);
        const bool first = result_.source == IterationSource::kNone;
        if (first)
            result_.description = fmt::format("a period of {} {} seen {} times", period.typical_length, what,
                                              period.cuts.size());
        if (longest > kUneven && result_.description.find(kUnevenWords) == std::string::npos)
            result_.description +=
                fmt::format("; {} {:.0f} times the median: it may be something else than a repetition",
                            kUnevenWords, longest);
        result_.source = IterationSource::kInferred;
        result_.confidence = first ? confidence : std::min(result_.confidence, confidence);
    }

    // Of the last `count` iterations, less the first, which may set things up.
    double longest_in_medians(size_t count) const {
        std::vector<int64_t> times;
        for (size_t i = result_.list.size() - count + 1; i < result_.list.size(); ++i)
            times.push_back(result_.list[i].end_ns - result_.list[i].begin_ns);
        if (times.size() < 2) return 1;
        std::sort(times.begin(), times.end());
        return static_cast<double>(times.back()) /
               static_cast<double>(std::max<int64_t>(1, times[(times.size() - 1) / 2]));
    }

    const Profile& p_;
    const Analysis& a_;
    std::vector<Intervals> captures_;                 // by rank
    std::array<std::vector<uint32_t>, 2> outermost_;  // without and with annotations
    std::vector<std::vector<int64_t>> inputs_;        // begins by rank, once asked for
    std::vector<uint32_t> call_around_;               // of each row the outermost module call around it
    std::optional<std::vector<GraphCycle>> cycles_;   // by rank, once asked for
    absl::flat_hash_map<Detail, uint32_t> details_;
    Iterations result_;
};

}  // namespace

Iterations infer_iterations(const Profile& profile, const Analysis& analysis) {
    return Inference(profile, analysis).run();
}

}  // namespace opsight::analyze
