// opsight devices: the device table.
#include <cstdio>

#include "cli/commands.h"
#include "cli/standard_output.h"
#include "cli/this_machine.h"
#include "query/model/device_table.h"
#include "report/render.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

class DevicesCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("devices", "List devices and their peaks, with sources");
        sub->add_option("DEVICE", key_,
                        "Show one device: its name in the list, or 'host' for this processor");
        sub->add_option("--devices", file_, "YAML file with devices of your own (see docs/DEVICES.md)");
        sub->add_option("--format", format_, "table, csv or json")->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->footer(
            "Examples:\n"
            "  opsight devices\n"
            "  opsight devices h100-sxm\n"
            "  opsight devices --format csv > devices.csv\n");
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(format_));
        hardware::DeviceTable table = hardware::DeviceTable::built_in();
        hardware::MemoryLevels levels = hardware::built_in_memory_levels();
        if (!file_.empty()) {
            OPSIGHT_ASSIGN(table, hardware::DeviceTable::with_file(file_));
            OPSIGHT_ASSIGN(levels, hardware::memory_levels_with_file(file_));
        }
        std::vector<hardware::Device> shown = table.devices();
        if (!key_.empty()) {
            OPSIGHT_ASSIGN(const hardware::Device device, find_device(table, key_));
            shown = {device};
        }
        const bool one = !key_.empty() && format == report::Format::kTable;
        OPSIGHT_TRY(
            print(one ? query::device_facts(shown[0], levels) : query::device_table(shown, levels), format));
        return 0;
    }

  private:
    static Status print(const query::ResultTable& answer, report::Format format) {
        std::string text;
        if (format == report::Format::kCsv) text = report::render_csv(answer);
        if (format == report::Format::kJson) text = report::render_json_rows(answer) + "\n";
        if (format == report::Format::kTable) text = report::render_table(answer, report::terminal_width());
        return print_text(text);
    }

    std::string key_, file_, format_ = "table";
};

}  // namespace

Result<hardware::Device> find_device(const hardware::DeviceTable& table, const std::string& key) {
    if (key != "host") return table.find(key);
    return hardware::describe_cpu(this_processor());
}

std::unique_ptr<Command> make_devices_command() {
    return std::make_unique<DevicesCommand>();
}

}  // namespace opsight::cli
