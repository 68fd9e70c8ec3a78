// opsight completion SHELL: a completion script, made from the declared commands and options.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/standard_output.h"
#include "query/tables/families.h"

namespace opsight::cli {
namespace {

std::vector<const CLI::App*> visible_commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::vector<std::string> spellings_of(const CLI::Option& option) {
    std::vector<std::string> spellings;
    for (const std::string& name : option.get_snames())
        spellings.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        spellings.push_back("--" + name);
    return spellings;
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : spellings_of(*option))
            names.push_back(name);
    return names;
}

struct Listed {
    std::vector<std::string> spellings;   // "-r", "--report"
    std::vector<std::string_view> names;  // that the option takes, with commas between
};

// Options that take names of a registry; those of several families one after another.
std::vector<Listed> listed_options(const CLI::App& command) {
    std::vector<Listed> list;
    for (const query::Family* family : query::families()) {
        if (family->command != command.get_name()) continue;
        const std::vector<std::string> spellings =
            spellings_of(*command.get_option(std::string(family->option)));
        auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Listed& each) { return each.spellings == spellings; });
        if (found == list.end()) found = list.insert(list.end(), {spellings, {}});
        for (const std::string_view name : family->names())
            if (std::find(found->names.begin(), found->names.end(), name) == found->names.end())
                found->names.push_back(name);
    }
    return list;
}

// A branch of a shell's `case "COMMAND OPTION"` for each option that takes names.
template <class Branch>
std::string name_cases(const CLI::App& app, const Branch& branch) {
    std::string cases;
    for (const CLI::App* command : visible_commands(app))
        for (const Listed& each : listed_options(*command)) {
            std::vector<std::string> patterns;
            for (const std::string& spelling : each.spellings)
                patterns.push_back(fmt::format("\"{} {}\"", command->get_name(), spelling));
            cases += fmt::format("        {}) {} ;;\n", fmt::join(patterns, " | "),
                                 branch(fmt::format("{}", fmt::join(each.names, " "))));
        }
    return cases;
}

std::string bash_script(const CLI::App& app) {
    std::string cases, commands;
    for (const CLI::App* command : visible_commands(app)) {
        commands += (commands.empty() ? "" : " ") + command->get_name();
        cases += fmt::format("        {}) words=\"{}\" ;;\n", command->get_name(),
                             fmt::join(option_names(*command), " "));
    }
    return fmt::format(R"(# opsight completion for bash: source <(opsight completion bash)
_opsight() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words="" names="" before=""
    [ "$COMP_CWORD" -gt 1 ] && case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}    esac
    if [ -n "$names" ]; then
        [[ $current == *,* ]] && before=${{current%,*}},
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$names" -- "${{current##*,}}")
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{}"
    else
        case ${{COMP_WORDS[1]}} in
{}        esac
    fi
    if [ "$COMP_CWORD" -eq 1 ] || [ "${{current:0:1}}" = "-" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}}
complete -o filenames -F _opsight opsight
)",
                       name_cases(app, [](const std::string& names) { return "names=\"" + names + '"'; }),
                       commands, cases);
}

// Text inside single quotes of a shell script.
std::string quoted(std::string_view text, std::string_view quote_escape) {
    std::string out;
    for (char c : text.substr(0, text.find('\n'))) {
        if (c == '\'')
            out += quote_escape;
        else
            out += c;
    }
    return out;
}

std::string zsh_script(const CLI::App& app) {
    std::string commands, cases;
    for (const CLI::App* command : visible_commands(app)) {
        commands += fmt::format("        '{}:{}'\n", command->get_name(),
                                quoted(command->get_description(), "'\\''"));
        cases += fmt::format("        {}) compadd -- {} ;;\n", command->get_name(),
                             fmt::join(option_names(*command), " "));
    }
    return fmt::format(
        R"(#compdef opsight
# opsight completion for zsh: opsight completion zsh > a folder of $fpath, as _opsight
_opsight() {{
    local -a commands
    commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe 'command' commands
        return
    fi
    case "$words[2] $words[CURRENT-1]" in
{}    esac
    if [[ $words[CURRENT] == -* ]]; then
        case $words[2] in
{}        esac
    else
        _files
    fi
}}
compdef _opsight opsight
)",
        commands,
        name_cases(app, [](const std::string& names) { return "_values -s , name " + names + "; return"; }),
        cases);
}

std::string fish_script(const CLI::App& app) {
    std::string out = "# opsight completion for fish: opsight completion fish | source\n";
    for (const CLI::App* command : visible_commands(app)) {
        out += fmt::format("complete -c opsight -n __fish_use_subcommand -a {} -d '{}'\n",
                           command->get_name(), quoted(command->get_description(), "\\'"));
        const std::vector<Listed> listed = listed_options(*command);
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames()) {
                const auto found = std::find_if(listed.begin(), listed.end(), [&](const Listed& each) {
                    return each.spellings == spellings_of(*option);
                });
                const std::string takes =
                    found == listed.end() ? "" : fmt::format(" -x -a '{}'", fmt::join(found->names, " "));
                out +=
                    fmt::format("complete -c opsight -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                                command->get_name(), name, takes, quoted(option->get_description(), "\\'"));
            }
    }
    return out;
}

class CompletionCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        app_ = &app;
        CLI::App* sub =
            app.add_subcommand("completion", "Print a script that completes opsight's words in a shell");
        sub->add_option("shell", shell_, "bash, zsh or fish")
            ->required()
            ->check(CLI::IsMember({"bash", "zsh", "fish"}));
        sub->footer("Example:\n  source <(opsight completion bash)");
        return sub;
    }

    Result<int> run() override {
        const std::string script = shell_ == "bash"  ? bash_script(*app_)
                                   : shell_ == "zsh" ? zsh_script(*app_)
                                                     : fish_script(*app_);
        OPSIGHT_TRY(print_text(script));
        return 0;
    }

  private:
    CLI::App* app_ = nullptr;
    std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
    return std::make_unique<CompletionCommand>();
}

}  // namespace opsight::cli
