#include "base/result.h"

namespace opsight {

std::string Error::message() const {
    std::string text;
    for (const std::string& part : {file, place})
        if (!part.empty()) text += part + ": ";
    text += what;
    // A message that ends by pointing into a line gets the remedy below it.
    if (!remedy.empty()) text += (what.find('\n') == std::string::npos ? " (" : "\n(") + remedy + ")";
    return text;
}

}  // namespace opsight
