#include "fleet/store/store.h"

#include <algorithm>

namespace opsight::fleet {

bool is_id(std::string_view text) {
    constexpr size_t kDigits = 32;
    return text.size() == kDigits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

Error nobody_waits() {
    return {"nobody waits for the answer", {}, {}, {}};
}

}  // namespace opsight::fleet
