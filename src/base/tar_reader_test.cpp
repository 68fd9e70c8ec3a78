#include "base/tar_reader.h"

#include <gtest/gtest.h>

#include "base/test_files.h"

namespace opsight {
namespace {

using testing::tar_end;
using testing::tar_member;

struct Content {
    std::vector<std::pair<std::string, std::string>> members;
    std::string damage;
};

Content read_all(std::string_view archive) {
    TarReader tar(memory_source(archive));
    Content content;
    for (;;) {
        const auto member = tar.next();
        EXPECT_TRUE(member.has_value());
        if (!member || !*member) break;
        const auto source = tar.open_member();
        std::string text, buffer(100, '\0');
        for (auto got = source->read(buffer.data(), 100); got && *got > 0;
             got = source->read(buffer.data(), 100))
            text.append(buffer, 0, *got);
        content.members.emplace_back((*member)->name, text);
    }
    content.damage = tar.damage();
    return content;
}

TEST(TarReader, GivesFilesAndPassesOverTheRest) {
    const std::string big(1300, 'x');
    const Content content =
        read_all(tar_member("dir/", "", '5') + tar_member("dir/a.json", "{}") + tar_member("link", "", '2') +
                 tar_member("../../etc/passwd", big) + tar_end());
    const std::vector<std::pair<std::string, std::string>> wanted = {{"dir/a.json", "{}"},
                                                                     {"../../etc/passwd", big}};
    EXPECT_EQ(content.members, wanted);  // a name is a label: nothing is written anywhere
    EXPECT_EQ(content.damage, "");
}

TEST(TarReader, TakesLongNames) {
    const std::string name = std::string(150, 'n') + "/rank-3.json";
    const std::string record = " path=" + name + "\n";
    const std::string pax = std::to_string(record.size() + 3) + record;
    for (const std::string& prefix : {tar_member("././@LongLink", name, 'L'), tar_member("pax", pax, 'x')}) {
        const Content content =
            read_all(prefix + tar_member("short", "1") + tar_member("next", "2") + tar_end());
        ASSERT_EQ(content.members.size(), 2u);
        EXPECT_EQ(content.members[0].first, name);
        EXPECT_EQ(content.members[1].first, "next");
    }
}

TEST(TarReader, SaysWhereSizesLie) {
    const Content cut = read_all(tar_member("a", "12345", '0', 1 << 20));
    ASSERT_EQ(cut.members.size(), 1u);
    EXPECT_NE(cut.damage, "");
    const Content endless = read_all(tar_member("a", "12345", '0', 077777777777));
    EXPECT_NE(endless.damage, "");
    std::string broken = tar_member("a", "12345") + tar_member("b", "1");
    broken[1024 + 5] = 'X';  // the second header's checksum fails
    EXPECT_NE(read_all(broken).damage, "");
    EXPECT_EQ(read_all(broken).members.size(), 1u);
}

TEST(TarReader, IsTold) {
    EXPECT_TRUE(looks_like_tar(tar_member("a", "")));
    EXPECT_FALSE(looks_like_tar(std::string(512, '\0')));
    EXPECT_FALSE(looks_like_tar("{\"traceEvents\": []}"));
}

}  // namespace
}  // namespace opsight
