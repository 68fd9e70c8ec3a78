// Which calls of the ranks are one collective.
//
// Calls of one group and kernel are matched by the numbers that the group gave them (PyTorch's "Seq"), where
// all tell one; else by their order in each rank. Recordings of ranks need not begin and end together: where
// calls of the same place never ran at the same time, or ranks have different numbers of calls, they are
// moved by as many places as make all of them run at the same time as those of the rank that has most, if
// exactly one number of places does. Cost: n log n in the calls; at most 192 places are tried.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/ranks/calls.h"

namespace opsight::analyze {

enum class MatchState : uint8_t {
    kMatched,       // every rank of the group is there
    kRanksMissing,  // the group has ranks that were not recorded
    kCountsDiffer,  // a recorded rank of the group lacks the call, and which one it lacks is not known
    kCallsDiffer,   // ranks tell different sizes or types
    kApart,         // sends and receives that do not end together: who sends to whom is not told
    kCount
};
std::string_view state_word(MatchState state);

struct MatchedCall {
    uint32_t key = 0;
    uint32_t first = 0, count = 0;  // of Matches::members
    int64_t ranks = -1;             // of the group; -1: not known
    MatchState state = MatchState::kMatched;
    bool sure = true;  // that its members belong together, whoever else there is
};

struct Matches {
    std::vector<uint32_t> members;  // into CommCalls::calls; those of a call by rank
    std::vector<MatchedCall> calls;
};

Matches match_calls(const Profile& profile, const CommCalls& calls);

}  // namespace opsight::analyze
