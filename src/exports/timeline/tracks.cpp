#include "exports/timeline/tracks.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "exports/sql.h"
#include "model/entities.h"
#include "query/session/cells.h"

namespace opsight::exports {
namespace {

using query::integer;
using query::text;

// Numbers of processes and threads: readers take 32 bits, and what has one number for one thing.
class Numbers {
  public:
    int64_t of(const std::vector<int64_t>& key, int64_t wanted) {
        const auto [found, fresh] = given_.try_emplace(key);
        if (!fresh) return found->second;
        while (wanted <= 0 || wanted > INT32_MAX || !taken_.insert(wanted).second)
            wanted = free_++;
        return found->second = wanted;
    }

  private:
    static constexpr int64_t kFirstOfOurs = 100'000'000;  // beyond the numbers that Linux gives
    std::map<std::vector<int64_t>, int64_t> given_;
    std::set<int64_t> taken_;
    int64_t free_ = kFirstOfOurs;
};

std::string with_rank(std::string name, const duck::Cell& rank) {
    return rank.index() == 0 ? name : fmt::format("{} (rank {})", name, integer(rank));
}

}  // namespace

Result<std::vector<TrackFacts>> read_tracks(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::slice_tracks));
    enum {
        kId,
        kKind,
        kRankId,
        kRank,
        kPid,
        kTid,
        kDeviceId,
        kDevice,
        kDeviceName,
        kContext,
        kStream,
        kName,
        kProcess
    };
    Numbers pids, tids;
    std::vector<TrackFacts> tracks;
    for (const std::vector<duck::Cell>& row : rows.rows) {
        TrackFacts track;
        const auto kind = static_cast<TrackKind>(integer(row[kKind]));
        track.id = integer(row[kId]);
        track.rank = integer(row[kRank]);
        if (row[kRank].index() != 0) track.rank_label = fmt::format("rank {}", track.rank);
        track.of_device = kind == TrackKind::kDeviceStream || kind == TrackKind::kDeviceAnnotation;
        track.name = text(row[kName]);
        if (track.of_device) {
            const std::string device = fmt::format("Device {}", integer(row[kDevice]));
            track.group_name = with_rank(row[kDeviceName].index() == 0 || text(row[kDeviceName]).empty()
                                             ? device
                                             : device + ": " + text(row[kDeviceName]),
                                         row[kRank]);
            track.pid = pids.of({1, integer(row[kRankId]), integer(row[kDeviceId])}, 0);
            if (track.name.empty()) track.name = fmt::format("stream {}", integer(row[kStream]));
            if (kind == TrackKind::kDeviceAnnotation) track.name += " annotations";
            track.tid = tids.of({1, track.id}, 0);
        } else {
            const std::string process = text(row[kProcess]);
            track.group_name = with_rank(
                process.empty() ? fmt::format("Process {}", integer(row[kPid])) : process, row[kRank]);
            track.pid = pids.of({0, integer(row[kRankId]), integer(row[kPid])}, integer(row[kPid]));
            if (track.name.empty()) track.name = fmt::format("thread {}", integer(row[kTid]));
            track.tid = tids.of({0, track.id}, integer(row[kTid]));
        }
        track.group = track.pid;
        tracks.push_back(std::move(track));
    }
    return tracks;
}

Status check_scope(duck::Connection& connection, const Job& job) {
    const Scope& scope = job.scope;
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(scoped(sql::scope_finds, scope)));
    const std::vector<duck::Cell>& found = rows.rows.at(0);
    if (!query::flag(found[0]))
        return fail(fmt::format("has no rank {}", *scope.rank), job.profile, {}, "'opsight info' lists them");
    if (query::flag(found[1])) return {};
    const int64_t last = integer(found[2]);
    return fail(
        last < 0 ? "has no iterations" : fmt::format("has none of these iterations: its last is {}", last),
        job.profile, {}, "leave --iter-start and --iter-stop out for all of it");
}

}  // namespace opsight::exports
