// Call chains that stand in a table of their own (SAMPLING_CALLCHAINS, OSRT_CALLCHAINS, CUDA_CALLCHAINS).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>
#include <vector>

#include "import/nsys/report.h"

namespace opsight::importer::nsys {

class CallChains {
  public:
    explicit CallChains(Report& report) : report_(report) {}

    Status load(std::string_view table);
    // Functions from the one that ran outwards, one a line; invalid where there is no chain of that number.
    StringId find(int64_t chain);

  private:
    struct Frame {
        int64_t depth;
        StringId name;
    };

    void take(Table& row);
    StringId name_of(int64_t symbol);
    StringId module_of(int64_t module);

    Report& report_;
    absl::flat_hash_map<int64_t, std::vector<Frame>> chains_;
    absl::flat_hash_map<int64_t, StringId> texts_;
    absl::flat_hash_map<int64_t, StringId> names_, modules_;  // by id in StringIds
};

}  // namespace opsight::importer::nsys
