#include "import/perfetto/importer.h"

#include <fmt/format.h>

#include "import/kineto/importer.h"
#include "import/perfetto/source.h"
#include "import/reader/rank_hint.h"

namespace opsight::importer::perfetto {
namespace {

// Each kind of packet that is not used, and what was odd in the others.
void note_all(const TraceSource& source, const OneFile& file, ProfileBuilder& builder) {
    for (const auto& [name, count] : source.unread()) {
        builder.info().unread_tables.emplace_back(name, count);
        builder.diagnostics().add(Diag::kUnreadTable, {file.name, -1, -1, name});
    }
    Diagnostics& to = builder.diagnostics();
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i) {
        const auto diag = static_cast<Diag>(i);
        int64_t left = source.diagnostics().count(diag);
        for (DiagOccurrence where : source.diagnostics().first(diag)) {
            where.file = file.name;
            to.add(diag, std::move(where));
            --left;
        }
        if (left > 0) to.add(diag, {file.name, -1, -1, {}}, left);
    }
}

std::string names_of(const std::map<std::string, int64_t>& unread) {
    std::string names;
    for (const auto& [name, count] : unread)
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, count);
    return names;
}

}  // namespace

Result<ImportFacts> import_packets(const OneFile& file, ProfileBuilder& builder) {
    TraceSource source(file.source);
    kineto::TraceOptions options;
    options.threads = file.context.threads;
    options.progress = file.context.progress;
    options.disk_bytes = file.context.disk_bytes;
    options.disk_before = file.context.disk_before;
    options.rank_hint = rank_hint(file.name);
    options.is_made = true;
    OPSIGHT_ASSIGN(const kineto::TraceFacts facts, kineto::import_trace(source, file.name, options, builder));
    if (source.events() == 0)
        return fail(fmt::format("is a trace of Perfetto without track events{}{}",
                                source.unread().empty() ? "" : ": it holds ", names_of(source.unread())),
                    file.name, {},
                    "record with the data source 'track_event', which tells what programs did");
    note_all(source, file, builder);
    builder.info().producer = "Perfetto";
    return ImportFacts{1, source.bytes(), facts.events};
}

}  // namespace opsight::importer::perfetto
