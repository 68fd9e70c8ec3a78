#include "query/session/range_sums.h"

#include <absl/container/flat_hash_map.h>

#include "query/session/range_projection.h"
#include "query/session/sql.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

// What SQL cannot tell: own time, from the stack of each thread, and the work on devices.
struct Beyond {
    int64_t self = -1, gpu = 0, ops = 0;  // self -1: does not apply
    int64_t again = 0;  // of ranges within others of the same name: their time is told already
};
using BeyondByKind = absl::flat_hash_map<std::pair<int32_t, uint8_t>, Beyond>;  // label and style

// Push/pop ranges that lie in one of the same name. Ranges of a thread come in the order in which they began,
// so that those which are open make a stack, and it is enough to know how many of a name are on it.
std::vector<uint32_t> within_their_own_name(const Ranges& ranges, const Nesting& nesting) {
    std::vector<uint32_t> found, open;
    absl::flat_hash_map<int32_t, uint32_t> open_of;  // by label
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        if (ranges.style[i] != 0) continue;
        while (!open.empty() && open.back() != nesting.parent[i]) {
            --open_of[ranges.label[open.back()]];
            open.pop_back();
        }
        if (open_of[ranges.label[i]]++ > 0) found.push_back(i);
        open.push_back(i);
    }
    return found;
}

Result<BeyondByKind> look_beyond(duck::Connection& connection, bool device_work) {
    OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(connection, true));
    const Nesting nesting = nesting_of(ranges);
    const std::vector<int64_t> in_children = time_in_children(ranges, nesting);
    BeyondByKind found;
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        Beyond& kind = found[{ranges.label[i], ranges.style[i]}];
        if (ranges.style[i] != 0) continue;
        kind.self = std::max<int64_t>(kind.self, 0) + ranges.end[i] - ranges.begin[i] - in_children[i];
    }
    for (const uint32_t i : within_their_own_name(ranges, nesting))
        found[{ranges.label[i], ranges.style[i]}].again += ranges.end[i] - ranges.begin[i];
    if (!device_work) return found;
    OPSIGHT_ASSIGN(const Launches launches, load_launches(connection, false));
    for (const Projected& p : project(ranges, launches)) {
        Beyond& kind = found[{ranges.label[p.range], ranges.style[p.range]}];
        kind.gpu += p.end - p.begin;
        kind.ops += p.work;
    }
    return found;
}

Status keep_beyond(Session& session, const BeyondByKind& found) {
    using enum duck::Type;
    OPSIGHT_ASSIGN(duck::Appender appender, session.append_to("range_beyond", {kInteger, kInteger, kBigint,
                                                                               kBigint, kBigint, kBigint}));
    size_t filled = 0;
    for (const auto& [key, kind] : found) {
        appender.column<int32_t>(0)[filled] = key.first;
        appender.column<int32_t>(1)[filled] = key.second;
        appender.column<int64_t>(2)[filled] = kind.self;
        appender.column<int64_t>(3)[filled] = kind.gpu;
        appender.column<int64_t>(4)[filled] = kind.ops;
        appender.column<int64_t>(5)[filled] = kind.again;
        if (++filled < duck::Appender::kBatch) continue;
        OPSIGHT_TRY(appender.add(filled));
        filled = 0;
    }
    if (filled > 0) OPSIGHT_TRY(appender.add(filled));
    return appender.close();
}

}  // namespace

Status sum_ranges(Session& session, duck::Connection& connection) {
    OPSIGHT_TRY(make_range_views(connection, Instead::kAnnotations));
    OPSIGHT_TRY(make_work_views(connection, {}));
    OPSIGHT_TRY(session.execute(duck::Statement(sql::chosen_ranges).set("whole", session.range().whole)));
    OPSIGHT_ASSIGN(const BeyondByKind beyond, look_beyond(connection, session.contents().device_work));
    OPSIGHT_TRY(keep_beyond(session, beyond));
    return session.execute(sql::range_sums);
}

Status merge_ranges(Session& session) {
    return session.execute(sql::merged_ranges);
}

}  // namespace opsight::query
