#include "query/reports/host_time.h"

#include "analyze/host_states.h"
#include "query/reports/range_resources.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;
using analyze::Resource;

constexpr int64_t kLongNs = 50'000;

CallClass class_of(const std::string& name) {
    if (name == "memory") return CallClass::kMemory;
    if (name == "wait") return CallClass::kWait;
    if (name == "launch") return CallClass::kLaunch;
    return CallClass::kOther;
}

// Of sources that tell no calls, as timelines of TensorFlow: ops that start the device up.
Result<std::optional<LongCalls>> long_first_ops(Session& session) {
    constexpr int64_t kFirstNs = 10'000'000;
    OPSIGHT_TRY(prepare_within(session));
    OPSIGHT_ASSIGN(const auto resources, range_resources(session));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(duck::Statement(sql::long_first_ops)
                                                            .set("long_ns", kFirstNs)
                                                            .set("cpu_ns", resources->ns(Resource::kCpu))));
    if (rows.rows.empty()) return std::nullopt;
    const auto& row = rows.rows[0];
    LongCalls ops;
    ops.name = text(row[0]);
    ops.calls = 1;
    ops.ns = integer(row[1]);
    ops.longest_ns = integer(row[2]);
    ops.mostly_one = flag(row[3]);
    ops.class_ns = integer(row[4]);
    ops.first_launches = true;
    return ops;
}

}  // namespace

Result<std::optional<LongCalls>> long_calls(Session& session) {
    if (!session.contents().calls && session.contents().device_work) return long_first_ops(session);
    OPSIGHT_TRY(prepare_within(session));
    OPSIGHT_ASSIGN(const auto resources, range_resources(session));
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::long_calls)
                                     .set("long_ns", kLongNs)
                                     .set("cpu_ns", resources->unqueued_ns(Resource::kCpu))));
    if (rows.rows.empty()) return std::nullopt;
    const auto& row = rows.rows[0];
    LongCalls calls;
    calls.of = class_of(text(row[0]));
    calls.name = text(row[1]);
    calls.calls = integer(row[2]);
    calls.ns = integer(row[3]);
    calls.longest_ns = integer(row[4]);
    calls.mostly_one = flag(row[5]);
    calls.class_ns = integer(row[6]);
    calls.behind_ns = integer(row[7]);
    if (calls.of != CallClass::kLaunch) return calls;
    OPSIGHT_ASSIGN(
        const duck::Rows first,
        session.query(duck::Statement(sql::first_launches).set("long_ns", kLongNs).set("call", calls.name)));
    calls.first_launches = flag(first.rows.at(0)[0]);
    return calls;
}

Result<std::optional<LongCalls>> file_calls(Session& session) {
    OPSIGHT_TRY(prepare_within(session));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::file_calls));
    for (const auto& row : rows.rows) {
        LongCalls calls;
        calls.name = text(row[0]);
        if (!flag(row[1]) && analyze::state_of_system_call(calls.name) != analyze::HostState::kFileIo)
            continue;
        calls.calls = integer(row[2]);
        calls.ns = integer(row[3]);
        calls.longest_ns = integer(row[4]);
        calls.mostly_one = flag(row[5]);
        return calls;
    }
    return std::nullopt;
}

Result<std::optional<OpenSpan>> open_beside_ops(Session& session) {
    OPSIGHT_TRY(prepare_within(session));
    OPSIGHT_ASSIGN(const auto resources, range_resources(session));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(duck::Statement(sql::open_beside_ops)
                                                            .set("long_ns", kLongNs)
                                                            .set("host_ns", resources->ns(Resource::kHost))));
    if (rows.rows.empty()) return std::nullopt;
    return OpenSpan{text(rows.rows[0][0]) == "function", text(rows.rows[0][1]), flag(rows.rows[0][2])};
}

}  // namespace opsight::query
