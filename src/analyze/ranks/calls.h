// Collectives as each rank made them: a kernel of NCCL, RCCL and the like, or a range of a backend that works
// on the host (gloo, MPI, UCC).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

enum class CollectiveKind : uint8_t {
    kOther,
    kAllReduce,
    kAllGather,
    kReduceScatter,
    kAllToAll,
    kBroadcast,
    kReduce,
    kGather,
    kScatter,
    kSendReceive,  // also all-to-all, where NCCL's kernel is all that is told
    kBarrier,
    kCount
};
// Of the name of a collective or of its kernel, however it is spelled.
CollectiveKind collective_kind(std::string_view name);
// "all-reduce"
std::string_view kind_word(CollectiveKind kind);
// Whether no member can be done before the last one came: then all end together.
bool ends_together(CollectiveKind kind);

// What calls of ranks must share to be parts of one collective.
struct CommKey {
    StringId name;                           // of the kernel or range
    StringId group_name{0}, group_ranks{0};  // empty: not told
    int64_t group_size = -1;                 // -1: not told
    CollectiveKind kind = CollectiveKind::kOther;
    bool on_host = false;
    int64_t from = -1, to = -1;  // of sends and receives: the ranks of the job between which; -1: not told
    bool is_pair() const { return from >= 0 && to >= 0; }
};

struct CommCall {
    RankId rank;
    uint32_t key = 0;  // into CommCalls::keys
    uint32_t row = 0;  // of Profile::device, or of Profile::host
    int64_t begin = 0, dur = 0;
    CollectiveId collective;  // what is told of it
    int64_t number = -1;      // that its process group gave it; -1: not told
    HostSpanId op;            // that asked a backend on the host for it; invalid: not known
    int64_t end() const { return begin + dur; }
};

struct CommCalls {
    std::vector<CommKey> keys;
    std::vector<CommCall> calls;  // by (key, rank, begin, row)
};

CommCalls find_calls(const Profile& profile);

}  // namespace opsight::analyze
