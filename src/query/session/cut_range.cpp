#include "query/session/cut_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "db/schema.h"

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

using RankIteration = std::pair<int64_t, int64_t>;

// Stored iterations (rank, number) that lie whole in the chosen ones, in order: their sums need no look at
// their instances.
Result<std::vector<RankIteration>> whole_iterations(duck::Connection& connection,
                                                    const ChosenIterations& chosen) {
    const ChosenIterations stretches = chosen.joined();
    OPSIGHT_ASSIGN(
        const duck::Rows stored,
        connection.query("SELECT rank, number, begin_ns, end_ns FROM raw.iterations ORDER BY ALL"));
    std::vector<RankIteration> whole;
    for (const auto& row : stored.rows) {
        const auto number = [&row](size_t i) { return std::get<int64_t>(row[i]); };
        const Interval* around = stretches.at(number(0), number(2));
        if (around && number(3) <= around->end_ns) whole.emplace_back(number(0), number(1));
    }
    return whole;
}

// Conditions for "in a whole iteration" and "in none". One run of numbers on the only rank, which is the
// usual case, needs no join and spares even reading the column.
struct WholeFilter {
    std::string inside, outside;
};

Result<WholeFilter> filter_of(duck::Connection& connection, const std::vector<RankIteration>& whole,
                              bool one_rank) {
    if (whole.empty()) return WholeFilter{"WHERE false", ""};
    const int64_t first = whole.front().second, last = whole.back().second;
    if (one_rank && last - first + 1 == static_cast<int64_t>(whole.size()))
        return WholeFilter{fmt::format("WHERE s.iteration BETWEEN {} AND {}", first, last),
                           fmt::format(" AND (a.iteration < {} OR a.iteration > {})", first, last)};
    std::string values;
    for (const auto& [rank, number] : whole)
        values += fmt::format("{}({}, {})", values.empty() ? "" : ", ", rank, number);
    OPSIGHT_TRY(
        connection.execute("CREATE TEMP TABLE whole_iterations (rank INTEGER, iteration INTEGER);"
                           "INSERT INTO whole_iterations VALUES " +
                           values));
    return WholeFilter{"SEMI JOIN whole_iterations w ON w.rank = s.rank AND w.iteration = s.iteration",
                       " AND NOT EXISTS (FROM whole_iterations w WHERE w.rank = t.rank AND "
                       "w.iteration = a.iteration)"};
}

// Rows of a raw table with the number of their chosen iteration, which `time` falls into. Where the bounds
// alone tell what is chosen, the number is worked out only if somebody asks for it.
std::string chosen_rows(std::string_view number, std::string_view table, std::string_view time,
                        const Interval& bounds, bool bounds_tell) {
    const char* place = table == "device_spans" ? "a.rowid AS place, " : "";
    if (bounds_tell)
        return fmt::format(
            "SELECT {5}a.* REPLACE ({4}(0, a.{1})::INTEGER AS iteration) FROM raw.{0} a "
            "WHERE a.{1} >= {2} AND a.{1} < {3}",
            table, time, bounds.begin_ns, bounds.end_ns, number, place);
    return fmt::format(
        "SELECT * EXCLUDE (cut) REPLACE (cut::INTEGER AS iteration) FROM (SELECT {5}a.*, "
        "{4}(t.rank::BIGINT, a.{1}) AS cut FROM raw.{0} a JOIN raw.tracks t ON t.id = a.track "
        "WHERE a.{1} >= {2} AND a.{1} < {3}) WHERE cut >= 0",
        table, time, bounds.begin_ns, bounds.end_ns, number, place);
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
    OPSIGHT_ASSIGN(const duck::Rows other,
                   connection.query("SELECT EXISTS (FROM raw.tracks WHERE rank IS DISTINCT FROM 0)"));
    return !std::get<bool>(other.rows.at(0)[0]);
}

}  // namespace

Result<CutFunction> select_cut_range(duck::Connection& connection, const ChosenIterations& chosen) {
    const Interval bounds = chosen.bounds();
    OPSIGHT_ASSIGN(const std::vector<RankIteration> whole, whole_iterations(connection, chosen));
    OPSIGHT_ASSIGN(const bool one_rank, only_rank_0(connection));
    OPSIGHT_ASSIGN(const WholeFilter filter, filter_of(connection, whole, one_rank));
    // The connections of a database share its functions, so each range has one of its own.
    static std::atomic<int64_t> made = 0;
    const std::string number = fmt::format("cut_iteration_{}", made++);
    const auto held = std::make_shared<ChosenIterations>(chosen);
    OPSIGHT_TRY(connection.add_function(number, [held](int64_t rank, int64_t time) -> int64_t {
        const Interval* it = held->at(rank, time);
        return it ? it->number : -1;
    }));
    const bool simple = one_rank && without_gap(chosen);
    std::string sql = fmt::format("CREATE TEMP VIEW sel_ops AS {};",
                                  chosen_rows(number, "ops", "begin_ns", bounds, simple));
    sql += fmt::format("CREATE TEMP VIEW sel_device AS {};",
                       chosen_rows(number, "device_spans", "host_ns", bounds, simple));
    for (const auto& [name, table] :
         {std::pair("sel_api", "api_calls"), std::pair("sel_annotations", "annotations"),
          std::pair("sel_modules", "module_calls")})
        sql += fmt::format("CREATE TEMP VIEW {} AS {};", name,
                           chosen_rows(number, table, "begin_ns", bounds, simple));
    sql += fmt::format(
        "CREATE TEMP VIEW rest_ops AS SELECT * EXCLUDE (cut) REPLACE (NULL::INTEGER AS iteration) FROM "
        "(SELECT a.*, {3}(t.rank::BIGINT, a.begin_ns) AS cut FROM raw.ops a "
        "JOIN raw.tracks t ON t.id = a.track WHERE a.begin_ns >= {0} AND a.begin_ns < {1}{2}) WHERE cut >= "
        "0;",
        bounds.begin_ns, bounds.end_ns, filter.outside, number);
    sql += "CREATE TEMP TABLE rest_stats AS FROM raw.op_stats LIMIT 0; INSERT INTO rest_stats " +
           db::op_stats_sql("rest_ops") + ";";
    sql += fmt::format(
        "CREATE TEMP VIEW sel_stats AS SELECT s.* REPLACE (NULL::INTEGER AS iteration) FROM raw.op_stats s "
        "{} "
        "UNION ALL FROM rest_stats;",
        filter.inside);
    sql +=
        "CREATE TEMP VIEW sel_iteration_ops AS SELECT t.rank, o.iteration, count(*) AS calls, "
        "sum(o.self_ns)::BIGINT AS self_cpu_ns FROM sel_ops o JOIN raw.tracks t ON t.id = o.track GROUP BY "
        "ALL";
    OPSIGHT_TRY(connection.execute(sql));
    return CutFunction(held.get(), [held](void*) { held->clear(); });
}

}  // namespace opsight::query
