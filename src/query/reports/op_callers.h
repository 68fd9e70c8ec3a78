// Which ops of the range others called: for each two identities how often an instance of one lies right
// inside one of the other, and how long. Asked once of a session. Cost: two scans of columns of the ops; a
// join of the ops with themselves takes ten times that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

struct CalledOps {
    int64_t op = -1, caller = -1;  // op_identities.id
    int64_t calls = 0, ns = 0;
};
Result<std::shared_ptr<const std::vector<CalledOps>>> called_ops(Session& session);

// Types of ops with calls right inside a call of the same type; the one that takes longest there first.
struct NestedType {
    std::string type;
    int64_t calls = 0, ns = 0;
};
Result<std::vector<NestedType>> nested_types(Session& session);

// Whether any op of the forward pass was called by one of the backward pass.
Result<bool> forward_in_backward(Session& session);

}  // namespace opsight::query
