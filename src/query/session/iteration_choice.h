// Which ranges of a profile come again and again, and so could be what the reader calls an iteration.
#pragma once

#include <optional>
#include <string>

#include "query/session/session.h"

namespace opsight::query {

struct IterationChoice {
    std::string name;     // as people read it: "step", "iter #"
    std::string pattern;  // for --iteration-range
    int64_t count = 0;
};
// What to suggest for a profile without iterations, or whose iterations are inferred from kernels alone, for
// its program uses no framework; nothing where nothing repeats.
Result<std::optional<IterationChoice>> iteration_choice(Session& session);
// "'step' comes 12 times: --iteration-range '^step$' makes an iteration of each"; empty where nothing
// repeats.
Result<std::string> iteration_hint(Session& session);

}  // namespace opsight::query
