// Calls of the operating system's runtime and of message passing.
#include <fmt/format.h>

#include "query/nsys/stats.h"

namespace opsight::query::nsys {
namespace {

// Which side of MPI a call belongs to, told by the arguments that it has, else by its name: a barrier has
// none.
constexpr const char* kMpiCalls =
    "(SELECT h.*, s.text, m.tag, m.rank, m.peer, m.root, m.bytes, m.sent_bytes, m.received_bytes, "
    "CASE WHEN m.root >= 0 OR m.sent_bytes >= 0 OR m.received_bytes >= 0 THEN 'coll' "
    "WHEN m.tag >= 0 OR m.peer >= 0 OR m.bytes >= 0 THEN 'p2p' "
    "WHEN regexp_matches(s.text, "
    "'^MPI_I?(barrier|bcast|gather|scatter|all|reduce|scan|exscan|neighbor_all)', 'i') "
    "AND NOT starts_with(s.text, 'MPI_Alloc') AND s.text <> 'MPI_Reduce_local' THEN 'coll' "
    "WHEN regexp_matches(s.text, '^MPI_(start|wait|test)(all|any|some)?$', 'i') THEN 'startwait' "
    "ELSE 'other' END AS source "
    "FROM st_host h JOIN raw.strings s ON s.id = h.name LEFT JOIN raw.messages m ON m.id = h.id "
    "WHERE h.kind = 11 AND starts_with(s.text, 'MPI_'))";

// System calls stand beside the calls of the C library, with a category of their own.
Result<Table> calls_sum(Source& source, std::string_view condition) {
    return summary(source, "Num Calls", {{"Name", "s.text"}},
                   fmt::format("st_host h JOIN raw.strings s ON s.id = h.name WHERE {}", condition));
}

Result<Table> osrt_sum(Source& source, const Arguments&) {
    return calls_sum(source, "h.kind = 10 AND h.category < 0");
}

Result<Table> syscall_sum(Source& source, const Arguments&) {
    return calls_sum(source, "h.kind = 10 AND h.category >= 0");
}

Result<Table> mpi_event_sum(Source& source, const Arguments&) {
    return summary(source, "Instances", {{"Source", "source"}, {"Name", "text"}}, kMpiCalls);
}

Result<Table> mpi_event_trace(Source& source, const Arguments&) {
    return table_of(
        source,
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
        fmt::format("SELECT {}, {}, m.dur_ns, m.text, t.pid, t.tid, nullif(m.tag, -1), "
                    "nullif(m.rank, -1), nullif(m.peer, -1), nullif(m.root, -1), nullif(m.bytes, -1), "
                    "nullif(m.sent_bytes, -1), nullif(m.received_bytes, -1) FROM {} m "
                    "JOIN raw.tracks t ON t.id = m.track ORDER BY m.begin_ns, m.id",
                    source.shown("m.begin_ns"), source.shown("m.end_ns"), kMpiCalls));
}

Result<Table> mpi_msg_size_sum(Source& source, const Arguments&) {
    return table_of(
        source,
        {{"Total Message Volume", Kind::kInteger},
         {"Instances", Kind::kInteger},
         {"Avg", Kind::kReal},
         {"Med", Kind::kReal},
         {"Min", Kind::kInteger},
         {"Max", Kind::kInteger},
         {"StdDev", Kind::kReal},
         {"Source", Kind::kText},
         {"Name", Kind::kText}},
        fmt::format("WITH m AS (FROM {}), sizes AS ("
                    "SELECT bytes AS size, 'p2p' AS source, text FROM m WHERE bytes >= 0 UNION ALL "
                    "SELECT sent_bytes, 'coll_send', text FROM m WHERE sent_bytes >= 0 UNION ALL "
                    "SELECT received_bytes, 'coll_recv', text FROM m WHERE received_bytes >= 0) "
                    "SELECT sum(size)::BIGINT AS total, count(*), avg(size), median(size)::DOUBLE, "
                    "min(size), max(size), coalesce(stddev_samp(size), 0), source, text FROM sizes "
                    "GROUP BY source, text ORDER BY total DESC, source, text",
                    kMpiCalls));
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
