#include "model/processes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

namespace opsight {
namespace {

// The parts of ".../node7_851.1752215573993.pt.trace.json", as PyTorch's tensorboard_trace_handler names
// files: "node7_851", the host and process whose profiler wrote it, and when. Empty: it is named otherwise.
struct HandlersName {
    std::string_view writer, time;
};

HandlersName handlers_name(std::string_view source) {
    source.remove_prefix(source.find_last_of("/:") + 1);
    const size_t end = source.find('.');
    if (end == source.npos) return {};
    const size_t digits = source.find_first_not_of("0123456789", end + 1);
    const bool is_time = digits != source.npos && digits > end + 1 && source[digits] == '.';
    return is_time ? HandlersName{source.substr(0, end), source.substr(end + 1, digits - end - 1)}
                   : HandlersName();
}

}  // namespace

std::vector<std::string> processes_of_ranks(const Profile& p) {
    std::vector<std::map<int64_t, int64_t>> spans_of(p.ranks.size());  // by process
    std::vector<std::set<int64_t>> devices(p.ranks.size());
    for (const TrackId track : p.host.track)
        ++spans_of[p.tracks[track.index()].rank.index()][p.tracks[track.index()].pid];
    for (const TrackId track : p.device.track)
        if (const Track& of = p.tracks[track.index()]; of.device.valid())
            devices[of.rank.index()].insert(p.devices[of.device.index()].number);
    std::vector<std::string> processes(p.ranks.size());
    for (size_t i = 0; i < p.ranks.size(); ++i) {
        const auto most = std::max_element(spans_of[i].begin(), spans_of[i].end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        const std::string_view writer = handlers_name(p.ranks[i].source).writer;
        const int64_t pid = most == spans_of[i].end() ? 0 : std::max<int64_t>(most->first, 0);
        if (pid == 0 && writer.empty()) continue;
        processes[i] = fmt::format("{}/{}/{}/{}", p.ranks[i].host, writer, pid, fmt::join(devices[i], ","));
    }
    return processes;
}

int64_t written_ns(std::string_view source) {
    constexpr int64_t kMillion = 1'000'000;
    const std::string_view digits = handlers_name(source).time;
    int64_t time = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), time).ec != std::errc()) return -1;
    if (time > kMillion * kMillion * kMillion) return time;  // of newer versions in ns, else in ms
    return time > kMillion * kMillion / 2 && time < kMillion * kMillion * 4 ? time * kMillion : -1;
}

}  // namespace opsight
