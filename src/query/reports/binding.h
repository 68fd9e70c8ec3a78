// Whether a device was at work for most of a run: by what its ops are worth sorting.
#pragma once

#include <string>
#include <string_view>

#include "query/session/session.h"

namespace opsight::query {

struct Binding {
    bool host = false;  // no device was at work for most of the wall clock
    std::string words;  // how long one was; empty where there is no device work to compare with
    // The column that ops are sorted by then.
    std::string sort_key(std::string_view report) const;
};
Result<Binding> what_binds(Session& session);

// Whether ranges that the program names, apart from step markers and ops, hold a good part of the wall clock.
Result<bool> ranges_explain(Session& session);

}  // namespace opsight::query
