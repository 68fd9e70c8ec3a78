#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "base/test_sqlite.h"
#include "import/import.h"

namespace opsight::importer {
namespace {

class RocpdTest : public ::testing::Test {
  protected:
    Profile imported(const std::string& seed, const std::string& more = {}) {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/exports/" + seed);
        const std::string made = folder_.path() + "/run.db";
        testing::make_database(
            made, "BEGIN;" + std::string(std::istreambuf_iterator<char>(file), {}) + more + "COMMIT;");
        Result<Profile> profile = import_files({made});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string_view text(const Profile& p, StringId id) { return p.strings.view(id); }
    static size_t device_row(const Profile& p, std::string_view name) {
        return static_cast<size_t>(std::find_if(p.device.name.begin(), p.device.name.end(),
                                                [&](StringId id) { return text(p, id) == name; }) -
                                   p.device.name.begin());
    }
    static size_t host_row(const Profile& p, std::string_view name) {
        return static_cast<size_t>(std::find_if(p.host.name.begin(), p.host.name.end(),
                                                [&](StringId id) { return text(p, id) == name; }) -
                                   p.host.name.begin());
    }

    testing::TempFolder folder_;
};

TEST_F(RocpdTest, KernelsUnderTheirCallsAndOps) {
    const Profile p = imported("rocpd.sql");
    EXPECT_EQ(p.info.producer, "rocprofv3");
    EXPECT_EQ(p.ranks.at(0).host, "mi300-7");
    const size_t kernel = device_row(p, "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1");
    ASSERT_LT(kernel, p.device.size());
    EXPECT_EQ(p.device.dur[kernel], 3000);
    EXPECT_EQ(p.device.correlation[kernel], 101);
    const LaunchConfig& config = p.launch_configs[p.device.config[kernel].index()];
    EXPECT_EQ(config.grid[0] * 10 + config.grid[1], 82) << "blocks of 2048 and 2 threads";
    EXPECT_EQ(config.block[0], 256);
    EXPECT_EQ(config.static_shared_bytes, 16384);
    EXPECT_EQ(config.registers_per_thread, 96);
    EXPECT_EQ(p.launch_configs[p.device.config[device_row(p, "relu(float*)")].index()].grid[0], 4)
        << "1000 threads";
    EXPECT_EQ(text(p, p.tracks[p.device.track[kernel].index()].name), "Stream 1");
    const size_t op = host_row(p, "aten::mm");
    ASSERT_LT(op, p.host.size()) << "PyTorch's roctx ranges are ops";
    EXPECT_EQ(p.host.kind[op], HostKind::kOp);
    const size_t call = host_row(p, "hipLaunchKernel");
    ASSERT_LT(call, p.host.size());
    EXPECT_EQ(p.host.kind[call], HostKind::kRuntimeApi);
    EXPECT_EQ(text(p, p.tracks[p.host.track[call].index()].name), "main");
}

TEST_F(RocpdTest, CallsCopiesMarksAndTheMachine) {
    const Profile p = imported("rocpd.sql");
    EXPECT_EQ(p.host.kind[host_row(p, "hsa_signal_wait_scacquire")], HostKind::kDriverApi);
    EXPECT_EQ(p.host.kind[host_row(p, "ncclAllReduce")], HostKind::kLibrary);
    const size_t mark = host_row(p, "a mark");
    ASSERT_LT(mark, p.host.size());
    EXPECT_EQ(p.host.dur[mark], 0);
    const size_t moment = host_row(p, "HIP_RUNTIME_API");
    ASSERT_LT(moment, p.host.size());
    EXPECT_EQ(p.host.kind[moment], HostKind::kRuntimeApi) << "a call without duration is a sample";
    const auto copy = static_cast<size_t>(
        std::find(p.device.kind.begin(), p.device.kind.end(), DeviceKind::kMemcpy) - p.device.kind.begin());
    ASSERT_LT(copy, p.device.size());
    EXPECT_EQ(p.device.bytes[copy], 4096);
    EXPECT_EQ(p.device.correlation[copy], 103);
    EXPECT_EQ(p.transfers[p.device.transfer[copy].index()].copy, CopyKind::kHostToDevice);
    const auto device = std::find_if(p.devices.begin(), p.devices.end(),
                                     [](const Device& d) { return d.declared && d.number == 0; });
    ASSERT_NE(device, p.devices.end());
    EXPECT_EQ(device->name, "AMD Instinct MI300X");
    EXPECT_EQ(device->sm_count, 304);
    EXPECT_EQ(device->compute_major * 100 + device->compute_minor, 904);
    EXPECT_EQ(device->memory_bytes, 205520896000);
}

TEST_F(RocpdTest, WhatIsOddIsCounted) {
    const Profile p = imported("rocpd.sql");
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 3) << "an event, an agent, a kernel";
    EXPECT_LT(device_row(p, "(name lost)"), p.device.size());
    const std::pair<std::string, int64_t> unread("rocpd_pmc_event_0198aa_1f", 2);
    EXPECT_EQ(p.info.unread_tables, decltype(p.info.unread_tables){unread});
}

TEST_F(RocpdTest, TimesAndPlacesOfTheirOwn) {
    const Profile p = imported("rocpd_tracks.sql");
    ASSERT_EQ(p.ranks.size(), 2u) << "processes of one file";
    const size_t kernel = device_row(p, "k");
    ASSERT_LT(kernel, p.device.size());
    EXPECT_EQ(p.device.dur[kernel], 2000);
    EXPECT_EQ(p.device.correlation[kernel], 40);
    const Track& stream = p.tracks[p.device.track[kernel].index()];
    EXPECT_EQ(stream.context * 10 + stream.stream, 56);
    EXPECT_EQ(stream.pid, 500);
    const Track& thread = p.tracks[p.host.track[host_row(p, "hipLaunchKernel")].index()];
    EXPECT_EQ(thread.tid, 501);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1) << "a time that is nowhere";
    EXPECT_EQ(p.device.dur[device_row(p, "k2")], 1000);
}

// A name of the file's own that is no id gets into no statement.
TEST_F(RocpdTest, OddNamesOfTables) {
    const Profile p = imported("rocpd.sql",
                               "CREATE TABLE \"rocpd_string_x\"\"; DROP\" (id INT, string TEXT);"
                               "INSERT INTO \"rocpd_string_x\"\"; DROP\" VALUES (1, 'a');");
    EXPECT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 2);
}

TEST_F(RocpdTest, NothingRecordedIsSaid) {
    const std::string made = folder_.path() + "/empty.db";
    testing::make_database(
        made,
        "CREATE TABLE rocpd_string_1 (id INT, string TEXT);"
        "CREATE TABLE rocpd_info_agent_1 (id INT); CREATE TABLE rocpd_kernel_dispatch_1 (id INT)");
    const Result<Profile> profile = import_files({made});
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find("without a call, kernel or copy"), std::string::npos);
}

}  // namespace
}  // namespace opsight::importer
