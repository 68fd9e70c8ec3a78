// Which link the data of a group crosses.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "analyze/ranks/facts.h"
#include "hardware/links.h"

namespace opsight::analyze {
namespace {

constexpr int64_t kDevicesOfMachine = 8;

struct Place {
    std::set<std::string> hosts;  // that are told
    bool untold = false;
    DeviceId device;  // of one of its members
};

}  // namespace

// The link between devices of a machine counts where all ranks of the group are in one: as they tell, or,
// where they do not, in a job that is no larger than a machine. What connects machines no trace tells.
void find_links(const Profile& profile, const Analysis& analysis, RankFacts& facts) {
    std::vector<Place> places(facts.groups.size());
    for (const CollectiveMember& member : facts.members) {
        const uint32_t group = facts.calls[member.call].group;
        if (facts.groups[group].on_host) continue;
        Place& place = places[group];
        if (!place.device.valid())
            place.device = profile.tracks[profile.device.track[member.row].index()].device;
        const std::string& host = profile.ranks[member.rank.index()].host;
        if (host.empty())
            place.untold = true;
        else if (place.hosts.size() < 2)
            place.hosts.insert(host);
    }
    int64_t job = static_cast<int64_t>(profile.ranks.size());
    for (const Rank& rank : profile.ranks)
        job = std::max(job, rank.world_size);
    for (size_t id = 0; id < places.size(); ++id) {
        CommGroup& group = facts.groups[id];
        const Place& place = places[id];
        const bool all = group.size > 0 && group.recorded == group.size;
        const bool one_host = place.hosts.size() == 1 && !place.untold && (all || job <= kDevicesOfMachine);
        const bool small = place.hosts.empty() && job <= kDevicesOfMachine;
        if (!place.device.valid() || (!one_host && !small)) continue;
        const DevicePeaks& peaks = analysis.peaks[place.device.index()];
        const hardware::Link* link =
            peaks.source == PeakSource::kTable ? hardware::link_of(peaks.model.key) : nullptr;
        if (!link) continue;
        group.link =
            small ? fmt::format("{} (taken to be one machine)", link->name) : std::string(link->name);
        group.link_bytes_per_s = link->bytes_per_s;
    }
}

}  // namespace opsight::analyze
