#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/test_files.h"
#include "import/dlprof/database.h"
#include "import/dlprof/test_database.h"
#include "import/import.h"
#include "import/nsys/test_export.h"

namespace opsight::importer {
namespace {

using namespace opsight::testing;

class DlprofTest : public ::testing::Test {
  protected:
    std::string path(const std::string& sql) {
        const std::string file = folder_.path() + "/dlprof_dldb.sqlite";
        std::filesystem::remove(file);
        make_database(file, dlprof_sql(sql));
        return file;
    }
    Profile imported(const std::string& sql) {
        Result<Profile> profile = import_files({path(sql)}, {}, &facts_);
        EXPECT_TRUE(profile) << profile.error().what;
        return std::move(profile).value();
    }
    std::string refused(const std::string& sql) {
        const Result<Profile> profile = import_files({path(sql)}, {});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static std::string property(const Profile& p, const std::string& key) {
        for (const auto& [name, value] : p.info.properties)
            if (name == key) return value;
        return "(none)";
    }
    static std::vector<size_t> rows(const Profile& p, HostKind kind) {
        std::vector<size_t> found;
        for (size_t row = 0; row < p.host.size(); ++row)
            if (p.host.kind[row] == kind) found.push_back(row);
        return found;
    }

    TempFolder folder_;
    ImportFacts facts_;
};

TEST_F(DlprofTest, ReadsOpsWithTheirFacts) {
    const Profile p = imported({});
    const std::vector<size_t> ops = rows(p, HostKind::kOp);
    ASSERT_EQ(ops.size(), 3u);
    const size_t first = ops[0];
    const uint32_t detail = p.host.detail[first];
    EXPECT_EQ(text(p, p.host.name[first]), "conv2d");
    EXPECT_EQ(text(p, p.op_details.module_path[detail]), "Net");
    EXPECT_EQ(text(p, p.op_details.stack[detail]), "train.py:3\nnet.py:7");
    const Signature& signature = p.signatures[p.op_details.signature[detail].index()];
    EXPECT_EQ(text(p, signature.shapes), "[[1, 3, 32, 32], [6, 3, 3, 3]]");
    EXPECT_EQ(text(p, signature.dtypes), "[\"float32\"]");
    EXPECT_EQ(p.host.dur[first], 200000);
    EXPECT_EQ(p.tracks[p.host.track[first].index()].pid, 77);
    EXPECT_EQ(p.tracks[p.host.track[first].index()].tid, 78);
    // Directions: forward threads stand for the backward ones.
    size_t backward = 0;
    for (const size_t row : ops)
        backward += p.op_details.forward_thread[p.host.detail[row]] > 0;
    EXPECT_EQ(backward, 1u);
}

TEST_F(DlprofTest, KeepsWhatIdentifiesAnOpInDlprof) {
    const Profile p = imported({});
    ASSERT_EQ(p.nvtx.size(), 3u);
    EXPECT_EQ(text(p, p.nvtx.text[0]), "/module/Net::_call_impl/Net::forward/conv2d");
    ASSERT_EQ(p.nvtx_payloads.size(), 4u);
    EXPECT_EQ(text(p, p.nvtx_payloads[0].text),
              R"({"op_id":"CONV2D_1","op_type":"conv2d","direction":"fprop","data_type":"float32",)"
              R"("tc_support_status":0,"stack":"train.py:3\nnet.py:7",)"
              R"("input_shapes":"[[1,3,32,32],[6,3,3,3]]","input_letters":"N,C,H,W;K,C,R,S",)"
              R"("parameters":"[[1,1],[0,0],[1,1],[1]]","parameter_letters":"SH,SW;PH,PW;DH,DW;G",)"
              R"("output_shapes":"[[1,6,30,30]]","output_letters":"N,K,P,Q"})");
}

TEST_F(DlprofTest, APseudoOpIsItsCall) {
    const Profile p = imported({});
    size_t found = 0;
    for (const NvtxPayload& payload : p.nvtx_payloads) {
        if (p.host.kind[payload.row] != HostKind::kRuntimeApi) continue;
        ++found;
        EXPECT_EQ(text(p, p.host.name[payload.row]), "cudaMemcpy");
        EXPECT_EQ(p.host.dur[payload.row], 10000);
        EXPECT_NE(text(p, payload.text).find(R"("op_id":"CUDAMEMCPY_V3020_1")"), std::string::npos);
        EXPECT_NE(text(p, payload.text).find(R"("op_name":"unassociated_cudaMemcpy_v3020")"),
                  std::string::npos);
    }
    EXPECT_EQ(found, 1u);
}

TEST_F(DlprofTest, ReadsWorkWithItsCalls) {
    const Profile p = imported({});
    ASSERT_EQ(p.device.size(), 6u);  // four kernels, a copy, a set
    EXPECT_EQ(text(p, p.device.name[0]), "void fast<float>(int)");
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[1], 4);
    EXPECT_EQ(config.block[0], 128);
    // Kernels, copy, set, wait, and a call of its own.
    EXPECT_EQ(rows(p, HostKind::kRuntimeApi).size(), 8u);
    std::multiset<std::string> names;
    for (const size_t row : rows(p, HostKind::kRuntimeApi))
        names.insert(text(p, p.host.name[row]));
    EXPECT_EQ(names, (std::multiset<std::string>{"(kernel launch)", "(kernel launch)", "(kernel launch)",
                                                 "(kernel launch)", "cudaFuncGetAttributes", "cudaMemcpy",
                                                 "cudaMemsetAsync", "cudaStreamSynchronize"}));
    EXPECT_EQ(property(p, "source.api_names"),
              "cudaFuncGetAttributes_v3020\ncudaMemcpy_v3020\ncudaMemsetAsync_v3020\n"
              "cudaStreamSynchronize_v3020");
    EXPECT_EQ(property(p, "source.tc_kernels"), "void fast<float>(int)");
    EXPECT_EQ(p.diagnostics.count(Diag::kExternalIdDisagrees), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kUncleanText), 0);
}

TEST_F(DlprofTest, ReadsTheMachineAndTheFindingsOfTheLatestAggregation) {
    const Profile p = imported({});
    EXPECT_EQ(p.info.producer, "DLProf 1.8.0");
    EXPECT_EQ(p.info.frameworks, std::vector<std::string>{"PyTorch"});
    EXPECT_EQ(property(p, "cpu_model"), "a cpu");
    EXPECT_EQ(property(p, "nsys_version"), "2021.4");
    EXPECT_EQ(property(p, "model_num_workers"), "4");
    EXPECT_EQ(property(p, "dlprof_key_op"), "CONV2D_2");
    EXPECT_EQ(property(p, "dlprof_problem_1"), "2 ops were eligible");
    EXPECT_EQ(property(p, "dlprof_recommendation_1"), "Try AMP");
    EXPECT_EQ(property(p, "dlprof_problem_2"), "(none)");
    ASSERT_EQ(p.devices.size(), 2u);  // one of them idle
    EXPECT_EQ(p.devices[0].name, "Tesla T4");
    EXPECT_EQ(p.devices[0].compute_major, 7);
    EXPECT_EQ(p.devices[0].memory_bytes, 16000000000);
    EXPECT_EQ(p.devices[1].memory_bytes, 15000000000);
    EXPECT_EQ(property(p, "dlprof_gpu_memory_pct"), "23");  // of the fuller one, cut off
    const Profile again = imported("UPDATE gpu_memories SET total = 0, used = 0;");
    EXPECT_EQ(again.devices[0].memory_bytes, 0);
    EXPECT_EQ(property(again, "dlprof_gpu_memory_pct"), "(none)");
}

TEST_F(DlprofTest, IterationsAreThoseOfTheLatestAggregation) {
    const Profile p = imported({});
    const std::vector<size_t> steps = rows(p, HostKind::kAnnotation);
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(text(p, p.host.name[steps[1]]), "DLProf iteration #1");
    EXPECT_EQ(p.host.dur[steps[0]], 340000);
    EXPECT_EQ(p.host.begin[steps[1]] - p.host.begin[steps[0]], 340000);
    // One iteration says that there was no key op.
    const Profile none = imported("DELETE FROM iteration_list WHERE aggr_id = 2;");
    EXPECT_TRUE(rows(none, HostKind::kAnnotation).empty());
}

TEST_F(DlprofTest, OldVersionsLackColumnsAndTables) {
    const Profile p = imported(kAsIn12);
    EXPECT_EQ(p.info.producer, "DLProf 1.2.0");
    EXPECT_EQ(rows(p, HostKind::kOp).size(), 3u);
    EXPECT_EQ(p.device.size(), 6u);
    EXPECT_EQ(property(p, "model_num_workers"), "(none)");
}

TEST_F(DlprofTest, RefusesVersionsThatItDoesNotKnow) {
    EXPECT_NE(refused(dlprof_version("1.1.9")).find("DLProf 1.1.9"), std::string::npos);
    EXPECT_NE(refused(dlprof_version("2.0.0")).find("DLProf 2.0.0"), std::string::npos);
    EXPECT_NE(refused(dlprof_version("new")).find("does not tell its version"), std::string::npos);
    EXPECT_NE(refused("DROP TABLE db_version;").find("does not tell its version"), std::string::npos);
    EXPECT_NE(refused("DROP TABLE read_only_ops;").find("table read_only_ops"), std::string::npos);
}

TEST_F(DlprofTest, CountsWhatPointsNowhere) {
    const Profile p = imported(
        "INSERT INTO read_only_op_instances (read_only_ops_id, cpu_start, cpu_stop) VALUES (99, 1, 2);"
        "INSERT INTO read_only_kernels (read_only_ops_id, name_id, api_start, api_stop, gpu_start, gpu_stop, "
        "process_id, thread_id) VALUES (99, 98, 5, 6, 7, 8, 77, 78), (1, 7, 900000, 900001, 900002, 900003, "
        "77, "
        "78), (1, 7, 1, 2, NULL, 4, 77, 78);"
        "UPDATE dictionary SET string = '[[1,-3]]' WHERE id = 6;"
        "CREATE TABLE new_table (a INT); INSERT INTO new_table VALUES (1);");
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 3);  // an instance's op, a kernel's op, its name
    EXPECT_EQ(p.diagnostics.count(Diag::kExternalIdDisagrees), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadHeader), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 1);
    EXPECT_EQ(p.device.size(), 8u);
}

TEST_F(DlprofTest, BesideItsExportTheExportIsRead) {
    path({});
    make_database(folder_.path() + "/nsys_profile.sqlite", kTables);
    const Result<Profile> profile = import_files({folder_.path()}, {});
    ASSERT_TRUE(profile) << profile.error().message();
    EXPECT_EQ(profile->diagnostics.count(Diag::kSkippedFile), 1);
    EXPECT_EQ(profile->info.sources, std::vector<std::string>{folder_.path() + "/nsys_profile.sqlite"});
}

TEST(DlprofShapes, AreReadFromJson) {
    EXPECT_EQ(dlprof::plain_shapes("[[1,3],[6]]\n"), "[[1, 3], [6]]");
    EXPECT_EQ(dlprof::plain_shapes("[[]]"), "[[]]");
    EXPECT_EQ(dlprof::plain_shapes("null"), "");
    for (const char* odd : {"", "N:1", "[1]", "[[-1]]", "[[1]", "[[1.5]]", "{}", "[[\"1\"]]"})
        EXPECT_EQ(dlprof::plain_shapes(odd), std::nullopt) << odd;
}

}  // namespace
}  // namespace opsight::importer
