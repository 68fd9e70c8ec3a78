#include "hardware/tensor_cores.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <string>

#include "base/text.h"
#include "hardware/devices.h"

namespace opsight::hardware {
namespace {

// `also` (where there is one) must be in the name too; `pattern` is what is shown as evidence.
struct Rule {
    NameVerdict verdict;
    std::string_view pattern, also = {};
};

constexpr NameVerdict kNo = NameVerdict::kNo, kYes = NameVerdict::kYes;

// The first rule that fits decides. Sources, as far as they are public:
// [pyprof] the lists of NVIDIA PyProf (prof/tc.py) and of PyTorch's TensorBoard plugin; [xprof] its
// kTensorCoreKernelNamePatterns; [cutlass] names in NVIDIA/cutlass (tools/library, include/cute/arch,
// include/cutlass/gemm/warp); [fa] Dao-AILab/flash-attention; [xformers] its cutlass attention, also in
// PyTorch; [tensile] the naming of ROCm/Tensile (KernelWriter: MT = macro tile, MI = matrix instruction);
// [miopen] ROCm/MIOpen (igemm_gtc: "gtcx" kernels use XDLOPS); [ck] ROCm/composable_kernel (xdl = MFMA);
// [trtllm] NVIDIA/TensorRT-LLM (trtllmGenKernels: cubins for Blackwell's tcgen05); [flashinfer] its
// prefill.cuh (mma.sync), while its decode kernels multiply on the plain units.
constexpr Rule kRules[] = {
    // Helpers beside a matrix kernel, and kernels of the same libraries on the plain units.
    {kNo, "flash_bwd_dot_do_o"},          // [fa]
    {kNo, "flash_bwd_convert_dq"},        // [fa]
    {kNo, "flash_bwd_convert_dkv"},       // [fa]
    {kNo, "splitkv_combine"},             // [fa]
    {kNo, "FlashAttnFwdCombine"},         // [fa]
    {kNo, "FlashAttnBwdPreprocess"},      // [fa]
    {kNo, "FlashAttnBwdPostprocess"},     // [fa]
    {kNo, "FmhaFwdSplitKVCombine"},       // [ck]
    {kNo, "FmhaBwdOGradDotO"},            // [ck]
    {kNo, "FmhaBwdConvertQGrad"},         // [ck]
    {kNo, "FmhaFwdAppendKV"},             // [ck]
    {kNo, "fmhaReductionKernel"},         // [trtllm]
    {kNo, "_simt_"},                      // [cutlass]
    {kNo, "MmaSimt"},                     // [cutlass]
    {kNo, "OpClassSimt"},                 // [cutlass]
    {kNo, "_ffma_"},                      // cuBLAS
    {kNo, "_f32f32_f32f32_f32"},          // cuBLAS, cuDNN: FP32 operands, not TF32
    {kNo, "fmha_cutlassF_f32", "_sm50"},  // [xformers]: FP32 runs on Tensor Cores from sm80 on
    {kNo, "fmha_cutlassF_f32", "_sm70"},  // [xformers]
    {kNo, "fmha_cutlassF_f32", "_sm75"},  // [xformers]
    {kNo, "fmha_cutlassB_f32", "_sm50"},  // [xformers]
    {kNo, "fmha_cutlassB_f32", "_sm70"},  // [xformers]
    {kNo, "fmha_cutlassB_f32", "_sm75"},  // [xformers]
    {kNo, "fmha_cutlass", "_sm50"},       // [xformers]
    {kNo, "xmma_pooling"},                // TensorRT: windows, no products
    {kNo, "paged_attention_v1_kernel"},   // vLLM, csrc/attention: sums of products by fma
    {kNo, "paged_attention_v2_kernel"},   // vLLM
    // Volta to Ampere: the shape of the instruction, with the letter of its accumulator.
    {kYes, "h884"},                      // [pyprof]
    {kYes, "s884"},                      // [pyprof]
    {kYes, "i884"},                      // [cutlass]
    {kYes, "d884"},                      // [cutlass]
    {kYes, "z884"},                      // [cutlass]
    {kYes, "h1688"},                     // [pyprof]
    {kYes, "s1688"},                     // [pyprof]
    {kYes, "c1688"},                     // [pyprof]
    {kYes, "i8816"},                     // [pyprof]
    {kYes, "16816"},                     // [pyprof]
    {kYes, "16832"},                     // [xprof]
    {kYes, "161616gemm"},                // [cutlass], wmma
    {kYes, "323216gemm"},                // [cutlass], wmma
    {kYes, "_tensor16x8x"},              // cuDNN, cuBLAS
    {kYes, "_tensor8x8x"},               // cuDNN, cuBLAS
    {kYes, "hmma"},                      // [pyprof]
    {kYes, "imma"},                      // cuDNN, cuBLAS
    {kYes, "dmma"},                      // cuBLAS
    {kYes, "mma_sync"},                  // CUDA's mma.sync
    {kYes, "wmma"},                      // CUDA's nvcuda::wmma
    {kYes, "tensorop"},                  // [cutlass]
    {kYes, "MmaTensorOp"},               // [cutlass], full type names
    {kYes, "OpClassTensorOp"},           // [cutlass]
    {kYes, "OpClassWmmaTensorOp"},       // [cutlass]
    {kYes, "SM70_8x8x4"},                // [cutlass], cute atoms
    {kYes, "SM75_16x8x8"},               // [cutlass]
    {kYes, "SM80_16x8x"},                // [cutlass]
    {kYes, "SM80_8x8x"},                 // [cutlass]
    {kYes, "SM89_16x8x"},                // [cutlass]
    {kYes, "xmma"},                      // [pyprof]
    {kYes, "dgrad_1x1_stride_2x2"},      // [pyprof]
    {kYes, "first_layer_wgrad_kernel"},  // [pyprof]
    {kYes, "conv2d_c1_k1"},              // [pyprof]
    {kYes, "direct_group"},              // [pyprof]
    // Hopper.
    {kYes, "nvjet"},             // cuBLAS 12
    {kYes, "gmma"},              // wgmma, hgmma, igmma, qgmma, WarpSpecialized...Gmma in lower case
    {kYes, "GMMA"},              // [cutlass]
    {kYes, "Gmma"},              // [cutlass]
    {kYes, "MainloopSm90"},      // [cutlass]
    {kYes, "enable_sm90"},       // [fa]
    {kYes, "FlashAttnFwdSm90"},  // [fa]
    {kYes, "FlashAttnBwdSm90"},  // [fa]
    {kYes, "deep_gemm"},         // deepseek-ai/DeepGEMM
    // Blackwell.
    {kYes, "tcgen05"},            // PTX
    {kYes, "utcmma"},             // SASS
    {kYes, "utchmma"},            // SASS
    {kYes, "UMMA"},               // [cutlass]
    {kYes, "SM100_MMA"},          // [cutlass]
    {kYes, "SM120_16x8x"},        // [cutlass]
    {kYes, "MainloopSm100"},      // [cutlass]
    {kYes, "FlashAttnFwdSm100"},  // [fa]
    {kYes, "fmhaSm100"},          // [trtllm], of SM 10.0 a or its family f
    {kYes, "fmhaSm103"},          // [trtllm]
    {kYes, "FmhaSm100"},          // [trtllm]
    // Attention and quantized products, whatever the generation.
    {kYes, "flash_fwd"},                       // [fa]
    {kYes, "flash_bwd"},                       // [fa]
    {kYes, "fmha_cutlass"},                    // [xformers]
    {kYes, "fmha_v2"},                         // TensorRT
    {kYes, "native_sdpa"},                     // cuDNN (cudnn_generated_fort_native_sdpa...)
    {kYes, "Marlin"},                          // IST-DASLab/marlin, vLLM
    {kYes, "marlin"},                          // IST-DASLab/marlin, vLLM
    {kYes, "machete"},                         // vLLM
    {kYes, "PrefillWithKVCacheKernel"},        // [flashinfer], single
    {kYes, "PrefillWithPagedKVCacheKernel"},   // [flashinfer], batched
    {kYes, "PrefillWithRaggedKVCacheKernel"},  // [flashinfer]
    // AMD.
    {kYes, "mfma"},                   // CDNA's instruction
    {kYes, "_MI16x16", "Cijk_"},      // [tensile]
    {kYes, "_MI32x32", "Cijk_"},      // [tensile]
    {kYes, "_MI4x4", "Cijk_"},        // [tensile]
    {kYes, "_gtcx", "igemm_"},        // [miopen]
    {kYes, "xdl", "ck"},              // [ck]
    {kYes, "Xdl", "ck"},              // [ck]
    {kYes, "Fmha", "ck_tile"},        // [ck]
    {kYes, "GemmKernel", "ck_tile"},  // [ck]
    {kYes, "fmha_", "aiter"},         // ROCm/aiter, assembly on MFMA
};

// Kernels whose names are plain identifiers although no compiler for Python made them.
constexpr std::array<std::string_view, 25> kLibraryPrefixes = {
    "Cijk_",       "igemm_",   "volta_",     "turing_",
    "ampere_",     "maxwell_", "pascal_",    "hopper_",
    "kepler_",     "sm",       "cudnn",      "cublas",
    "cask_",       "nccl",     "rccl",       "MIOpen",
    "miopen",      "mlo",      "naive_conv", "batched_transpose_",
    "SubTensorOp", "Im2d2Col", "Im3d2Col",   "gemmk1_",
    "cupy_"};  // elementwise functions and reductions: its products are of cuBLAS

bool is_identifier(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

// XLA's own emitters for elementwise work, reductions and transpositions; products are Triton's or a
// library's.
bool is_plain_fusion(std::string_view name) {
    const bool fusion = name.find("_fusion") != name.npos;
    return (fusion && (name.starts_with("loop_") || name.starts_with("input_"))) ||
           name.starts_with("wrapped_") ||
           name.starts_with("__amd_rocclr_");  // ROCm's copies and fills by kernels
}

// A compiler such as Triton gives a kernel the plain name of its Python function; C++ kernels have a mangled
// or demangled one.
bool is_generated(std::string_view name) {
    // nvFuser: in an unnamed namespace, and of older ones in CudaCodeGen.
    if (name.starts_with("triton_") || name.find("nvfuser_") != name.npos ||
        name.starts_with("CudaCodeGen::"))
        return true;
    if (!is_identifier(name) || name.starts_with("_Z") || is_plain_fusion(name)) return false;
    return std::none_of(kLibraryPrefixes.begin(), kLibraryPrefixes.end(),
                        [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return text::contains(text, part); });
}

// What stands before the arguments of templates and parameters of a C++ function: "void ns::f".
std::string_view qualified_name(std::string_view name) {
    for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"})
        for (size_t at = name.find(unnamed); at < name.find_first_of("<(") + 1; at = name.find(unnamed))
            name.remove_prefix(at + unnamed.size());
    return name.substr(0, name.find_first_of("<("));
}

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
}

// Products of weights and activations of few bits, "w4a16"; AWQ and QServe name theirs "dense_kernel0".
bool is_quantized_product(std::string_view function) {
    return contains_any(function, {"w4a4", "w4a8", "w4a16", "w8a8", "w8a16", "dense_kernel0"});
}

// A kernel that only runs what a template's argument names, as Nunchaku's
// "invoke_kernel<GEMM_W4A4<...>::...>".
bool launches_product(std::string_view name, std::string_view function) {
    if (!contains_any(function, {"invoke_kernel", "device_kernel", "kernel_entry"})) return false;
    const size_t open = name.find('<');
    if (open == name.npos) return false;
    const std::string argument =
        in_small_letters(name.substr(open + 1, name.find_first_of("<,>(", open + 1) - open - 1));
    return contains_any(argument, {"gemm", "matmul", "attention", "conv"});
}

// Kernels of C++ that no rule knows: somebody's own, which may use matrix instructions where they compute
// products, as their names say. Those of cuBLAS, cuDNN and PyTorch without any have no namespace of theirs or
// one of these.
bool is_product_of_others(std::string_view name) {
    if (is_identifier(name) || name.starts_with("_Z")) return false;
    const std::string_view qualified = qualified_name(name);
    if (text::contains(qualified, "cutlass::")) return true;
    if (contains_any(qualified, {"at::", "c10::", "cub::", "thrust::", "cudnn", "cublas", "rocprim::"}))
        return false;
    const std::string function = in_small_letters(qualified.substr(qualified.find_last_of(": ") + 1));
    const bool product = contains_any(function, {"gemm", "matmul", "matrixmul", "matrix_mul", "attention",
                                                 "attn", "fmha", "bmm", "conv1d", "conv2d", "conv3d",
                                                 "convolution", "linear", "fna_", "hstu"}) ||
                         is_quantized_product(function) || launches_product(name, function);
    // Parts of them without a product, and products on the plain units by their name.
    return product && !contains_any(function, {"sgemm", "dgemm", "cgemm", "zgemm", "depthwise", "reduce",
                                               "combine", "convert", "softmax", "mask", "cache", "transpose",
                                               "permute", "im2col", "col2im"});
}

// "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_..._sm100f": products of TensorRT-LLM for Blackwell.
bool is_trtllm_product(std::string_view name) {
    const bool product = name.starts_with("bmm_") || name.starts_with("gemm_") || name.starts_with("Gemm") ||
                         name.starts_with("BatchedGemm");
    return product && contains_any(name, {"_sm100", "_sm103"});
}

// Products of triton_kernels tell layouts and formats of their result and two operands:
// "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1". Those of FP32 run on Tensor Cores only if TF32 is allowed.
TensorCoreVerdict triton_product(std::string_view name) {
    constexpr std::string_view head = "matmul_ogs_NNT";
    const size_t at = name.find("matmul_ogs_");
    if (at > 3 || name.size() < at + head.size()) return {NameVerdict::kUnknown, {}};
    std::string_view formats = name.substr(at + head.size());
    if (!formats.starts_with('_')) return {NameVerdict::kUnknown, {}};
    formats = formats.substr(1, formats.find('_', 1) - 1);
    constexpr std::string_view own_x = "mxfp4x";  // the only format with an x in its name
    const size_t operands = formats.starts_with(own_x) ? own_x.size() : formats.find('x') + 1;
    if (operands == 0) return {NameVerdict::kUnknown, {}};
    formats.remove_prefix(operands);
    const bool low = contains_any(formats, {"bf16", "fp16", "fp8", "mxfp4", "i8"});
    if (!low || contains_any(formats, {"fp32", "fp64"})) return {NameVerdict::kUnknown, {}};
    return {NameVerdict::kYes, formats};
}

// Inductor names a kernel by its kind and the ops fused into it: pointwise, reduction, persistent reduction,
// split scan and foreach loops hold no product. Since products can be generated as reductions, too
// (triton.native_matmul), a reduction that names one is not known; nor are templates (triton_tem_).
TensorCoreVerdict inductor_use(std::string_view name) {
    if (name.starts_with("triton_poi_") || name.starts_with("triton_for_") || name.starts_with("triton_spl_"))
        return {NameVerdict::kNo, {}};
    const bool reduction = name.starts_with("triton_red_") || name.starts_with("triton_per_");
    if (reduction && !contains_any(name, {"mm_", "_dot", "einsum", "matmul"})) return {NameVerdict::kNo, {}};
    return {NameVerdict::kUnknown, {}};
}

}  // namespace

TensorCoreVerdict tensor_core_use(std::string_view name) {
    // The names of Inductor's kernels list the ops that they fuse: no evidence of how they are computed.
    if (name.starts_with("triton_")) return inductor_use(name);
    if (text::contains(name, "matmul_ogs_") && is_identifier(name)) return triton_product(name);
    if (is_trtllm_product(name)) return {NameVerdict::kYes, name.substr(0, name.find('_') + 1)};
    for (const Rule& rule : kRules)
        if (text::contains(name, rule.pattern) && (rule.also.empty() || text::contains(name, rule.also)))
            return {rule.verdict, rule.verdict == kYes ? rule.pattern : std::string_view()};
    const bool unknown = is_generated(name) || is_product_of_others(name);
    return {unknown ? NameVerdict::kUnknown : NameVerdict::kNo, {}};
}

bool is_plain_kernel(std::string_view name) {
    return name.starts_with("triton_") ? inductor_use(name).verdict == kNo : is_plain_fusion(name);
}

// TensorRT's layers (NvInfer.h, LayerType) but products, recurrences, plugins and what Myelin fused.
bool holds_no_product(std::string_view op_name) {
    constexpr std::string_view head = "trt::";
    constexpr std::string_view pooling = "_pooling";
    constexpr std::array<std::string_view, 27> names = {
        "activation", "cast",    "concatenation", "constant", "cumulative", "dequantize", "element_wise",
        "copy",       "fill",    "gather",        "identity", "no_op",      "non_zero",   "one_hot",
        "padding",    "pooling", "quantize",      "reduce",   "reformat",   "resize",     "scale",
        "scatter",    "select",  "shuffle",       "slice",    "soft_max",   "unary"};
    if (!op_name.starts_with(head)) return false;
    op_name.remove_prefix(head.size());
    return op_name.ends_with(pooling) || std::find(names.begin(), names.end(), op_name) != names.end();
}

bool is_amd(std::string_view device) {
    return contains_any(device, {"AMD", "Radeon", "Instinct"});
}

namespace {

// By the numbers of its architecture (gfx908 is 9.0): CDNA, and RDNA from its third generation on.
std::optional<bool> amd_has_matrix_cores(std::string_view device, int major, int minor) {
    if (contains_any(device, {"Vega", "Instinct MI50", "Instinct MI60", "Instinct MI25"})) return false;
    if (major >= 10) return major > 10;
    if (major == 9 && minor >= 4) return true;
    return std::nullopt;
}

}  // namespace

bool is_fp32_tensile(std::string_view name) {
    constexpr std::string_view kTensile = "Cijk_";  // "Cijk_Ailk_Bljk_SB_...": the indices, then the types
    if (!name.starts_with(kTensile)) return false;
    size_t at = kTensile.size();
    for (int part = 0; part < 2; ++part) {
        at = name.find('_', at);
        if (at == name.npos) return false;
        ++at;
    }
    const std::string_view types = name.substr(at);
    return types.starts_with("S_B_") || types.starts_with("SB_");
}

std::optional<bool> has_tensor_cores(std::string_view device, int major, int minor) {
    if (const std::optional<Device> known = DeviceTable::built_in().match(device))
        return std::any_of(known->peaks.begin(), known->peaks.end(),
                           [](const Peak& peak) { return peak.unit == UnitKind::kMatrix; });
    if (is_amd(device)) return amd_has_matrix_cores(device, major, minor);
    if (major == 0) return std::nullopt;
    if (major != 7 || minor != 5) return major >= 7;
    // TU116 and TU117 report 7.5 without Tensor Cores: "GeForce GTX 16..", "Quadro T1000", "NVIDIA T600", ...
    return !contains_any(
        device, {"GTX 16", "MX450", "MX550", "T400", "T500", "T550", "T600", "T1000", "T1200", "T2000"});
}

std::optional<bool> has_known_kernels(std::string_view device, int major) {
    if (const std::optional<Device> known = DeviceTable::built_in().match(device))
        return known->vendor == "NVIDIA" || known->vendor == "AMD";
    if (is_amd(device) || contains_any(device, {"NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN"}))
        return true;
    if (contains_any(device, {"Intel", "Gaudi", "MTIA", "Ascend", "TPU", "Trainium", "Inferentia", "Apple"}))
        return false;
    return major > 0 ? std::optional(true) : std::nullopt;  // a compute capability
}

std::optional<bool> has_fp64_tensor_cores(std::string_view device, int major, int minor) {
    if (const std::optional<Device> known = DeviceTable::built_in().match(device))
        return known->peak(UnitKind::kMatrix, Precision::kFp64) != nullptr;
    const std::optional<bool> any = has_tensor_cores(device, major, minor);
    if (!any || !*any || is_amd(device)) return any;
    return major >= 9 || (major == 8 && minor == 0);
}

}  // namespace opsight::hardware
