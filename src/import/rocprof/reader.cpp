#include "import/rocprof/reader.h"

#include "import/reader/passes.h"
#include "import/reader/tables.h"
#include "import/rocprof/chrome.h"
#include "import/rocprof/importer.h"
#include "import/rocprof/plugin_json.h"
#include "import/rocprof/rocpd.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::rocprof {
namespace {

Claim sniff(const Head& head) {
    const std::string_view first = head.first();
    const bool is_object = behind_space(first).starts_with('{');
    return is_object && first.find("\"rocprofiler-sdk-tool\"") != first.npos ? Claim::kCertain : Claim::kNone;
}

Claim sniff_database(const Head& head) {
    return head.has_table_like("rocpd_info_agent") && head.has_table_like("rocpd_kernel_dispatch")
               ? Claim::kCertain
               : Claim::kNone;
}

Result<ImportFacts> read_database(const InputFile& file, const ReadContext& context,
                                  ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const nsys::ReportFacts facts,
                   import_rocpd(file.path, {context.progress, context.disk_before}, builder));
    return facts_of_database(file.path, facts.events);
}

Result<ImportFacts> read(PeekedSource& source, const InputFile& file, const ReadContext& context,
                         ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const ResultFacts facts,
                   import_results(source, file.path, {context.progress, context.disk_before}, builder));
    return ImportFacts{1, facts.bytes, facts.events};
}

std::string repeats_results(const std::string& path, std::span<const std::string> all) {
    return repeats_pass(path, all, "results.json");
}

std::string repeats_database(const std::string& path, std::span<const std::string> all) {
    return repeats_pass(path, all, "results.db");
}

Claim sniff_chrome(const Head& head) {
    return is_chrome_trace(head.first()) ? Claim::kCertain : Claim::kNone;
}

Claim sniff_plugin(const Head& head) {
    return is_plugin_json(head.first()) ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader plugin_reader() {
    return {.name = "traces of rocprofv2",
            .description = "what 'rocprofv2 --plugin json' wrote: calls, kernels, copies, in whole us",
            .endings = {".json"},
            .sniff = sniff_plugin,
            .read = read_one<import_plugin_json>};
}

Reader chrome_reader() {
    return {.name = "traces of rocprof 1",
            .description =
                "results.json of 'rocprof --sys-trace', --hip-trace, --hsa-trace or --roctx-trace: calls, "
                "kernels, copies, markers",
            .endings = {".json"},
            .sniff = sniff_chrome,
            .read = read_one<import_chrome>};
}

Reader results_reader() {
    return {.name = "results of rocprofv3",
            .description =
                "what 'rocprofv3 --output-format json' wrote: HIP calls, kernels, copies, markers, RCCL",
            .endings = {".json"},
            .sniff = sniff,
            .read = read,
            .repeats = repeats_results};
}

Reader database_reader() {
    return {.name = "databases of rocprofv3",
            .description =
                "what rocprofv3 writes unasked since ROCm 7 (rocpd): HIP and HSA calls, kernels, copies, "
                "markers, RCCL",
            .endings = {".db"},
            .sniff = sniff_database,
            .read = read_database,
            .repeats = repeats_database};
}

}  // namespace opsight::importer::rocprof
