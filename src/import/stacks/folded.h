// Imports folded stacks: a line for each, its functions from the outermost in with ';' between them, and
// behind a blank how many samples it had. As stackcollapse-perf.pl of Brendan Gregg's FlameGraph writes them,
// and 'py-spy record --format raw'.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::stacks {

// One line of them. False: it is none.
bool read_folded(std::string_view line, std::vector<std::string_view>& frames, int64_t& count);

// `most`: samples that it may have.
Result<ImportFacts> import_folded(const OneFile& file, ProfileBuilder& builder, int64_t most);

}  // namespace opsight::importer::stacks
