// Which rules a profile was read, judged and counted by.
#pragma once

#include <string_view>

namespace opsight::db {

// A sum over the sources of this program that decide what it writes into a profile; the profile keeps it as
// the meta row "rules". Another program's may differ, and so may its numbers of the same trace.
std::string_view rules();

}  // namespace opsight::db
