// A mapping as a picture: its loop nest as boxes, one in the other, and where energy and cycles go as bars.
#pragma once

#include <string>

#include "query/model/mappings.h"

namespace opsight::report {

std::string render_mapping_picture(const query::MappingAnswer& answer);

// Energy and cycles by level as bars of text, for terminals.
std::string render_mapping_bars(const query::MappingAnswer& answer);

}  // namespace opsight::report
