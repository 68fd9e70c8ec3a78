#include "import/dlprof/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "import/dlprof/database.h"

namespace opsight::importer::dlprof {
namespace {

// Tables of sums, texts and the like: all that is in them is worked out anew, or was read elsewhere.
constexpr std::string_view kDerived[] = {"aggregations",
                                         "category_summary",
                                         "device_gpu_utilizations",
                                         "group_ops",
                                         "iteration_aggregation_list",
                                         "kernel_iteration_node",
                                         "kernel_iteration_stats",
                                         "kernel_summaries",
                                         "kernel_summary_metrics",
                                         "kernel_time_metrics",
                                         "memory_summary_metrics",
                                         "metric",
                                         "model_summary",
                                         "node_time_metrics",
                                         "op_nodes",
                                         "op_type_metrics",
                                         "read_only_domains",
                                         "read_only_model_info",
                                         "read_only_sub_ops"};

struct Version {
    int major = -1, minor = -1;
};

// "1.8.0"
Version version_of(std::string_view text) {
    Version version;
    const char* end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, version.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
    const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
    return minor.ec == std::errc() && version.major >= 0 && version.minor >= 0 ? version : Version{};
}

Status check_version(Report& report) {
    std::string text;
    OPSIGHT_TRY(report.read(
        "db_version", {"current_version"},
        [&](Table& row) {
            if (text.empty()) text = report.builder().view(report.intern(row.text(0)));
        },
        false));
    constexpr const char* kRemedy =
        "Opsight reads databases of DLProf 1.2 to 1.8; import the export of Nsight Systems that this one was "
        "made from (nsys_profile.sqlite)";
    const Version version = version_of(text);
    if (version.major < 0)
        return fail("is a database of DLProf that does not tell its version (table db_version)",
                    report.file(), {}, kRemedy);
    if (version.major != 1 || version.minor < 2)
        return fail(
            fmt::format("is a database of DLProf {}, which Opsight does not read", text.substr(0, 40)),
            report.file(), {}, kRemedy);
    if (!report.has("read_only_ops"))
        return fail("is a database of DLProf without the table read_only_ops", report.file(), {}, kRemedy);
    report.builder().info().producer = "DLProf " + text;
    return {};
}

Status read_database(Report& report) {
    OPSIGHT_TRY(check_version(report));
    Database database(report);
    OPSIGHT_TRY(database.load_texts());
    OPSIGHT_TRY(read_ops(database));
    OPSIGHT_TRY(read_work(database));
    OPSIGHT_TRY(read_system(database));
    OPSIGHT_TRY(read_iterations(database));
    report.note_unread(kDerived);
    return {};
}

}  // namespace

Result<nsys::ReportFacts> import_database(const std::string& path, const nsys::ReadOptions& options,
                                          ProfileBuilder& builder) {
    return nsys::import_tables(path, options, builder, {}, read_database);
}

}  // namespace opsight::importer::dlprof
