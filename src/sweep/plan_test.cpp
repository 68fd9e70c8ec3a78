#include "sweep/plan.h"

#include <gmock/gmock.h>

#include <set>

#include "sweep/product.h"

namespace opsight::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Parameter> parameters(const std::vector<std::string>& texts) {
    std::vector<Parameter> out;
    for (const std::string& text : texts)
        out.push_back(parse_parameter(text).value());
    return out;
}

TEST(Plan, ParametersSpanEveryPoint) {
    const auto all = parameters({"batch=8,16", "dtype=float32,bfloat16"});
    const auto points = points_of(all);
    ASSERT_TRUE(points);
    EXPECT_THAT(*points, ElementsAre(Point{"8", "float32"}, Point{"8", "bfloat16"}, Point{"16", "float32"},
                                     Point{"16", "bfloat16"}));
    EXPECT_EQ(name_of(all, points->at(1)), "batch=8,dtype=bfloat16");
}

TEST(Plan, WrongParametersAreRefused) {
    for (const char* text :
         {"batch", "=1", "8=1", "batch=", "batch=1,,2", "batch=1,2,1", "batch=1,1.0", "a b=1"}) {
        const auto parsed = parse_parameter(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().exit_code, 2) << text;
    }
    EXPECT_THAT(parse_parameter("batch=32,032").error().what, HasSubstr("032 is there twice"));
    EXPECT_FALSE(points_of(parameters({"a=1", "a=2"})));
    std::string many = "a=0";
    for (int i = 1; i < 60; ++i)
        many += "," + std::to_string(i);
    EXPECT_TRUE(points_of(parameters({many, "b=1"})));
    EXPECT_FALSE(points_of({parse_parameter(many).value(), {"b", parse_parameter(many).value().values}}));
}

TEST(Plan, PlaceholdersAreFilled) {
    const auto all = parameters({"batch=8", "hidden=64"});
    const auto words = words_of_point(
        {"--b={batch}", "{hidden}x{batch}", "{{batch}}", "{\"a\": 1}", "${batch"}, all, {"8", "64"});
    ASSERT_TRUE(words);
    EXPECT_THAT(*words, ElementsAre("--b=8", "64x8", "{batch}", "{\"a\": 1}", "${batch"));
}

TEST(Plan, MissingAndUnknownPlaceholdersAreNamed) {
    const auto all = parameters({"batch=8", "hidden=64"});
    EXPECT_TRUE(check_placeholders({"{batch}{hidden}"}, all));
    EXPECT_THAT(check_placeholders({"x", "{batch}"}, all).error().what, HasSubstr("{hidden} stands nowhere"));
    EXPECT_THAT(check_placeholders({"{batch}", "{hidden}", "{bach}"}, all).error().what, HasSubstr("{bach}"));
    EXPECT_THAT(check_placeholders({"{{batch}}", "{hidden}"}, all).error().what,
                HasSubstr("{batch} stands nowhere"));
}

TEST(Plan, OrderIsWholeRandomAndAlikeForASeed) {
    const std::vector<Trial> order = order_of(10, 3, true, 1);
    ASSERT_EQ(order.size(), 60U);
    for (int64_t repeat = 1; repeat <= 3; ++repeat) {
        std::set<std::pair<size_t, bool>> seen;
        for (size_t i = 0; i < 20; ++i) {
            const Trial& each = order[static_cast<size_t>(repeat - 1) * 20 + i];
            EXPECT_EQ(each.repeat, repeat);
            seen.insert({each.point, each.bare});
        }
        EXPECT_EQ(seen.size(), 20U);
    }
    EXPECT_EQ(order, order_of(10, 3, true, 1));
    EXPECT_NE(order, order_of(10, 3, true, 2));
    EXPECT_EQ(order_of(10, 2, false, 1).size(), 20U);
}

TEST(Product, OfNumbersAndParameters) {
    const auto all = parameters({"batch=8,16", "hidden=64,x"});
    const auto product = Product::parse("16*hidden^2*batch", all);
    ASSERT_TRUE(product);
    EXPECT_EQ(product->of({"8", "64"}), 16.0 * 64 * 64 * 8);
    EXPECT_EQ(product->of({"8", "x"}), std::nullopt);
    for (const char* text :
         {"", "16*", "hiden", "0*batch", "-1", "batch^0", "batch^10", "batch+hidden", "2^x"})
        EXPECT_FALSE(Product::parse(text, all)) << text;
}

}  // namespace
}  // namespace opsight::sweep
