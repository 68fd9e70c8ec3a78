#include "import/stacks/folded.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "import/stacks/samples.h"
#include "import/text/line_reader.h"
#include "import/text/repair_line.h"

namespace opsight::importer::stacks {

bool read_folded(std::string_view line, std::vector<std::string_view>& frames, int64_t& count) {
    const size_t blank = line.find_last_of(" \t");
    if (blank == line.npos || blank == 0) return false;
    const std::string_view number = line.substr(blank + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc() || end != number.data() + number.size() || count < 0) return false;
    frames.clear();
    for (std::string_view stack = line.substr(0, blank);;) {
        const size_t between = stack.find(';');
        frames.push_back(stack.substr(0, between));
        if (between == stack.npos) break;
        stack.remove_prefix(between + 1);
    }
    std::reverse(frames.begin(), frames.end());
    return true;
}

namespace {

// "main 2" of "main 2 1".
bool ends_in_number(std::string_view frame) {
    const size_t blank = frame.find_last_of(" \t");
    return blank != frame.npos && blank + 1 < frame.size() &&
           frame.find_first_not_of("0123456789", blank + 1) == frame.npos;
}

}  // namespace

Result<ImportFacts> import_folded(const OneFile& file, ProfileBuilder& builder, int64_t most) {
    Samples samples(file, builder, most);
    const TrackId thread = samples.thread(0, 0, "all threads");
    LineReader lines(file.source);
    std::string line;
    std::vector<std::string_view> frames;
    int64_t count = 0, stacks = 0, twice = 0;
    for (;;) {
        line.clear();
        OPSIGHT_ASSIGN(const bool any, lines.next(line));
        if (!any) break;
        const std::string place = fmt::format("line {}", lines.number());
        if (repair_line(line)) samples.note(Diag::kUncleanText, place);
        if (line.find_first_not_of(" \t") == line.npos) continue;
        if (line.starts_with("# austin"))
            return fail("is output of Austin, whose numbers are times", file.name, place,
                        "make a profile of it with 'austin2pprof', and give that");
        if (read_folded(line, frames, count)) {
            ++stacks;
            twice += ends_in_number(frames.front());
            OPSIGHT_TRY(samples.add(frames, count, thread, place));
        } else {
            samples.note(Diag::kUnreadRow, fmt::format("{}: {}", place, line.substr(0, 80)));
        }
        file.tell_progress();
    }
    if (stacks > 0 && twice == stacks)
        return fail("has two numbers of each stack, as difffolded.pl writes them: before and after",
                    file.name, {},
                    "give the folded stacks of each recording, and 'opsight compare' their profiles");
    if (samples.count() == 0)
        return fail("holds stacks without a sample", file.name, {}, "record again, for a longer time");
    file.note_damage(builder);
    builder.info().producer = "folded stacks";
    return ImportFacts{1, lines.bytes(), samples.count()};
}

}  // namespace opsight::importer::stacks
