#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "import/onednn/line.h"

namespace opsight::importer {
namespace {

using onednn::Line, onednn::LineKind;

class OnednnTest : public ::testing::Test {
  protected:
    static std::string seed() {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/onednn.log");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("a.log", text)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static bool has_property(const Profile& p, std::string_view key) {
        for (const auto& property : p.info.properties)
            if (property.first == key) return true;
        return false;
    }

    testing::TempFolder folder_;
};

TEST_F(OnednnTest, LinesOfAllVersions) {
    const Profile p = imported(seed());
    EXPECT_EQ(p.info.producer, "oneDNN v2.6.3");
    ASSERT_EQ(p.host.size(), 5u);
    const std::vector<std::pair<std::string, std::string>> wanted = {
        {"onednn::convolution", "[[2, 8, 128, 128], [64, 2, 7, 7]]"},
        {"onednn::create_reorder (cache_miss)", "[[2, 64, 32, 32]]"},
        {"onednn_gpu::matmul_backward", "[[32, 256], [256, 512]]"},
        {"onednn::pooling", "[[1, 64, 112, 112]]"},
        {"onednn::convolution", "[[1, 16, 8, 8], [32, 16, 3, 3]]"}};
    const int64_t durations[] = {9095950, 15, 250000, 500000, 125000};
    for (size_t row = 0; row < 5; ++row) {
        const uint32_t op = p.host.detail[row];
        EXPECT_EQ(text(p, p.host.name[row]), wanted[row].first);
        EXPECT_EQ(text(p, p.signatures[p.op_details.signature[op].index()].shapes), wanted[row].second);
        EXPECT_EQ(p.host.dur[row], durations[row]);
    }
    EXPECT_EQ(p.info.origin_ns, 1795253829009587891) << "no double between";
    EXPECT_EQ(p.host.begin[1], 9662109);
    const Signature& first = p.signatures[p.op_details.signature[p.host.detail[0]].index()];
    EXPECT_EQ(text(p, first.dtypes), R"(["f32", "bf16"])");
    EXPECT_NE(text(p, first.concrete).find("jit:avx512_core"), std::string::npos);
    const auto values = [&p](size_t row) {
        return text(p, p.signatures[p.op_details.signature[p.host.detail[row]].index()].concrete);
    };
    EXPECT_TRUE(values(0).starts_with(R"(["", "", "-> f32[2, 64, 64, 64]", )")) << values(0);
    EXPECT_TRUE(values(2).starts_with(R"(["", "", "-> )")) << values(2);
    EXPECT_EQ(values(3).find("->"), std::string::npos) << "a pooling's size is not read";
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1) << "a line that breaks off";
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1) << "dispatch";
    EXPECT_TRUE(has_property(p, "source.times")) << "some lines have no time";
}

TEST_F(OnednnTest, WithTimestampsThereIsAClock) {
    std::string log = seed();
    log.resize(log.find("dnnl_verbose,exec"));
    EXPECT_FALSE(has_property(imported(log), "source.times"));
}

// Without timestamps lines stand one behind the other: of one that took nothing the next is no part.
TEST_F(OnednnTest, WhatTookNothingHoldsNothing) {
    const std::string line =
        "onednn_verbose,exec,cpu,reorder,jit:blk,undef,src_f32::blocked:ab:f0 "
        "dst_f32::blocked:ab:f0,attr-scratchpad:user ,,2x3,";
    const Profile p = imported(line + "0\n" + line + "0\n" + line + "0.5\n");
    EXPECT_EQ(p.host.begin, (std::vector<int64_t>{0, 1, 2}));
    EXPECT_EQ(p.host.dur, (std::vector<int64_t>{0, 0, 500000}));
}

TEST_F(OnednnTest, NothingExecutedIsRefused) {
    const Result<Profile> none =
        import_files({folder_.write("b.log", "onednn_verbose,info,oneDNN v2.6.3\n")});
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message().find("ONEDNN_VERBOSE=1"), std::string::npos);
}

// Behind the type stand flags: "a" (the library chose the layout), "p", "o", "0".
TEST(OnednnLine, TypesBesideFlags) {
    EXPECT_EQ(onednn::types_of(
                  "src_f32:p:blocked:aBcd16b::f0 wei_bf16:ap:blocked:ABcd16b16a::f0 dst_f32:a:any::f0"),
              R"(["f32", "bf16"])");
    EXPECT_EQ(onednn::types_of("src:f16::blocked:ab::f0 wei:s4:a:blocked:ab::f0 bia:undef::undef::: "
                               "dst:f16:0:blocked:ab::f0"),
              R"(["f16", "s4"])");
    EXPECT_EQ(onednn::types_of("src_a_f8_e5m2::blocked:ab::f0 src:f8_e4m3:a:blocked:ab:8x1:f0"),
              R"(["f8_e5m2", "f8_e4m3"])");
    EXPECT_EQ(onednn::types_of("fsrc:nchw in:undef query:x src_f31::blocked:a:f0"), "");
}

// What keeps its layout only copies, or converts types.
TEST(OnednnLine, LayoutsOfReorders) {
    const auto layouts = [](std::string_view memory, std::string_view primitive = "reorder") {
        Line line;
        line.primitive = primitive;
        line.memory = memory;
        return onednn::layouts_of(line);
    };
    EXPECT_EQ(layouts("src_f32::blocked:abcd:f0 dst_f32::blocked:aBcd8b:f0"), "layout abcd -> aBcd8b");
    EXPECT_EQ(layouts("src_f32::blocked:a:f0 dst_bf16::blocked:a:f0"), "layout a");
    EXPECT_EQ(layouts("src:f32:a:blocked:ab::f0 dst:f32::blocked:ab:8x1:f0"), "layout ab -> ab:8x1");
    EXPECT_EQ(layouts("src_f32::blocked:ab::f0 dst_s8:p:blocked:ab::f0:s8m1"), "layout ab -> ab::f0:s8m1");
    EXPECT_EQ(layouts("in:f32_nchw out:f32_nChw8c"), "layout nchw -> nChw8c");
    EXPECT_EQ(layouts("in:f32_nchw out:f32_nchw"), "layout nchw");
    EXPECT_EQ(layouts("in:f32_nchw out:undef"), "");
    EXPECT_EQ(layouts("src_f32::blocked:abcd:f0 dst_f32::blocked:abcd:f0", "binary"), "");
    EXPECT_EQ(layouts("src_f32::blocked:abcd:f0"), "");
    EXPECT_EQ(layouts(""), "");
}

TEST(OnednnLine, ResultsOfProducts) {
    const auto result = [](std::string_view primitive, std::string_view problem) {
        Line line;
        line.primitive = primitive;
        line.problem = problem;
        line.memory = "src:bf16::blocked:ab::f0 wei:bf16:a:blocked:ab::f0 dst:f32:p:blocked:ab::f0";
        return onednn::result_of(line);
    };
    EXPECT_EQ(result("matmul", "64x128:128x256"), "f32[64, 256]");
    EXPECT_EQ(result("matmul", "64x128:128x256:64x256"), "f32[64, 256]");
    EXPECT_EQ(result("matmul", "2x1x64x128:1x3x128x256"), "f32[2, 3, 64, 256]");
    EXPECT_EQ(result("inner_product", "mb8ic896ih1iw1oc151936"), "f32[8, 151936]");
    for (const char* other :
         {"64x128", "64x128:127x256", "16x32:3x32x24", "2x4x4:3x4x4", "*x128:128x256", "4:4"})
        EXPECT_EQ(result("matmul", other), "") << other;
    EXPECT_EQ(result("binary", "64x128:128x256"), "");
}

TEST_F(OnednnTest, WorkOfAGpuIsNotThatOfTheCpu) {
    const std::string line =
        ",matmul,jit:gemm,undef,src:f16::blocked:ab::f0 dst:f16::blocked:ab::f0,,,4x4:4x4,0.5\n";
    const std::string head = "onednn_verbose,v1,primitive,exec,";
    const Profile p = imported(head + "gpu:1" + line + head + "cpu" + line + head + "gpu" + line);
    ASSERT_EQ(p.host.size(), 3u);
    EXPECT_EQ(text(p, p.host.name[0]), "onednn_gpu::matmul") << "of whichever GPU";
    EXPECT_EQ(text(p, p.host.name[1]), "onednn::matmul");
    const Signature& first = p.signatures[p.op_details.signature[p.host.detail[0]].index()];
    EXPECT_NE(text(p, first.concrete).find("gpu:1"), std::string::npos);
    EXPECT_TRUE(has_property(p, "source.devices"));
    EXPECT_FALSE(has_property(imported(head + "cpu" + line), "source.devices"));
}

// The first releases of MKL-DNN name no implementation; those of our time may write a space before the time.
TEST(OnednnLine, OldAndNewForms) {
    const Line old = onednn::read_line("exec,reorder,undef,in:f32_nchw out:bf16_nChw8c,num:1,2x16x7x7,0.5");
    EXPECT_EQ(old.kind, LineKind::kExecution);
    EXPECT_EQ(old.primitive, "reorder");
    EXPECT_EQ(old.implementation, "");
    EXPECT_EQ(old.dur_ns, 500000);
    EXPECT_EQ(onednn::types_of(old.memory), "[\"f32\"]");
    EXPECT_EQ(onednn::result_of(old), "bf16[2, 16, 7, 7]");
    EXPECT_EQ(onednn::types_of("in:f_nchw out:f32_nchw"), "");
    const Line space = onednn::read_line("v1,primitive,exec,cpu,sum,ref:any,undef,src:f32::a,,,2x3, 0.5");
    EXPECT_EQ(space.kind, LineKind::kExecution);
    EXPECT_EQ(space.dur_ns, 500000);
}

TEST(OnednnLine, OddLines) {
    const auto kind = [](std::string_view text) { return onednn::read_line(text).kind; };
    const std::string good = "exec,cpu,sum,ref:any,undef,src_f32::a,,,2x3,";
    EXPECT_EQ(kind(good + "0.5"), LineKind::kExecution);
    for (const char* time : {"", "x", "-1", "nan", "1e400", "99999999999999999999", "0.5,6,7,8"})
        EXPECT_EQ(kind(good + time), LineKind::kBad) << time;
    for (const char* other : {"", "v1", "1.5", "graph,exec,cpu,1,sdp", "create_nested,cpu", "error"})
        EXPECT_EQ(kind(other), LineKind::kOther) << other;
    EXPECT_EQ(onednn::read_line(good + "1e-3").dur_ns, 1000);
    for (const char* problem : {"", "x", "3x", "2x3:", "mb", "mb2_ic", "mb99999999999999999999ic3", "ic3oc4"})
        EXPECT_EQ(onednn::shapes_of("convolution", problem), "") << problem;
}

}  // namespace
}  // namespace opsight::importer
