#include "query/session/range_views.h"

#include "query/session/cells.h"
#include "query/session/sql.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

duck::Cell bound(const std::optional<int64_t>& time) {
    return time ? duck::Cell(*time) : duck::Cell();
}

}  // namespace

Status make_range_views(duck::Connection& connection, Instead instead) {
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::nvtx_domains));
    duck::Statement views(sql::annotation_views);
    if (flag(rows.rows.at(0)[0])) views = sql::nvtx_views;
    views.set("domains", rows.rows[0][1]).set("all_named", instead == Instead::kAllNamed);
    return connection.execute(views);
}

Status make_work_views(duck::Connection& connection, const Window& window) {
    return connection.execute(
        duck::Statement(sql::work_views).set("from_ns", bound(window.begin)).set("to_ns", bound(window.end)));
}

}  // namespace opsight::query
