// The file that `opsight map --cloud N --format json` writes, as the viewer shows it. It may have been
// changed by anybody: what is read has the sizes, types and ranges that the command writes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/ask/result_table.h"

namespace opsight::query {

struct ToldMapping {
    int64_t draw = 0;
    double energy_pj = 0;
    int64_t cycles = 0;
    double utilization = 0;
    std::string loop_nest;
    ResultTable levels;  // mapping_levels()
};

struct CloudFile {
    std::string problem, outer_level;
    std::vector<std::string> notes;
    int64_t mappings = 0;             // of which `points` may have a part only
    ResultTable best, front, points;  // cloud_best(), cloud_front(), cloud_points()
    std::vector<ToldMapping> told;    // those of the front and of `best` are among them
};

// Whether a regular file begins as such a file does.
bool is_cloud(const std::string& path);
Result<CloudFile> read_cloud(const std::string& path);

}  // namespace opsight::query
