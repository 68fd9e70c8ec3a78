#include "query/reports/rank_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "query/reports/headline.h"
#include "query/reports/op_groups.h"
#include "query/reports/rank_times.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"
#include "query/session/track_id.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

Column rank_column() {
    return {"rank", "Rank", Unit::kCount, 0, Role::kId};
}
Column host_column() {
    return {"host", "Host", Unit::kNone, 3};
}
// Why the last rank was late.
std::vector<Column> cause_columns() {
    return {{"cause", "Cause"},
            {"cause_ns", "Of Cause (ns)", Unit::kNs, 3},
            {"cause_op", "Op of Cause", Unit::kNone, 1},
            {"cause_layer", "Layer of Cause", Unit::kNone, 4}};
}
// Exclusive classes of a rank's time.
std::vector<Column> class_columns() {
    return {{"computing_ns", "Computing (ns)", Unit::kNs},
            {"communicating_ns", "Exposed Communication (ns)", Unit::kNs, 1},
            {"waiting_ns", "Waiting for Ranks (ns)", Unit::kNs},
            {"transfer_ns", "Transfer (ns)", Unit::kNs, 2},
            {"copying_ns", "Copying (ns)", Unit::kNs, 4},
            {"loading_ns", "Loading (ns)", Unit::kNs, 3},
            {"host_ns", "Host Work (ns)", Unit::kNs, 3},
            {"idle_ns", "Idle (ns)", Unit::kNs, 3}};
}

// A statement that shows times of those classes alone that the recording tells of.
Result<duck::Statement> with_told_classes(Session& session, const duck::Sql& file) {
    OPSIGHT_ASSIGN(const std::vector<BudgetClass> classes, budget_classes(session));
    const auto told = [&classes](std::string_view key) {
        return std::any_of(classes.begin(), classes.end(),
                           [key](const BudgetClass& each) { return each.key == key && each.told; });
    };
    duck::Statement statement(file);
    statement.set("computing", told("tensor_core_kernel") || told("unknown_kernel") || told("other_kernel"))
        .set("copying", told("memory"))
        .set("loading", told("dataloader"));
    return statement;
}

Result<ResultTable> late_ones(Session& session, const TableShape& shape, bool by_host) {
    OPSIGHT_TRY(prepare_rank_times(session));
    Question q = by_host ? Question{"straggler_hosts", "Hosts That Others Wait For"}
                         : Question{"stragglers", "Ranks That Others Wait For"};
    Column host = host_column();
    if (by_host)
        host.priority = 0;  // it names the row
    else
        q.columns = {rank_column()};
    append(q.columns, {std::move(host),
                       {"pattern", "Pattern"},
                       {"score", "Straggler Score", Unit::kNone, 0, Role::kNumber},
                       {"iterations", "Iterations", Unit::kCount, 2},
                       {"iterations_last", "Iterations as Last", Unit::kCount, 1},
                       {"caused_ns", "Waiting Caused (ns)", Unit::kNs},
                       {"caused_pct", "Of Waiting Caused (%)", Unit::kPercent}});
    append(q.columns, cause_columns());
    q.rows = duck::Statement(sql::stragglers).set("by_host", by_host);
    q.order = {{"caused_ns", true}, {"host", false}};
    if (!by_host) q.order.emplace_back("rank", false);
    return ask(session, q, shape);
}

// Hosts of the job, and how much of the differences between its ranks they explain; -1: not known.
struct HostShare {
    int64_t hosts = 0;
    double percent = -1;
};

Result<HostShare> host_share(Session& session) {
    OPSIGHT_TRY(prepare_rank_times(session));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::host_share));
    const auto& row = rows.rows.at(0);
    const auto* share = std::get_if<double>(&row[1]);
    return HostShare{integer(row[0]), share ? *share : -1};
}

Status add_hosts(Session& session, const TableShape& shape, Report& report) {
    OPSIGHT_ASSIGN(const HostShare share, host_share(session));
    if (share.hosts < 2) return {};
    TableShape wanted = shape;
    wanted.sort.clear();
    OPSIGHT_ASSIGN(ResultTable hosts, straggler_hosts(session, wanted));
    std::ranges::move(std::exchange(hosts.notes, {}), std::back_inserter(report.notes));
    report.sections.push_back({std::move(hosts)});
    return {};
}

}  // namespace

Result<ResultTable> collective_calls(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    OPSIGHT_TRY(session.prepare(sql::exchange_kind));
    Question q{"collective_calls", "Each Operation of Communication"};
    q.columns = {{"call", "Call", Unit::kCount, 3, Role::kId},
                 {"group", "Process Group", Unit::kNone, 3},
                 {"collective", "Operation"},
                 {"exchange", "Kind of Operation", Unit::kNone, 2},
                 {"dtype", "Data Type", Unit::kNone, 5},
                 {"bytes", "Bytes", Unit::kBytes},
                 {"ranks", "Ranks", Unit::kCount, 2},
                 {"members", "Recorded Members", Unit::kCount, 4},
                 {"state", "State", Unit::kNone, 2},
                 {"iteration", "Iteration", Unit::kCount, 1, Role::kId},
                 {"first_begin_ns", "First Begin (ns)", Unit::kNs, 2, Role::kMoment},
                 {"last_begin_ns", "Last Begin (ns)", Unit::kNs, 5, Role::kMoment},
                 {"end_ns", "End (ns)", Unit::kNs, 5, Role::kMoment},
                 {"duration_ns", "Duration (ns)", Unit::kNs},
                 {"transfer_ns", "Transfer (ns)", Unit::kNs},
                 {"waiting_ns", "Waiting (ns)", Unit::kNs},
                 {"last_rank", "Last Rank", Unit::kCount, 0, Role::kId},
                 {"last_host", "Last Host", Unit::kNone, 5}};
    append(q.columns, cause_columns());
    append(q.columns, {{"bytes_per_s", "Bytes/s", Unit::kBytesPerSecond, 4},
                       {"bus_bytes_per_s", "Bus Bytes/s", Unit::kBytesPerSecond, 2},
                       {"peak_bytes_per_s", "Link Peak (bytes/s)", Unit::kBytesPerSecond, 5},
                       {"peak_pct", "Of Peak (%)", Unit::kPercent, 3}});
    q.rows = sql::collective_calls;
    q.order = {{"waiting_ns", true}, {"first_begin_ns", false}, {"call", false}};
    return ask(session, q, shape);
}

Result<ResultTable> collective_members(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    Question q{"collective_members", "Communication by Rank"};
    q.columns = {{"call", "Call", Unit::kCount, 0, Role::kId},
                 rank_column(),
                 host_column(),
                 {"track", "Track", Unit::kCount, 4, Role::kId},
                 {"begin_ns", "Begin (ns)", Unit::kNs, 1, Role::kMoment},
                 {"duration_ns", "Duration (ns)", Unit::kNs},
                 {"waiting_ns", "Waiting (ns)", Unit::kNs},
                 {"transfer_ns", "Transfer (ns)", Unit::kNs},
                 {"exposed_ns", "Exposed (ns)", Unit::kNs, 2},
                 {"is_last", "Came Last", Unit::kNone, 1, Role::kYesNo}};
    q.rows = duck::Statement(sql::collective_members)
                 .set("track_parts", static_cast<int64_t>(TrackPart::kCount))
                 .set("ranges_part", static_cast<int64_t>(TrackPart::kRanges))
                 .set("stream_part", static_cast<int64_t>(TrackPart::kStream));
    q.order = {{"call", false}, {"rank", false}, {"begin_ns", false}};
    return ask(session, q, shape);
}

Result<ResultTable> comm_groups(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    Question q{"groups", "Process Groups"};
    q.columns = {{"group", "Process Group"},
                 {"group_ranks", "Ranks of the Group", Unit::kNone, 4},
                 {"description", "Description", Unit::kNone, 4},
                 {"kind", "Kind of Group"},
                 {"evidence", "Evidence", Unit::kNone, 3},
                 {"ranks", "Ranks", Unit::kCount},
                 {"recorded", "Ranks Recorded", Unit::kCount, 2},
                 {"collectives", "Operations", Unit::kCount},
                 {"matched", "All Ranks Recorded", Unit::kCount, 3},
                 {"unmatched", "Not Matched", Unit::kCount, 2},
                 {"bytes", "Bytes", Unit::kBytes, 1},
                 {"total_time_ns", "Total Time (ns)", Unit::kNs},
                 {"waiting_ns", "Waiting (ns)", Unit::kNs},
                 {"waiting_pct", "Waiting %", Unit::kPercent, 2},
                 {"exposed_ns", "Exposed (ns)", Unit::kNs, 1},
                 {"exposed_pct", "Exposed (%)", Unit::kPercent, 3},
                 {"last_rank", "Last Rank", Unit::kCount, 0, Role::kId},
                 {"last_times", "Times Last", Unit::kCount, 2},
                 {"last_waiting_ns", "Waiting for It (ns)", Unit::kNs, 1},
                 {"link", "Link", Unit::kNone, 4},
                 {"peak_bytes_per_s", "Link Peak (bytes/s)", Unit::kBytesPerSecond, 5}};
    q.rows = sql::comm_groups;
    q.order = {{"total_time_ns", true}, {"group", false}};
    // First: rows that are still to be read are lost with the next statement.
    OPSIGHT_ASSIGN(const duck::Rows alone, session.query(sql::unmatched_calls));
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    if (const int64_t calls = std::get<int64_t>(alone.rows.at(0)[0]); calls > 0)
        table.notes.push_back(fmt::format(
            "{} operation{} not matched among all of their ranks: each counts with its bytes, and "
            "what their calls wait for others is in the own time of their ranks",
            calls, calls == 1 ? " is" : "s are"));
    return table;
}

Result<ResultTable> rank_sums(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_rank_times(session));
    Question q{"ranks", "Ranks"};
    q.columns = {rank_column(),
                 host_column(),
                 {"iterations", "Iterations", Unit::kCount, 2},
                 {"wall_ns", "Wall Clock (ns)", Unit::kNs, 1}};
    append(q.columns, class_columns());
    append(q.columns, {{"own_ns", "Own Time per Iteration (ns)", Unit::kNs},
                       {"score", "Straggler Score", Unit::kNone, 0, Role::kNumber},
                       {"times_last", "Times Last", Unit::kCount, 1},
                       {"caused_ns", "Waiting Caused (ns)", Unit::kNs},
                       {"offset_ns", "Clock Correction (ns)", Unit::kNs, 4},
                       {"clock_error_ns", "Clock Error at Most (ns)", Unit::kNs, 5}});
    OPSIGHT_ASSIGN(q.rows, with_told_classes(session, sql::ranks));
    q.order = {{"rank", false}};
    return ask(session, q, shape);
}

Result<ResultTable> rank_iterations(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_rank_times(session));
    Question q{"rank_iterations", "Iterations of Ranks"};
    q.columns = {rank_column(),
                 host_column(),
                 {"iteration", "Iteration", Unit::kCount, 0, Role::kId},
                 {"begin_ns", "Begin (ns)", Unit::kNs, 4, Role::kMoment},
                 {"duration_ns", "Duration (ns)", Unit::kNs}};
    append(q.columns, class_columns());
    append(q.columns, {{"own_ns", "Own Time (ns)", Unit::kNs},
                       {"score", "Straggler Score", Unit::kNone, 0, Role::kNumber},
                       {"own_score", "Against Its Own Past", Unit::kNone, 2, Role::kNumber},
                       {"times_last", "Times Last", Unit::kCount, 1},
                       {"caused_ns", "Waiting Caused (ns)", Unit::kNs}});
    OPSIGHT_ASSIGN(q.rows, with_told_classes(session, sql::rank_iterations));
    q.order = {{"rank", false}, {"iteration", false}};
    return ask(session, q, shape);
}

Result<ResultTable> stragglers(Session& session, const TableShape& shape) {
    return late_ones(session, shape, false);
}
Result<ResultTable> straggler_hosts(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(const HostShare share, host_share(session));
    OPSIGHT_ASSIGN(ResultTable table, late_ones(session, shape, true));
    constexpr double kMost = 80;
    if (share.percent >= kMost)
        table.notes.push_back(
            fmt::format("hosts explain {:.0f} % of the differences between the own times of "
                        "ranks: look at hosts, not at ranks",
                        share.percent));
    return table;
}

Result<ResultTable> rank_layers(Session& session, const TableShape& shape) {
    Question q{"rank_layers", "Layers by Rank"};
    q.columns = {{"layer", "Layer"},
                 {"ranks", "Ranks", Unit::kCount, 2},
                 {"mean_ns", "Mean of Ranks (ns)", Unit::kNs},
                 {"max_ns", "Longest (ns)", Unit::kNs},
                 {"max_rank", "Longest on Rank", Unit::kCount, 0, Role::kId},
                 {"min_ns", "Shortest (ns)", Unit::kNs, 2},
                 {"min_rank", "Shortest on Rank", Unit::kCount, 2, Role::kId},
                 {"imbalance", "Imbalance", Unit::kNone, 0, Role::kNumber},
                 {"lost_ns", "Longest less Mean (ns)", Unit::kNs}};
    q.rows = sql::rank_layers;
    q.order = {{"lost_ns", true}, {"layer", false}};
    return ask(session, q, shape);
}

Result<ResultTable> rank_path(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    Question q{"rank_path", "Critical Path across Ranks"};
    q.columns = {rank_column(),
                 host_column(),
                 {"stretches", "Stretches", Unit::kCount, 1},
                 {"work_ns", "Work before Last (ns)", Unit::kNs},
                 {"transfer_ns", "Transfer (ns)", Unit::kNs},
                 {"path_ns", "On the Path (ns)", Unit::kNs},
                 {"path_pct", "Of the Path (%)", Unit::kPercent}};
    q.rows = duck::Statement(sql::rank_path).set("ranks", session.contents().ranks);
    q.order = {{"path_ns", true}, {"rank", false}};
    return ask(session, q, shape);
}

Result<ResultTable> rank_clocks(Session& session, const TableShape& shape) {
    Question q{"clocks", "Clocks of Ranks"};
    q.columns = {rank_column(),
                 host_column(),
                 {"clock", "Clock", Unit::kCount, 2, Role::kId},
                 {"corrected", "Corrected", Unit::kNone, 0, Role::kYesNo},
                 {"offset_ns", "Clock Correction (ns)", Unit::kNs},
                 {"drift_ppm", "Drift (ppm)", Unit::kNone, 1, Role::kNumber},
                 {"error_ns", "Clock Error at Most (ns)", Unit::kNs},
                 {"collectives", "Compared by Collectives", Unit::kCount, 1},
                 {"broken_before", "Impossible as Recorded", Unit::kCount},
                 {"broken_after", "Impossible as Corrected", Unit::kCount, 2}};
    q.rows = sql::rank_clocks;
    q.order = {{"rank", false}};
    return ask(session, q, shape);
}

Result<std::vector<std::string>> matching_notes(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::matching_facts));
    const auto& row = rows.rows.at(0);
    const int64_t calls = integer(row[0]), kernels = integer(row[5]);
    std::vector<std::string> notes;
    if (calls == 0) {
        notes.emplace_back(
            kernels > 0 ? "the profile is of an older version, which did not match collectives: import "
                          "its traces again"
                        : "no collectives were recorded");
        return notes;
    }
    const std::pair<int64_t, const char*> reasons[] = {
        {integer(row[1]), "have ranks that were not recorded"},
        {integer(row[2]), "lack a call of a recorded rank, and which one is not known"},
        {integer(row[3]), "tell different sizes or types on their ranks"},
        {integer(row[4]), "are sends and receives, and who sends to whom is not told"}};
    for (const auto& [count, why] : reasons)
        if (count > 0)
            notes.push_back(fmt::format(
                "{} of {} operations of communication in the profile {}: there waiting cannot be told from "
                "transfer, and nobody is known to be last",
                count, calls, why));
    return notes;
}

bool is_of_whole_job(std::string_view report) {
    constexpr std::string_view kReports[] = {"collectives",     "collective_calls", "groups",
                                             "straggler_hosts", "rank_layers",      "rank_path"};
    return std::find(std::begin(kReports), std::end(kReports), report) != std::end(kReports);
}

bool is_about_ranks(std::string_view report) {
    constexpr std::string_view kReports[] = {"collective_members", "ranks", "rank_iterations", "stragglers",
                                             "clocks"};
    return is_of_whole_job(report) ||
           std::find(std::begin(kReports), std::end(kReports), report) != std::end(kReports);
}

Result<Report> report_of_ranks(Session& session, const TableShape& shape, RankTable make) {
    // Before the table: rows that are still to be read are lost with the next statement.
    OPSIGHT_ASSIGN(std::vector<std::string> notes, matching_notes(session));
    OPSIGHT_ASSIGN(ResultTable table, make(session, shape));
    Report report;
    report.name = table.name;
    report.title = table.title;
    report.notes = std::move(notes);
    report.sections.push_back({std::move(table)});
    return report;
}

Result<Report> stragglers_report(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_rank_times(session));
    TableShape whole = shape;
    whole.stream_last = false;  // a table of hosts may follow
    OPSIGHT_ASSIGN(Report report, report_of_ranks(session, whole, stragglers));
    if (!shape.page) OPSIGHT_TRY(add_hosts(session, whole, report));
    return report;
}

}  // namespace opsight::query
