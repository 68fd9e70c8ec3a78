#include "base/one_line_json.h"

#include <gtest/gtest.h>

namespace opsight {
namespace {

TEST(OneLineJson, BlanksOutsideOfStringsAreThoseAfterCommas) {
    for (const char* json : {"[[2, 3], []]", "[[2,3],[]]", "[\n  [2, 3],\r\n\t[ ]\n]"})
        EXPECT_EQ(one_line_json(json), "[[2, 3], []]");
    EXPECT_EQ(one_line_json(R"(["long int" ,"a\" ,b","\\",""])"), R"(["long int", "a\" ,b", "\\", ""])");
    EXPECT_EQ(one_line_json(""), "");
    EXPECT_EQ(one_line_json("\"a \\"), "\"a \\") << "cut off";
}

}  // namespace
}  // namespace opsight
