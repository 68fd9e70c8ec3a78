#include "import/stacks/reader.h"

#include <algorithm>

#include "import/protobuf/fields.h"
#include "import/stacks/folded.h"
#include "import/stacks/pprof.h"
#include "import/stacks/samples.h"

namespace opsight::importer::stacks {
namespace {

using protobuf::Field;
using protobuf::Fields;

// Every line that can be seen is one, and one of them has several functions. With some lines of something
// else between, as a tool's warnings, it may still be.
Claim sniff_folded(const Head& head) {
    std::string_view text = head.first();
    if (text.find('\0') != text.npos) return Claim::kNone;
    const bool all = text.size() < Head::kBytes;
    std::vector<std::string_view> frames;
    int64_t count = 0;
    int64_t deep = 0, others = 0;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        if (end == text.npos && !all && deep > 0) break;  // cut by the head
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.starts_with('#')) continue;
        const bool is_stack = read_folded(line, frames, count);
        others += !is_stack;
        deep += is_stack && frames.size() > 1;
    }
    constexpr int64_t kStacksForEachOther = 4;
    if (deep == 0 || deep < kStacksForEachOther * others) return Claim::kNone;
    return others == 0 ? Claim::kCertain : Claim::kPossible;
}

// Whether it is two numbers of texts: what kind of value, and its unit.
bool is_value_type(std::string_view message) {
    bool type = false;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.type != Field::Type::kVarint || field.number > 2) return false;
        type |= field.number == 1;
    }
    return type && !fields.is_damaged();
}

// Of the fields of a profile behind the first.
bool is_field_of_profile(const Field& field) {
    constexpr int kMessages[] = {2, 3, 4, 5, 6, 11};
    const bool message =
        std::find(std::begin(kMessages), std::end(kMessages), field.number) != std::end(kMessages);
    if (field.number == 1) return field.type == Field::Type::kBytes && is_value_type(field.bytes);
    if (message) return field.type == Field::Type::kBytes;
    return field.number <= 15 && (field.type == Field::Type::kVarint || field.number == 13);
}

// A profile tells its values first.
Claim sniff_pprof(const Head& head) {
    Fields fields(head.first());
    int seen = 0;
    bool behind = false;
    for (Field field; fields.next(field); ++seen) {
        if ((seen == 0 && field.number != 1) || !is_field_of_profile(field)) return Claim::kNone;
        behind |= field.number != 1;
    }
    return behind ? Claim::kCertain : Claim::kNone;
}

Result<ImportFacts> folded(const OneFile& file, ProfileBuilder& builder) {
    return import_folded(file, builder, kMostSamples);
}
Result<ImportFacts> pprof(const OneFile& file, ProfileBuilder& builder) {
    return import_pprof(file, builder, kMostSamples);
}

// Samples without times have no place on the time line of another recording.
std::string left_out(const std::string& path, std::span<const std::string> beside) {
    for (const std::string& other : beside)
        for (const std::string_view ending :
             {".json", ".json.gz", ".sqlite", ".nsys-rep", ".opcap", ".pftrace"})
            if (other != path && other.ends_with(ending))
                return "has samples without times; it is read by itself, not beside " + other;
    return {};
}

}  // namespace

Reader folded_reader() {
    return {.name = "folded stacks",
            .description =
                "lines 'main;f;g 42' of stackcollapse-perf.pl, 'py-spy record --format raw' and others: "
                "samples of CPUs",
            .endings = {".collapsed", ".folded"},
            .sniff = sniff_folded,
            .read = read_one<folded>,
            .left_out = left_out};
}

Reader pprof_reader() {
    return {.name = "CPU profiles of pprof",
            .description =
                "profile.proto, gzipped or not, of Go, gperftools, perf_to_profile, austin2pprof and others",
            .endings = {".pprof"},
            .sniff = sniff_pprof,
            .read = read_one<pprof>,
            .left_out = left_out};
}

}  // namespace opsight::importer::stacks
