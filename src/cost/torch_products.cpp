// Matrix products and convolutions of PyTorch, forward and backward.
#include <algorithm>
#include <unordered_map>

#include "cost/torch_attention.h"
#include "cost/torch_rules.h"

namespace opsight::cost {
namespace {

void take_products(TorchWork& work, const OpWork& forward) {
    work.kind = WorkKind::kMatrix;
    work.macs += forward.macs;
    work.flops += forward.flops;
    work.matrix_flops += forward.matrix_flops;
}

// ---- matrix products -------------------------------------------------------------------------------------

struct Gemm {
    int a, b, bias = kNowhere;
    bool b_turned = false;       // weights of linear layers: (N, K)
    std::string_view then = {};  // applied to the result
};

// Sizes in front of the last two, as they stretch to each other. Nothing where they do not fit.
std::optional<Shape> batch_of(const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& other = a.size() >= b.size() ? b : a;
    if (longer.size() <= 2) return Shape();
    Shape batch(longer.begin(), longer.end() - 2);
    for (size_t i = 0; other.size() > 2 && i < other.size() - 2; ++i) {
        int64_t& size = batch[batch.size() - 1 - i];
        const int64_t second = other[other.size() - 3 - i];
        if (size != second && size != 1 && second != 1) return std::nullopt;
        size = size == 1 ? second : size;
    }
    return batch;
}

bool matrix_product(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const Gemm& facts = *static_cast<const Gemm*>(rule.facts);
    const TorchTensor* a = call.tensor(static_cast<size_t>(facts.a));
    const TorchTensor* b = call.tensor(static_cast<size_t>(facts.b));
    if (!a || !b || a->shape.empty() || b->shape.empty()) return false;
    Shape left = a->shape, right = b->shape;
    const bool left_vector = left.size() == 1, right_vector = right.size() == 1;
    if (left_vector) left.insert(left.begin(), 1);
    if (right_vector)
        right.push_back(1);
    else if (facts.b_turned)
        std::swap(right[right.size() - 1], right[right.size() - 2]);
    const int64_t inner = left.back();
    std::optional<Shape> out = batch_of(left, right);
    if (!out || right[right.size() - 2] != inner) return false;
    out->push_back(left[left.size() - 2]);
    out->push_back(right.back());
    const std::optional<int64_t> results = element_count(*out);
    if (!results) return false;
    const TorchTensor* bias = facts.bias == kNowhere ? nullptr : call.tensor(static_cast<size_t>(facts.bias));
    const ElementType result_type =
        bits_of(a->type) < 16 ? ElementType::kBfloat16 : a->type;  // products of 8 bits come out wider
    if (result_type != a->type) assume(work, "results of 8-bit products are taken to have 16 bits");
    const int64_t rows = right.back() > 0 ? *results / right.back() : 0;
    OneOp product(bias ? "Gemm" : "MatMul");
    product.in({rows, inner}, a->type).in({inner, right.back()}, b->type);
    if (bias) product.in(bias->shape, bias->type);
    take_products(work, product.out({rows, right.back()}, result_type).work());
    if (!facts.then.empty())
        work.flops += OneOp(std::string(facts.then)).in(*out, a->type).out(*out, a->type).work().flops;
    work.type = a->type;
    work.bytes = a->bytes() + b->bytes() + (bias ? bias->bytes() : 0) + bytes_of(*out, result_type);
    return true;
}

// linear_backward(input, grad_output, weight, mask): one product for each gradient of a matrix.
bool linear_backward(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *input = call.tensor(0), *gradient = call.tensor(1), *weight = call.tensor(2);
    if (!input || !gradient || !weight || weight->shape.size() != 2) return false;
    const double macs = gradient->elements() * static_cast<double>(weight->shape[1]);
    const auto mask = call.flags(3);
    if (!mask) assume(work, "which gradients were wanted is not told: those of data and weights");
    const bool data = !mask || (!mask->empty() && (*mask)[0]);
    const bool weights = !mask || (mask->size() > 1 && (*mask)[1]);
    const bool bias = mask && mask->size() > 2 && (*mask)[2];
    work.kind = WorkKind::kMatrix;
    work.macs = macs * (data + weights);
    work.matrix_flops = 2 * work.macs;
    work.flops = work.matrix_flops + (bias ? gradient->elements() : 0);
    work.type = gradient->type;
    work.bytes = gradient->bytes() + (data ? weight->bytes() + input->bytes() : 0) +
                 (weights ? input->bytes() + weight->bytes() : 0);
    return true;
}

// ---- convolutions ----------------------------------------------------------------------------------------

struct Convolution {
    int input, weight, bias, stride, padding, dilation, groups;
    int transposed = kNowhere, output_padding = kNowhere;
    bool always_transposed = false;
    std::string_view then = {};  // applied to the result
};

size_t place(int index) {
    return static_cast<size_t>(index);
}

// Values of `index` for each dimension; ones (zeros for paddings) where the op has no such argument.
std::optional<std::vector<int64_t>> each_dimension(const TorchCall& call, int index, size_t dimensions,
                                                   int64_t otherwise) {
    if (index == kNowhere) return std::vector<int64_t>(dimensions, otherwise);
    return call.integers(place(index), dimensions);
}

// The shape of what comes out, batch and channels first. Nothing where the call does not tell.
std::optional<Shape> convolved(const TorchCall& call, const Convolution& facts, const Shape& input,
                               const Shape& weight, bool transposed) {
    const size_t dimensions = weight.size() - 2;
    const auto stride = each_dimension(call, facts.stride, dimensions, 1);
    const auto dilation = each_dimension(call, facts.dilation, dimensions, 1);
    auto padding = each_dimension(call, facts.padding, dimensions, 0);
    const bool same =
        place(facts.padding) < call.arguments.size() && call.arguments[place(facts.padding)].value == "same";
    if (!stride || !dilation || (!padding && !same)) return std::nullopt;
    const auto groups = call.integer(place(facts.groups));
    Shape out = {input[0], transposed ? weight[1] * groups.value_or(1) : weight[0]};
    const auto more = each_dimension(call, transposed ? facts.output_padding : kNowhere, dimensions, 0);
    for (size_t d = 0; d < dimensions; ++d) {
        const int64_t size = input[d + 2], reach = (*dilation)[d] * (weight[d + 2] - 1);
        if ((*stride)[d] < 1 || reach < 0 || reach > kMostElements) return std::nullopt;
        if (same)
            out.push_back(size);
        else if (transposed)
            out.push_back((size - 1) * (*stride)[d] - 2 * (*padding)[d] + reach + (more ? (*more)[d] : 0) +
                          1);
        else
            out.push_back((size + 2 * (*padding)[d] - reach - 1) / (*stride)[d] + 1);
    }
    return element_count(out) ? std::optional(out) : std::nullopt;
}

OpWork convolution_work(const Shape& input, const Shape& weight, const Shape& output, ElementType type,
                        bool bias, bool transposed) {
    OneOp op(transposed ? "ConvTranspose" : "Conv");
    op.in(input, type).in(weight, type);
    if (bias) op.in({output[1]}, type);
    return op.out(output, type).work();
}

bool is_transposed(const TorchCall& call, const Convolution& facts) {
    return facts.always_transposed ||
           (facts.transposed != kNowhere && call.flag(place(facts.transposed)).value_or(false));
}

bool convolution(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const Convolution& facts = *static_cast<const Convolution*>(rule.facts);
    const TorchTensor *input = call.tensor(place(facts.input)), *weight = call.tensor(place(facts.weight));
    if (!input || !weight || weight->shape.size() < 3 || input->shape.size() + 1 < weight->shape.size())
        return false;
    Shape in = input->shape;
    if (in.size() + 1 == weight->shape.size()) in.insert(in.begin(), 1);  // no batch
    if (in.size() != weight->shape.size()) return false;
    const bool transposed = is_transposed(call, facts);
    std::optional<Shape> out = convolved(call, facts, in, weight->shape, transposed);
    if (!out && call.known_outputs) {
        const auto known = call.known_outputs->find({in, weight->shape});
        if (known != call.known_outputs->end()) out = known->second;
        assume(work, "the size of what comes out is taken from the backward pass of the same shapes");
    }
    if (!out || out->size() != in.size()) return false;
    const TorchTensor* bias = facts.bias == kNowhere ? nullptr : call.tensor(place(facts.bias));
    take_products(work, convolution_work(in, weight->shape, *out, input->type, bias != nullptr, transposed));
    if (!facts.then.empty())
        work.flops +=
            OneOp(std::string(facts.then)).in(*out, input->type).out(*out, input->type).work().flops;
    work.type = input->type;
    work.bytes = input->bytes() + weight->bytes() + (bias ? bias->bytes() : 0) + bytes_of(*out, input->type);
    return true;
}

struct ConvolutionBackward {
    int gradient, input, weight, mask, transposed = kNowhere;
};

// Gradients of data and weights are a product of the forward pass's size each, that of the bias a sum.
bool convolution_backward(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const auto& facts = *static_cast<const ConvolutionBackward*>(rule.facts);
    const TorchTensor* gradient = call.tensor(place(facts.gradient));
    const TorchTensor *input = call.tensor(place(facts.input)), *weight = call.tensor(place(facts.weight));
    if (!gradient || !input || !weight || weight->shape.size() < 3 ||
        input->shape.size() != weight->shape.size() || gradient->shape.size() != weight->shape.size())
        return false;
    const bool transposed =
        facts.transposed != kNowhere && call.flag(place(facts.transposed)).value_or(false);
    const OpWork forward =
        convolution_work(input->shape, weight->shape, gradient->shape, gradient->type, false, transposed);
    const auto mask = call.flags(place(facts.mask));
    if (!mask) assume(work, "which gradients were wanted is not told: those of data and weights");
    const bool data = !mask || (!mask->empty() && (*mask)[0]);
    const bool weights = !mask || (mask->size() > 1 && (*mask)[1]);
    const bool bias = mask && mask->size() > 2 && (*mask)[2];
    work.kind = WorkKind::kMatrix;
    work.macs = forward.macs * (data + weights);
    work.matrix_flops = 2 * work.macs;
    work.flops = work.matrix_flops + (bias ? gradient->elements() : 0);
    work.type = gradient->type;
    const double bias_bytes = bias ? bytes_of({gradient->shape[1]}, gradient->type) : 0;
    work.bytes = gradient->bytes() + (data ? weight->bytes() + input->bytes() : 0) +
                 (weights ? input->bytes() + weight->bytes() : 0) + bias_bytes;
    return true;
}

// ---- tables ----------------------------------------------------------------------------------------------

constexpr Gemm kMm{0, 1}, kLinear{0, 1, 2, true}, kAddmm{1, 2, 0};
constexpr Gemm kAddmmRelu{1, 2, 0, false, "Relu"}, kScaledMm{0, 1, 4};
constexpr Convolution kConv{0, 1, 2, 3, 4, 5, 6}, kConvolution{0, 1, 2, 3, 4, 5, 8, 6, 7};
constexpr Convolution kCudnn{0, 1, kNowhere, 3, 2, 4, 5}, kMiopen{0, 1, 2, 4, 3, 5, 6};
constexpr Convolution kCudnnRelu{0, 1, 2, 3, 4, 5, 6, kNowhere, kNowhere, false, "Relu"};
constexpr Convolution kCudnnAddRelu{0, 1, 4, 5, 6, 7, 8, kNowhere, kNowhere, false, "Add"};
constexpr Convolution kConvTranspose{0, 1, 2, 3, 4, 7, 6, kNowhere, 5, true};
constexpr Convolution kCudnnTranspose{0, 1, kNowhere, 4, 2, 5, 6, kNowhere, 3, true};
constexpr Convolution kMiopenTranspose{0, 1, 2, 5, 3, 6, 7, kNowhere, 4, true};
// Of the next two the weights' shape tells the kernel and the groups.
constexpr Convolution kDepthwise{0, 1, 3, 4, 5, 6, 7}, kSlow{0, 1, 3, 4, 5, kNowhere, 7};
constexpr ConvolutionBackward kBackward{0, 1, 2, 10, 7}, kCudnnBackward{1, 0, 2, 9};

const std::unordered_map<std::string_view, TorchRule>& rules() {
    using Out = TorchRule::Output;
    const auto gemm = [](const Gemm& facts) { return TorchRule{matrix_product, "", 0, Out::kSame, &facts}; };
    const auto conv = [](const Convolution& facts) {
        return TorchRule{convolution, "", 0, Out::kSame, &facts};
    };
    const auto back = [](const ConvolutionBackward& facts) {
        return TorchRule{convolution_backward, "", 0, Out::kSame, &facts};
    };
    static const std::unordered_map<std::string_view, TorchRule> all = {
        {"mm", gemm(kMm)},
        {"bmm", gemm(kMm)},
        {"mv", gemm(kMm)},
        {"dot", gemm(kMm)},
        {"vdot", gemm(kMm)},
        {"matmul", gemm(kMm)},
        {"_int_mm", gemm(kMm)},
        {"addmm", gemm(kAddmm)},
        {"addmv", gemm(kAddmm)},
        {"baddbmm", gemm(kAddmm)},
        {"_addmm_activation", gemm(kAddmmRelu)},
        {"linear", gemm(kLinear)},
        {"mkldnn_linear", gemm(kLinear)},
        {"_scaled_mm", gemm(kScaledMm)},
        {"linear_backward", {linear_backward}},
        {"conv1d", conv(kConv)},
        {"conv2d", conv(kConv)},
        {"conv3d", conv(kConv)},
        {"convolution", conv(kConvolution)},
        {"_convolution", conv(kConvolution)},
        {"convolution_overrideable", conv(kConvolution)},
        {"cudnn_convolution", conv(kCudnn)},
        {"cudnn_convolution_relu", conv(kCudnnRelu)},
        {"cudnn_convolution_add_relu", conv(kCudnnAddRelu)},
        {"cudnn_convolution_transpose", conv(kCudnnTranspose)},
        {"miopen_convolution", conv(kMiopen)},
        {"miopen_depthwise_convolution", conv(kMiopen)},
        {"miopen_convolution_transpose", conv(kMiopenTranspose)},
        {"miopen_convolution_relu", conv(kCudnnRelu)},
        {"miopen_convolution_add_relu", conv(kCudnnAddRelu)},
        {"mkldnn_convolution", conv(kMiopen)},
        {"conv_transpose1d", conv(kConvTranspose)},
        {"conv_transpose2d", conv(kConvTranspose)},
        {"conv_transpose3d", conv(kConvTranspose)},
        {"_conv_depthwise2d", conv(kDepthwise)},
        {"conv_depthwise3d", conv(kDepthwise)},
        {"slow_conv2d_forward", conv(kSlow)},
        {"_slow_conv2d_forward", conv(kSlow)},
        {"thnn_conv2d", conv(kSlow)},
        {"thnn_conv2d_forward", conv(kSlow)},
        {"convolution_backward", back(kBackward)},
        {"convolution_backward_overrideable", back(kBackward)},
        {"cudnn_convolution_backward", back(kCudnnBackward)},
        {"miopen_convolution_backward", back(kCudnnBackward)},
        {"mkldnn_convolution_backward", back(kCudnnBackward)},
    };
    return all;
}

}  // namespace

void learn_outputs(const TorchCall& call, KnownOutputs& known) {
    const auto found = rules().find(bare_torch_name(call.name));
    if (found == rules().end() || found->second.apply != convolution_backward) return;
    const auto& facts = *static_cast<const ConvolutionBackward*>(found->second.facts);
    const TorchTensor* gradient = call.tensor(place(facts.gradient));
    const TorchTensor *input = call.tensor(place(facts.input)), *weight = call.tensor(place(facts.weight));
    if (!gradient || !input || !weight) return;
    const auto [entry, is_new] = known.try_emplace({input->shape, weight->shape}, gradient->shape);
    if (!is_new && entry->second != gradient->shape) entry->second.reset();
}

const TorchRule* torch_product_rule(std::string_view name) {
    const auto found = rules().find(name);
    return found != rules().end() ? &found->second : torch_attention_rule(name);
}

}  // namespace opsight::cost
