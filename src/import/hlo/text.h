// HLO modules in text, as XLA prints them ("--xla_dump_to" writes *.txt), read into the messages of the
// binary form. What follows is not kept: layouts, literals, shardings.
#pragma once

#include <string_view>

#include "base/result.h"
#include "import/hlo/hlo.pb.h"

namespace opsight::importer::hlo {

// Whether the text begins as one does.
bool is_module_text(std::string_view text);
// Errors name the line.
Result<hlo_file::Module> read_module_text(std::string_view text);

}  // namespace opsight::importer::hlo
