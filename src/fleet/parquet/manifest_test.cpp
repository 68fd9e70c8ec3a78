#include "fleet/parquet/manifest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/test_files.h"
#include "fleet/store/schema.h"

namespace opsight::fleet::parquet {
namespace {

const std::string kRunId(32, '1'), kPushId(32, 'a');

class ManifestTest : public ::testing::Test {
  protected:
    Result<Manifest> read(const std::string& text) const {
        return read_manifest(folder_.write("run.json", text), kRunId);
    }
    std::string refusal(const std::string& text) const {
        const Result<Manifest> out = read(text);
        return out ? "taken" : out.error().message();
    }
    static std::string of(const std::string& files) {
        return fmt::format(R"({{"facts_version": {}, "run": "{}", "push": "{}", "files": {}}})",
                           kFactsVersion, kRunId, kPushId, files);
    }

    testing::TempFolder folder_;
};

TEST_F(ManifestTest, GoesOutAndInAgain) {
    Manifest manifest{{kRunId, kPushId}, {}};
    for (const Table& table : tables())
        for (int64_t rank = 0; rank < (table.by_rank ? 2 : 1); ++rank)
            manifest.files.push_back(
                {{&table, table.by_rank ? std::optional(rank) : std::nullopt}, 100 + rank});
    const Result<Manifest> again = read(manifest.text());
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->id.push, kPushId);
    EXPECT_EQ(again->files.size(), manifest.files.size());
    EXPECT_EQ(again->text(), manifest.text());
}

TEST_F(ManifestTest, RefusesWhatNamesNoFilesOfTheRun) {
    EXPECT_NE(refusal("{").find("not JSON, or cut"), std::string::npos);
    EXPECT_NE(refusal("{}").find("is not a manifest"), std::string::npos);
    for (const char* files :
         {R"({"ops": [[1], [2]]})", R"({"nope": [[1]]})", R"({"ops": [["1"]]})", R"({"ops": [[0]]})",
          R"({"ops": [[-1]]})", R"({"ops": [[1, 2]]})", R"([])", R"({"iteration_ops": [[0, 5], [0, 5]]})",
          R"({"iteration_ops": [[-1, 5]]})", R"({"../ops": [[1]]})"})
        EXPECT_NE(refusal(of(files)).find("does not list files"), std::string::npos) << files;
    EXPECT_TRUE(read(of(R"({"ops": [[5]], "iteration_ops": [[0, 5], [1, 5]]})")));
}

TEST_F(ManifestTest, RefusesTheManifestOfAnotherRun) {
    std::string text = of("{}");
    text.replace(text.find(kRunId), kRunId.size(), std::string(32, '2'));
    EXPECT_NE(refusal(text).find("of another run"), std::string::npos);
    text = of("{}");
    text.replace(text.find(kPushId), kPushId.size(), "../../etc/passwd");
    EXPECT_NE(refusal(text).find("of another run"), std::string::npos);
}

TEST_F(ManifestTest, VersionsAreToldApart) {
    const auto version = [&](int64_t number) {
        return read(fmt::format(R"({{"facts_version": {}}})", number)).error().code;
    };
    EXPECT_EQ(version(kFactsVersion + 1), ErrorCode::kNewerSchema);
    EXPECT_EQ(version(0), ErrorCode::kOther) << "there is no such version";
}

TEST_F(ManifestTest, ReadsNoLinkAndNothingLarge) {
    const std::string file = folder_.write("file", "12345"), link = folder_.path() + "/link";
    std::filesystem::create_symlink(file, link);
    EXPECT_EQ(read_small_file(file, 5).value_or(""), "12345");
    EXPECT_FALSE(read_small_file(file, 4));
    EXPECT_FALSE(read_small_file(link, 5));
    EXPECT_FALSE(read_small_file(folder_.path(), 1 << 20));
    EXPECT_TRUE(has_manifest(link));
    EXPECT_FALSE(has_manifest(folder_.path() + "/none"));
}

}  // namespace
}  // namespace opsight::fleet::parquet
