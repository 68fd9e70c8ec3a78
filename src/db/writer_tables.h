// What goes into each table: a list of fills, each for one table and a known number of rows.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "analyze/results.h"
#include "db/table_writer.h"
#include "model/profile.h"

namespace opsight::db {

struct TableFill {
    std::string_view table;
    size_t rows;
    std::function<void(TableWriter&)> fill;  // puts one batch
};

// Rows of Profile::host by the table that they go to, and what is derived on the way.
struct WritePlan {
    const Profile& profile;
    const Analysis& analysis;
    std::vector<uint32_t> ops, api_calls, python_frames, module_calls, annotations, other_spans;
    std::vector<uint32_t> op_extras;      // ops with a module path, a stack or a collective
    std::vector<uint32_t> strings;        // texts that spans refer to
    std::vector<uint8_t> device_flags;    // SpanFlags and those below
    std::vector<int32_t> op_work_device;  // beside Analysis::op_work
    std::vector<std::pair<std::string, std::string>> meta;

    static constexpr uint8_t kFirstOfLaunch = 64;  // its call's time counts with this span and no other
    static constexpr uint8_t kInEligibleOp = 128;
    static constexpr int32_t kSeveralDevices = -2;
    WritePlan(const Profile& profile, const Analysis& analysis);
};

// Host spans whose detail is the StringId of a category.
constexpr bool has_category(HostKind kind) {
    return kind == HostKind::kOther || kind == HostKind::kMessagePassing || kind == HostKind::kLibrary ||
           kind == HostKind::kOsRuntime;
}

std::vector<TableFill> small_table_fills(const WritePlan& plan);
std::vector<TableFill> span_table_fills(const WritePlan& plan);

}  // namespace opsight::db
