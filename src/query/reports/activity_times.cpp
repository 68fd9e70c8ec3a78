#include "query/reports/activity_times.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "analyze/host_states.h"
#include "hardware/op_tables.h"
#include "query/reports/reorders.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

bool before(const TimeSpan& a, const TimeSpan& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
}

void append(TimeSpans& out, const TimeSpan& span) {
    if (span.end <= span.begin) return;
    if (!out.empty() && out.back().rank == span.rank && span.begin <= out.back().end)
        out.back().end = std::max(out.back().end, span.end);
    else
        out.push_back(span);
}

// The rows of a statement come by rank and begin.
Result<TimeSpans> read(
    Session& session, const duck::Statement& statement,
    const std::function<void(const TimeSpan&)>& see = [](const TimeSpan&) {}) {
    TimeSpans all;
    OPSIGHT_TRY(each_span(session, statement, [&](const TimeSpan& span) {
        see(span);
        append(all, span);
    }));
    return all;
}

Result<Occurrences> in_range(Session& session, const duck::Statement& statement) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    Occurrences found;
    OPSIGHT_ASSIGN(const TimeSpans all, read(session, statement, [&](const TimeSpan& span) {
                       const auto after = std::upper_bound(range.begin(), range.end(), span, before);
                       found.count += after != range.begin() && (after - 1)->rank == span.rank &&
                                      span.begin < (after - 1)->end;
                   }));
    found.times = common(all, range);
    return found;
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

// In which no device works and the next work was launched, or in which nothing that was recorded runs.
Result<Occurrences> times_of_rest(Session& session, bool queued) {
    OPSIGHT_TRY(session.prepare(sql::resource_time));
    if (!queued) return in_range(session, sql::times_of_nothing);
    OPSIGHT_TRY(session.prepare(sql::queued_pauses));
    return in_range(session, sql::times_queued);
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

TimeSpans common(const TimeSpans& a, const TimeSpans& b) {
    TimeSpans out;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].rank == b[j].rank)
            append(out, {a[i].rank, std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)});
        const bool first_ends = a[i].rank != b[j].rank ? a[i].rank < b[j].rank : a[i].end <= b[j].end;
        ++(first_ends ? i : j);
    }
    return out;
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
            return in_range(session, sql::times_small_grids);
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
        case Activity::kNothing:
            return times_of_rest(session, activity == Activity::kQueued);
        case Activity::kCollectiveWaits:
            return in_range(session, sql::times_collective_waits);
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
    TimeSpans out;
    size_t at = 0;
    for (const TimeSpan& within : range) {
        int64_t begin = within.begin;
        for (; at < spans.size() && spans[at].rank == within.rank && spans[at].begin < within.end; ++at) {
            append(out, {within.rank, begin, std::min(spans[at].begin, within.end)});
            begin = std::max(begin, spans[at].end);
        }
        append(out, {within.rank, begin, within.end});
    }
    return out;
}

Result<TimeSpans> times_beside(Session& session, Longest row) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    TimeSpans longest, of_rank, of_row;
    int64_t last = -1;
    const auto end_row = [&] {
        TimeSpans within = common(of_row, range);
        if (length_of(within) > length_of(of_rank)) of_rank = std::move(within);
        of_row.clear();
    };
    const auto end_rank = [&] {
        longest.insert(longest.end(), of_rank.begin(), of_rank.end());
        of_rank.clear();
    };
    OPSIGHT_TRY(session.scan(duck::Statement(sql::times_by_row)
                                 .set("rows", std::string(row == Longest::kStream ? "streams" : "devices")),
                             [&](const duck::Batch& batch) {
                                 const auto *rank = batch.column<int64_t>(0),
                                            *begin = batch.column<int64_t>(1),
                                            *end = batch.column<int64_t>(2), *of = batch.column<int64_t>(3);
                                 for (size_t i = 0; i < batch.size(); ++i) {
                                     const bool other_rank = !of_row.empty() && of_row.back().rank != rank[i];
                                     if (of[i] != last || other_rank) end_row();
                                     if (other_rank) end_rank();
                                     last = of[i];
                                     append(of_row, {rank[i], begin[i], end[i]});
                                 }
                             }));
    end_row();
    end_rank();
    return times_without(session, longest);
}

Result<TimeSpans> within_range(Session& session, std::vector<TimeSpan> spans) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    std::sort(spans.begin(), spans.end(), before);
    TimeSpans all;
    for (const TimeSpan& span : spans)
        append(all, span);
    return common(all, range);
}

TimeSpans bridged(const TimeSpans& spans, int64_t gap_ns) {
    TimeSpans out;
    for (const TimeSpan& span : spans) {
        if (!out.empty() && out.back().rank == span.rank && span.begin - out.back().end < gap_ns)
            out.back().end = std::max(out.back().end, span.end);
        else
            out.push_back(span);
    }
    return out;
}

TimeSpans united(const TimeSpans& a, const TimeSpans& b) {
    TimeSpans all, out;
    all.reserve(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all), before);
    for (const TimeSpan& span : all)
        append(out, span);
    return out;
}

int64_t length_of(const TimeSpans& spans) {
    int64_t ns = 0;
    for (const TimeSpan& span : spans)
        ns += span.end - span.begin;
    return ns;
}

}  // namespace opsight::query
