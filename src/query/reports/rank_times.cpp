#include "query/reports/rank_times.h"

#include <any>
#include <array>

#include "analyze/results.h"
#include "query/reports/iteration_shares.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;
using analyze::Resource;

int64_t sum_of(const IterationShares& shares, std::initializer_list<Resource> resources) {
    int64_t ns = 0;
    for (const Resource resource : resources)
        ns += shares.ns[static_cast<size_t>(resource)];
    return ns;
}

// In the order of the table's columns.
std::array<int64_t, 10> row_of(const IterationShares& s) {
    return {s.rank,
            s.iteration,
            s.begin_ns,
            s.dur_ns,
            sum_of(s, {Resource::kTensorCoreKernel, Resource::kOtherKernel, Resource::kUnknownKernel}),
            sum_of(s, {Resource::kCommunication}),
            sum_of(s, {Resource::kMemory}),
            sum_of(s, {Resource::kDataLoader}),
            sum_of(s, {Resource::kCpu, Resource::kHost, Resource::kFileIo}),
            sum_of(s, {Resource::kIdle})};
}

Status keep_shares(Session& session) {
    OPSIGHT_ASSIGN(const std::vector<IterationShares> shares, shares_of_range(session));
    OPSIGHT_TRY(session.execute(duck::Statement(sql::rank_shares)));
    OPSIGHT_ASSIGN(duck::Appender to,
                   session.append_to("rank_shares", std::vector<duck::Type>(10, duck::Type::kBigint)));
    size_t filled = 0;
    for (const IterationShares& each : shares) {
        const std::array<int64_t, 10> row = row_of(each);
        for (size_t column = 0; column < row.size(); ++column)
            to.column<int64_t>(column)[filled] = row[column];
        if (++filled < duck::Appender::kBatch) continue;
        OPSIGHT_TRY(to.add(filled));
        filled = 0;
    }
    if (filled > 0) OPSIGHT_TRY(to.add(filled));
    return to.close();
}

}  // namespace

Status prepare_rank_times(Session& session) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    OPSIGHT_TRY(keep_shares(session));
    return session.prepare(duck::Statement(sql::rank_times).set("whole", session.range().whole));
}

}  // namespace opsight::query
