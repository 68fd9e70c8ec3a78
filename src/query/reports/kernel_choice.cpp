#include "query/reports/kernel_choice.h"

#include "query/reports/sql.h"

namespace opsight::query {
namespace sql = reports::sql;

Status choose_all_kernels(Session& session) {
    return session.execute(sql::all_kernels);
}

Status choose_kernels_of_op(Session& session, int64_t op) {
    OPSIGHT_TRY(session.execute(duck::Statement(sql::under_op).set("op", op)));
    return session.execute(duck::Statement(sql::kernels_of_op).set("op", op));
}

Result<bool> choose_kernels_with(Session& session, const std::string& text, bool places) {
    OPSIGHT_ASSIGN(const duck::Rows own,
                   session.query(duck::Statement(sql::found_in_instance).set("text", text)));
    if (std::get<bool>(own.rows.at(0)[0])) return false;
    OPSIGHT_TRY(session.execute(duck::Statement(sql::found_names).set("text", text).set("places", places)));
    OPSIGHT_TRY(session.execute(duck::Statement(sql::found_ops).set("text", text)));
    OPSIGHT_TRY(session.execute(sql::found_kernels));
    return true;
}

}  // namespace opsight::query
