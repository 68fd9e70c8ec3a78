#include "analyze/one_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/processes.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

// When a file, whose ranks were recorded together, or a rank was recorded; end < begin: nothing was.
struct Recording {
    size_t rank = 0;  // one of its
    int64_t begin = INT64_MAX, end = INT64_MIN;
};

enum class Of : uint8_t { kFile, kRank };

std::vector<Recording> recordings_of(const Profile& p, Of what = Of::kFile) {
    std::map<std::string_view, size_t> files;
    std::vector<size_t> place_of;
    std::vector<Recording> all;
    for (size_t rank = 0; rank < p.ranks.size(); ++rank) {
        const auto [file, is_new] = files.try_emplace(p.ranks[rank].source, all.size());
        place_of.push_back(is_new || what == Of::kFile ? file->second : all.size());
        if (place_of.back() == all.size()) all.push_back({.rank = rank});
    }
    const auto add = [&](TrackId track, int64_t begin, int64_t dur) {
        Recording& recording = all[place_of[p.tracks[track.index()].rank.index()]];
        recording.begin = std::min(recording.begin, begin);
        recording.end = std::max(recording.end, begin + dur);
    };
    for (size_t row = 0; row < p.host.size(); ++row)
        add(p.host.track[row], p.host.begin[row], p.host.dur[row]);
    for (size_t row = 0; row < p.device.size(); ++row)
        add(p.device.track[row], p.device.begin[row], p.device.dur[row]);
    std::erase_if(all, [](const Recording& each) { return each.end < each.begin; });
    std::sort(all.begin(), all.end(),
              [](const Recording& a, const Recording& b) { return a.begin < b.begin; });
    return all;
}

// Ranks of one job begin to record in the same step, which takes no minute.
constexpr int64_t kApartNs = 60'000'000'000;

// Ranks of other machines, as far as these are told, may have other clocks. For each recording: whether no
// host of it and those before is one of those behind it.
std::vector<bool> ends_of_hosts(const Profile& p, const std::vector<Recording>& all) {
    std::map<std::string_view, size_t> last;
    for (size_t i = 0; i < all.size(); ++i)
        last[p.ranks[all[i].rank].host] = i;
    std::vector<bool> ends(all.size(), false);
    if (last.contains("")) return ends;
    size_t furthest = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        furthest = std::max(furthest, last[p.ranks[all[i].rank].host]);
        ends[i] = furthest == i;
    }
    return ends;
}

std::string span_of_time(int64_t ns) {
    constexpr int64_t kMinuteNs = 60'000'000'000, kHourNs = 60 * kMinuteNs, kDayNs = 24 * kHourNs;
    if (ns >= 2 * kDayNs) return fmt::format("{} days", (ns + kDayNs / 2) / kDayNs);
    if (ns >= 2 * kHourNs) return fmt::format("{} hours", ns / kHourNs);
    return fmt::format("{} minutes", std::max<int64_t>(ns / kMinuteNs, 1));
}

std::string other_times(const Profile& p) {
    const std::vector<Recording> all = recordings_of(p);
    const std::vector<bool> may_be_clocks = ends_of_hosts(p, all);
    int64_t times = 1, apart = 0, end = all.empty() ? 0 : all[0].end;
    for (size_t i = 1; i < all.size(); ++i) {
        const int64_t gap = all[i].begin - end;
        if (gap >= kApartNs && !may_be_clocks[i - 1]) {
            ++times;
            apart = std::max(apart, gap);
        }
        end = std::max(end, all[i].end);
    }
    if (times == 1) return {};
    return fmt::format("recorded at {} times with up to {} in between by their clocks", times,
                       span_of_time(apart));
}

std::string other_sizes(const Profile& p) {
    std::map<int64_t, int64_t> ranks_of;
    for (const Rank& rank : p.ranks)
        if (rank.world_size > 0) ++ranks_of[rank.world_size];
    if (ranks_of.size() > 1) {
        std::vector<int64_t> sizes;
        for (const auto& [size, ranks] : ranks_of)
            sizes.push_back(size);
        return fmt::format("of jobs of {} ranks", fmt::join(sizes, ", "));
    }
    if (ranks_of.empty() || ranks_of.begin()->second <= ranks_of.begin()->first) return {};
    return fmt::format("{} of a job of {} rank{}", ranks_of.begin()->second, ranks_of.begin()->first,
                       ranks_of.begin()->first == 1 ? "" : "s");
}

// A profiler that is started again in the same process writes a file for each cycle.
std::string cycles_of_one_process(const Profile& p) {
    std::vector<std::string> processes = processes_of_ranks(p);
    for (size_t rank = 0; rank < processes.size(); ++rank)
        if (p.ranks[rank].number_known) processes[rank].clear();
    std::map<std::string_view, std::pair<int64_t, int64_t>> last;  // end and number of a process's recordings
    int64_t most = 1;
    for (const Recording& each : recordings_of(p)) {
        const std::string& process = processes[each.rank];
        if (process.empty()) continue;
        const auto [known, is_new] = last.try_emplace(process, each.end, 1);
        if (is_new || each.begin < known->second.first) {
            known->second.first = std::max(known->second.first, each.end);
            continue;
        }
        known->second.first = each.end;
        most = std::max(most, ++known->second.second);
    }
    if (most == 1) return {};
    return fmt::format(
        "{} with the number of one process one after the other, as cycles of one profiler (repeat=...) and "
        "runs in fresh containers have: they are not ranks, and each is read as a run of its own",
        most);
}

// Of one recording: programs that a script ran one after the other are not ranks. Those of a job overlap, and
// tell their number where a launcher gave them one.
std::string programs_one_after_the_other(const Profile& p) {
    std::vector<Recording> all = recordings_of(p, Of::kRank);
    std::erase_if(all, [&](const Recording& each) { return p.ranks[each.rank].number_known; });
    if (all.empty()) return {};
    int64_t programs = 1, end = all[0].end;
    for (const Recording& each : std::span(all).subspan(1)) {
        programs += each.begin >= end;
        end = std::max(end, each.end);
    }
    if (programs == 1) return {};
    return fmt::format("{} of them one after the other, as programs that a script runs", programs);
}

// "out/pass_2/7_results.json": rocprofv3 runs a program once for each group of counters. Its tables in CSV
// are joined when they are read.
std::string passes_over_one_program(const Profile& p) {
    constexpr std::string_view kFolder = "pass_";
    if (!p.info.producer.starts_with("rocprof")) return {};
    std::map<std::string_view, std::set<std::string_view>> passes;  // by the folder above them
    size_t most = 1;
    for (const Rank& rank : p.ranks) {
        const std::string_view source = rank.source;
        const size_t at = source.rfind(kFolder);
        if (at == source.npos || (at > 0 && source[at - 1] != '/')) continue;
        const size_t first = at + kFolder.size(), end = source.find_first_not_of("0123456789", first);
        if (end == source.npos || end == first || source[end] != '/') continue;
        std::set<std::string_view>& of_program = passes[source.substr(0, at)];
        of_program.insert(source.substr(first, end - first));
        most = std::max(most, of_program.size());
    }
    if (most == 1) return {};
    return fmt::format("of {} passes over one program, each a run of it that counted other counters", most);
}

// Ranks are recorded by one profiler. What tells of memory alone may stand beside it.
std::string other_formats(const Profile& p) {
    std::set<std::string_view> formats;
    std::vector<bool> ran(p.ranks.size(), false);
    for (const std::vector<TrackId>* tracks : {&p.host.track, &p.device.track})
        for (const TrackId track : *tracks)
            ran[p.tracks[track.index()].rank.index()] = true;
    for (size_t rank = 0; rank < p.ranks.size(); ++rank)
        if (ran[rank] && !p.ranks[rank].format.empty()) formats.insert(p.ranks[rank].format);
    if (formats.size() < 2) return {};
    return fmt::format("of {} kinds, which are not ranks of each other: {}", formats.size(),
                       fmt::join(formats, "; "));
}

// What a recording's ops are, each with its shapes; by rank.
std::vector<std::set<std::pair<StringId, SignatureId>>> ops_of_ranks(const Profile& p) {
    std::vector<std::set<std::pair<StringId, SignatureId>>> ops(p.ranks.size());
    for (size_t row = 0; row < p.host.size(); ++row)
        if (p.host.kind[row] == HostKind::kOp)
            ops[p.tracks[p.host.track[row].index()].rank.index()].emplace(
                p.host.name[row], p.op_details.signature[p.host.detail[row]]);
    return ops;
}

// What programs print tells no rank. Where the files' names do not either, ranks are those that run the same.
std::string other_programs(const Profile& p) {
    constexpr double kFewestAlike = 0.5;
    if (!has_parts_of_ops(p.info)) return {};
    const auto ops = ops_of_ranks(p);
    size_t first = p.ranks.size();
    double least = 1;
    for (size_t i = 0; i < p.ranks.size(); ++i) {
        if (p.ranks[i].number_known || p.ranks[i].name_tells || ops[i].empty()) continue;
        if (first == p.ranks.size()) {
            first = i;
            continue;
        }
        const auto alike = std::count_if(ops[i].begin(), ops[i].end(),
                                         [&](const auto& op) { return ops[first].contains(op); });
        const auto all = static_cast<double>(ops[first].size() + ops[i].size()) - static_cast<double>(alike);
        least = std::min(least, static_cast<double>(alike) / all);
    }
    if (least >= kFewestAlike) return {};
    return fmt::format(
        "of programs that have {:.0f} % of their primitives in common (a log tells no rank: where they are "
        "ranks, name the files so, 'rank0.log')",
        100 * least);
}

// Jobs on devices of several models are rare, and no contradiction: said beside one.
std::string other_devices(const Profile& p) {
    std::set<std::string> names;
    for (const Device& device : p.devices)
        if (!device.name.empty()) names.insert(device.name);
    if (names.size() < 2) return {};
    constexpr size_t kNamed = 3;
    const std::vector<std::string> first(
        names.begin(), std::next(names.begin(), static_cast<std::ptrdiff_t>(std::min(names.size(), kNamed))));
    return fmt::format("on {} models of devices: {}{}", names.size(), fmt::join(first, ", "),
                       names.size() > kNamed ? ", ..." : "");
}

}  // namespace

void check_one_job(Profile& p) {
    const auto of_another_file = [&](const Rank& rank) { return rank.source != p.ranks[0].source; };
    std::vector<std::string> grounds;
    if (std::any_of(p.ranks.begin(), p.ranks.end(), of_another_file))
        grounds = {other_times(p),   other_sizes(p),   cycles_of_one_process(p), passes_over_one_program(p),
                   other_formats(p), other_programs(p)};
    else
        grounds.push_back(programs_one_after_the_other(p));
    if (const int64_t same = p.diagnostics.count(Diag::kRankDuplicate); same > 0)
        grounds.push_back(fmt::format("{} with the number of a rank that another one has", same));
    std::erase(grounds, "");
    if (grounds.empty()) return;
    if (std::string models = other_devices(p); !models.empty()) grounds.push_back(std::move(models));
    p.diagnostics.add(
        Diag::kNotOneJob,
        {"", -1, -1, fmt::format("{} recordings, {}", p.ranks.size(), fmt::join(grounds, "; "))});
}

}  // namespace opsight::analyze
