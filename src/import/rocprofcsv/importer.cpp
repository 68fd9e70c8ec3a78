#include "import/rocprofcsv/importer.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "import/rocprofcsv/files.h"
#include "import/rocprofcsv/run.h"

namespace opsight::importer::rocprofcsv {
namespace {

struct Part {
    TableFile file;
    Table table = Table::kNone;
};

constexpr const char* kRecord =
    "record with 'rocprofv3 --sys-trace --output-format csv -- ...', and give the folder that it wrote";

// Nothing that ran: an agent_info.csv alone, or tables that nothing is made of.
Status without_events(const std::vector<Part>& parts, bool is_only, ProfileBuilder& builder) {
    const Part& first = parts.front();
    if (is_only || !first.file.found)
        return fail("is a table of rocprof without a call, kernel or copy", first.file.path, {}, kRecord);
    for (const Part& part : parts)
        builder.diagnostics().add(Diag::kSkippedFile,
                                  {part.file.path, -1, -1, "tells of no call, kernel or copy"});
    return {};
}

Result<ImportFacts> read_run(const std::string& name, std::vector<Part>& parts, const ReadContext& context,
                             uint64_t bytes_before, ProfileBuilder& builder) {
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return std::tie(a.table, a.file.path) < std::tie(b.table, b.file.path);
    });
    Run run(parts.size() == 1 ? parts[0].file.path : name + "*", builder);
    ImportFacts facts;
    for (Part& part : parts) {
        Result<uint64_t> bytes = run.read(*part.file.source, part.file.path);
        if (!bytes) {
            if (bytes.error().file.empty()) bytes.error().file = part.file.path;
            return fail(bytes.error());
        }
        if (const std::string damage = part.file.source->damage(); !damage.empty())
            builder.diagnostics().add(Diag::kTruncatedInput, {part.file.path, -1, -1, damage});
        ++facts.files;
        facts.bytes += *bytes;
        if (context.progress) context.progress->set_done(context.disk_before + bytes_before + facts.bytes);
    }
    run.finish();
    facts.events = run.events();
    return facts;
}

}  // namespace

Result<ImportFacts> import_tables(std::vector<TableFile> files, const ReadContext& context,
                                  ProfileBuilder& builder) {
    std::map<std::string, std::vector<Part>> runs;
    for (TableFile& file : files) {
        OPSIGHT_ASSIGN(const std::string_view first, file.source->peek(Head::kBytes));
        const Table table = table_of(first);
        const std::string run = run_of(file.path);
        runs[run].push_back({std::move(file), table});
    }
    ImportFacts sum;
    for (auto& [name, parts] : runs) {
        OPSIGHT_ASSIGN(const ImportFacts facts, read_run(name, parts, context, sum.bytes, builder));
        sum.bytes += facts.bytes;
        if (facts.events == 0) {
            OPSIGHT_TRY(without_events(parts, runs.size() == 1, builder));
            continue;
        }
        sum.files += facts.files;
        sum.events += facts.events;
        for (const Part& part : parts)
            builder.info().sources.push_back(part.file.path);
    }
    builder.info().producer = "rocprof";
    return sum;
}

}  // namespace opsight::importer::rocprofcsv
