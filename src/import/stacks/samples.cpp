#include "import/stacks/samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "model/source_limits.h"

namespace opsight::importer::stacks {

Samples::Samples(const OneFile& file, ProfileBuilder& builder, int64_t most)
    : file_(file), builder_(builder), rank_(file.begin_rank(builder)), most_(most) {
    set_durations_only(builder_.info());
    builder_.info().sources.push_back(file.name);
}

Status Samples::add(const std::vector<std::string_view>& frames, int64_t count, TrackId thread,
                    const std::string& place) {
    if (count > most_ - clock_)
        return fail(
            fmt::format(
                "has more than {} samples: its numbers may be periods of perf's events, times or bytes",
                most_),
            file_.name, place,
            "give stacks with the number of samples of each; of perf: perf script -F -period | "
            "stackcollapse-perf.pl");
    std::string text;
    const size_t kept = std::min(frames.size(), kMostFrames);
    bool cut = false;
    for (size_t i = 0; i < kept; ++i) {
        const std::string_view name = cut_utf8(frames[i], kMostName);
        cut |= name.size() < frames[i].size();
        (text += i == 0 ? "" : "\n") += name.empty() ? "(no name)" : name;
    }
    if (cut || kept < frames.size())
        note(Diag::kCutText, fmt::format("{}: a stack of {} frames", place, frames.size()));
    const StringId stack = builder_.text(text);
    if (int64_t{stack.value} > newest_) {
        newest_ = stack.value;
        text_bytes_ += text.size();
    }
    if (text_bytes_ > kMostText)
        return fail("has stacks of more than 1 GiB of text", file_.name, place, "record for a shorter time");
    for (int64_t i = 0; i < count; ++i)
        builder_.add_sample(clock_++, thread, -1, stack);
    return {};
}

TrackId Samples::thread(int64_t pid, int64_t tid, std::string_view name) {
    const TrackId id = builder_.host_track(rank_, pid, tid);
    if (!name.empty()) builder_.track(id).name = builder_.text(name);
    return id;
}

void Samples::note(Diag diag, std::string text) {
    builder_.diagnostics().add(diag, {file_.name, -1, -1, std::move(text)});
}

}  // namespace opsight::importer::stacks
