#include "import/rocprof/rocpd.h"

#include <algorithm>
#include <set>

#include "import/rocprof/rocpd_process.h"
#include "model/source_limits.h"

namespace opsight::importer::rocprof {
namespace {

constexpr std::string_view kStrings = "rocpd_string";
// Facts of processes, and arguments of calls, of which nothing is asked.
constexpr std::string_view kQuiet[] = {"rocpd_metadata_", "rocpd_info_", "rocpd_arg_"};

// The ids at the ends of the tables' names. Only plain ones: they are put into statements.
std::set<std::string> suffixes_of(const nsys::Report& report) {
    std::set<std::string> found;
    for (const std::string& table : report.tables_with_rows()) {
        if (!table.starts_with(kStrings)) continue;
        std::string suffix = table.substr(kStrings.size());
        const bool plain = std::all_of(suffix.begin(), suffix.end(), [](char c) {
            return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        });
        if (plain && report.has(table)) found.insert(std::move(suffix));
    }
    return found;
}

Status read_database(nsys::Report& report) {
    int64_t number = 0;
    for (const std::string& suffix : suffixes_of(report))
        OPSIGHT_TRY(RocpdProcess(report, suffix, ++number).read());
    report.builder().info().producer = "rocprofv3";
    set_kernels_of_cuda_or_hip(report.builder().info());
    if (report.events() == 0)
        return fail("is a database of rocprofv3 without a call, kernel or copy", report.file(), {},
                    "record with 'rocprofv3 --sys-trace -- ...'");
    report.note_unread(kQuiet);
    return {};
}

}  // namespace

Result<nsys::ReportFacts> import_rocpd(const std::string& path, const nsys::ReadOptions& options,
                                       ProfileBuilder& builder) {
    return nsys::import_tables(path, options, builder, {}, read_database);
}

}  // namespace opsight::importer::rocprof
