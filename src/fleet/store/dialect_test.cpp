#include "fleet/store/dialect.h"

#include <gtest/gtest.h>

namespace opsight::fleet {
namespace {

// Says what it was asked for.
class Echo : public Dialect {
  public:
    std::string literal(const duck::Cell& value) const override {
        const auto* number = std::get_if<int64_t>(&value);
        return number ? "N" + std::to_string(*number) : "T" + std::get<std::string>(value);
    }
    std::string relation(std::string_view table) const override { return "<" + std::string(table) + ">"; }
    std::string word(std::string_view name, const std::vector<std::string>& arguments) const override {
        std::string out(name);
        for (const std::string& each : arguments)
            out += "|" + each;
        return out;
    }
};

std::string text_of(const std::string& sql) {
    const auto text = written(duck::Statement(sql).set("run", std::string("a")).set("n", int64_t{7}), Echo());
    return text ? *text : "error: " + text.error().what;
}

TEST(Dialect, WordsTablesAndValuesAreReplaced) {
    EXPECT_EQ(text_of("SELECT {{median(x)}} FROM {{runs}} WHERE run = $run AND n > $n"),
              "SELECT median|x FROM <runs> WHERE run = Ta AND n > N7");
    EXPECT_EQ(text_of("{{left_join}} {{ quantile( f(a, b), 0.9 ) }}"), "left_join quantile|f(a, b)|0.9");
}

TEST(Dialect, AWordMayStandInAnother) {
    EXPECT_EQ(text_of("{{ratio(sum(a), (SELECT sum(a) FROM {{ops}} WHERE b = $n))}}"),
              "ratio|sum(a)|(SELECT sum(a) FROM <ops> WHERE b = N7)");
    EXPECT_EQ(text_of("{{runs}}{{labels}}"), "<runs><labels>");
}

TEST(Dialect, WhatIsNoWordIsAnError) {
    EXPECT_EQ(text_of("SELECT {{mode(x)}}"), "error: there is no word {{mode(x)}}");
    EXPECT_EQ(text_of("FROM {{spans}}"), "error: there is no word {{spans}}");
    EXPECT_EQ(text_of("{{ratio(a)}}"), "error: there is no word {{ratio(a)}}");
    EXPECT_EQ(text_of("{{median(x}}"), "error: there is no word {{median(x}}");
    EXPECT_EQ(text_of("SELECT {{median(x)"), "error: a word is not closed");
    EXPECT_EQ(text_of("{{}}"), "error: there is no word {{}}");
}

// What a value holds is no SQL and no word.
TEST(Dialect, ValuesAreNotLookedThrough) {
    const auto text =
        written(duck::Statement("SELECT $run").set("run", std::string("{{runs}} $run")), Echo());
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "SELECT T{{runs}} $run");
}

}  // namespace
}  // namespace opsight::fleet
