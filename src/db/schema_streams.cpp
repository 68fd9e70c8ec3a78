// The table and views of streams: how long each was at work, idle and queued.
#include "db/schema.h"
#include "db/view_parts.h"

namespace opsight::db {
namespace {

using enum duck::Type;

std::vector<Column> place() {
    return {{"rank", kBigint, "", "rank in its job", "r.number"},
            {"device", kBigint, "", "device number in the source", "d.number"},
            {"context", kBigint, "", "device context", "t.context"},
            {"stream", kBigint, "", "stream or queue", "t.stream"},
            {"track", kInteger, "", "tracks.id", "s.stream"}};
}

std::vector<Column> sums() {
    return {{"spans", kBigint, "", "kernels, copies and sets", "s.spans"},
            {"busy_ns", kBigint, "ns", "union of them", "s.busy_ns"},
            {"host_wait_ns", kBigint, "ns",
             "gaps before work that was launched after the work before had ended", "s.host_wait_ns"},
            {"queued_wait_ns", kBigint, "ns", "gaps before work that had been launched already",
             "s.queued_wait_ns"},
            {"other_wait_ns", kBigint, "ns", "gaps before work whose launch is not known", "s.other_wait_ns"},
            {"queued_ns", kBigint, "ns",
             "from launch to end, added over the work: the integral of queue depth", "s.queued_ns"},
            {"queue_max", kBigint, "", "greatest queue depth at a launch", "s.queue_max"},
            {"occupancy_pct", kDouble, "%", "theoretical occupancy of its kernels, weighted by time",
             "s.occupancy_pct_ns / nullif(s.occupancy_known_ns, 0)"}};
}

constexpr const char* kNames =
    " JOIN raw.tracks t ON t.id = s.stream LEFT JOIN raw.devices d ON d.id = t.device "
    "LEFT JOIN raw.ranks r ON r.id = t.rank";

}  // namespace

Table stream_stats_table() {
    return {"stream_stats",
            "Sums over the work of a stream, one row per stream and iteration of its launch.",
            {{"stream", kInteger, "", "tracks.id"},
             {"iteration", kInteger, "", "iterations.number"},
             {"spans", kBigint, "", "kernels, copies and sets"},
             {"busy_ns", kBigint, "ns", "union of them"},
             {"host_wait_ns", kBigint, "ns",
              "gaps before work that was launched after the end of the work before"},
             {"queued_wait_ns", kBigint, "ns", "gaps before work that had been launched already"},
             {"other_wait_ns", kBigint, "ns", "gaps before work whose launch is not known"},
             {"queued_ns", kBigint, "ns", "from launch to end, added over the work"},
             {"queue_max", kBigint, "", "greatest number launched and not yet finished, at a launch"},
             {"occupancy_pct_ns", kDouble, "", "occupancy in percent times duration, added over kernels"},
             {"occupancy_known_ns", kBigint, "ns", "duration of the kernels whose occupancy is known"}}};
}

std::string stream_sums_sql(std::string_view stats) {
    return "SELECT stream, sum(spans)::BIGINT AS spans, sum(busy_ns)::BIGINT AS busy_ns, "
           "sum(host_wait_ns)::BIGINT AS host_wait_ns, sum(queued_wait_ns)::BIGINT AS queued_wait_ns, "
           "sum(other_wait_ns)::BIGINT AS other_wait_ns, sum(queued_ns)::BIGINT AS queued_ns, "
           "max(queue_max) AS queue_max, sum(occupancy_pct_ns) AS occupancy_pct_ns, "
           "sum(occupancy_known_ns)::BIGINT AS occupancy_known_ns FROM " +
           std::string(stats) + " GROUP BY stream";
}

std::vector<View> stream_views() {
    return {
        {"streams", "Streams over the whole profile: at work, idle, queued.", join({place(), sums()}),
         "(" + stream_sums_sql("raw.stream_stats") + ") s" + kNames},
        {"stream_stats", "Streams by iteration: any range is a sum of rows, but for queue_max, its largest.",
         join({place(), {kIterationColumn}, sums()}), std::string("raw.stream_stats s") + kNames}};
}

}  // namespace opsight::db
