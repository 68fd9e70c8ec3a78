#include "query/reports/code_loading.h"

#include <utility>
#include <vector>

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

Result<CodeLoading> code_loading(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(reports::sql::times_overhead).set("programs", true)));
    CodeLoading found;
    std::vector<TimeSpan> spans;
    for (const auto& row : rows.rows) {
        const TimeSpan span{integer(row[0]), integer(row[1]), integer(row[2])};
        spans.push_back(span);
        if (span.end - span.begin <= found.longest_ns) continue;
        found.longest_ns = span.end - span.begin;
        found.longest = text(row[3]);
    }
    found.count = std::ssize(spans);
    OPSIGHT_ASSIGN(found.times, within_range(session, std::move(spans)));
    return found;
}

}  // namespace opsight::query
