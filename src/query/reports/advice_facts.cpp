#include "query/reports/advice_facts.h"

#include <fmt/format.h>

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

namespace sql = reports::sql;

Result<std::pair<int64_t, int64_t>> optimizer_ops(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::optimizer_ops));
    return std::pair(integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]));
}

Result<std::pair<int64_t, int64_t>> short_kernels(Session& session, int64_t shorter_than_ns) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::short_kernels).set("ns", shorter_than_ns)));
    return std::pair(integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]));
}

Result<IterationSpread> iteration_spread(Session& session, double times) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::iteration_spread).set("times", times)));
    const auto& row = rows.rows.at(0);
    IterationSpread spread;
    spread.count = integer(row[0]);
    spread.median_ns = integer(row[1]);
    spread.longest_ns = integer(row[2]);
    spread.longest = integer(row[3], -1);
    spread.rank = integer(row[4], -1);
    spread.long_ones = integer(row[5]);
    spread.longest_own_ns = integer(row[6]);
    spread.median_own_ns = integer(row[7]);
    if (real(row[8]) >= times)
        spread.two_lengths = {{integer(row[9]), integer(row[10]), integer(row[11])},
                              {integer(row[12]), integer(row[13]), integer(row[14])}};
    return spread;
}

std::string words_of(const std::pair<IterationSpread::Group, IterationSpread::Group>& two_lengths) {
    const auto words = [](const IterationSpread::Group& group) {
        return fmt::format("{} of {:.1f} - {:.1f} ms", group.count, static_cast<double>(group.min_ns) / 1e6,
                           static_cast<double>(group.max_ns) / 1e6);
    };
    return words(two_lengths.first) + ", " + words(two_lengths.second);
}

Result<std::vector<HeldMemory>> device_memory(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::device_memory));
    std::vector<HeldMemory> all;
    for (const auto& row : rows.rows)
        all.push_back({integer(row[0]), integer(row[1]), integer(row[2]), integer(row[3])});
    return all;
}

Result<DeviceCounts> device_counts(Session& session) {
    OPSIGHT_TRY(session.prepare(sql::used_devices));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::count_used_devices));
    OPSIGHT_ASSIGN(const duck::Rows elsewhere, session.query(sql::ranks_elsewhere));
    return DeviceCounts{integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]), flag(elsewhere.rows.at(0)[0]),
                        flag(rows.rows[0][2])};
}

Result<std::optional<Occupancy>> lowest_occupancy(Session& session, double pct) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::occupancy_limits).set("pct", pct)));
    if (rows.rows.empty()) return std::optional<Occupancy>();
    const auto& row = rows.rows[0];
    return std::optional(Occupancy{text(row[0]), real(row[1]), integer(row[2]), integer(row[3]),
                                   integer(row[4]), integer(row[5]), integer(row[6]), integer(row[7])});
}

Result<std::optional<TileTail>> largest_tile_tail(Session& session, double pct) {
    OPSIGHT_TRY(session.prepare(sql::tile_tails));
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::largest_tile_tail).set("pct", pct)));
    if (rows.rows.empty()) return std::optional<TileTail>();
    const auto& row = rows.rows[0];
    return std::optional(TileTail{text(row[0]), integer(row[1]), integer(row[2]), integer(row[3]),
                                  integer(row[4]), real(row[5])});
}

Result<std::optional<std::pair<double, double>>> rates_of_floats(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::rates_of_floats));
    if (rows.rows.empty()) return std::optional<std::pair<double, double>>();
    return std::optional(std::pair(real(rows.rows[0][0]), real(rows.rows[0][1])));
}

Result<std::vector<ReservedMemory>> reserved_memory(Session& session) {
    OPSIGHT_TRY(session.prepare(sql::memory_held));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::reserved_memory));
    std::vector<ReservedMemory> all;
    for (const auto& row : rows.rows)
        all.push_back({integer(row[0]), integer(row[1]), integer(row[2]), integer(row[3])});
    return all;
}

Result<std::pair<int64_t, int64_t>> warmup_in_range(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::warmup_in_range));
    return std::pair(integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]));
}

Result<std::pair<int64_t, int64_t>> recorded_calls(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::recorded_calls));
    return std::pair(integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]));
}

Result<std::vector<Loss>> lost_data(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::lost_data));
    std::vector<Loss> all;
    for (const auto& row : rows.rows)
        all.push_back({text(row[0]), integer(row[1]), text(row[2])});
    return all;
}

Result<std::optional<ClockSpread>> clock_spread(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::clock_spread));
    if (rows.rows.empty()) return std::optional<ClockSpread>();
    const auto& row = rows.rows[0];
    return std::optional(
        ClockSpread{integer(row[0]), text(row[1]), real(row[2]), real(row[3]), integer(row[4])});
}

Result<CreatedPrimitives> created_primitives(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::created_primitives));
    const auto& row = rows.rows.at(0);
    return CreatedPrimitives{integer(row[0]), integer(row[1]), integer(row[2])};
}

Result<std::optional<SummedCalls>> summed_calls(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::most_summed_calls));
    if (rows.rows.empty() || integer(rows.rows[0][0]) <= 0) return std::optional<SummedCalls>();
    const auto& row = rows.rows[0];
    return std::optional(
        SummedCalls{integer(row[0]), text(row[1]), integer(row[2]), integer(row[3]), integer(row[4])});
}

}  // namespace opsight::query
