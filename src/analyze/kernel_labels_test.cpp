#include "analyze/kernel_labels.h"

#include <gmock/gmock.h>

#include <set>

namespace opsight::analyze {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const std::vector<std::string>& full, const char* short_name) {
    std::vector<KernelName> names;
    for (const std::string& each : full)
        names.push_back({each, short_name});
    return kernel_labels(names);
}

TEST(KernelLabels, ANameOfItsOwnStays) {
    EXPECT_THAT(kernel_labels({{"void a::f<int>(int)", "f"}, {"void a::g<int>(int)", "g"}}),
                ElementsAre("f", "g"));
}

TEST(KernelLabels, TheTemplateArgumentsThatDifferTellApart) {
    EXPECT_THAT(labels({"void at::native::f<4, at::native::Add<float>, std::array<char*, 3ul> >(int)",
                        "void at::native::f<4, at::native::Mul<float>, std::array<char*, 3ul> >(int)"},
                       "f"),
                ElementsAre("f<Add<float>>", "f<Mul<float>>"));
    EXPECT_THAT(labels({"void f<8, a::wrap<4, b::Op<c10::Half, 1>, x> >(int)",
                        "void f<8, a::wrap<4, b::Op<c10::Half, 2>, x> >(int)"},
                       "f"),
                ElementsAre("f<wrap<Op<1>>>", "f<wrap<Op<2>>>"));
}

TEST(KernelLabels, ElseTheArgumentsElseTheWholeName) {
    EXPECT_THAT(labels({"f(int, float*)", "f(int, double*)"}, "f"), ElementsAre("f(float*)", "f(double*)"));
    EXPECT_THAT(labels({"a::f(int)", "b::g::f(float, int)"}, "f"), ElementsAre("f(int)", "f(float, int)"));
    EXPECT_THAT(labels({"_Z1fi", "_Z1ff"}, "f"), ElementsAre("_Z1fi", "_Z1ff"));
}

TEST(KernelLabels, LongOnesDifferTooAndStayShort) {
    std::vector<std::string> full;
    for (int i = 0; i < 30; ++i)
        full.push_back("void f<X<" + std::string(60, 'a') + std::to_string(i) + std::string(60, 'b') +
                       ">, Y" + std::to_string(i) + ">()");
    const auto told = labels(full, "f");
    EXPECT_EQ(std::set<std::string>(told.begin(), told.end()).size(), 30U);
    for (const std::string& each : told)
        EXPECT_LE(each.size(), kLongestLabel);
}

TEST(KernelLabels, ALongNameOfItsOwnIsShortenedToo) {
    const std::string one = "triton_poi_fused_" + std::string(200, 'a') + "_1",
                      other = "triton_poi_fused_" + std::string(150, 'a') + "_1";
    const auto told = kernel_labels({{one, one}, {other, other}, {"f", "f"}});
    EXPECT_LE(told[0].size(), kLongestLabel);
    EXPECT_LE(told[1].size(), kLongestLabel);
    EXPECT_TRUE(told[0].starts_with("triton_poi_fused_a")) << told[0];
    EXPECT_TRUE(told[1].starts_with("triton_poi_fused_a") && told[1].ends_with("a_1")) << told[1];
    EXPECT_NE(told[0], told[1]) << "what differs is in sight";
    EXPECT_EQ(told[2], "f");
}

// As PyTorch's elementwise kernels on ROCm are called: what they apply tells them apart, not what applies it.
TEST(KernelLabels, OfLambdasTheFunctionIsNamed) {
    const auto kernel = [](const std::string& functor) {
        const std::string lambda =
            "at::gpu_impl<" + functor + " >(at::Iterator&, " + functor + " const&)::{lambda(int, bool)#1}";
        return "void at::unroll<128, 8, " + lambda + ">(int, " + lambda + ")";
    };
    EXPECT_THAT(
        labels({kernel("at::Binary<c10::BFloat16, at::Mul<float> >"), kernel("at::Add<c10::BFloat16>"),
                kernel("at::(anonymous namespace)::copy_cuda(at::Iterator&)::{lambda()#3}::operator()() "
                       "const::{lambda(float)#1}")},
               "unroll"),
        ElementsAre("unroll<Binary<BFloat16, Mul<float> >>", "unroll<Add<BFloat16>>",
                    "unroll<copy_cuda(float)>"));
}

TEST(KernelLabels, LambdasOfOneFunctionDiffer) {
    EXPECT_THAT(labels({"void k<f(int)::{lambda(int)#1}>()", "void k<f(int)::{lambda(int)#2}>()"}, "k"),
                ElementsAre("k<f(int){lambda(int)#1}>", "k<f(int){lambda(int)#2}>"));
}

TEST(KernelLabels, AnArrowIsNoBracket) {
    EXPECT_THAT(
        labels({"void ns::k<decltype(a->b), float, Add>(int)", "void ns::k<decltype(a->b), float, Mul>(int)"},
               "k"),
        ElementsAre("k<Add>", "k<Mul>"));
}

TEST(KernelLabels, OddBracketsAreNoTrouble) {
    EXPECT_EQ(labels({"f<", "f<<<<((("}, "f").size(), 2U);
    EXPECT_EQ(labels({"f<a, >>>>", "f<,,,>"}, "f").size(), 2U);
    EXPECT_EQ(labels({"f<>", "f<a>"}, "f").size(), 2U);
    EXPECT_EQ(labels({"x", "y"}, "").size(), 2U);
}

}  // namespace
}  // namespace opsight::analyze
