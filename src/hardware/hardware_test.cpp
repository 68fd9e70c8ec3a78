#include <gtest/gtest.h>

#include <algorithm>

#include "hardware/devices.h"
#include "hardware/occupancy.h"
#include "hardware/op_tables.h"
#include "hardware/tensor_cores.h"

namespace opsight::hardware {
namespace {

NameVerdict verdict(std::string_view name) {
    return tensor_core_use(name).verdict;
}

TEST(TensorCores, NamesOfEveryGeneration) {
    for (std::string_view name :
         {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "volta_h884gemm_64x128_ldg8_nn",
          "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn",
          "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(int)",
          "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_32x1_nn_align8>(int)",
          "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5_"
          "warpsize2x2x1_g1_"
          "tensor16x8x8_execute_kernel_cudnn_infer",
          "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_kernel__5x_"
          "cublas",
          "nvjet_tst_128x128_64x4_1x2_h_bz_coopA_NNT", "nvjet_sm90_hss_128x256_64x4_2x1_v_bz_coopA_TNT",
          "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, "
          "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<3> > > "
          ">(int)",
          "kernel_tcgen05_mma",
          "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64> >(int)",
          "fmha_cutlassF_f16_aligned_64x64_rf_sm75(int)", "fmha_cutlassF_f32_aligned_64x64_rf_sm80(int)",
          "Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN_LDSB0",
          "igemm_bwd_gtcx3_nhwc_bf16_bx0",
          "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3I"})
        EXPECT_EQ(verdict(name), NameVerdict::kYes) << name;
    EXPECT_EQ(tensor_core_use("volta_h884gemm_64x128_ldg8_nn").pattern, "h884");
}

TEST(TensorCores, PlainKernels) {
    for (std::string_view name :
         {"volta_sgemm_128x32_nn", "ampere_sgemm_32x32_sliced1x4_tn",
          "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
          "void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)",
          "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_kernel",
          "cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1", "fmha_cutlassF_f32_aligned_64x64_rf_sm75(int)",
          "void flash::flash_bwd_dot_do_o_kernel<true>(int)", "Cijk_Ailk_Bljk_SB_MT64x64x8_SE_TT4_4",
          "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)"})
        EXPECT_EQ(verdict(name), NameVerdict::kNo) << name;
}

TEST(TensorCores, GeneratedKernelsAreUnknown) {
    for (std::string_view name :
         {"triton_tem_fused_mm_0", "triton_red_fused_mm_sum_1", "triton_", "attn_fwd", "Kernel",
          "kernel_unified_attention_2d", "_matmul_ogs_NNT_fp32xfp32xfp32_16x128x256x1", "_matmul_ogs_",
          "_matmul_ogs_NNT", "_matmul_ogs_NNT_bf16", "<unnamed>::nvfuser_none_f0_c0_r0_g0(Tensor<__half, 3>)",
          "(anonymous namespace)::nvfuser_pointwise_f0_c1_r0_g0(int)",
          "CudaCodeGen::kernel1(CudaCodeGen::Tensor)"})
        EXPECT_EQ(verdict(name), NameVerdict::kUnknown) << name;
}

// Named as plain as what a compiler made, but by a library whose products are cuBLAS's.
TEST(TensorCores, ProductsInSomebodysOwnKernelsAreUnknown) {
    for (const char* name :
         {"matrixMulCUDA(float *, float *, float *, int, int)",
          "void mine::gemm_tiled<64, 64>(float const*, float*)",
          "void (anonymous namespace)::my_attention_kernel<(int)7>(T1 *)",
          "void <unnamed>::fusedConv2d<float>(float *)", "void a::(anonymous namespace)::bmmKernel(int)",
          "void cutlass::Kernel<cutlass::gemm::Something>(int)"})
        EXPECT_EQ(tensor_core_use(name).verdict, NameVerdict::kUnknown) << name;
    for (const char* name :
         {"saxpy(double *, double *, double *, double, int)", "void store<gemm::Layout>(float*)",
          "void fbgemm_gpu::permute_2D_data_kernel<int>(int const*)",
          "void (anonymous namespace)::copy<(int)7>(gemm *)",
          "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<5>(int)",
          "void paged_attention_ll4mi_reduce_kernel<128, 256>(float*)",
          "void implicit_convolve_sgemm<float, 128>(int)",
          "void vllm::paged_attention_v1_kernel<float, 16>(float*)", "void gemv2N_kernel<int, float>(int)"})
        EXPECT_EQ(tensor_core_use(name).verdict, NameVerdict::kNo) << name;
}

// Libraries for weights of few bits launch their kernels through templates, or name them by the bits.
TEST(TensorCores, ProductsOfFewBitsInSomebodysOwnKernelsAreUnknown) {
    for (const char* name :
         {"void "
          "nunchaku::kernels::invoke_kernel<nunchaku::kernels::GEMM_W4A4<nunchaku::kernels::GEMMConfig_W4A4_"
          "BF16>::"
          "gemm_w4a4_kernel<nunchaku::kernels::EpilogueDefault, false>, int>(int)",
          "void dense_kernel0<128, 128, 64, 32, 32, 64, 3, 1>(signed char*, int)",
          "void natten::cuda::fna::fna_forward<float>(float)", "void FusedLinear<__half>(__half*)"})
        EXPECT_EQ(tensor_core_use(name).verdict, NameVerdict::kUnknown) << name;
    for (const char* name :
         {"void other::invoke_kernel<other::Elementwise<float>, GEMM>(int)", "void other::fill<GEMM>(int)"})
        EXPECT_EQ(tensor_core_use(name).verdict, NameVerdict::kNo) << name;
}

TEST(TensorCores, CuPysOwnKernelsHoldNoProduct) {
    EXPECT_EQ(verdict("cupy_multiply__float64_float64_float64"), NameVerdict::kNo);
    EXPECT_EQ(verdict("my_multiply__float64_float64_float64"), NameVerdict::kUnknown);
}

// What Inductor fuses tells nothing of how, but the kind of its kernel does.
TEST(TensorCores, InductorsLoopsAndReductionsHoldNoProduct) {
    for (std::string_view name :
         {"triton_poi_fused_add_cat_fmha_v3_fwd_mul_13", "triton_poi_fused_convolution_relu_2",
          "triton_red_fused_native_layer_norm_3", "triton_per_fused__softmax_add_7", "triton_for_fused_5"})
        EXPECT_EQ(verdict(name), NameVerdict::kNo) << name;
}

TEST(TensorCores, ProductsOfTritonKernelsByTheirOperands) {
    for (std::string_view name :
         {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu",
          "_p_matmul_ogs_NNT_fp32xfp8e4nvxmxfp4_1x1x1x1", "_matmul_ogs_NTN_mxfp4xfp16xfp16_16x16x64x1"})
        EXPECT_EQ(verdict(name), NameVerdict::kYes) << name;
    EXPECT_EQ(tensor_core_use("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1").pattern, "bf16xmxfp4");
}

TEST(TensorCores, KernelsOfServingLibraries) {
    for (std::string_view name :
         {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_Ab32_Bb32_Cb32_t128x128x256u2_s4x4x4x4x1x4_et128x32_sm100f",
          "fmhaSm100fKernel_QkvBfloat16OBfloat16H64PagedKvCausalP64VarSeqQ128Kv128PersistentContext",
          "fmhaSm100aKernel_QE4m3KvE2m1OE4m3H128PagedKvCausalP32VarSeqQ128Kv128PersistentContext",
          "GemmGatedActKernel_E4m3_E4m3_Fp32_tile128x128x256_epilogueTile128x128_mma128x128x32_cluster1x1x1_"
          "sm100a",
          "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1> >(int)"})
        EXPECT_EQ(verdict(name), NameVerdict::kYes) << name;
    for (std::string_view name : {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<128u>(int)",
                                  "void tensorrt_llm::kernels::fmhaReductionKernel<128, float>(int)"})
        EXPECT_EQ(verdict(name), NameVerdict::kNo) << name;
}

TEST(TensorCores, Devices) {
    EXPECT_EQ(has_tensor_cores("Tesla V100-SXM2-16GB", 7, 0), true);
    EXPECT_EQ(has_tensor_cores("Tesla T4", 7, 5), true);
    EXPECT_EQ(has_tensor_cores("NVIDIA GeForce RTX 2080 Ti", 7, 5), true);
    EXPECT_EQ(has_tensor_cores("NVIDIA GeForce GTX 1660 Ti", 7, 5), false);
    EXPECT_EQ(has_tensor_cores("NVIDIA T1000", 7, 5), false);
    EXPECT_EQ(has_tensor_cores("NVIDIA GeForce GTX 1080", 6, 1), false);
    EXPECT_EQ(has_tensor_cores("Some Card", 8, 9), true);
    EXPECT_EQ(has_tensor_cores("AMD Instinct MI300X", 9, 4), true);
    EXPECT_EQ(has_tensor_cores("AMD Instinct MI50", 9, 0), false);
}

// One list: devices of the table have what it says.
TEST(TensorCores, TheTableTellsFirst) {
    for (const Device& device : DeviceTable::built_in().devices()) {
        if (device.match.empty()) continue;
        const bool matrix = std::any_of(device.peaks.begin(), device.peaks.end(),
                                        [](const Peak& peak) { return peak.unit == UnitKind::kMatrix; });
        EXPECT_EQ(has_tensor_cores(device.match[0], 0, 0), matrix) << device.key;
        EXPECT_EQ(has_fp64_tensor_cores(device.match[0], 0, 0),
                  device.peak(UnitKind::kMatrix, Precision::kFp64) != nullptr)
            << device.key;
    }
    EXPECT_EQ(has_tensor_cores("AMD Radeon RX 6900 XT", 10, 3), false);
    EXPECT_EQ(has_tensor_cores("AMD Radeon RX 6800", 10, 3), false) << "not in the table: RDNA 2";
    EXPECT_EQ(has_tensor_cores("AMD Radeon RX 7800 XT", 11, 0), true);
}

TEST(TensorCores, OfOtherDevicesItIsNotKnown) {
    EXPECT_EQ(has_tensor_cores("", 0, 0), std::nullopt);
    EXPECT_EQ(has_tensor_cores("MTIA", 0, 0), std::nullopt);
    EXPECT_EQ(has_tensor_cores("AMD Radeon Graphics", 0, 0), std::nullopt);
    EXPECT_EQ(has_fp64_tensor_cores("MTIA", 0, 0), std::nullopt);
}

TEST(OpTables, Eligible) {
    EXPECT_TRUE(is_tensor_core_op("aten::conv2d"));
    EXPECT_TRUE(is_tensor_core_op("torch.nn.functional.multi_head_attention_forward_backward"));
    EXPECT_FALSE(is_tensor_core_op("torch.nn.functional.softmax_backward"));
    EXPECT_TRUE(is_tensor_core_op("aten::addmm"));
    EXPECT_TRUE(is_tensor_core_op("aten::_scaled_dot_product_flash_attention"));
    EXPECT_TRUE(is_tensor_core_op("autograd::engine::evaluate_function: AddmmBackward0"));
    EXPECT_TRUE(is_tensor_core_op("CudnnConvolutionBackward"));
    EXPECT_TRUE(is_tensor_core_op("ConvolutionBackward0"));
    EXPECT_TRUE(is_tensor_core_op("torch.nn.functional.conv2d")) << "a marked call";
    EXPECT_TRUE(is_tensor_core_op("Tensor.matmul"));
    EXPECT_TRUE(is_tensor_core_op("Tensor.__matmul__"));
    EXPECT_FALSE(is_tensor_core_op("Tensor.__mul__"));
    EXPECT_FALSE(is_tensor_core_op("torch.nn.functional.relu"));
    EXPECT_FALSE(is_tensor_core_op("aten::relu"));
    EXPECT_FALSE(is_tensor_core_op("ReluBackward0"));
    EXPECT_FALSE(is_tensor_core_op("c10d::allreduce_"));
    for (const char* product : {"trt::convolution", "trt::cask_convolution", "trt::matrix_multiply",
                                "trt::fully_connected", "aiter::gemm_a16w16", "_C::cutlass_scaled_mm",
                                "sgl_kernel::fp8_scaled_mm", "vllm::unified_attention_with_output",
                                "flash_attn::_flash_attn_forward", "aiter::mha_batch_prefill"})
        EXPECT_TRUE(is_tensor_core_op(product)) << product;
    for (const char* other : {"trt::max_pooling", "trt::quantize", "trt::reformat", "aiter::add_rmsnorm",
                              "_C_cache_ops::reshape_and_cache_flash", "fbgemm::bounds_check_indices",
                              "sgl_kernel::silu_and_mul", "_C::gptq_shuffle"})
        EXPECT_FALSE(is_tensor_core_op(other)) << other;
    for (const char* node : {"Conv", "Gemm", "QLinearConv", "GroupQueryAttention", "FusedMatMul", "LSTM"})
        EXPECT_TRUE(is_tensor_core_node_type(node)) << node;
    for (const char* node : {"MaxPool", "ReorderOutput", "QuantizeLinear", "Softmax"})
        EXPECT_FALSE(is_tensor_core_node_type(node)) << node;
    EXPECT_FALSE(is_tensor_core_op(""));
}

// Expected values from CUDA's occupancy calculator spreadsheet rules, worked out by hand.
TEST(Occupancy, LimitedByEachResource) {
    const SmLimits v100 = sm_limits(7, 0).value();
    EXPECT_DOUBLE_EQ(occupancy_pct(v100, {256, 32, 0}), 100);
    EXPECT_DOUBLE_EQ(occupancy_pct(v100, {256, 64, 0}), 50) << "registers: 2048 a warp, 32 warps";
    EXPECT_DOUBLE_EQ(occupancy_pct(v100, {256, 255, 0}), 12.5) << "registers: 8192 a warp, 8 warps";
    EXPECT_DOUBLE_EQ(occupancy_pct(v100, {32, 16, 0}), 50) << "32 blocks";
    EXPECT_DOUBLE_EQ(occupancy_pct(v100, {128, 16, 48 * 1024}), 12.5) << "2 blocks' shared memory";
    EXPECT_DOUBLE_EQ(occupancy_pct(v100, {768, 16, 0}), 75) << "2 blocks of 24 warps";
    const SmLimits a100 = sm_limits(8, 0).value();
    EXPECT_EQ(resident_blocks(a100, {128, 16, 81 * 1024}), 2) << "81 + 1 KiB each of 164";
    EXPECT_EQ(resident_blocks(a100, {128, 16, 82 * 1024}), 1);
    EXPECT_EQ(resident_blocks(a100, {1024, 72, 0}), 0) << "2304 registers a warp, 73728 a block";
    EXPECT_EQ(resident_blocks(a100, {0, 16, 0}), 0);
    EXPECT_FALSE(sm_limits(0, 0).has_value());
}

}  // namespace
}  // namespace opsight::hardware
