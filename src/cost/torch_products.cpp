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
    bool b_turned = false;                   // weights of linear layers: (N, K)
    std::string_view then = {};              // applied to the result
    int out = kNowhere;                      // the tensor that the result is written to
    int out_type = kNowhere;                 // the number of its type
    std::optional<ElementType> result = {};  // where it is always of one type
};

// The type of the result where the call tells it.
std::optional<ElementType> told_type(const TorchCall& call, const Gemm& facts, int64_t results) {
    const TorchTensor* out = facts.out == kNowhere ? nullptr : call.tensor(static_cast<size_t>(facts.out));
    if (out && static_cast<int64_t>(out->elements()) == results && out->type != ElementType::kUnknown)
        return out->type;
    if (facts.result) return facts.result;
    const auto number =
        facts.out_type == kNowhere ? std::nullopt : call.integer(static_cast<size_t>(facts.out_type));
    return number ? torch_scalar_type(*number) : std::nullopt;
}

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
    const std::optional<ElementType> told = told_type(call, facts, *results);
    const ElementType result_type = told ? *told
                                    : bits_of(a->type) < 16
                                        ? ElementType::kBfloat16  // products of 8 bits come out wider
                                        : a->type;
    if (!told && result_type != a->type) assume(work, "results of 8-bit products are taken to have 16 bits");
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

// Products of rows in groups, each with a matrix of its own: _grouped_mm(a, b, ends of the groups, ...).
// Where one of them has no groups, the ends divide its rows, columns or inner size.
bool grouped_product(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *a = call.tensor(0), *b = call.tensor(1);
    if (!a || !b || a->shape.size() < 2 || b->shape.size() < 2 || a->shape.size() > 3 || b->shape.size() > 3)
        return false;
    const bool a_groups = a->shape.size() == 3, b_groups = b->shape.size() == 3;
    const int64_t rows = a->shape[a->shape.size() - 2], inner = a->shape.back(), columns = b->shape.back();
    if (b->shape[b->shape.size() - 2] != inner) return false;
    int64_t results = 1;
    if (a_groups && b_groups) {
        if (a->shape[0] != b->shape[0]) return false;
        results = a->shape[0];
    }
    const double macs = static_cast<double>(results) * static_cast<double>(rows) *
                        static_cast<double>(inner) * static_cast<double>(columns);
    if (!a_groups && !b_groups) {  // the inner size is divided: a result for each group
        const TorchTensor* ends = call.tensor(call.name.find("scaled") == call.name.npos ? 2 : 4);
        if (!ends || ends->shape.size() != 1) return false;
        results = ends->shape[0];
    }
    const Shape out = {results, rows, columns};
    if (!element_count(out)) return false;
    const bool narrow = bits_of(a->type) < 16;
    work.kind = WorkKind::kMatrix;
    work.macs = macs;
    work.flops = work.matrix_flops = 2 * macs;
    work.type = a->type;
    // A group without rows leaves its matrix unread.
    const auto read = [](const TorchTensor& matrices, int64_t most) {
        const auto groups = static_cast<double>(std::max<int64_t>(matrices.shape[0], 1));
        return matrices.bytes() * std::min(1.0, static_cast<double>(most) / groups);
    };
    work.bytes = (a_groups && !b_groups ? read(*a, columns) : a->bytes()) +
                 (b_groups && !a_groups ? read(*b, rows) : b->bytes()) +
                 bytes_of(out, narrow ? ElementType::kBfloat16 : a->type);
    if (a_groups != b_groups) assume(work, "all groups are taken to have rows");
    return true;
}

// _weight_int4pack_mm(x, packed weights, ...): tiles of 8 columns and, for CPUs, rows of two values to the
// byte; _weight_int8pack_mm(x, weights, scales).
bool packed_product(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *x = call.tensor(0), *weights = call.tensor(1);
    if (!x || !weights || x->shape.size() != 2 || weights->shape.size() < 2) return false;
    constexpr int64_t kTile = 8;
    const int64_t columns = weights->shape[0] * (weights->shape.size() == 4 ? kTile : 1);
    OneOp product("MatMul");
    product.in(x->shape, x->type).in({x->shape[1], columns}, x->type).out({x->shape[0], columns}, x->type);
    take_products(work, product.work());
    work.type = x->type;
    work.bytes = x->bytes() + weights->bytes() + bytes_of({x->shape[0], columns}, x->type);
    for (const size_t scales : {2, 3})
        if (const TorchTensor* tensor = call.tensor(scales)) work.bytes += tensor->bytes();
    return work.kind == WorkKind::kMatrix;
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
    work.data_and_weights = data && weights;
    work.bytes = gradient->bytes() + (data ? weight->bytes() + input->bytes() : 0) +
                 (weights ? input->bytes() + weight->bytes() : 0) + bias_bytes;
    return true;
}

// ---- tables ----------------------------------------------------------------------------------------------

constexpr Gemm kMm{0, 1, kNowhere, false, {}, 2};
constexpr Gemm kIntMm{0, 1, kNowhere, false, {}, 2, kNowhere, ElementType::kInt32};
constexpr Gemm kLinear{0, 1, 2, true};
constexpr Gemm kAddmm{1, 2, 0, false, {}, 5}, kAddmmRelu{1, 2, 0, false, "Relu"};
constexpr Gemm kScaledMm{0, 1, 4, false, {}, kNowhere, 6};
// vLLM's (out, a, b, scales, scales, bias); SGLang's (a, b, scales, scales, type, bias); AITER's (a, b
// turned, …).
constexpr Gemm kCutlass{1, 2, 5, false, {}, 0}, kSglScaled{0, 1, 5}, kAiter{0, 1, kNowhere, true};
constexpr Gemm kCutlassAzp{1, 2, 7, false, {}, 0};
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

using Rules = std::unordered_map<std::string_view, TorchRule>;

Rules matrix_rules() {
    const auto gemm = [](const Gemm& facts) {
        return TorchRule{matrix_product, "", 0, TorchRule::Output::kSame, &facts};
    };
    return {
        {"mm", gemm(kMm)},
        {"bmm", gemm(kMm)},
        {"mv", gemm(kMm)},
        {"dot", gemm(kMm)},
        {"vdot", gemm(kMm)},
        {"matmul", gemm(kMm)},
        {"_int_mm", gemm(kIntMm)},
        {"addmm", gemm(kAddmm)},
        {"addmv", gemm(kAddmm)},
        {"baddbmm", gemm(kAddmm)},
        {"_addmm_activation", gemm(kAddmmRelu)},
        {"linear", gemm(kLinear)},
        {"mkldnn_linear", gemm(kLinear)},
        {"_scaled_mm", gemm(kScaledMm)},
        {"linear_backward", {linear_backward}},
        {"_grouped_mm", {grouped_product}},
        {"_scaled_grouped_mm", {grouped_product}},
        {"_weight_int4pack_mm", {packed_product}},
        {"_weight_int4pack_mm_for_cpu", {packed_product}},
        {"_weight_int8pack_mm", {packed_product}},
        {"_C::cutlass_scaled_mm", gemm(kCutlass)},
        {"_C::cutlass_scaled_mm_azp", gemm(kCutlassAzp)},
        {"sgl_kernel::fp8_scaled_mm", gemm(kSglScaled)},
        {"sgl_kernel::int8_scaled_mm", gemm(kSglScaled)},
        {"aiter::gemm_a8w8", gemm(kAiter)},
        {"aiter::gemm_a8w8_bpreshuffle", gemm(kAiter)},
        {"aiter::gemm_a8w8_blockscale", gemm(kAiter)},
    };
}

Rules convolution_rules() {
    using Out = TorchRule::Output;
    const auto conv = [](const Convolution& facts) {
        return TorchRule{convolution, "", 0, Out::kSame, &facts};
    };
    const auto back = [](const ConvolutionBackward& facts) {
        return TorchRule{convolution_backward, "", 0, Out::kSame, &facts};
    };
    return {
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
        {"trt::convolution", conv(kConv)},  // of TensorRT's engines
        {"convolution_backward", back(kBackward)},
        {"convolution_backward_overrideable", back(kBackward)},
        {"cudnn_convolution_backward", back(kCudnnBackward)},
        {"miopen_convolution_backward", back(kCudnnBackward)},
        {"mkldnn_convolution_backward", back(kCudnnBackward)},
    };
}

const Rules& rules() {
    static const Rules all = [] {
        Rules both = matrix_rules();
        both.merge(convolution_rules());
        return both;
    }();
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
