// Makes jobs of any size in a store, from the facts of a real one: fleet_jobs SOURCE TARGET JOBS RANKS
// ITERATIONS OPS LEVEL. Ops are those of the source's run with most ranks, repeated under other names until
// there are OPS; times of ranks and iterations vary by the deviations that the source's ranks have from their
// median, drawn anew. In each job one rank is planted as slow by 10 to 50 % ("rank"), the group of one host
// as having a link of half the rate ("link"), and one layer of a rank as taking twice as long ("layer"). A
// line for each job tells what was planted where. LEVEL: "ranks" writes runs, ranks and iterations only,
// "sums" all but the tables iteration_*, "all" every table.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "fleet/stores/open.h"

using namespace opsight;

namespace {

constexpr int64_t kRanksOfHost = 8;

struct Size {
    int64_t ranks = 0, iterations = 0, ops = 0;
    bool all = false, sums = false;
};

struct Planted {
    std::string run;
    int64_t job = 0, slow_rank = 0, slow_host = 0, layer_rank = 0, layer = 0;
    double factor = 1;
};

class Rows : public fleet::RowSource {
  public:
    explicit Rows(duck::Connection& connection) : connection_(connection) {}
    Result<duck::Rows> query(const duck::Statement& statement) override {
        return connection_.query(statement);
    }
    Result<duck::Cursor> open_cursor(const duck::Statement& statement) override {
        return connection_.open_cursor(statement);
    }

  private:
    duck::Connection& connection_;
};

void must(const Status& done) {
    if (done) return;
    fmt::print(stderr, "{}\n", done.error().message());
    std::exit(1);
}
template <class T>
T must(Result<T> value) {
    if (!value) {
        fmt::print(stderr, "{}\n", value.error().message());
        std::exit(1);
    }
    return std::move(*value);
}

std::string values(const duck::Rows& rows) {
    std::string out;
    for (const auto& row : rows.rows) {
        out += out.empty() ? "(" : ", (";
        for (size_t i = 0; i < row.size(); ++i)
            out += (i ? ", " : "") + duck::literal(row[i]);
        out += ")";
    }
    return out;
}

// The tables real_ops and real_times of what the source says.
void take_distributions(duck::Connection& connection, const std::string& source) {
    const auto store = must(fleet::open_store(source, false));
    const auto ops = must(store->free_sql(
        "SELECT op, type, coalesce(layer, 'model'), direction, tc_eligible, sum(calls) / sum(n), sum(cpu_ns) "
        "/ sum(n), "
        "sum(self_cpu_ns) / sum(n), sum(gpu_ns) / sum(n), sum(self_gpu_ns) / sum(n), sum(kernel_ns) / "
        "sum(n), "
        "sum(tc_kernel_ns) / sum(n), sum(kernels) / sum(n) FROM rank_ops JOIN (SELECT run, "
        "greatest(iterations, 1) AS n, "
        "rank FROM ranks) USING (run, rank) WHERE run = (SELECT argMax(run, ranks) FROM runs) GROUP BY ALL",
        100000));
    const auto times = must(store->free_sql(
        "SELECT own_ns, ln(own_ns / median(own_ns) OVER ()) FROM iterations WHERE own_ns > 0 AND run = "
        "(SELECT argMax(run, ranks) FROM runs)",
        1000000));
    must(connection.execute(
        "CREATE TABLE real_ops AS SELECT row_number() OVER () - 1 AS id, * FROM (VALUES " + values(ops.rows) +
        ") AS v(op, type, layer, direction, tc_eligible, calls, cpu_ns, self_cpu_ns, gpu_ns, self_gpu_ns, "
        "kernel_ns, "
        "tc_kernel_ns, kernels)"));
    must(connection.execute(
        "CREATE TABLE real_times AS SELECT row_number() OVER () - 1 AS id, * FROM (VALUES " +
        values(times.rows) + ") AS v(own_ns, deviation)"));
}

// The ops of a job, a layer for ten of them.
void make_ops(duck::Connection& connection, int64_t ops) {
    must(
        connection.execute(fmt::format("CREATE TABLE ops_of_job AS SELECT i.range AS id, op || '_' || "
                                       "(i.range // n) AS op, type, 'layer.' || (i.range // 10) "
                                       "AS layer, i.range // 10 AS layer_id, direction, tc_eligible, calls, "
                                       "cpu_ns, self_cpu_ns, gpu_ns, self_gpu_ns, kernel_ns, "
                                       "tc_kernel_ns, kernels FROM range({}) i, (SELECT count(*) AS n FROM "
                                       "real_ops) JOIN real_ops r ON r.id = i.range % n",
                                       ops)));
}

// Own times as drawn, and by docs/RANKS.md what follows: all wait for the last of each iteration.
void make_times(duck::Connection& connection, const Size& size, const Planted& planted) {
    must(connection.execute(
        fmt::format("CREATE OR REPLACE TABLE times AS WITH own AS (SELECT r.range AS rank, i.range AS "
                    "iteration, (middle * exp(0.25 * "
                    "a.deviation + b.deviation) * CASE WHEN r.range = {} THEN {} ELSE 1 END)::BIGINT AS "
                    "own_ns FROM range({}) r, range({}) "
                    "i, (SELECT median(own_ns) AS middle, count(*) AS n FROM real_times) JOIN real_times a "
                    "ON a.id = hash(r.range, {}) % n "
                    "JOIN real_times b ON b.id = hash(r.range, i.range, {}) % n), ends AS (SELECT *, "
                    "max(own_ns) OVER w AS longest, "
                    "median(own_ns) OVER w AS middle, row_number() OVER (PARTITION BY iteration ORDER BY "
                    "own_ns DESC, rank) = 1 AS last, "
                    "sum(own_ns) OVER w AS all_own FROM own WINDOW w AS (PARTITION BY iteration)) SELECT "
                    "rank, iteration, own_ns, "
                    "longest - own_ns AS waiting_ns, longest AS duration_ns, own_ns / middle AS score, last, "
                    "CASE WHEN last THEN (longest * {} - all_own)::BIGINT ELSE 0 END AS caused_ns FROM ends",
                    planted.slow_rank, planted.factor, size.ranks, size.iterations, planted.job, planted.job,
                    size.ranks)));
}

std::string op_columns() {
    return "o.op, o.type, o.layer, o.direction, o.tc_eligible, o.calls::BIGINT AS calls, (o.cpu_ns * "
           "f)::BIGINT AS cpu_ns, "
           "(o.self_cpu_ns * f)::BIGINT AS self_cpu_ns, (o.gpu_ns * f)::BIGINT AS gpu_ns, (o.self_gpu_ns * "
           "f)::BIGINT AS "
           "self_gpu_ns, (o.kernel_ns * f)::BIGINT AS kernel_ns, (o.tc_kernel_ns * f)::BIGINT AS "
           "tc_kernel_ns, "
           "o.kernels::BIGINT AS kernels, 0::BIGINT AS unknown_tc_kernels";
}

// Ops of a rank's iterations, each with a deviation of its own; f: of the planted layer twice as long.
std::string iteration_ops(const Planted& planted, int64_t rank, int64_t iterations) {
    return fmt::format(
        "SELECT {0} AS rank, iteration, {1} FROM (SELECT i.range AS iteration, o.*, exp((hash(i.range, o.id, "
        "{0}, {2}) % 1000) / "
        "5000.0) * CASE WHEN {0} = {3} AND o.layer_id = {4} THEN 2 ELSE 1 END AS f FROM range({5}) i, "
        "ops_of_job o) o",
        rank, op_columns(), planted.job, planted.layer_rank, planted.layer, iterations);
}

std::string collectives(const Planted& planted, const std::string& from) {
    return fmt::format(
        "SELECT rank, iteration, 'host ' || (rank // {0}) AS process_group, 'data parallel' AS group_kind, "
        "'allreduce' AS "
        "collective, 1::BIGINT AS calls, 1::BIGINT AS matched, 100000000::BIGINT AS bytes, waiting_ns + t AS "
        "total_ns, "
        "waiting_ns, t AS transfer_ns, waiting_ns + t AS exposed_ns FROM (SELECT rank, iteration, "
        "waiting_ns, (1000000 * CASE WHEN "
        "rank // {0} = {1} THEN 2 ELSE 1 END * exp((hash(rank // {0}, iteration, {2}) % 1000) / "
        "5000.0))::BIGINT AS t FROM {3})",
        kRanksOfHost, planted.slow_host, planted.job, from);
}

// The statement for the rows of a part; what all columns are follows from their names where it says nothing
// else.
std::string rows_of(const fleet::Part& part, const Planted& planted, const Size& size) {
    const std::string name(part.table->name);
    const int64_t rank = part.rank.value_or(-1);
    const std::string times_of_rank = fmt::format("(SELECT * FROM times WHERE rank = {})", rank);
    if (name == "iteration_ops") return iteration_ops(planted, rank, size.iterations);
    if (name == "iteration_kernels")
        return "SELECT rank, iteration, op AS kernel, 'compute' AS class, 'no' AS uses_tc, tc_eligible, "
               "calls, self_gpu_ns AS "
               "gpu_ns FROM (" +
               iteration_ops(planted, rank, size.iterations) + ")";
    if (name == "iteration_layers")
        return "SELECT rank, iteration, layer, direction, sum(calls)::BIGINT AS calls, "
               "sum(self_cpu_ns)::BIGINT AS self_cpu_ns, "
               "sum(self_gpu_ns)::BIGINT AS self_gpu_ns FROM (" +
               iteration_ops(planted, rank, size.iterations) + ") GROUP BY ALL";
    if (name == "iteration_collectives") return collectives(planted, times_of_rank);
    const std::string ops_of_ranks = fmt::format(
        "SELECT o.rank, {} FROM (SELECT r.range AS rank, o.*, {} * CASE WHEN r.range = {} AND o.layer_id = "
        "{} THEN 2 ELSE 1 END AS "
        "f FROM range({}) r, ops_of_job o) o",
        op_columns(), size.iterations, planted.layer_rank, planted.layer, size.ranks);
    if (name == "rank_ops") return ops_of_ranks;
    if (name == "rank_layers")
        return "SELECT rank, layer, direction, sum(calls)::BIGINT AS calls, sum(self_cpu_ns)::BIGINT AS "
               "self_cpu_ns, "
               "sum(self_gpu_ns)::BIGINT AS self_gpu_ns FROM (" +
               ops_of_ranks + ") GROUP BY ALL";
    if (name == "rank_kernels")
        return "SELECT rank, op AS kernel, 'compute' AS class, 'no' AS uses_tc, tc_eligible, calls, "
               "self_gpu_ns AS gpu_ns FROM (" +
               ops_of_ranks + ")";
    if (name == "rank_collectives")
        return "SELECT rank, process_group, group_kind, collective, sum(calls)::BIGINT AS calls, "
               "sum(matched)::BIGINT AS matched, "
               "sum(bytes)::BIGINT AS bytes, sum(total_ns)::BIGINT AS total_ns, sum(waiting_ns)::BIGINT AS "
               "waiting_ns, "
               "sum(transfer_ns)::BIGINT AS transfer_ns, sum(exposed_ns)::BIGINT AS exposed_ns FROM (" +
               collectives(planted, "times") + ") GROUP BY ALL";
    std::string summed;  // the tables of a run have the columns of those of ranks
    for (const fleet::Column& column : part.table->columns)
        summed += (summed.empty() ? "" : ", ") +
                  (column.type == fleet::Type::kInteger && column.name != "tc_eligible"
                       ? fmt::format("sum({0})::BIGINT AS {0}", column.name)
                       : std::string(column.name));
    if (fleet::find_table("rank_" + name))
        return "SELECT " + summed + " FROM (" +
               rows_of({fleet::find_table("rank_" + name), {}}, planted, size) + ") GROUP BY ALL";
    if (name == "iterations")
        return "SELECT rank, iteration, duration_ns, own_ns AS computing_ns, waiting_ns AS communicating_ns, "
               "waiting_ns, "
               "1000000::BIGINT AS transfer_ns, 0::BIGINT AS copying_ns, 0::BIGINT AS loading_ns, 0::BIGINT "
               "AS host_ns, 0::BIGINT AS "
               "idle_ns, own_ns, score, NULL::DOUBLE AS own_score, last::BIGINT AS times_last, caused_ns "
               "FROM times";
    return {};
}

std::string row_of_rank() {
    return fmt::format(
        "SELECT rank, 'node' || (rank // {}) AS host, count(*) AS iterations, sum(duration_ns)::BIGINT AS "
        "wall_ns, "
        "sum(own_ns)::BIGINT AS computing_ns, sum(waiting_ns)::BIGINT AS communicating_ns, "
        "sum(waiting_ns)::BIGINT AS waiting_ns, "
        "NULL::BIGINT AS transfer_ns, 0::BIGINT AS copying_ns, 0::BIGINT AS loading_ns, 0::BIGINT AS "
        "host_ns, 0::BIGINT AS idle_ns, "
        "median(own_ns)::BIGINT AS own_ns, median(score) AS score, CASE WHEN 2 * count(*) FILTER (WHERE "
        "last) > count(*) THEN "
        "'persistent' WHEN bool_or(last) THEN 'wandering' ELSE 'none' END AS pattern, count(*) FILTER (WHERE "
        "last) AS "
        "iterations_last, count(*) FILTER (WHERE last) AS times_last, sum(caused_ns)::BIGINT AS caused_ns, "
        "100.0 * sum(caused_ns) / "
        "(SELECT sum(caused_ns) FROM times) AS caused_pct, 'computing' AS cause, NULL::VARCHAR AS cause_op "
        "FROM times GROUP BY rank "
        "ORDER BY rank",
        kRanksOfHost);
}

// A row with NULL wherever it may be, and otherwise what the names ask for.
std::string plain_row(const fleet::Table& table, const Planted& planted, const Size& size) {
    std::string columns;
    for (const fleet::Column& column : table.columns) {
        const bool text = column.type == fleet::Type::kText;
        std::string value = text ? fmt::format("'job {}'", planted.job) : "0";
        if (column.name == "ranks" || column.name == "world_size" || column.name == "devices")
            value = std::to_string(size.ranks);
        if (column.name == "iterations") value = std::to_string(size.iterations);
        if (column.name == "recorded_ns")
            value = std::to_string(1'700'000'000'000'000'000 + planted.job * 3'600'000'000'000);
        if (column.name == "iteration_ns") value = "(SELECT median(duration_ns) FROM times)";
        columns += fmt::format("{}{}::{} AS {}", columns.empty() ? "" : ", ", value,
                               text                                ? "VARCHAR"
                               : column.type == fleet::Type::kReal ? "DOUBLE"
                                                                   : "BIGINT",
                               duck::quote_name(column.name));
    }
    return "SELECT " + columns;
}

bool is_wanted(const fleet::Table& table, const Size& size) {
    return size.all || (size.sums && !table.by_rank) || table.name == "runs" || table.name == "ranks" ||
           table.name == "iterations" || table.name == "labels";
}

void push_job(fleet::Store& store, duck::Connection& connection, const Planted& planted, const Size& size) {
    const auto push = must(store.begin({planted.run, planted.run}));
    Rows source(connection);
    std::vector<fleet::Part> parts;
    for (const fleet::Table& table : fleet::tables()) {
        if (!is_wanted(table, size)) continue;
        for (int64_t rank = 0; rank < (table.by_rank ? size.ranks : 1); ++rank) {
            const fleet::Part part{&table, table.by_rank ? std::optional(rank) : std::nullopt};
            std::string rows = table.name == "ranks" ? row_of_rank() : rows_of(part, planted, size);
            if (rows.empty()) rows = plain_row(table, planted, size);
            std::string columns;
            for (const fleet::Column& column : table.columns)
                columns += (columns.empty() ? "" : ", ") + duck::quote_name(column.name);
            must(push->stage(part, source, duck::Statement("SELECT " + columns + " FROM (" + rows + ")")));
            parts.push_back(part);
        }
    }
    must(push->commit(parts));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 8) {
        fmt::print(stderr, "usage: fleet_jobs SOURCE TARGET JOBS RANKS ITERATIONS OPS ranks|sums|all\n");
        return 2;
    }
    const Size size{std::atoll(argv[4]), std::atoll(argv[5]), std::atoll(argv[6]),
                    std::string(argv[7]) == "all", std::string(argv[7]) == "sums"};
    const duck::Database database = must(duck::Database::open(":memory:", {}));
    duck::Connection connection = must(database.connect());
    take_distributions(connection, argv[1]);
    make_ops(connection, size.ops);
    const auto store = must(fleet::open_store(argv[2], true));
    std::mt19937_64 chance(17);
    const auto below = [&chance](int64_t most) {
        return static_cast<int64_t>(chance() % static_cast<uint64_t>(most));
    };
    for (int64_t job = 0; job < std::atoll(argv[3]); ++job) {
        Planted planted{fmt::format("{:08x}{:024x}", job + 1, size.ranks),
                        job,
                        below(size.ranks),
                        below(std::max<int64_t>(size.ranks / kRanksOfHost, 1)),
                        below(size.ranks),
                        below(std::max<int64_t>(size.ops / 10, 1)),
                        1.1 + 0.4 * static_cast<double>(below(1000)) / 1000};
        make_times(connection, size, planted);
        push_job(*store, connection, planted, size);
        fmt::print("{}\t{}\t{:.3f}\thost {}\t{}\tlayer.{}\n", planted.run, planted.slow_rank, planted.factor,
                   planted.slow_host, planted.layer_rank, planted.layer);
    }
    return 0;
}
