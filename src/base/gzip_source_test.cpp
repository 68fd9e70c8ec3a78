#include "base/gzip_source.h"

#include <gtest/gtest.h>

#include "base/test_files.h"

namespace opsight {
namespace {

std::string some_text() {
    std::string text;
    for (int i = 0; i < 40000; ++i)
        text += "line " + std::to_string(i * 7919 % 10007) + "\n";
    return text;
}

struct Inflated {
    std::string text, damage;
};

Inflated inflate(std::string_view compressed, size_t step) {
    const auto source = gunzip(memory_source(compressed));
    Inflated out;
    std::string buffer(step, '\0');
    for (;;) {
        const auto got = source->read(buffer.data(), step);
        EXPECT_TRUE(got.has_value());
        if (!got || *got == 0) break;
        out.text.append(buffer, 0, *got);
    }
    out.damage = source->damage();
    return out;
}

TEST(GzipSource, InflatesInReadsOfAnySize) {
    const std::string text = some_text(), packed = testing::gzip(text);
    for (const size_t step : {size_t{1000000}, size_t{4096}, size_t{777}, size_t{3}}) {
        const Inflated out = inflate(packed, step);
        EXPECT_EQ(out.text, text) << step;
        EXPECT_EQ(out.damage, "");
    }
}

TEST(GzipSource, ReadsAllMembersAndSkipsPadding) {
    const std::string packed =
        testing::gzip("one,") + testing::gzip("") + testing::gzip("two") + std::string(900, '\0');
    const Inflated out = inflate(packed, 64);
    EXPECT_EQ(out.text, "one,two");
    EXPECT_EQ(out.damage, "");
}

TEST(GzipSource, DeliversWhatComesBeforeACut) {
    const std::string text = some_text(), packed = testing::gzip(text);
    const Inflated out = inflate(std::string_view(packed).substr(0, packed.size() / 2), 5000);
    EXPECT_GT(out.text.size(), text.size() / 4);
    EXPECT_TRUE(text.starts_with(out.text));
    EXPECT_NE(out.damage.find("breaks off"), std::string::npos) << out.damage;
}

TEST(GzipSource, NoticesEveryCut) {
    const std::string packed = testing::gzip("a short text");
    for (size_t size = 3; size < packed.size(); ++size)
        EXPECT_NE(inflate(std::string_view(packed).substr(0, size), 100).damage, "") << size;
}

TEST(GzipSource, NoticesDamageAndTrailingBytes) {
    const std::string text = some_text();
    std::string packed = testing::gzip(text);
    EXPECT_EQ(inflate(packed + "junk", 5000).text, text);
    EXPECT_NE(inflate(packed + "junk", 5000).damage, "");
    packed[packed.size() - 6] ^= 1;  // in the checksum
    EXPECT_NE(inflate(packed, 5000).damage.find("checksum"), std::string::npos);
}

}  // namespace
}  // namespace opsight
