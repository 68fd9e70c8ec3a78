// A mapping and what it costs as a text for people, as one JSON object, and as input.
#pragma once

#include <string>

#include "query/model/mappings.h"

namespace opsight::report {

// Which levels have energies of no table, and whose they are: whoever reads a sum should know. Empty: none.
std::string energy_note(const map::Architecture& architecture);

std::string render_mapping_text(const query::MappingAnswer& answer, int width);
std::string render_mapping_json(const query::MappingAnswer& answer);
// The mapping alone, as a file that opsight map and Timeloop read.
std::string render_mapping_yaml(const query::MappingAnswer& answer);

}  // namespace opsight::report
