#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace opsight {
namespace {

template <class T>
std::string json_of(const T& value) {
    JsonWriter json;
    json.value(value);
    return json.take();
}

TEST(JsonWriter, WritesObjectsListsAndValues) {
    JsonWriter json;
    json.object([&] {
        json.field("a", 1).field("b", "x").field("c", nullptr).field("d", true);
        json.list("e", [&] { json.value(-2).object([] {}).list([] {}); });
        json.field("f", std::optional<int>()).field("g", std::optional<double>(0.5));
        json.field("h", std::vector<std::string>{"y", "z"}).key("i").raw("[1, 2]");
        json.object("j", [&] { json.field("k", std::vector<bool>{true, false}); });
    });
    EXPECT_EQ(json.take(),
              R"({"a":1,"b":"x","c":null,"d":true,"e":[-2,{},[]],"f":null,"g":0.5,"h":["y","z"],"i":[1, 2],)"
              R"("j":{"k":[true,false]}})");
}

TEST(JsonWriter, IndentsWhereThatIsAskedFor) {
    JsonWriter json(2);
    json.object([&] {
        json.field("a", std::vector<int>{1, 2}).field("b", std::vector<int>{}).object("c", [] {});
    });
    const std::string text = json.take();
    EXPECT_EQ(text, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": [],\n  \"c\": {}\n}");
    EXPECT_EQ(nlohmann::json::parse(text).dump(2), text);
}

TEST(JsonWriter, RowsStandOnLinesOfTheirOwnAndGoOutBitByBit) {
    JsonWriter json;
    json.begin_list();
    EXPECT_EQ(json.take(), "[");
    for (int i = 0; i < 3; ++i) {
        json.line(1).object([&] { json.field("i", i); });
        EXPECT_EQ(json.take(), (i ? ",\n {\"i\":" : "\n {\"i\":") + std::to_string(i) + "}");
    }
    json.line().end_list();
    EXPECT_EQ(json.take(), "\n]");
    json = JsonWriter();
    json.object([&] { json.line().field("a", 1).line().field("b", "x"); });
    EXPECT_EQ(json.take(), "{\n\"a\":1,\n\"b\":\"x\"}");
}

TEST(JsonWriter, WholeNumbersAreExact) {
    EXPECT_EQ(json_of(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(json_of(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(json_of(uint8_t{255}), "255");
    EXPECT_EQ(json_of(std::vector<int16_t>{-1}), "[-1]");
}

TEST(JsonWriter, DoublesHaveTheFewestDigitsThatGiveThemBack) {
    for (const auto& [value, text] : std::map<double, std::string>{{0.1, "0.1"},
                                                                   {3, "3.0"},
                                                                   {-0.0, "-0.0"},
                                                                   {1e-5, "1e-05"},
                                                                   {1e300, "1e+300"},
                                                                   {5e-324, "5e-324"},
                                                                   {123456.789, "123456.789"}})
        EXPECT_EQ(json_of(value), text);
    for (const double none :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()})
        EXPECT_EQ(json_of(none), "null");
    std::mt19937_64 chance(3);
    for (int i = 0; i < 100'000; ++i) {
        const auto value = std::bit_cast<double>(chance());
        if (!std::isfinite(value)) continue;
        const std::string text = json_of(value);
        const auto back = nlohmann::json::parse(text);
        ASSERT_TRUE(back.is_number_float()) << text;
        ASSERT_EQ(std::bit_cast<uint64_t>(back.get<double>()), std::bit_cast<uint64_t>(value)) << text;
        ASSERT_LE(text.size(), nlohmann::json(value).dump().size() + 1) << text;
    }
}

TEST(JsonWriter, TextIsEscapedAndWhatIsNotUtf8IsReplaced) {
    EXPECT_EQ(json_of("a\"b\\c/\n\t\x1f\x7f\xc3\xa9"), R"("a\"b\\c/\n\t\u001F)"
                                                       "\x7f\xc3\xa9\"");
    EXPECT_EQ(json_of(std::string("a\0b", 3)), R"("a\u0000b")");
    EXPECT_EQ(json_of(std::string_view()), R"("")");
    EXPECT_EQ(json_of("\xe2\x82 \xff\xed\xa0\x80."),
              "\"\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.\"");
    JsonWriter json;
    json.object([&] { json.field("\xff", 1); });
    EXPECT_EQ(json.take(), "{\"\xef\xbf\xbd\":1}");
    std::mt19937 chance(5);
    constexpr std::string_view bytes =
        "a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff\"\n";
    for (int i = 0; i < 200'000; ++i) {
        std::string text(chance() % 7, ' ');
        for (char& c : text)
            c = bytes[chance() % bytes.size()];
        const std::string theirs =
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        ASSERT_EQ(json_of(text), theirs);
    }
}

}  // namespace
}  // namespace opsight
