#include "query/reports/without_tensor_cores.h"

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

namespace sql = reports::sql;

EligibleTime WithoutTensorCores::all() const {
    EligibleTime sum;
    for (const EligibleTime* part : {&fp32, &fp64, &narrow, &untold}) {
        sum.ns += part->ns;
        sum.depthwise_ns += part->depthwise_ns;
        sum.vector_ns += part->vector_ns;
    }
    return sum;
}

Result<WithoutTensorCores> work_without_tensor_cores(Session& session) {
    OPSIGHT_ASSIGN(const ProductOps products, product_ops(session));
    OPSIGHT_TRY(session.prepare(sql::without_tensor_cores));
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(duck::Statement(sql::sums_without_tensor_cores).set("products", products.ids)));
    WithoutTensorCores found;
    for (const auto& row : rows.rows) {
        const std::string floats = text(row[0]);
        EligibleTime& time = floats == "fp32"     ? found.fp32
                             : floats == "fp64"   ? found.fp64
                             : floats == "narrow" ? found.narrow
                                                  : found.untold;
        time = {integer(row[1]), integer(row[2]), integer(row[3])};
    }
    return found;
}

Result<Occurrences> times_without_tensor_cores(Session& session) {
    OPSIGHT_ASSIGN(const ProductOps products, product_ops(session));
    OPSIGHT_TRY(session.prepare(sql::without_tensor_cores));
    Occurrences found;
    std::vector<TimeSpan> spans;
    OPSIGHT_TRY(each_span(session,
                          duck::Statement(sql::times_without_tensor_cores).set("products", products.ids),
                          [&](const TimeSpan& span) { spans.push_back(span); }));
    found.count = static_cast<int64_t>(spans.size());
    OPSIGHT_ASSIGN(found.times, within_range(session, std::move(spans)));
    return found;
}

}  // namespace opsight::query
