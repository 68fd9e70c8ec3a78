// Unified memory: migrations and page faults.
#include "query/nsys/sql.h"
#include "query/nsys/stats.h"

namespace opsight::query::nsys {
namespace {

Result<Table> um_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_TRY(source.execute(sql::unified_memory));
    return table_of(source,
                    {{"Virtual Address", Kind::kText},
                     {"HtoD Migration Size", Kind::kMegabytes},
                     {"DtoH Migration Size", Kind::kMegabytes},
                     {"CPU Page Faults", Kind::kInteger},
                     {"GPU PageFaults", Kind::kInteger},
                     {"Migration Throughput", Kind::kRate}},
                    duck::Statement(sql::um_sum).set("rows", arguments.rows));
}

Result<Table> um_total_sum(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::unified_memory));
    return table_of(source,
                    {{"Total HtoD Migration Size", Kind::kMegabytes},
                     {"Total DtoH Migration Size", Kind::kMegabytes},
                     {"Total CPU Page Faults", Kind::kInteger},
                     {"Total GPU PageFaults", Kind::kInteger},
                     {"Minimum Virtual Address", Kind::kText},
                     {"Maximum Virtual Address", Kind::kText}},
                    sql::um_total_sum);
}

Result<Table> um_cpu_page_faults_sum(Source& source, const Arguments&) {
    return table_of(source, {{"CPU Page Faults", Kind::kInteger}, {"CPU Instruction Address", Kind::kText}},
                    sql::um_cpu_page_faults_sum);
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
