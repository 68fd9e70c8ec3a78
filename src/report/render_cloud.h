// A cloud of mappings as a text for people, as one JSON object, and as a picture: energy against cycles, the
// Pareto front and the mappings with the fewest accesses of the outermost memory marked.
#pragma once

#include <string>

#include "query/model/mapping_cloud.h"

namespace opsight::report {

std::string render_cloud_text(const query::CloudAnswer& answer, int width);
// `most`: how many points it has at most; the front is all there.
std::string render_cloud_json(const query::CloudAnswer& answer, size_t most);
std::string render_cloud_picture(const query::CloudAnswer& answer);

}  // namespace opsight::report
