// Calls of the operating system's runtime and of message passing.
#include "query/nsys/sql.h"
#include "query/nsys/stats.h"

namespace opsight::query::nsys {
namespace {

Result<ResultTable> osrt_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {"Name"}, sql::osrt_sum);
}

Result<ResultTable> syscall_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {"Name"}, sql::syscall_sum);
}

Result<ResultTable> mpi_event_sum(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::mpi_calls));
    return summary(source, "Instances", {"Source", "Name"}, sql::mpi_event_sum);
}

Result<ResultTable> mpi_event_trace(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::mpi_calls));
    return table_of(
        source,
        {headed::moment("Start"), headed::moment("End"), headed::time("Duration"), headed::text("Event"),
         headed::id("Pid"), headed::id("Tid"), headed::id("Tag"), headed::id("Rank"), headed::id("PeerRank"),
         headed::id("RootRank"), headed::plain_bytes("Size"), headed::plain_bytes("CollSendSize"),
         headed::plain_bytes("CollRecvSize")},
        sql::mpi_event_trace);
}

Result<ResultTable> mpi_msg_size_sum(Source& source, const Arguments&) {
    OPSIGHT_TRY(source.execute(sql::mpi_calls));
    return table_of(
        source,
        {headed::plain_bytes("Total Message Volume"), headed::count("Instances"), headed::plain_bytes("Avg"),
         headed::plain_bytes("Med"), headed::plain_bytes("Min"), headed::plain_bytes("Max"),
         headed::plain_bytes("StdDev"), headed::text("Source"), headed::text("Name")},
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
