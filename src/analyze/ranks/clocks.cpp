#include "analyze/ranks/clocks.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "analyze/ranks/matching.h"
#include "base/time.h"
#include "model/order.h"

namespace opsight::analyze {
namespace {

// Times of kernels are read on the device's clock and told on the host's: they agree to about so much.
constexpr int64_t kToleranceNs = 5'000;
// Of collectives that may contradict a clock which is right: matched wrongly, or with odd times.
constexpr double kOdd = 0.05;
constexpr size_t kFewest = 3, kFewestForRate = 30;
constexpr double kMostDrift = 1e-3;
constexpr int64_t kMostOffset = kMaxNs / 4;

// What a collective tells of clock b beside clock a: b's times may be moved by what lies between `least` and
// `most`, and by `ends` both end at once.
struct Sample {
    int64_t time = 0;  // on clock b
    int64_t ends = 0, least = 0, most = 0;
};

struct Edge {
    uint32_t a = 0, b = 0;
    std::vector<Sample> samples;
};

struct Fit {
    bool corrected = false;
    double offset = 0, drift = 0;  // of b's times, to be times of a, at time 0 of b
    int64_t error = -1, broken_before = 0, broken_after = 0;
    double at(int64_t time) const { return offset + drift * static_cast<double>(time); }
};

double middle(std::vector<double> values) {
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
}

double middle_of_ends(const std::vector<Sample>& samples, size_t from, size_t to, double drift) {
    std::vector<double> values;
    for (size_t i = from; i < to; ++i)
        values.push_back(static_cast<double>(samples[i].ends) - drift * static_cast<double>(samples[i].time));
    return middle(std::move(values));
}

double spread(const std::vector<Sample>& samples, const Fit& fit) {
    std::vector<double> values;
    for (const Sample& s : samples)
        values.push_back(std::abs(static_cast<double>(s.ends) - fit.at(s.time)));
    return middle(std::move(values));
}

int64_t broken(const std::vector<Sample>& samples, const Fit& fit) {
    return std::count_if(samples.begin(), samples.end(), [&](const Sample& s) {
        const double by = fit.at(s.time);
        return by > static_cast<double>(s.most) + kToleranceNs ||
               by < static_cast<double>(s.least) - kToleranceNs;
    });
}

// How far the clock may be moved before more than a few collectives speak against it, to the side where that
// is farther.
int64_t room(const std::vector<Sample>& samples, const Fit& fit) {
    std::vector<double> up, down;
    for (const Sample& s : samples) {
        up.push_back(static_cast<double>(s.most) - fit.at(s.time));
        down.push_back(fit.at(s.time) - static_cast<double>(s.least));
    }
    const auto odd = static_cast<std::ptrdiff_t>(kOdd * static_cast<double>(samples.size()));
    const auto nth = [odd](std::vector<double>& values) {
        std::nth_element(values.begin(), values.begin() + odd, values.end());
        return values[static_cast<size_t>(odd)];
    };
    const double most = std::max({nth(up), nth(down), static_cast<double>(kToleranceNs)});
    return most > static_cast<double>(kMaxNs) ? kMaxNs : static_cast<int64_t>(std::ceil(most));
}

// A rate, from the middles of the first and the last third.
void add_drift(const std::vector<Sample>& samples, Fit& fit) {
    if (samples.size() < kFewestForRate) return;
    const size_t third = samples.size() / 3, last = samples.size() - third;
    const auto middle_time = [&](size_t from, size_t to) {
        return static_cast<double>(samples[from + (to - from) / 2].time);
    };
    const double apart = middle_time(last, samples.size()) - middle_time(0, third);
    if (apart <= 0) return;
    Fit tilted = fit;
    tilted.drift =
        (middle_of_ends(samples, last, samples.size(), 0) - middle_of_ends(samples, 0, third, 0)) / apart;
    if (!std::isfinite(tilted.drift) || std::abs(tilted.drift) > kMostDrift) return;
    tilted.offset = middle_of_ends(samples, 0, samples.size(), tilted.drift);
    if (spread(samples, tilted) < 0.5 * spread(samples, fit)) fit = tilted;
}

Fit fit_clock(std::vector<Sample>& samples) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& x, const Sample& y) { return x.time < y.time; });
    Fit raw;
    const double may_be_odd = kOdd * static_cast<double>(samples.size());
    raw.broken_before = raw.broken_after = broken(samples, raw);
    if (static_cast<double>(raw.broken_before) <= may_be_odd) {
        raw.error = room(samples, raw);
        return raw;
    }
    if (samples.size() < kFewest) return raw;
    Fit fit;
    fit.corrected = true;
    fit.offset = middle_of_ends(samples, 0, samples.size(), 0);
    add_drift(samples, fit);
    fit.broken_before = raw.broken_before;
    fit.broken_after = broken(samples, fit);
    // What no clock explains is of calls that do not belong together.
    if (static_cast<double>(fit.broken_after) > may_be_odd || !std::isfinite(fit.offset) ||
        std::abs(fit.offset) > static_cast<double>(kMostOffset))
        return raw;
    fit.error = room(samples, fit);
    return fit;
}

// Each rank's clock: that of its host where the source names it, else its own.
std::vector<uint32_t> clocks_of(const Profile& profile) {
    std::vector<uint32_t> clocks;
    absl::flat_hash_map<std::string, uint32_t> hosts;
    uint32_t next = 0;
    for (const Rank& rank : profile.ranks) {
        if (rank.host.empty()) {
            clocks.push_back(next++);
            continue;
        }
        const auto [it, is_new] = hosts.try_emplace(rank.host, next);
        next += is_new ? 1 : 0;
        clocks.push_back(it->second);
    }
    return clocks;
}

// Of a collective's members with one clock.
struct Side {
    uint32_t clock;
    int64_t begin, end;  // last begin, first end
};

std::vector<Edge> edges_of(const Profile& profile, const std::vector<uint32_t>& clocks) {
    const CommCalls calls = find_calls(profile);
    const Matches matches = match_calls(profile, calls);
    std::map<std::pair<uint32_t, uint32_t>, size_t> places;
    std::vector<Edge> edges;
    std::vector<Side> sides;
    for (const MatchedCall& call : matches.calls) {
        const bool usable = call.state == MatchState::kMatched || call.state == MatchState::kApart ||
                            call.state == MatchState::kRanksMissing;
        const CommKey& key = calls.keys[call.key];
        if (!usable || !call.sure || call.count < 2 || !ends_together(key.kind)) continue;
        if (key.is_pair()) continue;  // a send may be over before its receive begins
        sides.clear();
        for (uint32_t i = 0; i < call.count; ++i) {
            const CommCall& member = calls.calls[matches.members[call.first + i]];
            sides.push_back({clocks[member.rank.index()], member.begin, member.end()});
        }
        std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) { return x.clock < y.clock; });
        size_t kept = 0;
        for (size_t i = 1; i < sides.size(); ++i) {
            if (sides[i].clock == sides[kept].clock) {
                sides[kept].begin = std::max(sides[kept].begin, sides[i].begin);
                sides[kept].end = std::min(sides[kept].end, sides[i].end);
            } else {
                sides[++kept] = sides[i];
            }
        }
        for (size_t i = 1; i <= kept; ++i) {
            const Side &a = sides[0], &b = sides[i];
            const auto [it, is_new] = places.try_emplace({a.clock, b.clock}, edges.size());
            if (is_new) edges.push_back({a.clock, b.clock, {}});
            edges[it->second].samples.push_back({b.end, a.end - b.end, a.begin - b.end, a.end - b.begin});
        }
    }
    return edges;
}

struct Placed {
    bool known = false, corrected = false;
    double offset = 0, drift = 0;
    int64_t error = -1;  // to the first of those that lead to each other
    Fit fit;
    int64_t samples = 0;
};

// Each clock beside the first one that collectives lead to, by the edges with most collectives.
std::vector<Placed> place_clocks(std::vector<Edge>& edges, size_t count) {
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& x, const Edge& y) { return x.samples.size() > y.samples.size(); });
    std::vector<std::vector<uint32_t>> at(count);
    for (uint32_t i = 0; i < edges.size(); ++i) {
        at[edges[i].a].push_back(i);
        at[edges[i].b].push_back(i);
    }
    std::vector<Placed> placed(count);
    for (uint32_t root = 0; root < count; ++root) {
        if (placed[root].known) continue;
        placed[root].known = true;
        placed[root].error = at[root].empty() ? -1 : 0;
        std::vector<uint32_t> open = {root};
        for (size_t next = 0; next < open.size(); ++next) {
            const uint32_t here = open[next];
            for (const uint32_t edge : at[here]) {
                Edge& e = edges[edge];
                const uint32_t other = e.a == here ? e.b : e.a;
                if (placed[other].known) continue;
                if (e.b == here)  // the samples are of b's clock: turn them
                    for (Sample& s : e.samples)
                        s = {s.time + s.ends, -s.ends, -s.most, -s.least};
                Placed& p = placed[other];
                p.fit = fit_clock(e.samples);
                p.known = true;
                p.samples = static_cast<int64_t>(e.samples.size());
                p.offset = p.fit.offset + placed[here].offset;
                p.drift = p.fit.drift + placed[here].drift;
                p.error = p.fit.error < 0 || placed[here].error < 0 ? -1 : p.fit.error + placed[here].error;
                p.corrected = p.offset != 0 || p.drift != 0;
                open.push_back(other);
            }
        }
    }
    return placed;
}

int64_t moved(int64_t time, const RankClock& clock) {
    return time + clock.offset_ns + static_cast<int64_t>(std::floor(clock.drift * static_cast<double>(time)));
}

void move_spans(const Profile& p, const std::vector<RankClock>& clocks, const std::vector<TrackId>& tracks,
                std::vector<int64_t>& begins, std::vector<int64_t>& durs) {
    for (size_t row = 0; row < begins.size(); ++row) {
        const RankClock& clock = clocks[p.tracks[tracks[row].index()].rank.index()];
        if (!clock.corrected) continue;
        const int64_t end = moved(begins[row] + durs[row], clock);
        begins[row] = moved(begins[row], clock);
        durs[row] = end - begins[row];
    }
}

void move_times(Profile& p, const std::vector<RankClock>& clocks) {
    const auto of = [&](TrackId track) -> const RankClock& {
        return clocks[p.tracks[track.index()].rank.index()];
    };
    const auto move = [&](int64_t& time, TrackId track) {
        if (of(track).corrected) time = moved(time, of(track));
    };
    for (size_t row = 0; row < p.host.size(); ++row)
        if (p.host.flags[row] & kUnfinished) p.host.dur[row] = 0;  // until they end with the profile again
    move_spans(p, clocks, p.host.track, p.host.begin, p.host.dur);
    move_spans(p, clocks, p.device.track, p.device.begin, p.device.dur);
    for (size_t row = 0; row < p.memory.size(); ++row)
        move(p.memory.time[row], p.memory.track[row]);
    for (size_t row = 0; row < p.counters.size(); ++row)
        move(p.counters.time[row], p.counters.track[row]);
    for (size_t row = 0; row < p.samples.size(); ++row)
        move(p.samples.time[row], p.samples.track[row]);
    for (FlowEnd& flow : p.flows)
        move(flow.time, flow.track);
    for (PageFault& fault : p.page_faults)
        move(fault.time, fault.track);
    for (GraphNode& node : p.graph_nodes)
        move(node.time, node.thread);
}

}  // namespace

std::vector<RankClock> measure_clocks(const Profile& profile) {
    std::vector<RankClock> out(profile.ranks.size());
    const std::vector<uint32_t> clocks = clocks_of(profile);
    std::vector<Placed> placed;
    if (profile.ranks.size() > 1 && profile.info.end_ns < kMaxNs / 2) {
        const size_t count = *std::max_element(clocks.begin(), clocks.end()) + size_t{1};
        std::vector<Edge> edges = edges_of(profile, clocks);
        placed = place_clocks(edges, count);
    }
    for (size_t rank = 0; rank < out.size(); ++rank) {
        out[rank].clock = clocks[rank];
        if (placed.empty()) continue;
        const Placed& p = placed[clocks[rank]];
        out[rank].corrected = p.corrected;
        out[rank].offset_ns = static_cast<int64_t>(std::llround(p.offset));
        out[rank].drift = p.drift;
        out[rank].error_ns = p.error;
        out[rank].collectives = p.samples;
        out[rank].broken_before = p.fit.broken_before;
        out[rank].broken_after = p.fit.broken_after;
    }
    return out;
}

std::vector<RankClock> uncorrected_clocks(const Profile& profile) {
    std::vector<RankClock> clocks = measure_clocks(profile);
    for (RankClock& clock : clocks) {
        if (!clock.corrected) continue;
        clock.corrected = false;
        clock.offset_ns = 0;
        clock.drift = 0;
        clock.error_ns = -1;
        clock.broken_after = clock.broken_before;
    }
    return clocks;
}

std::vector<RankClock> align_ranks(Profile& profile) {
    std::vector<RankClock> clocks = measure_clocks(profile);
    const bool any =
        std::any_of(clocks.begin(), clocks.end(), [](const RankClock& clock) { return clock.corrected; });
    if (!any) return clocks;
    move_times(profile, clocks);
    order_profile(profile);
    return clocks;
}

}  // namespace opsight::analyze
