// opsight: the command line. Exit codes: 0 done, 1 the task failed, 2 the command was used wrongly.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/crash.h"
#include "cli/probes.h"
#include "cli/standard_output.h"
#include "cli/suggest.h"
#include "server/prober.h"

namespace opsight::cli {
namespace {

int report_error(const Error& error, bool as_json) {
    if (as_json) {
        JsonWriter json;
        json.object([&] {
            json.field("error", error.what).field("file", error.file).field("place", error.place);
            json.field("remedy", error.remedy).field("exit_code", error.exit_code);
        });
        std::fprintf(stderr, "%s\n", json.take().c_str());
    } else {
        print_note("opsight: " + error.message() + "\n");
    }
    return error.exit_code;
}

bool asks_for_json_errors(int argc, char** argv) {
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
        if (std::string_view(argv[i]) == "--json" || std::string_view(argv[i]) == "--json-errors")
            return true;
    return false;
}

// A first word that is not a command gets an answer of its own: the parser would only say what it expected.
Status check_command_word(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-' || find_command(app, argv[1])) return {};
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(sub->get_name());
    const std::string near = closest_word(argv[1], names);
    return fail(
        Error{.what = "there is no command '" + std::string(argv[1]) + "'",
              .remedy = near.empty() ? "'opsight help' lists the commands" : "did you mean '" + near + "'?",
              .exit_code = 2});
}

// Words that the command does not take, in the order in which they came.
Error unknown_words(const CLI::App& app) {
    std::vector<std::string> words = app.remaining(true), options;
    for (const CLI::App* sub : app.get_subcommands())
        for (const CLI::Option* option : sub->get_options())
            options.push_back("--" + option->get_single_name());
    const std::string near = closest_word(words[0], options);
    return {.what = fmt::format("'{}' is not understood here", fmt::join(words, " ")),
            .remedy = near.empty() ? "see 'opsight help' or 'opsight COMMAND --help'"
                                   : "did you mean '" + near + "'?",
            .exit_code = 2};
}

// What the parser says instead of running a command: help, and the version.
Status print_answer(const CLI::App& app, const CLI::ParseError& answer) {
    std::ostringstream out, ignored;
    app.exit(answer, out, ignored);
    OPSIGHT_TRY(print_text(out.str()));
    return finish_output();
}

int run(int argc, char** argv) {
    const bool json_errors = asks_for_json_errors(argc, argv);
    CLI::App app("Opsight explains a deep-learning run: which layer, op and kernel takes the time, and why.");
    app.name("opsight");
    app.set_version_flag("-V,--version", "opsight " OPSIGHT_VERSION);
    app.require_subcommand(1);
    bool ignored = false;
    app.add_flag("--json-errors,--json", ignored, "Print errors as one JSON object on standard error");
    app.fallthrough();
    app.footer(
        "A first look:\n"
        "  opsight profile -o run.opsight -- python3 train.py    record a run\n"
        "  opsight import trace.json.gz -o run.opsight           or read a PyTorch trace\n"
        "  opsight report run.opsight                            what took the time\n");

    const std::vector<std::unique_ptr<Command>> commands = make_commands();
    std::vector<CLI::App*> subcommands;
    for (const auto& command : commands)
        subcommands.push_back(command->declare(app));
    if (argc < 2) {
        std::fputs(app.help().c_str(), stderr);
        return 2;
    }
    if (Status known = check_command_word(app, argc, argv); !known)
        return report_error(known.error(), json_errors);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
        return report_error(unknown_words(app), json_errors);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) {
            const Status written = print_answer(app, problem);
            return written ? 0 : report_error(written.error(), json_errors);
        }
        return report_error({problem.what(), {}, {}, "see 'opsight help' or 'opsight COMMAND --help'", 2},
                            json_errors);
    }
    for (size_t i = 0; i < commands.size(); ++i) {
        if (!subcommands[i]->parsed()) continue;
        const Result<int> code = commands[i]->run();
        if (!code) return report_error(code.error(), json_errors);
        if (Status written = finish_output(); !written) return report_error(written.error(), json_errors);
        return *code;
    }
    return 2;
}

// Where one of the three is closed, the next file that is opened would take its number, and get what we
// print. What stands in for it refuses to be used, and a program that we start does not see it.
void hold_standard_files() {
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(file, F_GETFD) < 0)
            (void)::open("/dev/null", (file == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

}  // namespace
}  // namespace opsight::cli

int main(int argc, char** argv) {
    opsight::cli::hold_standard_files();
    opsight::cli::explain_crashes();
    std::signal(SIGXFSZ, SIG_IGN);  // a file over a limit of size is a failed write, as on a full disk
    try {
        if (argc == 2 && std::string_view(argv[1]) == opsight::cli::kAnswerProbes)
            return opsight::server::answer_probes(STDIN_FILENO, STDOUT_FILENO);
        return opsight::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("opsight: out of memory\n", stderr);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "opsight: internal error: %s\n", problem.what());
    }
    return 1;
}
