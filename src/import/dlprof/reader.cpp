#include "import/dlprof/reader.h"

#include <algorithm>

#include "import/dlprof/importer.h"
#include "import/nsys/reader.h"
#include "import/reader/tables.h"

namespace opsight::importer::dlprof {
namespace {

Claim sniff(const Head& head) {
    return head.has_table("read_only_ops") ||
                   (head.has_table("db_version") && head.has_table("read_only_system_config"))
               ? Claim::kCertain
               : Claim::kNone;
}

// DLProf leaves its database beside the export of Nsight Systems that it made it from: the export tells more.
std::string left_out(const std::string& path, std::span<const std::string> beside) {
    for (const std::string& other : beside) {
        if (other == path || !other.ends_with(".sqlite")) continue;
        const Result<std::vector<std::string>> tables = tables_of(other);
        const auto has = [&](std::string_view name) {
            return std::find(tables->begin(), tables->end(), name) != tables->end();
        };
        if (tables && has(nsys::kExportTable) && !has("read_only_ops"))
            return "is a database of DLProf; the export beside it, " + other + ", is read instead";
    }
    return {};
}

Result<ImportFacts> read(const InputFile& file, const ReadContext& context, ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const nsys::ReportFacts facts,
                   import_database(file.path, {context.progress, context.disk_before}, builder));
    return facts_of_database(file.path, facts.events);
}

}  // namespace

Reader database_reader() {
    return {.name = "databases of DLProf",
            .description = "dlprof_dldb.sqlite of DLProf 1.2 to 1.8",
            .endings = {".sqlite"},
            .sniff = sniff,
            .read = read,
            .left_out = left_out};
}

}  // namespace opsight::importer::dlprof
