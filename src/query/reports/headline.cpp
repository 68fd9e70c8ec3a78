#include "query/reports/headline.h"

#include <fmt/format.h>

#include "hardware/tensor_cores.h"
#include "query/reports/device_use.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

// Resources in the order in which they are shown; the numbers are those of raw.resource_segments.
struct Share {
    int resource;
    const char *key, *head;
    bool device = false;
};
constexpr int kTensorCore = 0, kDataLoader = 4, kFileIo = 5, kIdle = 7, kUnknownKernel = 8, kHost = 9,
              kResourceNumbers = 10;
constexpr Share kShares[] = {
    {kTensorCore, "tensor_core_kernel_pct", "Tensor Core Kernel Duration %", true},
    {kUnknownKernel, "unknown_kernel_pct", "Kernel of Unknown TC Use Duration %", true},
    {1, "non_tensor_core_kernel_pct", "Non-Tensor Core Kernel Duration %", true},
    {2, "communication_pct", "Exposed Communication Duration %", true},
    {3, "memory_pct", "Memory Duration %", true},
    {kDataLoader, "dataloader_pct", "Dataloader Duration %"},
    {kFileIo, "io_pct", "IO Duration %"},
    {6, "cpu_pct", "CPU Duration % (Ops, API Calls)"},
    {kHost, "host_pct", "Python and Other Host Duration %"},
    {kIdle, "idle_pct", "Idle or Not Recorded Duration %"},
};

// What a profile can tell of shares: data loading, file I/O and device work only where it has seen any
// anywhere, and what an older file did not part nothing.
struct Told {
    bool loading = false, io = false, parted = false, device_work = false;
    bool tensor_cores = false;  // some device that worked is known to have them
};

// By the devices that worked, or by kernels that cannot run without.
Result<bool> sees_tensor_cores(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query("SELECT DISTINCT d.name, d.compute_major, d.compute_minor FROM used_devices u "
                      "JOIN raw.devices d ON d.id = u.described WHERE u.worked"));
    for (const auto& row : rows.rows) {
        const auto number = [&row](size_t i) { return static_cast<int>(std::get<int64_t>(row[i])); };
        if (hardware::has_tensor_cores(std::get<std::string>(row[0]), number(1), number(2)).value_or(false))
            return true;
    }
    OPSIGHT_ASSIGN(const duck::Rows used,
                   session.query("SELECT EXISTS (FROM raw.kernel_names WHERE uses_tc = 1)"));
    return std::get<bool>(used.rows.at(0)[0]);
}

Result<Told> look(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(fmt::format(
                       "SELECT EXISTS (FROM raw.resource_segments WHERE resource = {}), EXISTS (FROM "
                       "raw.other_spans WHERE kind IN (8, 10)), NOT EXISTS (FROM raw.meta WHERE key = "
                       "'time_classes'), EXISTS (FROM raw.op_identities WHERE direction = 3) OR EXISTS (FROM "
                       "raw.other_spans WHERE kind = 7)",
                       kDataLoader)));
    const auto& row = rows.rows.at(0);
    const auto flag = [&row](size_t i) { return std::get<bool>(row[i]); };
    OPSIGHT_ASSIGN(const bool tensor_cores, sees_tensor_cores(session));
    return Told{flag(0) || flag(3), flag(1), flag(2), session.contents().device_work, tensor_cores};
}

std::vector<Field> share_fields(const Told& told, bool for_people) {
    std::vector<Field> fields;
    for (const Share& share : kShares) {
        const bool unknown = (share.device && !told.device_work) ||
                             (share.resource == kDataLoader && !told.loading) ||
                             (share.resource == kFileIo && !told.io) ||
                             ((share.resource == kUnknownKernel || share.resource == kHost) && !told.parted);
        std::string ns = fmt::format("sh.r{}", share.resource);
        // What no segment covers is idle too, so the shares add up to 100.
        if (share.resource == kIdle) {
            ns = "(w.total_ns";
            for (int i = 0; i < kResourceNumbers; ++i)
                if (i != kIdle) ns += fmt::format(" - sh.r{}", i);
            ns += ")";
        }
        if (unknown && for_people && told.parted) {
            fields.push_back({{share.key, share.head}, "'- (not recorded)'"});
            continue;
        }
        const bool absent = share.resource == kTensorCore && !told.tensor_cores;
        fields.push_back(
            {{share.key, share.head, Unit::kPercent},
             unknown || absent ? "NULL::DOUBLE" : fmt::format("100.0 * {} / nullif(w.total_ns, 0)", ns),
             share.device});
    }
    return fields;
}

// A share that is known within bounds: its value where the bounds are one, and both. For people one text.
void add_bounded(std::vector<Field>& fields, const char* key, const char* head, const std::string& low,
                 const std::string& high, bool for_people) {
    if (for_people) {
        fields.push_back(
            {{key, head, Unit::kNone},
             fmt::format("CASE WHEN round({0}, 1) = round({1}, 1) THEN format('{{:.1f}}%', {0}) ELSE "
                         "format('{{:.1f}} - {{:.1f}}%', {0}, {1}) END",
                         low, high),
             true});
        return;
    }
    const std::string name(key), stem = name.substr(0, name.size() - 4), title(head);
    fields.push_back(
        {{name, head, Unit::kPercent}, fmt::format("CASE WHEN {0} = {1} THEN {0} END", low, high), true});
    fields.push_back({{stem + "_low_pct", title + " at Least", Unit::kPercent}, low, true});
    fields.push_back({{stem + "_high_pct", title + " at Most", Unit::kPercent}, high, true});
}

}  // namespace

Status prepare_headline(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::used_devices));
    return session.execute(
        "CREATE OR REPLACE TEMP TABLE summary_device AS SELECT d.kind, (d.flags & 128) <> 0 AS eligible, "
        "any_value(k.uses_tc) AS uses_tc, sum(d.gpu_ns)::BIGINT AS gpu_ns, sum(d.api_ns)::BIGINT AS api_ns, "
        "sum(d.count)::BIGINT AS count FROM (SELECT kind, name, flags & 128 AS flags, sum(dur_ns) AS gpu_ns, "
        "sum(nullif(launch_dur_ns, -1)) FILTER (WHERE (flags & 64) <> 0) AS api_ns, count(*) AS count "
        "FROM sel_device WHERE kind < 3 GROUP BY ALL) d "
        "LEFT JOIN raw.kernel_names k ON d.kind = 0 AND k.id = d.name GROUP BY d.kind, eligible, k.uses_tc");
}

// Kernels of unknown use may be anything: of the time that could be on Tensor Cores (of kernels that use
// them, of eligible ops, and unknown) at least what is known to use them does, at most all but what is known
// not to.
Result<ResultTable> headline(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(const Told told, look(session));
    Question q{"summary", "Summary Report"};
    const bool devices = session.contents().devices, people = shape.for_people;
    q.fields = {{{"wall_clock_ns", "Wall Clock Time (ns)", Unit::kNs}, "w.wall_ns"}};
    add_bounded(q.fields, "tensor_core_efficiency_pct", "Tensor Core Kernel Utilization %",
                "(100.0 * tc.tc_ns / nullif(tc.possible_ns, 0))",
                "(100.0 * (tc.tc_ns + tc.unknown_ns) / nullif(tc.possible_ns, 0))", people);
    q.fields.push_back({{"gpu_utilization_pct", "GPU Utilization %", Unit::kPercent},
                        devices ? "u.busy_pct" : "NULL::DOUBLE",
                        true});
    q.fields.push_back({{"kernel_utilization_pct", "Kernel Utilization %", Unit::kPercent},
                        devices ? "u.kernel_pct" : "NULL::DOUBLE",
                        true});
    for (Field& field : share_fields(told, people))
        q.fields.push_back(std::move(field));
    add_bounded(q.fields, "tensor_core_kernel_share_pct", "Tensor Core Share of Kernel Time %",
                "(100.0 * tc.tc_ns / nullif(tc.kernel_ns, 0))",
                "(100.0 * (tc.tc_ns + tc.unknown_ns) / nullif(tc.kernel_ns, 0))", people);
    q.fields.push_back({{"communication_ns", "Communication Time (ns)", Unit::kNs}, "c.comm_ns", true});
    q.fields.push_back({{"communication_overlap_pct", "Communication Overlap %", Unit::kPercent},
                        "100.0 * c.overlap_ns / nullif(c.comm_ns, 0)",
                        true});
    q.fields.push_back({{"exposed_communication_ns", "Exposed Communication (ns)", Unit::kNs},
                        "c.comm_ns - c.overlap_ns",
                        true});
    std::string sums;
    for (int i = 0; i < kResourceNumbers; ++i)
        sums += fmt::format("{}coalesce(sum(ns) FILTER (WHERE resource = {}), 0)::BIGINT AS r{}",
                            i ? ", " : "", i, i);
    q.with = fmt::format(
        "WITH w AS (SELECT max(wall_ns) AS wall_ns, sum(wall_ns)::BIGINT AS total_ns FROM sel_wall_sums), "
        "parts AS (SELECT s.resource, sum({0}) AS ns FROM raw.resource_segments s "
        "JOIN sel_wall w ON w.rank = s.rank GROUP BY 1), sh AS (SELECT {1} FROM parts), "
        "u AS (SELECT avg(100.0 * busy_ns / nullif(wall_ns, 0)) AS busy_pct, "
        "avg(100.0 * kernel_ns / nullif(wall_ns, 0)) AS kernel_pct FROM used_devices WHERE worked AND "
        "wall_ns IS NOT NULL), "
        "tc AS (SELECT sum(gpu_ns) AS kernel_ns, coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = 1), 0) AS "
        "tc_ns, "
        "coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = 2), 0) AS unknown_ns, "
        "sum(gpu_ns) FILTER (WHERE uses_tc > 0 OR eligible) AS possible_ns FROM summary_device WHERE kind = "
        "0 AND {3}), "
        "c AS (SELECT {2} AS comm_ns, coalesce(sum({0}) FILTER (WHERE s.overlapped), 0)::BIGINT AS "
        "overlap_ns "
        "FROM raw.comm_segments s JOIN raw.devices d ON d.id = s.device JOIN sel_wall w ON w.rank = d.rank) ",
        kInsideWall, sums,
        told.device_work ? fmt::format("coalesce(sum({}), 0)::BIGINT", kInsideWall) : "NULL::BIGINT",
        told.tensor_cores);
    q.source = "w, sh, u, tc, c";
    return ask(session, q, shape);
}

}  // namespace opsight::query
