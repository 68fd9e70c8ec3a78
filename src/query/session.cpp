#include "query/session.h"

#include <fmt/format.h>

#include <charconv>

#include "db/schema.h"
#include "query/cut_iterations.h"

namespace opsight {
namespace {

int64_t as_int(const duck::Cell& cell, int64_t otherwise = 0) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : otherwise;
}
std::string as_text(const duck::Cell& cell) {
    const std::string* value = std::get_if<std::string>(&cell);
    return value ? *value : std::string();
}

Error usage(std::string what, std::string remedy) {
    return {std::move(what), {}, {}, std::move(remedy), 2};
}

}  // namespace

Result<duck::Rows> Session::query(const std::string& sql, const std::vector<duck::Cell>& arguments) {
    auto rows = profile_.connection.query(sql, arguments);
    if (rows) return rows;
    Error error = std::move(rows).error();
    error.file = path_;
    return fail(std::move(error));
}

Result<Session> Session::open(const std::string& path, const RangeOptions& options,
                              const db::ReadOptions& read) {
    if (!options.key_op.empty() && !options.iteration_range.empty())
        return fail(usage("--key-op and --iteration-range exclude each other", "give one of them"));
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, read));
    Session session(path, std::move(profile));
    const bool cut_anew = !options.key_op.empty() || !options.iteration_range.empty();
    OPSIGHT_TRY(session.look());
    OPSIGHT_TRY(cut_anew ? session.cut_iterations(options) : session.stored_iterations());
    OPSIGHT_TRY(session.choose(options));
    OPSIGHT_TRY(session.select(cut_anew));
    OPSIGHT_TRY(session.measure_wall());
    return session;
}

Status Session::look() {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   query("SELECT EXISTS (FROM raw.ops), EXISTS (FROM raw.device_spans WHERE kind < 3), "
                         "(SELECT count(*) FROM raw.devices), (SELECT count(*) FROM raw.ranks)"));
    const auto& row = rows.rows.at(0);
    contents_.ops = std::get<bool>(row[0]);
    contents_.device_work = std::get<bool>(row[1]);
    contents_.devices = as_int(row[2]) > 0;
    contents_.ranks = as_int(row[3]);
    return {};
}

Status Session::stored_iterations() {
    OPSIGHT_TRY(profile_.connection.execute("CREATE TEMP VIEW all_iterations AS FROM raw.iterations"));
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   query("SELECT key, value FROM raw.meta WHERE key LIKE 'iteration_%'"));
    for (const auto& row : rows.rows) {
        const std::string key = as_text(row[0]), value = as_text(row[1]);
        if (key == "iteration_source") range_.source = value;
        if (key == "iteration_description") range_.description = value;
        if (key == "iteration_confidence")
            std::from_chars(value.data(), value.data() + value.size(), range_.confidence);
        int64_t number = 0;
        if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc()) continue;
        if (key == "iteration_start") stored_start_ = number;
        if (key == "iteration_stop") stored_stop_ = number;
    }
    return {};
}

Status Session::cut_iterations(const RangeOptions& options) {
    OPSIGHT_ASSIGN(const CutIterations cut,
                   cut_stored_iterations(profile_.connection, options.key_op, options.iteration_range));
    if (cut.list.empty()) {
        if (!options.key_op.empty())
            return fail(Error{fmt::format("no op is named '{}'", options.key_op),
                              path_,
                              {},
                              "'opsight report NAME --report detailed' lists the ops"});
        return fail(Error{fmt::format("no annotation matches '{}'", options.iteration_range),
                          path_,
                          {},
                          "'opsight sql NAME \"SELECT DISTINCT name FROM annotations\"' lists them"});
    }
    range_.source = cut.source;
    range_.confidence = 1;
    range_.description = cut.description;
    OPSIGHT_TRY(
        profile_.connection.execute("CREATE TEMP TABLE all_iterations AS FROM raw.iterations LIMIT 0"));
    std::string values;
    for (const CutIteration& it : cut.list)
        values += fmt::format("{}({}, {}, {}, {}, {}, {}, {})", values.empty() ? "" : ", ", it.rank,
                              it.number, it.begin_ns, it.end_ns, duck::quote_text(it.name),
                              it.warmup ? "true" : "false", duck::quote_text(it.warmup_reason));
    return profile_.connection.execute("INSERT INTO all_iterations VALUES " + values);
}

// The default range is what follows the leading warm-up iterations. A range beyond what there is is an error.
Status Session::choose(RangeOptions options) {
    if (!options.all && !options.start && !options.stop) {
        options.start = stored_start_;
        options.stop = stored_stop_;
    }
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        query("SELECT coalesce(max(number), -1), coalesce(max(warm), 0) FROM (SELECT rank, "
              "max(number) AS number, coalesce(min(number) FILTER (WHERE NOT warmup), max(number) + 1) "
              "AS warm FROM all_iterations GROUP BY rank)"));
    const int64_t last = as_int(rows.rows.at(0)[0]), leading = as_int(rows.rows.at(0)[1]);
    range_.total = last + 1;
    if (last < 0) {
        range_.whole = true;
        if (options.start || options.stop)
            return fail(Error{"the profile has no iterations to choose from",
                              path_,
                              {},
                              "name them with --key-op or --iteration-range"});
        range_.notes.push_back("no iterations were found; the numbers cover the whole profile");
        return {};
    }
    const bool skip = !options.all && !options.start && !options.stop && leading > 0 && leading <= last;
    range_.start = options.start.value_or(skip ? leading : 0);
    range_.stop = options.stop.value_or(last);
    if (range_.start < 0 || range_.stop > last || range_.start > range_.stop)
        return fail(usage(fmt::format("there is no range of iterations {} to {}", range_.start, range_.stop),
                          fmt::format("the profile has iterations 0 to {}", last)));
    range_.selected = range_.stop - range_.start + 1;
    if (skip)
        range_.notes.push_back(fmt::format(
            "the first {} left out as warm-up; --all-iterations takes {} in",
            leading == 1 ? std::string("iteration is") : fmt::format("{} iterations are", leading),
            leading == 1 ? "it" : "them"));
    if (range_.source == "inferred")
        range_.notes.push_back(fmt::format("iterations are inferred ({}), with a confidence of {:.0f} %",
                                           range_.description, range_.confidence * 100));
    return {};
}

Status Session::select(bool cut_anew) {
    const std::string within =
        range_.whole ? "true" : fmt::format("iteration BETWEEN {} AND {}", range_.start, range_.stop);
    std::string sql =
        fmt::format("CREATE TEMP VIEW sel_iterations AS FROM all_iterations WHERE number BETWEEN {} AND {};",
                    range_.start, range_.stop);
    if (!cut_anew) {
        for (const auto& [name, source] :
             {std::pair("sel_ops", "ops"), std::pair("sel_device", "device_spans"),
              std::pair("sel_api", "api_calls"), std::pair("sel_stats", "op_stats")})
            sql += fmt::format("CREATE TEMP VIEW {} AS SELECT * FROM raw.{} WHERE {};", name, source, within);
        return profile_.connection.execute(sql);
    }
    const auto assigned = [&](std::string_view table, std::string_view time) {
        return fmt::format(
            "SELECT s.* EXCLUDE (track_rank) REPLACE (i.number AS iteration) FROM (SELECT a.*, t.rank AS "
            "track_rank "
            "FROM raw.{0} a JOIN raw.tracks t ON t.id = a.track) s ASOF JOIN sel_iterations i "
            "ON i.rank = s.track_rank AND s.{1} >= i.begin_ns WHERE s.{1} < i.end_ns",
            table, time);
    };
    sql += fmt::format("CREATE TEMP TABLE sel_ops AS {};", assigned("ops", "begin_ns"));
    sql += fmt::format("CREATE TEMP TABLE sel_device AS {};", assigned("device_spans", "host_ns"));
    sql += fmt::format("CREATE TEMP TABLE sel_api AS {};", assigned("api_calls", "begin_ns"));
    sql += "CREATE TEMP TABLE sel_stats AS SELECT * FROM raw.op_stats LIMIT 0; INSERT INTO sel_stats " +
           db::op_stats_sql("sel_ops");
    return profile_.connection.execute(sql);
}

// From the first op of the first iteration on to the last end of what the last iteration ran and launched.
Status Session::measure_wall() {
    const std::string first = range_.whole ? "true" : fmt::format("iteration = {}", range_.start);
    const std::string last = range_.whole ? "true" : fmt::format("iteration = {}", range_.stop);
    return profile_.connection.execute(fmt::format(
        "CREATE TEMP TABLE sel_wall AS "
        "WITH ends AS (SELECT track, begin_ns + dur_ns AS end_ns FROM sel_ops WHERE {1} "
        "UNION ALL SELECT track, begin_ns + dur_ns FROM sel_api WHERE {1} "
        "UNION ALL SELECT track, begin_ns + dur_ns FROM sel_device WHERE kind < 3 AND {1}), "
        "begins AS (SELECT track, begin_ns, 0 AS choice FROM sel_ops WHERE {0} "
        "UNION ALL SELECT track, begin_ns, 1 FROM sel_api WHERE {0} "
        "UNION ALL SELECT track, begin_ns, 1 FROM sel_device WHERE kind < 3 AND {0}), "
        "e AS (SELECT t.rank, max(end_ns) AS end_ns FROM ends JOIN raw.tracks t ON t.id = track GROUP BY 1), "
        "b AS (SELECT t.rank, coalesce(min(begin_ns) FILTER (WHERE choice = 0), min(begin_ns)) AS begin_ns "
        "FROM begins JOIN raw.tracks t ON t.id = track GROUP BY 1), "
        "i AS (SELECT rank, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns FROM sel_iterations GROUP BY 1) "
        "SELECT r.id AS rank, coalesce(b.begin_ns, i.begin_ns) AS begin_ns, coalesce(e.end_ns, i.end_ns) AS "
        "end_ns "
        "FROM raw.ranks r LEFT JOIN b ON b.rank = r.id LEFT JOIN e ON e.rank = r.id LEFT JOIN i ON i.rank = "
        "r.id "
        "WHERE coalesce(b.begin_ns, i.begin_ns) IS NOT NULL AND coalesce(e.end_ns, i.end_ns) IS NOT NULL",
        first, last));
}

}  // namespace opsight
