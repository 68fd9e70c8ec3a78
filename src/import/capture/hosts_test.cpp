// Captures of two hosts in one profile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "import/capture/importer.h"
#include "import/capture/test_capture.h"

namespace opsight::importer::capture {
namespace {

using testing::FabricatedCapture;

class Hosts : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("opsight_hosts_" + std::to_string(getpid()));
        std::filesystem::create_directory(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // A process with the same id on each host, with one op.
    void add(const std::string& host, const std::string& rank, int64_t booted_before, uint64_t begin) {
        FabricatedCapture capture(100);
        capture.booted_before(booted_before);
        capture.thread(100);
        capture.property("host", host);
        capture.property("rank", rank);
        capture.property("world_size", "2");
        capture.op(capture.op_kind("aten::add", wire::OpScope::kFunction), begin, 10);
        paths_.push_back((folder_ / (host + ".opcap")).string());
        std::ofstream(paths_.back(), std::ios::binary) << capture.bytes();
    }

    std::filesystem::path folder_;
    std::vector<std::string> paths_;
};

TEST_F(Hosts, StandBesideEachOtherByTheTimeOfDay) {
    constexpr int64_t kDay = 86'400'000'000'000;
    add("a", "0", 0, FabricatedCapture::kStart + 1000);
    add("b", "1", kDay, FabricatedCapture::kStart + 3000);
    ProfileBuilder builder;
    ASSERT_TRUE(import_captures(paths_, false, builder));
    const Profile p = std::move(builder).finish();
    ASSERT_EQ(p.ranks.size(), 2U);
    EXPECT_EQ(p.ranks[0].host, "a");
    EXPECT_EQ(p.ranks[1].host, "b");
    ASSERT_EQ(p.host.size(), 2U);
    EXPECT_NE(p.tracks[p.host.track[0].index()].rank, p.tracks[p.host.track[1].index()].rank);
    EXPECT_EQ(p.host.begin[1] - p.host.begin[0], 2000);
}

}  // namespace
}  // namespace opsight::importer::capture
