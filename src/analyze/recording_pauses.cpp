#include "analyze/recording_pauses.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace opsight::analyze {
namespace {

constexpr std::string_view kDigits = "0123456789";

// A mark's name up to its last number, and that.
struct StepName {
    std::string_view stem;
    int64_t number = 0;
};

std::optional<StepName> step_name(std::string_view name) {
    if (name.find_first_of("=(,") != name.npos) return std::nullopt;
    const size_t last = name.find_last_of(kDigits);
    if (last == name.npos) return std::nullopt;
    const size_t before = name.find_last_not_of(kDigits, last);
    const size_t first = before == name.npos ? 0 : before + 1;
    StepName step{name.substr(0, first)};
    const auto [end, error] = std::from_chars(name.data() + first, name.data() + last + 1, step.number);
    return error == std::errc() ? std::optional(step) : std::nullopt;
}

// Between two marks of a rank whose numbers jump; `busy` is what was recorded in it.
struct Gap {
    RankId rank;
    int64_t begin = 0, end = 0, step_ns = 0;
    std::vector<std::pair<int64_t, int64_t>> busy;
};

bool by_place(const RecordingPause& a, const RecordingPause& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
}

// Of ranks whose numbers otherwise rise by one.
std::vector<Gap> gaps_of(const Profile& p, const std::vector<Iteration>& marked) {
    constexpr int64_t kFurthest = 1'000'000'000;
    std::vector<Gap> gaps;
    for (size_t first = 0; first < marked.size();) {
        size_t alike = 0, in_order = 0, i = first + 1;
        std::vector<Gap> of_rank;
        for (; i < marked.size() && marked[i].rank == marked[first].rank; ++i) {
            const Iteration &before = marked[i - 1], &next = marked[i];
            const auto a = step_name(p.strings.view(before.name)), b = step_name(p.strings.view(next.name));
            if (!a || !b || a->stem != b->stem) continue;
            const int64_t advance = b->number - a->number;
            ++alike;
            in_order += advance == 1;
            if (advance >= 2 && advance <= kFurthest)
                of_rank.push_back(
                    {before.rank, before.end_ns, next.begin_ns, before.end_ns - before.begin_ns, {}});
        }
        if (2 * in_order >= alike) gaps.insert(gaps.end(), of_rank.begin(), of_rank.end());
        first = i;
    }
    return gaps;
}

// What is open over all of a gap says nothing of whether it was recorded.
void note_busy(std::vector<Gap>& gaps, RankId rank, int64_t begin, int64_t end) {
    auto gap = std::partition_point(gaps.begin(), gaps.end(), [&](const Gap& each) {
        return each.rank != rank ? each.rank < rank : each.end <= begin;
    });
    for (; gap != gaps.end() && gap->rank == rank && gap->begin < end; ++gap)
        if (begin > gap->begin || end < gap->end) gap->busy.emplace_back(begin, end);
}

// A pause is certain where nearly all of the gap is silent: else the program may just wait.
void take_silence(Gap& gap, std::vector<RecordingPause>& pauses) {
    constexpr double kNearlyAll = 0.9;
    std::sort(gap.busy.begin(), gap.busy.end());
    gap.busy.emplace_back(gap.end, gap.end);
    RecordingPause longest{gap.rank, gap.begin, gap.begin};
    int64_t at = gap.begin;
    for (const auto& [begin, end] : gap.busy) {
        if (begin - at > longest.end - longest.begin) longest = {gap.rank, at, begin};
        at = std::max(at, end);
    }
    const int64_t silent = longest.end - longest.begin;
    if (silent > gap.step_ns &&
        static_cast<double>(silent) >= kNearlyAll * static_cast<double>(gap.end - gap.begin))
        pauses.push_back(longest);
}

}  // namespace

void find_recording_pauses(Profile& p, const std::vector<Iteration>& marked) {
    std::vector<Gap> gaps = gaps_of(p, marked);
    std::erase_if(gaps,
                  [&p](const Gap& gap) { return paused_ns(p.pauses, gap.rank, gap.begin, gap.end) > 0; });
    if (gaps.empty()) return;
    const auto rank_of = [&p](TrackId track) { return p.tracks[track.index()].rank; };
    for (size_t row = 0; row < p.host.size(); ++row)
        note_busy(gaps, rank_of(p.host.track[row]), p.host.begin[row], p.host.begin[row] + p.host.dur[row]);
    for (size_t row = 0; row < p.device.size(); ++row)
        note_busy(gaps, rank_of(p.device.track[row]), p.device.begin[row],
                  p.device.begin[row] + p.device.dur[row]);
    for (Gap& gap : gaps)
        take_silence(gap, p.pauses);
    std::sort(p.pauses.begin(), p.pauses.end(), by_place);
}

PausesOf pauses_of(const std::vector<RecordingPause>& pauses, RankId rank, int64_t begin, int64_t end) {
    const auto first = std::partition_point(pauses.begin(), pauses.end(), [&](const RecordingPause& each) {
        return each.rank != rank ? each.rank < rank : each.end <= begin;
    });
    auto last = first;
    while (last != pauses.end() && last->rank == rank && last->begin < end)
        ++last;
    return {first, last};
}

int64_t paused_ns(const std::vector<RecordingPause>& pauses, RankId rank, int64_t begin, int64_t end) {
    int64_t ns = 0;
    for (const RecordingPause& pause : pauses_of(pauses, rank, begin, end))
        ns += std::min(end, pause.end) - std::max(begin, pause.begin);
    return ns;
}

void part_at_pauses(std::vector<Iteration>& list, const std::vector<RecordingPause>& pauses) {
    for (Iteration& it : list) {
        int64_t at = it.begin_ns, begin = at, end = at;
        const auto take = [&](int64_t until) {
            if (until - at <= end - begin) return;
            begin = at;
            end = until;
        };
        for (const RecordingPause& pause : pauses_of(pauses, it.rank, it.begin_ns, it.end_ns)) {
            take(pause.begin);
            at = pause.end;
        }
        take(it.end_ns);
        it.begin_ns = begin;
        it.end_ns = end;
    }
}

}  // namespace opsight::analyze
