#include "base/result.h"

namespace opsight {

std::string Error::message() const {
    std::string text;
    for (const std::string& part : {file, place})
        if (!part.empty()) text += part + ": ";
    text += what;
    if (!remedy.empty()) text += " (" + remedy + ")";
    return text;
}

}  // namespace opsight
