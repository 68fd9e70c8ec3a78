#include "base/sql.h"

namespace opsight::duck {
namespace {

std::string quoted(std::string_view text, char mark) {
    std::string out(1, mark);
    for (const char c : text) {
        if (c == mark) out += mark;
        out += c;
    }
    return out + mark;
}

}  // namespace

std::string quote_text(std::string_view text) {
    return quoted(text, '\'');
}
std::string quote_name(std::string_view name) {
    return quoted(name, '"');
}

}  // namespace opsight::duck
