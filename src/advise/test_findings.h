// The findings of small profiles, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "advise/advise.h"
#include "query/session/test_session.h"

namespace opsight::advise {

// Null where there is none of this id.
inline const Finding* find(const std::vector<Finding>& all, const std::string& id) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.id == id; });
    return found == all.end() ? nullptr : &*found;
}

inline std::vector<Finding> findings_in(analyze::TestProfile t) {
    const query::StoredProfile stored(std::move(t));
    query::Session session = stored.open({.whole = true});
    auto found = find_findings(session);
    EXPECT_TRUE(found.has_value());
    return std::move(found).value();
}

}  // namespace opsight::advise
