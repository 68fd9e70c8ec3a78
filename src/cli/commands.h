// The subcommands; each is made by a function in the file of its name.
#pragma once

#include "cli/command.h"
#include "hardware/devices.h"

namespace opsight::cli {

// The declared subcommand of that name, or null.
const CLI::App* find_command(const CLI::App& app, std::string_view name);

// A device of the table, or "host": the processor that this program runs on.
Result<hardware::Device> find_device(const hardware::DeviceTable& table, const std::string& key);

std::unique_ptr<Command> make_import_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_analyze_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_stats_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_baseline_command();
std::unique_ptr<Command> make_advise_command();
std::unique_ptr<Command> make_trend_command();
std::unique_ptr<Command> make_fleet_command();
std::unique_ptr<Command> make_whatif_command();
std::unique_ptr<Command> make_view_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_sql_command();
std::unique_ptr<Command> make_mcp_command();
std::unique_ptr<Command> make_schema_command();
std::unique_ptr<Command> make_profile_command();
std::unique_ptr<Command> make_sweep_command();
std::unique_ptr<Command> make_estimate_command();
std::unique_ptr<Command> make_devices_command();
std::unique_ptr<Command> make_map_command();
std::unique_ptr<Command> make_help_command();
std::unique_ptr<Command> make_completion_command();

}  // namespace opsight::cli
