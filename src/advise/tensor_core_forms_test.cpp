// Which kernels without Tensor Cores these would help: not those of depthwise convolutions and of products
// with a vector, which memory bounds.
#include <gmock/gmock.h>

#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Product {
    std::string op, kernel, shapes, type;
};

Advice tensor_cores_of(const std::vector<Product>& products, const std::string& unknown_gpu = "",
                       bool durations_only = false) {
    Recorded r;
    r.begin();
    if (!unknown_gpu.empty()) r.t.gpu(0, unknown_gpu, 0, 0).sm_count = 0;
    if (durations_only) set_durations_only(r.t.builder.info());
    int64_t place = 0;
    for (const Product& each : products) {
        const std::string types = each.type.empty() ? "" : "[\"" + each.type + "\", \"" + each.type + "\"]";
        const OpDetail with = r.detail(each.shapes, types);
        for (int64_t i = 0; i < r.steps; ++i) {
            const int64_t begin = Recorded::at(i) + (200 + 50 * place) * kUs;
            r.t.op(each.op, begin, 20 * kUs, r.t.thread(), with);
            r.launched(each.kernel, begin + kUs, Recorded::at(i) + 9 * kMs + 450 * place * kUs, 400 * kUs);
        }
        ++place;
    }
    return r.ask("tensor_cores", {});
}

const Product kDense{"aten::cudnn_convolution", "ampere_scudnn_128x64_relu_small_nn_v1",
                     "[[8, 64, 56, 56], [128, 64, 3, 3]]", "float"};
const Product kDepthwise{"aten::cudnn_convolution", "void at::native::vectorized_kernel<4>(int)",
                         "[[8, 64, 56, 56], [64, 1, 3, 3]]", "float"};
const Product kDepthwiseBackward{"aten::convolution_backward", "void at::native::vectorized_kernel<4>(int)",
                                 "[[8, 64, 56, 56], [8, 64, 56, 56], [64, 1, 3, 3]]", "float"};
// One channel out: its kernel reads as many channels as it has weights.
const Product kTransposedBackward{"aten::convolution_backward", "void at::native::vectorized_kernel<4>(int)",
                                  "[[8, 1, 56, 56], [8, 64, 28, 28], [64, 1, 3, 3]]", "float"};
const Product kVector{"aten::addmm", "void at::native::vectorized_kernel<4>(int)",
                      "[[4096], [1, 4096], [4096, 4096]]", "float"};

Product of_type(Product product, const std::string& type) {
    product.type = type;
    return product;
}

TEST(TensorCoreForms, OfDenseConvolutionsNothingIsTold) {
    const Advice found = tensor_cores_of({kDense, kTransposedBackward});
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_THAT(found.findings[0].title, HasSubstr("could use Tensor Cores"));
    EXPECT_THAT(found.findings[0].evidence, Not(HasSubstr("depthwise")));
    EXPECT_THAT(found.findings[0].lines, HasSubstr("allow_tf32"));
}

// PyProf and summaries of nvprof tell whose a device is, and not which.
TEST(TensorCoreForms, OfADeviceThatIsNotNamedItIsNotKnown) {
    const Advice found = tensor_cores_of({kDense, kDense}, "NVIDIA GPU");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(found.findings[0].kind, "unknown");
    EXPECT_THAT(found.findings[0].title, HasSubstr("whether the device has them is not told"));
    EXPECT_TRUE(tensor_cores_of({kDense, kDense}, "NVIDIA GeForce GTX 1080").findings.empty());
    const Advice durations = tensor_cores_of({kDense, kDense}, "NVIDIA GPU", true);
    ASSERT_EQ(durations.findings.size(), 1u);
    EXPECT_THAT(durations.findings[0].title, HasSubstr("of the recorded time; whether the device"));
}

TEST(TensorCoreForms, OfDurationsAloneTheShareIsOfTheRecordedTime) {
    const Advice found = tensor_cores_of({kDense, kDense}, "", true);
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_THAT(found.findings[0].title, HasSubstr("run without them in about 8.0% of the recorded time"));
}

TEST(TensorCoreForms, MemoryBoundsDepthwiseConvolutionsWhicheverWayTheyAreTold) {
    for (const Product& each :
         {kDepthwise, kDepthwiseBackward,
          Product{"aten::cudnn_convolution",
                  "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<5>(int)", "",
                  "float"}}) {
        const Advice found = tensor_cores_of({each, each});
        ASSERT_EQ(found.findings.size(), 1u) << each.op;
        const Finding& finding = found.findings[0];
        EXPECT_THAT(finding.title, HasSubstr("Depthwise convolutions on floats of more than 16 bits"));
        EXPECT_THAT(finding.title, HasSubstr("bound by memory"));
        EXPECT_THAT(finding.evidence, HasSubstr("0.80 ms per iteration of depthwise convolutions"));
        EXPECT_THAT(finding.lines, Not(HasSubstr("allow_tf32")))
            << "rounds what is multiplied, and moves as much";
        EXPECT_THAT(finding.lines, HasSubstr("autocast"));
    }
}

TEST(TensorCoreForms, AVectorIsToldByShapesElseByTheKernel) {
    const Advice shapes = tensor_cores_of({kVector, kVector});
    ASSERT_EQ(shapes.findings.size(), 1u);
    EXPECT_THAT(shapes.findings[0].title, HasSubstr("Products with a vector on floats of more than 16 bits"));
    EXPECT_THAT(shapes.findings[0].lines, HasSubstr("model.to("));
    const Product by_name{"aten::mm", "void gemv2T_kernel_val<int, float>(int)", "", "float"};
    const Advice names = tensor_cores_of({by_name, by_name});
    ASSERT_EQ(names.findings.size(), 1u);
    EXPECT_THAT(names.findings[0].title, HasSubstr("Products with a vector"));
}

// Without types of ops the kernel's name may have them; where it has none, nobody knows that they are wide.
TEST(TensorCoreForms, WithoutTypesOnlyWhatIsKnownIsCalledWide) {
    const auto found = [](const std::string& types) {
        const Product each{"aten::mm", "void gemv2T_kernel_val<int, int" + types + ">(int)", "", ""};
        return tensor_cores_of({each, each});
    };
    EXPECT_TRUE(found(", __nv_bfloat16, float").findings.empty());
    const Advice wide = found(", float"), untold = found("");
    ASSERT_TRUE(wide.findings.size() == 1 && untold.findings.size() == 1);
    EXPECT_THAT(wide.findings[0].title, HasSubstr("on floats of more than 16 bits"));
    EXPECT_THAT(untold.findings[0].title, Not(HasSubstr("more than 16 bits")));
    EXPECT_THAT(untold.findings[0].lines, Not(HasSubstr("model.to(")));
}

// Neither types nor Tensor Cores help them: they are in no bound.
TEST(TensorCoreForms, WhatIsNarrowAndBoundByMemoryIsLeftOut) {
    const Advice alone =
        tensor_cores_of({of_type(kVector, "c10::Half"), of_type(kDepthwise, "c10::BFloat16")});
    EXPECT_TRUE(alone.findings.empty()) << alone.findings[0].title;
    const Advice beside = tensor_cores_of({kDense, kDense, of_type(kVector, "c10::Half")});
    ASSERT_EQ(beside.findings.size(), 1u);
    EXPECT_THAT(
        beside.findings[0].evidence,
        HasSubstr("Left out: 0.40 ms per iteration of products with a vector, of 16 bits or less already."));
    ASSERT_TRUE(beside.findings[0].bound);
    EXPECT_NEAR(beside.findings[0].bound->pct, 8, 0.1);
}

// Inductor's pointwise kernels and reductions hold no product, as their names say.
TEST(TensorCoreForms, PointwiseKernelsOfARegionCouldNotUseTensorCores) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    t.op("Torch-Compiled Region: 0/0", 0, 1000);
    t.api("cudaLaunchKernel", 10, 10, t.thread(), 1);
    t.kernel("ampere_fp16_s16816gemm_fp16_128x64_tn", 1000, 1000, t.stream(), 1);
    t.api("cudaLaunchKernel", 30, 10, t.thread(), 2);
    t.kernel("triton_poi_fused_add_gelu_1", 2000, 1000, t.stream(), 2);
    const std::vector<Finding> all = findings_in(std::move(t));
    EXPECT_FALSE(find(all, "regions"));
    EXPECT_FALSE(find(all, "tensor_cores"));
    const Finding* plain = find(all, "plain_kernels");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->advice.find("ops of extensions"), std::string::npos) << plain->advice;
}

}  // namespace
}  // namespace opsight::advise
