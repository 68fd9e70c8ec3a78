// What goes into each table: a list of fills, each for one table and a known number of rows.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "analyze/ranks/facts.h"
#include "analyze/results.h"
#include "db/table_writer.h"
#include "model/profile.h"

namespace opsight::db {

struct TableFill {
    std::string_view table;
    size_t rows;
    std::function<void(TableWriter&)> fill;  // puts one batch
};

// Rows of Profile::host by the table that they go to, and which texts go with them.
struct WritePlan {
    const Profile& profile;
    const analyze::Analysis& analysis;
    std::vector<uint32_t> ops, api_calls, python_frames, module_calls, annotations, other_spans;
    std::vector<uint32_t> op_extras;  // ops with a module path, a stack or a collective
    std::vector<uint32_t> strings;    // texts that spans refer to
    std::vector<std::pair<std::string, std::string>> meta;

    // Worked out here, for nothing but these tables is made of them.
    analyze::RankFacts ranks;
    OpCounters self_counters;

    WritePlan(const Profile& profile, const analyze::Analysis& analysis,
              const std::vector<analyze::RankClock>* clocks = nullptr);
};

// Host spans whose detail is the StringId of a category.
constexpr bool has_category(HostKind kind) {
    return kind == HostKind::kOther || kind == HostKind::kMessagePassing || kind == HostKind::kLibrary ||
           kind == HostKind::kOsRuntime;
}

std::vector<TableFill> small_table_fills(const WritePlan& plan);
std::vector<TableFill> rank_table_fills(const WritePlan& plan);
std::vector<TableFill> span_table_fills(const WritePlan& plan);

}  // namespace opsight::db
