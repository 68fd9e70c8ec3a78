// What the export says of itself and of the machine, and which of its tables were not used.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/time.h"
#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

// Facts of TARGET_INFO_SYSTEM_ENV under the names that properties have elsewhere.
constexpr std::pair<std::string_view, std::string_view> kFacts[] = {
    {"CpuDescription", "cpu_model"},
    {"CpuCores", "cpu_cores"},
    {"OsDescription", "os"},
    {"NvDriverVersion", "driver_version"},
    {"CudaDriverVersion", "cuda_driver_version"},
};

// Columns of SystemInfo, a table that DLProf adds to the exports that it works on.
constexpr std::pair<std::string_view, std::string_view> kSystemInfo[] = {
    {"gpuCount", "dlprof_gpu_count"},  {"driverVersion", "driver_version"}, {"cudaVersion", "cuda_version"},
    {"cudnnVersion", "cudnn_version"}, {"nsysVersion", "nsys_version"},     {"cpuModel", "cpu_model"}};

// Tables with facts about the report, not with events.
constexpr std::string_view kQuiet[] = {"ENUM_",     "TARGET_INFO_",   "META_DATA_",      "EXPORT_META_DATA",
                                       "ANALYSIS_", "ProcessStreams", "UnwindMethodType"};
// The newest schema whose exports were looked at.
constexpr std::pair<int, int> kNewestSchema = {3, 28};

void take_schema(Report& report, std::string_view version) {
    report.builder().info().properties.emplace_back("nsys_schema_version", version);
    int major = 0, minor = 0;
    const char* end = version.data() + version.size();
    const auto first = std::from_chars(version.data(), end, major);
    const bool dotted = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
    const bool read = dotted && std::from_chars(first.ptr + 1, end, minor).ec == std::errc();
    if (!read || std::pair(major, minor) > kNewestSchema)
        report.note(Diag::kNewerSchema, fmt::format("schema {}", version));
}

Status read_versions(Report& report) {
    std::string product;
    const auto take = [&](Table& row) {
        if (row.text(0) == "EXPORT_PRODUCT_VERSION")
            product = report.builder().view(report.intern(row.text(1)));
        if (row.text(0) == "EXPORT_SCHEMA_VERSION")
            take_schema(report, report.builder().view(report.intern(row.text(1))));
    };
    OPSIGHT_ASSIGN(const bool current, report.read("META_DATA_EXPORT", {"name", "value"}, take, false));
    if (!current) OPSIGHT_TRY(report.read("EXPORT_META_DATA", {"name", "value"}, take, false));
    report.builder().info().producer = product.empty() ? "Nsight Systems" : "Nsight Systems " + product;
    return {};
}

// Until 2022 a number: 5206105 is 520.61.05, 52510517 is 525.105.17 and 42600 is 426.00.
std::string dotted_driver(std::string_view version) {
    std::string text(version);
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    if (!number || (text.size() != 5 && text.size() != 7 && text.size() != 8)) return text;
    text.insert(text.size() - 2, 1, '.');
    if (text.size() > 6) text.insert(3, 1, '.');
    return text;
}

Status read_system_info(Report& report) {
    Columns columns = {"framework"};
    for (const auto& [column, property] : kSystemInfo)
        columns.push_back(column);
    return report
        .read(
            "SystemInfo", columns,
            [&](Table& row) {
                const auto text = [&](size_t column) {
                    return std::string(report.builder().view(report.intern(row.text(column))));
                };
                std::vector<std::string>& frameworks = report.builder().info().frameworks;
                if (frameworks.empty() && !row.text(0).empty()) frameworks.push_back(text(0));
                for (size_t i = 0; i < std::size(kSystemInfo); ++i)
                    report.keep(kSystemInfo[i].second, text(i + 1));
            },
            false)
        .map([](bool) {});
}

Status read_facts(Report& report) {
    return report
        .read(
            "TARGET_INFO_SYSTEM_ENV", {"name", "value"},
            [&](Table& row) {
                const std::string_view name = row.text(0), value = row.text(1);
                if (name == "Hostname")
                    report.set_host(std::string(report.builder().view(report.intern(value))));
                for (const auto& [key, property] : kFacts)
                    if (name == key && !value.empty()) {
                        const std::string_view text = report.builder().view(report.intern(value));
                        report.keep(property,
                                    key == "NvDriverVersion" ? dotted_driver(text) : std::string(text));
                    }
            },
            false)
        .map([](bool) {});
}

Status read_warnings(Report& report) {
    constexpr int64_t kWarning = 2, kError = 3;
    return report
        .read(
            "DIAGNOSTIC_EVENT", {"severity", "text"},
            [&](Table& row) {
                const int64_t severity = row.number(0);
                if (severity == kWarning || severity == kError)
                    report.note(Diag::kSourceWarning,
                                std::string(report.builder().view(report.intern(row.text(1)))));
            },
            false)
        .map([](bool) {});
}

}  // namespace

Status read_environment(Report& report) {
    OPSIGHT_TRY(read_versions(report));
    OPSIGHT_TRY(read_system_info(report));
    OPSIGHT_TRY(read_facts(report));
    OPSIGHT_TRY(report.read(
        "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
        [&](Table& row) {
            const int64_t epoch = row.number(0, 0);
            if (epoch <= 0 || epoch >= kMaxNs / 2) return;
            report.set_epoch(epoch);
            // The reports of nsys count from here.
            report.builder().info().properties.emplace_back("session_start_ns", std::to_string(epoch));
        },
        false));
    return read_warnings(report);
}

void note_unread(Report& report) {
    report.note_unread(kQuiet);
}

}  // namespace opsight::importer::nsys
