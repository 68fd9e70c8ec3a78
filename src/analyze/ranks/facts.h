// What is known of the ranks of a job together: their clocks, groups, and collectives with what each cost.
#pragma once

#include <string>
#include <vector>

#include "analyze/ranks/clocks.h"
#include "analyze/ranks/matching.h"
#include "analyze/results.h"

namespace opsight::analyze {

// What a group is for, guessed from its name and from what it is used for.
enum class GroupKind : uint8_t {
    kUnknown,
    kData,         // gradients are summed up
    kShardedData,  // parameters are gathered, gradients reduced and scattered
    kTensor,       // activations are summed up within layers, forward and backward
    kPipeline,     // one rank sends to the next
    kExpert,       // all exchange with all
    kSetup,        // broadcasts and barriers only
    kCount
};

struct CommGroup {
    StringId name{0}, description{0}, ranks{0};  // empty: not told
    CollectiveKind of =
        CollectiveKind::kOther;  // where no group is told: the collectives that stand together
    int64_t size = -1;           // -1: not told
    int64_t recorded = 0;        // ranks of the profile with calls of it
    bool on_host = false;
    GroupKind kind = GroupKind::kUnknown;
    std::string evidence;
    std::string link;             // between its devices; empty: not known
    double link_bytes_per_s = 0;  // of it, one direction, of a device; 0: not known
};

struct CollectiveCall {
    uint32_t group = 0;             // into RankFacts::groups
    StringId name;                  // of the call where it is told, else of the kernel or range
    KernelId kernel;                // invalid: on the host
    CollectiveId told;              // what one member tells; invalid: none does
    int64_t bytes = -1;             // the larger of what a rank gives and takes
    int64_t ranks = -1;             // of the group
    uint32_t first = 0, count = 0;  // of RankFacts::members
    MatchState state = MatchState::kMatched;
    int64_t first_begin = 0, last_begin = 0, end = 0;
    // These are known of matched calls only.
    int64_t transfer_ns = -1, waiting_ns = -1;  // of the last member; of all members together
    RankId last;                                // who came last
    // What took most of the last rank's time while others waited for it.
    Resource cause = Resource::kIdle;
    int64_t cause_ns = 0;
    OpId cause_op;  // of a cause that is an op, or a kernel of one
    HostSpanId op;  // of a member, that asked a backend on the host for it; invalid: not known
};

struct CollectiveMember {
    uint32_t call = 0;
    RankId rank;
    uint32_t row = 0;  // of Profile::device, or of Profile::host
    int64_t begin = 0, dur = 0;
    int64_t waiting_ns = -1;          // -1: not known
    int64_t exposed_ns = -1;          // without a compute kernel beside it; -1: not on a device
    int64_t exposed_waiting_ns = -1;  // the part of waiting_ns that is
};

struct RankFacts {
    std::vector<CommGroup> groups;
    std::vector<CollectiveCall> calls;      // by first begin
    std::vector<CollectiveMember> members;  // by call and rank
    std::vector<RankClock> clocks;          // beside Profile::ranks
};

// Cost: n log n in the calls, and what ran on the last rank while others waited (at most kMostLooks spans a
// call).
RankFacts find_rank_facts(const Profile& profile, const Analysis& analysis, std::vector<RankClock> clocks);

// The parts of find_rank_facts.
void find_links(const Profile& profile, const Analysis& analysis, RankFacts& facts);
void guess_groups(const Profile& profile, const Analysis& analysis, RankFacts& facts);
void find_costs(const Profile& profile, const Analysis& analysis, RankFacts& facts);

}  // namespace opsight::analyze
