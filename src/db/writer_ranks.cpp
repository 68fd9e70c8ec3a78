// Tables of ranks together.
#include "db/writer_tables.h"

namespace opsight::db {
namespace {

TableFill clocks(const WritePlan& plan) {
    return {"rank_clocks", plan.ranks.clocks.size(), [&rows = plan.ranks.clocks](TableWriter& out) {
                out.put<int32_t>("rank", [](size_t i) { return i; });
                out.put<int32_t>("clock", [&](size_t i) { return rows[i].clock; });
                out.put<bool>("corrected", [&](size_t i) { return rows[i].corrected; });
                out.put<int64_t>("offset_ns", [&](size_t i) { return rows[i].offset_ns; });
                out.put<double>("drift_ppm", [&](size_t i) { return rows[i].drift * 1e6; });
                out.put<int64_t>("error_ns", [&](size_t i) { return rows[i].error_ns; });
                out.put<int64_t>("collectives", [&](size_t i) { return rows[i].collectives; });
                out.put<int64_t>("broken_before", [&](size_t i) { return rows[i].broken_before; });
                out.put<int64_t>("broken_after", [&](size_t i) { return rows[i].broken_after; });
            }};
}

TableFill groups(const WritePlan& plan) {
    return {"comm_groups", plan.ranks.groups.size(),
            [&rows = plan.ranks.groups, &pool = plan.profile.strings](TableWriter& out) {
                out.put<int32_t>("id", [](size_t i) { return i; });
                out.put_text("name", [&](size_t i) { return pool.view(rows[i].name); });
                out.put_text("description", [&](size_t i) { return pool.view(rows[i].description); });
                out.put_text("ranks", [&](size_t i) { return pool.view(rows[i].ranks); });
                out.put_text("collective", [&](size_t i) {
                    const bool told = rows[i].name.value != 0 || rows[i].ranks.value != 0;
                    return told ? std::string_view() : analyze::kind_word(rows[i].of);
                });
                out.put<int64_t>("size", [&](size_t i) { return rows[i].size; });
                out.put<int64_t>("recorded", [&](size_t i) { return rows[i].recorded; });
                out.put<int8_t>("kind", [&](size_t i) { return static_cast<int8_t>(rows[i].kind); });
                out.put_text("evidence", [&](size_t i) { return std::string_view(rows[i].evidence); });
                out.put<bool>("on_host", [&](size_t i) { return rows[i].on_host; });
                out.put_text("link", [&](size_t i) { return std::string_view(rows[i].link); });
                out.put<double>("link_bytes_per_s", [&](size_t i) { return rows[i].link_bytes_per_s; });
            }};
}

TableFill calls(const WritePlan& plan) {
    return {"collective_calls", plan.ranks.calls.size(),
            [&rows = plan.ranks.calls, &pool = plan.profile.strings](TableWriter& out) {
                out.put<int32_t>("id", [](size_t i) { return i; });
                out.put<int32_t>("comm_group", [&](size_t i) { return rows[i].group; });
                out.put_text("name", [&](size_t i) { return pool.view(rows[i].name); });
                out.put<int32_t>("kernel", [&](size_t i) { return rows[i].kernel.value; });
                out.put<int32_t>("collective", [&](size_t i) { return rows[i].told.value; });
                out.put<int64_t>("bytes", [&](size_t i) { return rows[i].bytes; });
                out.put<int64_t>("ranks", [&](size_t i) { return rows[i].ranks; });
                out.put<int32_t>("members", [&](size_t i) { return rows[i].count; });
                out.put<int8_t>("state", [&](size_t i) { return static_cast<int8_t>(rows[i].state); });
                out.put<int64_t>("first_begin_ns", [&](size_t i) { return rows[i].first_begin; });
                out.put<int64_t>("last_begin_ns", [&](size_t i) { return rows[i].last_begin; });
                out.put<int64_t>("end_ns", [&](size_t i) { return rows[i].end; });
                out.put<int64_t>("transfer_ns", [&](size_t i) { return rows[i].transfer_ns; });
                out.put<int64_t>("waiting_ns", [&](size_t i) { return rows[i].waiting_ns; });
                out.put<int32_t>("last_rank", [&](size_t i) { return rows[i].last.value; });
                out.put<int8_t>("cause", [&](size_t i) {
                    return rows[i].cause_ns > 0 ? static_cast<int8_t>(rows[i].cause) : int8_t{-1};
                });
                out.put<int64_t>("cause_ns", [&](size_t i) { return rows[i].cause_ns; });
                out.put<int32_t>("cause_op", [&](size_t i) { return rows[i].cause_op.value; });
            }};
}

TableFill members(const WritePlan& plan) {
    return {
        "collective_members", plan.ranks.members.size(), [&plan](TableWriter& out) {
            const std::vector<analyze::CollectiveMember>& rows = plan.ranks.members;
            const auto on_host = [&](size_t i) {
                return plan.ranks.groups[plan.ranks.calls[rows[i].call].group].on_host;
            };
            out.put<int32_t>("call", [&](size_t i) { return rows[i].call; });
            out.put<int32_t>("rank", [&](size_t i) { return rows[i].rank.value; });
            out.put<int32_t>("track", [&](size_t i) {
                return (on_host(i) ? plan.profile.host.track : plan.profile.device.track)[rows[i].row].value;
            });
            out.put<int32_t>("device_span", [&](size_t i) { return on_host(i) ? UINT32_MAX : rows[i].row; });
            out.put<int32_t>("host_span", [&](size_t i) { return on_host(i) ? rows[i].row : UINT32_MAX; });
            out.put<int64_t>("begin_ns", [&](size_t i) { return rows[i].begin; });
            out.put<int64_t>("dur_ns", [&](size_t i) { return rows[i].dur; });
            out.put<int64_t>("waiting_ns", [&](size_t i) { return rows[i].waiting_ns; });
            out.put<int64_t>("exposed_ns", [&](size_t i) { return rows[i].exposed_ns; });
            out.put<int64_t>("exposed_waiting_ns", [&](size_t i) { return rows[i].exposed_waiting_ns; });
        }};
}

TableFill pauses(const WritePlan& plan) {
    return {"recording_pauses", plan.profile.pauses.size(), [&rows = plan.profile.pauses](TableWriter& out) {
                out.put<int32_t>("rank", [&](size_t i) { return rows[i].rank.value; });
                out.put<int64_t>("begin_ns", [&](size_t i) { return rows[i].begin; });
                out.put<int64_t>("end_ns", [&](size_t i) { return rows[i].end; });
            }};
}

}  // namespace

std::vector<TableFill> rank_table_fills(const WritePlan& plan) {
    return {clocks(plan), groups(plan), calls(plan), members(plan), pauses(plan)};
}

}  // namespace opsight::db
