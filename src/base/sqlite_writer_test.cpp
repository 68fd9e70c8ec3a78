#include "base/sqlite_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/sqlite.h"
#include "base/temporary_folder.h"

namespace opsight::sqlite {
namespace {

TEST(SqliteWriter, WhatIsAddedCanBeRead) {
    Result<TemporaryFolder> folder = TemporaryFolder::create();
    ASSERT_TRUE(folder);
    const std::string path = folder->path() + "/a.sqlite";
    constexpr int64_t kRows = 250'000;  // several transactions
    {
        Result<Writer> writer = Writer::create(path, "a", "CREATE TABLE t (n INTEGER, x REAL, s TEXT)");
        ASSERT_TRUE(writer);
        Result<size_t> row = writer->prepare("INSERT INTO t VALUES (?, ?, ?)");
        ASSERT_TRUE(row);
        for (int64_t i = 0; i < kRows; ++i)
            ASSERT_TRUE(writer->add(*row, {i, 0.5, "it's"}));
        ASSERT_TRUE(writer->add(*row, {nullptr, nullptr, nullptr}));
        ASSERT_TRUE(writer->finish());
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder->path()), {}), 1)
        << "nothing stands beside it";
    Result<Database> database = Database::open(path);
    ASSERT_TRUE(database);
    Result<Rows> rows = database->query("SELECT count(*), sum(n), sum(x), count(DISTINCT s), min(s) FROM t");
    ASSERT_TRUE(rows);
    ASSERT_TRUE(rows->next());
    EXPECT_EQ(rows->integer(0), kRows + 1);
    EXPECT_EQ(rows->integer(1), kRows * (kRows - 1) / 2);
    EXPECT_EQ(rows->real(2), kRows / 2.0);
    EXPECT_EQ(rows->integer(3), 1);
    EXPECT_EQ(rows->text(4), "it's");
}

TEST(SqliteWriter, WhatCannotBeWrittenIsAnErrorWithItsName) {
    const Result<Writer> nowhere = Writer::create("/no/such/folder/a.sqlite", "a.sqlite", "");
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().file, "a.sqlite");
    EXPECT_NE(nowhere.error().what.find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace opsight::sqlite
