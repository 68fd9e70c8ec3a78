#include "import/text/repair_line.h"

#include <algorithm>

#include "import/text/clean_text.h"

namespace opsight::importer {

bool repair_line(std::string& line) {
    if (line.ends_with('\r')) line.pop_back();
    if (is_clean(line)) return false;
    std::string white = line;
    std::replace(white.begin(), white.end(), '\t', ' ');
    clean_text(line);
    return white != line;
}

}  // namespace opsight::importer
