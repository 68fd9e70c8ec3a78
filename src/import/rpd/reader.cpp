#include "import/rpd/reader.h"

#include "import/reader/tables.h"
#include "import/rpd/importer.h"

namespace opsight::importer::rpd {
namespace {

Claim sniff(const Head& head) {
    return head.has_table("rocpd_api") && head.has_table("rocpd_op") ? Claim::kCertain : Claim::kNone;
}

Result<ImportFacts> read(const InputFile& file, const ReadContext& context, ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const nsys::ReportFacts facts,
                   import_trace(file.path, {context.progress, context.disk_before}, builder));
    return facts_of_database(file.path, facts.events);
}

}  // namespace

Reader trace_reader() {
    return {
        .name = "traces of rocmProfileData",
        .description = "what runTracer.sh and rpd_tracer wrote (RPD): HIP calls, kernels, copies, markers",
        .endings = {".rpd"},
        .sniff = sniff,
        .read = read};
}

}  // namespace opsight::importer::rpd
