// Views of what only some sources tell.
#include "db/view_parts.h"

namespace opsight::db {

using enum duck::Type;

std::vector<View> source_views() {
    return {
        {"nvtx_ranges",
         "NVTX ranges and marks of threads, whatever else they were read as.",
         {{"id", kInteger, "", "span number: a row of ops, annotations, module_calls or other_spans", "s.id"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"pid", kBigint, "", "process id", "t.pid"},
          {"tid", kBigint, "", "thread that began it", "t.tid"},
          {"end_tid", kBigint, "", "thread that ended it", "coalesce(e.tid, t.tid)"},
          {"track", kInteger, "", "tracks.id", "s.track"},
          {"begin_ns", kBigint, "ns", "begin", "s.begin_ns"},
          {"dur_ns", kBigint, "ns", "duration", "s.dur_ns"},
          {"end_ns", kBigint, "ns", "end", "s.begin_ns + s.dur_ns"},
          {"text", kVarchar, "", "as written", "x.text"},
          {"type", kVarchar, "", "push_pop, start_end or mark",
           "CASE a.type WHEN 0 THEN 'push_pop' WHEN 1 THEN 'start_end' ELSE 'mark' END"},
          {"domain", kVarchar, "", "name of its domain; NULL: the default domain", filled("a.domain_name")},
          {"category", kBigint, "", "number of its category", "nullif(a.category, 0)"},
          {"category_name", kVarchar, "", "name of its category", filled("a.category_name")},
          {"color", kBigint, "", "ARGB", known("a.color")},
          {"payload", kVarchar, "", "payload",
           "CASE p.type WHEN 0 THEN p.integer::VARCHAR WHEN 1 THEN p.real::VARCHAR ELSE p.text END"},
          kUnfinishedColumn},
         host_source("nvtx_ranges") +
             " LEFT JOIN raw.tracks e ON e.id = s.end_track LEFT JOIN raw.strings x ON x.id = s.text "
             "LEFT JOIN raw.nvtx_attributes a ON a.id = s.attributes LEFT JOIN raw.nvtx_payloads p ON p.id = "
             "s.id"},
        {"messages", "Calls of message passing (MPI, UCX) with their arguments.",
         join(
             {{{"id", kInteger, "", "other_spans.id", "s.id"}},
              host_columns(),
              {{"name", kVarchar, "", "function", "x.text"},
               {"tag", kBigint, "", "tag", known("m.tag")},
               {"own_rank", kBigint, "", "rank that calls", known("m.rank")},
               {"peer", kBigint, "", "rank at the other side", known("m.peer")},
               {"root", kBigint, "", "root of a collective", known("m.root")},
               {"bytes", kBigint, "bytes", "size of a message", known("m.bytes")},
               {"sent_bytes", kBigint, "bytes", "sent in a collective", known("m.sent_bytes")},
               {"received_bytes", kBigint, "bytes", "received in a collective", known("m.received_bytes")}}}),
         "(SELECT * FROM raw.other_spans WHERE kind = 11) s JOIN raw.tracks t ON t.id = s.track "
         "LEFT JOIN raw.ranks r ON r.id = t.rank LEFT JOIN raw.strings x ON x.id = s.name "
         "LEFT JOIN raw.messages m ON m.id = s.id"},
        {"page_faults",
         "Page faults of unified memory.",
         {{"time_ns", kBigint, "ns", "time", "s.time_ns"},
          {"dur_ns", kBigint, "ns", "duration", "s.dur_ns"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"device", kBigint, "", "device number; NULL: a fault of the CPU", "d.number"},
          {"address", kBigint, "", "address", "s.address"},
          {"count", kBigint, "", "faults", "s.count"},
          {"access", kVarchar, "", "kind of access; of the CPU: the function that faulted",
           filled("s.access")}},
         host_source("page_faults") + " LEFT JOIN raw.devices d ON d.id = s.device"},
        {"contexts",
         "Contexts of devices, as the source lists them.",
         {{"rank", kBigint, "", "rank in its job", "r.number"},
          {"context", kBigint, "", "number, as in tracks", "c.context"},
          {"device", kBigint, "", "device number", known("c.device")},
          {"parent", kBigint, "", "context that a green context is part of", known("c.parent")},
          {"green", kBoolean, "", "a part of the device", "c.green"}},
         "raw.contexts c LEFT JOIN raw.ranks r ON r.id = c.rank"},
    };
}

}  // namespace opsight::db
