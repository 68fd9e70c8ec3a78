// The words of DuckDB 1.4 that we decide by.
#include "base/duckdb_error.h"

#include <gtest/gtest.h>

namespace opsight::duck {
namespace {

TEST(DuckdbError, KnowsTheWordsThatWeDecideBy) {
    const auto code_of = [](const char* text) { return duckdb_error(text).code; };
    EXPECT_EQ(code_of("IO Error: Could not set lock on file \"a.opsight\": Conflicting lock is held in x"),
              ErrorCode::kLocked);
    EXPECT_EQ(code_of("IO Error: Could not write file \"a.opsight\": No space left on device"),
              ErrorCode::kNoSpace);
    EXPECT_EQ(code_of("IO Error: Could not write file \"a.opsight\": Disk quota exceeded"),
              ErrorCode::kNoSpace);
    EXPECT_EQ(code_of("The database file was created with an newer version of DuckDB."),
              ErrorCode::kNewerSchema);
    EXPECT_EQ(code_of("Binder Error: Referenced column \"newer\" not found"), ErrorCode::kOther);
    EXPECT_EQ(duckdb_error(nullptr).what, "unknown DuckDB error");
}

TEST(DuckdbError, LeavesOutWhereItFell) {
    const Error error =
        duckdb_error("FATAL Error: No space left on device\n\nStack Trace:\n\n/lib/x.so(f+0x1) [0x2]\n");
    EXPECT_EQ(error.what, "FATAL Error: No space left on device");
    EXPECT_EQ(error.code, ErrorCode::kNoSpace);
    EXPECT_EQ(duckdb_error("Parser Error: here\n\nLINE 1: x\n        ^").what,
              "Parser Error: here\n\nLINE 1: x\n        ^");
}

}  // namespace
}  // namespace opsight::duck
