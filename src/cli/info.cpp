// opsight info: what is in a profile file.
#include <cstdio>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "query/reports/info.h"
#include "report/render.h"
#include "report/render_info.h"

namespace opsight::cli {
namespace {

class InfoCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("info", "Show what is in a profile file");
        sub->add_option("NAME", path_, "A profile file, or a trace")->required();
        sub->add_flag("--json", json_, "Print one JSON object");
        sub->footer("Examples:\n  opsight info run.opsight\n  opsight info run.opsight --json");
        return sub;
    }
    Result<int> run() override {
        OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path_, json_));
        OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), {}));
        OPSIGHT_ASSIGN(const query::Info info, query::profile_info(session));
        const std::string text =
            json_ ? report::render_info_json(info)
                  : report::render_info(info, report::terminal_width(report::kWidthWhenPiped));
        OPSIGHT_TRY(print_text(text));
        return 0;
    }

  private:
    std::string path_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
    return std::make_unique<InfoCommand>();
}

}  // namespace opsight::cli
