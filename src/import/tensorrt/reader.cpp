#include "import/tensorrt/reader.h"

#include <fmt/format.h>

#include "import/reader/rank_hint.h"
#include "import/tensorrt/files.h"
#include "import/tensorrt/importer.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::tensorrt {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;

Claim sniff(const Head& head) {
    return kind_of(head.first()) == FileKind::kNone ? Claim::kNone : Claim::kCertain;
}

Result<std::string> read_whole(const std::string& path) {
    OPSIGHT_ASSIGN(std::unique_ptr<ByteSource> source, open_file(path));
    std::string text;
    for (std::string chunk(size_t{1} << 18, '\0');;) {
        OPSIGHT_ASSIGN(const size_t got, source->read(chunk.data(), chunk.size()));
        if (got == 0) return text;
        if (text.size() + got > kMostBytes)
            return fail("exports of TensorRT larger than 1 GiB are not read", path, {},
                        "run trtexec for a shorter time (--duration, --iterations)");
        text.append(chunk, 0, got);
    }
}

Status take(FileKind kind, std::string& text, Engine& engine, bool& unclean) {
    switch (kind) {
        case FileKind::kTimes: {
            OPSIGHT_ASSIGN(engine.times, read_layer_times(text, unclean));
            return {};
        }
        case FileKind::kRuns: {
            OPSIGHT_ASSIGN(engine.runs, read_runs(text, unclean));
            return {};
        }
        case FileKind::kLayers: {
            OPSIGHT_ASSIGN(engine.layers, read_layers(text, unclean));
            return {};
        }
        case FileKind::kFacts:
            return read_facts(text, unclean, engine.facts);
        case FileKind::kNone:
            break;
    }
    return {};
}

bool has_times(const EngineFiles& files) {
    for (const EngineFile& file : files.files)
        if (file.kind == FileKind::kTimes || file.kind == FileKind::kRuns) return true;
    return false;
}

Result<ImportFacts> read_engine(const EngineFiles& files, const ReadContext& context,
                                ProfileBuilder& builder) {
    Engine engine;
    engine.name = files.name;
    ImportFacts facts;
    for (const EngineFile& file : files.files) {
        OPSIGHT_ASSIGN(std::string text, read_whole(file.path));
        ++facts.files;
        facts.bytes += text.size();
        remove_mark(text);
        bool unclean = false;
        if (Status read = take(file.kind, text, engine, unclean); !read) {
            if (read.error().file.empty()) read.error().file = file.path;
            return fail(read.error());
        }
        if (unclean) builder.diagnostics().add(Diag::kUncleanText, {file.path, -1, -1, {}});
        const bool times = file.kind == FileKind::kTimes || file.kind == FileKind::kRuns;
        if (engine.source.empty() || file.kind == FileKind::kTimes || (times && engine.times.layers.empty()))
            engine.source = file.path;
        builder.info().sources.push_back(file.path);
        if (context.progress) context.progress->set_done(context.disk_before + facts.bytes);
    }
    engine.rank_hint = rank_hint(engine.source);
    OPSIGHT_ASSIGN(facts.events, add_engine(engine, builder));
    return facts;
}

Result<ImportFacts> read(std::span<const InputFile> inputs, const ReadContext& context,
                         ProfileBuilder& builder) {
    std::vector<EngineFile> files;
    for (const InputFile& input : inputs) {
        OPSIGHT_ASSIGN(std::unique_ptr<ByteSource> source, open_file(input.path));
        PeekedSource peeked(std::move(source));
        OPSIGHT_ASSIGN(const std::string_view head, peeked.peek(Head::kBytes));
        files.push_back({input.path, kind_of(head), input.found});
    }
    OPSIGHT_ASSIGN(const std::vector<EngineFiles> engines, engines_of(files));
    ImportFacts sum;
    for (const EngineFiles& engine : engines) {
        if (!has_times(engine) && engine.files.front().found && engines.size() > 1) {
            for (const EngineFile& file : engine.files)
                builder.diagnostics().add(Diag::kSkippedFile,
                                          {file.path, -1, -1, "tells of a TensorRT engine, but no times"});
            continue;
        }
        OPSIGHT_ASSIGN(const ImportFacts facts, read_engine(engine, context, builder));
        sum.files += facts.files;
        sum.bytes += facts.bytes;
        sum.events += facts.events;
    }
    return sum;
}

}  // namespace

Reader export_reader() {
    return {.name = "exports of TensorRT",
            .description =
                "what 'trtexec --exportProfile --exportLayerInfo --exportTimes' and the engine explorer "
                "wrote: layers with their average times, inferences",
            .endings = {".json"},
            .sniff = sniff,
            .read = read};
}

}  // namespace opsight::importer::tensorrt
