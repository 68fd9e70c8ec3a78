#include "import/ncu/reader.h"

#include <algorithm>

#include "import/ncu/importer.h"
#include "import/ncu/table.h"

namespace opsight::importer::ncu {
namespace {

// Before the table stand the log, with a line for each launch, and what the program printed.
constexpr size_t kLogBytes = size_t{1} << 20;

using LineTest = bool (*)(std::string_view line);

// Whether a line of the text begins so.
bool has_line(std::string_view text, LineTest test) {
    while (!text.empty()) {
        if (test(text)) return true;
        const size_t end = text.find('\n');
        if (end == text.npos) break;
        text.remove_prefix(end + 1);
    }
    return false;
}

Claim sniff(const Head& head) {
    if (has_line(head.first(), starts_table)) return Claim::kCertain;
    const bool has_log =
        has_line(head.first(), [](std::string_view line) { return line.starts_with("==PROF=="); });
    if (!has_log) return Claim::kNone;
    if (has_line(head.first(kLogBytes), starts_table)) return Claim::kCertain;
    return head.found() ? Claim::kNone : Claim::kPossible;
}

// Its kernels have no place on the time line of another recording.
std::string left_out(const std::string&, std::span<const std::string> beside) {
    for (const std::string& other : beside)
        for (const std::string_view ending : {".json", ".json.gz", ".sqlite", ".nsys-rep", ".opcap"})
            if (other.ends_with(ending))
                return "is a table of Nsight Compute; it is read by itself, not beside " + other;
    return {};
}

}  // namespace

Reader table_reader() {
    return {.name = "tables of Nsight Compute",
            .description =
                "what 'ncu --csv' printed, of the pages raw and details, and of --print-summary: kernels and "
                "their counters",
            .endings = {".csv"},
            .sniff = sniff,
            .read = read_one<import_table>,
            .left_out = left_out};
}

}  // namespace opsight::importer::ncu
