// The tables of a store as a document.
#pragma once

#include <string>

namespace opsight::cli {

// What docs/FLEET.md has below its heading "Tables".
std::string fleet_schema_markdown();

}  // namespace opsight::cli
