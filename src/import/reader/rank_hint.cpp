#include "import/reader/rank_hint.h"

#include <charconv>

namespace opsight::importer {

int64_t rank_hint(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    for (const std::string_view word : {"rank", "worker"}) {
        for (size_t at = name.rfind(word); at != name.npos;
             at = at == 0 ? name.npos : name.rfind(word, at - 1)) {
            const size_t behind = at + word.size();
            const size_t digits = name.find_first_not_of("-_", behind);
            if (digits == name.npos || digits > behind + 1) continue;
            int32_t value = 0;
            const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), value);
            if (error == std::errc() && end != name.data() + digits && value >= 0) return value;
        }
    }
    return -1;
}

}  // namespace opsight::importer
