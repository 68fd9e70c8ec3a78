// The registry of formats.
#pragma once

#include <string>

#include "import/reader/reader.h"

namespace opsight::importer {

// In the order in which help and docs show them.
Readers all_readers();

// "Opsight reads databases of DLProf (.sqlite), ...": what to do about a file that no reader takes.
std::string what_is_read(Readers readers = all_readers());

// "run/trace_0.pt.trace.json.gz" -> "trace_0": without its directory and all endings of files that are read,
// their wrappings and profiles. A file that has no name but such an ending keeps it.
std::string name_without_endings(const std::string& path);

// Whether it has the name of a file that is read.
bool has_known_ending(std::string_view path);

}  // namespace opsight::importer
