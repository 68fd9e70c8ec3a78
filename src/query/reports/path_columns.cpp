#include "query/reports/path_columns.h"

#include <fmt/format.h>

#include "query/reports/sql.h"
#include "query/whatif/path.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

// Calls outside of ops are rows of the tables by this name (outside_work.sql).
std::string name_outside(const CriticalPath& path, const PathPiece& piece) {
    if (piece.kind != "call") return {};
    return "unassociated_" + path.names[static_cast<size_t>(piece.name)];
}

Status fill(Session& session, const CriticalPath& path) {
    using enum duck::Type;
    OPSIGHT_ASSIGN(duck::Appender rows, session.append_to("path_of_work", {kBigint, kBigint, kBigint,
                                                                           kVarchar, kBigint, kBigint}));
    for (const PathPiece& piece : path.pieces) {
        const std::string name = piece.outside ? name_outside(path, piece) : std::string();
        if (piece.op < 0 && name.empty()) continue;
        *rows.column<int64_t>(0) = piece.rank;
        *rows.column<int64_t>(1) = piece.op;
        *rows.column<int64_t>(2) = piece.kernel;
        rows.set_text(3, 0, name);
        *rows.column<int64_t>(4) = piece.outside ? 1 : 0;
        *rows.column<int64_t>(5) = piece.dur_ns;
        OPSIGHT_TRY(rows.add(1));
    }
    return rows.close();
}

double ms(int64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

std::vector<std::string> notes_of(const CriticalPath& path) {
    int64_t of_ops = 0;
    for (const PathPiece& piece : path.pieces)
        if (piece.op >= 0 || piece.kind == "call") of_ops += piece.dur_ns;
    std::vector<std::string> notes = {fmt::format(
        "the critical path of the range takes {:.3f} ms, {:.3f} ms of it in ops, calls and device work; the "
        "rest is time of the host in between and delays (--report critical_path)",
        ms(path.length_ns), ms(of_ops))};
    if (!path.simulatable())
        notes.emplace_back(
            "the path is uncertain: the replay of the iterations does not explain the measured time "
            "(--report critical_path)");
    return notes;
}

}  // namespace

Result<std::vector<std::string>> make_path_of_work(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.execute(duck::Statement(sql::path_of_work)));
    if (!shape.critical_path) return std::vector<std::string>();
    if (shape.by_device)
        return fail(Error{"a path goes from device to device: it is not parted by device",
                          {},
                          {},
                          "leave out the critical path, or the grouping by device",
                          2});
    OPSIGHT_ASSIGN(const std::optional<CriticalPath> path, critical_path(session));
    if (!path) {
        OPSIGHT_ASSIGN(const Grounds grounds, grounds_of_replay(session));
        return std::vector<std::string>{
            "no critical path: " +
            (grounds.lacks.empty() ? "the range has no work that can be replayed" : grounds.lacks)};
    }
    OPSIGHT_TRY(fill(session, *path));
    std::vector<std::string> notes = notes_of(*path);
    add_note_of_unlaunched(path->unlaunched_pct, notes);
    return notes;
}

void add_path_column(std::vector<Column>& columns, const TableShape& shape) {
    if (shape.critical_path)
        columns.push_back({"critical_path_ns", "On the Critical Path (ns)", Unit::kNs, 1});
}

}  // namespace opsight::query
