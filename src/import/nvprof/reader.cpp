#include "import/nvprof/reader.h"

#include "import/nvprof/importer.h"
#include "import/reader/tables.h"

namespace opsight::importer::nvprof {
namespace {

// Names of tables that exports of Nsight Systems have too, with the texts elsewhere.
Claim sniff(const Head& head) {
    const bool has_work =
        head.has_table("CUPTI_ACTIVITY_KIND_RUNTIME") || head.has_table("CUPTI_ACTIVITY_KIND_KERNEL");
    return has_work && head.has_table("StringTable") ? Claim::kCertain : Claim::kNone;
}

Result<ImportFacts> read(const InputFile& file, const ReadContext& context, ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const nsys::ReportFacts facts,
                   import_database(file.path, {context.progress, context.disk_before}, builder));
    return facts_of_database(file.path, facts.events);
}

}  // namespace

Reader database_reader() {
    return {
        .name = "databases of nvprof",
        .description =
            "what 'nvprof -o' and the Visual Profiler wrote: calls, kernels, copies, NVTX, PyProf's markers",
        .endings = {".nvvp", ".nvprof", ".sqlite", ".sql"},
        .sniff = sniff,
        .read = read};
}

}  // namespace opsight::importer::nvprof
