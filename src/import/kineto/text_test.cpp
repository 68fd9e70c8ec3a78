#include "import/kineto/text.h"

#include "import/text/clean_text.h"

#include <gtest/gtest.h>

namespace opsight::importer::kineto {
namespace {

std::string plain(std::string_view token) {
    std::string scratch;
    return std::string(plain_text(token, scratch));
}

TEST(Text, StringsLoseQuotesAndEscapes) {
    EXPECT_EQ(plain(R"("aten::mm" )"), "aten::mm");
    EXPECT_EQ(plain(R"("a\"b\\c\/d\n\t")"), "a\"b\\c/d\n\t");
    EXPECT_EQ(plain(R"("\u00e9\u20ac\ud83d\ude00")"), "é€😀");
    EXPECT_EQ(plain(R"("\ud83d!")"), "\xef\xbf\xbd!");
    EXPECT_EQ(plain(R"("\u12")"), "u12");
    EXPECT_EQ(plain("12.5 "), "12.5");
    EXPECT_EQ(plain(R"([["\n"]])"), R"([["\n"]])");
    EXPECT_EQ(plain("\"\""), "");
}

TEST(Text, CleanMakesItUtf8WithoutControlCharacters) {
    std::string text = "a\x01z\xff\xc3(\xe2\x82\xac\xed\xa0\x80";
    EXPECT_TRUE(clean_text(text));
    EXPECT_EQ(text, "a z?\?(\xe2\x82\xac?\??");
    EXPECT_FALSE(clean_text(text));
}

}  // namespace
}  // namespace opsight::importer::kineto
