// opsight: the command line. Exit codes: 0 done, 1 the task failed, 2 the command was used wrongly.
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace opsight::cli {
namespace {

int report_error(const Error& error, bool as_json) {
    if (as_json) {
        const nlohmann::ordered_json object = {{"error", error.what},
                                               {"file", error.file},
                                               {"place", error.place},
                                               {"remedy", error.remedy},
                                               {"exit_code", error.exit_code}};
        const std::string text =
            object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        std::fprintf(stderr, "%s\n", text.c_str());
    } else {
        std::fprintf(stderr, "opsight: %s\n", error.message().c_str());
    }
    return error.exit_code;
}

bool asks_for_json_errors(int argc, char** argv) {
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
        if (std::string_view(argv[i]) == "--json" || std::string_view(argv[i]) == "--json-errors")
            return true;
    return false;
}

int run(int argc, char** argv) {
    const bool json_errors = asks_for_json_errors(argc, argv);
    CLI::App app("Opsight explains a deep-learning run: which layer, op and kernel takes the time, and why.");
    app.name("opsight");
    app.set_version_flag("-V,--version", "opsight " OPSIGHT_VERSION);
    app.require_subcommand(1);
    bool ignored = false;
    app.add_flag("--json-errors", ignored, "Print errors as one JSON object on standard error");
    app.fallthrough();

    const std::vector<std::unique_ptr<Command>> commands = make_commands();
    std::vector<CLI::App*> subcommands;
    for (const auto& command : commands)
        subcommands.push_back(command->declare(app));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) return app.exit(problem);
        return report_error({problem.what(), {}, {}, "see 'opsight help' or 'opsight COMMAND --help'", 2},
                            json_errors);
    }
    for (size_t i = 0; i < commands.size(); ++i) {
        if (!subcommands[i]->parsed()) continue;
        const Result<int> code = commands[i]->run();
        return code ? *code : report_error(code.error(), json_errors);
    }
    return 2;
}

}  // namespace
}  // namespace opsight::cli

int main(int argc, char** argv) {
    try {
        return opsight::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("opsight: out of memory\n", stderr);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "opsight: internal error: %s\n", problem.what());
    }
    return 1;
}
