// Exports of runs under DLProf: its marks, and the table that it adds.
#include <gtest/gtest.h>

#include <map>

#include "base/test_files.h"
#include "import/import.h"
#include "import/nsys/test_export.h"

namespace opsight::importer {
namespace {

using namespace testing;

Profile imported(const std::string& sql) {
    const TempFolder folder;
    const std::string path = folder.path() + "/report.sqlite";
    make_database(path, sql);
    Result<Profile> profile = import_files({path});
    EXPECT_TRUE(profile.has_value()) << profile.error().message();
    return profile ? std::move(*profile) : Profile();
}

TEST(DlprofExport, OpsInsideAMarkedCallHaveItsShapes) {
    const std::string mark =
        "{''mod'': ''torch'', ''op'': ''conv2d'', ''args'': [{''name'': '''', ''type'': ''tensor'', "
        "''shape'': (8, 3, "
        "32, 32), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (6, 3, 3, 3), "
        "''dtype'': "
        "''float32''}]}";
    const Profile p =
        imported(kTables + range(100, "300", 59, mark) + range(110, "290", 59, "aten::conv2d, seq = 1") +
                 range(120, "280", 59, "aten::cudnn_convolution") +
                 range(130, "140", 59, "aten::empty, seq = 1") + range(400, "450", 59, "aten::mm, seq = 2"));
    const auto shapes = [&](std::string_view op) {
        const SignatureId id = p.op_details.signature[p.host.detail[row_of(p, op)]];
        return id.valid() ? p.strings.view(p.signatures[id.index()].shapes) : std::string_view("none");
    };
    EXPECT_EQ(shapes("aten::conv2d"), "[[8, 3, 32, 32], [6, 3, 3, 3]]");
    EXPECT_EQ(shapes("aten::cudnn_convolution"), "[[8,3,32,32],[6,3,3,3]]");
    EXPECT_EQ(shapes("aten::empty"), "none");
    EXPECT_EQ(shapes("aten::mm"), "none");
}

TEST(DlprofExport, SystemInfoOfDlprofComesFirst) {
    const Profile p = imported(
        kTables +
        "CREATE TABLE SystemInfo (gpuCount INT, driverVersion TEXT, cudaVersion TEXT, cudnnVersion TEXT, "
        "framework TEXT, nsysVersion TEXT, cpuModel TEXT);"
        "INSERT INTO SystemInfo VALUES (2, '515.43.04', '11.7', '', 'PyTorch 1.10.1+cu102', '2021.5.1', "
        "'a "
        "cpu');"
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CudaDriverVersion', '11070'), ('CpuDescription', "
        "'another');" +
        call(100, 110, 7, 1));
    EXPECT_EQ(p.info.frameworks, std::vector<std::string>{"PyTorch 1.10.1+cu102"});
    std::map<std::string, std::string> facts(p.info.properties.begin(), p.info.properties.end());
    EXPECT_EQ(facts["cuda_version"], "11.7");
    EXPECT_EQ(facts["driver_version"], "515.43.04");
    EXPECT_EQ(facts["nsys_version"], "2021.5.1");
    EXPECT_EQ(facts["cpu_model"], "a cpu");
    EXPECT_EQ(facts["dlprof_gpu_count"], "2");
    EXPECT_FALSE(facts.contains("cudnn_version"));
    EXPECT_EQ(facts["source.api_names"], "cudaLaunchKernel_v7000");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 0);
}

}  // namespace
}  // namespace opsight::importer
