#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "base/test_sqlite.h"
#include "import/import.h"
#include "import/nvprof/api_names.h"

namespace opsight::importer {
namespace {

class NvprofTest : public ::testing::Test {
  protected:
    std::string path(const std::string& more = {}) {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/exports/nvprof.sql");
        const std::string made = folder_.path() + "/run.nvvp";
        testing::make_database(
            made, "BEGIN;" + std::string(std::istreambuf_iterator<char>(file), {}) + more + "COMMIT;");
        return made;
    }
    Profile imported() {
        Result<Profile> profile = import_files({path()}, {}, &facts_);
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static size_t device_row(const Profile& p, std::string_view name) {
        for (size_t row = 0; row < p.device.size(); ++row)
            if (p.strings.view(p.device.name[row]) == name) return row;
        return SIZE_MAX;
    }
    static size_t host_row(const Profile& p, std::string_view name) {
        for (size_t row = 0; row < p.host.size(); ++row)
            if (p.strings.view(p.host.name[row]) == name) return row;
        return SIZE_MAX;
    }

    testing::TempFolder folder_;
    ImportFacts facts_;
};

TEST_F(NvprofTest, KernelsUnderTheirCalls) {
    const Profile p = imported();
    EXPECT_TRUE(p.info.origin_is_unix);
    EXPECT_EQ(p.info.origin_ns, 1583975501000000000);
    const size_t kernel = device_row(p, "void gemm<float>(float*, int)");
    ASSERT_LT(kernel, p.device.size());
    EXPECT_EQ(p.device.begin[kernel], 10000);
    EXPECT_EQ(p.device.dur[kernel], 2500);
    EXPECT_EQ(p.device.correlation[kernel], 10);
    const LaunchConfig& config = p.launch_configs[p.device.config[kernel].index()];
    EXPECT_EQ(config.grid[0] * 10 + config.grid[1], 6402);
    EXPECT_EQ(config.static_shared_bytes + config.dynamic_shared_bytes, 64);
    EXPECT_EQ(text(p, p.kernel_names.at(0).mangled), "_Z4gemmIfEvPT_i");
    const size_t call = host_row(p, "cudaLaunchKernel");
    ASSERT_LT(call, p.host.size());
    EXPECT_EQ(p.tracks[p.host.track[call].index()].tid, 3590305536) << "32 bits without a sign";
    EXPECT_EQ(text(p, p.tracks[p.host.track[call].index()].process_name), "python3 train.py");
    EXPECT_LT(host_row(p, "cuInit"), p.host.size()) << "of the driver";
}

TEST_F(NvprofTest, CopiesSetsWaitsAndOverhead) {
    const Profile p = imported();
    const size_t copy = device_row(p, "Memcpy PtoP (Device -> Device)"),
                 set = device_row(p, "Memset (Device)");
    ASSERT_LT(copy, p.device.size());
    EXPECT_EQ(p.device.bytes[copy], 4096);
    EXPECT_EQ(p.transfers[p.device.transfer[copy].index()].to_device, 1);
    ASSERT_LT(set, p.device.size());
    EXPECT_EQ(p.device.bytes[set], 168);
    EXPECT_LT(device_row(p, "Stream Sync"), p.device.size());
    EXPECT_EQ(p.host.kind[host_row(p, "Instrumentation")], HostKind::kOverhead);
    const Device& device = p.devices.at(0);
    EXPECT_EQ(device.name, "Tesla V100-SXM2-16GB");
    EXPECT_EQ(device.clock_hz, 1530000000);
    EXPECT_EQ(device.max_threads_per_sm, 2048);
    EXPECT_EQ(device.uuid, "00112233445566778899aabbccddeeff");
}

TEST_F(NvprofTest, MarkersBecomeRangesAndOps) {
    const Profile p = imported();
    const size_t op = host_row(p, "mm");
    ASSERT_LT(op, p.host.size());
    EXPECT_EQ(p.host.kind[op], HostKind::kOp);
    EXPECT_EQ(p.host.begin[op], 600);
    EXPECT_EQ(p.host.dur[op], 4500);
    EXPECT_EQ(p.op_details.sequence[p.host.detail[op]], 7);
    ASSERT_EQ(p.nvtx.size(), 4u);
    const size_t mark = host_row(p, "mark");
    ASSERT_LT(mark, p.host.size());
    for (size_t i = 0; i < p.nvtx.size(); ++i)
        if (p.nvtx.row[i] == mark) {
            const NvtxAttributes& a = p.nvtx_attributes[p.nvtx.attributes[i].index()];
            EXPECT_EQ(a.type, NvtxType::kMark);
            EXPECT_EQ(text(p, a.domain_name), "domain");
            EXPECT_EQ(a.category, 4);
        }
}

TEST_F(NvprofTest, WhatIsOddIsCounted) {
    const Profile p = imported();
    EXPECT_EQ(p.diagnostics.count(Diag::kUnfinishedSpan), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kEndWithoutBegin), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1) << "a call without a name";
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 1) << "a kernel without times";
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 1) << "metrics";
}

TEST_F(NvprofTest, NothingRecordedIsRefused) {
    std::string drop;
    for (const char* table : {"RUNTIME", "DRIVER", "CONCURRENT_KERNEL", "MEMCPY2", "MEMSET",
                              "SYNCHRONIZATION", "MARKER", "OVERHEAD"})
        drop += std::string("DELETE FROM CUPTI_ACTIVITY_KIND_") + table + ";";
    const Result<Profile> profile = import_files({path(drop)});
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find("nothing was recorded"), std::string::npos);
}

TEST(NvprofCalls, NumbersAndNames) {
    using nvprof::Api, nvprof::api_name;
    EXPECT_EQ(api_name(Api::kRuntime, 13), "cudaLaunch");
    EXPECT_EQ(api_name(Api::kRuntime, 211), "cudaLaunchKernel");
    EXPECT_EQ(api_name(Api::kDriver, 307), "cuLaunchKernel");
    for (const int64_t number : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{100000}, INT64_MAX})
        EXPECT_EQ(api_name(Api::kRuntime, number), "");
}

}  // namespace
}  // namespace opsight::importer
