#include "analyze/ranks/matching.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace opsight::analyze {
namespace {

constexpr int64_t kMostPlaces = 64;  // that one call is tried with
constexpr int64_t kTogetherNs = 100'000;

using Calls = std::span<const CommCall>;

// Calls of one rank, and by how many places they come after those of the rank with most.
struct OfRank {
    Calls calls;
    int64_t places = 0;
};

bool meet(const CommCall& a, const CommCall& b) {
    return a.begin <= b.end() && b.begin <= a.end();
}

// Whether all calls that have a counterpart ran at the same time as it.
bool all_meet(Calls calls, Calls most, int64_t places) {
    const auto count = static_cast<int64_t>(calls.size()), there = static_cast<int64_t>(most.size());
    const int64_t from = std::max<int64_t>(0, -places), to = std::min(count, there - places);
    if (to <= from) return false;
    for (int64_t i = from; i < to; ++i)
        if (!meet(calls[static_cast<size_t>(i)], most[static_cast<size_t>(i + places)])) return false;
    return true;
}

// Where the calls may begin among those of the rank with most: places at which the first, middle or last
// meets one.
std::vector<int64_t> candidates(Calls calls, Calls most) {
    std::vector<int64_t> found;
    for (const size_t probe : {size_t{0}, calls.size() / 2, calls.size() - 1}) {
        const CommCall& call = calls[probe];
        const auto after = std::upper_bound(most.begin(), most.end(), call.end(),
                                            [](int64_t end, const CommCall& c) { return end < c.begin; });
        for (int64_t i = after - most.begin() - 1, tried = 0; i >= 0 && tried < kMostPlaces; --i, ++tried)
            if (meet(call, most[static_cast<size_t>(i)])) found.push_back(i - static_cast<int64_t>(probe));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// Nothing: no number of places does, or several do.
std::optional<int64_t> places_of(Calls calls, Calls most) {
    if (calls.size() == most.size() && all_meet(calls, most, 0)) return 0;
    const auto count = static_cast<int64_t>(calls.size()), there = static_cast<int64_t>(most.size());
    std::optional<int64_t> found;
    for (const int64_t places : candidates(calls, most)) {
        // Of a few calls that happen to meet nothing is learned.
        const int64_t shared = std::min(count, there - places) - std::max<int64_t>(0, -places);
        if (2 * shared < count || !all_meet(calls, most, places)) continue;
        if (found) return std::nullopt;
        found = places;
    }
    return found;
}

// Middle of what the ends of calls in the same order are apart.
int64_t apart(Calls calls, Calls most, size_t from, size_t to) {
    std::vector<int64_t> ends;
    for (size_t i = from; i < to; ++i)
        ends.push_back(most[i].end() - calls[i].end());
    const auto half = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::nth_element(ends.begin(), half, ends.end());
    return *half;
}

// Whether calls in the same order can be the same at all: with the clocks apart by the middle of what their
// ends are apart, most run at the same time. Clocks may drift, so long sequences are looked at in parts of
// ten.
bool may_be_same(Calls calls, Calls most) {
    constexpr size_t kFewestKnown = 4, kPart = 10;
    const size_t count = calls.size();
    if (count != most.size() || count < kFewestKnown) return count == most.size();
    const size_t parts = std::max<size_t>(1, count / kPart);
    size_t odd = 0;
    for (size_t part = 0; part < parts; ++part) {
        const size_t from = count * part / parts, to = count * (part + 1) / parts;
        const int64_t by = apart(calls, most, from, to);
        for (size_t i = from; i < to; ++i) {
            CommCall there = calls[i];
            there.begin += by;
            odd += meet(there, most[i]) ? 0 : 1;
        }
    }
    return 5 * odd <= count;
}

// Where a call stands among those of its key: by number and, of calls that were started as one, by order; or
// by order.
using CallPlace = std::pair<int64_t, int64_t>;
using CallPlaces = std::vector<std::pair<CallPlace, uint32_t>>;  // with the call, into CommCalls::calls

// Nothing: not all tell a number, numbers fall, or no two ranks share one (they are of different runs).
std::optional<CallPlaces> places_by_number(const std::vector<OfRank>& ranks, const CommCall* first) {
    CallPlaces found;
    for (const OfRank& rank : ranks) {
        CallPlace last{-1, 0};
        for (const CommCall& call : rank.calls) {
            if (call.number < 0 || call.number < last.first) return std::nullopt;
            last = {call.number, call.number == last.first ? last.second + 1 : 0};
            found.emplace_back(last, static_cast<uint32_t>(&call - first));
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool shared = std::adjacent_find(found.begin(), found.end(), [](const auto& a, const auto& b) {
                            return a.first == b.first;
                        }) != found.end();
    return shared || ranks.size() == 1 ? std::optional(std::move(found)) : std::nullopt;
}

// Each rank's calls go on from where they are.
CallPlaces places_by_order(const std::vector<OfRank>& ranks, const CommCall* first) {
    CallPlaces found;
    for (const OfRank& rank : ranks)
        for (size_t i = 0; i < rank.calls.size(); ++i)
            found.emplace_back(CallPlace{rank.places + static_cast<int64_t>(i), 0},
                               static_cast<uint32_t>(&rank.calls[i] - first));
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return found;
}

class Matcher {
  public:
    Matcher(const Profile& profile, const CommCalls& calls) : p_(profile), c_(calls) {
        job_ranks_ = static_cast<int64_t>(p_.ranks.size());
        for (const Rank& rank : p_.ranks)
            job_ranks_ = std::max(job_ranks_, rank.world_size);
    }

    Matches match() {
        const std::vector<CommCall>& all = c_.calls;
        for (size_t begin = 0; begin < all.size();) {
            size_t end = begin;
            while (end < all.size() && all[end].key == all[begin].key)
                ++end;
            match_key(Calls(all).subspan(begin, end - begin));
            begin = end;
        }
        return std::move(out_);
    }

  private:
    void match_key(Calls calls) {
        std::vector<OfRank> ranks;
        for (size_t begin = 0; begin < calls.size();) {
            size_t end = begin;
            while (end < calls.size() && calls[end].rank == calls[begin].rank)
                ++end;
            ranks.push_back({calls.subspan(begin, end - begin)});
            begin = end;
        }
        const CommKey& key = c_.keys[calls.front().key];
        // A rank counts the sends and receives to all of its peers.
        if (key.kind != CollectiveKind::kSendReceive)
            if (const auto places = places_by_number(ranks, c_.calls.data()))
                return add_calls(*places, ranks.size(), true);
        match_by_order(ranks, key);
    }

    void match_by_order(std::vector<OfRank>& ranks, const CommKey& key) {
        Calls most = ranks.front().calls;
        bool equal = true;
        for (const OfRank& rank : ranks) {
            equal &= rank.calls.size() == most.size();
            if (rank.calls.size() > most.size()) most = rank.calls;
        }
        bool known = true, same = true;
        for (OfRank& rank : ranks) {
            const std::optional<int64_t> places = places_of(rank.calls, most);
            known &= places.has_value();
            same &= may_be_same(rank.calls, most);
            rank.places = places.value_or(0);
        }
        if (!known)
            for (OfRank& rank : ranks)
                rank.places = 0;
        // With clocks that are apart calls need not meet; as many of each are most likely the same. Those of
        // a backend on the host whose group the ops name are told whole, and a send may be over long before
        // its receive begins; and of sends and receives whose ranks are told these are all.
        const bool told = (key.on_host && key.group_ranks.value != 0) || key.is_pair();
        const bool sure = known || (equal && (same || told));
        add_calls(places_by_order(ranks, c_.calls.data()), ranks.size(), sure);
    }

    // `order`: by place and rank.
    void add_calls(const CallPlaces& order, size_t ranks, bool sure) {
        for (size_t at = 0; at < order.size();) {
            MatchedCall call;
            call.first = static_cast<uint32_t>(out_.members.size());
            const CallPlace place = order[at].first;
            // What may not belong together stands alone.
            do
                out_.members.push_back(order[at++].second);
            while (sure && at < order.size() && order[at].first == place);
            call.count = static_cast<uint32_t>(out_.members.size()) - call.first;
            judge(call, static_cast<int64_t>(ranks), sure);
            out_.calls.push_back(call);
        }
    }

    void judge(MatchedCall& call, int64_t ranks_there, bool sure) {
        const CommCall& one = c_.calls[out_.members[call.first]];
        const CommKey& key = c_.keys[one.key];
        call.key = one.key;
        call.sure = sure;
        call.ranks = key.is_pair() ? 2 : key.group_size > 0 ? key.group_size : -1;
        const int64_t wanted = call.ranks > 0 ? call.ranks : job_ranks_;
        const bool alone = key.group_size < 1 && wanted < 2;  // a job of one rank, or one that tells nothing
        if (ranks_there < wanted || alone) {
            call.state = MatchState::kRanksMissing;
        } else if (!sure || call.count < wanted || ranks_there > wanted) {
            call.state = MatchState::kCountsDiffer;
        } else if (differ(call, key.kind)) {
            call.state = MatchState::kCallsDiffer;
        } else if (key.kind == CollectiveKind::kSendReceive && !key.on_host && !key.is_pair() &&
                   !end_together(call)) {
            call.state = MatchState::kApart;
        }
        if (call.ranks < 0 && call.state == MatchState::kMatched) call.ranks = call.count;
    }

    // Only where all ranks give and take as much.
    bool differ(const MatchedCall& call, CollectiveKind kind) const {
        if (kind != CollectiveKind::kAllReduce && kind != CollectiveKind::kAllGather &&
            kind != CollectiveKind::kReduceScatter)
            return false;
        const CollectiveId first = c_.calls[out_.members[call.first]].collective;
        for (uint32_t i = 1; i < call.count; ++i) {
            const CollectiveId other = c_.calls[out_.members[call.first + i]].collective;
            if (other == first || !other.valid() || !first.valid()) continue;
            const Collective &a = p_.collectives[first.index()], &b = p_.collectives[other.index()];
            if (a.in_elements != b.in_elements || a.out_elements != b.out_elements || a.dtype != b.dtype)
                return true;
        }
        return false;
    }

    bool end_together(const MatchedCall& call) const {
        int64_t first = INT64_MAX, last = INT64_MIN, shortest = INT64_MAX;
        for (uint32_t i = 0; i < call.count; ++i) {
            const CommCall& member = c_.calls[out_.members[call.first + i]];
            first = std::min(first, member.end());
            last = std::max(last, member.end());
            shortest = std::min(shortest, member.dur);
        }
        return last - first <= std::max(shortest, kTogetherNs);
    }

    const Profile& p_;
    const CommCalls& c_;
    Matches out_;
    int64_t job_ranks_ = 0;
};

}  // namespace

std::string_view state_word(MatchState state) {
    constexpr std::array<std::string_view, static_cast<size_t>(MatchState::kCount)> words = {
        "matched", "ranks not recorded", "counts differ", "calls differ", "peers not told"};
    return words[static_cast<size_t>(state)];
}

Matches match_calls(const Profile& profile, const CommCalls& calls) {
    return Matcher(profile, calls).match();
}

}  // namespace opsight::analyze
