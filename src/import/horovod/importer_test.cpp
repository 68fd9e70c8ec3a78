#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"

namespace opsight::importer {
namespace {

class HorovodTest : public ::testing::Test {
  protected:
    static std::string seed() {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/horovod_timeline.json");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("timeline.json", text)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static size_t row_of(const Profile& p, std::string_view name) {
        for (size_t row = 0; row < p.host.size(); ++row)
            if (p.strings.view(p.host.name[row]) == name) return row;
        ADD_FAILURE() << name;
        return 0;
    }

    testing::TempFolder folder_;
};

TEST_F(HorovodTest, CollectivesAndWhatTheyWaitedFor) {
    const Profile p = imported(seed());
    EXPECT_EQ(p.info.producer, "Horovod");
    EXPECT_TRUE(p.info.origin_is_unix);
    EXPECT_EQ(p.info.origin_ns, 1600000000000100000);
    ASSERT_EQ(p.host.size(), 7u);
    const size_t waits = row_of(p, "NEGOTIATE_ALLREDUCE"), call = row_of(p, "ALLREDUCE"),
                 step = row_of(p, "NCCL_ALLREDUCE");
    EXPECT_EQ(p.host.kind[waits], HostKind::kAnnotation);
    EXPECT_EQ(p.host.dur[waits], 801000) << "apart from the collective";
    EXPECT_EQ(p.host.kind[call], HostKind::kMessagePassing);
    EXPECT_EQ(p.host.dur[call], 260000);
    EXPECT_EQ(text(p, p.tracks[p.host.track[call].index()].name), "grad.conv1");
    EXPECT_EQ(text(p, StringId(p.host.detail[step])), "step of a collective");
    ASSERT_EQ(p.messages.size(), 1u);
    EXPECT_EQ(p.messages[0].row, call);
    EXPECT_EQ(p.messages[0].bytes, 64 * 3 * 7 * 7 * 4);
    EXPECT_EQ(p.diagnostics.count(Diag::kEndWithoutBegin), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnfinishedSpan), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1) << "the begin of a cycle";
    EXPECT_EQ(p.diagnostics.count(Diag::kForeignTrace), 0);
}

TEST_F(HorovodTest, OlderFilesTellNoStartAndAreNotClosed) {
    const Profile p = imported(
        "[\n{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"a\"}},\n"
        "{\"ph\": \"B\", \"name\": \"NEGOTIATE_ALLGATHER\", \"ts\": 5, \"pid\": 1},\n"
        "{\"ph\": \"E\", \"ts\": 7, \"pid\": 1},\n{\"ph\": \"B\", \"name\": \"ALLGATHER\", \"ts\": 8, "
        "\"pid\": 1},\n"
        "{\"ph\": \"E\", \"ts\": 9, \"pid\": 1, \"args\": {\"dtype\": \"int64\", \"shape\": \"[99999999, "
        "99999999, 99]\"}},\n");
    EXPECT_FALSE(p.info.origin_is_unix);
    ASSERT_EQ(p.messages.size(), 1u);
    EXPECT_EQ(p.messages[0].bytes, -1) << "more than any tensor has";
    EXPECT_EQ(p.diagnostics.count(Diag::kTruncatedInput), 0) << "its writer never closes the list";
}

// A long start-up, marked by HOROVOD_TIMELINE_MARK_CYCLES: the first tensor stands behind what a sniff sees.
TEST_F(HorovodTest, CyclesBeforeTheFirstTensor) {
    std::string text = "[\n";
    for (int i = 0; i < 200; ++i)
        text += fmt::format("{{\"ph\": \"i\", \"name\": \"CYCLE_START\", \"ts\": {}, \"s\": \"g\"}},\n",
                            i * 5000);
    const Profile p =
        imported(text +
                 "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"a\"}},\n"
                 "{\"ph\": \"B\", \"name\": \"ALLREDUCE\", \"ts\": 1000008, \"pid\": 1},\n"
                 "{\"ph\": \"E\", \"ts\": 1000009, \"pid\": 1},\n");
    EXPECT_EQ(p.messages.size(), 1u);
    EXPECT_EQ(p.diagnostics.count(Diag::kTruncatedInput), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 200);
}

TEST_F(HorovodTest, FilesThatBreakOff) {
    std::string text = seed();
    text.resize(text.rfind('}') + 1);
    EXPECT_EQ(imported(text).diagnostics.count(Diag::kTruncatedInput), 1) << "a comma follows each event";
    EXPECT_EQ(imported(text + ",\n").diagnostics.count(Diag::kTruncatedInput), 1)
        << "a version that tells its start closes the list behind each event";
    text.resize(text.size() - 4);
    EXPECT_EQ(imported(text).diagnostics.count(Diag::kTruncatedInput), 1);
}

}  // namespace
}  // namespace opsight::importer
