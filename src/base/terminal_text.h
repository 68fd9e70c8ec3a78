// Text of others on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace opsight {

// The text with all that could steer a terminal, or show other text than is there, written out: control
// characters (C0 but line feeds and tabs, DEL, C1), marks that turn the direction of writing, and bytes that
// are not UTF-8 become
// "\x1b", "\u202e".
std::string terminal_text(std::string_view text);

}  // namespace opsight
