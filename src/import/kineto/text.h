// JSON strings of trace events as plain text.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer::kineto {

// The text of a JSON token: strings without quotes and escapes, anything else as it stands. `scratch` holds
// the result where it differs from the source.
std::string_view plain_text(std::string_view token, std::string& scratch);

}  // namespace opsight::importer::kineto
