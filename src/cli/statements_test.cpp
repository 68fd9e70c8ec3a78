#include "cli/statements.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace opsight::cli {
namespace {

using ::testing::ElementsAre;

// The statements of a text that comes byte by byte.
std::vector<std::string> cut(std::string_view text) {
    StatementCutter cutter;
    std::vector<std::string> out;
    std::string statement;
    for (const char c : text) {
        cutter.add(std::string_view(&c, 1));
        while (cutter.take(statement))
            out.push_back(statement);
    }
    if (cutter.take_rest(statement)) out.push_back(statement);
    return out;
}

TEST(Statements, EndAtSemicolons) {
    EXPECT_THAT(cut("SELECT 1;SELECT 2; FROM ops"), ElementsAre("SELECT 1;", "SELECT 2;", "FROM ops"));
}

TEST(Statements, ASemicolonInAQuoteOrCommentEndsNone) {
    for (const char* whole : {"SELECT 'a;''b;';", "SELECT 1 AS \"a;\"\"\";", "SELECT 1 -- one; two\n;",
                              "SELECT /* a; /* b; */ c; */ 1;", "SELECT $$a;$$;", "SELECT $x$a;$$;$x$;",
                              "SELECT a$b, $1 FROM t$x;", "SELECT 4-1/2;"})
        EXPECT_THAT(cut(whole), ElementsAre(whole));
}

TEST(Statements, WhatHasNotEndedIsTheRest) {
    EXPECT_THAT(cut("SELECT 'a;"), ElementsAre("SELECT 'a;"));
    EXPECT_THAT(cut("SELECT 1; -- done;\n /* ; */ "), ElementsAre("SELECT 1;"));
}

TEST(Statements, SomeSayNothing) {
    EXPECT_FALSE(says_something(" ; -- a\n"));
    EXPECT_TRUE(says_something("/* a */ FROM ops;"));
}

}  // namespace
}  // namespace opsight::cli
