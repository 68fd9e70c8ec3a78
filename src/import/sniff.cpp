#include "import/sniff.h"

#include <algorithm>

#include "base/gzip_source.h"
#include "base/tar_reader.h"

namespace opsight {
namespace {

struct Magic {
    std::string_view bytes, what, hint;
    size_t offset = 0;
};

constexpr std::string_view kTraceHint =
    "give the .json or .json.gz that torch.profiler's export_chrome_trace wrote";

constexpr Magic kMagic[] = {

    {"PK\x03\x04", "a zip archive", "unpack it and give the trace inside"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed", "unpack it with 'zstd -d' first"},
    {"BZh", "bzip2-compressed", "unpack it with 'bunzip2' first"},
    {"\xfd"
     "7zXZ",
     "xz-compressed", "unpack it with 'unxz' first"},
    {"\x80\x02", "a Python pickle", kTraceHint},
    {"\x80\x03", "a Python pickle", kTraceHint},
    {"\x80\x04", "a Python pickle", kTraceHint},
    {"\x80\x05", "a Python pickle", kTraceHint},
    {"\x7f"
     "ELF",
     "a program or library (ELF)", kTraceHint},
    {"DUCK", "a DuckDB database",
     "if it is an Opsight profile, use 'opsight report' or 'opsight info' with it", 8},
    {"%PDF", "a PDF document", kTraceHint},
    {"\x89PNG", "a picture", kTraceHint},
    {"NVR", "a report of Nsight Compute", "Opsight reads the reports of Nsight Systems"},
};

std::string_view skip_space(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

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
constexpr std::string_view kRecordHint =
    "it holds no events to import: record again with 'nsys profile', and give its .nsys-rep or what 'nsys "
    "export "
    "--type sqlite' makes of that";

constexpr Printed kPrinted[] = {
    {"== NVPROF is profiling", "output of nvprof", kRecordHint},
    {"\"Type\",\"Time(%)\"", "a table of nvprof", kRecordHint},
    {"==PROF==", "output of Nsight Compute", kRecordHint},
    {"\"ID\",\"Process ID\"", "a table of Nsight Compute", kRecordHint},
    {"Section: GPU Speed Of Light", "output of Nsight Compute", kRecordHint},
    {"\"Kernel\",\"Module\",\"Op\"", "a table of PyProf", kRecordHint},
    {"{'kShortName'", "output of PyProf", kRecordHint},
    {"Time (%),Total Time (ns)", "a table of 'nsys stats'", kReportHint},
    {"Start (ns),Duration (ns)", "a table of 'nsys stats'", kReportHint},
    {"Start (ns),End (ns),Duration (ns)", "a table of 'nsys stats'", kReportHint},
    {"NVTX Range,Style,PID", "a table of 'nsys stats'", kReportHint},
    {"Range,Style,Total Proj Time", "a table of 'nsys stats'", kReportHint},
    {"Name,Projected Start", "a table of 'nsys stats'", kReportHint},
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

Sniffed sniff_text(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    for (const Printed& printed : kPrinted)
        if (text.find(printed.words) != text.npos)
            return {Format::kOther, std::string(printed.what), std::string(printed.hint)};
    if (text.starts_with("<")) {
        const bool html = text.find("<html") != text.npos || text.find("<!DOCTYPE") != text.npos;
        return {Format::kOther, html ? "an HTML page" : "an XML document",
                html ? "the download may have failed: open it in a browser to see" : std::string(kTraceHint)};
    }
    if (std::count(line.begin(), line.end(), ',') >= 2)
        return {Format::kOther, "a CSV table", "a table holds no events: " + std::string(kTraceHint)};
    return {Format::kOther, "text, but no JSON", std::string(kTraceHint)};
}

}  // namespace

Sniffed sniff(std::string_view first) {
    if (looks_like_gzip(first)) return {Format::kGzip, {}, {}};
    if (first.starts_with("SQLite format 3")) return {Format::kSqlite, {}, {}};
    for (const Magic& magic : kMagic)
        if (first.size() > magic.offset && first.substr(magic.offset).starts_with(magic.bytes))
            return {Format::kOther, std::string(magic.what), std::string(magic.hint)};
    if (looks_like_tar(first)) return {Format::kTar, {}, {}};
    if (is_utf16(first))
        return {Format::kOther, "text in UTF-16",
                "convert it with 'iconv -f UTF-16 -t UTF-8 OLD > NEW' (a PowerShell '>' writes UTF-16)"};
    const std::string_view text = skip_space(first);
    if (is_pointer(text))
        return {Format::kOther, "a pointer of Git LFS or git-annex to a file that was not fetched",
                "fetch it with 'git lfs pull' ('git annex get' for git-annex)"};
    // Of TensorRT's trtexec --exportProfile.
    if (text.starts_with("[") && text.find("\"averageMs\"") != text.npos && text.find("\"ph\"") == text.npos)
        return {Format::kOther, "a table of TensorRT's times by layer (trtexec --exportProfile)",
                "it holds averages and no events: record with 'nsys profile trtexec ...'"};
    if (text.empty())
        return first.size() < kSniffBytes ? Sniffed{Format::kEmpty, {}, {}} : Sniffed{Format::kJson, {}, {}};
    if (text.starts_with("{'")) return sniff_text(text);
    if (text[0] == '{' || text[0] == '[') return {Format::kJson, {}, {}};
    if (is_text(first)) return sniff_text(text);
    // An ONNX or other protobuf file begins with a field of low number; onnx names its producer early.
    if (first.find("onnx") != first.npos || first.find("pytorch") != first.npos)
        return {Format::kOther, "a model (ONNX or other protobuf)",
                "models are not traces: " + std::string(kTraceHint)};
    return {Format::kOther, "binary data of a kind that Opsight does not know", std::string(kTraceHint)};
}

std::string foreign_profiler(std::string_view first) {
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    if (has("\"schemaVersion\"") || has("\"cpu_op\"") || has("\"deviceProperties\"")) return {};
    if (has("\"Session\"") && (has("model_loading") || has("session_initialization"))) return "ONNX Runtime";
    if (has("/job:") && has("process_name")) return "TensorFlow (timeline)";
    if (has("highres-ticks")) return "TensorFlow or JAX (trace viewer)";
    if (has("NEGOTIATE_")) return "Horovod (timeline)";
    return {};
}

}  // namespace opsight
