// Waits for a processor, as captures tell them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "import/capture/importer.h"
#include "import/capture/test_capture.h"

namespace opsight::importer::capture {
namespace {

using testing::FabricatedCapture;

constexpr uint64_t kStart = FabricatedCapture::kStart;

void read_at(FabricatedCapture& capture, uint64_t time, uint64_t waited_ns) {
    wire::RunQueueRecord reading{};
    reading.time = kStart + time;
    reading.waited_ns = waited_ns;
    capture.put(wire::RecordType::kRunQueue, reading);
}

Profile imported(const FabricatedCapture& capture) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("opsight_run_queue_" + std::to_string(getpid()) + ".opcap");
    std::ofstream(path, std::ios::binary) << capture.bytes();
    ProfileBuilder builder;
    const auto done = import_captures({path.string()}, false, builder);
    std::filesystem::remove(path);
    EXPECT_TRUE(done) << (done ? "" : done.error().message());
    return std::move(builder).finish();
}

struct Wait {
    int64_t begin, dur;
    std::string track;
    bool operator==(const Wait&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Wait& wait) {
    return out << wait.begin << " + " << wait.dur << " on " << wait.track;
}

// Times from the first op on, which begins 1000 ns after the start.
std::vector<Wait> waits_of(const Profile& p) {
    std::vector<Wait> waits;
    int64_t first = 0;
    for (size_t i = 0; i < p.host.size(); ++i)
        if (p.host.kind[i] == HostKind::kOp && p.strings.view(p.host.name[i]) == "aten::add")
            first = p.host.begin[i] - 1000;
    for (size_t i = 0; i < p.host.size(); ++i)
        if (p.host.kind[i] == HostKind::kOther)
            waits.push_back({p.host.begin[i] - first, p.host.dur[i],
                             std::string(p.strings.view(p.tracks[p.host.track[i].index()].tid_text))});
    return waits;
}

TEST(RunQueue, WaitsStandAtTheEndOfTheTimeInWhichTheyWere) {
    FabricatedCapture capture;
    capture.thread(100);
    capture.op(capture.op_kind("aten::add", wire::OpScope::kFunction), kStart + 1000, 10);
    read_at(capture, 1000, 70'000);    // before the recording: no wait of it
    read_at(capture, 9000, 73'000);    // 3000 of 8000 ns
    read_at(capture, 20'000, 73'000);  // none
    read_at(capture, 21'000, 78'000);  // more than there is
    read_at(capture, 30'000, 75'000);  // less than before: damaged
    read_at(capture, 31'000, 75'500);
    capture.thread(101);  // another thread begins anew
    read_at(capture, 40'000, 500'000);
    read_at(capture, 41'000, 500'250);
    const std::vector<Wait> expected = {{6000, 3000, "Run queue of thread 100"},
                                        {20'000, 1000, "Run queue of thread 100"},
                                        {30'500, 500, "Run queue of thread 100"},
                                        {40'750, 250, "Run queue of thread 101"}};
    EXPECT_EQ(waits_of(imported(capture)), expected);
}

}  // namespace
}  // namespace opsight::importer::capture
