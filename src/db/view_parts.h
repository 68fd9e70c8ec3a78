// Parts that views share.
#pragma once

#include <fmt/format.h>

#include "db/schema.h"

namespace opsight::db {

inline std::string known(std::string_view column) {
    return fmt::format("nullif({}, -1)", column);
}
inline std::string filled(std::string_view column) {
    return fmt::format("nullif({}, '')", column);
}

// Where and when a host span ran; `s` is the table of spans, `t` its track, `r` its rank.
inline std::vector<Column> host_columns() {
    return {
        {"rank", duck::Type::kBigint, "", "rank in its job", "r.number"},
        {"pid", duck::Type::kBigint, "", "process id", "t.pid"},
        {"tid", duck::Type::kBigint, "", "thread id", "t.tid"},
        {"track", duck::Type::kInteger, "", "tracks.id", "s.track"},
        {"begin_ns", duck::Type::kBigint, "ns", "begin", "s.begin_ns"},
        {"dur_ns", duck::Type::kBigint, "ns", "duration", "s.dur_ns"},
        {"end_ns", duck::Type::kBigint, "ns", "end", "s.begin_ns + s.dur_ns"},
        {"depth", duck::Type::kSmallint, "", "nesting depth on its thread", "s.depth"},
    };
}
inline std::string host_source(std::string_view table) {
    return fmt::format("raw.{} s JOIN raw.tracks t ON t.id = s.track LEFT JOIN raw.ranks r ON r.id = t.rank",
                       table);
}
inline const Column kIterationColumn = {"iteration", duck::Type::kInteger, "", "iteration that it belongs to",
                                        known("s.iteration")};
inline const Column kUnfinishedColumn = {"unfinished", duck::Type::kBoolean, "",
                                         "no end in the source; ended with the profile",
                                         "(s.flags & 1) <> 0"};
inline const Column kCallChain = {"call_chain", duck::Type::kVarchar, "",
                                  "what called it, from the call outwards, one function a line", "cx.text"};
inline constexpr const char* kChainSource =
    " LEFT JOIN raw.call_chains cc ON cc.id = s.id LEFT JOIN raw.strings cx ON cx.id = cc.stack";

inline std::vector<Column> join(std::initializer_list<std::vector<Column>> parts) {
    std::vector<Column> out;
    for (const auto& part : parts)
        out.insert(out.end(), part.begin(), part.end());
    return out;
}

Table stream_stats_table();

Table op_counters_table();
std::vector<View> counter_views();

// Views of what only some sources tell.
std::vector<View> source_views();
std::vector<View> stream_views();
std::vector<Table> work_tables();
std::vector<View> work_views();
// Ranks together: clocks, groups, collectives.
std::vector<Table> rank_tables();
std::vector<View> rank_views();
// A network's file and what ran of it.
std::vector<Table> model_tables();
std::vector<View> model_views();

}  // namespace opsight::db
