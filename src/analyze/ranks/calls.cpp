#include "analyze/ranks/calls.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "analyze/host_states.h"
#include "analyze/kernel_names.h"

namespace opsight::analyze {
namespace {

struct Spelling {
    std::string_view part;
    CollectiveKind kind;
};
// The first that is in the name counts, so longer ones stand before their parts.
constexpr std::array kSpellings = {Spelling{"allreduce", CollectiveKind::kAllReduce},
                                   Spelling{"crossdevicereduce", CollectiveKind::kAllReduce},
                                   Spelling{"reducescatter", CollectiveKind::kReduceScatter},
                                   Spelling{"allgather", CollectiveKind::kAllGather},
                                   Spelling{"alltoall", CollectiveKind::kAllToAll},
                                   Spelling{"broadcast", CollectiveKind::kBroadcast},
                                   Spelling{"barrier", CollectiveKind::kBarrier},
                                   Spelling{"send", CollectiveKind::kSendReceive},
                                   Spelling{"recv", CollectiveKind::kSendReceive},
                                   Spelling{"scatter", CollectiveKind::kScatter},
                                   Spelling{"gather", CollectiveKind::kGather},
                                   Spelling{"reduce", CollectiveKind::kReduce}};

class CallFinder {
  public:
    explicit CallFinder(const Profile& profile) : p_(profile) {}

    CommCalls find() {
        for (uint32_t row = 0; row < p_.device.size(); ++row)
            if (p_.device.kind[row] == DeviceKind::kKernel) add_kernel(row);
        find_ranges();
        for (Told& told : ranges_)
            add_ranges(told);
        std::sort(found_.calls.begin(), found_.calls.end(), [](const CommCall& a, const CommCall& b) {
            return std::tuple(a.key, a.rank, a.begin, a.row) < std::tuple(b.key, b.rank, b.begin, b.row);
        });
        return std::move(found_);
    }

  private:
    // Whether the name is that of a collective; asked once for each name.
    bool known(StringId name, bool on_host) {
        const auto [it, is_new] = names_.try_emplace({name.value, on_host}, false);
        if (is_new) {
            const std::string_view text = p_.strings.view(name);
            it->second =
                on_host ? is_host_collective(text) : kernel_class(text) == KernelClass::kCommunication;
        }
        return it->second;
    }

    void add_kernel(uint32_t row) {
        const CollectiveId told = p_.device.collective[row];
        if (!told.valid() && !known(p_.device.name[row], false)) return;
        CommKey key;
        key.name = p_.device.name[row];
        if (told.valid()) {
            const Collective& c = p_.collectives[told.index()];
            key.group_name = c.group_name;
            key.group_ranks = c.group_ranks;
            key.group_size = c.group_size;
            if (c.name.valid()) key.kind = collective_kind(p_.strings.view(c.name));
        }
        tell_pair(key, row);
        add(key, {p_.tracks[p_.device.track[row].index()].rank, 0, row, p_.device.begin[row],
                  p_.device.dur[row], told, p_.device.collective_number(row)});
    }

    // A rank's trace tells the other one alone.
    void tell_pair(CommKey& key, uint32_t row) const {
        const Exchange told = p_.device.exchange(row);
        if (key.kind != CollectiveKind::kSendReceive || !told.told()) return;
        const int64_t own = p_.ranks[p_.tracks[p_.device.track[row].index()].rank.index()].number;
        key.from = told.from >= 0 ? told.from : own;
        key.to = told.to >= 0 ? told.to : own;
    }

    // Ranges of one kind on one rank, and the ops of process groups that asked for them.
    struct Told {
        std::vector<uint32_t> ranges, ops;
    };

    void find_ranges() {
        absl::flat_hash_map<std::tuple<uint32_t, CollectiveKind, bool>, size_t> places;
        const auto of = [&](uint32_t row) -> Told& {
            const std::string_view name = p_.strings.view(p_.host.name[row]);
            const uint32_t rank = p_.tracks[p_.host.track[row].index()].rank.value;
            const auto [at, is_new] = places.try_emplace(
                {rank, collective_kind(name), name.find("recv") != name.npos}, ranges_.size());
            if (is_new) ranges_.emplace_back();
            return ranges_[at->second];
        };
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            if (p_.host.kind[row] == HostKind::kAnnotation) {
                if (known(p_.host.name[row], true)) of(row).ranges.push_back(row);
            } else if (p_.host.kind[row] == HostKind::kOp &&
                       p_.op_details.collective[p_.host.detail[row]].valid()) {
                of(row).ops.push_back(row);
            }
        }
        for (Told& told : ranges_)
            for (std::vector<uint32_t>* rows : {&told.ranges, &told.ops})
                std::stable_sort(rows->begin(), rows->end(),
                                 [&](uint32_t a, uint32_t b) { return p_.host.begin[a] < p_.host.begin[b]; });
    }

    // A backend carries out what it is asked for in that order. Where there are more of the one than of the
    // other, which belong together is not known.
    void add_ranges(const Told& told) {
        const bool paired = told.ranges.size() == told.ops.size();
        for (size_t i = 0; i < told.ranges.size(); ++i) {
            const uint32_t row = told.ranges[i];
            if (p_.host.flags[row] & (kInstant | kUnfinished)) continue;
            CommKey key;
            key.name = p_.host.name[row];
            key.on_host = true;
            CollectiveId collective;
            HostSpanId asked;
            int64_t number = -1;
            if (paired) {
                asked = HostSpanId(told.ops[i]);
                const uint32_t op = p_.host.detail[told.ops[i]];
                number = p_.op_details.collective_number(op);
                collective = p_.op_details.collective[op];
                const Collective& c = p_.collectives[collective.index()];
                key.group_name = c.group_name;
                key.group_ranks = c.group_ranks;
                key.group_size = c.group_size;
            }
            add(key, {p_.tracks[p_.host.track[row].index()].rank, 0, row, p_.host.begin[row],
                      p_.host.dur[row], collective, number, asked});
        }
    }

    void add(CommKey key, CommCall call) {
        const auto [it, is_new] =
            keys_.try_emplace({is_told_pair(key) ? 0 : key.name.value, key.group_name.value,
                               key.group_ranks.value, key.from, key.to},
                              found_.keys.size());
        call.key = static_cast<uint32_t>(it->second);
        if (is_new) {
            if (key.kind == CollectiveKind::kOther) key.kind = collective_kind(p_.strings.view(key.name));
            found_.keys.push_back(key);
        } else if (found_.keys[it->second].group_size < 0) {
            found_.keys[it->second].group_size = key.group_size;
        }
        found_.calls.push_back(call);
    }

    // A send and its receive are one, though their names differ.
    bool is_told_pair(const CommKey& key) const { return key.is_pair() || is_pair_on_host(key); }
    bool is_pair_on_host(const CommKey& key) const {
        return key.on_host && key.group_size == 2 && key.group_ranks.value != 0 &&
               collective_kind(p_.strings.view(key.name)) == CollectiveKind::kSendReceive;
    }

    const Profile& p_;
    CommCalls found_;
    std::vector<Told> ranges_;
    absl::flat_hash_map<std::pair<uint32_t, bool>, bool> names_;
    absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t, int64_t, int64_t>, size_t> keys_;
};

}  // namespace

CollectiveKind collective_kind(std::string_view name) {
    std::string plain;
    for (const char letter : name.substr(0, name.find('(')))
        if (letter != '_' && letter != '-')
            plain.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter);
    for (const Spelling& spelling : kSpellings)
        if (plain.find(spelling.part) != plain.npos) return spelling.kind;
    return CollectiveKind::kOther;
}

std::string_view kind_word(CollectiveKind kind) {
    constexpr std::array<std::string_view, static_cast<size_t>(CollectiveKind::kCount)> words = {
        "other",  "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
        "reduce", "gather",     "scatter",    "send/receive",   "barrier"};
    return words[static_cast<size_t>(kind)];
}

bool ends_together(CollectiveKind kind) {
    return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kAllGather ||
           kind == CollectiveKind::kReduceScatter || kind == CollectiveKind::kAllToAll ||
           kind == CollectiveKind::kSendReceive || kind == CollectiveKind::kBarrier ||
           kind == CollectiveKind::kOther;
}

CommCalls find_calls(const Profile& profile) {
    return CallFinder(profile).find();
}

}  // namespace opsight::analyze
