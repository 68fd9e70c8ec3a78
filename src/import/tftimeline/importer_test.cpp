#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "import/tftimeline/rows.h"

namespace opsight::importer {
namespace {

using tftimeline::row_of, tftimeline::RowKind;

class TfTimelineTest : public ::testing::Test {
  protected:
    static std::string seed() {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/tensorflow_timeline.json");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("a.json", text)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static std::vector<std::string> names(const Profile& p, HostKind kind) {
        std::vector<std::string> out;
        for (size_t row = 0; row < p.host.size(); ++row)
            if (p.host.kind[row] == kind) out.push_back(text(p, p.host.name[row]));
        std::sort(out.begin(), out.end());
        return out;
    }

    testing::TempFolder folder_;
};

TEST_F(TfTimelineTest, OpsAndTheirWorkOnce) {
    for (const std::string& file : {seed(), testing::gzip(seed())}) {
        const Profile p = imported(file);
        EXPECT_EQ(p.info.producer, "TensorFlow timeline");
        using Names = std::vector<std::string>;
        EXPECT_EQ(names(p, HostKind::kOp), (Names{"MatMul", "MatMul", "NoOp", "NoOp", "NoOp"}));
        EXPECT_EQ(names(p, HostKind::kAnnotation), (Names{"model_run#0", "model_run#1", "run of 1 ops"}));
        ASSERT_EQ(p.device.size(), 3u) << "rows of all streams and of copies tell the same work again";
        EXPECT_EQ(p.device.kind[0], DeviceKind::kMemcpy) << "the row of copies tells it";
        EXPECT_EQ(p.device.kind[1], DeviceKind::kKernel);
        EXPECT_EQ(p.device.dur[1], 7000);
        EXPECT_EQ(p.device.kind[2], DeviceKind::kMemcpy);
        EXPECT_EQ(p.tracks[p.device.track[0].index()].stream, 12);
        ASSERT_EQ(p.flows.size(), 2u);
        EXPECT_EQ(p.flows[0].time, 110'000) << "the op of that node that began last before its work";
        EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 1);
        EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 2) << "arrows";
        EXPECT_EQ(p.counters.size(), 1u);
    }
}

TEST_F(TfTimelineTest, InputsAndNodesStayWithTheOp) {
    const Profile p = imported(seed());
    for (size_t row = 0; row < p.host.size(); ++row) {
        if (text(p, p.host.name[row]) != "MatMul" || p.host.begin[row] > 50'000) continue;
        const uint32_t op = p.host.detail[row];
        EXPECT_EQ(text(p, p.op_details.module_path[op]), "layer/MatMul");
        EXPECT_EQ(text(p, p.signatures[p.op_details.signature[op].index()].concrete), R"(["x", "layer/w"])");
    }
}

TEST_F(TfTimelineTest, WithoutAnOpItIsRefused) {
    const std::string all = seed();
    const Result<Profile> none =
        import_files({folder_.write("b.json", all.substr(0, all.find("{\"ph\": \"X\"")) + "]}")});
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message().find("FULL_TRACE"), std::string::npos);
}

TEST(TfTimelineRows, Kinds) {
    EXPECT_EQ(row_of("/job:localhost/replica:0/task:0/device:GPU:1 Compute").kind, RowKind::kHost);
    EXPECT_EQ(row_of("/device:GPU:1/stream:17 Compute").stream, 17);
    EXPECT_EQ(row_of("/device:GPU:1/stream:17 Compute").device, 1);
    EXPECT_EQ(row_of("/gpu:0/stream:all Compute").kind, RowKind::kAll);
    EXPECT_EQ(row_of("/gpu:0/memcpy Compute").kind, RowKind::kCopies);
    EXPECT_EQ(row_of("/gpu:0/stream:7 Tensors").kind, RowKind::kOther);
    EXPECT_EQ(row_of("/gpu:99999999999999999999/stream:x Compute").kind, RowKind::kHost);
}

}  // namespace
}  // namespace opsight::importer
