#include "query/reports/op_patterns.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "query/reports/op_callers.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"
#include "query/session/sql.h"

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

// What an op of PyTorch's library is; `works`: work of the program's own.
struct KindOfOp {
    bool known = false, plain = false, reduces = false, works = false;
};

class KindsOfOps {
  public:
    static Result<KindsOfOps> read(Session& session) {
        KindsOfOps all;
        OPSIGHT_ASSIGN(const duck::Rows names, session.query(sql::elementwise_names));
        for (const auto& row : names.rows)
            at(all.kinds_, integer(row[0]), {}) = {true, flag(row[1]), flag(row[2]), flag(row[3])};
        OPSIGHT_ASSIGN(const duck::Rows sizes, session.query(sql::elementwise_sizes));
        for (const auto& row : sizes.rows)
            at(all.bytes_, integer(row[0]), kUntold) = real(row[1]);
        OPSIGHT_ASSIGN(const duck::Rows tracks, session.query(session::sql::track_ranks));
        for (const auto& row : tracks.rows)
            at(all.ranks_, integer(row[0]), -1) = integer(row[1]);
        return all;
    }
    KindOfOp of(int64_t op) const { return within(kinds_, op, {}); }
    // Of a result that is as large as the largest input; below 0: not told.
    double bytes_of(int64_t signature) const { return within(bytes_, signature, kUntold); }
    int64_t rank_of(int64_t track) const { return within(ranks_, track, -1); }

  private:
    static constexpr double kUntold = -1;
    // These ids are the numbers of rows.
    template <class T>
    static T& at(std::vector<T>& all, int64_t id, std::type_identity_t<T> otherwise) {
        const auto place = static_cast<size_t>(std::max<int64_t>(id, 0));
        if (place >= all.size()) all.resize(place + 1, otherwise);
        return all[place];
    }
    template <class T>
    static T within(const std::vector<T>& all, int64_t id, std::type_identity_t<T> otherwise) {
        return id >= 0 && static_cast<size_t>(id) < all.size() ? all[static_cast<size_t>(id)] : otherwise;
    }
    std::vector<KindOfOp> kinds_;
    std::vector<double> bytes_;
    std::vector<int64_t> ranks_;
};

// In SQL the windows that number such stretches take minutes for millions of ops.
// Ops that work element by element, one after the other within 0.2 ms, where they are `least` or more. An op
// that another one of the library calls is part of it.
class Chains {
  public:
    Chains(int64_t least, const KindsOfOps& kinds) : least_(least), kinds_(kinds) {}

    void see(const duck::Batch& batch) {
        const auto *track = batch.column<int64_t>(0), *begin = batch.column<int64_t>(1),
                   *end = batch.column<int64_t>(2), *id = batch.column<int64_t>(3),
                   *parent = batch.column<int64_t>(4), *op = batch.column<int64_t>(5),
                   *signature = batch.column<int64_t>(6);
        for (size_t i = 0; i < batch.size(); ++i) {
            const KindOfOp kind = kinds_.of(op[i]);
            if (!kind.known) continue;
            const std::array<int64_t, 3> place = {track[i], begin[i], id[i]};
            in_order_ = in_order_ && last_ < place;
            last_ = place;
            const bool inner = remember(id[i], parent[i]);
            if (!kind.works || inner) continue;
            add({track[i], begin[i], end[i]}, kinds_.rank_of(track[i]), kind.plain,
                kind.reduces ? 0 : kinds_.bytes_of(signature[i]));
        }
    }
    // Whether ops came by thread and begin, without which what was found is none.
    bool in_order() const { return in_order_; }
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
    const KindsOfOps& kinds_;
    Found found_;
    std::vector<bool> seen_;  // by id, which the opener of the file holds to be below the number of spans
    std::array<int64_t, 3> last_ = {-1, 0, 0};
    bool in_order_ = true;
    Stretch chain_;
    int64_t rank_ = 0, ops_ = 0, last_end_ = 0;
    double between_ = 0, result_ = 0;  // bytes from op to op of the chain, and of its last result
};

Result<Found> find_chains(Session& session, int64_t least) {
    OPSIGHT_ASSIGN(const KindsOfOps kinds, KindsOfOps::read(session));
    for (const duck::Sql& statement : {sql::elementwise_ops, sql::elementwise_ops_sorted}) {
        Chains chains(least, kinds);
        OPSIGHT_TRY(session.scan(statement, [&](const duck::Batch& batch) { chains.see(batch); }));
        if (chains.in_order()) return chains.take();
    }
    return Found();
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
    // Who called whom is known sooner than when.
    if (choice.pattern == OpPattern::kRecomputed) {
        OPSIGHT_ASSIGN(const bool any, forward_in_backward(session));
        if (!any) return Occurrences();
    }
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
