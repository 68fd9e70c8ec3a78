// The table and view of counters of the processor.
#include "base/cpu_counters.h"
#include "db/schema.h"
#include "db/view_parts.h"

namespace opsight::db {
namespace {

using enum duck::Type;

constexpr std::string_view kTimes[] = {"core_enabled_ns",   "core_running_ns",  "l1_enabled_ns",
                                       "l1_running_ns",     "llc_enabled_ns",   "llc_running_ns",
                                       "branch_enabled_ns", "branch_running_ns"};
static_assert(kCpuCounters + std::size(kTimes) == kCounterSlots);

constexpr std::string_view kMeaning[kCpuCounters] = {
    "that the thread was on a CPU",
    "page faults, minor and major",
    "times that the thread left its CPU",
    "cycles of the CPU in the program's own code",
    "instructions of the program's own code",
    "cycles without an instruction to begin",
    "cycles in which begun instructions waited",
    "loads from the first level of the data cache",
    "of them those that it did not hold",
    "stores to it",
    "loads from the last level of cache",
    "of them those that it did not hold",
    "branches",
    "of them those that were predicted wrongly",
};

std::string_view unit_of(std::string_view name) {
    return name.ends_with("_ns") ? "ns" : "";
}

}  // namespace

std::string_view counter_column(size_t slot) {
    return slot < kCpuCounters ? kCpuCounterFacts[slot].name : kTimes[slot - kCpuCounters];
}

Table op_counters_table() {
    Table table{
        "op_counters",
        "What counters of the processor counted in the self time of ops, as read; -1: not known. Only "
        "ops of recordings with --counters.",
        {{"id", kInteger, "", "ops.id"}}};
    for (size_t slot = 0; slot < kCpuCounters; ++slot)
        table.columns.push_back(
            {counter_column(slot), kBigint, unit_of(counter_column(slot)), kMeaning[slot]});
    for (size_t i = 0; i < std::size(kTimes); ++i)
        table.columns.push_back({kTimes[i], kBigint, "ns",
                                 i % 2 == 0 ? "time in which this group of counters was to count"
                                            : "time in which it did: groups take turns"});
    return table;
}

// A count of a part of the time, scaled to all of it.
std::string scaled_counter(std::string_view table, size_t slot) {
    const std::string value = fmt::format("{}.{}", table, counter_column(slot));
    const CounterGroup group = kCpuCounterFacts[slot].group;
    if (group == CounterGroup::kSoftware) return known(value);
    const std::string enabled = fmt::format("{}.{}", table, counter_column(enabled_slot(group))),
                      running = fmt::format("{}.{}", table, counter_column(running_slot(group)));
    return fmt::format(
        "CASE WHEN {0} < 0 OR {1} < 0 THEN NULL WHEN {1} = {2} THEN {0} WHEN {2} > 0 THEN "
        "{0}::DOUBLE * {1} / {2} END",
        value, enabled, running);
}

std::vector<View> counter_views() {
    View view{
        "op_counters",
        "What counters of the processor counted in the self time of ops, in the thread of the op. A count of "
        "a part of the time is scaled to all of it.",
        {{"id", kInteger, "", "ops.id", "c.id"},
         {"name", kVarchar, "", "op", "i.name"},
         {"layer", kVarchar, "", "path of the layer", "l.path"},
         {"direction", kVarchar, "", "fprop, bprop, optimizer, dataload or other",
          direction_text("i.direction")},
         {"iteration", kInteger, "", "iteration that it belongs to", known("o.iteration")},
         {"self_ns", kBigint, "ns", "duration minus child ops", "o.self_ns"}},
        "raw.op_counters c JOIN raw.ops o ON o.id = c.id LEFT JOIN raw.op_identities i ON i.id = o.op LEFT "
        "JOIN raw.layers l ON l.id = i.layer"};
    for (size_t slot = 0; slot < kCpuCounters; ++slot)
        view.columns.push_back({counter_column(slot), kDouble, unit_of(counter_column(slot)), kMeaning[slot],
                                scaled_counter("c", slot)});
    return {view};
}

}  // namespace opsight::db
