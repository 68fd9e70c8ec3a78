// opsight help [COMMAND]
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/standard_output.h"

namespace opsight::cli {
namespace {

class HelpCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        app_ = &app;
        CLI::App* sub = app.add_subcommand("help", "Show help for Opsight or for one of its commands");
        sub->add_option("command", name_, "The command to explain");
        return sub;
    }

    Result<int> run() override {
        const CLI::App* shown = app_;
        if (!name_.empty()) {
            shown = find_command(*app_, name_);
            if (!shown)
                return fail(Error{.what = fmt::format("there is no command '{}'", name_),
                                  .remedy = "'opsight help' lists the commands",
                                  .exit_code = 2});
        }
        // App::help() of the whole would show the command that is running, which is this one.
        const std::string text = name_.empty() ? app_->get_formatter()->make_help(app_, app_->get_name(),
                                                                                  CLI::AppFormatMode::Normal)
                                               : shown->help("opsight");
        OPSIGHT_TRY(print_text(text));
        return 0;
    }

  private:
    CLI::App* app_ = nullptr;
    std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_help_command() {
    return std::make_unique<HelpCommand>();
}

}  // namespace opsight::cli
