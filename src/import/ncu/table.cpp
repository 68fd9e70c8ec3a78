#include "import/ncu/table.h"

#include "import/ncu/summary.h"

namespace opsight::importer::ncu {

bool starts_table(std::string_view line) {
    return line.starts_with("\"ID\",\"Process ID\"") || line.starts_with("ID,Process ID") ||
           starts_summary(line);
}

bool starts_table(const std::vector<std::string>& row) {
    return (row.size() > 1 && row[0] == "ID" && row[1] == "Process ID") || starts_summary(row);
}

}  // namespace opsight::importer::ncu
