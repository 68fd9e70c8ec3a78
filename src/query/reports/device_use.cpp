#include "query/reports/device_use.h"

#include <fmt/format.h>

#include "query/reports/sql.h"

namespace opsight::query {
namespace {

std::vector<Column> use_columns() {
    return {
        {"rank", "Rank", Unit::kCount, 0, Role::kId},
        {"device", "Device ID", Unit::kCount, 0, Role::kId},
        {"name", "Name"},
        {"gpu_utilization_pct", "GPU Utilization %", Unit::kPercent},
        {"kernel_utilization_pct", "Kernel Utilization %", Unit::kPercent},
        {"busy_ns", "Busy Time (ns)", Unit::kNs, 1},
        {"idle", "Not Used", Unit::kNone, 1, Role::kWarning},
    };
}

std::vector<Column> property_columns() {
    return {
        {"compute_capability", "Compute Capability", Unit::kNone, 2},
        {"sm_count", "SMs", Unit::kCount, 2},
        {"memory_bytes", "Memory (bytes)", Unit::kBytes, 2},
        {"memory_bandwidth", "Memory Bandwidth (bytes/s)", Unit::kBytes, 2},
        {"clock_hz", "Clock (Hz)", Unit::kCount, 2},
        {"l2_bytes", "L2 Cache (bytes)", Unit::kBytes, 2},
        {"warp_size", "Warp Size", Unit::kCount, 2},
        {"max_threads_per_sm", "Threads per SM", Unit::kCount, 2},
        {"registers_per_sm", "Registers per SM", Unit::kCount, 2},
        {"shared_memory_per_sm", "Shared Memory per SM (bytes)", Unit::kBytes, 2},
        {"chip", "Chip", Unit::kNone, 3},
        {"bus_location", "Bus Location", Unit::kNone, 3},
        {"uuid", "UUID", Unit::kNone, 3},
    };
}

Result<ResultTable> list_devices(Session& session, std::vector<Column> columns, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(reports::sql::used_devices));
    Question q{"devices", "Devices"};
    q.columns = std::move(columns);
    q.rows = duck::Statement(reports::sql::devices)
                 .set("recorded", session.contents().device_work && !session.contents().work_lost);
    q.order = {{"idle", false}, {"rank", false}, {"device", false}};
    return ask(session, q, shape);
}

}  // namespace

std::string_view without_device_work(const Session& session) {
    if (session.contents().work_lost) return "a device was used, but none of its work is recorded";
    if (session.contents().device_unseen)
        return "no device work was recorded, and whether the machine's devices worked is not known";
    return "nothing ran on a device";
}

Result<ResultTable> device_list(Session& session) {
    return list_devices(session, use_columns(), {});
}

Result<ResultTable> device_use(Session& session, const TableShape& shape) {
    std::vector<Column> columns = use_columns();
    for (Column& column : property_columns())
        columns.push_back(std::move(column));
    return list_devices(session, std::move(columns), shape);
}

Result<std::string> unused_devices_note(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::used_devices));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::count_used_devices));
    const auto used = std::get<int64_t>(rows.rows.at(0)[0]), unused = std::get<int64_t>(rows.rows.at(0)[1]);
    if (used == 0 || unused == 0) return std::string();
    return fmt::format(
        "{} more {} named by the source: the recorded processes gave {} no work, others may have; GPU "
        "utilization leaves {} out",
        unused, unused == 1 ? "GPU is" : "GPUs are", unused == 1 ? "it" : "them",
        unused == 1 ? "it" : "them");
}

namespace {

Result<std::string> doubtful_devices_note(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::doubtful_devices));
    if (rows.rows.empty()) return std::string();
    return fmt::format(
        "ranks {} of one machine each worked on a GPU {}, and the source does not tell whether that is one "
        "device: they count as several, and if they are one, it was busier than GPU utilization says",
        std::get<std::string>(rows.rows[0][1]), std::get<int64_t>(rows.rows[0][0]));
}

}  // namespace

Result<std::string> shared_devices_note(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::used_devices));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::shared_devices));
    if (rows.rows.empty()) return doubtful_devices_note(session);
    const auto& row = rows.rows[0];
    const auto shared = std::get<int64_t>(row[0]);
    return fmt::format(
        "ranks {} worked on one device, GPU {} (by its {}){}: GPU utilization and the number of GPUs count "
        "it "
        "once, busy while any of them had work on it; in the list of devices and in shares of the wall clock "
        "each rank has its own part",
        std::get<std::string>(row[2]), std::get<int64_t>(row[1]), std::get<std::string>(row[3]),
        shared > 1 ? fmt::format(", and {} more were shared so", shared - 1) : "");
}

Result<LostLaunches> lost_launches(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::lost_launches));
    const auto& row = rows.rows.at(0);
    return LostLaunches{std::get<int64_t>(row[0]), std::get<int64_t>(row[1]), std::get<bool>(row[2])};
}

Result<std::vector<std::string>> lost_work_notes(Session& session) {
    constexpr double kWorthSaying = 1;
    OPSIGHT_ASSIGN(const LostLaunches lost, lost_launches(session));
    std::vector<std::string> notes;
    if (lost.truncated)
        notes.emplace_back(
            "a source is cut: ops, calls and device work of any time may be missing, so times, counts and "
            "utilization are at least what is shown, and shares are not those of the run");
    if (session.contents().device_work && lost.pct() >= kWorthSaying)
        notes.push_back(fmt::format(
            "the device work of {} launch{} was not recorded, beside {} kernels that were: times and "
            "utilization of devices are at least what is shown, and what is shown as time of the CPU alone "
            "is at most that",
            lost.launches, lost.launches == 1 ? "" : "es", lost.kernels));
    return notes;
}

Result<std::string> clocks_note(Session& session) {
    constexpr int64_t kTenth = 10;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::work_before_launch));
    const auto number = [&row = rows.rows.at(0)](size_t i) { return std::get<int64_t>(row[i]); };
    const int64_t early = number(0), launched = number(1);
    if (early == 0 || kTenth * early < launched) return std::string();
    return fmt::format(
        "{} of {} pieces of device work begin before the calls that launched them, half of them by "
        "{:.1f} µs or more: the clocks of device and host disagree, so what runs at the same time, "
        "utilization, idle time and waits are not those of the run",
        early, launched, static_cast<double>(number(2)) / 1e3);
}

}  // namespace opsight::query
