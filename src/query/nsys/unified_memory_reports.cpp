// Unified memory: migrations and page faults.
#include <fmt/format.h>

#include "query/nsys/stats.h"

namespace opsight::query::nsys {
namespace {

// One row for each migration and each group of page faults.
constexpr const char* kEvents =
    "(SELECT coalesce(nullif(e.address, -1), -1) AS address, g.copy_kind, g.bytes, g.dur_ns, 0 AS "
    "cpu_faults, "
    "0 AS gpu_faults FROM st_memop g LEFT JOIN raw.device_extras e ON e.id = g.rid "
    "WHERE g.copy_kind BETWEEN 11 AND 13 UNION ALL "
    "SELECT address, NULL, 0, 0, CASE WHEN device < 0 THEN count ELSE 0 END, "
    "CASE WHEN device >= 0 THEN count ELSE 0 END FROM st_fault)";

std::string moved(int copy_kind) {
    return fmt::format("coalesce(sum(bytes) FILTER (WHERE copy_kind = {}), 0)::BIGINT", copy_kind);
}

std::string address(std::string_view expression) {
    return fmt::format("CASE WHEN {0} <> -1 THEN printf('0x%x', {0}::UBIGINT) END", expression);
}

Result<Table> um_sum(Source& source, const Arguments& arguments) {
    return table_of(
        source,
        {{"Virtual Address", Kind::kText},
         {"HtoD Migration Size", Kind::kMegabytes},
         {"DtoH Migration Size", Kind::kMegabytes},
         {"CPU Page Faults", Kind::kInteger},
         {"GPU PageFaults", Kind::kInteger},
         {"Migration Throughput", Kind::kRate}},
        fmt::format("SELECT {}, {} AS in_bytes, {} AS out_bytes, sum(cpu_faults)::BIGINT, "
                    "sum(gpu_faults)::BIGINT, CASE WHEN sum(dur_ns) > 0 THEN sum(bytes) * 1e9 / "
                    "sum(dur_ns) END FROM {} GROUP BY address ORDER BY in_bytes + out_bytes DESC, "
                    "address LIMIT {}",
                    address("address"), moved(11), moved(12), kEvents, arguments.rows));
}

Result<Table> um_total_sum(Source& source, const Arguments&) {
    return table_of(
        source,
        {{"Total HtoD Migration Size", Kind::kMegabytes},
         {"Total DtoH Migration Size", Kind::kMegabytes},
         {"Total CPU Page Faults", Kind::kInteger},
         {"Total GPU PageFaults", Kind::kInteger},
         {"Minimum Virtual Address", Kind::kText},
         {"Maximum Virtual Address", Kind::kText}},
        fmt::format("SELECT {}, {}, sum(cpu_faults)::BIGINT, sum(gpu_faults)::BIGINT, {}, {} FROM {}",
                    moved(11), moved(12), address("min(nullif(address, -1))"),
                    address("max(nullif(address, -1))"), kEvents));
}

Result<Table> um_cpu_page_faults_sum(Source& source, const Arguments&) {
    // The function that faulted; the address of the memory where it is not known.
    return table_of(
        source, {{"CPU Page Faults", Kind::kInteger}, {"CPU Instruction Address", Kind::kText}},
        fmt::format("SELECT sum(count)::BIGINT AS faults, coalesce(nullif(access, ''), {}) AS place "
                    "FROM st_fault WHERE device < 0 GROUP BY place ORDER BY faults DESC, place",
                    address("address")));
}

}  // namespace

std::vector<Report> unified_memory_reports() {
    using enum Data;
    return {report("um_sum", "unifiedmemory", "Unified Memory Analysis Summary", kRows, {kPageFaults}, um_sum,
                   "Migrations and page faults by address."),
            report("um_total_sum", "unifiedmemorytotals", "Unified Memory Totals Summary", kNone,
                   {kPageFaults}, um_total_sum, "Migrations and page faults in all."),
            report("um_cpu_page_faults_sum", "umcpupagefaults", "Unified Memory CPU Page Faults Summary",
                   kNone, {kPageFaults}, um_cpu_page_faults_sum,
                   "Page faults of the CPU by the function that faulted.")};
}

}  // namespace opsight::query::nsys
