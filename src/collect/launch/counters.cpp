#include "collect/launch/counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>
#include <vector>

#include "collect/counters.h"

namespace opsight::collect {
namespace {

std::string_view name_of(size_t slot) {
    return kCpuCounterFacts[slot].name;
}

// What the administrator set; empty where that cannot be read.
std::string permission() {
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    std::string level;
    return std::getline(file, level) ? "kernel.perf_event_paranoid is " + level : std::string();
}

bool has_pmu() {
    return std::ifstream("/sys/bus/event_source/devices/cpu/type").good() ||
           std::ifstream("/sys/bus/event_source/devices/cpu_core/type").good();
}

}  // namespace

Result<uint32_t> read_counters(const std::string& list) {
    if (list == "cpu") return kAllCounters;
    uint32_t wanted = 0;
    std::string_view rest = list;
    while (true) {
        const size_t end = std::min(rest.find(','), rest.size());
        const std::string_view name = rest.substr(0, end);
        const uint32_t before = wanted;
        for (size_t slot = 0; slot < kCpuCounters; ++slot)
            if (name_of(slot) == name) wanted |= slot_bit(slot);
        if (wanted == before) {
            std::vector<std::string_view> names;
            for (size_t slot = 0; slot < kCpuCounters; ++slot)
                names.push_back(name_of(slot));
            Error error;
            error.what =
                fmt::format("--counters {}: there is no counter \"{}\", or it is named twice", list, name);
            error.remedy =
                fmt::format("give cpu for all, or some of {} with commas between", fmt::join(names, ", "));
            error.exit_code = 2;
            return fail(std::move(error));
        }
        if (end == rest.size()) return wanted;
        rest.remove_prefix(end + 1);
    }
}

CounterAbility check_counters(uint32_t wanted) {
    CounterAbility ability;
    std::vector<std::string_view> here, only_user;
    std::map<std::string, std::vector<std::string_view>> missing;  // by why
    for (size_t slot = 0; slot < kCpuCounters; ++slot) {
        if (!(wanted & slot_bit(slot))) continue;
        const int problem = try_counter(static_cast<CpuCounter>(slot));
        if (problem < 0) {
            missing[why_no_counter(problem)].push_back(name_of(slot));
            continue;
        }
        ability.here |= slot_bit(slot);
        here.push_back(name_of(slot));
        if (problem == kOnlyUser && kCpuCounterFacts[slot].group == CounterGroup::kSoftware)
            only_user.push_back(name_of(slot));
    }
    ability.detail = here.empty() ? "none" : fmt::format("{}", fmt::join(here, ", "));
    if (!only_user.empty())
        ability.detail += fmt::format(" ({} without what happens in the kernel)", fmt::join(only_user, ", "));
    for (const auto& [why, names] : missing)
        ability.detail += fmt::format("; not {}: {}", fmt::join(names, ", "), why);
    if (!missing.empty() && !has_pmu())
        ability.detail += "; no counting unit (PMU) of the processor is visible, as in many virtual machines";
    if (const std::string level = permission(); !missing.empty() && !level.empty())
        ability.detail += "; " + level;
    return ability;
}

}  // namespace opsight::collect
