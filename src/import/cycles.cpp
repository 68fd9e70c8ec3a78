#include "import/cycles.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "model/processes.h"

namespace opsight::importer {
namespace {

constexpr std::string_view kMark = "ProfilerStep#";

// What was recorded of a rank.
struct Cycle {
    RankId rank;
    int64_t begin = kMaxNs, end = -kMaxNs;
    int64_t first_step = INT64_MAX, last_step = -1;
    int64_t first_id = INT64_MAX, last_id = -1;  // PyTorch's numbers of its ops
    int64_t written = -1, shift = 0;
    bool whole = true;                  // nothing is open at its end
    absl::flat_hash_set<uint32_t> ops;  // names of ops and kernels

    bool has_steps() const { return last_step >= 0; }
    int64_t ns_a_step() const { return (end - begin) / std::max<int64_t>(last_step - first_step, 1); }
};

std::optional<int64_t> step_of(std::string_view name) {
    if (!name.starts_with(kMark)) return std::nullopt;
    name.remove_prefix(kMark.size());
    int64_t step = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
    if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
    return step;
}

std::vector<Cycle> cycles_of(const Profile& p) {
    std::vector<Cycle> cycles;
    for (size_t rank = 0; rank < p.ranks.size(); ++rank)
        cycles.push_back({.rank = RankId(rank), .written = written_ns(p.ranks[rank].source)});
    const auto cycle_of = [&](TrackId track) -> Cycle& {
        return cycles[p.tracks[track.index()].rank.index()];
    };
    const auto take = [](Cycle& cycle, int64_t begin, int64_t dur) {
        cycle.begin = std::min(cycle.begin, begin);
        cycle.end = std::max(cycle.end, begin + dur);
    };
    std::map<StringId, std::optional<int64_t>> steps;
    for (size_t row = 0; row < p.host.size(); ++row) {
        Cycle& cycle = cycle_of(p.host.track[row]);
        take(cycle, p.host.begin[row], p.host.dur[row]);
        if (p.host.flags[row] & kUnfinished) cycle.whole = false;
        if (p.host.kind[row] == HostKind::kOp) {
            cycle.ops.insert(p.host.name[row].value);
            if (const int64_t id = p.op_details.external_id[p.host.detail[row]]; id >= 0) {
                cycle.first_id = std::min(cycle.first_id, id);
                cycle.last_id = std::max(cycle.last_id, id);
            }
        }
        if (p.host.kind[row] != HostKind::kAnnotation) continue;
        const auto [known, is_new] = steps.try_emplace(p.host.name[row]);
        if (is_new) known->second = step_of(p.strings.view(known->first));
        if (!known->second) continue;
        cycle.first_step = std::min(cycle.first_step, *known->second);
        cycle.last_step = std::max(cycle.last_step, *known->second);
    }
    for (size_t row = 0; row < p.device.size(); ++row) {
        Cycle& cycle = cycle_of(p.device.track[row]);
        take(cycle, p.device.begin[row], p.device.dur[row]);
        if (p.device.kind[row] == DeviceKind::kKernel) cycle.ops.insert(p.device.name[row].value);
    }
    for (size_t row = 0; row < p.memory.size(); ++row)
        take(cycle_of(p.memory.track[row]), p.memory.time[row], 0);
    return cycles;
}

// Of one program at least half of what the shorter list has is in the other.
bool are_alike(const Cycle& a, const Cycle& b) {
    const auto& few = a.ops.size() < b.ops.size() ? a.ops : b.ops;
    const auto& many = a.ops.size() < b.ops.size() ? b.ops : a.ops;
    const auto both =
        std::count_if(few.begin(), few.end(), [&](uint32_t name) { return many.contains(name); });
    return 2 * static_cast<size_t>(both) >= few.size();
}

// Whether a run of its own, in a fresh container whose processes have the same numbers, has the time between
// for its start and for all steps before.
bool may_have_started_anew(const Cycle& before, const Cycle& next, int64_t slower) {
    constexpr int64_t kStartNs = 1'000'000'000;  // the import of PyTorch, at least
    const int64_t a_step = std::min(before.ns_a_step(), next.ns_a_step()) / slower;
    return (next.begin - before.end - kStartNs) / std::max<int64_t>(a_step, 1) >= next.first_step;
}

// Whether `next` can only be what the same profiler recorded later. PyTorch numbers the ops that it records
// from 1 on in each process, over all cycles: numbers tell two processes apart.
bool goes_on(const Cycle& before, const Cycle& next) {
    constexpr int64_t kWritingNs = 60'000'000'000;  // a trace, at most
    constexpr int64_t kSlower = 3;                  // steps vary
    const int64_t steps = next.first_step - before.last_step;
    if (!before.whole || steps <= 0 || next.begin < before.end || !are_alike(before, next)) return false;
    const bool numbered = before.last_id >= 0 && next.last_id >= 0;
    if (numbered ? next.first_id <= before.last_id : may_have_started_anew(before, next, kSlower))
        return false;
    const int64_t a_step = std::max(before.ns_a_step(), next.ns_a_step());
    return (next.begin - before.end - kWritingNs) / kSlower / steps <= a_step;
}

// Where each file's times begin anew, they are placed by when the files were written, which is as their
// cycles had ended: how long a pause took is not exact then, and is not counted.
void place(std::vector<Cycle>& cycles) {
    constexpr int64_t kUnixSince2001 = 1'000'000'000'000'000'000;
    const auto anew = [](const Cycle& each) { return each.written >= 0 && each.begin < kUnixSince2001; };
    if (!std::all_of(cycles.begin(), cycles.end(), anew)) return;
    for (Cycle& each : cycles) {
        each.shift = each.written - each.end;
        each.begin += each.shift;
        each.end += each.shift;
    }
}

bool overlap(std::vector<Cycle>& cycles) {
    std::sort(cycles.begin(), cycles.end(), [](const Cycle& a, const Cycle& b) { return a.begin < b.begin; });
    return std::adjacent_find(cycles.begin(), cycles.end(),
                              [](const Cycle& a, const Cycle& b) { return b.begin < a.end; }) != cycles.end();
}

bool are_of_one_profiler(std::vector<Cycle>& cycles) {
    if (overlap(cycles)) place(cycles);
    if (overlap(cycles)) return false;
    return std::adjacent_find(cycles.begin(), cycles.end(),
                              [](const Cycle& a, const Cycle& b) { return !goes_on(a, b); }) == cycles.end();
}

struct Joined {
    Cycle first, before, next;
};

std::vector<Joined> cycles_to_join(const Profile& p) {
    const std::vector<std::string> processes = processes_of_ranks(p);
    std::map<std::string_view, size_t> ranks_of_file;
    for (const Rank& rank : p.ranks)
        ++ranks_of_file[rank.source];
    std::map<std::string, std::vector<Cycle>> groups;
    for (const Cycle& cycle : cycles_of(p)) {
        const Rank& rank = p.ranks[cycle.rank.index()];
        const std::string& process = processes[cycle.rank.index()];
        if (process.empty() || !cycle.has_steps() || ranks_of_file[rank.source] > 1) continue;
        groups[fmt::format("{} {} {} {}", process, rank.number_known, rank.number, rank.world_size)]
            .push_back(cycle);
    }
    std::vector<Joined> joined;
    for (auto& [process, cycles] : groups)
        if (are_of_one_profiler(cycles))
            for (size_t i = 1; i < cycles.size(); ++i)
                joined.push_back({cycles[0], cycles[i - 1], cycles[i]});
    return joined;
}

}  // namespace

void join_cycles(ProfileBuilder& builder) {
    const Profile& p = builder.so_far();
    if (p.ranks.size() < 2) return;
    std::vector<Joined> joined = cycles_to_join(p);
    for (size_t i = 0; i < joined.size(); ++i) {
        const auto [first, before, next] = joined[i];
        builder.diagnostics().add(Diag::kJoinedCycles,
                                  {p.ranks[next.rank.index()].source, -1, -1,
                                   fmt::format("goes on {:.3f} s after the one before it",
                                               static_cast<double>(next.begin - before.end) / 1e9)});
        // The shift of the first one moves all of them alike.
        const int64_t origin = first.shift;
        builder.join(next.rank, next.shift - origin, {first.rank, before.end - origin, next.begin - origin});
        for (size_t k = i + 1; k < joined.size(); ++k)
            for (RankId* id : {&joined[k].first.rank, &joined[k].next.rank})
                if (id->index() > next.rank.index()) *id = RankId(id->index() - 1);
    }
}

}  // namespace opsight::importer
