#include "import/rocprofcsv/reader.h"

#include <algorithm>

#include "base/gzip_source.h"
#include "import/rocprofcsv/files.h"
#include "import/rocprofcsv/importer.h"

namespace opsight::importer::rocprofcsv {
namespace {

Claim sniff(const Head& head) {
    return table_of(head.first()) == Table::kNone ? Claim::kNone : Claim::kCertain;
}

Result<std::unique_ptr<PeekedSource>> unpacked(std::unique_ptr<ByteSource> file) {
    auto source = std::make_unique<PeekedSource>(std::move(file));
    for (;;) {
        OPSIGHT_ASSIGN(const std::string_view first, source->peek(Head::kBytes));
        if (!looks_like_gzip(first)) return source;
        source = std::make_unique<PeekedSource>(gunzip(std::move(source)));
    }
}

Result<ImportFacts> read(std::span<const InputFile> inputs, const ReadContext& context,
                         ProfileBuilder& builder) {
    std::vector<TableFile> files;
    for (const InputFile& input : inputs) {
        OPSIGHT_ASSIGN(std::unique_ptr<ByteSource> file, open_file(input.path));
        OPSIGHT_ASSIGN(std::unique_ptr<PeekedSource> source, unpacked(std::move(file)));
        files.push_back({input.path, std::move(source), input.found});
    }
    return import_tables(std::move(files), context, builder);
}

// rocprofv3 writes several formats of one run where it is asked for them. rocprof 1 has a trace beside its
// results.csv where it traced calls; its results.db holds the same rows in tables that nobody reads.
std::string left_out(const std::string& path, std::span<const std::string> beside) {
    const bool is_old = name_of_table(path) == "results";
    for (const std::string& other : beside) {
        const bool whole = other.ends_with("results.json") || (!is_old && other.ends_with("results.db"));
        if (whole && run_of(other) == run_of(path))
            return "is of the same run as " + other + ", which tells more and is read instead";
    }
    return {};
}

}  // namespace

Reader table_reader() {
    return {.name = "tables of rocprof",
            .description =
                "what 'rocprofv3 --output-format csv' and 'rocprofv2 --plugin file' wrote (kernel_trace.csv, "
                "hip_api_trace.csv, results_7.csv, ...), and results.csv of rocprof 1",
            .endings = {".csv"},
            .sniff = sniff,
            .read = read,
            .left_out = left_out,
            .unpacks_gzip = true};
}

}  // namespace opsight::importer::rocprofcsv
