#include "import/rocprof/importer.h"

#include "import/rocprof/process.h"
#include "import/text/clean_text.h"
#include "import/text/first_bytes.h"
#include "model/source_limits.h"

namespace opsight::importer::rocprof {
namespace {

// It is one JSON document, whose names stand behind what they name: it is held as a whole.
constexpr size_t kMostBytes = size_t{3} << 30;
constexpr const char* kSmaller = "record less, or give a trace of torch.profiler";

Result<std::string> read_all(PeekedSource& source, const ResultOptions& options) {
    std::string text;
    for (std::string chunk(size_t{1} << 16, '\0');;) {
        OPSIGHT_ASSIGN(const size_t got, source.read(chunk.data(), chunk.size()));
        if (got == 0) break;
        if (text.size() + got > kMostBytes)
            return fail("results of rocprofv3 larger than 3 GiB are not read", {}, {}, kSmaller);
        text.append(chunk, 0, got);
        if (options.progress) options.progress->set_done(options.disk_before + source.position());
    }
    return text;
}

}  // namespace

Result<ResultFacts> import_results(PeekedSource& source, const std::string& name,
                                   const ResultOptions& options, ProfileBuilder& builder) {
    Result<std::string> text = read_all(source, options);
    if (!text) {
        if (text.error().file.empty()) text.error().file = name;
        return fail(text.error());
    }
    remove_mark(*text);
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    simdjson::dom::array processes;
    auto error = parser.parse(*text).get(document);
    if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
        clean_text(*text);
        builder.diagnostics().add(Diag::kUncleanText, {name, -1, -1, {}});
        error = parser.parse(*text).get(document);
    }
    if (error != simdjson::SUCCESS)
        return fail(
            std::string("results of rocprofv3 break off or are damaged: ") + simdjson::error_message(error),
            name, {}, "copy the file again, or record again");
    ResultFacts facts{text->size(), 0};
    if (document["rocprofiler-sdk-tool"].get(processes) == simdjson::SUCCESS)
        for (const simdjson::dom::element item : processes)
            if (simdjson::dom::object process; item.get(process) == simdjson::SUCCESS)
                facts.events += Process(process, name, builder).read();
    if (facts.events == 0)
        return fail("results of rocprofv3 without a call, kernel or copy", name, {},
                    "record with 'rocprofv3 --sys-trace --output-format json -- ...'");
    builder.info().producer = "rocprofv3";
    set_kernels_of_cuda_or_hip(builder.info());
    builder.info().sources.push_back(name);
    return facts;
}

}  // namespace opsight::importer::rocprof
