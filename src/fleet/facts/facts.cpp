#include "fleet/facts/facts.h"

#include <fmt/format.h>

#include "fleet/facts/fact_rows.h"
#include "fleet/facts/run_row.h"
#include "fleet/facts/sql.h"
#include "query/reports/headline.h"
#include "query/reports/rank_times.h"
#include "query/session/cells.h"

namespace opsight::fleet {
namespace {

namespace sql = facts::sql;

Result<std::string> hashed(query::Session& session, const std::string& text) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(duck::Statement(sql::hashed).set("text", text)));
    return query::text(rows.rows.at(0)[0]);
}

std::string range_text(const query::Range& range) {
    return fmt::format("{} {}-{} without {} {}", range.whole, range.start, range.stop,
                       fmt::join(range.left_out, ","), range.description);
}

// Makes the temporary table fact_NAME of every table.
Status make_facts(query::Session& session, const PushedFile& file, const Labels& labels) {
    OPSIGHT_TRY(query::prepare_rank_times(session));
    OPSIGHT_TRY(query::prepare_headline(session));
    const bool whole = session.range().whole, device_work = session.contents().device_work;
    for (const duck::Sql& each :
         {sql::iteration_ops, sql::rank_ops, sql::ops, sql::iteration_kernels, sql::rank_kernels,
          sql::kernels, sql::iteration_layers, sql::rank_layers, sql::layers, sql::iteration_collectives,
          sql::rank_collectives, sql::collectives})
        OPSIGHT_TRY(
            session.execute(duck::Statement(each).set("whole", whole).set("device_work", device_work)));
    const auto keep = [&session](std::string_view table, const std::vector<FactRow>& rows) {
        return keep_rows(session, *find_table(table), rows);
    };
    OPSIGHT_ASSIGN(const FactRow run, run_row(session, file));
    OPSIGHT_TRY(keep("runs", {run}));
    OPSIGHT_TRY(keep("labels", label_rows(labels)));
    OPSIGHT_ASSIGN(const std::vector<FactRow> configuration, configuration_rows(session));
    OPSIGHT_TRY(keep("configuration", configuration));
    OPSIGHT_ASSIGN(const std::vector<FactRow> ranks, rank_rows(session));
    OPSIGHT_TRY(keep("ranks", ranks));
    for (const auto& [name, statement] :
         {std::pair("devices", sql::devices), std::pair("iterations", sql::iterations)})
        OPSIGHT_TRY(
            session.execute(fmt::format("CREATE OR REPLACE TEMP TABLE fact_{} AS {}", name, statement.text)));
    OPSIGHT_ASSIGN(const std::vector<FactRow> findings, finding_rows(session));
    return keep("findings", findings);
}

struct Staged {
    Part part;
    duck::Statement rows;
};

std::string columns_of(const Table& table) {
    std::string columns;
    for (const Column& column : table.columns)
        columns += (columns.empty() ? "" : ", ") + duck::quote_name(column.name);
    return columns;
}

// Every part, and the statement of its rows. Of the tables of iterations only ranks that have rows.
Result<std::vector<Staged>> parts_of(query::Session& session) {
    std::vector<Staged> parts;
    for (const Table& table : tables()) {
        const std::string rows = fmt::format("SELECT {} FROM temp.fact_{}", columns_of(table), table.name);
        if (!table.by_rank) {
            parts.push_back({{&table, {}}, duck::Statement(rows)});
            continue;
        }
        OPSIGHT_ASSIGN(
            const duck::Rows ranks,
            session.query(fmt::format("SELECT DISTINCT rank FROM temp.fact_{} ORDER BY rank", table.name)));
        for (const auto& row : ranks.rows) {
            const int64_t rank = query::integer(row[0]);
            parts.push_back(
                {{&table, rank}, duck::Statement(rows + " WHERE rank = $rank").set("rank", rank)});
        }
    }
    return parts;
}

// Parts that were there may be gone at the end: another process has pushed the same facts, and a third one,
// with other labels, has taken their place. Then once more.
Status stage_and_commit(query::Session& session, const std::vector<Staged>& parts, Push& push) {
    SessionRows source(session);
    constexpr int kTries = 5;
    for (int left = kTries; true; --left) {
        std::vector<Part> all;
        for (const Staged& each : parts) {
            if (!push.has(each.part)) OPSIGHT_TRY(push.stage(each.part, source, each.rows));
            all.push_back(each.part);
        }
        Status done = push.commit(all);
        if (done || done.error().code != ErrorCode::kNotFound || left == 1) return done;
    }
}

}  // namespace

Result<std::string> recording_id(query::Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::identity));
    return hashed(session, query::text(rows.rows.at(0)[0]));
}

Result<PushId> identify(query::Session& session, const Labels& labels) {
    PushId id;
    OPSIGHT_ASSIGN(id.run, recording_id(session));
    OPSIGHT_ASSIGN(const duck::Rows rules,
                   session.query("SELECT coalesce(max(value), '') FROM raw.meta WHERE key = 'rules'"));
    std::string content = fmt::format("{}\n{}\n{}\n{}\n{}\n", id.run, kFactsVersion, OPSIGHT_VERSION,
                                      query::text(rules.rows.at(0)[0]), range_text(session.range()));
    for (const auto& [label, value] : labels)
        content += fmt::format("{}={}\n", label, value);
    OPSIGHT_ASSIGN(id.push, hashed(session, content));
    return id;
}

Result<Pushed> push_profile(const PushedFile& file, const query::RangeOptions& range, const Labels& labels,
                            Store& store) {
    db::ReadOptions read;
    read.write_folder = store.write_folder();
    OPSIGHT_ASSIGN(query::Session session, query::Session::open(file.path, range, read));
    Pushed pushed;
    pushed.ranks = session.contents().ranks;
    pushed.notes = session.range().notes;
    OPSIGHT_ASSIGN(pushed.id, identify(session, labels));
    OPSIGHT_ASSIGN(pushed.was_there, store.holds(pushed.id));
    if (pushed.was_there) return pushed;
    OPSIGHT_ASSIGN(const std::unique_ptr<Push> push, store.begin(pushed.id));
    OPSIGHT_TRY(make_facts(session, file, labels));
    OPSIGHT_ASSIGN(const std::vector<Staged> parts, parts_of(session));
    OPSIGHT_TRY(stage_and_commit(session, parts, *push));
    return pushed;
}

}  // namespace opsight::fleet
