#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "base/test_sqlite.h"
#include "import/import.h"

namespace opsight::importer {
namespace {

class RpdTest : public ::testing::Test {
  protected:
    RpdTest() {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/exports/rpd.sql");
        const std::string made = folder_.path() + "/trace.rpd";
        testing::make_database(made,
                               "BEGIN;" + std::string(std::istreambuf_iterator<char>(file), {}) + "COMMIT;");
        Result<Profile> profile = import_files({made});
        EXPECT_TRUE(profile) << profile.error().message();
        if (profile) p_ = std::move(profile).value();
    }
    std::string_view text(StringId id) const { return p_.strings.view(id); }
    // The rows of device work of a kind.
    std::vector<size_t> rows_of(DeviceKind kind) const {
        std::vector<size_t> rows;
        for (size_t row = 0; row < p_.device.size(); ++row)
            if (p_.device.kind[row] == kind) rows.push_back(row);
        return rows;
    }

    testing::TempFolder folder_;
    Profile p_;
};

TEST_F(RpdTest, KernelsOfTheirCallsAndProcesses) {
    EXPECT_EQ(p_.info.producer, "rocmProfileData");
    EXPECT_EQ(p_.ranks.size(), 2u);
    const std::vector<size_t> kernels = rows_of(DeviceKind::kKernel);
    ASSERT_EQ(kernels.size(), 3u);
    const auto gemm = std::find_if(kernels.begin(), kernels.end(), [&](size_t row) {
        return text(p_.device.name[row]) == "Cijk_Ailk_Bljk_HHS_BH_MT64x64x32";
    });
    ASSERT_NE(gemm, kernels.end());
    EXPECT_EQ(p_.device.dur[*gemm], 4000);
    EXPECT_EQ(p_.device.correlation[*gemm], 2);
    const LaunchConfig& config = p_.launch_configs[p_.device.config[*gemm].index()];
    EXPECT_EQ(config.grid[0] * 10 + config.grid[1], 42) << "1024 and 2 threads";
    const auto other = std::find_if(kernels.begin(), kernels.end(),
                                    [&](size_t row) { return p_.device.correlation[row] == 5; });
    ASSERT_NE(other, kernels.end());
    EXPECT_EQ(p_.launch_configs[p_.device.config[*other].index()].grid[0], 10) << "blocks";
    EXPECT_NE(p_.tracks[p_.device.track[*other].index()].rank,
              p_.tracks[p_.device.track[*gemm].index()].rank);
}

TEST_F(RpdTest, CopiesFillsAndMarkers) {
    const std::vector<size_t> copies = rows_of(DeviceKind::kMemcpy);
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(p_.device.bytes[copies[0]], 65536);
    EXPECT_EQ(p_.transfers[p_.device.transfer[copies[0]].index()].copy, CopyKind::kHostToDevice);
    EXPECT_EQ(rows_of(DeviceKind::kMemset).size(), 1u);
    EXPECT_EQ(rows_of(DeviceKind::kOther).size(), 1u) << "a marker of the queue is no kernel";
    const bool has_op = std::any_of(p_.host.name.begin(), p_.host.name.end(),
                                    [&](StringId id) { return text(id) == "aten::mm"; });
    EXPECT_TRUE(has_op) << "PyTorch's roctx ranges are ops";
}

TEST_F(RpdTest, CallsOfCudaAreCalls) {
    const auto kind = [&](std::string_view name) {
        for (size_t row = 0; row < p_.host.size(); ++row)
            if (text(p_.host.name[row]) == name) return p_.host.kind[row];
        return HostKind::kOther;
    };
    EXPECT_EQ(kind("cudaLaunchKernel_v7000"), HostKind::kRuntimeApi);
    EXPECT_EQ(kind("cuLaunchKernel"), HostKind::kDriverApi);
}

// A file of schema 2 has one list of texts.
TEST_F(RpdTest, ArgumentsOfOlderFiles) {
    testing::make_database(folder_.path() + "/old.rpd",
                           "ATTACH '" + folder_.path() +
                               "/trace.rpd' AS now;"
                               "CREATE TABLE rocpd_string AS SELECT * FROM now.rocpd_string WHERE id <> 3;"
                               "INSERT INTO rocpd_string SELECT * FROM now.rocpd_ustring;"
                               "CREATE TABLE rocpd_api AS SELECT * FROM now.rocpd_api;"
                               "CREATE TABLE rocpd_op AS SELECT * FROM now.rocpd_op;");
    const Result<Profile> old = import_files({folder_.path() + "/old.rpd"});
    ASSERT_TRUE(old) << old.error().message();
    EXPECT_TRUE(std::any_of(old->host.name.begin(), old->host.name.end(),
                            [&](StringId id) { return old->strings.view(id) == "aten::mm"; }));
}

TEST_F(RpdTest, WhatIsOddIsCounted) {
    EXPECT_EQ(p_.diagnostics.count(Diag::kDanglingId), 3)
        << "a name, and work of two ranks' device that no call asked for, twice";
    const std::pair<std::string, int64_t> unread("rocpd_monitor", 1);
    EXPECT_EQ(p_.info.unread_tables, decltype(p_.info.unread_tables){unread});
}

}  // namespace
}  // namespace opsight::importer
