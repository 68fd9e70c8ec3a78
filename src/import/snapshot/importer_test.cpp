#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "import/snapshot/pickle.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

using snapshot::Pickle;
constexpr int64_t kMib = 1 << 20;

// tests/fuzz/make_memory_snapshot.py wrote it.
std::string seed(const char* name = "memory_snapshot") {
    std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/" + std::string(name) + ".pickle");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

class SnapshotTest : public ::testing::Test {
  protected:
    Profile imported(const std::string& bytes) {
        Result<Profile> profile = import_files({folder_.write("rank3.pickle", bytes)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused(const std::string& bytes) {
        const Result<Profile> profile = import_files({folder_.write("bad.pickle", bytes)});
        return profile ? "imported" : profile.error().message();
    }
    testing::TempFolder folder_;
};

TEST_F(SnapshotTest, TellsWhatWasHeldAtEachMomentAndWhoAskedForIt) {
    for (const char* name : {"memory_snapshot", "memory_snapshot_2"}) {
        const Profile p = imported(seed(name));
        const MemoryEvents& m = p.memory;
        // Held before: 4 MiB of weights, which the segments tell alone, and 1 MiB that was freed later.
        EXPECT_EQ(m.bytes, (std::vector<int64_t>{kMib, 4 * kMib, 0, 8 * kMib, 16 * kMib, 2 * kMib, -16 * kMib,
                                                 -kMib, -2 * kMib}));
        EXPECT_EQ(m.total_allocated, (std::vector<int64_t>{kMib, 5 * kMib, 5 * kMib, 13 * kMib, 29 * kMib,
                                                           31 * kMib, 15 * kMib, 14 * kMib, 12 * kMib}));
        EXPECT_EQ(m.total_reserved, (std::vector<int64_t>{2 * kMib, 2 * kMib, 66 * kMib, 66 * kMib, 66 * kMib,
                                                          66 * kMib, 66 * kMib, 66 * kMib, 66 * kMib}));
        EXPECT_EQ(m.time, (std::vector<int64_t>{0, 0, 0, 10000, 20000, 30000, 41000, 46000, 61000}));
        EXPECT_EQ(p.strings.view(m.stack[1]),
                  "__init__ (/opt/net/model.py:9)\n<module> (/opt/net/train.py:40)");
        EXPECT_EQ(p.strings.view(m.stack[0]), "");
        EXPECT_TRUE(p.strings.view(m.stack[4])
                        .ends_with("train_step (/opt/net/train.py:21)\n<module> (/opt/net/train.py:40)"));
        EXPECT_EQ(m.device_type[0], 1);
        EXPECT_EQ(m.device[0], 0);
        EXPECT_EQ(p.ranks.at(0).number, 3) << "the file's name tells it";
        EXPECT_EQ(p.info.producer, "PyTorch memory snapshot");
        EXPECT_EQ(p.diagnostics.count(Diag::kReplacedValue), 0);
        ASSERT_EQ(p.host.size(), 2u);
        const size_t step = p.host.kind[0] == HostKind::kAnnotation ? 0 : 1;
        EXPECT_EQ(p.strings.view(p.host.name[step]), "step");
        EXPECT_EQ(p.host.dur[step], 60000);
        EXPECT_EQ(p.strings.view(p.host.name[1 - step]),
                  "out of memory: 80.0 MiB asked for, 3.0 MiB free on the device");
        EXPECT_EQ(p.host.begin[1 - step], 50000);
    }
}

TEST_F(SnapshotTest, SaysWhatItCannotKnow) {
    Profile p = imported(replaced(seed(), "time_us", "time_xx"));
    EXPECT_TRUE(has_durations_only(p.info));
    EXPECT_EQ(p.diagnostics.count(Diag::kReplacedValue), 1);
    EXPECT_EQ(p.memory.total_allocated.back(), 12 * kMib);
    // Frees that complete are left out of the recording: their requests stand for them.
    p = imported(replaced(seed(), "free_completed", "free_forgotten"));
    EXPECT_EQ(p.memory.total_allocated.back(), 12 * kMib);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
    p = imported(replaced(seed(), "active_allocated", "active_in_truth_"));
    EXPECT_EQ(p.memory.total_allocated.back(), 12 * kMib) << "every active block is held";
    p = imported(replaced(seed(), "active_allocated", "inactive_at_all_"));
    EXPECT_EQ(p.diagnostics.count(Diag::kReplacedValue), 1) << "8 MiB more than the segments hold";
}

TEST_F(SnapshotTest, RefusesWhatIsNoSnapshotOrAsksForCode) {
    EXPECT_NE(refused(replaced(seed(), "segments", "segmentx")).find("without the segments"),
              std::string::npos);
    EXPECT_NE(refused(seed().substr(0, 700)).find("breaks off"), std::string::npos);
    EXPECT_NE(refused("\x80\x04\x8c\x08segments\x8c\x02os\x8c\x06system\x93.").find("class or a call"),
              std::string::npos);
    EXPECT_NE(refused("\x80\x04}\x8c\x08segments]s.").find("no allocation"), std::string::npos);
    EXPECT_NE(refused("\x80\x04\x8c\x08segments"
                      "e.")
                  .find("mark"),
              std::string::npos);
}

TEST_F(SnapshotTest, NamesThatAreNoTextAreCleaned) {
    const Profile p = imported(replaced(seed(), "/opt/net/model.py", "/opt/n\xff\x01/model.py"));
    EXPECT_GT(p.diagnostics.count(Diag::kUncleanText), 0);
    EXPECT_EQ(p.strings.view(p.memory.stack[1]).find('\xff'), std::string_view::npos);
    EXPECT_EQ(p.strings.view(p.memory.stack[1]).find('\x01'), std::string_view::npos);
}

// One list of entries in the place of each device's, as the file may say by recalling it: read once.
TEST_F(SnapshotTest, AListThatIsSharedCountsOnce) {
    std::string bytes =
        "\x80\x04}(\x8c\x08segments]\x8c\x0d"
        "device_traces](](}(\x8c\x06"
        "action\x8c\x05"
        "alloc\x8c\x04size"
        "K\x07\x8c\x07time_usK\x01ue\x94";
    for (int i = 0; i < 200; ++i)
        bytes += std::string("h\0", 2);
    const Profile p = imported(bytes + "eu.");
    EXPECT_EQ(p.memory.bytes, std::vector<int64_t>{7});
}

Result<Pickle> pickle_of(std::string_view bytes) {
    PeekedSource source(memory_source(bytes));
    return Pickle::read(source);
}

TEST(PickleTest, ReadsNumbersAsPythonWritesThem) {
    using namespace std::string_view_literals;
    const std::pair<std::string_view, int64_t> numbers[] = {
        {"\x80\x02K\xff.", 255},
        {"\x80\x02M\xff\xff.", 65535},
        {"\x80\x02J\xff\xff\xff\xff.", -1},
        {"\x80\x02\x8a\x00."sv, 0},
        {"\x80\x02\x8a\x01\xfe.", -2},
        {"\x80\x02\x8a\x05\x00\x00\x00\x00\x01."sv, int64_t{1} << 32},
        {"\x80\x02\x88.", 1},
        {"I-7\n.", -7},
        {"L12L\n.", 12},
        {"I01\n.", 1},
        {"\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."sv, INT64_MIN},  // an address above 2^63
    };
    for (const auto& [bytes, number] : numbers) {
        const auto pickle = pickle_of(bytes);
        ASSERT_TRUE(pickle) << pickle.error().message();
        EXPECT_EQ(pickle->integer(pickle->root(), 99), number);
    }
}

TEST(PickleTest, RemembersAndRefusesWhatDoesNotFit) {
    const auto same = pickle_of(
        "\x80\x04]\x94\x8c\x01x\x94"
        "ah\x01"
        "a.");
    ASSERT_TRUE(same) << same.error().message();
    ASSERT_EQ(same->items(same->root()).size(), 2u);
    EXPECT_EQ(same->items(same->root())[0], same->items(same->root())[1]);
    EXPECT_EQ(same->text(same->items(same->root())[1]), "x");
    for (const std::string_view bytes :
         {"", "\x80\x06.", "0.", "h\x05.", "(.", "1.", "u.", "Kxs.", "\x94.", "\xff.",
          "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "\x80\x04)\x86.", "Iabc\n.", "]](e"})
        EXPECT_FALSE(pickle_of(bytes).has_value()) << bytes;
}

}  // namespace
}  // namespace opsight::importer
