// What the program says: every byte that leaves by standard output or standard error.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace opsight::cli {

// To standard output; on a terminal so that nothing in it can steer the terminal. Fails where it cannot be
// written.
Status print_text(std::string_view text);
// To standard error, always so.
void print_note(std::string_view text);
// That all of it has arrived; to be asked for before the program ends well.
Status finish_output();

}  // namespace opsight::cli
