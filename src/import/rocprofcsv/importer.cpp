#include "import/rocprofcsv/importer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "import/reader/passes.h"
#include "import/rocprofcsv/files.h"
#include "import/rocprofcsv/run.h"
#include "model/source_limits.h"

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

// The tables of a run, and those of further passes over the same program.
struct RunParts {
    std::vector<Part> own, passes;
};

// Of a further pass only the counters are of use: all else ran before.
bool is_told_before(const Part& part, ProfileBuilder& builder) {
    if (part.table == Table::kCounters) return false;
    builder.diagnostics().add(
        Diag::kSkippedFile,
        {part.file.path, -1, -1, "is of a further pass over a program, whose first pass is read"});
    return true;
}

Result<ImportFacts> read_run(const std::string& name, RunParts& all, const ReadContext& context,
                             uint64_t bytes_before, ProfileBuilder& builder) {
    std::stable_sort(all.own.begin(), all.own.end(), [](const Part& a, const Part& b) {
        return std::tie(a.table, a.file.path) < std::tie(b.table, b.file.path);
    });
    Run run(all.own.size() == 1 ? all.own[0].file.path : name + "*", builder);
    ImportFacts facts;
    const auto read = [&](Part& part, auto reading) -> Status {
        Result<uint64_t> bytes = (run.*reading)(*part.file.source, part.file.path);
        if (!bytes) {
            if (bytes.error().file.empty()) bytes.error().file = part.file.path;
            return fail(bytes.error());
        }
        if (const std::string damage = part.file.source->damage(); !damage.empty())
            builder.diagnostics().add(Diag::kTruncatedInput, {part.file.path, -1, -1, damage});
        ++facts.files;
        facts.bytes += *bytes;
        if (context.progress) context.progress->set_done(context.disk_before + bytes_before + facts.bytes);
        return {};
    };
    for (Part& part : all.own)
        OPSIGHT_TRY(read(part, &Run::read));
    for (Part& part : all.passes)
        if (!is_told_before(part, builder)) OPSIGHT_TRY(read(part, &Run::read_pass));
    run.finish();
    facts.events = run.events();
    return facts;
}

using Runs = std::map<std::string, RunParts>;

// Gives the tables of further passes to the runs of the first one: to that of the same name, else to the only
// one.
void join_passes(Runs& runs, ProfileBuilder& builder) {
    using RunsOfPass = std::map<std::string, std::string>;  // whole names by their part behind the pass
    std::map<std::string, std::map<int64_t, RunsOfPass>> programs;
    for (const auto& [name, parts] : runs)
        if (const PassOfRun pass = pass_of(name); pass.pass >= 0)
            programs[pass.program][pass.pass][pass.run] = name;
    for (const auto& [program, passes] : programs) {
        const RunsOfPass& first = passes.begin()->second;
        for (auto pass = std::next(passes.begin()); pass != passes.end(); ++pass)
            for (const auto& [run, name] : pass->second) {
                const bool single = first.size() == 1 && pass->second.size() == 1;
                const auto known = single ? first.begin() : first.find(run);
                std::vector<Part> taken = std::move(runs.at(name).own);
                runs.erase(name);
                if (known != first.end())
                    std::move(taken.begin(), taken.end(), std::back_inserter(runs.at(known->second).passes));
                else
                    builder.diagnostics().add(
                        Diag::kDanglingId,
                        {taken.front().file.path, -1, -1,
                         "is of a further pass over a program of several processes, and which of them it "
                         "was is not told: what it counted is left out"});
            }
    }
}

}  // namespace

Result<ImportFacts> import_tables(std::vector<TableFile> files, const ReadContext& context,
                                  ProfileBuilder& builder) {
    Runs runs;
    for (TableFile& file : files) {
        OPSIGHT_ASSIGN(const std::string_view first, file.source->peek(Head::kBytes));
        const Table table = table_of(first);
        const std::string run = run_of(file.path);
        runs[run].own.push_back({std::move(file), table});
    }
    join_passes(runs, builder);
    ImportFacts sum;
    for (auto& [name, parts] : runs) {
        OPSIGHT_ASSIGN(const ImportFacts facts, read_run(name, parts, context, sum.bytes, builder));
        sum.bytes += facts.bytes;
        if (facts.events == 0) {
            OPSIGHT_TRY(without_events(parts.own, runs.size() == 1, builder));
            continue;
        }
        sum.files += facts.files;
        sum.events += facts.events;
        for (const std::vector<Part>* tables : {&parts.own, &parts.passes})
            for (const Part& part : *tables)
                builder.info().sources.push_back(part.file.path);
    }
    builder.info().producer = "rocprof";
    set_kernels_of_cuda_or_hip(builder.info());
    return sum;
}

}  // namespace opsight::importer::rocprofcsv
