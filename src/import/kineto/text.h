// JSON strings of trace events as plain text, and repair of unclean ones.
#pragma once

#include <string>
#include <string_view>

namespace opsight::kineto {

// The text of a JSON token: strings without quotes and escapes, anything else as it stands. `scratch` holds
// the result where it differs from the source.
std::string_view plain_text(std::string_view token, std::string& scratch);

// Makes text that a strict parser takes: control characters become spaces, bytes that are not UTF-8 become
// '?'. True when something was changed.
bool clean(std::string& json);

}  // namespace opsight::kineto
