// opsight mcp: profiles for clients of the Model Context Protocol.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/model_sizes.h"
#include "cli/standard_output.h"
#include "import/all_readers.h"
#include "mcp/serve.h"

namespace opsight::cli {
namespace {

// By the name of the file, which no path is; the second of a name gets a number.
void add(std::vector<mcp::Given>& files, const std::string& told, std::string path) {
    const std::string base =
        std::filesystem::path(importer::name_without_endings(told)).lexically_normal().filename().string();
    std::string name = base.empty() ? "run" : base;
    const auto taken = [&] {
        return std::any_of(files.begin(), files.end(),
                           [&](const mcp::Given& each) { return each.name == name; });
    };
    for (int number = 2; taken(); ++number)
        name = fmt::format("{}-{}", base, number);
    files.push_back({std::move(name), std::move(path)});
}

class McpCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand(
            "mcp", "Answer a client of the Model Context Protocol on standard input and output");
        sub->add_option("RUN", runs_, "Profile files, or traces; nothing else can be read by the client");
        sub->add_option("--model", models_, "A network for 'estimate', ONNX or TensorFlow; may be repeated")
            ->allow_extra_args(false);
        sub->add_option("--time-limit", limit_s_, "Seconds that one answer may take")
            ->default_str("60")
            ->check(CLI::Range(0.1, 86400.0));
        sub->footer(
            "A client starts it, see docs/MCP.md. A run goes by the name of its file without path and "
            "endings.\n\n"
            "Examples:\n"
            "  opsight mcp run.opsight\n"
            "  opsight mcp before.opsight after.opsight --model resnet50.onnx\n");
        return sub;
    }

    Result<int> run() override {
        if (runs_.empty()) return fail(usage("a run is needed", "give profiles or traces: opsight mcp RUN"));
        mcp::Files files;
        std::vector<AnyProfile> open;  // which keeps what a trace was imported into
        for (const std::string& path : runs_) {
            OPSIGHT_ASSIGN(AnyProfile profile, AnyProfile::open(path, false));
            OPSIGHT_TRY(query::Session::open(profile.path(), {}));  // rather now than at the first question
            add(files.runs, path, profile.path());
            open.push_back(std::move(profile));
        }
        for (const std::string& path : models_) {
            std::error_code ignored;
            if (!std::filesystem::exists(path, ignored))
                return fail(Error{"the network does not exist", path, {}, "check --model", 1});
            add(files.models, path, path);
        }
        const auto print = [](std::string_view line) -> Status {
            OPSIGHT_TRY(print_text(line));
            return finish_output();
        };
        OPSIGHT_TRY(mcp::serve({std::move(files), limit_s_, std::cin, print}));
        return 0;
    }

  private:
    std::vector<std::string> runs_, models_;
    double limit_s_ = 60;
};

}  // namespace

std::unique_ptr<Command> make_mcp_command() {
    return std::make_unique<McpCommand>();
}

}  // namespace opsight::cli
