#include "import/timeloop/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opsight::importer::timeloop {
namespace {

using ::testing::HasSubstr;

Scope names() {
    Scope scope;
    scope.set("depth", 192.0);
    scope.set("real_depth", 0.0);
    scope.set("kind", std::string("LPDDR4"));
    return scope;
}

std::string worth(std::string_view text) {
    const Result<Value> value = evaluate_expression(text, names());
    return value ? text_of(*value) : "refused: " + value.error().what;
}

TEST(Expression, ComputesAsPythonDoes) {
    EXPECT_EQ(worth("1 + 2 * 3 - 4 / 2"), "5");
    EXPECT_EQ(worth("-2 ** 2"), "-4");
    EXPECT_EQ(worth("2 ** -1 ** 2"), "0.5");
    EXPECT_EQ(worth("2 ** 3 ** 2"), "512");
    EXPECT_EQ(worth("-7 // 2"), "-4");
    EXPECT_EQ(worth("-7 % 3"), "2");
    EXPECT_EQ(worth("10 - 3 - 2"), "5");
    EXPECT_EQ(worth("1e-9"), "1.0000000000000001e-09");
    EXPECT_EQ(worth("round(2.5) + round(3.5)"), "6");
    EXPECT_EQ(worth("max(1, ceil(log2(depth)))"), "8");
    EXPECT_EQ(worth("pow(2, 10) + log(8, 2) + min(4, 2, 3)"), "1029");
    EXPECT_EQ(worth("1 < 2 and not 3 == 4 or 5 > 6"), "1");
    EXPECT_EQ(worth("not 1 + 1 == 3"), "1");
    EXPECT_EQ(worth("kind"), "LPDDR4");
    EXPECT_EQ(worth("kind == 'LPDDR4'"), "1");
}

TEST(Expression, OfAChoiceOnlyOneSideIsComputed) {
    EXPECT_EQ(worth("max(1, ceil(log2(real_depth))) if real_depth >= 1 else 1"), "1");
    EXPECT_EQ(worth("2 if depth > 100 else nothing"), "2");
    EXPECT_EQ(worth("1 if depth < 10 else 2 if depth < 100 else 3"), "3");
    EXPECT_EQ(worth("real_depth and 1 / real_depth"), "0");
}

TEST(Expression, SaysWhatIsWrong) {
    EXPECT_THAT(worth("nothing + 1"), HasSubstr("'nothing' is not defined"));
    EXPECT_THAT(worth("1 / real_depth"), HasSubstr("division by zero"));
    EXPECT_THAT(worth("1 % real_depth"), HasSubstr("division by zero"));
    EXPECT_THAT(worth("log2(real_depth)"), HasSubstr("log2() is not a finite number"));
    EXPECT_THAT(worth("10 ** 400"), HasSubstr("not a finite number"));
    EXPECT_THAT(worth("kind * 2"), HasSubstr("is a text"));
    EXPECT_THAT(worth("1 +"), HasSubstr("ends too early"));
    EXPECT_THAT(worth("(1"), HasSubstr("')' was expected"));
    EXPECT_THAT(worth("45nm"), HasSubstr("'45nm' is not a number"));
    EXPECT_THAT(worth("1 2"), HasSubstr("'2' was not expected"));
    EXPECT_THAT(worth("1 if 2"), HasSubstr("'else' was expected"));
    EXPECT_THAT(worth("open(1)"), HasSubstr("no function 'open'"));
    EXPECT_THAT(worth("'open"), HasSubstr("does not end"));
}

// Nesting does not cost more than its length, and has an end.
TEST(Expression, DeepAndLongOnesAreRefused) {
    EXPECT_EQ(worth(std::string(20, '(') + "1" + std::string(20, ')')), "1");
    EXPECT_THAT(worth(std::string(200, '(') + "1" + std::string(200, ')')), HasSubstr("too deep"));
    EXPECT_THAT(worth(std::string(200, '-') + "1"), HasSubstr("too deep"));
    EXPECT_THAT(worth(std::string(5000, '1')), HasSubstr("longer than"));
    std::string sum = "1";
    for (int i = 0; i < 1000; ++i)
        sum += "+1";
    EXPECT_THAT(worth(sum), HasSubstr("too many parts"));
}

}  // namespace
}  // namespace opsight::importer::timeloop
