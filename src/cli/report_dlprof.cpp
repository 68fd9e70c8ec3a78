#include "cli/report_dlprof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/output_file.h"
#include "cli/any_profile.h"
#include "cli/new_file.h"
#include "cli/save_profile.h"
#include "cli/standard_output.h"
#include "query/nsys/stats.h"
#include "report/dlprof_csv.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

Status check_names(const DlprofArguments& arguments) {
    const query::Family& known = query::dlprof::report_family();
    for (const std::string& name : arguments.reports)
        if (name != "all" && !known.has(name)) return fail(known.no_such(name));
    if (arguments.profile_name.find('/') != std::string::npos)
        return fail(
            Error{"--profile_name is the begin of a file name", {}, {}, "give the folder with --output", 2});
    return {};
}

bool wanted(const DlprofArguments& arguments, std::string_view name) {
    const auto& list = arguments.reports;
    return list.empty() || std::find(list.begin(), list.end(), "all") != list.end() ||
           std::find(list.begin(), list.end(), name) != list.end();
}

struct Set {
    std::optional<std::string> domain;
    std::string stem;  // of the files' names
};

// A set of reports for each domain that is named, which the names of its files tell.
Result<std::vector<Set>> sets_of(const DlprofArguments& arguments) {
    const std::string stem = arguments.profile_name.empty() ? "dlprof" : arguments.profile_name;
    const auto& domains = arguments.domains;
    if (domains.empty() || domains == std::vector<std::string>{"all"}) return std::vector<Set>{{{}, stem}};
    std::vector<Set> sets;
    for (const std::string& domain : domains) {
        if (domain == "all")
            return fail(Error{"--domains takes all, or names of domains", {}, {}, "leave one out", 2});
        std::string part = domain;
        std::replace_if(
            part.begin(), part.end(),
            [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_' && c != '.'; }, '_');
        sets.push_back({domain, stem + "_" + part});
        for (size_t i = 0; i + 1 < sets.size(); ++i)
            if (sets[i].stem == sets.back().stem)
                return fail(Error{fmt::format("the files of the domains '{}' and '{}' would have one name",
                                              *sets[i].domain, domain),
                                  {},
                                  {},
                                  "ask for one after the other, with another --profile_name",
                                  2});
    }
    return sets;
}

Status write_set(query::Source& source, const DlprofArguments& arguments, const Set& set,
                 const fs::path& folder) {
    query::dlprof::Options options = arguments.options;
    OPSIGHT_ASSIGN(options.mode, query::dlprof::parse_mode(arguments.mode));
    options.domain = set.domain;
    OPSIGHT_ASSIGN(const query::dlprof::Made made, query::dlprof::make_reports(source, options));
    for (const std::string& note : made.notes)
        print_note(fmt::format("note: {}\n", note));
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) return fail("cannot make the folder: " + problem.message(), folder.string());
    for (const query::Report& report : made.reports) {
        if (!wanted(arguments, report.name)) continue;
        const fs::path path = folder / fmt::format("{}_{}.csv", set.stem, report.name);
        OPSIGHT_TRY(write_file(path.string(), arguments.overwrite, report::render_dlprof_csv(report)));
        OPSIGHT_TRY(print_text(path.string() + "\n"));
    }
    return {};
}

}  // namespace

Result<int> report_dlprof(const DlprofArguments& arguments) {
    OPSIGHT_TRY(check_names(arguments));
    OPSIGHT_TRY(query::dlprof::parse_mode(arguments.mode));
    OPSIGHT_ASSIGN(const std::vector<Set> sets, sets_of(arguments));
    const fs::path folder = arguments.output.empty() ? "." : arguments.output;
    std::error_code missing;  // a folder that is not there yet is made
    for (const Set& set : sets)
        for (const std::string_view name : query::dlprof::report_family().names())
            if (fs::exists(folder, missing) && wanted(arguments, name))
                OPSIGHT_TRY(check_output((folder / fmt::format("{}_{}.csv", set.stem, name)).string(),
                                         arguments.overwrite));
    OPSIGHT_ASSIGN(const AnyProfile profile,
                   AnyProfile::open(arguments.path, false, {.key_op = arguments.options.key_op}));
    OPSIGHT_ASSIGN(query::Source source, query::Source::open(profile.path(), {}));
    OPSIGHT_ASSIGN(const std::string note, query::nsys::left_out_note(source));
    if (!note.empty()) print_note(fmt::format("note: {}\n", note));
    for (const Set& set : sets)
        OPSIGHT_TRY(write_set(source, arguments, set, folder));
    return 0;
}

}  // namespace opsight::cli
