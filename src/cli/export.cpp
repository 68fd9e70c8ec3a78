// opsight export: a profile for other programs.
#include <fmt/format.h>

#include <algorithm>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "exports/registry/all_formats.h"
#include "import/all_readers.h"

namespace opsight::cli {
namespace {

std::string list_of_formats() {
    std::string list = "Formats:\n";
    for (const exports::Format& format : exports::all_formats())
        list += fmt::format("  {:<12}{}\n", format.name, format.description);
    return list;
}

class ExportCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("export", "Write a profile for other programs");
        sub->add_option("NAME", path_, "A profile file, or a trace")->required();
        sub->add_option("--format", format_, "One of those below")->required();
        sub->add_option(
            "-o,--output", output_,
            "File to write, or folder for the formats with several; -: standard output, for texts "
            "(default: name of the profile and the format's ending)");
        sub->add_flag("--partition", partitioned_,
                      "Of parquet: folders TABLE/run=RUN/rank=RANK, as Spark, Trino and Hive have them");
        sub->add_flag("-f,--force", force_, "Replace files that are there");
        sub->add_option("--rank", rank_, "This rank alone")->check(iteration_number());
        sub->add_option("--iter-start", start_,
                        "First iteration of the range (default: all that was recorded)")
            ->check(iteration_number());
        sub->add_option("--iter-stop", stop_, "Last iteration of the range")->check(iteration_number());
        sub->footer(list_of_formats() +
                    "\nExamples:\n"
                    "  opsight export run.opsight --format perfetto           # run.pftrace\n"
                    "  opsight export run.opsight --format chrome -o run.json --iter-start 3 --iter-stop 4\n"
                    "  opsight export run.opsight --format parquet --partition -o lake/\n");
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_ASSIGN(const exports::Format format, chosen_format());
        exports::Job job;
        job.replace = force_;
        job.partitioned = partitioned_;
        if (partitioned_ && !format.partitions)
            return fail(
                Error{fmt::format("{} has no partitions", format.name), {}, {}, "use --format parquet", 2});
        job.print = print_text;
        if (rank_ >= 0) job.scope.rank = rank_;
        if (start_ >= 0 || stop_ >= 0) {
            job.scope.start = std::max<int64_t>(start_, 0);
            job.scope.stop = stop_ >= 0 ? stop_ : INT64_MAX;
            if (*job.scope.start > *job.scope.stop)
                return fail(Error{"--iter-stop is before --iter-start", {}, {}, "give a rising range", 2});
        }
        job.output =
            output_.empty() ? importer::name_without_endings(path_) + std::string(format.ending) : output_;
        if (job.output == "-" && !format.text)
            return fail(Error{fmt::format("{} is not a text for standard output", format.name),
                              {},
                              {},
                              "name a file with --output",
                              2});
        OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path_, job.output == "-"));
        job.profile = profile.path();
        OPSIGHT_ASSIGN(const std::string written, format.write(job));
        if (job.output != "-") OPSIGHT_TRY(print_text(fmt::format("{}: {}\n", job.output, written)));
        return 0;
    }

  private:
    Result<exports::Format> chosen_format() const {
        std::string names;
        for (const exports::Format& format : exports::all_formats()) {
            if (format.name == format_) return format;
            names += (names.empty() ? "" : ", ") + std::string(format.name);
        }
        return fail(Error{fmt::format("there is no format '{}'", format_), {}, {}, "use one of " + names, 2});
    }

    std::string path_, format_, output_;
    bool force_ = false, partitioned_ = false;
    int64_t rank_ = -1, start_ = -1, stop_ = -1;
};

}  // namespace

std::unique_ptr<Command> make_export_command() {
    return std::make_unique<ExportCommand>();
}

}  // namespace opsight::cli
