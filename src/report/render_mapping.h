// A mapping and what it costs as a text for people, as one JSON object, and as input.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "query/model/mappings.h"

namespace opsight::report {

// Where the energies come from, for each format: whoever reads a sum should know. As text a line each.
std::string energy_note(const map::Architecture& architecture);
// "energies are of the ERT (MACs, DRAM), the built-in table (Buffer)", for a picture.
std::string energy_line(const map::Architecture& architecture);
// The fields energy_sources and unread_attributes of the object that is open.
void put_energy_sources(JsonWriter& json, const map::Architecture& architecture);

std::string render_mapping_text(const query::MappingAnswer& answer, int width);
std::string render_mapping_json(const query::MappingAnswer& answer);
// The mapping alone, as a file that opsight map and Timeloop read.
std::string render_mapping_yaml(const query::MappingAnswer& answer);

}  // namespace opsight::report
