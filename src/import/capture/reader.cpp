#include "import/capture/reader.h"

#include <algorithm>

#include "import/capture/importer.h"
#include "wire/reader.h"

namespace opsight::importer::capture {
namespace {

Claim sniff(const Head& head) {
    return wire::CaptureReader::matches(head.first(sizeof wire::kMagic)) ? Claim::kCertain : Claim::kNone;
}

// The process of one that was found may have ended before it wrote the first bytes.
bool is_named_recording(const InputFile& file) {
    return file.found && is_named_so(file.path);
}

// One that was found and cannot be read costs its process only.
Result<ImportFacts> read(std::span<const InputFile> files, const ReadContext& context,
                         ProfileBuilder& builder) {
    std::vector<std::string> paths;
    for (const InputFile& file : files)
        paths.push_back(file.path);
    const bool lenient = std::any_of(files.begin(), files.end(), [](const InputFile& f) { return f.found; });
    OPSIGHT_ASSIGN(const CaptureFacts facts, import_captures(paths, lenient, builder, context.progress));
    return ImportFacts{facts.files, facts.bytes, facts.records};
}

}  // namespace

Reader recording_reader() {
    return {.name = "recordings of Opsight",
            .description = "what 'opsight profile --keep-capture' left, of the same version of Opsight",
            .endings = {".opcap"},
            .sniff = sniff,
            .read = read,
            .claims_name = is_named_recording};
}

}  // namespace opsight::importer::capture
