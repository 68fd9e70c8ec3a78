#include "analyze/kernel_names.h"

#include <gtest/gtest.h>

#include <map>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

TEST(KernelNames, Short) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
         "at::detail::Array<char*, "
         "3> >(int, at::native::AddFunctor<float>, at::detail::Array<char*, 3>)",
         "vectorized_elementwise_kernel"},
        {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
         "namespace)::OpaqueType<2u>, unsigned int, 3, 64, 64>(at::native::(anonymous "
         "namespace)::OpaqueType<2u>*)",
         "CatArrayBatchedCopy"},
        {"void (anonymous namespace)::elementwise_kernel_with_index<int, "
         "at::native::arange_cuda_out(c10::Scalar const&)::{lambda()#1}::operator()() "
         "const::{lambda(long)#1}>(int, int*)",
         "elementwise_kernel_with_index"},
        {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2>(cutlass_80_"
         "tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2::Params)",
         "cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2"},
        {"void "
         "cutlass_cudnn_train::Kernel<cutlass_cudnn_train::reduction::kernel::ReduceSplitK<cutlass_cudnn_"
         "train::"
         "MatrixShape<4, 128>, int> >(int)",
         "ReduceSplitK"},
        {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16>(int)",
         "gemvx::kernel"},
        {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
         "ncclKernel_AllReduce_RING_LL_Sum_float"},
        {"cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)", "computeOffsetsKernel"},
        {"volta_sgemm_128x32_nn", "volta_sgemm_128x32_nn"},
        {"triton_poi_fused_add_3", "triton_poi_fused_add_3"},
        {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0EEEvPT0_PT_",
         "add_rmsnorm_quant_kernel"},
        {"_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_"
         "11threadblock22Implicit",
         "ImplicitGemmConvolution"},
        {"_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_"
         "34GridwiseGemm",
         "kernel_grouped_conv_fwd_xdl_cshuffle_v3"},
        {"Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN_LDSB0_AFC1",
         "Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1"},
        {"my own label", "my own label"},
        {"", ""},
        {"<", "<"},
        {"_Z", "_Z"},
        {"_Z99999999999999999999x", "_Z99999999999999999999x"},
        {"void f<", "f"},
        {"void f<(", "f"},
    };
    for (const auto& [full, expected] : cases)
        EXPECT_EQ(short_kernel_name(full), expected) << full;
}

TEST(KernelNames, Class) {
    EXPECT_EQ(kernel_class("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"),
              KernelClass::kCommunication);
    EXPECT_EQ(kernel_class("ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)"),
              KernelClass::kCommunication);
    EXPECT_EQ(kernel_class("void vllm::cross_device_reduce_1stage<float, 2>(int)"),
              KernelClass::kCommunication);
    EXPECT_EQ(kernel_class("void at::native::reduce_kernel<512>()"), KernelClass::kCompute);
    EXPECT_EQ(kernel_class(""), KernelClass::kCompute);
}

// What a kernel's code says counts, whatever its name does.
TEST(KernelCode, OutranksNames) {
    TestProfile t;
    t.gpu(0, "NVIDIA H100", 9, 0);
    t.gpu(1, "NVIDIA GeForce GTX 1660", 7, 5);
    for (const char* name : {"triton_mm", "ampere_s16816gemm", "elementwise", "volta_h884gemm"})
        t.kernel(name, 0, 10, t.stream());
    t.kernel("turing_h1688gemm", 0, 10, t.stream(7, 1));
    const auto code = [&](std::string_view name, std::string_view instruction) {
        t.builder.add_kernel_code({t.builder.text(name), t.builder.text(instruction)});
    };
    code("triton_mm", "HGMMA");
    code("ampere_s16816gemm", "");
    code("elementwise", "");
    code("turing_h1688gemm", "HMMA");  // a device without Tensor Cores runs it otherwise
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    std::map<std::string, std::string> told;
    for (const Kernel& kernel : a.kernels)
        told[std::string(p.strings.view(kernel.name))] = std::to_string(static_cast<int>(kernel.uses_tc)) +
                                                         " " +
                                                         std::to_string(static_cast<int>(kernel.evidence)) +
                                                         " " + std::string(p.strings.view(kernel.tc_pattern));
    const std::map<std::string, std::string> expected = {{"triton_mm", "1 2 HGMMA"},
                                                         {"ampere_s16816gemm", "0 2 "},
                                                         {"elementwise", "0 2 "},
                                                         {"volta_h884gemm", "1 1 h884"},
                                                         {"turing_h1688gemm", "0 0 "}};
    EXPECT_EQ(told, expected);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownTensorCoreUse), 0);
}

// Of an accelerator of another maker nothing is known by the names of its kernels, least of all "no"; nor of
// one that does not tell whose it is, unless calls of CUDA or HIP do.
TEST(TensorCoreUse, IsUnknownOnOtherMakersDevices) {
    const auto told = [](const char* gpu, int major, const char* call, const char* kernel) {
        TestProfile t;
        if (*gpu) t.gpu(0, gpu, major, 0);
        t.api(call, 0, 5, t.thread(), 1);
        t.kernel(kernel, 10, 50, t.stream(), 1);
        Profile p = t.finish();
        return analyze(p, {}).kernels.at(0).uses_tc;
    };
    const char *mtia = "runFunction - job_prep_and_submit_for_execution", *cuda = "cudaLaunchKernel";
    const char *plain = "gather-dtype_Float", *tensor = "ampere_s16816gemm_bf16_128x64_nn";
    using enum TensorCoreUse;
    EXPECT_EQ(told("", 0, mtia, plain), kUnknown);
    EXPECT_EQ(told("", 0, mtia, tensor), kYes);
    EXPECT_EQ(told("", 0, cuda, plain), kNo);
    EXPECT_EQ(told("", 0, "hipExtModuleLaunchKernel", plain), kNo);
    EXPECT_EQ(told("", 0, "cuLaunchKernel", plain), kNo);
    EXPECT_EQ(told("", 0, "customLaunch", plain), kUnknown);
    EXPECT_EQ(told("MTIA", 0, mtia, tensor), kUnknown);
    EXPECT_EQ(told("TPU v6 Lite", 0, "TpuExecute", "fusion.12"), kUnknown);
    EXPECT_EQ(told("Intel(R) Data Center GPU Max 1550", 12, "urEnqueueKernelLaunch", "at::f<float>()"),
              kUnknown);
    EXPECT_EQ(told("NVIDIA H100 80GB HBM3", 9, mtia, plain), kNo);
    EXPECT_EQ(told("AMD Instinct MI300X", 9, mtia, plain), kNo);
    EXPECT_EQ(told("Tesla P100-PCIE-16GB", 6, cuda, tensor), kNo);  // has none
}

}  // namespace
}  // namespace opsight::analyze
