#include "query/ask/definitions.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/ask/definitions_text.h"

namespace opsight::query {
namespace {

using Sections = std::array<std::string_view, 4>;  // those that are not empty

constexpr Sections kOps = {"Words of ops and layers", "Time of ops", "Work, bytes and bounds"};
constexpr Sections kKernels = {"Words of kernels", "Work, bytes and bounds"};
constexpr Sections kRoofline = {"Words of the roofline", "Work, bytes and bounds"};
constexpr Sections kMicroscope = {"Words of the microscope"};
constexpr Sections kCalls = {"Words of what some sources record"};
constexpr Sections kSamples = {"Words of counters and samples"};
constexpr Sections kCommunication = {"Words of communication"};
constexpr Sections kRanks = {"Words of ranks", "Words of communication"};

struct About {
    std::string_view table;
    Sections sections;
};
constexpr About kAbout[] = {
    {"summary", {"Words of the summary", "Range", "Devices and resources", "Tensor Cores"}},
    {"system", {"Words of the summary", "Words of tiles"}},
    {"work", {"Words of the summary", "Work, bytes and bounds"}},
    {"all_ops", {"Words of the summary"}},
    {"all_kernels", {"Words of the summary"}},
    {"detailed", kOps},
    {"iteration_ops", kOps},
    {"op_type", kOps},
    {"op_names", kOps},
    {"group_op", kOps},
    {"layers", kOps},
    {"op_stacks", {"Time of ops"}},
    {"tensor_core", {"Words of Tensor Core use", "Tensor Cores"}},
    {"kernel", kKernels},
    {"kernel_name", kKernels},
    {"ops_kernels", kKernels},
    {"kernels", kKernels},
    {"iteration", kKernels},
    {"iteration_op_kernels", kKernels},
    {"iteration_choice", {"Words of iterations", "Words of the summary", "Range"}},
    {"iterations", {"Words of iterations", "Words of the summary", "Range"}},
    {"devices", {"Words of devices", "Devices and resources"}},
    {"streams", {"Words of streams", "Devices and resources"}},
    {"ranges", {"Words of ranges", "Ranges"}},
    {"memory_allocators", {"Words of memory"}},
    {"memory_peak", {"Words of memory"}},
    {"peak_memory", {"Words of memory"}},
    {"communication", kCommunication},
    {"overlap", kCommunication},
    {"collectives", {"Words of communication", "Words of ranks"}},
    {"collective_calls", kRanks},
    {"collective_members", kRanks},
    {"groups", kRanks},
    {"ranks", kRanks},
    {"rank_iterations", kRanks},
    {"stragglers", kRanks},
    {"straggler_hosts", kRanks},
    {"rank_layers", kRanks},
    {"rank_path", kRanks},
    {"clocks", kRanks},
    {"roofline", kRoofline},
    {"roofline_shapes", kRoofline},
    {"roofline_layers", kRoofline},
    {"roofline_kernels", kRoofline},
    {"uncounted", kRoofline},
    {"roofline_ceilings", {"Words of ceilings"}},
    {"model_nodes", {"Words of the network", "Estimates of networks"}},
    {"diagnostics", {"Words of diagnostics"}},
    {"key_ops", {"Words of what can end iterations"}},
    {"expected_vs_measured", kRoofline},
    {"expected_vs_measured_ops", kRoofline},
    {"expected_vs_measured_layers", kRoofline},
    {"characterize_layers", kMicroscope},
    {"characterize_op_types", kMicroscope},
    {"characterize_kernels", kMicroscope},
    {"api", kCalls},
    {"copies", kCalls},
    {"migrations", kCalls},
    {"page_faults", kCalls},
    {"os_runtime", kCalls},
    {"file_access", kCalls},
    {"libraries", kCalls},
    {"messages", kCalls},
    {"counters", kSamples},
    {"cpu_samples", kSamples},
    {"scheduling", kSamples},
    {"critical_path", {"Words of the critical path"}},
};
constexpr std::string_view kEverywhere = "Words of all tables";

void remove(std::string& text, std::string_view part) {
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at))
        text.erase(at, part.size());
}

// A header without its unit, in small letters.
std::string word_of(std::string_view header) {
    constexpr std::string_view kStream = "Stream: ";
    if (header.starts_with(kStream)) header.remove_prefix(kStream.size());
    std::string word(header);
    for (const std::string_view unit :
         {" (ns)", " (bytes)", " (bytes/s)", " (Hz)", " (B)", " (FLOP/B)", " (1)"})
        remove(word, unit);
    for (size_t at = word.find("(%)"); at != word.npos; at = word.find("(%)"))
        word.replace(at, 3, "%");
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::string(text::trimmed(word));
}

// "total cpu time" is "cpu time": what is of one call and what of a row stands in the meaning.
std::string_view without_sum(std::string_view word) {
    for (const std::string_view sum :
         {"total ", "avg. ", "avg ", "average ", "min ", "max ", "median ", "p95 ", "mean "})
        if (word.starts_with(sum)) return word.substr(sum.size());
    return word;
}

using Words = std::map<std::string, std::string_view, std::less<>>;

// "Kernels, No. Kernels" and "FLOPs (counted)" are several words each.
void add(Words& words, const DefinedWords& row) {
    words.emplace(word_of(row.words), row.meaning);
    std::string names(row.words);
    for (size_t at = names.find("(%)"); at != names.npos; at = names.find("(%)"))
        names.replace(at, 3, "%");
    std::string_view rest = names;
    while (!rest.empty()) {
        const size_t end = std::min({rest.find(", "), rest.find("; "), rest.find(" ("), rest.size()});
        std::string_view name = rest.substr(0, end);
        if (name.ends_with(')') && name.find('(') == name.npos) name.remove_suffix(1);
        if (const std::string word = word_of(name); !word.empty()) words.emplace(word, row.meaning);
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
}

const std::map<std::string_view, Words>& sections() {
    static const auto read = [] {
        std::map<std::string_view, Words> all;
        for (const DefinedWords& row : kDefinitions)
            add(all[row.section], row);
        return all;
    }();
    return read;
}

std::string_view found_in(std::string_view section, std::string_view word) {
    const auto words = sections().find(section);
    if (words == sections().end()) return {};
    const auto found = words->second.find(word);
    return found == words->second.end() ? std::string_view() : found->second;
}

}  // namespace

std::string_view definition_of(std::string_view name, std::string_view header) {
    const auto* about = std::find_if(std::begin(kAbout), std::end(kAbout),
                                     [name](const About& each) { return each.table == name; });
    if (about == std::end(kAbout)) return {};
    const std::string word = word_of(header);
    for (const std::string_view asked : {std::string_view(word), without_sum(word)}) {
        for (const std::string_view section : about->sections)
            if (const std::string_view found = found_in(section, asked); !found.empty()) return found;
        if (const std::string_view found = found_in(kEverywhere, asked); !found.empty()) return found;
    }
    return {};
}

void describe(ResultTable& table) {
    for (Column& column : table.columns)
        column.description = definition_of(table.name, column.header);
}

}  // namespace opsight::query
