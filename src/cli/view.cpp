// opsight view: profiles on a local web page.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/temporary_folder.h"
#include "cli/commands.h"
#include "cli/crash.h"
#include "cli/new_file.h"
#include "cli/probes.h"
#include "cli/standard_output.h"
#include "server/assets.h"
#include "server/supervisor.h"
#include "server/viewer.h"

extern char** environ;

namespace opsight::cli {
namespace {

// Lets the desktop open the page, where there is one. What that says must not get between our lines, and it
// gets none of our files. Everybody on the machine can read a command line: the token goes by a page that
// only its owner can read, which leads on to ours and stays as long as the server.
std::optional<TemporaryFolder> open_browser(const std::string& url) {
    if (::isatty(STDOUT_FILENO) != 1) return {};
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return {};
    auto folder = TemporaryFolder::create();
    if (!folder) return {};
    const std::string page = folder->path() + "/opsight.html";
    const mode_t before = ::umask(0077);
    const Status written = write_file(
        page, false,
        fmt::format(
            "<!DOCTYPE html>\n<meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={0}\">"
            "<title>Opsight</title><a href=\"{0}\">Opsight</a>\n",
            url));
    ::umask(before);
    if (!written) return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::string program = "xdg-open", argument = "file://" + page;
    char* const arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    (void)::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return std::move(*folder);
}

class ViewCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand(
            "view", "Show profiles, stores of runs, sweeps and clouds of mappings on a local web page");
        sub->add_option("FILE|FOLDER|STORE|SWEEP|CLOUD", paths_,
                        "Profile files, folders that hold some, stores that 'opsight fleet push' has made, "
                        "folders of 'opsight sweep', or files of 'opsight map --cloud N --format json'")
            ->required();
        sub->add_option(
               "-b,--bind", options_.address,
               "Address to listen on; another than the default lets other machines ask, with the token")
            ->default_str("127.0.0.1");
        port_option_ =
            sub->add_option("-p,--port", port_, "Port (default: 8000, or the next free one); 0: any")
                ->check(CLI::Range(0, 65535));
        sub->add_flag("--no-open", no_open_, "Do not open a browser");
        sub->add_flag("--read-only", options_.read_only, "Write nothing beside the profiles");
        sub->footer(
            "The first line of the output is the URL. Ctrl-C ends it.\n"
            "Examples:\n"
            "  opsight view run.opsight\n"
            "  opsight view runs/ -p 9000 --no-open\n"
            "  opsight view /data/fleet runs/\n"
            "  opsight view sweeps/vgg\n"
            "  opsight view cloud.json\n"
            "  ssh -L 8000:localhost:8000 machine opsight view --no-open run.opsight");
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_ASSIGN(const server::Subjects subjects, server::find_subjects(paths_));
        options_.port = static_cast<uint16_t>(port_);
        options_.any_port = port_option_->count() == 0;
        options_.probe = {"/proc/self/exe", kAnswerProbes};
        OPSIGHT_ASSIGN(server::Standing standing, server::Standing::make(subjects.size(), options_));
        const auto on_crash = [&](int signal) {
            standing.again = true;
            return tell_of_crash(*standing.ledger, subjects.all(), signal);
        };
        if (const std::optional<int> code = server::supervise(on_crash)) return *code;
        leave_crashes_unexplained();
        return answer(subjects, std::move(standing));
    }

  private:
    // Whether another process is to go on.
    bool tell_of_crash(server::CrashLedger& ledger, const std::vector<std::string>& paths, int signal) {
        std::string names;
        for (const size_t number : ledger.note_crash())
            names += (names.empty() ? "" : ", ") + paths[number];
        const bool go_on = !names.empty() || ++crashes_of_its_own_ < kMostCrashes;
        print_note(fmt::format("opsight: the process that answers has crashed ({}){}{}\n",
                               ::strsignal(signal), names.empty() ? "" : " while it was asked about " + names,
                               go_on ? "; another one goes on" : ". Please report it"));
        return go_on;
    }

    Result<int> answer(const server::Subjects& subjects, server::Standing standing) {
        const bool again = standing.again;
        OPSIGHT_ASSIGN(server::Viewer viewer, server::Viewer::start(subjects, options_, std::move(standing)));
        if (!again) OPSIGHT_TRY(welcome(viewer));
        const auto shown = again || no_open_ ? std::nullopt : open_browser(viewer.url());
        viewer.serve([](const std::string& path, const server::Problem& problem) {
            print_note(fmt::format("opsight: not shown: {}: {}{}{}\n", path, problem.message,
                                   problem.remedy.empty() ? "" : "\n  ", problem.remedy));
        });
        return 0;
    }

    Status welcome(const server::Viewer& viewer) {
        OPSIGHT_TRY(print_text(viewer.url() + "\n"));
        OPSIGHT_TRY(finish_output());  // nobody can ask without it
        if (!server::has_page()) print_note("opsight: this build has no page, only its data are served\n");
        if (viewer.others_may_ask())
            print_note(fmt::format(
                "opsight: listens on {}: whoever has this URL can read the profiles from other machines, "
                "and nothing that is sent is encrypted\n",
                options_.address));
        if (::isatty(STDERR_FILENO) == 1) print_note("Ctrl-C ends the server\n");
        return {};
    }

    static constexpr int kMostCrashes = 3;  // that no profile can be blamed for

    std::vector<std::string> paths_;
    server::ViewOptions options_;
    CLI::Option* port_option_ = nullptr;
    int port_ = 8000;
    bool no_open_ = false;
    int crashes_of_its_own_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_view_command() {
    return std::make_unique<ViewCommand>();
}

}  // namespace opsight::cli
