#include "query/reports/device_use.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

Question device_question() {
    Question q{"devices", "Devices"};
    q.fields = {
        {{"rank", "Rank", Unit::kCount, 0, Role::kId}, "r.number"},
        {{"device", "Device ID", Unit::kCount, 0, Role::kId}, "u.number"},
        {{"name", "Name"}, "nullif(u.name, '')"},
        {{"gpu_utilization_pct", "GPU Utilization %", Unit::kPercent},
         "CASE WHEN u.worked THEN 100.0 * u.busy_ns / nullif(u.wall_ns, 0) END"},
        {{"kernel_utilization_pct", "Kernel Utilization %", Unit::kPercent},
         "CASE WHEN u.worked THEN 100.0 * u.kernel_ns / nullif(u.wall_ns, 0) END"},
        {{"busy_ns", "Busy Time (ns)", Unit::kNs, 1}, "CASE WHEN u.worked THEN u.busy_ns END"},
        {{"idle", "Not Used", Unit::kNone, 1}, "NOT u.worked"},
    };
    q.source = "(FROM used_devices WHERE wall_ns IS NOT NULL) u LEFT JOIN raw.ranks r ON r.id = u.rank";
    q.order = {{"idle", false}, {"rank", false}, {"device", false}};
    return q;
}

}  // namespace

// Several ranks of one machine name the same devices, so one that is not used counts once. Work may name its
// device by another number than the source's list does (ROCm's HIP_VISIBLE_DEVICES): which of the list it was
// is not told then, and of these ranks no device is called unused.
Status prepare_device_use(Session& session) {
    return session.execute(fmt::format(
        "CREATE OR REPLACE TEMP TABLE used_devices AS WITH "
        "sums AS (SELECT s.device, s.kernel_only, sum({}) AS in_ns FROM raw.busy_segments s "
        "JOIN raw.devices d ON d.id = s.device LEFT JOIN sel_wall w ON w.rank = d.rank GROUP BY ALL), "
        "active AS (SELECT d.* FROM raw.devices d WHERE d.id IN (SELECT device FROM sums)), "
        "alike AS (SELECT rank, min(id) AS id, min(name) AS name FROM raw.devices WHERE declared AND name <> "
        "'' GROUP BY rank HAVING count(DISTINCT name) = 1), "
        "renumbered AS (SELECT DISTINCT rank FROM active WHERE NOT declared), "
        "visible AS (SELECT d.id, d.rank, d.number, CASE WHEN d.name <> '' THEN d.name ELSE coalesce(a.name, "
        "'') END AS name, CASE WHEN d.declared OR d.name <> '' THEN d.id ELSE coalesce(a.id, d.id) END AS "
        "described, true AS worked FROM active d LEFT JOIN alike a ON a.rank = d.rank "
        "UNION ALL SELECT min(d.id), min(d.rank), d.number, min(d.name), min(d.id), false FROM raw.devices d "
        "WHERE d.declared AND d.number NOT IN (SELECT number FROM active) AND d.rank NOT IN (SELECT rank "
        "FROM "
        "renumbered) GROUP BY d.number), "
        "busy AS (SELECT device, coalesce(sum(in_ns) FILTER (WHERE NOT kernel_only), 0)::BIGINT AS busy_ns, "
        "coalesce(sum(in_ns) FILTER (WHERE kernel_only), 0)::BIGINT AS kernel_ns FROM sums GROUP BY 1) "
        "SELECT v.*, w.wall_ns, coalesce(b.busy_ns, 0) AS busy_ns, coalesce(b.kernel_ns, 0) AS kernel_ns "
        "FROM visible v LEFT JOIN sel_wall_sums w ON w.rank = v.rank LEFT JOIN busy b ON b.device = v.id",
        kInsideWall));
}

Result<ResultTable> device_list(Session& session) {
    return ask(session, device_question(), {});
}

Result<std::string> unused_devices_note(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query("SELECT count(*) FILTER (WHERE worked), count(*) FILTER (WHERE NOT worked) "
                                 "FROM used_devices"));
    const auto used = std::get<int64_t>(rows.rows.at(0)[0]), unused = std::get<int64_t>(rows.rows.at(0)[1]);
    if (used == 0 || unused == 0) return std::string();
    return fmt::format(
        "{} more {} named by the source: the recorded processes gave {} no work, others may have; GPU "
        "utilization leaves {} out",
        unused, unused == 1 ? "GPU is" : "GPUs are", unused == 1 ? "it" : "them",
        unused == 1 ? "it" : "them");
}

Result<ResultTable> device_use(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_device_use(session));
    Question q = device_question();
    const auto property = [&q](const char* key, const char* head, const char* column, Unit unit) {
        q.fields.push_back({{key, head, unit, 2}, fmt::format("nullif(p.{}, 0)", column)});
    };
    q.fields.push_back({{"compute_capability", "Compute Capability", Unit::kNone, 2},
                        "CASE WHEN p.compute_major > 0 THEN p.compute_major || '.' || p.compute_minor END"});
    property("sm_count", "SMs", "sm_count", Unit::kCount);
    property("memory_bytes", "Memory (bytes)", "memory_bytes", Unit::kBytes);
    property("memory_bandwidth", "Memory Bandwidth (bytes/s)", "memory_bandwidth", Unit::kBytes);
    property("clock_hz", "Clock (Hz)", "clock_hz", Unit::kCount);
    property("l2_bytes", "L2 Cache (bytes)", "l2_bytes", Unit::kBytes);
    property("warp_size", "Warp Size", "warp_size", Unit::kCount);
    property("max_threads_per_sm", "Threads per SM", "max_threads_per_sm", Unit::kCount);
    property("registers_per_sm", "Registers per SM", "registers_per_sm", Unit::kCount);
    property("shared_memory_per_sm", "Shared Memory per SM (bytes)", "shared_memory_per_sm", Unit::kBytes);
    q.fields.push_back({{"chip", "Chip", Unit::kNone, 3}, "nullif(p.chip, '')"});
    q.fields.push_back({{"bus_location", "Bus Location", Unit::kNone, 3}, "nullif(p.bus_location, '')"});
    q.fields.push_back({{"uuid", "UUID", Unit::kNone, 3}, "nullif(p.uuid, '')"});
    q.source += " LEFT JOIN raw.devices p ON p.id = u.described";
    return ask(session, q, shape);
}

}  // namespace opsight::query
