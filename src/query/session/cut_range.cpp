#include "query/session/cut_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "db/schema.h"
#include "query/session/sql.h"

namespace opsight::query {

ChosenIterations::ChosenIterations(const std::vector<CutIteration>& list, const Stretches& stretches) {
    for (const CutIteration& it : list) {
        const bool taken = std::any_of(stretches.begin(), stretches.end(), [&it](const auto& s) {
            return it.number >= s.first && it.number <= s.second;
        });
        if (!taken) continue;
        if (it.rank >= by_rank_.size()) by_rank_.resize(it.rank + size_t{1});
        by_rank_[it.rank].push_back({it.begin_ns, it.end_ns, it.number});
    }
    for (std::vector<Interval>& rank : by_rank_)
        std::sort(rank.begin(), rank.end(),
                  [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
}

const Interval* ChosenIterations::at(int64_t rank, int64_t time) const {
    if (static_cast<uint64_t>(rank) >= by_rank_.size()) return nullptr;
    const std::vector<Interval>& sorted = by_rank_[static_cast<size_t>(rank)];
    const auto after = std::upper_bound(sorted.begin(), sorted.end(), time,
                                        [](int64_t t, const Interval& i) { return t < i.begin_ns; });
    if (after == sorted.begin() || time >= std::prev(after)->end_ns) return nullptr;
    return &*std::prev(after);
}

ChosenIterations ChosenIterations::joined() const {
    ChosenIterations out;
    out.by_rank_.resize(by_rank_.size());
    for (size_t rank = 0; rank < by_rank_.size(); ++rank)
        for (const Interval& it : by_rank_[rank]) {
            std::vector<Interval>& to = out.by_rank_[rank];
            if (!to.empty() && to.back().end_ns >= it.begin_ns)
                to.back().end_ns = std::max(to.back().end_ns, it.end_ns);
            else
                to.push_back(it);
        }
    return out;
}

Interval ChosenIterations::bounds() const {
    Interval bounds{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    for (const std::vector<Interval>& rank : by_rank_)
        for (const Interval& it : rank) {
            bounds.begin_ns = std::min(bounds.begin_ns, it.begin_ns);
            bounds.end_ns = std::max(bounds.end_ns, it.end_ns);
        }
    return bounds;
}

namespace {

namespace sql = session::sql;

using RankIteration = std::pair<int64_t, int64_t>;

// Stored iterations (rank, number) that lie whole in the chosen ones, in order: their sums need no look at
// their instances.
Result<std::vector<RankIteration>> whole_iterations(duck::Connection& connection,
                                                    const ChosenIterations& chosen) {
    const ChosenIterations stretches = chosen.joined();
    OPSIGHT_ASSIGN(const duck::Rows stored, connection.query(sql::iteration_bounds));
    std::vector<RankIteration> whole;
    for (const auto& row : stored.rows) {
        const auto number = [&row](size_t i) { return std::get<int64_t>(row[i]); };
        const Interval* around = stretches.at(number(0), number(2));
        if (around && number(3) <= around->end_ns) whole.emplace_back(number(0), number(1));
    }
    return whole;
}

Status keep_whole_iterations(duck::Connection& connection, const std::vector<RankIteration>& whole) {
    using enum duck::Type;
    OPSIGHT_TRY(connection.execute(sql::whole_iterations));
    OPSIGHT_ASSIGN(duck::Appender to,
                   duck::Appender::create(connection, "temp", "whole_iterations", {kInteger, kInteger}));
    for (const auto& [rank, number] : whole) {
        *to.column<int32_t>(0) = static_cast<int32_t>(rank);
        *to.column<int32_t>(1) = static_cast<int32_t>(number);
        OPSIGHT_TRY(to.add(1));
    }
    return to.close();
}

// Whether the chosen iterations of rank 0 follow each other without a gap.
bool without_gap(const ChosenIterations& chosen) {
    const Interval bounds = chosen.bounds();
    const ChosenIterations stretches = chosen.joined();
    const Interval* first = stretches.at(0, bounds.begin_ns);
    return first && first->end_ns == bounds.end_ns;
}

// Whether the profile has nothing of another rank; ranks without a chosen iteration count too.
Result<bool> only_rank_0(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const duck::Rows other, connection.query(sql::other_ranks));
    return !std::get<bool>(other.rows.at(0)[0]);
}

}  // namespace

Result<CutFunction> select_cut_range(duck::Connection& connection, const ChosenIterations& chosen) {
    const Interval bounds = chosen.bounds();
    OPSIGHT_ASSIGN(const std::vector<RankIteration> whole, whole_iterations(connection, chosen));
    OPSIGHT_ASSIGN(const bool one_rank, only_rank_0(connection));
    OPSIGHT_TRY(keep_whole_iterations(connection, whole));
    // The connections of a database share its functions, so each range has one of its own.
    static std::atomic<int64_t> made = 0;
    const std::string number = fmt::format("cut_iteration_{}", made++);
    const auto held = std::make_shared<ChosenIterations>(chosen);
    OPSIGHT_TRY(connection.add_function(number, [held](int64_t rank, int64_t time) -> int64_t {
        const Interval* it = held->at(rank, time);
        return it ? it->number : -1;
    }));
    OPSIGHT_TRY(connection.execute(
        fmt::format("CREATE TEMP MACRO cut_number(rank, at_ns) AS {}(rank::BIGINT, at_ns)", number)));
    const bool simple = one_rank && without_gap(chosen);
    const bool one_run =
        one_rank && !whole.empty() && whole.back().second - whole.front().second + 1 == std::ssize(whole);
    for (const duck::Sql& file : {simple ? sql::cut_range_of_one_rank : sql::cut_range, sql::cut_stats})
        OPSIGHT_TRY(connection.execute(duck::Statement(file)
                                           .set("begin_ns", bounds.begin_ns)
                                           .set("end_ns", bounds.end_ns)
                                           .set("one_run", one_run)
                                           .set("first", whole.empty() ? 0 : whole.front().second)
                                           .set("last", whole.empty() ? -1 : whole.back().second)));
    OPSIGHT_TRY(connection.execute("INSERT INTO rest_stats " + db::op_stats_sql("rest_ops")));
    return CutFunction(held.get(), [held](void*) { held->clear(); });
}

}  // namespace opsight::query
