// Profile files of somebody who means harm, or was careless: none runs anything, none is believed.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>

#include "base/test_files.h"
#include "db/file_check.h"
#include "db/reader.h"
#include "db/test_changes.h"

namespace opsight::db {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileProfile : public ::testing::Test {
  protected:
    void SetUp() override {
        secret_ = folder_.write("secret.txt", "the secret");
        write_sample(good_);
    }
    // What opening says of a copy with this change, on so many threads.
    std::string after(const Change& change, int threads = 1) {
        const std::string path = folder_.path() + "/changed.opsight";
        fs::copy_file(good_, path, fs::copy_options::overwrite_existing);
        change_file(path, change);
        const auto profile = open_profile(path, {.threads = threads});
        return profile ? "opened" : profile.error().message();
    }
    testing::TempFolder folder_;
    std::string good_ = folder_.path() + "/good.opsight", secret_;
};

TEST_F(HostileProfile, ProgramsAreRefused) {
    ASSERT_TRUE(open_profile(good_).has_value());
    for (const Change& change : programs(secret_, folder_.path())) {
        EXPECT_THAT(after(change),
                    AnyOf(HasSubstr("holds what no profile holds"), HasSubstr("is a DuckDB database, but")))
            << change.name;
        EXPECT_FALSE(fs::exists(folder_.path() + "/log")) << change.name;
    }
}

TEST_F(HostileProfile, OtherTablesAreRefused) {
    for (const Change& change : other_schemas())
        EXPECT_THAT(after(change),
                    AnyOf(HasSubstr("is not made as a profile is"), HasSubstr("holds what no profile holds"),
                          HasSubstr("is a DuckDB database, but")))
            << change.name;
}

TEST_F(HostileProfile, ImpossibleValuesAreRefused) {
    for (const Change& change : impossible_values())
        for (const int threads : {1, 4})  // as of small files, and of large ones
            EXPECT_THAT(after(change, threads), HasSubstr("is damaged or was changed: raw.")) << change.name;
}

TEST_F(HostileProfile, OddValuesAreNot) {
    for (const Change& change : odd_values())
        EXPECT_EQ(after(change), "opened") << change.name;
}

// A file of an older version is brought up to date; what it brings is not run on the way.
TEST_F(HostileProfile, OlderFilesRunNothingEither) {
    const std::string older = ";UPDATE raw.meta SET value = '" + std::to_string(kSchemaVersion - 1) +
                              "' WHERE key = 'schema_version'";
    for (const Change& change : programs(secret_, folder_.path())) {
        if (change.sql.find("VIEW main.") != std::string::npos) continue;
        if (change.sql.find("RENAME TO old") != std::string::npos) continue;
        EXPECT_THAT(after({change.name, change.sql + older}), HasSubstr("holds what no profile holds"))
            << change.name;
    }
}

// SQL that takes away what the last step to the schema version of now added.
std::string undo_last_step() {
    std::string sql;
    for (const Migration& step : migrations()) {
        if (step.from != kSchemaVersion - 1) continue;
        const std::regex added(R"(CREATE TABLE (raw\.\w+))"),
            column(R"(ALTER TABLE (raw\.\w+) ADD COLUMN (\w+))"),
            renamed(R"(ALTER TABLE (raw\.\w+) RENAME COLUMN (\w+) TO (\w+))");
        const auto undo = [&](const std::regex& change, const char* sql_of_undo) {
            for (std::sregex_iterator at(step.sql.begin(), step.sql.end(), change), end; at != end; ++at)
                sql += at->format(sql_of_undo);
        };
        undo(added, "DROP TABLE $1;");
        undo(column, "ALTER TABLE $1 DROP $2;");
        undo(renamed, "ALTER TABLE $1 RENAME COLUMN $3 TO $2;");
    }
    return sql;
}

TEST_F(HostileProfile, ViewsOfOlderFilesGoUnread) {
    const std::string undo = undo_last_step();
    EXPECT_EQ(undo.empty(), migrations().back().sql.empty());
    const Change change{
        "views", undo +
                     "CREATE OR REPLACE VIEW main.meta AS SELECT content AS key, content AS value FROM "
                     "read_text('" +
                     secret_ +
                     "'); CREATE VIEW main.evil AS FROM main.meta;"
                     "UPDATE raw.meta SET value = '" +
                     std::to_string(kSchemaVersion - 1) + "' WHERE key = 'schema_version'"};
    ASSERT_EQ(after(change), "opened");
    auto profile = open_profile(folder_.path() + "/changed.opsight");
    const auto rows = profile->connection.query(
        "SELECT view_name, sql FROM duckdb_views() WHERE database_name = 'profile'");
    EXPECT_EQ(rows->rows.size(), views().size());
    for (const auto& row : rows->rows)
        EXPECT_THAT(std::get<std::string>(row[1]), Not(HasSubstr("read_text")));
}

// Where this fails, the constant takes the digest that is shown; until then each view is compared by itself.
TEST_F(HostileProfile, TheDigestIsThatOfOurViews) {
    auto profile = open_profile(good_);
    ASSERT_TRUE(profile.has_value());
    EXPECT_EQ(*digest_of_views(profile->connection), kDigestOfViews);
}

}  // namespace
}  // namespace opsight::db
