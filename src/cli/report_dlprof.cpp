#include "cli/report_dlprof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/any_profile.h"
#include "cli/save_profile.h"
#include "query/stats.h"
#include "report/dlprof_csv.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"summary",     "detailed", "iteration", "kernel",
                                  "tensor_core", "op_type",  "group_op",  "expert_systems"};

Status check_names(const DlprofArguments& arguments) {
    for (const std::string& name : arguments.reports)
        if (name != "all" && std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
            return fail(Error{fmt::format("DLProf has no report '{}'", name),
                              {},
                              {},
                              fmt::format("use all, or any of {}", fmt::join(kNames, ", ")),
                              2});
    if (arguments.profile_name.find('/') != std::string::npos)
        return fail(
            Error{"--profile_name is the begin of a file name", {}, {}, "give the folder with --output", 2});
    return {};
}

bool wanted(const DlprofArguments& arguments, const std::string& name) {
    const auto& list = arguments.reports;
    return list.empty() || std::find(list.begin(), list.end(), "all") != list.end() ||
           std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

Result<int> report_dlprof(const DlprofArguments& arguments) {
    OPSIGHT_TRY(check_names(arguments));
    const fs::path folder = arguments.output.empty() ? "." : arguments.output;
    const std::string stem = arguments.profile_name.empty() ? "dlprof" : arguments.profile_name;
    const auto path_of = [&](const std::string& name) {
        return folder / fmt::format("{}_{}.csv", stem, name);
    };
    for (const char* name : kNames)
        if (wanted(arguments, name)) OPSIGHT_TRY(check_output(path_of(name).string(), arguments.overwrite));
    OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(arguments.path, false));
    OPSIGHT_ASSIGN(stats::Source source, stats::Source::open(profile.path(), {}));
    OPSIGHT_ASSIGN(const std::string note, stats::left_out_note(source));
    if (!note.empty()) fmt::print(stderr, "note: {}\n", note);
    OPSIGHT_ASSIGN(const std::vector<dlprof::Report> reports,
                   dlprof::make_reports(source, arguments.options));
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) return fail("cannot make the folder: " + problem.message(), folder.string());
    for (const dlprof::Report& report : reports) {
        if (!wanted(arguments, report.name)) continue;
        const fs::path path = path_of(report.name);
        std::ofstream file(path, std::ios::binary);
        file << render_dlprof_csv(report);
        file.close();
        if (!file) return fail("cannot be written", path.string());
        std::printf("%s\n", path.c_str());
    }
    return 0;
}

}  // namespace opsight::cli
