// Sums over all launches of a kernel, as 'ncu --print-summary' prints them: a row for each metric, with its
// least, greatest and average value.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <vector>

#include "import/ncu/launch.h"
#include "import/reader/launch_sums.h"

namespace opsight::importer::ncu {

// Whether a row is the first of such a table.
bool starts_summary(const std::vector<std::string>& row);
bool starts_summary(std::string_view line);

// "block / attention" of the ranges of NVTX that a row is of, outermost first; empty: of none.
std::string read_ranges(std::string_view text);

class Summary {
  public:
    struct Value {
        std::string name;  // of the metric, with its section and unit
        double least = 0, most = 0, average = 0;
    };
    struct Group {
        Launch average, least, most;
        int64_t launches = 0;
        std::string ranges;
        std::vector<Value> values;
        // Empty times (-1): they are not told.
        bool is_timed() const;
        LaunchSum times() const;
    };
    // Of the row; null: it has no number of launches, or names nothing that was launched.
    Group* find(const Columns& columns, const std::vector<std::string>& row);
    const std::vector<Group>& groups() const { return groups_; }

  private:
    std::vector<Group> groups_;
    absl::flat_hash_map<std::string, size_t> places_;
};

}  // namespace opsight::importer::ncu
