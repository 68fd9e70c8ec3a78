#include "query/session/range_views.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

// A label is a text in a domain: its number is made from both, so that no join over all ranges is needed.
std::string nvtx_views_sql(int64_t domains) {
    return fmt::format(
        "CREATE TEMP TABLE nvtx_kinds AS SELECT id, type AS style, domain_name, "
        "(list_position((SELECT list(DISTINCT domain_name ORDER BY domain_name) FROM raw.nvtx_attributes), "
        "domain_name) - 1)::INTEGER AS domain FROM raw.nvtx_attributes;"
        "CREATE TEMP VIEW all_ranges AS SELECT r.id, r.track, r.begin_ns, r.begin_ns + r.dur_ns AS end_ns, "
        "r.dur_ns, (r.text * {0} + k.domain)::INTEGER AS label, k.style, r.end_track < 0 AS same_thread "
        "FROM raw.nvtx_ranges r JOIN nvtx_kinds k ON k.id = r.attributes "
        "WHERE k.style < 2 AND (r.flags & 1) = 0;"
        "CREATE TEMP VIEW st_labels AS SELECT l.label AS id, d.domain_name || ':' || s.text AS text, "
        "d.domain_name AS domain, s.text AS name "
        "FROM (SELECT DISTINCT label FROM all_ranges) l JOIN raw.strings s ON s.id = l.label // {0} "
        "JOIN (SELECT DISTINCT domain, domain_name FROM nvtx_kinds) d ON d.domain = l.label % {0}",
        domains);
}

}  // namespace

Status make_range_views(duck::Connection& connection, Instead instead) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   connection.query("SELECT EXISTS (FROM raw.nvtx_ranges), "
                                    "(SELECT count(DISTINCT domain_name) FROM raw.nvtx_attributes)"));
    if (std::get<bool>(rows.rows.at(0)[0]))
        return connection.execute(nvtx_views_sql(std::get<int64_t>(rows.rows[0][1])));
    const bool all = instead == Instead::kAllNamed;
    return connection.execute(fmt::format(
        "CREATE TEMP VIEW named_spans AS SELECT id, track, begin_ns, dur_ns, flags, name FROM "
        "raw.annotations{};"
        "CREATE TEMP VIEW st_labels AS SELECT id, ':' || text AS text, '' AS domain, text AS name FROM "
        "raw.strings WHERE id IN (SELECT name FROM raw.annotations UNION SELECT name FROM raw.module_calls) "
        "UNION ALL SELECT -2 - id, ':' || name, '', name FROM raw.op_identities;"
        "CREATE TEMP VIEW all_ranges AS SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, "
        "name AS label, 0::TINYINT AS style, true AS same_thread FROM named_spans WHERE (flags & 3) = 0",
        all ? " UNION ALL SELECT id, track, begin_ns, dur_ns, 0, name FROM raw.module_calls "
              "UNION ALL SELECT o.id, o.track, o.begin_ns, o.dur_ns, o.flags, -2 - o.op FROM raw.ops o"
            : ""));
}

std::string work_views_sql(const std::string& window) {
    return fmt::format(
        "CREATE TEMP VIEW st_api AS SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name, "
        "correlation, result FROM raw.api_calls WHERE (flags & 1) = 0{0};"
        "CREATE TEMP VIEW st_gpu AS SELECT rowid AS rid, kind, track, begin_ns, begin_ns + dur_ns AS end_ns, "
        "dur_ns, name, launch, correlation, config, bytes, transfer FROM raw.device_spans WHERE kind < 3{0};"
        // Graphs that were recorded as a whole keep a device busy, though their kernels are not known.
        "CREATE TEMP VIEW st_busy AS SELECT track, begin_ns, begin_ns + dur_ns AS end_ns FROM "
        "raw.device_spans WHERE (kind < 3 OR kind = 6){0};",
        window);
}

}  // namespace opsight::query
