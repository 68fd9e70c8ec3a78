// Lines of text files, made clean.
#pragma once

#include <string>

namespace opsight::importer {

// As clean_text(), without the '\r' at its end. True when something was lost: tabs and line ends are white
// space as they are.
bool repair_line(std::string& line);

}  // namespace opsight::importer
