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
    double bytes_between = 0;  // see ElementwiseChains; below 0: not told
};

duck::Statement statement_of(const PatternChoice& choice) {
    const int64_t least = choice.least, parts = choice.parts;
    switch (choice.pattern) {
        case OpPattern::kRepeated:
            return duck::Statement(sql::pattern_repeated).set("least", least).set("parts", parts);
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

// In SQL the windows that number such stretches take minutes for millions of ops.
// Ops that work element by element, one after the other within 0.2 ms, where they are `least` or more. An op
// that another one of the library calls is part of it.
class Chains {
  public:
    explicit Chains(int64_t least) : least_(least) {}

    void see(const duck::Batch& batch) {
        const auto *track = batch.column<int64_t>(0), *rank = batch.column<int64_t>(1),
                   *begin = batch.column<int64_t>(2), *end = batch.column<int64_t>(3),
                   *id = batch.column<int64_t>(4), *parent = batch.column<int64_t>(5);
        const auto *plain = batch.column<bool>(6), *works = batch.column<bool>(7);
        const auto* bytes = batch.column<double>(8);
        for (size_t i = 0; i < batch.size(); ++i) {
            const bool inner = remember(id[i], parent[i]);
            if (works[i] && !inner) add({track[i], begin[i], end[i]}, rank[i], plain[i], bytes[i]);
        }
    }
    Found take() {
        close();
        return std::move(found_);
    }

  private:
    // Whether the op lies in one that came before.
    bool remember(int64_t id, int64_t parent) {
        if (id < 0) return false;
        const auto place = static_cast<size_t>(id);
        if (place >= seen_.size()) seen_.resize(std::max(place + 1, 2 * seen_.size()));
        seen_[place] = true;
        return parent >= 0 && static_cast<size_t>(parent) < seen_.size() &&
               seen_[static_cast<size_t>(parent)];
    }
    void add(const Stretch& op, int64_t rank, bool plain, double bytes) {
        constexpr int64_t kApart = 200'000;
        if (!plain || op.track != chain_.track || op.begin > last_end_ + kApart) close();
        last_end_ = op.end;
        if (!plain) return;
        if (ops_ == 0)
            chain_ = op, rank_ = rank, between_ = 0;
        else
            between_ = between_ < 0 || result_ < 0 ? -1 : between_ + 2 * result_;
        result_ = bytes;
        chain_.end = std::max(chain_.end, op.end);
        ++ops_;
    }
    void close() {
        if (ops_ > 0 && ops_ >= least_) {
            found_.stretches.push_back(chain_);
            found_.times.push_back({rank_, chain_.begin, chain_.end});
            found_.ops += ops_;
            const bool told = found_.bytes_between >= 0 && between_ >= 0;
            found_.bytes_between = told ? found_.bytes_between + between_ : -1;
        }
        ops_ = 0;
    }

    const int64_t least_;
    Found found_;
    std::vector<bool> seen_;  // by id, which the opener of the file holds to be below the number of spans
    Stretch chain_;
    int64_t rank_ = 0, ops_ = 0, last_end_ = 0;
    double between_ = 0, result_ = 0;  // bytes from op to op of the chain, and of its last result
};

Result<Found> find_chains(Session& session, int64_t least) {
    Chains chains(least);
    OPSIGHT_TRY(session.scan(sql::elementwise_ops, [&](const duck::Batch& batch) { chains.see(batch); }));
    return chains.take();
}

Result<std::vector<TimeSpan>> launched_in(Session& session, const std::vector<Stretch>& stretches) {
    std::vector<TimeSpan> launched;
    if (stretches.empty()) return launched;
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

Result<Occurrences> taken_by(Session& session, Found found, bool device) {
    Occurrences times;
    times.count = found.ops;
    if (device) {
        OPSIGHT_ASSIGN(found.times, launched_in(session, found.stretches));
    }
    OPSIGHT_ASSIGN(times.times, within_range(session, std::move(found.times)));
    return times;
}

}  // namespace

Result<Occurrences> times_of_pattern(Session& session, const PatternChoice& choice) {
    OPSIGHT_ASSIGN(Found found, find(session, statement_of(choice)));
    return taken_by(session, std::move(found), choice.device);
}

Result<ElementwiseChains> elementwise_chains(Session& session, int64_t least, bool device) {
    OPSIGHT_ASSIGN(Found found, find_chains(session, least));
    ElementwiseChains chains;
    if (found.bytes_between >= 0) chains.bytes_between = found.bytes_between;
    OPSIGHT_ASSIGN(chains.found, taken_by(session, std::move(found), device));
    return chains;
}

}  // namespace opsight::query
