#include "import/unread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "import/executiontrace/chakra.h"
#include "import/executiontrace/execution_trace.h"
#include "import/reader/tables.h"
#include "import/text/first_bytes.h"

namespace opsight::importer {
namespace {

struct Magic {
    std::string_view bytes, what, hint;
    size_t offset = 0;
};

// Without a hint: what Opsight reads.
constexpr Magic kMagic[] = {
    {"PK\x03\x04", "a zip archive", "unpack it and give the trace inside"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed", "unpack it with 'zstd -d' first"},
    {"BZh", "bzip2-compressed", "unpack it with 'bunzip2' first"},
    {"\xfd"
     "7zXZ",
     "xz-compressed", "unpack it with 'unxz' first"},
    {"\x80\x02", "a Python pickle", {}},
    {"\x80\x03", "a Python pickle", {}},
    {"\x80\x04", "a Python pickle", {}},
    {"\x80\x05", "a Python pickle", {}},
    {"\x7f"
     "ELF",
     "a program or library (ELF)",
     {}},
    {"DUCK", "a DuckDB database",
     "if it is an Opsight profile, use 'opsight report' or 'opsight info' with it", 8},
    {"%PDF", "a PDF document", {}},
    {"\x89PNG", "a picture", {}},
    {"NVR", "a report of Nsight Compute",
     "print it with 'ncu --import FILE.ncu-rep --csv --page raw > FILE.csv', and give that"},
};

bool is_text(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) {
        return static_cast<uint8_t>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
    });
}

// What other profilers print. Their tables and texts hold sums, not events.
struct Printed {
    std::string_view words, what, hint;
};

constexpr std::string_view kReportHint =
    "it holds no events to import: give the .nsys-rep that it was made of, or what 'nsys export --type "
    "sqlite' "
    "makes of that";
constexpr std::string_view kNcuHint =
    "it tells no launch by itself: print the launches with 'ncu --import FILE.ncu-rep --csv --page raw'";

constexpr std::string_view kRocprofHint =
    "it holds sums and no events: give the traces of the same run that lie beside it (kernel_trace.csv, "
    "results.csv, results.json, ...)";

constexpr std::string_view kTensorRtHint =
    "have trtexec write it: --exportProfile=profile.json, and --exportLayerInfo=layers.json for shapes and "
    "types";
constexpr std::string_view kSumsHint =
    "it holds sums and no events: record the run with torch.profiler, or with 'opsight profile'";

constexpr std::string_view kHtml = "an HTML page",
                           kHtmlHint = "the download may have failed: open it in a browser to see";

constexpr std::string_view kHloHint = "give it to 'opsight estimate', which counts the work of its ops";

constexpr Printed kPrinted[] = {
    {"\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\"", "a summary that Nsight Compute printed",
     kNcuHint},
    {"\"Invocations\"", "a summary that Nsight Compute printed", kNcuHint},
    {"Section: GPU Speed Of Light", "output of Nsight Compute", kNcuHint},
    {"Time (%),Total Time (ns)", "a table of 'nsys stats'", kReportHint},
    {"Start (ns),Duration (ns)", "a table of 'nsys stats'", kReportHint},
    {"Start (ns),End (ns),Duration (ns)", "a table of 'nsys stats'", kReportHint},
    {"NVTX Range,Style,PID", "a table of 'nsys stats'", kReportHint},
    {"Range,Style,Total Proj Time", "a table of 'nsys stats'", kReportHint},
    {"Name,Projected Start", "a table of 'nsys stats'", kReportHint},
    {"TotalDurationNs", "statistics of rocprof", kRocprofHint},
    {".qdstrm'", "what Nsight Systems printed", kReportHint},
    {"=== Profile (", "what trtexec printed (--dumpProfile)", kTensorRtHint},
    {"--- Layer 0 ---", "what TensorRT's engine inspector printed", kTensorRtHint},
    {"DeepSpeed Flops Profiler", "what DeepSpeed's FLOPs profiler printed", kSumsHint},
    {"->     Profiling Report     <-", "what PaddlePaddle's profiler printed",
     "it holds sums and no events, and Opsight does not read PaddlePaddle's traces"},
    {",Accelerator Core,", "a table of kernels of Ascend's profiler",
     "Opsight does not read it: of trace_view.json, which lies beside it, the timeline can be shown"},
};

// Text of two bytes a character: with a byte order mark, or a brace or bracket between zeros.
bool is_utf16(std::string_view bytes) {
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return true;
    if (bytes.size() < 4) return false;
    const auto opens = [](char c) { return c == '{' || c == '['; };
    return (opens(bytes[0]) && bytes[1] == '\0' && bytes[3] == '\0') ||
           (bytes[0] == '\0' && opens(bytes[1]) && bytes[2] == '\0');
}

// What stands in a checkout for a large file that was not fetched.
bool is_pointer(std::string_view text) {
    return text.starts_with("version https://git-lfs.github.com/spec/") ||
           text.starts_with("/annex/objects/");
}

bool starts_as_html(std::string_view text) {
    const auto starts = [text](std::string_view word) {
        return text.size() >= word.size() &&
               std::equal(word.begin(), word.end(), text.begin(),
                          [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
    };
    return starts("<!doctype html") || starts("<html");
}

// `hint`: empty for what Opsight reads.
Unread no_trace(std::string_view what, std::string_view hint, bool certain) {
    return {"is " + std::string(what) + ", not a trace", std::string(hint), certain};
}

Unread text_kind(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (text.starts_with("HloModule ")) return no_trace("an HLO module of XLA", kHloHint, false);
    for (const Printed& printed : kPrinted)
        if (text.find(printed.words) != text.npos) return no_trace(printed.what, printed.hint, false);
    if (text.starts_with("<") && text.find("<html") != text.npos) return no_trace(kHtml, kHtmlHint, false);
    if (text.starts_with("<")) return no_trace("an XML document", {}, false);
    if (std::count(line.begin(), line.end(), ',') >= 2) return no_trace("a CSV table", {}, false);
    return no_trace("text, but no JSON", {}, false);
}

// What TensorFlow's and XLA's tools make of a profile and put beside it, by its name: messages and tables of
// sums, whose bytes tell nothing.
struct Named {
    std::string_view part, what, hint;
};

constexpr std::string_view kBesideIt =
    "it holds sums and no events: give the .xplane.pb that it was made of, which lies beside it";

constexpr Named kNamed[] = {
    {".overview_page.pb", "an overview page of TensorFlow's profiler", kBesideIt},
    {".input_pipeline.pb", "an input pipeline analysis of TensorFlow's profiler", kBesideIt},
    {".tensorflow_stats.pb", "a table of ops of TensorFlow's profiler", kBesideIt},
    {".framework_op_stats.pb", "a table of ops of TensorFlow's profiler", kBesideIt},
    {".kernel_stats.pb", "a table of kernels of TensorFlow's profiler", kBesideIt},
    {".op_stats.pb", "sums of TensorFlow's profiler", kBesideIt},
    {".hlo_stats.pb", "a table of HLO ops of XLA's profiler", kBesideIt},
    {".pod_viewer.pb", "a pod viewer page of TensorFlow's profiler", kBesideIt},
    {".tf_data_bottleneck_analysis.pb", "an analysis of tf.data by TensorFlow's profiler", kBesideIt},
    {".memory_profile.json", "a memory profile of TensorFlow's profiler", kBesideIt},
    {".hlo_proto.pb", "an HLO module of XLA", kHloHint},
    {".hlo_module.pb", "an HLO module of XLA", kHloHint},
    {".hlo.pb", "an HLO module of XLA", kHloHint},
};

const Named* named(std::string_view path) {
    if (path.ends_with(".gz")) path.remove_suffix(3);
    for (const Named& each : kNamed)
        if (path.ends_with(each.part)) return &each;
    return nullptr;
}

constexpr const char* kChakraHint =
    "it tells simulators how long its nodes took, but not when: give the trace that it was made of, and this "
    "with --execution-trace beside it";
constexpr const char* kWorkloadHint =
    "it has no arguments of ops, and tells not when they ran: give the trace that it was made of, and "
    "PyTorch's execution "
    "trace with --execution-trace beside it";
constexpr const char* kModelHint = "give it to 'opsight estimate', or with --model beside a trace";

// What tells of a program, but of no run of it that could be shown by itself.
Unread beside_a_trace(std::string_view text) {
    const auto has = [text](std::string_view word) { return text.find(word) != text.npos; };
    if (looks_like_execution_trace(text))
        return no_trace("an execution trace of PyTorch (its graph of ops)",
                        "it holds no times: give the trace of torch.profiler of the same run, and this with "
                        "--execution-trace beside it",
                        true);
    if (text.starts_with("{") && (has("\"workload_graph\"") || has("\"ctrlDeps\"")))
        return no_trace("an execution trace of Chakra", kWorkloadHint, true);
    if (text.starts_with("{") && has("speedscope.app/file-format-schema"))
        return no_trace("a profile of speedscope",
                        "give the folded stacks that it was made of: 'py-spy record --format raw', or what "
                        "stackcollapse-perf.pl makes",
                        true);
    // [[time, action, bytes, category], ...]
    if (text.starts_with("[[") && text.substr(0, 64).find_first_not_of("[]-0123456789, \n\r\t") == text.npos)
        return no_trace(
            "a memory timeline of PyTorch (export_memory_timeline, raw)",
            "it names no ops: record with profile_memory=True and give the trace, or the snapshot of "
            "torch.cuda.memory",
            true);
    return {};
}

// Networks and their settings, which other commands read.
Unread model_kind(std::string_view first) {
    const auto has = [first](std::string_view word) { return first.find(word) != first.npos; };
    if (first.substr(0, 64).find("brain.Event:") != first.npos)
        return no_trace("a file of TensorBoard's events",
                        "where it has a graph, give it with --model beside a trace", true);
    if (first.starts_with("node {") && has("op: \""))
        return no_trace("a graph of TensorFlow (GraphDef as text)", kModelHint, true);
    const bool binary = !is_text(first);
    if (binary && looks_like_chakra(first))
        return no_trace("an execution trace of Chakra", kChakraHint, true);
    if (binary && (has("onnx") || has("pytorch") || has("backend-test")))
        return no_trace("a model (ONNX or other protobuf)", kModelHint, true);
    const bool has_graph = first.starts_with("\x0a") || first.starts_with("\x08\x01\x12");
    if (binary && has_graph && (has("dtype") || has("\x12\x04type")))
        return no_trace("a graph of TensorFlow (GraphDef or SavedModel)", kModelHint, true);
    // An ONNX file tells the version of its format and its producer, or the graph, first.
    const bool is_onnx = first.size() > 2 && first[0] == '\x08' && first[1] > 0 && first[1] < 32 &&
                         (first[2] == '\x12' || first[2] == '\x3a');
    if (binary && is_onnx) return no_trace("a model (ONNX or other protobuf)", kModelHint, true);
    if (!binary && (has("architecture:") || has("problem:") || has("mapping:") || has("mapper:") ||
                    has("constraints:") || has("ART:") || has("ERT:")))
        return no_trace("a specification for the mapping of layers (Timeloop)", "give it to 'opsight map'",
                        true);
    return {};
}

Unread database_kind(const Head& head) {
    if (head.has_table("StringTable") || head.has_table("CUPTI_ACTIVITY_KIND_MARKER"))
        return {"is a database of nvprof without its calls or kernels, or without its texts",
                "give the file as 'nvprof -o FILE.nvvp ...' wrote it", true};
    return {"is a SQLite database, but without the tables of a profiler whose databases Opsight reads",
            "of Nsight Systems, give what 'nsys export --type sqlite REPORT.nsys-rep' makes", false};
}

// How many characters of UTF-8 a text has that stand for what could not be read; -1: it is not UTF-8.
int64_t replaced_characters(std::string_view text) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd";
    int64_t count = 0;
    for (size_t at = 0; at < text.size();) {
        const auto lead = static_cast<uint8_t>(text[at]);
        const size_t size = lead < 0x80   ? 1
                            : lead < 0xc2 ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
        if (size == 0) return -1;
        if (at + size > text.size()) break;  // cut here
        for (size_t i = 1; i < size; ++i)
            if ((static_cast<uint8_t>(text[at + i]) & 0xc0) != 0x80) return -1;
        count += text.substr(at, size) == kReplacement;
        at += size;
    }
    return count;
}

}  // namespace

Unread spoilt_kind(const Head& head) {
    constexpr int64_t kFewest = 8;
    constexpr std::string_view kOfNoText{"\0\x01\x02\x03\x04\x05\x06",
                                         7};  // programs that draw bars write \b
    const std::string_view first = head.first();
    if (first.find_first_of(kOfNoText) == first.npos) return {};
    const int64_t replaced = replaced_characters(first);
    if (replaced < kFewest) return {};
    return {
        fmt::format("is damaged: a binary file that was saved as text at some time. Within {} bytes {} are "
                    "replaced by the character U+FFFD, and what they were is lost",
                    first.size(), replaced),
        "get the file again as it was written, by a way that leaves its bytes as they are", true};
}

Unread unread_kind(const Head& head) {
    const std::string_view first = head.first();
    if (looks_like_sqlite(first)) return database_kind(head);
    if (const Named* known = named(head.path())) return no_trace(known->what, known->hint, true);
    for (const Magic& magic : kMagic)
        if (first.size() > magic.offset && first.substr(magic.offset).starts_with(magic.bytes))
            return no_trace(magic.what, magic.hint, true);
    if (is_utf16(first))
        return no_trace(
            "text in UTF-16",
            "convert it with 'iconv -f UTF-16 -t UTF-8 OLD > NEW' (a PowerShell '>' writes UTF-16)", true);
    const std::string_view text = behind_space(first);
    if (is_pointer(text))
        return no_trace("a pointer of Git LFS or git-annex to a file that was not fetched",
                        "fetch it with 'git lfs pull' ('git annex get' for git-annex)", true);
    if (starts_as_html(text)) return no_trace(kHtml, kHtmlHint, true);
    if (Unread known = beside_a_trace(text); known.certain) return known;
    if (text.starts_with("{'")) return text_kind(text);
    if (may_be_json(text)) return {"is JSON, but no trace", {}, false};
    if (is_text(first)) {
        const Unread model = model_kind(first);
        return model.certain ? model : text_kind(text);
    }
    if (Unread model = model_kind(first); model.certain) return model;
    return no_trace("binary data of a kind that Opsight does not know", {}, false);
}

}  // namespace opsight::importer
