#include "collect/run_queue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "collect/kept_files.h"
#include "wire/reader.h"

namespace opsight::collect {
namespace {

namespace fs = std::filesystem;

TEST(Schedstat, IsTimeOnAProcessorThenTimeWithoutOne) {
    uint64_t ran = 0, waited = 0;
    EXPECT_TRUE(read_schedstat("236423474 139066713 275\n", ran, waited));
    EXPECT_EQ(ran, 236423474U);
    EXPECT_EQ(waited, 139066713U);
    for (const char* other : {"", "\n", "12", "12 ", "12 34", "bash (12) S 1", "x 1 2\n"})
        EXPECT_FALSE(read_schedstat(other, ran, waited)) << other;
}

class RunQueueTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (access("/proc/thread-self/schedstat", R_OK) != 0)
            GTEST_SKIP() << "this kernel tells no waits for a processor (/proc/thread-self/schedstat)";
        std::string name = (fs::temp_directory_path() / "opsight_run_queue_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        ASSERT_EQ(writer_.open((folder_ / "a.opcap").c_str(), 1 << 20), 0);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::vector<wire::RunQueueRecord> written() {
        writer_.finish();
        std::vector<wire::RunQueueRecord> all;
        auto reader = wire::CaptureReader::open((folder_ / "a.opcap").string());
        if (!reader) return all;
        for (const wire::CaptureStream& stream : reader->streams())
            reader->read(stream, [&](const wire::RecordView& record) {
                if (record.type == wire::RecordType::kRunQueue)
                    all.push_back(record.as<wire::RunQueueRecord>());
            });
        return all;
    }

    fs::path folder_;
    wire::CaptureWriter writer_;
};

TEST_F(RunQueueTest, IsReadNowAndThen) {
    wire::ThreadStream stream(writer_);
    RunQueue queue;
    EXPECT_FALSE(queue.due(UINT64_MAX - 1)) << "before it is open";
    queue.open();
    ASSERT_TRUE(queue.is_open());
    ASSERT_TRUE(queue.due(5));
    queue.sample(stream, 5);
    EXPECT_FALSE(queue.due(6));
    const uint64_t later = 5'000'000'000;
    ASSERT_TRUE(queue.due(later));
    queue.sample(stream, later);
    queue.close();
    EXPECT_FALSE(queue.due(2 * later));
    const std::vector<wire::RunQueueRecord> all = written();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].time, 5U);
    EXPECT_EQ(all[1].time, later);
    EXPECT_GE(all[1].waited_ns, all[0].waited_ns);
}

// In a forked child the file tells of its parent's thread.
TEST_F(RunQueueTest, IsNotReadOnceItsFileIsClosed) {
    wire::ThreadStream stream(writer_);
    RunQueue queue;
    queue.open();
    ASSERT_TRUE(queue.is_open());
    close_inherited_files();
    queue.sample(stream, 5);
    EXPECT_FALSE(queue.due(UINT64_MAX - 1));
    EXPECT_TRUE(written().empty());
}

}  // namespace
}  // namespace opsight::collect
