#include "cli/command.h"

namespace opsight::cli {

std::vector<std::unique_ptr<Command>> make_commands() {
    std::vector<std::unique_ptr<Command>> commands;
    return commands;
}

}  // namespace opsight::cli
