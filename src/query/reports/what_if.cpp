#include "query/reports/what_if.h"

#include <fmt/format.h>

#include "query/reports/sql.h"

namespace opsight::query {
namespace {

std::vector<Cell> path_row(const PathShare& share, int64_t iterations, int64_t total) {
    return {share.kind,
            share.name,
            share.pieces,
            share.ns,
            share.ns / iterations,
            100.0 * static_cast<double>(share.ns) / static_cast<double>(total)};
}

int64_t sum_of(const std::vector<PathShare>& path) {
    int64_t sum = 0;
    for (const PathShare& share : path)
        sum += share.ns;
    return sum;
}

// The rows as a relation, so that they are sorted, cut and paged as those of any other table.
Result<ResultTable> path_table(Session& session, const std::string& name, const std::string& title,
                               const std::vector<PathShare>& path, int64_t iterations,
                               const TableShape& shape) {
    using enum duck::Type;
    OPSIGHT_TRY(session.execute(duck::Statement(reports::sql::path_pieces)));
    OPSIGHT_ASSIGN(duck::Appender rows, session.append_to("path_pieces", {kVarchar, kVarchar, kBigint,
                                                                          kBigint, kBigint, kDouble}));
    const int64_t total = std::max<int64_t>(sum_of(path), 1);
    for (const PathShare& share : path) {
        const std::vector<Cell> row = path_row(share, iterations, total);
        rows.set_text(0, 0, share.kind);
        rows.set_text(1, 0, share.name);
        for (size_t i = 2; i < 5; ++i)
            *rows.column<int64_t>(i) = std::get<int64_t>(row[i]);
        *rows.column<double>(5) = std::get<double>(row[5]);
        OPSIGHT_TRY(rows.add(1));
    }
    OPSIGHT_TRY(rows.close());
    Question q{name, title};
    q.columns = {{"kind", "Kind"},
                 {"name", "Name"},
                 {"pieces", "Pieces", Unit::kCount, 2},
                 {"time_ns", "Time (ns)", Unit::kNs},
                 {"time_per_iteration_ns", "Per Iteration (ns)", Unit::kNs, 1},
                 {"share_pct", "Of the Path (%)", Unit::kPercent}};
    q.rows = duck::Statement("FROM path_pieces");
    q.order = {{"time_ns", true}, {"kind", false}, {"name", false}};
    return ask(session, q, shape);
}

std::string error_note(const WhatIf& answer) {
    const std::string error =
        fmt::format("the replay without changes is off by {:.2f} % (median over {} {})", 100 * answer.error,
                    answer.iterations.size(), answer.iterations.size() == 1 ? "iteration" : "iterations");
    if (answer.simulatable()) return error;
    if (answer.error > WhatIf::kLargestError)
        return fmt::format("not simulatable: {}, more than {:g} %; what-ifs say little here", error,
                           100 * WhatIf::kLargestError);
    return fmt::format(
        "not simulatable: {:.0f} % of the critical path are delays of the device that nothing recorded "
        "explains, "
        "more than {:g} %; what-ifs say little here",
        100 * answer.unexplained, 100 * WhatIf::kMostUnexplained);
}

Cell ns_cell(double value) {
    return static_cast<int64_t>(value);
}

Section base_section(const WhatIf& answer) {
    ResultTable table{"base", "Replay without changes"};
    table.columns = {{"iterations", "Iterations", Unit::kCount},
                     {"measured_ns", "Measured (ns)", Unit::kNs},
                     {"replayed_ns", "Replayed (ns)", Unit::kNs},
                     {"error_pct", "Replay Error (%)", Unit::kPercent},
                     {"unexplained_pct", "Unexplained Delays (%)", Unit::kPercent},
                     {"simulatable", "Simulatable", Unit::kNone, 0, Role::kYesNo},
                     {"host_ns", "Host Alone (ns)", Unit::kNs},
                     {"tasks", "Tasks", Unit::kCount},
                     {"dependencies", "Dependencies", Unit::kCount}};
    const auto& its = answer.iterations;
    table.rows = {{std::ssize(its), ns_cell(median_of(its, &ReplayedIteration::measured_ns)),
                   ns_cell(median_of(its, &ReplayedIteration::replayed_ns)), 100 * answer.error,
                   100 * answer.unexplained, answer.simulatable(),
                   ns_cell(median_of(its, &ReplayedIteration::host_ns)), answer.tasks, answer.dependencies}};
    return {std::move(table), true, false};
}

Section prediction_section(const WhatIf& answer) {
    ResultTable table{"prediction", "With the changes"};
    table.columns = {{"replayed_ns", "Mean Replayed (ns)", Unit::kNs},
                     {"predicted_ns", "Mean Predicted (ns)", Unit::kNs},
                     {"saved_ns", "Saved per Iteration (ns)", Unit::kNs},
                     {"saved_pct", "Saved (%)", Unit::kPercent},
                     {"speedup", "Speedup", Unit::kNone, 0, Role::kNumber}};
    int64_t replayed = 0, predicted = 0;
    for (const ReplayedIteration& it : answer.iterations) {
        replayed += it.replayed_ns;
        predicted += it.predicted_ns;
    }
    const auto count = std::max<int64_t>(std::ssize(answer.iterations), 1);
    const auto ratio = [](int64_t a, int64_t b) {
        return b ? Cell(static_cast<double>(a) / static_cast<double>(b)) : Cell();
    };
    Cell percent;
    if (replayed) percent = 100.0 * static_cast<double>(replayed - predicted) / static_cast<double>(replayed);
    table.rows = {{replayed / count, predicted / count, (replayed - predicted) / count, percent,
                   ratio(replayed, predicted)}};
    return {std::move(table), true, false};
}

Section concerned_section(const WhatIf& answer) {
    ResultTable table{"changes", "Changes"};
    table.columns = {{"change", "Change"},
                     {"tasks", "Pieces of Work", Unit::kCount},
                     {"time_ns", "Their Time per Iteration (ns)", Unit::kNs}};
    const auto count = std::max<int64_t>(std::ssize(answer.iterations), 1);
    for (const Concerned& each : answer.concerned)
        table.rows.push_back({each.words, each.tasks, each.ns / count});
    return {std::move(table), false, false};
}

Section iteration_section(const WhatIf& answer) {
    ResultTable table{"iterations", "Iterations"};
    table.columns = {{"rank", "Rank", Unit::kCount, 1, Role::kId},
                     {"iteration", "Iteration", Unit::kCount, 0, Role::kId},
                     {"measured_ns", "Measured (ns)", Unit::kNs},
                     {"replayed_ns", "Replayed (ns)", Unit::kNs},
                     {"predicted_ns", "Predicted (ns)", Unit::kNs}};
    for (const ReplayedIteration& it : answer.iterations)
        table.rows.push_back({it.rank, it.number < 0 ? Cell() : Cell(it.number), it.measured_ns,
                              it.replayed_ns, it.predicted_ns});
    return {std::move(table), false, false};
}

void add_notes(const WhatIf& answer, const Suppositions& suppositions, Report& report) {
    report.notes.push_back(error_note(answer));
    add_note_of_unlaunched(answer.unlaunched_pct, report.notes);
    if (answer.ranks_wait)
        report.notes.emplace_back(
            "each rank is replayed by itself: what it waits for the others in collectives stays as it was, "
            "so a "
            "change to the rank that comes last saves the job more than this average over the ranks");
    for (const Concerned& each : answer.concerned)
        if (each.tasks == 0 && !(suppositions.no_waits && answer.waits > 0))
            report.notes.push_back(
                fmt::format("nothing in the chosen iterations is concerned by {}", each.words));
    if (suppositions.no_waits)
        report.notes.emplace_back(
            "without waits the host takes results that the device does not have yet: the prediction is a "
            "bound");
    if (suppositions.clock != 1)
        report.notes.emplace_back(
            "a faster clock is taken to speed up kernels by as much, but for those whose counted work is "
            "bound "
            "by memory");
    if (suppositions.no_communication && !answer.ranks_wait)
        report.notes.emplace_back(
            "ranks are replayed each by itself: what they wait for each other is part of their collectives");
}

// Waits that were not recorded look like the host's own work.
Status add_note_of_no_waits(Session& session, Report& report) {
    if (!session.contents().device_work) return {};
    OPSIGHT_ASSIGN(const duck::Rows waits, session.query(reports::sql::wait_calls));
    if (std::get<int64_t>(waits.rows.at(0)[0]) == 0)
        report.notes.emplace_back(
            "no call that waits for the device was recorded in this range: if the host waited all the same, "
            "that is its own work here, and faster work of the device seems to save less than it would");
    return {};
}

Error nothing_to_replay(const Session& session, const Grounds& grounds) {
    if (grounds.lacks.empty())
        return {"there is nothing to replay: the chosen range has no work",
                session.path(),
                {},
                "choose another range",
                1};
    return {"there is nothing to replay: " + grounds.lacks,
            session.path(),
            {},
            "choose a profile of a source that tells it, as recordings of opsight profile and traces of "
            "PyTorch do",
            1};
}

}  // namespace

Result<Report> what_if_report(Session& session, const Suppositions& suppositions, const TableShape& shape) {
    OPSIGHT_ASSIGN(const std::optional<WhatIf> answer, what_if(session, suppositions));
    if (!answer) {
        OPSIGHT_ASSIGN(const Grounds grounds, grounds_of_replay(session));
        return fail(nothing_to_replay(session, grounds));
    }
    Report report{"whatif", "What If"};
    report.sections.push_back(base_section(*answer));
    if (suppositions.any()) {
        report.sections.push_back(prediction_section(*answer));
        report.sections.push_back(concerned_section(*answer));
    }
    const auto count = std::max<int64_t>(std::ssize(answer->iterations), 1);
    OPSIGHT_ASSIGN(ResultTable path, path_table(session, "critical_path", "Critical path as recorded",
                                                answer->path, count, shape));
    report.sections.push_back({std::move(path)});
    if (suppositions.any()) {
        OPSIGHT_ASSIGN(ResultTable then,
                       path_table(session, "predicted_path", "Critical path with the changes",
                                  answer->predicted_path, count, shape));
        report.sections.push_back({std::move(then)});
    }
    if (!shape.for_people) report.sections.push_back(iteration_section(*answer));
    add_notes(*answer, suppositions, report);
    // Other calls may have waited, as copies and launches into a full queue do.
    if (suppositions.any() && answer->waits == 0) OPSIGHT_TRY(add_note_of_no_waits(session, report));
    return report;
}

Result<Report> critical_path_report(Session& session, const TableShape& shape) {
    Report report{"critical_path", "Critical Path Report"};
    OPSIGHT_ASSIGN(const std::optional<WhatIf> answer, what_if(session, {}));
    const auto count = answer ? std::max<int64_t>(std::ssize(answer->iterations), 1) : 1;
    OPSIGHT_ASSIGN(ResultTable table,
                   path_table(session, "critical_path", "Critical Path Report",
                              answer ? answer->path : std::vector<PathShare>(), count, shape));
    report.sections.push_back({std::move(table)});
    if (answer) {
        report.notes.push_back(error_note(*answer));
        add_note_of_unlaunched(answer->unlaunched_pct, report.notes);
        return report;
    }
    OPSIGHT_ASSIGN(const Grounds grounds, grounds_of_replay(session));
    report.notes.push_back("no critical path: " +
                           (grounds.lacks.empty() ? "the range has no work" : grounds.lacks));
    return report;
}

}  // namespace opsight::query
