#include "query/reports/activity_times.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analyze/host_states.h"
#include "hardware/op_tables.h"
#include "query/reports/queued_pauses.h"
#include "query/reports/reorders.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

// The rows of a statement may come in any order.
Result<TimeSpans> read(
    Session& session, const duck::Statement& statement,
    const std::function<void(const TimeSpan&)>& see = [](const TimeSpan&) {}) {
    SpanCollector all;
    OPSIGHT_TRY(each_span(session, statement, [&](const TimeSpan& span) {
        see(span);
        all.add(span);
    }));
    return all.take();
}

// Counts spans that begin in the range. Those that come after each other are in the same stretch mostly.
class BeginsInRange {
  public:
    explicit BeginsInRange(const TimeSpans& range) : range_(range) {}
    void count(const TimeSpan& span) {
        if (at_ >= range_.size() || !holds(range_[at_], span)) {
            const auto after = std::upper_bound(range_.begin(), range_.end(), span, starts_before);
            if (after == range_.begin()) return;
            at_ = static_cast<size_t>(after - range_.begin()) - 1;
            if (!holds(range_[at_], span)) return;
        }
        ++found_;
    }
    int64_t found() const { return found_; }

  private:
    static bool holds(const TimeSpan& stretch, const TimeSpan& span) {
        return stretch.rank == span.rank && stretch.begin <= span.begin && span.begin < stretch.end;
    }
    const TimeSpans& range_;
    size_t at_ = 0;
    int64_t found_ = 0;
};

Result<Occurrences> in_range(Session& session, const duck::Statement& statement) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    BeginsInRange begins(range);
    OPSIGHT_ASSIGN(const TimeSpans all,
                   read(session, statement, [&](const TimeSpan& span) { begins.count(span); }));
    return Occurrences{common(all, range), begins.found()};
}

Result<Occurrences> times_of_files(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows names, session.query(sql::system_calls));
    // A list of DuckDB as text; names of calls hold neither commas nor brackets, others are not known anyway.
    std::string calls;
    for (const auto& row : names.rows)
        if (analyze::state_of_system_call(text(row[0])) == analyze::HostState::kFileIo)
            calls += (calls.empty() ? "" : ", ") + text(row[0]);
    return in_range(session, duck::Statement(sql::times_files).set("system_calls", "[" + calls + "]"));
}

// In which no device works and the next work was launched.
Result<Occurrences> times_queued(Session& session) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    OPSIGHT_ASSIGN(const auto pauses, queued_pauses(session));
    BeginsInRange begins(range);
    for (const TimeSpan& pause : *pauses)
        begins.count(pause);
    return Occurrences{common(*pauses, range), begins.found()};
}

Result<Occurrences> times_of_nothing(Session& session) {
    OPSIGHT_TRY(session.prepare(sql::resource_time));
    return in_range(session, sql::times_of_nothing);
}

struct Running {
    int64_t rank = 0, begin = 0, end = 0;
    bool small = false;  // a kernel with fewer blocks than multiprocessors
};

// The small ones that nothing else runs beside, of one device's work.
void see_alone(std::vector<Running>& work, const std::function<void(const TimeSpan&)>& see) {
    sort_runs(work);
    int64_t last_end = std::numeric_limits<int64_t>::min();
    for (size_t i = 0; i < work.size(); ++i) {
        const Running& it = work[i];
        const bool followed = i + 1 < work.size() && work[i + 1].begin < it.end;
        if (it.small && last_end <= it.begin && !followed) see({it.rank, it.begin, it.end});
        last_end = std::max(last_end, it.end);
    }
}

Result<Occurrences> times_of_small_grids(Session& session) {
    std::map<int64_t, std::vector<Running>> devices;
    OPSIGHT_TRY(session.scan(sql::small_grids, [&](const duck::Batch& batch) {
        const auto *rank = batch.column<int64_t>(0), *begin = batch.column<int64_t>(1),
                   *end = batch.column<int64_t>(2), *device = batch.column<int64_t>(3);
        const auto* small = batch.column<bool>(4);
        for (size_t i = 0; i < batch.size(); ++i)
            devices[device[i]].push_back({rank[i], begin[i], end[i], small[i]});
    }));
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    BeginsInRange begins(range);
    SpanCollector alone;
    for (auto& [device, work] : devices)
        see_alone(work, [&](const TimeSpan& span) {
            begins.count(span);
            alone.add(span);
        });
    return Occurrences{common(alone.take(), range), begins.found()};
}

// No spans need be looked at where no name matches.
Result<bool> has_name(Session& session, const char* of, const std::string& pattern) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(duck::Statement(sql::has_name).set("of", std::string(of)).set("pattern", pattern)));
    return flag(rows.rows.at(0)[0]);
}

}  // namespace

Status each_span(Session& session, const duck::Statement& statement,
                 const std::function<void(const TimeSpan&)>& see) {
    return session.scan(statement, [&](const duck::Batch& batch) {
        const auto *rank = batch.column<int64_t>(0), *begin = batch.column<int64_t>(1),
                   *end = batch.column<int64_t>(2);
        for (size_t i = 0; i < batch.size(); ++i)
            see({rank[i], begin[i], end[i]});
    });
}

Result<TimeSpans> times_of_range(Session& session) {
    return session.remember<TimeSpans>("times_range", [&] { return read(session, sql::times_range); });
}

Result<Occurrences> times_of(Session& session, Activity activity) {
    const auto transfers = [&](const char* what) {
        return in_range(session, duck::Statement(sql::times_transfers)
                                     .set("what", std::string(what))
                                     .set("small_bytes", int64_t{0}));
    };
    const auto plain_kernels = [&]() -> Result<Occurrences> {
        OPSIGHT_ASSIGN(const ProductOps products, product_ops(session));
        return in_range(session, duck::Statement(sql::times_plain_kernels).set("products", products.ids));
    };
    const auto softmax = [&](bool device) {
        return in_range(session, duck::Statement(sql::times_attention).set("device", device));
    };
    switch (activity) {
        case Activity::kDataLoading:
            return in_range(session, sql::times_data_loading);
        case Activity::kFiles:
            return times_of_files(session);
        case Activity::kCommunication:
            return in_range(session, sql::times_communication);
        case Activity::kTransfers:
            return transfers("any");
        case Activity::kPageableCopies:
            return transfers("pageable");
        case Activity::kPlainKernels:
            return plain_kernels();
        case Activity::kSmallGrids:
            return times_of_small_grids(session);
        case Activity::kHostSoftmax:
        case Activity::kDeviceSoftmax:
            return softmax(activity == Activity::kDeviceSoftmax);
        case Activity::kHostScores:
        case Activity::kDeviceScores:
            return in_range(
                session,
                duck::Statement(sql::times_scores).set("device", activity == Activity::kDeviceScores));
        case Activity::kWaveTails:
            return in_range(session, sql::times_wave_tails);
        case Activity::kComputeKernels:
            return in_range(session, sql::times_compute);
        case Activity::kOverhead:
            return in_range(session, duck::Statement(sql::times_overhead).set("programs", false));
        case Activity::kQueued:
            return times_queued(session);
        case Activity::kNothing:
            return times_of_nothing(session);
        case Activity::kRunQueue:
            OPSIGHT_TRY(session.prepare(sql::run_queue_spans));
            return in_range(session, sql::times_run_queue);
        case Activity::kOps:
            return in_range(session, sql::times_in_ops);
        case Activity::kCalls:
            return in_range(session, sql::times_in_calls);
        case Activity::kDevice:
        case Activity::kKernels:
            break;
    }
    return in_range(session,
                    duck::Statement(sql::times_device).set("kernels", activity == Activity::kKernels));
}

Result<ProductOps> product_ops(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::products_of_ops));
    ProductOps found;
    std::set<std::string> names;
    for (const auto& row : rows.rows) {
        const std::string name = text(row[1]);
        if (!hardware::is_tensor_core_op(name) && !hardware::is_tensor_core_node_type(text(row[2]))) continue;
        found.ids += (found.ids.empty() ? "" : ",") + std::to_string(integer(row[0]));
        names.insert(name);
    }
    found.names.assign(names.begin(), names.end());
    return found;
}

Result<Occurrences> times_of_calls(Session& session, const std::string& pattern) {
    OPSIGHT_ASSIGN(const bool there, has_name(session, "texts", pattern));
    if (!there) return Occurrences();
    return in_range(session, duck::Statement(sql::times_calls).set("pattern", pattern));
}

Result<Occurrences> times_of_annotations(Session& session, const std::string& pattern) {
    OPSIGHT_ASSIGN(const bool text, has_name(session, "texts", pattern));
    OPSIGHT_ASSIGN(const bool op, has_name(session, "ops", pattern));
    if (!text && !op) return Occurrences();
    return in_range(session, duck::Statement(sql::times_annotations).set("pattern", pattern));
}

Result<Occurrences> times_of_kernels(Session& session, const std::string& pattern) {
    OPSIGHT_ASSIGN(const bool there, has_name(session, "kernels", pattern));
    if (!there) return Occurrences();
    return in_range(session, duck::Statement(sql::times_of_kernels).set("pattern", pattern));
}

Result<Occurrences> times_of_ops(Session& session, const OpChoice& choice) {
    OPSIGHT_ASSIGN(const bool there, has_name(session, "ops", choice.pattern));
    if (!there) return Occurrences();
    return in_range(session, duck::Statement(sql::times_of_ops)
                                 .set("pattern", choice.pattern)
                                 .set("dtypes", choice.dtypes)
                                 .set("but_shapes", choice.but_shapes)
                                 .set("values", choice.values)
                                 .set("but_values", choice.but_values)
                                 .set("device", choice.device)
                                 .set("kernels", choice.kernels));
}

Result<Occurrences> times_of_activation_reorders(Session& session, const OpChoice& choice) {
    return in_range(session, duck::Statement(sql::times_of_activation_reorders)
                                 .set("pattern", choice.pattern)
                                 .set("but_values", choice.but_values));
}

Result<Occurrences> times_of_misaligned_products(Session& session, int64_t multiple) {
    return in_range(session, duck::Statement(sql::times_misaligned).set("multiple", multiple));
}

Result<Occurrences> times_of_tile_tails(Session& session, double pct) {
    OPSIGHT_TRY(session.prepare(sql::tile_tails));
    return in_range(session, duck::Statement(sql::times_tile_tails).set("pct", pct));
}

Result<Occurrences> times_of_small_copies(Session& session, int64_t bytes) {
    return in_range(
        session,
        duck::Statement(sql::times_transfers).set("what", std::string("small")).set("small_bytes", bytes));
}

Result<Occurrences> times_of_low_occupancy(Session& session, double pct) {
    return in_range(session, duck::Statement(sql::times_low_occupancy).set("pct", pct));
}

Result<Occurrences> times_of_first_batches(Session& session, double times) {
    return in_range(session, duck::Statement(sql::times_first_batches).set("times", times));
}

Result<Occurrences> times_of_convolution_trials(Session& session, int64_t kernels) {
    return in_range(session, duck::Statement(sql::times_convolution_trials).set("kernels", kernels));
}

Result<Occurrences> times_of_convolution_choice(Session& session, int64_t calls) {
    OPSIGHT_TRY(session.prepare_work());
    OPSIGHT_TRY(session.prepare(sql::bounds_of_kernels));
    return in_range(session, duck::Statement(sql::times_convolution_choice).set("calls", calls));
}

Result<Occurrences> times_of_short_kernels(Session& session, int64_t ns) {
    return in_range(session, duck::Statement(sql::times_short_kernels).set("ns", ns));
}

Result<Occurrences> times_of_short_collectives(Session& session, int64_t ns) {
    return in_range(session, duck::Statement(sql::times_short_collectives).set("ns", ns));
}

Result<TimeSpans> times_without(Session& session, const TimeSpans& spans) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    return without(range, spans);
}

Result<TimeSpans> times_beside(Session& session, Longest row) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    std::map<std::pair<int64_t, int64_t>, SpanCollector> rows;  // by rank and row
    OPSIGHT_TRY(session.scan(duck::Statement(sql::times_by_row)
                                 .set("rows", std::string(row == Longest::kStream ? "streams" : "devices")),
                             [&](const duck::Batch& batch) {
                                 const auto *rank = batch.column<int64_t>(0),
                                            *begin = batch.column<int64_t>(1),
                                            *end = batch.column<int64_t>(2), *of = batch.column<int64_t>(3);
                                 for (size_t i = 0; i < batch.size(); ++i)
                                     rows[{rank[i], of[i]}].add({rank[i], begin[i], end[i]});
                             }));
    TimeSpans all, longest;
    for (auto next = rows.begin(); next != rows.end();) {
        TimeSpans within = common(next->second.take(), range);
        if (length_of(within) > length_of(longest)) longest = std::move(within);
        const int64_t rank = next->first.first;
        if (++next != rows.end() && next->first.first == rank) continue;
        all.insert(all.end(), longest.begin(), longest.end());
        longest.clear();
    }
    return without(range, all);
}

Result<TimeSpans> within_range(Session& session, std::vector<TimeSpan> spans) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    return common(merged(std::move(spans)), range);
}

}  // namespace opsight::query
