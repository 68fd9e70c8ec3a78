// ExecutionTrace: the calls of a program's ops with their arguments, as PyTorch's ExecutionTraceObserver
// tells them: in order, but without times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/string_pool.h"

namespace opsight {

// Texts are of the trace's own pool, in the form of Signature (model/entities.h).
struct ExecutedOp {
    int64_t id = 0;                // rises in the order in which the calls of a thread began
    int64_t record_function = -1;  // PyTorch's number of the call in its process; -1: not told
    int64_t sequence = -1;         // autograd's sequence number; -1: none
    int64_t thread = 0;            // numbered by PyTorch, not by the system
    StringId name{0}, shapes{0}, dtypes{0}, concrete{0};
    StringId strides{0};  // empty: not told
};

struct ExecutionTrace {
    std::string source;      // the file
    int64_t process = -1;    // -1: not told
    int64_t rank_hint = -1;  // that the file's name suggests
    StringPool strings;
    std::vector<ExecutedOp> ops;  // by thread and id; user's ranges and the observer's own nodes are none
    bool is_part = false;         // some calls may be missing, so their order tells nothing
    int64_t odd_nodes = 0;        // that were left out, for a needed member is missing or of another type
};

}  // namespace opsight
