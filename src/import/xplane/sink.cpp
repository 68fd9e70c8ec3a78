#include "import/xplane/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "import/text/clean_text.h"

namespace opsight::importer::xplane {

StringId Sink::text(std::string_view raw) {
    if (is_clean(raw)) return builder.text(raw);
    std::string repaired(raw);
    clean_text(repaired);
    note(Diag::kUncleanText, repaired);
    return builder.text(repaired);
}

void Sink::note(Diag diag, std::string_view what, int64_t time) {
    Diagnostics& diagnostics = builder.diagnostics();
    diagnostics.add(diag, diagnostics.wants_place(diag) ? DiagOccurrence{file_, -1, time, std::string(what)}
                                                        : DiagOccurrence{});
}

bool Sink::is_usable(Unusable why, const Event& event) {
    switch (why) {
        case Unusable::kNo:
            break;
        case Unusable::kNegative:
            note(Diag::kNegativeDuration, event.name);
            break;
        case Unusable::kDamaged:
            note(Diag::kBadEvent, "a damaged message");
            return false;
        case Unusable::kBadTime:
            note(Diag::kBadTime, event.name);
            return false;
        case Unusable::kSum:
            note(Diag::kUnreadRow, event.name);
            return false;
    }
    ++events;
    latest = std::max(latest, event.begin);
    return true;
}

void Sink::add_steps() {
    const auto most = std::max_element(device_steps.begin(), device_steps.end(),
                                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const bool has_line = most != device_steps.end() && !most->empty();
    const bool of_device = has_line && (has_tpu || host_steps.empty());
    for (const Step& step : host_steps) {
        HostSpan span{step.begin, step.dur, step.track, text(step.name), HostKind::kAnnotation, 0};
        if (!of_device)
            span.name = builder.text(fmt::format("Step #{} ({})", step.number, builder.view(span.name)));
        builder.add_host(span);
    }
    if (!has_line && host_steps.empty()) add_runs();
    if (!of_device) return;
    const TrackId track = builder.other_track(rank, "XLA", "Steps");
    for (const Step& step : *most)
        builder.add_host({step.begin, step.dur, track, builder.text(fmt::format("Step #{}", step.number)),
                          HostKind::kAnnotation, 0});
}

void Sink::add_runs() {
    std::map<std::string, std::pair<int64_t, int64_t>> sums;  // time and number of runs
    const auto runs = std::find_if(program_runs.begin(), program_runs.end(),
                                   [](const std::vector<Step>& each) { return each.size() > 1; });
    if (runs == program_runs.end()) return;
    for (const Step& run : *runs) {
        sums[run.name].first += run.dur;
        ++sums[run.name].second;
    }
    const auto most = std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
        return a.second.first < b.second.first;
    });
    if (most->second.second < 2) return;
    const TrackId track = builder.other_track(rank, "XLA", "Runs of the program");
    int64_t number = 0;
    for (const Step& run : *runs)
        if (run.name == most->first)
            builder.add_host({run.begin, run.dur, track,
                              text(fmt::format("Step #{} (run of {})", number++, run.name)),
                              HostKind::kAnnotation, 0});
}

}  // namespace opsight::importer::xplane
