#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "import/tensorrt/layer_names.h"
#include "model/engine_paths.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

using tensorrt::Layer;

class TensorRtTest : public ::testing::Test {
  protected:
    static std::string seed(const char* name) {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/tensorrt_" + std::string(name) + ".json");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::vector<std::string>& paths) {
        Result<Profile> profile = import_files(paths);
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string error_of(const std::vector<std::string>& paths) {
        const Result<Profile> profile = import_files(paths);
        return profile ? std::string() : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static std::string name(const Profile& p, size_t op) { return text(p, p.host.name[op]); }
    static std::string path(const Profile& p, size_t op) {
        return text(p, p.op_details.module_path[p.host.detail[op]]);
    }
    static const Signature& signature(const Profile& p, size_t op) {
        return p.signatures[p.op_details.signature[p.host.detail[op]].index()];
    }

    testing::TempFolder folder_;
};

TEST_F(TensorRtTest, LayersAreOpsWithTheAveragesAsTheirWork) {
    folder_.write("e/net.onnx.engine.profile.json", seed("times"));
    folder_.write("e/net.onnx.engine.graph.json", seed("layers"));
    folder_.write("e/net.onnx.engine.timing.json", seed("runs"));
    folder_.write("e/net.onnx.engine.profile.metadata.json",
                  R"({"performance_summary": {"Throughput": 1155.36, "Latency": [1, 5, 2, 2.5, 4]},
                      "device_information": {"Selected Device": "NVIDIA A100 80GB PCIe", "Compute Capability": 8.0,
                      "SMs": 108.0, "Compute Clock Rate": 1.41, "Memory Bus Width": 5120.0,
                      "Memory Clock Rate": 1.512}})");
    const Profile p = imported({folder_.path() + "/e"});
    ASSERT_EQ(p.host.size(), 5u);
    EXPECT_EQ(name(p, 0), "trt::reformat");
    EXPECT_EQ(name(p, 1), "trt::convolution");
    EXPECT_EQ(path(p, 1), "/conv1/Conv") << "of what it is made of, the most of the work";
    EXPECT_EQ(path(p, 2), "Conv_12");
    EXPECT_EQ(name(p, 3), "trt::layer") << "names only";
    EXPECT_EQ(name(p, 4), "trt::max_pooling");
    EXPECT_EQ(text(p, signature(p, 1).shapes), "[[32, 3, 224, 224], [64, 3, 7, 7], [64], [], [], [], []]");
    EXPECT_EQ(text(p, signature(p, 1).dtypes), R"(["c10::Half", "c10::Half", "c10::Half", "", "", "", ""])");
    EXPECT_NE(text(p, signature(p, 1).concrete)
                  .find(R"("[2, 2]", "[3, 3]", "[1, 1]", "1", "made of /conv1/Conv, )"),
              std::string::npos);
    EXPECT_EQ(text(p, signature(p, 2).shapes), "[[32, 64, 112, 112], [64, 1, 3, 3], [], [], [], [], []]");
    EXPECT_EQ(text(p, signature(p, 4).shapes), "[[32, 64, 112, 112], []]");
    EXPECT_TRUE(text(p, signature(p, 4).concrete).starts_with(R"(["", "[3, 3]", "-> int8[32, 64, 56, 56]")"));
    ASSERT_EQ(p.device.size(), 4u) << "a layer of no time has no work";
    EXPECT_EQ(p.device.dur[1], 120001);
    EXPECT_EQ(p.device.begin[1], 60000);
    EXPECT_TRUE(text(p, p.device.name[1]).starts_with("sm80_xmma_fprop"));
    EXPECT_EQ(text(p, p.device.name[2]), "trt::convolution") << "no kernel is named";
    EXPECT_TRUE(has_durations_only(p.info));
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 2) << "a layer and an inference without a time";
    EXPECT_EQ(p.counters.size(), 4u * 3) << "what the inferences took";
    EXPECT_EQ(p.devices[0].sm_count, 108);
    EXPECT_EQ(p.devices[0].memory_bandwidth, 1935360000000);
    EXPECT_EQ(p.ranks[0].source, "net.onnx.engine");
    bool summary = false, averages = false;
    for (const auto& [key, value] : p.info.properties) {
        summary |=
            key == "trtexec Latency" && value == "min 1 ms, max 5 ms, mean 2 ms, median 2.5 ms, p99 4 ms";
        averages |= key == kHostOfSource && value.find("averages of 20 passes") != std::string::npos;
    }
    EXPECT_TRUE(summary);
    EXPECT_TRUE(averages);
}

TEST_F(TensorRtTest, InferencesAloneHaveTheirTimes) {
    const Profile p = imported({folder_.write("times.json", seed("runs"))});
    ASSERT_EQ(p.host.size(), 5u) << "a call each, and a marker but for the last, whose end is not told";
    EXPECT_EQ(name(p, 0), "model_run#0");
    EXPECT_EQ(name(p, 2), "model_run#1");
    EXPECT_EQ(p.host.dur[0], 3586350 - 2673330) << "until the next one, in the order of time";
    EXPECT_EQ(p.info.origin_ns, 2500000);
    EXPECT_EQ(p.device.size(), 5u);
    int64_t computed = 0;
    for (size_t i = 0; i < p.device.size(); ++i)
        if (p.device.kind[i] == DeviceKind::kGraph) computed += p.device.dur[i];
    EXPECT_EQ(computed, 873472 + 2 * 843776);
    EXPECT_FALSE(has_durations_only(p.info));
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
}

TEST_F(TensorRtTest, TimesWithoutDescriptions) {
    const Profile p = imported({folder_.write("profile.json", seed("times"))});
    ASSERT_EQ(p.host.size(), 5u);
    EXPECT_EQ(name(p, 1), "trt::layer");
    EXPECT_EQ(path(p, 1), "/conv1/Conv");
    EXPECT_EQ(text(p, p.device.name[1]), "trt::layer");
}

TEST_F(TensorRtTest, FilesThatDoNotFitAreRefused) {
    const std::string times = folder_.write("a/x.json", seed("times"));
    EXPECT_NE(error_of({times, folder_.write("a/y.json", seed("times"))}).find("and so does"),
              std::string::npos);
    EXPECT_NE(error_of({folder_.write("l.json", seed("layers"))}).find("--exportProfile"), std::string::npos);
    EXPECT_NE(error_of({folder_.write("d.json",
                                      R"([{"Name": "A", "ComputeCapability": [8, 0], "TotalMemory": 1}])")})
                  .find("no times"),
              std::string::npos);
    const std::string cut = seed("times").substr(0, 400);
    EXPECT_NE(error_of({folder_.write("cut.json", cut)}).find("breaks off"), std::string::npos);
    EXPECT_NE(error_of({folder_.write("none.json", R"([{"count": 3}, {"timeMs": 1, "averageMs": "x"}])")})
                  .find("no times"),
              std::string::npos);
}

TEST_F(TensorRtTest, EnginesOfAFolderAreRanks) {
    folder_.write("r/a.engine.profile.json", seed("times"));
    folder_.write("r/b.engine.profile.json", seed("times"));
    folder_.write("r/c.engine.graph.json", seed("layers"));
    const Profile p = imported({folder_.path() + "/r"});
    EXPECT_EQ(p.ranks.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kSkippedFile), 1) << "descriptions without times";
}

TEST(TensorRtNames, Origins) {
    const auto origins = [](const char* name) { return tensorrt::origins_of({.name = name}); };
    using Names = std::vector<std::string>;
    EXPECT_EQ(origins("a/Conv2D + b/Relu"), (Names{"a/Conv2D", "b/Relu"}));
    EXPECT_EQ(origins("PWN(PWN(x + y) + z)"), (Names{"x", "y", "z"}));
    EXPECT_EQ(origins("PWN(PWN(/act/Sigmoid), /act/Mul)"), (Names{"/act/Sigmoid", "/act/Mul"}));
    EXPECT_EQ(origins("a/conv + a/relu || b/conv"), (Names{"a/conv", "a/relu", "b/conv"}));
    EXPECT_EQ(origins("Reformatting CopyNode for Input Tensor 0 to a + b"), Names());
    EXPECT_EQ(origins("a/conv + a/relu input reformatter 0"), Names());
    EXPECT_EQ(origins(""), Names());
    EXPECT_EQ(origins("))) + ((("), (Names{"))) + ((("}));
    const Layer quantized{.name = "w.weight + QuantizeLinear_1 + Conv_2"};
    EXPECT_EQ(engine_path(quantized.name, tensorrt::origins_of(quantized)), "Conv_2");
    const Layer only{.name = "QuantizeLinear_2"};
    EXPECT_EQ(engine_path(only.name, tensorrt::origins_of(only)), "QuantizeLinear_2");
    const Layer reformats{.name = "a/w.weight + a/conv + a/relu || b/conv output reformatter 12"};
    EXPECT_EQ(engine_path(reformats.name), "a:conv || b:conv output reformatter 12") << "TensorRT before 8.2";
    EXPECT_EQ(tensorrt::op_name(reformats), "trt::reformat");
    std::string many = "conv";
    for (int i = 0; i < 200'000; ++i)
        many += " input reformatter 0";
    EXPECT_EQ(engine_path(many), many) << "of the last one alone";
    std::string wrapped = "x";
    for (int i = 0; i < 200'000; ++i)
        wrapped = "P(" + std::move(wrapped) + ")";
    EXPECT_EQ(origins(wrapped.c_str()).size(), 1U) << "brackets without end are no reason to go on";
    EXPECT_EQ(tensorrt::op_name({.name = "conv input reformatter"}), "trt::layer");
    EXPECT_EQ(tensorrt::op_name({.name = "7"}), "trt::layer");
    EXPECT_EQ(tensorrt::op_name({.name = "651 copy"}), "trt::copy");
    EXPECT_EQ(tensorrt::op_name({.name = "m", .type = "CudaSoftMax", .computes = "SoftMax"}),
              "trt::soft_max");
    EXPECT_EQ(tensorrt::op_name({.name = "m", .type = "MatrixMultiply"}), "trt::matrix_multiply");
}

}  // namespace
}  // namespace opsight::importer
