// A network on a SoC as a text for people and as one JSON object.
#pragma once

#include <string>

#include "query/mapping/soc.h"

namespace opsight::report {

std::string render_soc_text(const query::SocMapping& soc, int width);
std::string render_soc_json(const query::SocMapping& soc);

}  // namespace opsight::report
