#include "import/nvprof/reader.h"

#include <algorithm>

#include "import/nvprof/importer.h"
#include "import/nvprof/printed.h"
#include "import/nvprof/printed_table.h"
#include "import/reader/tables.h"
#include "import/text/first_bytes.h"

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

// The program may print a good deal before the first table.
template <size_t kWithin>
Claim sniff_printed(const Head& head) {
    const std::string_view first = head.first();
    const bool is_text = !behind_space(first).empty() && first.find('\0') == first.npos;
    if (!is_text || begins_json_objects(first)) return Claim::kNone;
    // "[2024-05-01 ...]" of the program may be JSON to others.
    const Claim of_table = may_be_json(first) ? Claim::kCertain : Claim::kPossible;
    Claim claim = Claim::kNone;
    for (std::string_view text = head.first(kWithin); !text.empty();) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const bool is_log = line.starts_with("==") && (line.find("== NVPROF is profiling") != line.npos ||
                                                       line.find("== Profiling result:") != line.npos);
        if (is_log) return Claim::kCertain;
        if (line.size() < 1024 && PrintedTable::of(line)) claim = of_table;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return claim;
}

}  // namespace

Reader printed_reader() {
    return {
        .name = "output of nvprof",
        .description =
            "what nvprof printed, as CSV or text: traces of kernels and calls, summaries, metrics and events",
        .endings = {".nvprof.csv", ".nvprof.txt"},  // proposals: it is what a terminal showed
        .sniff = sniff_printed<Head::kOutputBytes>,
        .read = read_one<import_printed>,
        .sniff_far = sniff_printed<Head::kFarBytes>};
}

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
