#include "import/nsys/reader.h"

#include <algorithm>
#include <filesystem>

#include "import/nsys/importer.h"
#include "import/reader/tables.h"

namespace opsight::importer::nsys {
namespace {

namespace fs = std::filesystem;

// A database of another profiler that stood on this one has its own tables too: it is certain then.
Claim sniff_export(const Head& head) {
    return head.has_table(kExportTable) ? Claim::kPossible : Claim::kNone;
}

Claim sniff_report(const Head&) {
    return Claim::kNone;
}

bool is_named_report(const InputFile& file) {
    return is_report(file.path);
}

std::string left_out(const std::string& path, std::span<const std::string> beside) {
    const std::string exported = fs::path(path).replace_extension(".sqlite").string();
    const bool is_there = std::find(beside.begin(), beside.end(), exported) != beside.end();
    return is_there ? "its export " + exported + " is read instead" : "";
}

Result<ImportFacts> facts_of(const std::string& path, const Result<ReportFacts>& read) {
    if (!read) return fail(read.error());
    return facts_of_database(path, read->events);
}

Result<ImportFacts> read_export(const InputFile& file, const ReadContext& context, ProfileBuilder& builder) {
    return facts_of(file.path, import_export(file.path, {context.progress, context.disk_before}, builder));
}

Result<ImportFacts> read_report(const InputFile& file, const ReadContext& context, ProfileBuilder& builder) {
    return facts_of(file.path, import_report(file.path, {context.progress, context.disk_before}, builder));
}

}  // namespace

Reader export_reader() {
    return {.name = "exports of Nsight Systems",
            .description = "what 'nsys export --type sqlite' wrote, of every schema from 2020 on",
            .endings = {".sqlite"},
            .sniff = sniff_export,
            .read = read_export};
}

Reader report_reader() {
    return {.name = "reports of Nsight Systems",
            .description = "where nsys is on PATH, which exports them first",
            .endings = {".nsys-rep", ".qdrep"},
            .sniff = sniff_report,
            .read = read_report,
            .claims_name = is_named_report,
            .left_out = left_out};
}

}  // namespace opsight::importer::nsys
