#include "query/reports/queued_pauses.h"

#include <algorithm>
#include <optional>

#include "query/reports/activity_times.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

// Between busy segments that touch the wall clock of their rank.
Result<TimeSpans> pauses_of_devices(Session& session) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    std::vector<TimeSpan> busy;
    OPSIGHT_TRY(each_span(session, duck::Statement(sql::times_device).set("kernels", false),
                          [&busy](const TimeSpan& span) { busy.push_back(span); }));
    sort_runs(busy);
    TimeSpans pauses;
    std::optional<TimeSpan> before;
    auto stretch = range.begin();
    for (const TimeSpan& span : busy) {
        const auto passed = [&span](const TimeSpan& s) {
            return s.rank < span.rank || (s.rank == span.rank && s.end < span.begin);
        };
        while (stretch != range.end() && passed(*stretch))
            ++stretch;
        if (stretch == range.end()) break;
        if (stretch->rank != span.rank || span.end < stretch->begin) continue;
        const bool goes_on = before && before->rank == span.rank;
        if (goes_on && before->end < span.begin) pauses.push_back({span.rank, before->end, span.begin});
        if (!goes_on || before->end < span.end) before = span;
    }
    return pauses;
}

// Finds the pause that ends at a moment; moments that rise, as the work of a stream does, take one step each.
class Ends {
  public:
    explicit Ends(const TimeSpans& pauses) : pauses_(pauses) {}
    // Its place, or the number of pauses.
    size_t at(int64_t rank, int64_t ns) {
        const TimeSpan wanted{rank, 0, ns};
        if (place_ > 0 && !ends_before(pauses_[place_ - 1], wanted))
            place_ = static_cast<size_t>(
                std::lower_bound(pauses_.begin(), pauses_.end(), wanted, ends_before) - pauses_.begin());
        while (place_ < pauses_.size() && ends_before(pauses_[place_], wanted))
            ++place_;
        const bool found = place_ < pauses_.size() && !ends_before(wanted, pauses_[place_]);
        return found ? place_ : pauses_.size();
    }

  private:
    static bool ends_before(const TimeSpan& a, const TimeSpan& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.end < b.end;
    }
    const TimeSpans& pauses_;
    size_t place_ = 0;
};

Result<TimeSpans> find_queued(Session& session) {
    OPSIGHT_ASSIGN(TimeSpans pauses, pauses_of_devices(session));
    if (pauses.empty()) return pauses;
    std::vector<bool> queued(pauses.size());
    Ends ends(pauses);
    // Of each piece of work the end of its launch and its own begin.
    OPSIGHT_TRY(each_span(session, sql::launched_before, [&](const TimeSpan& span) {
        const size_t place = ends.at(span.rank, span.end);
        if (place < pauses.size() && span.begin <= pauses[place].begin) queued[place] = true;
    }));
    size_t kept = 0;
    for (size_t i = 0; i < pauses.size(); ++i)
        if (queued[i]) pauses[kept++] = pauses[i];
    pauses.resize(kept);
    return pauses;
}

}  // namespace

Result<std::shared_ptr<const TimeSpans>> queued_pauses(Session& session) {
    using Pauses = std::shared_ptr<const TimeSpans>;
    return session.remember<Pauses>("queued_pauses", [&]() -> Result<Pauses> {
        OPSIGHT_ASSIGN(TimeSpans found, find_queued(session));
        return std::make_shared<const TimeSpans>(std::move(found));
    });
}

}  // namespace opsight::query
