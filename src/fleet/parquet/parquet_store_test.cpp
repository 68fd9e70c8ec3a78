#include "fleet/parquet/parquet_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/temporary_folder.h"
#include "fleet/parquet/layout.h"
#include "fleet/parquet/manifest.h"

namespace opsight::fleet::parquet {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kRun = "00000000000000000000000000000001", kPush = "0000000000000000000000000000000a",
                  kOtherPush = "0000000000000000000000000000000b";

class DuckRows : public RowSource {
  public:
    DuckRows() : database_(*duck::Database::open(":memory:", {})), connection_(*database_.connect()) {}
    Result<duck::Rows> query(const duck::Statement& statement) override {
        return connection_.query(statement);
    }
    Result<duck::Cursor> open_cursor(const duck::Statement& statement) override {
        return connection_.open_cursor(statement);
    }

  private:
    duck::Database database_;
    duck::Connection connection_;
};

// A row of a table whose texts are `name` and whose numbers are 1, of a rank.
duck::Statement row_of(const Part& part, const std::string& name) {
    std::string columns;
    for (const Column& column : part.table->columns) {
        const std::string value = column.name == "rank"        ? std::to_string(part.rank.value_or(0))
                                  : column.type == Type::kText ? duck::quote_text(name)
                                                               : "1";
        columns += fmt::format("{}{}::{} AS {}", columns.empty() ? "" : ", ", value,
                               column.type == Type::kText      ? "VARCHAR"
                               : column.type == Type::kInteger ? "BIGINT"
                                                               : "DOUBLE",
                               duck::quote_name(column.name));
    }
    return duck::Statement("SELECT " + columns);
}

std::vector<Part> all_parts(int64_t ranks) {
    std::vector<Part> parts;
    for (const Table& table : tables())
        for (int64_t rank = 0; rank < (table.by_rank ? ranks : 1); ++rank)
            parts.push_back({&table, table.by_rank ? std::optional(rank) : std::nullopt});
    return parts;
}

class ParquetStoreTest : public ::testing::Test {
  protected:
    ParquetStoreTest() : folder_(*TemporaryFolder::create()), path_(folder_.path() + "/store") {}

    std::unique_ptr<Store> open(bool to_push = true) {
        auto store = open_folder(path_, to_push);
        EXPECT_TRUE(store) << store.error().message();
        return std::move(*store);
    }
    // Stages the parts from `first` to before `last`, and commits where all are wanted.
    void push(Store& store, const std::string& id, const std::string& name, size_t last = SIZE_MAX) {
        const auto push = store.begin({kRun, id});
        ASSERT_TRUE(push) << push.error().message();
        const std::vector<Part> parts = all_parts(3);
        DuckRows rows;
        for (size_t i = 0; i < std::min(last, parts.size()); ++i)
            if (!(*push)->has(parts[i])) {
                const Status done = (*push)->stage(parts[i], rows, row_of(parts[i], name));
                ASSERT_TRUE(done) << done.error().message();
                ++staged_;
            }
        if (last < parts.size()) return;
        const Status done = (*push)->commit(parts);
        ASSERT_TRUE(done) << done.error().message();
    }
    std::string answer(Store& store, const std::string& sql) {
        const auto got = store.ask(duck::Statement(sql), {});
        if (!got) return "error: " + got.error().message();
        const duck::Cell& cell = got->rows.rows.at(0).at(0);
        if (const auto* text = std::get_if<std::string>(&cell)) return *text;
        const auto* number = std::get_if<int64_t>(&cell);
        return number ? std::to_string(*number) : "?";
    }
    std::string refused(Store& store, const std::string& sql) {
        const auto got = store.free_sql(sql, 10);
        return got ? "it was not refused" : got.error().what;
    }
    void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
    std::string path_of(std::string_view table, std::optional<int64_t> rank = {}) {
        return part_path(path_ + "/", {kRun, kPush}, {find_table(table), rank});
    }

    TemporaryFolder folder_;
    std::string path_;
    int staged_ = 0;
};

TEST_F(ParquetStoreTest, APushIsSeenWhenItIsCommitted) {
    const auto store = open();
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "0");
    push(*store, kPush, "first", 5);
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "0");
    EXPECT_FALSE(*store->holds({kRun, kPush}));
    push(*store, kPush, "first");
    EXPECT_TRUE(*store->holds({kRun, kPush}));
    for (const Table& table : tables())
        EXPECT_EQ(
            answer(*store, fmt::format("SELECT count(*) FROM {{{{{}}}}} WHERE run = '{}'", table.name, kRun)),
            table.by_rank ? "3" : "1")
            << table.name;
    EXPECT_EQ(answer(*store, "SELECT max(rank) FROM {{iteration_ops}}"), "2");
    EXPECT_EQ(answer(*open(false), "SELECT name FROM {{runs}}"), "first");
}

TEST_F(ParquetStoreTest, NothingIsWorkedOutForAnAskerWhoHasGone) {
    const auto store = open();
    push(*store, kPush, "first");
    const auto asker = std::make_shared<CancellationToken>();
    store->serve(asker);
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "1");
    const auto began = std::chrono::steady_clock::now();
    std::thread leaving([&asker] {
        for (int i = 0; i < 100; ++i) {  // as the server does: one may fall between two statements
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            asker->cancel();
        }
    });
    const auto got = store->ask(
        duck::Statement("SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b, {{runs}}"), {});
    EXPECT_FALSE(got.has_value());
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
    leaving.join();
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "error: nobody waits for the answer");
}

TEST_F(ParquetStoreTest, APushThatWasCutOffGoesOn) {
    const auto store = open();
    push(*store, kPush, "first", 5);
    EXPECT_EQ(staged_, 5);
    push(*store, kPush, "again");
    EXPECT_EQ(staged_, static_cast<int>(all_parts(3).size()));
    EXPECT_EQ(answer(*store, "SELECT name FROM {{runs}}"), "first");  // not written again
    EXPECT_TRUE(fs::is_empty(path_ + "/_staging"));
}

TEST_F(ParquetStoreTest, ALaterPushOfTheRunTakesItsPlace) {
    const auto store = open();
    push(*store, kPush, "first");
    push(*store, kOtherPush, "second");
    EXPECT_EQ(answer(*store, "SELECT name FROM {{runs}}"), "second");
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{iteration_ops}}"), "3");
    EXPECT_FALSE(fs::exists(path_of("runs")));
    EXPECT_FALSE(fs::exists(path_of("iteration_ops", 1)));
}

// As a process leaves it that is killed after it has moved some files.
TEST_F(ParquetStoreTest, FilesWithoutAManifestAreNotSeenAndAreTakenUp) {
    const auto store = open();
    push(*store, kPush, "first");
    fs::remove(manifest_path(path_ + "/", kRun));
    fs::remove(path_of("labels"));
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "0");
    staged_ = 0;
    push(*store, kPush, "again");
    EXPECT_EQ(staged_, 1);
    EXPECT_EQ(answer(*store, "SELECT name FROM {{runs}}"), "first");
}

TEST_F(ParquetStoreTest, ACommitWithoutAllPartsFails) {
    const auto store = open();
    const auto push = store->begin({kRun, kPush});
    ASSERT_TRUE(push);
    EXPECT_FALSE((*push)->commit(all_parts(1)));
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "0");
}

TEST_F(ParquetStoreTest, FilesThatWereCutOrAreGoneAreNamed) {
    const auto store = open();
    push(*store, kPush, "first");
    fs::resize_file(path_of("ops"), fs::file_size(path_of("ops")) - 1);
    EXPECT_THAT(answer(*store, "SELECT count(*) FROM {{ops}}"), HasSubstr("it is cut or was changed"));
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{runs}}"), "1");
    fs::remove(path_of("iteration_ops", 1));
    EXPECT_THAT(answer(*store, "SELECT count(*) FROM {{iteration_ops}}"), HasSubstr("rank=1"));
    EXPECT_FALSE(*store->holds({kRun, kPush}));
    staged_ = 0;
    push(*store, kPush, "again");
    EXPECT_EQ(staged_, 2);  // the same facts: what is damaged is written again
    EXPECT_TRUE(*store->holds({kRun, kPush}));
    EXPECT_EQ(answer(*store, "SELECT count(*) FROM {{iteration_ops}}"), "3");
    const std::string text(fs::file_size(path_of("kernels")), 'x');
    write(path_of("kernels"), text);
    EXPECT_THAT(answer(*store, "SELECT count(*) FROM {{kernels}}"), HasSubstr("error: "));
}

TEST_F(ParquetStoreTest, AFileWithOtherColumnsIsAnError) {
    const auto store = open();
    push(*store, kPush, "first");
    DuckRows rows;
    ASSERT_TRUE(rows.query(duck::Statement("COPY (SELECT 'x' AS op, [1] AS calls) TO " +
                                           duck::quote_text(path_of("ops")) + " (FORMAT parquet)")));
    Manifest manifest = *read_manifest(manifest_path(path_ + "/", kRun), kRun);
    for (ManifestFile& file : manifest.files)
        if (file.part.table->name == "ops") file.bytes = static_cast<int64_t>(fs::file_size(path_of("ops")));
    write(manifest_path(path_ + "/", kRun), manifest.text());
    EXPECT_THAT(answer(*store, "SELECT count(calls) FROM {{ops}}"), HasSubstr("error: "));
}

TEST_F(ParquetStoreTest, AManifestIsNotTrusted) {
    const auto store = open();
    push(*store, kPush, "first");
    const std::string path = manifest_path(path_ + "/", kRun);
    const std::string head =
        fmt::format(R"({{"facts_version": {}, "run": "{}", "push": )", kFactsVersion, kRun);
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("[]"), std::string(R"({"facts_version": -1})"),
          head + R"("../../etc", "files": {}})", head + "\"" + kPush + R"(", "files": []})",
          head + "\"" + kPush + R"(", "files": {"../ops": [[5]]}})",
          head + "\"" + kPush + R"(", "files": {"ops": [[5], [5]]}})",
          head + "\"" + kPush + R"(", "files": {"ops": [[-5]]}})",
          head + "\"" + kPush + R"(", "files": {"ops": [["5"]]}})",
          head + "\"" + kPush + R"(", "files": {"iteration_ops": [[0, 5], [0, 5]]}})",
          head + "\"" + kPush + R"(", "files": {"iteration_ops": [[9999999999999999999999, 5]]}})",
          std::string(100000, '['), head + "\"" + kPush + R"(", "files": {"ops": [[1e99]]}})"}) {
        write(path, text);
        const std::string got = answer(*store, "SELECT count(*) FROM {{runs}}");
        EXPECT_THAT(got, HasSubstr(".json")) << text.substr(0, 200);
        EXPECT_FALSE(*store->holds({kRun, kPush}));
    }
    write(path, R"({"facts_version": 99})");
    EXPECT_THAT(answer(*store, "SELECT count(*) FROM {{runs}}"), HasSubstr("is of version 99 of the facts"));
    push(*store, kOtherPush, "second");  // what cannot be read is replaced
    EXPECT_EQ(answer(*store, "SELECT name FROM {{runs}}"), "second");
}

TEST_F(ParquetStoreTest, FreeSqlReadsTheTablesAndNothingElse) {
    const auto store = open();
    push(*store, kPush, "first");
    const auto got = store->free_sql("SELECT name FROM runs;", 10);
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(std::get<std::string>(got->rows.rows.at(0).at(0)), "first");
    write(folder_.path() + "/secret.csv", "a\n1\n");
    const std::string secret = folder_.path() + "/secret.csv";
    EXPECT_THAT(refused(*store, "SELECT * FROM read_csv('" + secret + "')"), HasSubstr("ermission"));
    EXPECT_THAT(refused(*store, "SELECT * FROM '" + path_ + "/../secret.csv'"), HasSubstr("ermission"));
    for (const std::string& sql :
         {"COPY (SELECT 1) TO '" + path_ + "/x.csv'", std::string("CREATE TABLE x AS SELECT 1"),
          std::string("SELECT 1) ; COPY (SELECT 1) TO '") + path_ + "/x.csv' --",
          std::string("DROP VIEW runs"), std::string("SET enable_external_access = true"),
          std::string("INSTALL httpfs"), "ATTACH '" + path_ + "/x.db'", std::string()})
        EXPECT_THAT(refused(*store, sql), ::testing::Not("it was not refused")) << sql;
    EXPECT_FALSE(fs::exists(path_ + "/x.csv"));
    EXPECT_TRUE(store->free_sql("SELECT * FROM range(100)", 10)->more);
}

TEST_F(ParquetStoreTest, AFolderOfOtherThingsDoesNotBecomeAStore) {
    EXPECT_FALSE(open_folder(path_, false));
    fs::create_directory(path_);
    write(path_ + "/notes.txt", "mine");
    const auto store = open_folder(path_, true);
    ASSERT_FALSE(store);
    EXPECT_THAT(store.error().what, HasSubstr("no store"));
    EXPECT_FALSE(fs::exists(path_ + "/_runs"));
    write(path_ + "/opsight-store.json", R"({"store_version": 99})");
    EXPECT_THAT(open_folder(path_, false).error().what, HasSubstr("version 99"));
    write(path_ + "/opsight-store.json", "x");
    EXPECT_FALSE(open_folder(path_, false));
}

// Whoever commits last is in force, and files that the other needs are not removed meanwhile.
TEST_F(ParquetStoreTest, TwoPushesOfOneRunAtOnce) {
    const auto store = open();
    const auto one = store->begin({kRun, kPush}), other = store->begin({kRun, kOtherPush}),
               same = store->begin({kRun, kPush});
    ASSERT_TRUE(one && other && same);
    DuckRows rows;
    for (const Part& part : all_parts(1)) {
        ASSERT_TRUE((*one)->stage(part, rows, row_of(part, "one")));
        ASSERT_TRUE((*other)->stage(part, rows, row_of(part, "other")));
        ASSERT_TRUE((*same)->stage(part, rows, row_of(part, "same")));
    }
    ASSERT_TRUE((*one)->commit(all_parts(1)));
    ASSERT_TRUE((*same)->commit(all_parts(1)));
    EXPECT_EQ(answer(*store, "SELECT name FROM {{runs}}"), "one");
    ASSERT_TRUE((*other)->commit(all_parts(1)));
    EXPECT_EQ(answer(*store, "SELECT name FROM {{runs}}"), "other");
    EXPECT_TRUE(fs::is_empty(path_ + "/_staging"));
}

TEST_F(ParquetStoreTest, MediansAreElements) {
    const auto store = open();
    EXPECT_EQ(answer(*store, "SELECT {{median(x)}} FROM (SELECT unnest([4, 1, 3, 2]) AS x)"), "3");
    EXPECT_EQ(answer(*store, "SELECT {{median(x)}} FROM (SELECT unnest([5, NULL, 1, 3]) AS x)"), "3");
    EXPECT_EQ(answer(*store, "SELECT {{quantile(x, 1)}} FROM (SELECT unnest([5, 1, 3]) AS x)"), "5");
    EXPECT_EQ(answer(*store, "SELECT {{quantile(x, 0)}} FROM (SELECT unnest([5, 1, 3]) AS x)"), "1");
    EXPECT_EQ(answer(*store, "SELECT {{text({{median(x)}})}} FROM (SELECT 7 AS x)"), "7");
    EXPECT_EQ(answer(*store, "SELECT coalesce({{ratio(1, 0)}}, -1)::BIGINT"), "-1");
    EXPECT_EQ(answer(*store, "SELECT (10 * {{ratio(1, 2)}})::BIGINT"), "5");
}

}  // namespace
}  // namespace opsight::fleet::parquet
