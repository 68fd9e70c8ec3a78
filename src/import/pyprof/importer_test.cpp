#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

class PyProfTest : public ::testing::Test {
  protected:
    static std::string seed(const std::string& name) {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("net.dict", text)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }

    testing::TempFolder folder_;
};

TEST_F(PyProfTest, KernelsUnderTheirCalls) {
    const Profile p = imported(seed("pyprof.dict"));
    EXPECT_TRUE(has_durations_only(p.info));
    EXPECT_TRUE(has_limit(p.info, kHostOfSource));
    ASSERT_EQ(p.device.size(), 4u);
    EXPECT_EQ(text(p, p.device.name[0]), "void sgemm<float>(float*)");
    EXPECT_EQ(p.devices.at(0).name, "NVIDIA GPU")
        << "so the names of kernels tell whether they use Tensor Cores";
    EXPECT_EQ(p.device.dur, (std::vector<int64_t>{5000, 1000, 7000, 900}));
    EXPECT_EQ(p.device.begin, (std::vector<int64_t>{0, 5000, 6000, 13000})) << "one behind the other";
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0] * 1000 + config.block[0], 4128);
    ASSERT_EQ(p.host.size(), 2u) << "two kernels of one call; one of the backward pass; one of none";
    EXPECT_EQ(text(p, p.host.name[0]), "torch.nn.functional.linear");
    EXPECT_EQ(text(p, p.host.name[1]), "MmBackward") << "the node of autograd that has the number";
    EXPECT_EQ(p.op_details.sequence, (std::vector<int64_t>{5, 5}));
    EXPECT_EQ(text(p, p.op_details.module_path[0]), "net/fc");
    EXPECT_EQ(text(p, p.op_details.stack[0]), "train.py:9\nnet.py:3");
    EXPECT_EQ(text(p, p.signatures[p.op_details.signature[0].index()].shapes), "[[8, 4], [2, 4], []]");
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1) << "the line that breaks off";
}

TEST_F(PyProfTest, RepairedTextIsCounted) {
    std::string dict = seed("pyprof.dict");
    const Profile whole = imported(dict);
    EXPECT_EQ(whole.diagnostics.count(Diag::kUncleanText), 0);
    const size_t at = dict.find("void sgemm");
    ASSERT_NE(at, dict.npos);
    dict[at + 5] = '\xff';
    const Profile p = imported(dict);
    EXPECT_EQ(text(p, p.device.name[0]), "void ?gemm<float>(float*)");
    EXPECT_EQ(p.diagnostics.count(Diag::kUncleanText), 1);
}

TEST_F(PyProfTest, TheTableHasWork) {
    const Profile p = imported(seed("pyprof.csv"));
    ASSERT_EQ(p.device.size(), 3u);
    ASSERT_EQ(p.told_ops.size(), 2u) << "of what no op is told, there is none";
    const ToldOp& linear = p.told_ops[p.told_work.op[0].index()];
    EXPECT_EQ(text(p, linear.name), "torch.nn.functional.linear");
    EXPECT_EQ(linear.flops, 128);
    EXPECT_EQ(linear.bytes, 352);
    EXPECT_TRUE(linear.is_product);
    const ToldOp& relu = p.told_ops[p.told_work.op[1].index()];
    EXPECT_EQ(text(p, relu.name), "Tensor.relu_backward");
    EXPECT_FALSE(relu.is_product);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1) << "a time that is none";
}

// Names of the table have no arguments, so they tell less than its column of Tensor Cores.
TEST_F(PyProfTest, TheTableTellsWhichKernelsUseNoTensorCores) {
    const Profile p = imported(
        "\"Kernel\",\"Module\",\"Op\",\"Direction\",\"Sil(ns)\",\"TC\",\"FLOPs\",\"Bytes\"\n"
        "\"elementwise_kernel\",\"torch\",\"add\",\"fprop\",\"10\",\"-\",\"1\",\"1\"\n"
        "\"reduce_kernel\",\"na\",\"sum\",\"bprop\",\"10\",\"na\",\"0\",\"0\"\n"
        "\"some_gemm\",\"torch\",\"mm\",\"fprop\",\"10\",\"0\",\"1\",\"1\"\n"
        "\"some_gemm\",\"torch\",\"mm\",\"fprop\",\"10\",\"1\",\"1\",\"1\"\n"
        "\"untold\",\"torch\",\"mm\",\"fprop\",\"10\",\"\",\"1\",\"1\"\n");
    std::vector<std::string> without;
    for (const StringId name : p.kernels_without_tc)
        without.push_back(text(p, name));
    std::sort(without.begin(), without.end());
    EXPECT_EQ(without, (std::vector<std::string>{"elementwise_kernel", "reduce_kernel"}));
}

TEST_F(PyProfTest, NothingIsEvaluated) {
    const std::string call = "{'kShortName': __import__('os').getpid(), 'kDuration': 1}\n";
    const Result<Profile> profile = import_files({folder_.write("net.dict", call)});
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find("without a kernel"), std::string::npos);
}

}  // namespace
}  // namespace opsight::importer
