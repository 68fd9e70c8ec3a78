#include "import/ncu/table.h"

namespace opsight::importer::ncu {

bool starts_table(std::string_view line) {
    return line.starts_with("\"ID\",\"Process ID\"") || line.starts_with("ID,Process ID");
}

}  // namespace opsight::importer::ncu
