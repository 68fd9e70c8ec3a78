#include "query/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "db/rules.h"
#include "db/schema.h"
#include "query/session/backlog.h"
#include "query/session/cells.h"
#include "query/session/cut_range.h"
#include "query/session/memory_levels.h"
#include "query/session/one_rank.h"
#include "query/session/outside_range.h"
#include "query/session/range_sums.h"
#include "query/session/sql.h"
#include "query/session/stream_sums.h"
#include "query/session/wall_clock.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

Error usage(std::string what, std::string remedy) {
    return {std::move(what), {}, {}, std::move(remedy), 2};
}

// "0, 1, 5", shortened where there are many.
std::string listed(const std::vector<int64_t>& numbers) {
    constexpr size_t kShown = 8;
    std::string out;
    for (size_t i = 0; i < std::min(numbers.size(), kShown); ++i)
        out += fmt::format("{}{}", i ? ", " : "", numbers[i]);
    return out + (numbers.size() > kShown ? ", ..." : "");
}

std::string left_out_note(const std::vector<int64_t>& warmup) {
    const bool one = warmup.size() == 1, leading = warmup.back() + 1 == std::ssize(warmup);
    const std::string which = leading ? (one ? std::string("the first iteration is")
                                             : fmt::format("the first {} iterations are", warmup.size()))
                              : one   ? fmt::format("iteration {} is", warmup[0])
                                      : fmt::format("{} iterations ({}) are", warmup.size(), listed(warmup));
    return fmt::format("{} left out as warm-up; --all-iterations takes {} in", which, one ? "it" : "them");
}

// Leaves `warmup` (the warm-up iterations of the range) out where the range was not asked for, and says so.
void note_warmup(Range& range, const RangeOptions& options, const std::vector<int64_t>& warmup) {
    if (warmup.empty() || options.all) return;
    if (options.start || options.stop) {
        range.notes.push_back(fmt::format("the range that was asked for holds {} ({})",
                                          warmup.size() == 1 ? "a warm-up iteration" : "warm-up iterations",
                                          listed(warmup)));
        return;
    }
    if (std::ssize(warmup) == range.selected) {
        range.notes.push_back("every iteration counts as warm-up, so none is left out");
        return;
    }
    range.left_out = warmup;
    range.selected -= std::ssize(warmup);
    while (!range.left_out.empty() && range.left_out.front() == range.start) {
        range.left_out.erase(range.left_out.begin());
        ++range.start;
    }
    while (!range.left_out.empty() && range.left_out.back() == range.stop) {
        range.left_out.pop_back();
        --range.stop;
    }
    range.notes.push_back(left_out_note(warmup));
}

// A list as SQL reads one from text.
std::string list_text(const std::vector<int64_t>& numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace

Error Session::named(Error error) const {
    error.file = path_;
    return error;
}

Result<duck::Rows> Session::query(const duck::Statement& statement) {
    auto rows = profile_.connection.query(statement);
    if (!rows) return fail(named(std::move(rows).error()));
    return rows;
}

Status Session::execute(const std::string& sql) {
    Status done = profile_.connection.execute(sql);
    if (!done) return fail(named(std::move(done).error()));
    return done;
}

Status Session::scan(const duck::Statement& statement, const std::function<void(const duck::Batch&)>& take) {
    Status done = profile_.connection.scan(statement, take);
    if (!done) return fail(named(std::move(done).error()));
    return done;
}

Result<duck::Appender> Session::append_to(const std::string& temporary,
                                          const std::vector<duck::Type>& types) {
    auto appender = duck::Appender::create(profile_.connection, "temp", temporary, types);
    if (!appender) return fail(named(std::move(appender).error()));
    return appender;
}

Result<duck::Cursor> Session::open_cursor(const duck::Statement& statement) {
    auto cursor = profile_.connection.open_cursor(statement);
    if (cursor) return cursor;
    return fail(named(std::move(cursor).error()));
}

std::any Session::kept(const std::string& name) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&name](const Kept& each) { return each.name == name; });
    if (found == kept_.end()) return {};
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().with;
}

Result<std::string> Session::keep(const std::string& name, duck::Statement statement, std::any with) {
    constexpr size_t kMostTables = 12;
    if (kept_.size() >= kMostTables) {
        OPSIGHT_TRY(execute("DROP TABLE temp." + kept_.front().table));
        kept_.erase(kept_.begin());
    }
    const std::string table = fmt::format("kept_{}", tables_made_++);
    statement.text = fmt::format("CREATE TEMP TABLE {} AS {}", table, statement.text);
    OPSIGHT_TRY(execute(statement));
    kept_.push_back({name, table, std::move(with)});
    return table;
}

Result<Session> Session::open(const std::string& path, const RangeOptions& options,
                              const db::ReadOptions& read) {
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, read));
    Session session(path, std::move(profile));
    OPSIGHT_TRY(session.start(options));
    return session;
}

Result<Session> Session::open_on(const db::OpenProfile& profile, const std::string& path,
                                 const RangeOptions& options) {
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(profile.database));
    Session session(path, {profile.database.share(), std::move(connection)});
    OPSIGHT_TRY(session.start(options));
    return session;
}

Status Session::start(const RangeOptions& options) {
    if (!options.key_op.empty() && !options.iteration_range.empty())
        return fail(usage("--key-op and --iteration-range exclude each other", "give one of them"));
    if (options.whole && (options.start || options.stop || options.all || !options.key_op.empty() ||
                          !options.iteration_range.empty()))
        return fail(usage("the whole run and a range of iterations exclude each other",
                          "leave --whole-run out, or the options that choose iterations"));
    cut_anew_ = !options.key_op.empty() || !options.iteration_range.empty();
    if (options.rank) {
        OPSIGHT_ASSIGN(contents_.ranks_left_out, see_one_rank(*this, *options.rank));
        if (contents_.ranks_left_out > 0)
            range_.notes.push_back(
                fmt::format("of rank {} alone, one of {}", *options.rank, contents_.ranks_left_out + 1));
    }
    OPSIGHT_TRY(group_ranks());
    OPSIGHT_TRY(look());
    OPSIGHT_TRY(cut_anew_ ? cut_iterations(options) : stored_iterations());
    OPSIGHT_TRY(choose(options));
    OPSIGHT_TRY(select(cut_anew_));
    OPSIGHT_ASSIGN(std::string outside, outside_range(*this));
    if (!outside.empty()) range_.notes.push_back(std::move(outside));
    OPSIGHT_TRY(range_.whole ? measure_whole() : measure_wall());
    OPSIGHT_TRY(execute(sql::wall_clock_recorded));
    OPSIGHT_ASSIGN(std::string beyond, beyond_wall_clock(*this));
    if (!beyond.empty()) range_.notes.push_back(std::move(beyond));
    OPSIGHT_TRY(execute(sql::wall_sums));
    OPSIGHT_TRY(execute(sql::all_iteration_times));
    OPSIGHT_TRY(execute(range_.whole ? sql::whole_iteration_times : sql::iteration_times));
    OPSIGHT_ASSIGN(std::string backlog, backlog_of_range(*this));
    if (!backlog.empty()) range_.notes.push_back(std::move(backlog));
    OPSIGHT_ASSIGN(std::string tail, tail_of_range(*this));
    if (!tail.empty()) range_.notes.push_back(std::move(tail));
    return {};
}

Status Session::group_ranks() {
    OPSIGHT_ASSIGN(const duck::Rows rows, query(sql::rank_hosts));
    std::vector<int64_t> firsts;
    for (const auto& row : rows.rows) {
        firsts.resize(static_cast<size_t>(integer(row[0])) + 1, -1);
        firsts.back() = integer(row[1]);
    }
    return execute(duck::Statement(sql::rank_group).set("first_of_host", list_text(firsts)));
}

Status Session::look() {
    OPSIGHT_ASSIGN(const duck::Rows rows, query(sql::contents));
    const auto& row = rows.rows.at(0);
    contents_.ops = std::get<bool>(row[0]);
    contents_.device_work = std::get<bool>(row[1]);
    contents_.devices = integer(row[2]) > 0;
    contents_.ranks = integer(row[3]);
    contents_.ranges = std::get<bool>(row[4]);
    if (contents_.ranks_left_out == 0) contents_.not_one_job = text(row[10]);
    contents_.nothing_known = std::get<bool>(row[11]);
    if (!contents_.not_one_job.empty())
        range_.notes.push_back(
            fmt::format("the files do not fit together as one job ({}): what is said of all of them together "
                        "means little; import each run by itself",
                        contents_.not_one_job));
    const std::string devices_untold = text(row[12]);
    contents_.work_lost = !contents_.device_work && (std::get<bool>(row[5]) || !devices_untold.empty());
    contents_.loss_is_told = contents_.work_lost && !devices_untold.empty();
    if (contents_.loss_is_told) range_.notes.push_back(devices_untold);
    const std::string times = text(row[6]), untold = text(row[7]);
    if (times == "none" && untold.empty())
        range_.notes.emplace_back("the source has no times: what it tells stands in its order, as moments");
    else if (!times.empty() && times != "none")
        range_.notes.emplace_back(
            "the source tells how long work took, and not when: it stands one behind the other, and wall "
            "clock, waits, overlap and utilization are not known");
    contents_.host_told = untold.empty();
    if (!contents_.host_told) range_.notes.push_back(untold);
    contents_.calls = std::get<bool>(row[8]);
    const bool named = contents_.devices && !contents_.calls && !std::get<bool>(row[13]);
    const bool nothing_told = std::get<bool>(row[14]);
    contents_.device_unseen =
        !contents_.device_work && !contents_.work_lost && (named || (nothing_told && !contents_.ops));
    if (text(row[9]) != db::rules())
        range_.notes.emplace_back(
            "this profile was made by another build of Opsight, whose rules may differ: its source, imported "
            "again, has this one's");
    return {};
}

Status Session::stored_iterations() {
    OPSIGHT_TRY(execute(sql::stored_iterations));
    OPSIGHT_ASSIGN(const duck::Rows rows, query(sql::iteration_facts));
    for (const auto& row : rows.rows) {
        const std::string key = text(row[0]), value = text(row[1]);
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
    OPSIGHT_ASSIGN(CutIterations cut,
                   cut_stored_iterations(profile_.connection, options.key_op, options.iteration_range));
    if (cut.list.empty()) {
        if (!options.key_op.empty())
            return fail(Error{fmt::format("no op or range is named '{}'", options.key_op),
                              path_,
                              {},
                              "'opsight report NAME --report detailed,ranges' lists them"});
        return fail(Error{fmt::format("no range has a name like '{}'", options.iteration_range),
                          path_,
                          {},
                          "'opsight report NAME --report ranges' lists them"});
    }
    range_.source = cut.source;
    range_.confidence = 1;
    range_.description = cut.description;
    OPSIGHT_TRY(execute(sql::no_iterations));
    cut_ = std::move(cut.list);
    return append_iterations();
}

Status Session::append_iterations() {
    using enum duck::Type;
    OPSIGHT_ASSIGN(duck::Appender appender, append_to("all_iterations", {kInteger, kInteger, kBigint, kBigint,
                                                                         kVarchar, kBoolean, kVarchar}));
    for (size_t done = 0; done < cut_.size();) {
        const size_t count = std::min(duck::Appender::kBatch, cut_.size() - done);
        for (size_t i = 0; i < count; ++i) {
            const CutIteration& it = cut_[done + i];
            appender.column<int32_t>(0)[i] = static_cast<int32_t>(it.rank);
            appender.column<int32_t>(1)[i] = static_cast<int32_t>(it.number);
            appender.column<int64_t>(2)[i] = it.begin_ns;
            appender.column<int64_t>(3)[i] = it.end_ns;
            appender.set_text(4, i, it.name);
            appender.column<bool>(5)[i] = it.warmup;
            appender.set_text(6, i, it.warmup_reason);
        }
        OPSIGHT_TRY(appender.add(count));
        done += count;
    }
    return appender.close();
}

// The whole run, with its iterations where it has some.
void Session::take_all(const RangeOptions& options) {
    range_.whole = true;
    range_.selected = range_.total;
    if (options.whole)
        range_.notes.push_back("the numbers cover the whole run");
    else if (range_.total == 0)
        range_.notes.push_back("no iterations were found; the numbers cover the whole profile");
    else
        range_.notes.push_back(fmt::format(
            "the numbers cover the whole run: no op of a framework was recorded on its host and no "
            "iterations are named, there is only a guess at some ({}, with a confidence of {:.0f}%), which "
            "--all-iterations, --iter-start and --iter-stop "
            "take",
            range_.description, range_.confidence * 100));
}

// The default range leaves warm-up iterations out; one that is asked for is taken as it is. What a program
// without a framework repeats need not be its main loop: its default range is the whole run. A range beyond
// what there is is an error.
Status Session::choose(RangeOptions options) {
    if (!options.all && !options.whole && !options.start && !options.stop) {
        options.start = stored_start_;
        options.stop = stored_stop_;
    }
    const bool chosen = options.all || options.start || options.stop || cut_anew_;
    const bool guessed = range_.source == "inferred" && !contents_.ops;
    OPSIGHT_ASSIGN(const duck::Rows last_row, query(sql::last_iteration));
    const int64_t last = integer(last_row.rows.at(0)[0]);
    range_.total = last + 1;
    if (last < 0 && (options.start || options.stop))
        return fail(Error{"the profile has no iterations to choose from",
                          path_,
                          {},
                          "name them with --key-op or --iteration-range"});
    if (last < 0 || options.whole || (guessed && !chosen)) {
        take_all(options);
        return {};
    }
    range_.start = options.start.value_or(0);
    range_.stop = options.stop.value_or(last);
    if (range_.start < 0 || range_.stop > last || range_.start > range_.stop)
        return fail(usage(fmt::format("there is no range of iterations {} to {}", range_.start, range_.stop),
                          fmt::format("the profile has iterations 0 to {}", last)));
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        query(duck::Statement(sql::warmup_iterations).set("first", range_.start).set("last", range_.stop)));
    std::vector<int64_t> warmup;
    if (options.warmup <= last)  // of a shorter run nothing would be left
        for (int64_t number = range_.start; number < options.warmup; ++number)
            warmup.push_back(number);
    for (const auto& row : rows.rows)
        if (warmup.empty() || integer(row[0]) > warmup.back()) warmup.push_back(integer(row[0]));
    range_.selected = range_.stop - range_.start + 1;
    note_warmup(range_, options, warmup);
    if (range_.source == "inferred")
        range_.notes.push_back(fmt::format("iterations are inferred ({}), with a confidence of {:.0f}%",
                                           range_.description, range_.confidence * 100));
    return {};
}

Status Session::select(bool cut_anew) {
    OPSIGHT_TRY(execute(duck::Statement(sql::chosen_iterations)
                            .set("whole", range_.whole)
                            .set("first", range_.start)
                            .set("last", range_.stop)
                            .set("left_out", list_text(range_.left_out))));
    if (!cut_anew) return execute(sql::stored_range);
    OPSIGHT_ASSIGN(cut_function_,
                   select_cut_range(profile_.connection, ChosenIterations(cut_, stretches_of(range_))));
    return {};
}

Status Session::prepare(const duck::Statement& file) {
    return once(std::string(file.name), [this, &file] { return execute(file); });
}

Result<bool> Session::made_after_all(const std::string& name) {
    (void)execute("ROLLBACK");
    OPSIGHT_ASSIGN(const duck::Rows made,
                   query(fmt::format("SELECT EXISTS (FROM duckdb_tables() WHERE database_name = 'temp' AND "
                                     "table_name = 'ready_{}')",
                                     name)));
    return std::get<bool>(made.rows.at(0)[0]);
}

Status Session::once(const std::string& name, const std::function<Status()>& work) {
    if (ready_.contains(name)) return {};
    if (doubtful_) {
        OPSIGHT_ASSIGN(const bool made, made_after_all(name));
        if (made) {
            ready_.insert(name);
            return {};
        }
    }
    const bool before = std::exchange(doubtful_, true);
    Status worked = execute("BEGIN");
    if (worked) worked = work();
    if (worked) worked = execute(fmt::format("CREATE TEMP TABLE ready_{} (made BOOLEAN)", name));
    if (worked) worked = execute("COMMIT");
    if (!worked) {
        (void)execute("ROLLBACK");
        return worked;
    }
    ready_.insert(name);
    doubtful_ = before;
    return {};
}

Status Session::prepare_ranges() {
    return once("ranges", [this] { return sum_ranges(*this, profile_.connection); });
}

Status Session::measure_wall() {
    OPSIGHT_ASSIGN(const duck::Rows pauses, query(sql::before_pauses));
    std::vector<int64_t> firsts, lasts;
    auto pause = pauses.rows.begin();
    for (const auto& [first, last] : stretches_of(range_)) {
        firsts.push_back(first);
        for (; pause != pauses.rows.end() && integer((*pause)[0]) <= last; ++pause) {
            if (integer((*pause)[0]) == last) continue;
            lasts.push_back(integer((*pause)[0]));
            firsts.push_back(lasts.back() + 1);
        }
        lasts.push_back(last);
    }
    // Of iterations that were cut anew the bounds of the last ones spare a look at all others.
    int64_t begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();
    for (const CutIteration& it : cut_) {
        if (!std::binary_search(lasts.begin(), lasts.end(), it.number)) continue;
        begin = std::min(begin, it.begin_ns);
        end = std::max(end, it.end_ns);
    }
    if (begin >= end) std::swap(begin, end);
    return execute(duck::Statement(sql::wall_clock)
                       .set("firsts", list_text(firsts))
                       .set("lasts", list_text(lasts))
                       .set("first_last", lasts.front())
                       .set("last_last", lasts.back())
                       .set("begin_ns", begin)
                       .set("end_ns", end));
}

Status Session::measure_whole() {
    OPSIGHT_TRY(execute(sql::profiler_ends));
    return execute(sql::whole_wall_clock);
}

Status Session::prepare_streams() {
    return once("streams", [this]() -> Status {
        if (!cut_anew_) return execute(sql::stored_streams);
        OPSIGHT_TRY(execute(sql::cut_streams));
        return sum_stored_streams(*this, ChosenIterations(cut_, stretches_of(range_)), range_.start,
                                  "cut_streams");
    });
}

Status Session::prepare_work() {
    return once("work", [this]() -> Status {
        OPSIGHT_TRY(list_memory_levels(*this));
        if (!cut_anew_) return execute(sql::stored_work);
        return execute("CREATE TEMP TABLE sel_work AS " + db::work_stats_sql("sel_device", "sel_ops"));
    });
}

}  // namespace opsight::query
