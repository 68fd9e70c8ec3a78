#include "analyze/find_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "analyze/first_iteration.h"
#include "analyze/infer_iterations.h"
#include "analyze/names.h"
#include "analyze/optimizer_steps.h"
#include "analyze/recording_pauses.h"
#include "analyze/step_markers.h"
#include "analyze/track_rows.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

IterationCandidate candidate(const Profile& p, size_t row) {
    return {p.tracks[p.host.track[row].index()].rank, p.host.begin[row], p.host.begin[row] + p.host.dur[row],
            p.host.name[row]};
}

bool is_range(HostKind kind) {
    return kind == HostKind::kOp || kind == HostKind::kAnnotation || kind == HostKind::kDataLoad;
}

// The spans whose names mean something to iterations, found in one pass.
class NamedSpans {
  public:
    explicit NamedSpans(const Profile& profile) : p_(profile) {
        NameTable names(profile.strings);
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            const NameClass name = names[p_.host.name[row]];
            if (name != NameClass::kPlain && name != NameClass::kBackward &&
                name != NameClass::kGradientScope && name != NameClass::kOptimizerScope)
                rows_.push_back({row, name});
        }
    }
    std::vector<Marked> ranges(NameClass wanted) const {
        std::vector<Marked> result;
        for (const auto& [row, name] : rows_)
            if (name == wanted && is_range(p_.host.kind[row]))
                result.push_back({candidate(p_, row), p_.host.track[row]});
        return result;
    }
    std::vector<IterationCandidate> candidates(NameClass wanted) const {
        std::vector<IterationCandidate> result;
        for (const Marked& m : ranges(wanted))
            result.push_back(m.span);
        return result;
    }
    const std::vector<std::pair<uint32_t, NameClass>>& rows() const { return rows_; }

  private:
    const Profile& p_;
    std::vector<std::pair<uint32_t, NameClass>> rows_;
};

Iterations by_markers(const Profile& p, const NamedSpans& spans) {
    return iterations_by_markers(p, spans.ranges(NameClass::kStepMarker),
                                 spans.candidates(NameClass::kOptimizerStep));
}

// Whether the source told each optimizer a name of its own.
bool optimizers_told_apart(const Profile& p) {
    return std::any_of(p.info.properties.begin(), p.info.properties.end(),
                       [](const auto& property) { return property.first == "optimizers"; });
}

// Steps of one thread that do not overlap. Linear.
void count_ops(const Profile& p, std::vector<OptimizerStep>& steps) {
    std::vector<TrackRows> tracks(p.tracks.size());
    for (const TrackRows& rows : track_rows(p.host.track))
        tracks[rows.track.index()] = rows;
    for (OptimizerStep& step : steps) {
        const TrackRows& rows = tracks[step.thread.index()];
        const auto begins = p.host.begin.begin();
        auto row = static_cast<size_t>(
            std::lower_bound(begins + rows.first, begins + rows.last, step.span.begin) - begins);
        for (; row < rows.last && p.host.begin[row] < step.span.end; ++row)
            step.ops += p.host.kind[row] == HostKind::kOp;
    }
}

std::vector<OptimizerStep> all_optimizer_steps(const Profile& p, const NamedSpans& spans) {
    std::vector<OptimizerStep> steps;
    for (const Marked& m : spans.ranges(NameClass::kOptimizerStep))
        steps.push_back({m.span, p.tracks[m.track.index()].pid, m.span.name.value, false, m.track});
    return steps;
}

std::vector<OptimizerStep> outermost_optimizer_steps(const Profile& p, std::vector<OptimizerStep> all) {
    std::vector<OptimizerStep> steps = outermost_steps(std::move(all));
    count_ops(p, steps);
    // Processes that step by turns are not restarts.
    std::set<std::pair<RankId, int64_t>> processes;
    size_t changes = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
        processes.emplace(steps[i].span.rank, steps[i].process);
        changes += i == 0 || steps[i].span.rank != steps[i - 1].span.rank ||
                   steps[i].process != steps[i - 1].process;
    }
    if (changes > processes.size())
        for (OptimizerStep& step : steps)
            step.process = 0;
    return steps;
}

// Where a rank's first iteration begins: what is open until after its first step (an epoch, the frame of a
// main()) tells nothing of that.
int64_t begin_of_first(const Profile& p, const std::vector<OptimizerStep>& steps, const RankBegin& rank) {
    int64_t first_end = std::numeric_limits<int64_t>::max();
    for (const OptimizerStep& step : steps)
        if (step.span.rank == rank.rank) first_end = std::min(first_end, step.span.end);
    int64_t begin = first_end;
    for (const TrackRows& rows : track_rows(p.host.track)) {
        const Track& track = p.tracks[rows.track.index()];
        if (track.rank != rank.rank || track.kind == TrackKind::kOther) continue;
        for (size_t row = rows.first; row < rows.last && p.host.begin[row] < begin; ++row)
            if (p.host.begin[row] + p.host.dur[row] <= first_end) begin = p.host.begin[row];
    }
    return begin == std::numeric_limits<int64_t>::max() ? rank.begin : std::max(begin, rank.begin);
}

// The begins of ranks, and where a process goes on with a rank's steps after another one.
std::vector<RankBegin> begins_of(const Profile& p, const std::vector<OptimizerStep>& steps) {
    std::vector<RankBegin> begins = rank_begins(p);
    for (RankBegin& begin : begins)
        begin.begin = begin_of_first(p, steps, begin);
    std::map<std::pair<RankId, int64_t>, int64_t> of_process;
    for (const TrackRows& rows : track_rows(p.host.track)) {
        const Track& track = p.tracks[rows.track.index()];
        const auto [known, is_new] =
            of_process.try_emplace({track.rank, track.pid}, p.host.begin[rows.first]);
        if (!is_new) known->second = std::min(known->second, p.host.begin[rows.first]);
    }
    for (size_t i = 1; i < steps.size(); ++i)
        if (steps[i].span.rank == steps[i - 1].span.rank && steps[i].process != steps[i - 1].process)
            begins.push_back({steps[i].span.rank, of_process[{steps[i].span.rank, steps[i].process}]});
    std::sort(begins.begin(), begins.end(), [](const RankBegin& a, const RankBegin& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
    });
    return begins;
}

// "84 x SGD.step, 6 x Adam.step": of what ends iterations, the most frequent first.
std::string steps_in_words(const Profile& p, const std::vector<Iteration>& list) {
    std::map<std::string_view, size_t> counts;
    for (const Iteration& each : list)
        ++counts[p.strings.view(each.name)];
    std::vector<std::pair<std::string_view, size_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string_view, size_t>::second);
    constexpr size_t kNamed = 3;
    std::string words;
    for (size_t i = 0; i < std::min(sorted.size(), kNamed); ++i)
        words += fmt::format("{}{} x {}", i > 0 ? ", " : "", sorted[i].second, sorted[i].first);
    return words + (sorted.size() > kNamed ? fmt::format(" and {} more", sorted.size() - kNamed) : "");
}

constexpr double kSomethingElse = 0.8;  // what confidence is left then

// Whether iterations behind the first ones, which may be slow for their own reasons, take many times the
// median.
bool hold_something_else(const std::vector<Iteration>& list) {
    constexpr size_t kEnough = 8;
    constexpr int64_t kFirst = 3, kTimes = 8;
    std::vector<int64_t> times;
    for (const Iteration& each : list)
        if (each.number >= kFirst) times.push_back(each.end_ns - each.begin_ns);
    if (times.size() < kEnough) return false;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *std::ranges::max_element(times) >= kTimes * std::max<int64_t>(*middle, 1);
}

Iterations by_optimizer(const Profile& p, const NamedSpans& spans) {
    const bool told_apart = optimizers_told_apart(p);
    std::vector<OptimizerStep> all = all_optimizer_steps(p, spans);
    const bool beside = threads_train_beside(all);
    std::vector<OptimizerStep> steps = outermost_optimizer_steps(p, std::move(all));
    if (steps.empty()) return {};
    NameTable names(p.strings);
    for (uint32_t row = 0; row < p.host.size(); ++row)
        if (names[p.host.name[row]] == NameClass::kBackward)
            note_gradients(steps, p.tracks[p.host.track[row].index()].rank, p.host.begin[row]);
    StepCycles cycles = cycles_of_steps(steps, spans.candidates(NameClass::kDataLoad), told_apart);
    if (beside) {
        cycles.confidence = std::min(cycles.confidence, kThreadsBeside);
        cycles.doubt = "threads train beside each other: what each does in one is not whole";
    }
    Iterations result = iterations_from_key_op(cycles.ends, begins_of(p, steps), "optimizer steps");
    if (result.list.empty()) return result;
    leave_set_up_out(p, result.list);
    result.source = IterationSource::kOptimizerStep;
    result.confidence = cycles.confidence;
    result.description = steps_in_words(p, result.list);
    if (cycles.doubt.empty() && hold_something_else(result.list)) {
        result.confidence = std::min(result.confidence, kSomethingElse);
        cycles.doubt = "some hold more, as an evaluation";
    }
    if (!cycles.doubt.empty()) result.description += fmt::format(" ({})", cycles.doubt);
    return result;
}

Iterations choose(const Profile& p, const Analysis& a, const AnalysisOptions& options,
                  const NamedSpans& spans) {
    if (!options.key_op.empty()) {
        std::vector<IterationCandidate> ends = spans_named(p, options.key_op);
        if (ends.empty()) ends = spans_said(p, options.key_op);
        return iterations_from_key_op(std::move(ends), rank_begins(p), options.key_op);
    }
    if (!options.iteration_range.empty())
        return iterations_from_ranges(annotations_matching(p, options.iteration_range),
                                      options.iteration_range);
    Iterations result = by_markers(p, spans);
    if (result.list.empty()) result = by_optimizer(p, spans);
    return result.list.empty() && !has_parts_of_ops(p.info) ? infer_iterations(p, a) : result;
}

std::string_view reason_of(NameClass name) {
    switch (name) {
        case NameClass::kCudnnBenchmark:
            return "a search for the fastest convolution algorithms";
        case NameClass::kGraphCapture:
            return "capture of a graph";
        case NameClass::kCompilation:
            return "just-in-time compilation";
        default:
            return {};
    }
}

std::vector<WarmupEvent> warmup_events(const Profile& p, const NamedSpans& spans) {
    std::vector<WarmupEvent> events;
    for (const auto& [row, name] : spans.rows()) {
        const std::string_view reason = reason_of(name);
        if (!reason.empty())
            events.push_back({p.tracks[p.host.track[row].index()].rank, p.host.begin[row], reason});
    }
    return events;
}

std::vector<RankBegin> kept_from(const Profile& p) {
    std::vector<RankBegin> result;
    for (size_t i = 0; i < p.ranks.size(); ++i)
        if (p.ranks[i].kept_from_ns) result.push_back({RankId(i), *p.ranks[i].kept_from_ns});
    return result;
}

// Walks along a rank's iterations with times that do not fall.
class IterationWalk {
  public:
    IterationWalk(const std::vector<Iteration>& list, RankId rank) {
        const auto before = [](const Iteration& it, RankId r) { return it.rank < r; };
        at_ = list.data() + (std::lower_bound(list.begin(), list.end(), rank, before) - list.begin());
        end_ = at_;
        while (end_ != list.data() + list.size() && end_->rank == rank)
            ++end_;
    }
    int32_t number_at(int64_t time) {
        while (at_ != end_ && at_->end_ns <= time)
            ++at_;
        return at_ != end_ && at_->begin_ns <= time ? static_cast<int32_t>(at_->number) : -1;
    }

  private:
    const Iteration* at_;
    const Iteration* end_;
};

}  // namespace

std::string_view warmup_reason(std::string_view name) {
    return reason_of(classify_name(name));
}

std::vector<IterationCandidate> spans_named(const Profile& profile, std::string_view name) {
    std::vector<IterationCandidate> result;
    const StringId id = profile.strings.find(name);
    if (!id.valid()) return result;
    for (size_t row = 0; row < profile.host.size(); ++row)
        if (profile.host.name[row] == id) result.push_back(candidate(profile, row));
    return result;
}

std::vector<IterationCandidate> spans_said(const Profile& profile, std::string_view name) {
    std::vector<IterationCandidate> result;
    std::vector<int8_t> fits(profile.strings.size(), -1);
    for (size_t i = 0; i < profile.nvtx.size(); ++i) {
        int8_t& known = fits[profile.nvtx.text[i].index()];
        if (known < 0) known = is_range_of(profile.strings.view(profile.nvtx.text[i]), name);
        if (known) result.push_back(candidate(profile, profile.nvtx.row[i]));
    }
    return result;
}

bool is_range_of(std::string_view text, std::string_view name) {
    if (name.empty() || !text.ends_with(name)) return false;
    return text.size() == name.size() || text.substr(0, text.size() - name.size()).ends_with(": ");
}

std::vector<IterationCandidate> annotations_matching(const Profile& profile, std::string_view pattern) {
    std::vector<IterationCandidate> result;
    const RangePattern range(pattern);
    std::vector<int8_t> matches(profile.strings.size(), -1);
    for (size_t row = 0; row < profile.host.size(); ++row) {
        if (profile.host.kind[row] != HostKind::kAnnotation) continue;
        int8_t& known = matches[profile.host.name[row].index()];
        if (known < 0) known = range.matches(profile.strings.view(profile.host.name[row]));
        if (known) result.push_back(candidate(profile, row));
    }
    // NVTX ranges that were read as layers or ops go by their text as written.
    for (size_t i = 0; i < profile.nvtx.size(); ++i) {
        const uint32_t row = profile.nvtx.row[i];
        if (profile.host.kind[row] == HostKind::kAnnotation) continue;
        int8_t& known = matches[profile.nvtx.text[i].index()];
        if (known < 0) known = range.matches(profile.strings.view(profile.nvtx.text[i]));
        if (known)
            result.push_back({candidate(profile, row).rank, profile.host.begin[row],
                              profile.host.begin[row] + profile.host.dur[row], profile.nvtx.text[i]});
    }
    return result;
}

std::vector<RankBegin> rank_begins(const Profile& profile) {
    std::vector<RankBegin> result;
    for (const TrackRows& rows : track_rows(profile.host.track)) {
        const Track& track = profile.tracks[rows.track.index()];
        if (track.kind == TrackKind::kOther) continue;
        const auto known = std::find_if(result.begin(), result.end(),
                                        [&](const RankBegin& r) { return r.rank == track.rank; });
        const int64_t begin = profile.host.begin[rows.first];
        if (known == result.end())
            result.push_back({track.rank, begin});
        else
            known->begin = std::min(known->begin, begin);
    }
    std::sort(result.begin(), result.end(),
              [](const RankBegin& a, const RankBegin& b) { return a.rank < b.rank; });
    return result;
}

Iterations find_iterations(Profile& profile, const Analysis& analysis, const AnalysisOptions& options) {
    if (has_durations_only(profile.info)) return {};
    const NamedSpans spans(profile);
    find_recording_pauses(profile, by_markers(profile, spans).list);
    Iterations result = choose(profile, analysis, options, spans);
    part_at_pauses(result.list, profile.pauses);
    result.start = options.iter_start;
    result.stop = options.iter_stop;
    if (result.list.empty()) {
        profile.diagnostics.add(Diag::kNoIterations);
        return result;
    }
    std::vector<WarmupEvent> events = warmup_events(profile, spans);
    for (const WarmupEvent& cut : cut_heads(result, kept_from(profile)))
        events.push_back(cut);
    mark_warmup(
        result, events, [&](std::string_view text) { return profile.strings.intern(text); },
        [&](StringId name) { return profile.strings.view(name); }, profile.pauses);
    return result;
}

void number_spans(const Profile& profile, Analysis& analysis) {
    analysis.iteration.assign(profile.host.size(), -1);
    for (const TrackRows& rows : track_rows(profile.host.track)) {
        IterationWalk walk(analysis.iterations.list, profile.tracks[rows.track.index()].rank);
        for (uint32_t row = rows.first; row < rows.last; ++row)
            analysis.iteration[row] = walk.number_at(profile.host.begin[row]);
    }
    const IterationIndex index(analysis.iterations.list);
    analysis.device_iteration.assign(profile.device.size(), -1);
    for (size_t span = 0; span < profile.device.size(); ++span)
        analysis.device_iteration[span] =
            index.at(profile.tracks[profile.device.track[span].index()].rank, analysis.host_ns[span]);
}

}  // namespace opsight::analyze
