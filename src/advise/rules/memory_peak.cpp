#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"
#include "query/reports/advice_work.h"
#include "query/reports/memory.h"

namespace opsight::advise {
namespace {

double gb(int64_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}

int64_t known_bytes(const query::PeakMemory& peak) {
    int64_t known = 0;
    for (const query::MemoryHolder& each : peak.holders)
        known += each.bytes;
    return known;
}

std::string named(const query::MemoryHolder& holder) {
    return holder.direction.empty() ? holder.name : fmt::format("{} ({})", holder.name, holder.direction);
}

std::string holders_of(const query::PeakMemory& peak) {
    std::string list;
    for (size_t i = 0; i < std::min<size_t>(peak.holders.size(), 3); ++i)
        list += fmt::format("{} {:.2f} GB, ", named(peak.holders[i]), gb(peak.holders[i].bytes));
    return list + fmt::format("and {:.2f} GB of which nothing tells who asked for them",
                              gb(std::max<int64_t>(peak.bytes - known_bytes(peak), 0)));
}

// Whose most of it is, where that is known.
std::string most_of(const query::PeakMemory& peak) {
    const query::MemoryHolder& first = peak.holders[0];
    return first.bytes >= peak.bytes - known_bytes(peak)
               ? fmt::format("most of it of {}", named(first))
               : std::string("most of it asked for by what is not told, or before the recording");
}

// Of activations that are held until the backward pass: what it costs to make them again is known.
std::string cheap_to_make_again(const query::PeakMemory& peak, Context& c) {
    if (!c.facts().trains) return {};
    for (const query::MemoryHolder& each : peak.holders) {
        const double pct =
            100 * static_cast<double>(each.ns) / static_cast<double>(std::max<int64_t>(c.facts().wall_ns, 1));
        if (each.direction == "fprop" && each.ns > 0 && 10 * each.bytes >= peak.bytes &&
            pct < c.threshold("cheap"))
            return fmt::format(
                "What {} made takes {:.2f} GB, and its work only {} of the time: to compute it again in the "
                "backward pass (torch.utils.checkpoint) costs less than it looks.",
                each.name, gb(each.bytes), percent(pct));
    }
    return {};
}

// Whether so much is held that it matters; where memory ended it does.
bool matters(const query::PeakMemory& peak, Context& c) {
    const double part =
        peak.size > 0 ? 100 * static_cast<double>(peak.bytes) / static_cast<double>(peak.size) : 100;
    return gb(peak.bytes) >= c.threshold("gb") && part >= c.threshold("part");
}

std::string title_of(const query::PeakMemory& peak, const std::vector<std::string>& ends) {
    const std::string held = fmt::format(
        "t its peak {} holds {:.2f} GB{}, {}", peak.host ? "the host" : fmt::format("GPU {}", peak.device),
        gb(peak.bytes), peak.size > 0 ? fmt::format(" of {:.2f}", gb(peak.size)) : "", most_of(peak));
    if (ends.empty()) return "A" + held;
    return "O" + ends[0].substr(1) + "; a" + held;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const std::vector<std::string> ends, query::out_of_memory_notes(c.session()));
    const auto least = ends.empty() ? static_cast<int64_t>(c.threshold("gb") * 1e9) : int64_t{1};
    OPSIGHT_ASSIGN(const auto peaks, query::memory_at_peak(c.session(), least));
    for (const query::PeakMemory& peak : peaks) {
        if (peak.holders.empty() || (ends.empty() && !matters(peak, c))) continue;
        Finding finding{"memory_peak", ends.empty() ? "note" : "problem", title_of(peak, ends)};
        finding.evidence = fmt::format("Of rank {}: {}.", peak.rank, holders_of(peak));
        finding.advice = cheap_to_make_again(peak, c);
        finding.view = "memory";
        c.add(std::move(finding));
    }
    return {};
}

}  // namespace

Rule memory_peak_rule() {
    return {
        .id = "memory_peak",
        .looks_for = "what holds the memory at its peak, and activations that are cheap to compute again",
        .needs = "events of memory with addresses and totals, and the ops or call stacks that asked for it",
        .thresholds = {{"part", 70, "% of the device's memory", "below, there is no want of it"},
                       {"gb", 1, "GB", "less is hardly a want of memory where its size is not told"},
                       {"cheap", 3, "% of the wall clock",
                        "to compute again what takes less is hardly seen"}},
        .bound = "",
        .confidence = "high for who asked for it; what was held before the range is nobody's",
        .remedy = "Hold less, or compute it again.",
        .query =
            "SELECT device, bytes, total_allocated, time_ns FROM memory_events WHERE bytes > 0 ORDER "
            "BY total_allocated DESC, bytes DESC, time_ns, device LIMIT 20",
        .verify = "opsight advise AFTER.opsight --rule memory_peak",
        .source = "PyTorch, understanding CUDA memory usage; torch.utils.checkpoint",
        .lacks = [](const query::RunFacts& f) -> std::string {
            return f.memory_events ? "" : "no changes of memory were recorded";
        },
        .check = check,
    };
}

}  // namespace opsight::advise
