// The locale of the tables in a file.
#pragma once

#include <string_view>

#include "import/ncu/amounts.h"

namespace opsight::importer::ncu {

// Told by the columns of values in the first part of a file: what stands in others, such as the compute
// capability, ncu prints alike everywhere.
Locale locale_of(std::string_view start);

}  // namespace opsight::importer::ncu
