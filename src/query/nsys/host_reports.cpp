// Calls of the operating system's runtime and of message passing.
#include "query/nsys/sql.h"
#include "query/nsys/stats.h"

namespace opsight::query::nsys {
namespace {

Result<Table> osrt_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {"Name"}, sql::osrt_sum);
}

Result<Table> syscall_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {"Name"}, sql::syscall_sum);
}

Result<Table> mpi_event_sum(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::mpi_calls));
    return summary(source, "Instances", {"Source", "Name"}, sql::mpi_event_sum);
}

Result<Table> mpi_event_trace(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::mpi_calls));
    return table_of(source,
                    {{"Start", Kind::kTime},
                     {"End", Kind::kTime},
                     {"Duration", Kind::kTime},
                     {"Event", Kind::kText},
                     {"Pid", Kind::kInteger},
                     {"Tid", Kind::kInteger},
                     {"Tag", Kind::kInteger},
                     {"Rank", Kind::kInteger},
                     {"PeerRank", Kind::kInteger},
                     {"RootRank", Kind::kInteger},
                     {"Size", Kind::kInteger},
                     {"CollSendSize", Kind::kInteger},
                     {"CollRecvSize", Kind::kInteger}},
                    sql::mpi_event_trace);
}

Result<Table> mpi_msg_size_sum(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::mpi_calls));
    return table_of(source,
                    {{"Total Message Volume", Kind::kInteger},
                     {"Instances", Kind::kInteger},
                     {"Avg", Kind::kReal},
                     {"Med", Kind::kReal},
                     {"Min", Kind::kInteger},
                     {"Max", Kind::kInteger},
                     {"StdDev", Kind::kReal},
                     {"Source", Kind::kText},
                     {"Name", Kind::kText}},
                    sql::mpi_msg_size_sum);
}

}  // namespace

std::vector<Report> host_reports() {
    using enum Data;
    return {report("osrt_sum", "osrtsum", "OS Runtime Summary", kNone, {kOsRuntime}, osrt_sum,
                   "Calls of the C library and the system, by function."),
            report("syscall_sum", "", "Syscall Summary", kNone, {kSyscalls}, syscall_sum,
                   "System calls by function."),
            report("mpi_event_sum", "mpieventsum", "MPI Event Summary", kNone, {kMpi}, mpi_event_sum,
                   "Calls of MPI by function."),
            report("mpi_event_trace", "mpieventtrace", "MPI Event Trace", kNone, {kMpi}, mpi_event_trace,
                   "Every call of MPI with its arguments."),
            report("mpi_msg_size_sum", "mpimsgsizesum", "MPI Message Size Summary", kNone, {kMpi},
                   mpi_msg_size_sum,
                   "Sizes of messages by function; collectives tell what they send and what they receive.")};
}

}  // namespace opsight::query::nsys
