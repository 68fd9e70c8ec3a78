#include "query/reports/headline.h"

#include <algorithm>

#include "db/schema.h"
#include "hardware/tensor_cores.h"
#include "query/reports/op_groups.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

// Resources in the order in which they are shown.
struct Share {
    std::string_view resource;
    const char *key, *head, *name;
    bool device = false;
};
constexpr Share kShares[] = {
    {"tensor_core_kernel", "tensor_core_kernel_pct", "Tensor Core Kernel Duration %", "Tensor Core kernels",
     true},
    {"unknown_kernel", "unknown_kernel_pct", "Kernel of Unknown TC Use Duration %",
     "Kernels of unknown Tensor Core use", true},
    {"other_kernel", "non_tensor_core_kernel_pct", "Non-Tensor Core Kernel Duration %", "Other kernels",
     true},
    {"communication", "communication_pct", "Exposed Communication Duration %", "Exposed communication", true},
    {"memory", "memory_pct", "Memory Duration %", "Copies and sets", true},
    {"dataloader", "dataloader_pct", "Dataloader Duration %", "Data loading"},
    {"file_io", "io_pct", "IO Duration %", "File I/O"},
    {"cpu", "cpu_pct", "CPU Duration % (Ops, API Calls)", "CPU (ops, API calls)"},
    {"host", "host_pct", "Python and Other Host Duration %", "Python and other host"},
    {"idle", "idle_pct", "Idle or Not Recorded Duration %", "Idle or not recorded"},
};

// What a profile can tell of shares: data loading, file I/O and device work only where it has seen any
// anywhere, and what an older file did not part nothing. A snapshot of memory tells no work at all.
struct Told {
    bool loading = false, io = false, timed = false, parted = false, device_work = false;
    bool kernels_lost = false;   // kernels were launched, and not one is in the recording
    bool copies = false;         // copies and sets were recorded, or the calls tell that there were none
    bool communication = false;  // some was recorded, also on the host
    bool host = false;           // what the program does beside ops and calls was recorded, if it did any
    bool tensor_cores = false;   // some device that worked is known to have them

    bool of_device(const Share& share) const {
        return share.device && !(share.resource == "communication" && communication);
    }
    bool tells(const Share& share) const {
        if (of_device(share) && (!device_work || (kernels_lost && share.resource != "memory"))) return false;
        if (share.resource == "memory" && !copies) return false;
        if (share.resource == "dataloader") return loading;
        if (share.resource == "file_io") return io;
        if (!timed) return false;
        if (share.resource == "host") return parted && host;
        return parted || share.resource != "unknown_kernel";
    }
    // The same, and not of Tensor Cores that no device has.
    bool has(const Share& share) const {
        return tells(share) && (share.resource != "tensor_core_kernel" || tensor_cores);
    }
    // The resources that it does not tell, as "[memory, host]".
    std::string untold() const {
        std::string list;
        for (const Share& share : kShares)
            if (!has(share)) list += (list.empty() ? "" : ", ") + std::string(share.resource);
        return "[" + list + "]";
    }
};

// By the devices that worked, or by kernels that cannot run without.
Result<bool> sees_tensor_cores(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::device_makes));
    for (const auto& row : rows.rows) {
        const auto number = [&row](size_t i) { return static_cast<int>(std::get<int64_t>(row[i])); };
        if (hardware::has_tensor_cores(std::get<std::string>(row[0]), number(1), number(2)).value_or(false))
            return true;
    }
    OPSIGHT_ASSIGN(const duck::Rows used, session.query(sql::tensor_kernels_ran));
    return std::get<bool>(used.rows.at(0)[0]);
}

Result<Told> look(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::time_facts));
    const auto& row = rows.rows.at(0);
    const auto flag = [&row](size_t i) { return std::get<bool>(row[i]); };
    OPSIGHT_ASSIGN(const bool tensor_cores, sees_tensor_cores(session));
    return Told{.loading = flag(0),
                .io = flag(1),
                .timed = flag(2),
                .parted = flag(3),
                .device_work = session.contents().device_work,
                .kernels_lost = flag(4),
                .copies = flag(5),
                .communication = flag(6),
                .host = flag(7),
                .tensor_cores = tensor_cores};
}

// For people a share that is not told says so. An older file's are left empty.
bool says_not_recorded(const Told& told, const Share& share, bool for_people) {
    return for_people && told.parted && !told.tells(share);
}

std::vector<Column> share_columns(const Told& told, bool for_people) {
    std::vector<Column> columns;
    for (const Share& share : kShares)
        if (says_not_recorded(told, share, for_people))
            columns.push_back({share.key, share.head});
        else
            columns.push_back(
                {share.key, share.head, Unit::kPercent, 0, Role::kValue, told.of_device(share)});
    return columns;
}

// A share that is known within bounds: its value where the bounds are one, and both. For people one text.
std::vector<Column> bounded(const std::string& stem, const std::string& head, bool for_people) {
    if (for_people) return {of_device({stem + "_text", head})};
    return {of_device({stem + "_pct", head, Unit::kPercent}),
            of_device({stem + "_low_pct", head + " at Least", Unit::kPercent}),
            of_device({stem + "_high_pct", head + " at Most", Unit::kPercent})};
}

}  // namespace

Status prepare_headline(Session& session) {
    OPSIGHT_TRY(session.prepare(sql::used_devices));
    OPSIGHT_TRY(session.prepare(sql::resource_time));
    OPSIGHT_TRY(session.prepare(sql::communication_times));
    return session.prepare(sql::summary_device);
}

Result<std::vector<BudgetClass>> budget_classes(Session& session) {
    OPSIGHT_TRY(session.prepare(sql::used_devices));
    OPSIGHT_ASSIGN(const Told told, look(session));
    const std::vector<std::string_view> names = db::resource_names();
    std::vector<BudgetClass> classes;
    for (const Share& share : kShares) {
        const auto at = std::find(names.begin(), names.end(), share.resource);
        classes.push_back(
            {static_cast<size_t>(at - names.begin()), share.resource, share.name, told.has(share)});
    }
    return classes;
}

Result<ResultTable> headline(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_headline(session));
    OPSIGHT_ASSIGN(const Told told, look(session));
    Question q{"summary", "Summary Report"};
    const bool people = shape.for_people;
    q.columns = {{"wall_clock_ns", "Wall Clock Time (ns)", Unit::kNs}};
    append(q.columns, bounded("tensor_core_efficiency", "Tensor Core Kernel Utilization %", people));
    append(q.columns, {of_device({"gpu_utilization_pct", "GPU Utilization %", Unit::kPercent}),
                       of_device({"kernel_utilization_pct", "Kernel Utilization %", Unit::kPercent})});
    append(q.columns, share_columns(told, people));
    append(q.columns, bounded("tensor_core_kernel_share", "Tensor Core Share of Kernel Time %", people));
    append(q.columns, {of_device({"communication_ns", "Communication Time (ns)", Unit::kNs}),
                       of_device({"communication_overlap_pct", "Communication Overlap %", Unit::kPercent}),
                       of_device({"exposed_communication_ns", "Exposed Communication (ns)", Unit::kNs})});
    q.rows = duck::Statement(sql::headline)
                 .set("untold", told.untold())
                 .set("devices", session.contents().devices && !told.kernels_lost)
                 .set("device_work", told.device_work && !told.kernels_lost)
                 .set("tensor_cores", told.tensor_cores);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    for (const Share& share : kShares)
        for (size_t i = 0; i < table.columns.size(); ++i)
            if (table.columns[i].key == share.key && says_not_recorded(told, share, people))
                table.rows.at(0)[i] = "- (not recorded)";
    return table;
}

}  // namespace opsight::query
