// Types of elements as XLA numbers and names them.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/model_graph.h"

namespace opsight::importer::hlo {

// XLA's PrimitiveType: 0 for a name that is none.
int32_t type_number(std::string_view name);
// Empty for a number that is none.
std::string_view type_name(int32_t number);
// kUnknown for tokens, opaque values and what is not known.
ElementType element_type(int32_t number);

}  // namespace opsight::importer::hlo
