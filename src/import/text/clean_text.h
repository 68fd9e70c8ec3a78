// Repair of unclean text.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer {

// Makes text that a strict parser takes: control characters become spaces, bytes that are not UTF-8 become
// '?'. True when something was changed.
bool clean_text(std::string& text);
bool is_clean(std::string_view text);

}  // namespace opsight::importer
