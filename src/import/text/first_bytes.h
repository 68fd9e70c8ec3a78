// What the first bytes of a text tell.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer {

// Behind a byte order mark of UTF-8, as tools of Windows write it.
std::string_view behind_mark(std::string_view text);

void remove_mark(std::string& text);

// Behind that and white space.
std::string_view behind_space(std::string_view text);

// Whether JSON may begin so. "[" and "{" begin lines of logs, too: "[INFO] ...", "{'loss': 0.5}".
bool may_be_json(std::string_view text);

// Whether a JSON object or a list of them begins so, as "[1,0]<stdout>: ..." does not.
bool begins_json_objects(std::string_view text);

}  // namespace opsight::importer
