#include "import/kineto/reader.h"

#include <algorithm>

#include "import/kineto/importer.h"
#include "import/reader/rank_hint.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::kineto {
namespace {

// Lists of events come within the first megabyte, or the file is a bare list of objects.
constexpr size_t kHeaderBytes = size_t{1} << 20;

// What was given is taken by its first character, so that errors tell what is wrong with it. What was found
// is to have events.
Claim sniff(const Head& head) {
    const std::string_view text = behind_space(head.first());
    const bool all_space = text.empty() && head.first().size() == Head::kBytes;
    if (!may_be_json(text) && !all_space) return Claim::kNone;
    if (!head.found()) return Claim::kPossible;
    const std::string_view start = behind_space(head.first(kHeaderBytes));
    const std::string_view sign = start.starts_with("[") ? "\"ph\"" : "\"traceEvents\"";
    return start.find(sign) != start.npos ? Claim::kPossible : Claim::kNone;
}

Result<ImportFacts> read(PeekedSource& source, const InputFile& file, const ReadContext& context,
                         ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const std::string_view first, source.peek(Head::kBytes));
    if (const std::string profiler = foreign_profiler(first); !profiler.empty())
        builder.diagnostics().add(Diag::kForeignTrace, {file.path, -1, -1, profiler});
    TraceOptions options;
    options.threads = context.threads;
    options.progress = context.progress;
    options.disk_bytes = context.disk_bytes;
    options.disk_before = context.disk_before;
    options.rank_hint = rank_hint(file.path);
    OPSIGHT_ASSIGN(const TraceFacts facts, import_trace(source, file.path, options, builder));
    return ImportFacts{1, facts.bytes, facts.events};
}

// TensorFlow and JAX write "HOST.trace.json.gz" beside "HOST.xplane.pb": the same run, with less of it.
std::string left_out(const std::string& path, std::span<const std::string> beside) {
    const size_t end = path.rfind(".trace.json");
    if (end == path.npos) return {};
    const std::string whole = path.substr(0, end) + ".xplane.pb";
    const bool lies_beside = std::find(beside.begin(), beside.end(), whole) != beside.end();
    return lies_beside ? "is the same run as " + whole + ", which tells more and is read instead" : "";
}

}  // namespace

Reader trace_reader() {
    return {.name = "traces of PyTorch (Kineto)",
            .description = "what torch.profiler's export_chrome_trace wrote, and Chrome traces of others",
            .endings = {".pt.trace.json", ".json", ".trace"},
            .sniff = sniff,
            .read = read,
            .left_out = left_out};
}

std::string foreign_profiler(std::string_view first) {
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    if (has("\"schemaVersion\"") || has("\"cpu_op\"") || has("\"deviceProperties\"")) return {};
    if (has("/job:") && has("process_name")) return "TensorFlow (timeline)";
    if (has("highres-ticks")) return "TensorFlow or JAX (trace viewer)";
    return {};
}

}  // namespace opsight::importer::kineto
