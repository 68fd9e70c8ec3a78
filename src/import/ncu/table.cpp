#include "import/ncu/table.h"

#include "import/ncu/summary.h"

namespace opsight::importer::ncu {

bool starts_table(std::string_view line) {
    return line.starts_with("\"ID\",\"Process ID\"") || line.starts_with("ID,Process ID") ||
           starts_summary(line);
}

}  // namespace opsight::importer::ncu
