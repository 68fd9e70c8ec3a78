#include "import/stacks/samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/text/clean_text.h"
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
        return fail(fmt::format("has more than {} samples: its numbers may be times or bytes", most_),
                    file_.name, place, "give stacks with the number of samples of each");
    std::string text;
    const size_t kept = std::min(frames.size(), kMostFrames);
    for (size_t i = 0; i < kept; ++i)
        (text += i == 0 ? "" : "\n") += frames[i].empty() ? "(no name)" : frames[i];
    if (kept < frames.size())
        note(Diag::kCutText, fmt::format("{}: a stack of {} frames", place, frames.size()));
    const StringId stack = builder_.text(text);
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
