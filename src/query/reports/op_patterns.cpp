#include "query/reports/op_patterns.h"

#include <algorithm>

#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

struct Stretch {
    int64_t track = 0, begin = 0, end = 0;
};

struct Found {
    std::vector<Stretch> stretches;  // by track and begin
    std::vector<TimeSpan> times;
    int64_t ops = 0;
};

duck::Statement statement_of(const PatternChoice& choice) {
    const int64_t least = choice.least, parts = choice.parts;
    switch (choice.pattern) {
        case OpPattern::kRepeated:
            return duck::Statement(sql::pattern_repeated).set("least", least).set("parts", parts);
        case OpPattern::kElementwise:
            return duck::Statement(sql::pattern_elementwise).set("least", least);
        case OpPattern::kGrowing:
            return duck::Statement(sql::pattern_growing).set("least", least).set("parts", parts);
        case OpPattern::kRecomputed:
            return duck::Statement(sql::pattern_recomputed);
        case OpPattern::kDense:
            return duck::Statement(sql::pattern_dense).set("least", least);
        case OpPattern::kAnomaly:
            break;
    }
    return duck::Statement(sql::pattern_anomaly).set("least", least).set("parts", parts);
}

Result<Found> find(Session& session, const duck::Statement& statement) {
    Found found;
    OPSIGHT_TRY(session.scan(statement, [&](const duck::Batch& batch) {
        const auto *track = batch.column<int64_t>(0), *rank = batch.column<int64_t>(1),
                   *begin = batch.column<int64_t>(2), *end = batch.column<int64_t>(3),
                   *ops = batch.column<int64_t>(4);
        for (size_t i = 0; i < batch.size(); ++i) {
            found.stretches.push_back({track[i], begin[i], end[i]});
            found.times.push_back({rank[i], begin[i], end[i]});
            found.ops += ops[i];
        }
    }));
    return found;
}

Result<std::vector<TimeSpan>> launched_in(Session& session, const std::vector<Stretch>& stretches) {
    std::vector<TimeSpan> launched;
    size_t at = 0;
    OPSIGHT_TRY(session.scan(sql::launched_by_ops, [&](const duck::Batch& batch) {
        const auto *track = batch.column<int64_t>(0), *op_begin = batch.column<int64_t>(1),
                   *rank = batch.column<int64_t>(2), *begin = batch.column<int64_t>(3),
                   *end = batch.column<int64_t>(4);
        for (size_t i = 0; i < batch.size(); ++i) {
            while (at < stretches.size() &&
                   (stretches[at].track < track[i] ||
                    (stretches[at].track == track[i] && stretches[at].end <= op_begin[i])))
                ++at;
            if (at < stretches.size() && stretches[at].track == track[i] &&
                stretches[at].begin <= op_begin[i])
                launched.push_back({rank[i], begin[i], end[i]});
        }
    }));
    return launched;
}

}  // namespace

Result<Occurrences> times_of_pattern(Session& session, const PatternChoice& choice) {
    OPSIGHT_ASSIGN(Found found, find(session, statement_of(choice)));
    Occurrences times;
    times.count = found.ops;
    if (choice.device) {
        OPSIGHT_ASSIGN(found.times, launched_in(session, found.stretches));
    }
    OPSIGHT_ASSIGN(times.times, within_range(session, std::move(found.times)));
    return times;
}

}  // namespace opsight::query
