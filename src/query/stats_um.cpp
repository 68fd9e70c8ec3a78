// Unified memory: migrations and page faults.
#include "query/stats.h"

namespace opsight::stats {

std::vector<Report> unified_memory_reports() {
    return {};
}

}  // namespace opsight::stats
