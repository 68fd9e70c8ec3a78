#include "hardware/op_tables.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace opsight::hardware {
namespace {

// Sources: the ops that PyTorch's autocast runs in FP16 (ATen/autocast_mode.cpp, "fp16" list), the kernels
// behind them (ATen/native/native_functions.yaml), and the attention ops of torch.nn.functional; Python's @.
// Sorted.
constexpr std::array<std::string_view, 70> kOps = {"__matmul__",
                                                   "__rmatmul__",
                                                   "_convolution",
                                                   "_efficient_attention_backward",
                                                   "_efficient_attention_forward",
                                                   "_flash_attention_backward",
                                                   "_flash_attention_forward",
                                                   "_int_mm",
                                                   "_scaled_dot_product_attention",
                                                   "_scaled_dot_product_attention_math",
                                                   "_scaled_dot_product_cudnn_attention",
                                                   "_scaled_dot_product_cudnn_attention_backward",
                                                   "_scaled_dot_product_efficient_attention",
                                                   "_scaled_dot_product_efficient_attention_backward",
                                                   "_scaled_dot_product_flash_attention",
                                                   "_scaled_dot_product_flash_attention_backward",
                                                   "_scaled_grouped_mm",
                                                   "_scaled_mm",
                                                   "_thnn_fused_gru_cell",
                                                   "_thnn_fused_lstm_cell",
                                                   "addbmm",
                                                   "addmm",
                                                   "addmv",
                                                   "addr",
                                                   "baddbmm",
                                                   "bmm",
                                                   "chain_matmul",
                                                   "conv1d",
                                                   "conv2d",
                                                   "conv3d",
                                                   "conv_tbc",
                                                   "conv_transpose1d",
                                                   "conv_transpose2d",
                                                   "conv_transpose3d",
                                                   "convolution",
                                                   "convolution_backward",
                                                   "convolution_overrideable",
                                                   "cudnn_convolution",
                                                   "cudnn_convolution_add_relu",
                                                   "cudnn_convolution_backward",
                                                   "cudnn_convolution_backward_input",
                                                   "cudnn_convolution_backward_weight",
                                                   "cudnn_convolution_relu",
                                                   "cudnn_convolution_transpose",
                                                   "einsum",
                                                   "gru",
                                                   "gru_cell",
                                                   "linalg_matmul",
                                                   "linalg_multi_dot",
                                                   "linalg_vecdot",
                                                   "linear",
                                                   "linear_backward",
                                                   "lstm",
                                                   "lstm_cell",
                                                   "matmul",
                                                   "matmul_backward",
                                                   "miopen_convolution",
                                                   "miopen_convolution_add_relu",
                                                   "miopen_convolution_relu",
                                                   "miopen_depthwise_convolution",
                                                   "miopen_rnn",
                                                   "mm",
                                                   "multi_head_attention_forward",
                                                   "mv",
                                                   "prelu",
                                                   "rnn_relu",
                                                   "rnn_relu_cell",
                                                   "rnn_tanh",
                                                   "rnn_tanh_cell",
                                                   "scaled_dot_product_attention"};
static_assert(std::is_sorted(kOps.begin(), kOps.end()));

// Autograd nodes without "Backward" and their version.
constexpr std::array<std::string_view, 38> kNodes = {"Addbmm",
                                                     "Addmm",
                                                     "AddmmActivation",
                                                     "Addmv",
                                                     "Addr",
                                                     "Baddbmm",
                                                     "Bmm",
                                                     "Conv",
                                                     "ConvTbc",
                                                     "Convolution",
                                                     "ConvolutionBackward",
                                                     "ConvolutionOverrideable",
                                                     "CudnnConvolution",
                                                     "CudnnConvolutionTranspose",
                                                     "CudnnRnn",
                                                     "CudnnRnnBackward",
                                                     "EfficientAttention",
                                                     "FlashAttention",
                                                     "Linear",
                                                     "LinalgMatmul",
                                                     "LinalgVecdot",
                                                     "Matmul",
                                                     "MiopenConvolution",
                                                     "MiopenConvolutionTranspose",
                                                     "MiopenRnn",
                                                     "Mkldnn",
                                                     "MkldnnConvolution",
                                                     "Mm",
                                                     "Mv",
                                                     "ScaledDotProductAttention",
                                                     "ScaledDotProductCudnnAttention",
                                                     "ScaledDotProductEfficientAttention",
                                                     "ScaledDotProductFlashAttention",
                                                     "ScaledMm",
                                                     "SlowConv3D",
                                                     "SlowConvTranspose2D",
                                                     "SlowConvTranspose3D",
                                                     "ThnnFusedLstmCell"};

// Products of ONNX, of the default domain and of ONNX Runtime's own (com.microsoft). Source: its
// docs/ContribOperators.md and ONNX's Operators.md.
constexpr std::array<std::string_view, 30> kOnnxOps = {"Attention",
                                                       "Conv",
                                                       "ConvInteger",
                                                       "ConvTranspose",
                                                       "DecoderAttention",
                                                       "DecoderMaskedMultiHeadAttention",
                                                       "DecoderMaskedSelfAttention",
                                                       "DynamicQuantizeLSTM",
                                                       "FusedConv",
                                                       "FusedGemm",
                                                       "GRU",
                                                       "Gemm",
                                                       "GemmFloat8",
                                                       "GroupQueryAttention",
                                                       "LSTM",
                                                       "LongformerAttention",
                                                       "MatMulBnb4",
                                                       "MatMulInteger",
                                                       "MatMulIntegerToFloat",
                                                       "MatMulNBits",
                                                       "MoE",
                                                       "MultiHeadAttention",
                                                       "NhwcConv",
                                                       "PackedAttention",
                                                       "PackedMultiHeadAttention",
                                                       "QAttention",
                                                       "QGemm",
                                                       "QLinearConv",
                                                       "QMoE",
                                                       "RNN"};
static_assert(std::is_sorted(kOnnxOps.begin(), kOnnxOps.end()));

std::string_view without_digits(std::string_view text) {
    while (!text.empty() && text.back() >= '0' && text.back() <= '9')
        text.remove_suffix(1);
    return text;
}

bool strip_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool is_tensor_core_node(std::string_view name) {
    constexpr std::string_view kBackward = "Backward";
    name = without_digits(name);
    if (!name.ends_with(kBackward)) return false;
    name.remove_suffix(kBackward.size());
    return std::find(kNodes.begin(), kNodes.end(), name) != kNodes.end();
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [text](std::string_view part) { return text.find(part) != text.npos; });
}

// Ops that others than PyTorch name: layers of TensorRT ("trt::cask_convolution"), and what libraries add
// ("aiter::gemm_a16w16", "_C::cutlass_scaled_mm", "vllm::unified_attention_with_output"). The name says that
// it computes a product, and not one of the parts around it.
bool is_product_of_library(std::string_view name) {
    const size_t colons = name.rfind("::");
    if (colons == name.npos) return false;
    name.remove_prefix(colons + 2);
    const bool product = name.ends_with("_mm") || name.ends_with("_rnn") || name.starts_with("rnn") ||
                         has_any(name, {"gemm", "scaled_mm", "matmul", "matrix_multiply", "fully_connected",
                                        "convolution", "attention", "_attn", "fmha", "mha_", "einsum"});
    return product && !has_any(name, {"cache", "quantize", "quant_", "mask", "softmax", "reduce", "combine",
                                      "permute", "shuffle", "metadata"});
}

// Instructions of XLA: "gemm_fusion_dot.3", "cublas-gemm.1", "cudnn-conv-bias-activation.2", "dot.7".
bool is_product_of_xla(std::string_view name) {
    return name.starts_with("dot.") || name.starts_with("convolution.") ||
           has_any(name, {"gemm_fusion", "cublas-", "cudnn-conv"});
}

}  // namespace

bool is_tensor_core_op(std::string_view name) {
    strip_prefix(name, "autograd::engine::evaluate_function: ");
    name = name.substr(0, name.find(", seq = "));
    if (is_tensor_core_node(name) || is_product_of_xla(name)) return true;
    // As PyProf and DLProf mark calls: "torch.nn.functional.conv2d", "Tensor.matmul_backward".
    if (name.starts_with("torch.") || name.starts_with("Tensor.")) {
        constexpr std::string_view kBackward = "_backward";
        name.remove_prefix(name.rfind('.') + 1);
        if (name.ends_with(kBackward)) name.remove_suffix(kBackward.size());
    }
    if (!strip_prefix(name, "aten::") && name.find("::") != std::string_view::npos)
        return is_product_of_library(name);
    return std::binary_search(kOps.begin(), kOps.end(), name);
}

bool is_tensor_core_node_type(std::string_view type) {
    constexpr std::string_view endings[] = {"Conv2D",
                                            "Conv2DBackpropFilter",
                                            "Conv2DBackpropInput",
                                            "Conv3D",
                                            "Conv3DBackpropFilterV2",
                                            "Conv3DBackpropInputV2",
                                            "MatMul",
                                            "FusedMatMul",
                                            "Einsum",
                                            "XlaDot",
                                            "XlaDotV2"};
    if (type.starts_with("DepthwiseConv2dNative") || type.starts_with("CudnnRNN")) return true;
    if (type.find("BatchMatMul") != type.npos) return true;
    if (std::binary_search(kOnnxOps.begin(), kOnnxOps.end(), type)) return true;
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](std::string_view ending) { return type.ends_with(ending); });
}

bool is_tensor_core_dtype(std::string_view dtype, bool fp64) {
    constexpr std::string_view without[] = {"long", "long int", "int", "short", "short int", "bool"};
    if (dtype == "double") return fp64;
    return std::find(std::begin(without), std::end(without), dtype) == std::end(without);
}

}  // namespace opsight::hardware
