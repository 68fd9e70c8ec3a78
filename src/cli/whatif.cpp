// opsight whatif: what an iteration would take if something were faster or not there.
#include <fmt/format.h>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/report_output.h"
#include "cli/table_output.h"
#include "query/reports/what_if.h"

namespace opsight::cli {
namespace {

constexpr int64_t kReplaysOnTerminal = 12;

class WhatIfCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand(
            "whatif", "Tell what an iteration would take if something were faster or not there");
        sub->add_option("NAME", path_, "A profile file, or a trace")->required();
        sub->add_option("--scale", scales_,
                        "Multiply times: kernel:NAME=FACTOR, op:NAME=FACTOR (with all below it) or "
                        "layer:PATH=FACTOR; 0 removes them; * in a name stands for any text, ~ before it "
                        "makes it a regular expression; repeatable")
            ->allow_extra_args(false);
        sub->add_option("--remove", removed_,
                        "Leave out: dataloader, sync (waits of the host for the device) or communication; "
                        "repeatable, or with commas between")
            ->allow_extra_args(false);
        sub->add_option("--clock", clock_, "Clock of the device, times faster; kernels bound by memory stay");
        sub->add_option("--iteration", iteration_, "This iteration alone")->check(iteration_number());
        sub->add_option("--iter-start", start_, "First iteration of the range")->check(iteration_number());
        sub->add_option("--iter-stop", stop_, "Last iteration of the range")->check(iteration_number());
        sub->add_option("--rank", rank_, "This rank alone, as if the profile had no other")
            ->check(iteration_number());
        sub->add_option("--limit", limit_, "Rows of a critical path; 0: all (default: 12 on a terminal)");
        sub->add_option("--format", format_, "text, csv or json")->default_str("text");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->footer(
            "The replay without changes comes first, with how far it is off: above 2 % the profile is not "
            "simulatable.\ndocs/WHATIF.md tells the method and its limits.\n\n"
            "Examples:\n"
            "  opsight whatif run.opsight\n"
            "  opsight whatif run.opsight --scale 'kernel:*conv*=0.5' --scale 'kernel:~gemm|cutlass=0.8'\n"
            "  opsight whatif run.opsight --scale 'op:aten::layer_norm=0' --remove sync\n"
            "  opsight whatif run.opsight --remove dataloader --clock 1.2 --iteration 3 --format json\n");
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_ASSIGN(const report::Format format,
                       report::parse_format(format_ == "text" ? "table" : format_));
        OPSIGHT_ASSIGN(const query::Suppositions suppositions, suppose());
        query::RangeOptions range;
        if (start_ >= 0) range.start = start_;
        if (stop_ >= 0) range.stop = stop_;
        if (iteration_ >= 0) range.start = range.stop = iteration_;
        if (rank_ >= 0) range.rank = rank_;
        OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path_, format == report::Format::kJson));
        OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), range));
        query::TableShape shape;
        shape.for_people = format == report::Format::kTable;
        shape.limit = limit_ >= 0 ? limit_ : shape.for_people ? kReplaysOnTerminal : 0;
        OPSIGHT_ASSIGN(const query::Report report, query::what_if_report(session, suppositions, shape));
        ReportOutput output(format, {}, false, 1, report::terminal_width(report::kWidthWhenPiped));
        OPSIGHT_TRY(output.add(report, session.range()));
        OPSIGHT_TRY(output.finish(session.range()));
        return 0;
    }

  private:
    static tl::unexpected<Error> misuse(std::string what, std::string remedy) {
        return fail(Error{std::move(what), {}, {}, std::move(remedy), 2});
    }

    Result<query::Suppositions> suppose() const {
        query::Suppositions out;
        for (const std::string& text : scales_) {
            OPSIGHT_ASSIGN(query::Scale scale, query::parse_scale(text));
            out.scales.push_back(std::move(scale));
        }
        for (const std::string& name : split_lists(removed_)) {
            if (name == "dataloader")
                out.no_data_loading = true;
            else if (name == "sync")
                out.no_waits = true;
            else if (name == "communication")
                out.no_communication = true;
            else
                return misuse(fmt::format("--remove {}: there is no such thing", name),
                              "use dataloader, sync or communication");
        }
        if (!(clock_ > 0.01 && clock_ < 100))
            return misuse("--clock takes a factor above 0.01 and below 100", "1.2 is 20 % faster");
        out.clock = clock_;
        if (iteration_ >= 0 && (start_ >= 0 || stop_ >= 0))
            return misuse("--iteration excludes --iter-start and --iter-stop", "leave one out");
        return out;
    }

    std::string path_, format_ = "text";
    std::vector<std::string> scales_, removed_;
    double clock_ = 1;
    int64_t iteration_ = -1, start_ = -1, stop_ = -1, limit_ = -1, rank_ = -1;
};

}  // namespace

std::unique_ptr<Command> make_whatif_command() {
    return std::make_unique<WhatIfCommand>();
}

}  // namespace opsight::cli
