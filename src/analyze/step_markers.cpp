#include "analyze/step_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analyze/cut_end.h"
#include "analyze/launch_calls.h"
#include "analyze/track_rows.h"
#include "base/text.h"

namespace opsight::analyze {
namespace {

// Of each rank only the thread with the most markers: others of its process repeat them or do work of their
// own meanwhile, those of another process cut work of its own.
struct Markers {
    std::vector<IterationCandidate> chosen;
    size_t of_other_processes = 0,
           of_other_threads = 0;  // the latter of the same process, without repetitions
};

std::map<RankId, TrackId> busiest_threads(const std::vector<Marked>& marked) {
    std::map<RankId, std::map<TrackId, size_t>> counts;
    for (const Marked& m : marked)
        ++counts[m.span.rank][m.track];
    std::map<RankId, TrackId> busiest;
    for (const auto& [rank, of_rank] : counts)
        busiest[rank] = std::max_element(of_rank.begin(), of_rank.end(), [](const auto& a, const auto& b) {
                            return a.second < b.second;
                        })->first;
    return busiest;
}

Markers of_busiest_threads(const Profile& p, const std::vector<Marked>& marked) {
    const std::map<RankId, TrackId> busiest = busiest_threads(marked);
    const auto pid = [&p](TrackId track) { return p.tracks[track.index()].pid; };
    Markers result;
    std::map<std::pair<RankId, StringId>, size_t> chosen;  // by name
    for (const Marked& m : marked) {
        if (busiest.at(m.span.rank) != m.track) continue;
        result.chosen.push_back(m.span);
        ++chosen[{m.span.rank, m.span.name}];
    }
    for (const Marked& m : marked) {
        const TrackId best = busiest.at(m.span.rank);
        if (best == m.track) continue;
        const auto same = chosen.find({m.span.rank, m.span.name});
        const bool repeats = same != chosen.end() && same->second == 1;  // "ProfilerStep#5" again
        if (pid(m.track) != pid(best))
            ++result.of_other_processes;
        else if (!repeats)
            ++result.of_other_threads;
    }
    return result;
}

// "5 x ProfilerStep#", "5 x [Executor] _forward_step"; a name that all have stays whole.
std::string count_of_stem(const Profile& p, const Iterations& iterations) {
    std::string_view name = p.strings.view(iterations.list[0].name);
    const bool same = std::all_of(iterations.list.begin(), iterations.list.end(),
                                  [&](const Iteration& one) { return one.name == iterations.list[0].name; });
    if (!same) {
        const size_t tag = name.starts_with('[') ? name.find(']') : 0;
        const std::string_view stem =
            text::trimmed(name.substr(0, name.find_first_of("0123456789[(", tag == name.npos ? 0 : tag)));
        if (!stem.empty()) name = stem;
    }
    return fmt::format("{} x {}", iterations.list.size(), name);
}

// Whether an op, a call of the API, the loading of data or a range begins within a marker.
bool holds_work(const Profile& p, const IterationCandidate& marker) {
    for (const TrackRows& rows : track_rows(p.host.track)) {
        if (p.tracks[rows.track.index()].rank != marker.rank) continue;
        const auto begins = p.host.begin.begin();
        auto row = static_cast<size_t>(
            std::lower_bound(begins + rows.first, begins + rows.last, marker.begin) - begins);
        for (; row < rows.last && p.host.begin[row] < marker.end; ++row) {
            const HostKind kind = p.host.kind[row];
            if (is_api(kind) || kind == HostKind::kDataLoad) return true;
            const bool named = kind == HostKind::kOp || kind == HostKind::kAnnotation;
            if (named && p.host.name[row] != marker.name) return true;
        }
    }
    return false;
}

// PyTorch's profiler opens a step as the one before ends: the last one of a recording may have nothing in it
// but the recording's end.
size_t leave_empty_ends_out(const Profile& p, std::vector<IterationCandidate>& markers) {
    struct OfRank {
        const IterationCandidate* last;
        int64_t shortest = std::numeric_limits<int64_t>::max();  // of the others
    };
    // Each recording of a process that has several, one after the other.
    const auto key = [&p](const IterationCandidate& m) {
        const auto next = std::partition_point(p.pauses.begin(), p.pauses.end(), [&m](const auto& pause) {
            return pause.rank != m.rank ? pause.rank < m.rank : pause.end <= m.begin;
        });
        return std::pair(m.rank, next - p.pauses.begin());
    };
    std::map<std::pair<RankId, std::ptrdiff_t>, OfRank> recordings;
    for (const IterationCandidate& m : markers) {
        OfRank& rank = recordings.try_emplace(key(m), OfRank{&m}).first->second;
        if (m.begin > rank.last->begin) rank.last = &m;
    }
    for (const IterationCandidate& m : markers)
        if (OfRank& rank = recordings.at(key(m)); rank.last != &m)
            rank.shortest = std::min(rank.shortest, m.end - m.begin);
    std::vector<IterationCandidate> kept;
    for (const IterationCandidate& m : markers) {
        const OfRank& rank = recordings.at(key(m));
        const bool several = rank.shortest < std::numeric_limits<int64_t>::max();
        const bool brief = several && m.end - m.begin < rank.shortest / 2;
        if (!brief || rank.last != &m || holds_work(p, m)) kept.push_back(m);
    }
    // Where nothing else was recorded either, markers are all there is.
    if (std::none_of(kept.begin(), kept.end(), [&p](const auto& m) { return holds_work(p, m); })) return 0;
    const size_t left_out = markers.size() - kept.size();
    markers = std::move(kept);
    return left_out;
}

}  // namespace

Iterations iterations_by_markers(const Profile& p, const std::vector<Marked>& marked,
                                 const std::vector<IterationCandidate>& optimizer_steps) {
    Markers markers = of_busiest_threads(p, marked);
    const size_t empty = leave_empty_ends_out(p, markers.chosen);
    Iterations result = iterations_from_markers(std::move(markers.chosen));
    if (result.list.empty()) return result;
    const size_t cut = leave_cut_ends_out(result.list, optimizer_steps);
    result.description = count_of_stem(p, result);
    if (empty > 0)
        result.description +=
            fmt::format(" ({} more with nothing in {}, at the end)", empty, empty == 1 ? "it" : "them");
    if (cut > 0)
        result.description += fmt::format(
            " ({} more at the end without an optimizer step, which all others have: cut off, it seems)", cut);
    if (markers.of_other_processes > 0)
        result.description += fmt::format(" ({} of another process cut nothing: its work counts for these)",
                                          markers.of_other_processes);
    if (markers.of_other_threads > 0)
        result.description += fmt::format(
            " ({} more on other threads cut nothing: their work counts for these)", markers.of_other_threads);
    return result;
}

}  // namespace opsight::analyze
