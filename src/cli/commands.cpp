#include "cli/commands.h"

namespace opsight::cli {

const CLI::App* find_command(const CLI::App& app, std::string_view name) {
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (sub->get_name() == name) return sub;
    return nullptr;
}

std::vector<std::unique_ptr<Command>> make_commands() {
    std::vector<std::unique_ptr<Command>> commands;
    commands.push_back(make_import_command());
    commands.push_back(make_report_command());
    commands.push_back(make_advise_command());
    commands.push_back(make_compare_command());
    commands.push_back(make_baseline_command());
    commands.push_back(make_trend_command());
    commands.push_back(make_fleet_command());
    commands.push_back(make_view_command());
    commands.push_back(make_stats_command());
    commands.push_back(make_analyze_command());
    commands.push_back(make_whatif_command());
    commands.push_back(make_info_command());
    commands.push_back(make_export_command());
    commands.push_back(make_sql_command());
    commands.push_back(make_mcp_command());
    commands.push_back(make_schema_command());
    commands.push_back(make_profile_command());
    commands.push_back(make_sweep_command());
    commands.push_back(make_estimate_command());
    commands.push_back(make_devices_command());
    commands.push_back(make_map_command());
    commands.push_back(make_help_command());
    commands.push_back(make_completion_command());
    return commands;
}

}  // namespace opsight::cli
