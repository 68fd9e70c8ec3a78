// Unified memory: migrations and page faults.
#include "query/nsys/sql.h"
#include "query/nsys/stats.h"

namespace opsight::query::nsys {
namespace {

Result<ResultTable> um_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_TRY(source.execute(sql::unified_memory));
    return table_of(source,
                    {headed::text("Virtual Address"), headed::bytes("HtoD Migration Size"),
                     headed::bytes("DtoH Migration Size"), headed::count("CPU Page Faults"),
                     headed::count("GPU PageFaults"), headed::rate("Migration Throughput")},
                    duck::Statement(sql::um_sum).set("rows", arguments.rows));
}

Result<ResultTable> um_total_sum(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::unified_memory));
    return table_of(source,
                    {headed::bytes("Total HtoD Migration Size"), headed::bytes("Total DtoH Migration Size"),
                     headed::count("Total CPU Page Faults"), headed::count("Total GPU PageFaults"),
                     headed::text("Minimum Virtual Address"), headed::text("Maximum Virtual Address")},
                    sql::um_total_sum);
}

Result<ResultTable> um_cpu_page_faults_sum(Source& source, const Arguments&) {
    return table_of(source, {headed::count("CPU Page Faults"), headed::text("CPU Instruction Address")},
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
