#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

class OrtTest : public ::testing::Test {
  protected:
    static std::string seed() {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/onnxruntime.json");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("a.json", text)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }

    testing::TempFolder folder_;
};

TEST_F(OrtTest, NodesKernelsAndRuns) {
    for (const std::string& file : {seed(), testing::gzip(seed())}) {
        const Profile p = imported(file);
        EXPECT_EQ(p.info.producer, "ONNX Runtime");
        std::vector<std::string> names;
        for (size_t row = 0; row < p.host.size(); ++row)
            names.push_back(text(p, p.host.name[row]));
        EXPECT_EQ(names,
                  (std::vector<std::string>{"model_loading_uri", "session_initialization", "model_run#0",
                                            "SequentialExecutor::Execute", "CUDA::Conv", "Relu"}));
        const uint32_t op = p.host.detail[4];
        EXPECT_EQ(text(p, p.op_details.module_path[op]), "/l1/conv/Conv");
        const Signature& signature = p.signatures[p.op_details.signature[op].index()];
        EXPECT_EQ(text(p, signature.shapes), "[[1, 3, 8, 8], []]");
        EXPECT_EQ(text(p, signature.dtypes), R"(["float", "int64"])");
        EXPECT_EQ(text(p, signature.concrete), R"(["", "", "-> float[1, 4, 8, 8]"])");
        ASSERT_EQ(p.device.size(), 1u);
        EXPECT_EQ(p.device.dur[0], 9000);
        EXPECT_EQ(text(p, p.tracks[p.device.track[0].index()].name), "0x55d0") << "a stream's address";
        EXPECT_EQ(p.flows.size(), 1u) << "from the node that it stands behind";
    }
}

// What a run with profiling of its own writes: no session loads a model.
TEST_F(OrtTest, NodesAloneAreKnown) {
    const std::string all = seed();
    const Profile p = imported("[\n" + all.substr(all.find("{\"cat\": \"Node\"")));
    EXPECT_EQ(p.info.producer, "ONNX Runtime");
    EXPECT_EQ(p.diagnostics.count(Diag::kNothingKnown), 0);
}

// Nodes of a device without a kernel in the file: what the device did is not known.
TEST_F(OrtTest, DevicesWithoutKernelsAreUntold) {
    bool any = false;
    const auto untold = [&](const std::string& provider, bool kernels) {
        std::string text = seed();
        for (size_t at = 0; (at = text.find("CUDAExecutionProvider", at)) != text.npos; at += provider.size())
            text.replace(at, 21, provider);
        const size_t kernel = text.find("{\"cat\": \"Kernel\"");
        if (!kernels) text.erase(kernel, text.find('\n', kernel) + 1 - kernel);
        const ProfileInfo info = imported(text).info;
        any = has_limit(info, kUntoldKind);
        return has_limit(info, kDevicesOfSource);
    };
    EXPECT_FALSE(untold("CudaExecutionProvider", true)) << "its kernels are there";
    EXPECT_TRUE(untold("CUDAExecutionProvider", false) && !any);
    EXPECT_TRUE(untold("CoreMLExecutionProvider", false) && any) << "a GPU, a Neural Engine or the CPU";
    EXPECT_TRUE(untold("CudaExecutionProvider", false));
    EXPECT_TRUE(untold("DmlExecutionProvider", false));
    EXPECT_FALSE(untold("DnnlExecutionProvider", false)) << "computes on the CPU";
    EXPECT_FALSE(untold("", false)) << "not told";
}

TEST_F(OrtTest, OddEvents) {
    const auto replaced = [](const std::string& from, const std::string& to) {
        std::string text = seed();
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    EXPECT_EQ(
        imported(replaced("\"ts\": 150", "\"ts\": 9000000000000000000")).diagnostics.count(Diag::kBadTime),
        1);
    EXPECT_EQ(imported(replaced("\"dur\": 30", "\"dur\": -30")).diagnostics.count(Diag::kNegativeDuration),
              1);
    EXPECT_EQ(imported(replaced("_kernel_time", "_fence_before")).diagnostics.count(Diag::kUnknownCategory),
              0);
    EXPECT_EQ(imported(replaced("\"args\": {}", "\"args\": 3")).diagnostics.count(Diag::kBadEvent), 1);
    EXPECT_EQ(imported(replaced("Relu_1", "Relu\x01")).diagnostics.count(Diag::kUncleanText), 1);
    EXPECT_EQ(imported(seed().substr(0, 900)).diagnostics.count(Diag::kTruncatedInput), 1);
    EXPECT_EQ(imported(replaced("[1, 3, 8, 8]", "{\"a\": [[]]}")).diagnostics.count(Diag::kBadEvent), 0);
    const Result<Profile> none =
        import_files({folder_.write("b.json", "[\"Session\", \"session_initialization\"]")});
    EXPECT_FALSE(none);
}

}  // namespace
}  // namespace opsight::importer
