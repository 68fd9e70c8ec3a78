// The mappings of a network as a text for people, as one JSON object, and as input.
#pragma once

#include <string>

#include "query/mapping/network_tables.h"

namespace opsight::report {

std::string render_network_text(const query::NetworkMapping& network, int width);
std::string render_network_json(const query::NetworkMapping& network);
// Each layer's problem and mapping as a YAML document of its own; one of them goes in again as a file.
std::string render_network_yaml(const query::NetworkMapping& network);
// Multiply-adds in a cycle against those for each word of the outermost level, as SVG.
std::string render_network_roofline(const query::NetworkMapping& network);

}  // namespace opsight::report
