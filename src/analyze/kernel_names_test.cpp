#include "analyze/kernel_names.h"

#include <gtest/gtest.h>

namespace opsight {
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

}  // namespace
}  // namespace opsight
