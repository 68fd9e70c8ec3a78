// The part of `opsight map` that takes a network, or sizes that vary.
#pragma once

#include <string>
#include <vector>

#include "cli/model_sizes.h"
#include "import/timeloop/specification.h"
#include "map/search.h"

namespace opsight::cli {

struct MapRequest {
    std::vector<std::string> files;  // Timeloop's
    std::string model;               // empty: the problem is in the files
    importer::ModelOptions sizes;
    std::string arch, soc, format, roofline, layer;
    std::vector<std::string> sweeps;  // "GlobalBuffer.depth=64k,128k"
    importer::timeloop::TemplateValues values;
    bool force = false, shown = false;
    map::SearchSettings settings;
};

// Names of Timeloop's files end in .yaml, .yml or .txt; all else is a model.
bool is_timeloop_file(const std::string& path);

Status map_model(const MapRequest& request);
Status sweep(const MapRequest& request);
// Each layer on each engine of `soc`, and which engine runs which.
Status map_on_soc(const MapRequest& request);

}  // namespace opsight::cli
