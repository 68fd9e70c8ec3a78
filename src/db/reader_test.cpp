#include "db/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "db/schema.h"
#include "db/writer.h"
#include "model/profile_builder.h"

namespace opsight::db {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ReaderTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("opsight_reader_" + std::to_string(getpid()));
        fs::create_directories(folder_);
        path_ = (folder_ / "a.opsight").string();
    }
    void TearDown() override { fs::remove_all(folder_); }
    void write_empty_profile() {
        ProfileBuilder builder;
        const Profile profile = std::move(builder).finish();
        const Status status = write_profile(path_, profile, analyze::Analysis{});
        ASSERT_TRUE(status.has_value()) << status.error().message();
    }
    void write_text(std::string_view text) { std::ofstream(path_, std::ios::binary) << text; }
    void change(const std::string& sql) {
        auto database = duck::Database::open(path_, {});
        ASSERT_TRUE(database.has_value());
        auto connection = database->connect();
        const Status status = connection->execute(sql);
        ASSERT_TRUE(status.has_value()) << status.error().message();
    }
    std::string open_error() {
        const auto profile = open_profile(path_);
        return profile ? "opened" : profile.error().message();
    }
    fs::path folder_;
    std::string path_;
};

TEST_F(ReaderTest, AnEmptyProfileOpens) {
    write_empty_profile();
    EXPECT_EQ(open_error(), "opened");
}

TEST_F(ReaderTest, MissingFile) {
    EXPECT_THAT(open_error(), HasSubstr("no such file"));
}

TEST_F(ReaderTest, OtherKindsOfFilesAreNamed) {
    write_text("");
    EXPECT_THAT(open_error(), HasSubstr("is empty"));
    write_text("hello\n");
    EXPECT_THAT(open_error(), HasSubstr("is not an Opsight profile"));
    write_text(std::string("SQLite format 3\0", 16));
    EXPECT_THAT(open_error(), HasSubstr("SQLite"));
    write_text(" \n{\"traceEvents\": []}");
    EXPECT_THAT(open_error(), HasSubstr("opsight import"));
    write_text("\x1f\x8b\x08");
    EXPECT_THAT(open_error(), HasSubstr("opsight import"));
    path_ = folder_.string();
    EXPECT_THAT(open_error(), HasSubstr("directory"));
    path_ = (folder_ / "pipe").string();
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_THAT(open_error(), HasSubstr("a pipe or a device"));
}

TEST_F(ReaderTest, AnotherDuckDbDatabase) {
    change("CREATE TABLE t (i INTEGER)");
    EXPECT_THAT(open_error(), HasSubstr("a DuckDB database, but not an Opsight profile"));
}

TEST_F(ReaderTest, TruncatedAnywhere) {
    write_empty_profile();
    const auto size = fs::file_size(path_);
    for (const auto kept : {size - 1, size / 2, uintmax_t{12288}, uintmax_t{5000}, uintmax_t{20}}) {
        fs::resize_file(path_, kept);
        EXPECT_THAT(open_error(), HasSubstr("truncated")) << kept;
    }
}

// DuckDB cuts free blocks off the end of a file whose header still counts them.
TEST_F(ReaderTest, AFileThatWasWrittenToIsWhole) {
    write_empty_profile();
    change("CREATE TABLE raw.big AS SELECT i, hash(i) AS h FROM range(600000) t(i)");
    const auto before = fs::file_size(path_);
    change("DROP TABLE raw.big");
    change("CREATE TABLE raw.small (i INTEGER)");  // cuts off what the step before set free
    change("DROP TABLE raw.small");
    ASSERT_LT(fs::file_size(path_), before);
    EXPECT_EQ(open_error(), "opened");
    fs::resize_file(path_, fs::file_size(path_) - 1);
    EXPECT_THAT(open_error(), HasSubstr("truncated"));
    fs::resize_file(path_, fs::file_size(path_) / 2);
    EXPECT_THAT(open_error(), HasSubstr("truncated"));
}

TEST_F(ReaderTest, NewerSchemaIsRefused) {
    write_empty_profile();
    change("UPDATE raw.meta SET value = '99' WHERE key = 'schema_version'");
    EXPECT_THAT(open_error(), HasSubstr("schema version 99; this Opsight reads up to version 12"));
}

constexpr const char* kAddedTables[] = {
    "transfers",     "contexts",        "nvtx_attributes",  "nvtx_ranges",
    "nvtx_payloads", "messages",        "device_extras",    "page_faults",
    "stream_stats",  "works",           "device_models",    "device_peaks",
    "work_stats",    "models",          "model_groups",     "model_nodes",
    "model_edges",   "model_calls",     "cpu_samples",      "call_chains",
    "rank_clocks",   "comm_groups",     "collective_calls", "collective_members",
    "op_counters",   "recording_pauses"};

// What later versions added is taken away again, which leaves a file of version 1.
TEST_F(ReaderTest, AFileOfVersion1IsBroughtUpToDate) {
    write_empty_profile();
    std::string undo;
    for (const char* added : kAddedTables)
        undo += std::string("DROP TABLE raw.") + added + ";";
    for (const char* added : {"devices DROP memory_bandwidth",
                              "devices DROP clock_hz",
                              "devices DROP l2_bytes",
                              "devices DROP uuid",
                              "devices DROP bus_location",
                              "devices DROP chip",
                              "tracks DROP priority",
                              "launch_configs DROP local_bytes_per_thread",
                              "launch_configs DROP shared_executed_bytes",
                              "launch_configs DROP cluster_x",
                              "launch_configs DROP cluster_y",
                              "launch_configs DROP cluster_z",
                              "launch_configs DROP launch_type",
                              "launch_configs DROP waves",
                              "kernel_names DROP base_name",
                              "kernel_names DROP mangled_name",
                              "kernel_names DROP label",
                              "api_calls DROP result",
                              "device_spans DROP transfer",
                              "ops DROP caller_layer",
                              "device_spans DROP launch_dur_ns",
                              "ops DROP work",
                              "ops DROP share",
                              "device_spans DROP work",
                              "device_spans DROP share",
                              "memory_events DROP kind",
                              "memory_events DROP stack"})
        undo += std::string("ALTER TABLE raw.") + added + ";";
    for (const char* added :
         {"nvtx_ranges", "messages", "page_faults", "contexts", "streams", "stream_stats", "works",
          "model_nodes", "model_edges", "model_calls", "cpu_samples", "rank_clocks", "comm_groups",
          "collective_calls", "collective_members", "op_counters", "recording_pauses"})
        undo += std::string("DROP VIEW ") + added + ";";
    undo += "INSERT INTO raw.tracks VALUES (0, 0, -1, 1, 1, -1, 0, 0, '', '', '', '');";
    change(undo + "UPDATE raw.meta SET value = '1' WHERE key = 'schema_version'");
    auto profile = open_profile(path_);
    ASSERT_TRUE(profile.has_value()) << profile.error().message();
    for (const Table& entry : tables()) {
        const auto found = profile->connection.query(
            "SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index) FROM "
            "duckdb_columns() WHERE schema_name = 'raw' AND table_name = '" +
            std::string(entry.name) + "'");
        std::string declared;
        for (const Column& column : entry.columns)
            declared += (declared.empty() ? "" : ", ") + std::string(column.name) + " " +
                        std::string(duck::type_name(column.type));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(std::get<std::string>(found->rows[0][0]), declared) << entry.name;
    }
    for (const View& entry : views())
        EXPECT_TRUE(profile->connection.query("FROM " + std::string(entry.name)).has_value()) << entry.name;
    const auto track = profile->connection.query("SELECT id FROM tracks WHERE priority IS NULL");
    ASSERT_TRUE(track.has_value());
    EXPECT_EQ(track->rows.size(), 1u);
}

TEST_F(ReaderTest, MigrationsRunInOrderAndOnce) {
    write_empty_profile();
    auto database = duck::Database::open(path_, {});
    auto connection = database->connect();
    const std::vector<Migration> steps = {{2, "INSERT INTO raw.meta VALUES ('order', 'second')"},
                                          {1, "INSERT INTO raw.meta VALUES ('order', 'first')"}};
    ASSERT_TRUE(migrate(*connection, 1, 3, steps).has_value());
    const auto rows = connection->query(
        "SELECT value FROM raw.meta WHERE key IN ('order', 'schema_version') "
        "ORDER BY value");
    ASSERT_EQ(rows->rows.size(), 3u);
    EXPECT_EQ(std::get<std::string>(rows->rows[0][0]), "3");
    EXPECT_EQ(std::get<std::string>(rows->rows[1][0]), "first");
    EXPECT_FALSE(migrate(*connection, 3, 4, steps).has_value());
}

TEST_F(ReaderTest, AFailedMigrationChangesNothing) {
    write_empty_profile();
    auto database = duck::Database::open(path_, {});
    auto connection = database->connect();
    EXPECT_FALSE(
        migrate(*connection, 1, 2, {{1, "DELETE FROM raw.meta; SELECT * FROM nowhere"}}).has_value());
    EXPECT_EQ(connection->query("SELECT value FROM raw.meta WHERE key = 'schema_version'")->rows.size(), 1u);
}

TEST_F(ReaderTest, LockedByAWriter) {
    write_empty_profile();
    int ready[2], done[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        const auto database = duck::Database::open(path_, {});
        char byte = database ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_THAT(open_error(), HasSubstr("being written by another process"));
    ASSERT_EQ(write(done[1], &byte, 1), 1);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(open_error(), "opened");
}

TEST_F(ReaderTest, ASmallProfileIsReadByTheThreadThatAsks) {
    write_empty_profile();
    const auto threads = [this](const ReadOptions& options) {
        auto profile = open_profile(path_, options);
        EXPECT_TRUE(profile.has_value());
        const auto rows = profile->connection.query("SELECT current_setting('threads')");
        return std::get<int64_t>(rows.value().rows.at(0).at(0));
    };
    EXPECT_EQ(threads({}), 1);
    EXPECT_EQ(threads({.threads = 3}), 3);
    fs::resize_file(path_, 17 << 20);
    EXPECT_EQ(threads({}), std::thread::hardware_concurrency()) << "of a large one all cores take part";
}

TEST_F(ReaderTest, MemoryForWholeTablesGrowsWithTheProfile) {
    write_empty_profile();
    EXPECT_EQ(with_little_memory(path_).memory_limit_bytes, 0) << "a small one needs no limit";
    fs::resize_file(path_, 100 << 20);
    EXPECT_EQ(with_little_memory(path_).memory_limit_bytes, int64_t{600} << 20);
    EXPECT_GE(with_little_memory(path_).threads, 1);
    EXPECT_LE(with_little_memory(path_).threads, 4);
    fs::resize_file(path_, int64_t{1} << 30);
    EXPECT_GE(with_little_memory(path_).memory_limit_bytes, int64_t{2} << 30);
    EXPECT_EQ(with_little_memory(path_ + ".none").memory_limit_bytes, 0);
}

TEST_F(ReaderTest, SqlReachesNoOtherFile) {
    write_empty_profile();
    auto profile = open_profile(path_);
    ASSERT_TRUE(profile.has_value());
    EXPECT_FALSE(profile->connection.query("SELECT * FROM read_csv('/etc/passwd')").has_value());
    EXPECT_FALSE(profile->connection.execute("SET enable_external_access = true").has_value());
    EXPECT_FALSE(profile->connection.execute("DELETE FROM raw.meta").has_value());
    EXPECT_FALSE(
        profile->connection.execute("COPY raw.meta TO '" + (folder_ / "x.csv").string() + "'").has_value());
    EXPECT_TRUE(profile->connection.query("SELECT count(*) FROM kernels").has_value());
}

TEST(Schema, EveryDeclaredThingHasWords) {
    for (const Table& entry : tables())
        for (const Column& column : entry.columns)
            EXPECT_FALSE(column.doc.empty()) << entry.name << "." << column.name;
    for (const View& entry : views())
        for (const Column& column : entry.columns)
            EXPECT_FALSE(column.doc.empty()) << entry.name << "." << column.name;
}

TEST(Schema, ThePageIsCurrent) {
    std::ifstream file(OPSIGHT_SOURCE_DIR "/docs/SCHEMA.md");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(text == schema_markdown()) << "run: build/bin/opsight schema --markdown > docs/SCHEMA.md";
}

}  // namespace
}  // namespace opsight::db
