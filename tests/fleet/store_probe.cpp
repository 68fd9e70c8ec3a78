// A store without profiles: for tests and benchmarks that need runs of any size, and answers as they come.
//
//   store_probe push STORE --run N [--push N] [--ranks N] [--iterations N] [--names N] [--pause-after PARTS]
//   store_probe ask STORE [--run N]      a question in the words of dialect.h, from standard input
//   store_probe sql STORE                a SELECT of the user's own, from standard input
//
// Values are made of hashes of where they stand, so a run is the same in every store. Answers are printed
// with tabs between columns, notes go to standard error.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>

#include "fleet/stores/open.h"

namespace opsight::fleet {
namespace {

struct Options {
    std::map<std::string, int64_t> numbers;
    int64_t get(const std::string& name, int64_t otherwise) const {
        const auto found = numbers.find(name);
        return found == numbers.end() ? otherwise : found->second;
    }
};

std::string id_of(int64_t number) {
    return fmt::format("{:032x}", static_cast<uint64_t>(number) * 0x9E3779B97F4A7C15u);
}

// One value of row `i`: of few texts, or a number; NULL now and then where it may be.
std::string value_of(const Table& table, const Column& column, int64_t rank, int64_t iterations,
                     int64_t names, const std::string& salt) {
    if (column.name == "rank") return rank < 0 ? fmt::format("i // {}", names) : std::to_string(rank);
    if (column.name == "iteration") return fmt::format("i // {} % {}", names, iterations);
    // Every call of a collective was matched: questions leave out others.
    const std::string_view of = column.name == "matched" ? "calls" : column.name;
    const std::string hash =
        fmt::format("(hash(i, '{}', '{}', {}, '{}') >> 33)::BIGINT", table.name, of, rank, salt);
    std::string value = fmt::format("{} % 1000000", hash);
    if (column.type == Type::kText)
        // Two process groups for each collective, so that they can be compared.
        value =
            fmt::format("'{} ' || (i // {} % {})", column.name, column.name == "collective" ? 2 : 1, names);
    else if (column.type == Type::kReal)
        value = fmt::format("({} % 100000) / 64.0", hash);
    else
        value = fmt::format("{} % 1000000", hash);
    return column.may_be_null ? fmt::format("CASE WHEN {} % 11 = 0 THEN NULL ELSE {} END", hash, value)
                              : value;
}

struct Shape {
    int64_t ranks = 4, iterations = 5, names = 10;
    std::string salt;  // other numbers for each run
};

// Rows of a part: of a rank one for each iteration and name, of a table with ranks one for each rank and
// name.
duck::Statement rows_of(const Part& part, const Shape& shape) {
    const Table& table = *part.table;
    const bool has_rank = table.columns.front().name == "rank";
    const bool single = table.name == "runs";
    int64_t rows = single ? 1 : shape.names;
    int64_t names = single || table.name == "ranks" || table.name == "iterations" ? 1 : shape.names;
    if (has_rank) rows = names * (part.rank ? shape.iterations : shape.ranks);
    // The table `iterations` is not by rank in every version of the schema: all its rows then are of ranks in
    // turn.
    std::string columns;
    for (const Column& column : table.columns)
        columns +=
            fmt::format("{}CAST({} AS {}) AS \"{}\"", columns.empty() ? "" : ", ",
                        value_of(table, column, part.rank.value_or(-1), shape.iterations, names, shape.salt),
                        column.type == Type::kText   ? "VARCHAR"
                        : column.type == Type::kReal ? "DOUBLE"
                                                     : "BIGINT",
                        column.name);
    return duck::Statement(fmt::format("SELECT {} FROM range({}) AS rows(i)", columns, rows));
}

class Source : public RowSource {
  public:
    explicit Source(duck::Connection connection) : connection_(std::move(connection)) {}
    Result<duck::Rows> query(const duck::Statement& statement) override {
        return connection_.query(statement);
    }
    Result<duck::Cursor> open_cursor(const duck::Statement& statement) override {
        return connection_.open_cursor(statement);
    }

  private:
    duck::Connection connection_;
};

std::vector<Part> parts_of(int64_t ranks) {
    std::vector<Part> parts;
    for (const Table& table : tables()) {
        if (!table.by_rank) parts.push_back({&table, {}});
        for (int64_t rank = 0; table.by_rank && rank < ranks; ++rank)
            parts.push_back({&table, rank});
    }
    return parts;
}

Status push(Store& store, const Options& options) {
    const int64_t run = options.get("run", 1);
    const PushId id{id_of(run), id_of(1000 + options.get("push", run))};
    const Shape shape{options.get("ranks", 4), options.get("iterations", 5), options.get("names", 10),
                      id.push};
    OPSIGHT_ASSIGN(const bool there, store.holds(id));
    if (there) {
        std::cout << "is there already\n";
        return {};
    }
    OPSIGHT_ASSIGN(duck::Database database, duck::Database::open(":memory:", {.threads = 1}));
    OPSIGHT_ASSIGN(duck::Connection connection, database.connect());
    Source source(std::move(connection));
    OPSIGHT_ASSIGN(const std::unique_ptr<Push> push, store.begin(id));
    const std::vector<Part> parts = parts_of(shape.ranks);
    int64_t staged = 0, skipped = 0;
    const int64_t pause_after = options.get("pause-after", -1);
    for (const Part& part : parts) {
        if (push->has(part)) {
            ++skipped;
            continue;
        }
        if (staged == pause_after) {
            std::cout << "paused" << std::endl;
            std::cin.get();  // until the test has done what it wants to do
        }
        OPSIGHT_TRY(push->stage(part, source, rows_of(part, shape)));
        ++staged;
    }
    OPSIGHT_TRY(push->commit(parts));
    std::cout << fmt::format("staged {} skipped {}\n", staged, skipped);
    return {};
}

std::string text_of(const duck::Cell& cell) {
    if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.17g}", *real);
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "1" : "0";
    const auto* text = std::get_if<std::string>(&cell);
    return text ? *text : "\\N";
}

void print(const Answer& answer) {
    std::string out;
    for (const duck::ResultColumn& column : answer.rows.columns)
        out += column.name + "\t";
    out += "\n";
    for (const auto& row : answer.rows.rows) {
        for (const duck::Cell& cell : row)
            out += text_of(cell) + "\t";
        out += "\n";
    }
    std::cout << out;
    for (const std::string& note : answer.notes)
        std::cerr << "note: " << note << "\n";
}

Status run(const std::vector<std::string>& words) {
    Options options;
    for (size_t at = 2; at + 1 < words.size(); at += 2)
        options.numbers[words[at].substr(2)] = std::stoll(words[at + 1]);
    const bool pushes = words.at(0) == "push";
    OPSIGHT_ASSIGN(const std::unique_ptr<Store> store, open_store(words.at(1), pushes));
    if (pushes) return push(*store, options);
    const std::string sql(std::istreambuf_iterator<char>(std::cin), {});
    constexpr int64_t kMost = 1000000;
    std::optional<std::string> one;
    if (options.numbers.count("run")) one = id_of(options.get("run", 0));
    duck::Statement question(sql);
    if (one) question.set("run", *one);
    const int64_t times = options.get("times", 1);
    for (int64_t time = 0; time < times; ++time) {
        const auto begin = std::chrono::steady_clock::now();
        auto answer = words.at(0) == "sql" ? store->free_sql(sql, options.get("most", kMost))
                                           : store->ask(question, one);
        if (!answer) return fail(std::move(answer).error());
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (times > 1)
            std::cout << fmt::format("{:.6f}\n", took.count());
        else
            print(*answer);
    }
    return {};
}

}  // namespace
}  // namespace opsight::fleet

int main(int count, char** words) {
    if (count < 3) {
        std::cerr << "store_probe push|ask|sql STORE ...\n";
        return 2;
    }
    const auto done = opsight::fleet::run({words + 1, words + count});
    if (done) return 0;
    std::cerr << "error: " << done.error().message() << "\n";
    return done.error().exit_code;
}
