#include "query/compare/run_state.h"

#include <fmt/format.h>

#include <unordered_map>

#include "query/compare/sql.h"
#include "query/compare/statistics.h"
#include "query/reports/run_queue.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = compare::sql;

Status read_waits(Session& session, const std::vector<IterationShares>& samples, RunState& state) {
    state.calls = session.contents().calls;
    state.waits.assign(samples.size(), 0);
    state.waiting_ns.assign(samples.size(), 0);
    if (!state.calls) return {};
    const bool whole = samples.front().iteration == -1;
    std::unordered_map<int64_t, size_t> places;
    for (size_t i = 0; i < samples.size(); ++i)
        places.emplace(samples[i].iteration, i);
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::side_waits).set("rank", samples.front().rank)));
    for (const auto& row : rows.rows) {
        const auto found = places.find(integer(row[0], -1));
        if (!whole && found == places.end()) continue;
        const size_t place = whole ? 0 : found->second;
        state.waits[place] += integer(row[1]);
        state.waiting_ns[place] += integer(row[2]);
    }
    return {};
}

// Of the rank's devices the one that held most; where none tells, the host.
Status read_memory(Session& session, int64_t rank, RunState& state) {
    OPSIGHT_TRY(session.prepare(reports::sql::memory_held));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(duck::Statement(sql::side_memory).set("rank", rank)));
    for (const auto& row : rows.rows) {
        if (integer(row[1], -1) < 0) continue;
        state.memory_place = text(row[0]);
        state.memory_held = integer(row[1]);
        break;
    }
    return {};
}

Status read_clocks(Session& session, int64_t rank, RunState& state) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(duck::Statement(sql::side_clocks).set("rank", rank)));
    for (const auto& row : rows.rows)
        state.clocks[text(row[0])] = real(row[1]);
    return {};
}

Status read_run_queue(Session& session, RunState& state) {
    OPSIGHT_ASSIGN(const RunQueueWaits waits, run_queue_waits(session));
    if (!waits.recorded || waits.wall_ns <= 0) return {};
    state.run_queue_pct = 100.0 * static_cast<double>(waits.ns) / static_cast<double>(waits.wall_ns);
    return {};
}

}  // namespace

Result<RunState> read_run_state(Session& session, const std::vector<IterationShares>& samples) {
    RunState state;
    const int64_t rank = samples.front().rank;
    OPSIGHT_TRY(read_waits(session, samples, state));
    OPSIGHT_TRY(read_memory(session, rank, state));
    OPSIGHT_TRY(read_clocks(session, rank, state));
    OPSIGHT_TRY(read_run_queue(session, state));
    return state;
}

std::vector<std::string> other_clocks(const RunState& base, const RunState& next) {
    constexpr double kWorthSaying = 0.02;
    std::vector<std::string> out;
    for (const auto& [name, before] : base.clocks) {
        const auto found = next.clocks.find(name);
        if (found != next.clocks.end() && differs(before, found->second, kWorthSaying))
            out.push_back(
                fmt::format("{}: {:.4g} before, {:.4g} after, on average", name, before, found->second));
    }
    return out;
}

}  // namespace opsight::query
