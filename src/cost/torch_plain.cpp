// PyTorch's ops without products: elementwise, reductions, normalisations, pooling, losses, optimizers,
// copies.
#include <algorithm>
#include <unordered_map>

#include "cost/estimate.h"
#include "cost/torch_attention.h"
#include "cost/torch_promotion.h"
#include "cost/torch_rules.h"

namespace opsight::cost {
namespace {

using Output = TorchRule::Output;

// The shape that tensors stretch to. Nothing where they do not fit.
std::optional<Shape> stretched(const Shape& a, const Shape& b) {
    Shape out = a.size() >= b.size() ? a : b;
    const Shape& other = a.size() >= b.size() ? b : a;
    for (size_t i = 0; i < other.size(); ++i) {
        int64_t& size = out[out.size() - 1 - i];
        const int64_t second = other[other.size() - 1 - i];
        if (size != second && size != 1 && second != 1) return std::nullopt;
        if (size == 1) size = second;
    }
    return element_count(out) ? std::optional(out) : std::nullopt;
}

// What the op computes with. A single number among tensors decides only where it is of a higher kind.
struct ResultType {
    std::optional<ElementType> tensors, numbers;

    void take(const TorchTensor& tensor) {
        std::optional<ElementType>& type = tensor.shape.empty() ? numbers : tensors;
        type = type ? promoted(*type, tensor.type) : tensor.type;
    }
    ElementType get() const {
        if (!tensors) return numbers.value_or(ElementType::kUnknown);
        return numbers && rank_of_kind(*numbers) > rank_of_kind(*tensors) ? *numbers : *tensors;
    }
};

// "add_" writes into its first argument, "__and__" does not.
bool works_in_place(std::string_view name) {
    return name.ends_with('_') && !name.ends_with("__");
}

bool elementwise(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    std::optional<Shape> out;
    ResultType result;
    double bytes = 0;
    for (size_t i = 0; i < static_cast<size_t>(rule.inputs); ++i) {
        const TorchTensor* tensor = call.tensor(i);
        if (!tensor) continue;
        bytes += tensor->bytes();
        result.take(*tensor);
        out = out ? stretched(*out, tensor->shape) : tensor->shape;
        if (!out) return false;
    }
    if (!out) return false;
    const ElementType type = result.get();
    const TorchTensor* written = works_in_place(call.name) ? call.tensor(0) : nullptr;
    const ElementType out_type = written                        ? written->type
                                 : rule.output == Output::kBool ? ElementType::kBool
                                                                : type;
    if (rule.output != Output::kNone) bytes += bytes_of(*out, out_type);
    return finish(work, flops_of(rule.ops, *out, *out, type), bytes, type);
}

// _to_copy(input, dtype, ...): of the type that it tells, or its own.
bool convert(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor* input = call.tensor(0);
    if (!input) return false;
    const auto number = call.integer(1);
    const auto told = number ? torch_scalar_type(*number) : std::nullopt;
    const bool silent = std::all_of(call.arguments.begin() + 1, call.arguments.end(),
                                    [](const TorchArgument& argument) { return argument.value.empty(); });
    if (silent || (number && !told)) assume(work, "the type of the result is not told: that of the input");
    return finish(work, 0, input->bytes() + bytes_of(input->shape, told.value_or(input->type)), input->type);
}

// Lists of tensors, element by element; the first list is written. `inputs` lists are read.
bool for_each(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const std::vector<TorchTensor>* first = call.list(0);
    if (!first) return false;
    double flops = 0, bytes = 0;
    for (size_t i = 0; i < static_cast<size_t>(rule.inputs); ++i)
        if (const auto* list = call.list(i))
            for (const TorchTensor& tensor : *list)
                bytes += tensor.bytes();
    for (const TorchTensor& tensor : *first) {
        flops += flops_of(rule.ops, tensor.shape, tensor.shape, tensor.type);
        if (rule.output != Output::kNone) bytes += tensor.bytes();
    }
    assume(work, "the type of tensors in lists is not told: the profile's most frequent one");
    return finish(work, flops, bytes, first->front().type);
}

// Fused optimizers: lists of parameters, gradients and states.
bool fused_optimizer(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const std::vector<TorchTensor>* parameters = call.list(0);
    if (!parameters) return false;
    const OptimizerStep step = optimizer_step(rule.inputs == 4   ? Optimizer::kAdam
                                              : rule.inputs == 3 ? Optimizer::kMomentum
                                                                 : Optimizer::kSgd);
    double elements = 0, bytes = 0;
    for (const TorchTensor& tensor : *parameters) {
        elements += tensor.elements();
        bytes += step.moved * tensor.bytes();
    }
    assume(work, "the type of tensors in lists is not told: the profile's most frequent one");
    return finish(work, step.flops * elements, bytes, parameters->front().type);
}

// The dimensions that a reduction leaves; nothing where its arguments do not tell.
std::optional<Shape> reduced(const TorchCall& call, const TorchTensor& input) {
    if (call.arguments.size() < 2 || call.tensor(1)) return Shape();  // sum(x), sum(x, out)
    const std::string& told = call.arguments[1].value;
    if (told.empty() || told == "[]" || told == "None") return Shape();
    const auto dimensions = call.integers(1);
    if (!dimensions) return std::nullopt;
    Shape out = input.shape;
    for (int64_t d : *dimensions) {
        const int64_t at = d < 0 ? d + static_cast<int64_t>(out.size()) : d;
        if (at < 0 || at >= static_cast<int64_t>(out.size())) return std::nullopt;
        out[static_cast<size_t>(at)] = 1;
    }
    return out;
}

bool reduction(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor* input = call.tensor(0);
    if (!input) return false;
    const std::optional<Shape> left = reduced(call, *input);
    const double out = left ? bytes_of(*left, input->type) : 0;
    return finish(work, flops_of(rule.ops, input->shape, left.value_or(Shape()), input->type),
                  input->bytes() + out, input->type);
}

// What reads all of its tensors and gives as much as the first holds.
bool whole(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor* input = call.tensor(0);
    if (!input) return false;
    double bytes = input->bytes();
    for (size_t i = 1; i < static_cast<size_t>(rule.inputs); ++i)
        if (const TorchTensor* tensor = call.tensor(i)) bytes += tensor->bytes();
    if (rule.output == Output::kSame) bytes += bytes_of(input->shape, input->type);
    return finish(work, flops_of(rule.ops, input->shape, input->shape, input->type), bytes, input->type);
}

// Batch normalisation finds mean and variance in training; `facts`: where the op says whether it does.
struct BatchNorm {
    int training;
    bool always = false;
};
constexpr BatchNorm kNativeNorm{5}, kBackwardNorm{7}, kLibraryBackward{kNowhere, true};

bool batch_norm(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const auto& facts = *static_cast<const BatchNorm*>(rule.facts);
    const auto told = facts.always ? std::optional(true) : call.flag(static_cast<size_t>(facts.training));
    if (!told) assume(work, "whether batch normalisation ran in training is not told: taken to be");
    const bool backward = rule.ops == "~";
    const char* op = told.value_or(true) ? (backward ? "~InstanceNormalization" : "InstanceNormalization")
                                         : (backward ? "~BatchNormalization" : "BatchNormalization");
    TorchRule with = rule;
    with.ops = op;
    return whole(call, with, work);
}

// Forward: one comparison or addition for each place of a window. Arguments: input, window, stride, padding,
// dilation (of maxima), ceil mode.
bool pool(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor* input = call.tensor(0);
    const bool maxima = rule.ops == "MaxPool";
    if (!input || input->shape.size() < 3) return false;
    const size_t dimensions = std::min<size_t>(input->shape.size() - 2, static_cast<size_t>(rule.inputs));
    const auto window = call.integers(1, dimensions);
    auto stride = call.integers(2, dimensions);
    const auto padding = call.integers(3, dimensions);
    const auto dilation = maxima ? call.integers(4, dimensions) : std::vector<int64_t>(dimensions, 1);
    const bool rounded_up = call.flag(maxima ? 5 : 4).value_or(false);
    if (call.arguments.size() > 2 && call.arguments[2].value == "[]") stride = window;
    if (!window || !stride || !padding || !dilation) return false;
    Shape out = input->shape;
    for (size_t d = 0; d < dimensions; ++d) {
        int64_t& size = out[out.size() - dimensions + d];
        const int64_t reach = size + 2 * (*padding)[d] - (*dilation)[d] * ((*window)[d] - 1) - 1;
        if ((*stride)[d] < 1 || reach < 0) return false;
        size = (reach + (rounded_up ? (*stride)[d] - 1 : 0)) / (*stride)[d] + 1;
    }
    if (!element_count(out)) return false;
    const OpWork found = OneOp(std::string(rule.ops))
                             .in(input->shape, input->type)
                             .out(out, input->type)
                             .set("kernel_shape", *window)
                             .work();
    const bool places = rule.output == Output::kBool;  // writes where the maxima stood, too
    return finish(
        work, found.flops,
        input->bytes() + bytes_of(out, input->type) + (places ? bytes_of(out, ElementType::kInt64) : 0),
        input->type);
}

// grad_output, input, ...: one addition for each gradient that comes in; all of the input's is written.
bool pool_backward(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor *gradient = call.tensor(0), *input = call.tensor(1);
    if (!gradient || !input) return false;
    const bool places = rule.ops == "~MaxPool";
    const double indices = places ? bytes_of(gradient->shape, ElementType::kInt64) : 0;
    return finish(work, gradient->elements(),
                  gradient->bytes() + indices + bytes_of(input->shape, input->type), gradient->type);
}

// copy_(to, from): both move in their own types.
bool copy(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *to = call.tensor(0), *from = call.tensor(1);
    if (!to || !from) return false;
    return finish(work, 0, from->bytes() + to->bytes(), to->type);
}

// What writes a tensor and reads none.
bool fill(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor* to = call.tensor(0);
    return to && finish(work, 0, to->bytes(), to->type);
}

bool concatenate(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const std::vector<TorchTensor>* list = call.list(0);
    if (!list) return false;
    double bytes = 0;
    for (const TorchTensor& tensor : *list)
        bytes += tensor.bytes() + bytes_of(tensor.shape, tensor.type);
    assume(work, "the type of tensors in lists is not told: the profile's most frequent one");
    return finish(work, 0, bytes, list->front().type);
}

// Rows of a table, `inputs` saying where their numbers are: embedding(table, rows), index_select(x, dim,
// rows). A row that is asked for again need not come from the memory again: at most the table is read.
bool take_rows(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor *table = call.tensor(0), *rows = call.tensor(static_cast<size_t>(rule.inputs));
    if (!table || !rows || table->shape.empty()) return false;
    const auto told = rule.inputs == 2 ? call.integer(1) : std::optional<int64_t>(0);
    const int64_t rank = static_cast<int64_t>(table->shape.size());
    const int64_t dimension = told ? (*told < 0 ? *told + rank : *told) : 0;
    if (dimension < 0 || dimension >= rank) return false;
    const auto length = static_cast<double>(table->shape[static_cast<size_t>(dimension)]);
    const double row = length > 0 ? table->elements() / length : 0;
    if (!told) assume(work, "the dimension is not told: the first");
    const double taken = row * rows->elements() * static_cast<double>(bits_of(table->type)) / 8;
    return finish(work, 0, std::min(taken, table->bytes()) + taken + rows->bytes(), table->type);
}

// gather(x, dim, places), scatter(x, dim, places, from): as much moves as there are places, of x at most all.
bool take_places(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *table = call.tensor(0), *places = call.tensor(2);
    if (!table || !places) return false;
    const double taken = places->elements() * static_cast<double>(bits_of(table->type)) / 8;
    return finish(work, 0, std::min(taken, table->bytes()) + taken + places->bytes(), table->type);
}

// embedding_dense_backward(grad_output, rows, size, ...): an addition for each value. Of the table's gradient
// the rows that were read are written, which may be one; that the others are zero counts where it is done.
bool embedding_backward(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *gradient = call.tensor(0), *rows = call.tensor(1);
    if (!gradient || !rows || gradient->shape.empty()) return false;
    return finish(work, gradient->elements(), gradient->bytes() + rows->bytes(), gradient->type);
}

// _embedding_bag(table, rows, begins of the bags, ...): rows read and added up, a sum for each bag.
bool embedding_bag(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *table = call.tensor(0), *rows = call.tensor(1), *bags = call.tensor(2);
    if (!table || !rows || !bags || table->shape.size() != 2) return false;
    const auto width = static_cast<double>(table->shape[1]);
    const double bytes = width * static_cast<double>(bits_of(table->type)) / 8;
    const double read = std::min(rows->elements() * bytes, table->bytes());
    return finish(work, rows->elements() * width,
                  read + bags->elements() * bytes + rows->bytes() + bags->bytes(), table->type);
}

// index_put(x, places, values, whether to add): as many values move as there are. A single one that is put at
// places of a mask does not tell how many.
bool index_put(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *x = call.tensor(0), *values = call.tensor(2);
    if (!x || !values || values->elements() <= 1) return false;
    const bool adds = call.flag(3).value_or(false);
    const double moved = bytes_of(values->shape, x->type);
    assume(work, "the places are not told: their bytes are left out");
    return finish(work, adds ? values->elements() : 0, values->bytes() + moved * (adds ? 2 : 1), x->type);
}

// nll_loss_forward(scores, classes, ...): one score of each row is read.
bool class_loss(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *scores = call.tensor(0), *classes = call.tensor(1);
    if (!scores || !classes) return false;
    const double read = classes->elements() * static_cast<double>(bits_of(scores->type)) / 8;
    return finish(work, flops_of("NegativeLogLikelihoodLoss", classes->shape, classes->shape, scores->type),
                  read + classes->bytes(), scores->type);
}

// nll_loss_backward(grad_output, scores, classes, ...): one gradient of each row is written. The others are
// zero, which a set of memory or an op of its own wrote before.
bool class_loss_backward(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *scores = call.tensor(1), *classes = call.tensor(2);
    if (!scores || !classes) return false;
    const double written = bytes_of(classes->shape, scores->type);
    return finish(work, classes->elements(), classes->bytes() + written, scores->type);
}

// The loss of two tensors: `inputs` read, and one number, or with reduction "none" (0) one for each element.
bool loss(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor *x = call.tensor(0), *y = call.tensor(1);
    if (!x || !y) return false;
    const double out = bytes_of(x->shape, x->type);
    return finish(work, flops_of(rule.ops, x->shape, x->shape, x->type), x->bytes() + y->bytes() + out,
                  x->type);
}

// Upsampling: input, output size. Bilinear as Resize does it.
bool upsample(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const TorchTensor* input = call.tensor(0);
    if (!input || input->shape.size() < 3) return false;
    const size_t dimensions = input->shape.size() - 2;
    const auto size = call.integers(1, dimensions);
    if (!size) return false;
    Shape out = input->shape;
    std::copy(size->begin(), size->end(), out.begin() + 2);
    if (!element_count(out)) return false;
    const OpWork found = OneOp("Resize")
                             .in(input->shape, input->type)
                             .out(out, input->type)
                             .set("mode", std::string(rule.ops))
                             .work();
    return finish(work, found.flops, input->bytes() + bytes_of(out, input->type), input->type);
}

using Rules = std::unordered_map<std::string_view, TorchRule>;

void add_elementwise(Rules& rules) {
    for (const TorchElementwise& row : torch_elementwise())
        rules[row.name] = {elementwise, row.ops, row.inputs, row.output};
    for (std::string_view name : {"fill", "zero", "normal", "uniform", "random", "bernoulli", "exponential",
                                  "ones_like", "zeros_like", "arange"})
        rules[name] = {fill};
    rules["copy"] = {copy};
    rules["_to_copy"] = {convert};
}

void add_reductions(Rules& rules) {
    const std::pair<std::string_view, std::string_view> sums[] = {
        {"sum", "ReduceSum"},
        {"nansum", "ReduceSum"},
        {"mean", "ReduceMean"},
        {"prod", "ReduceProd"},
        {"max", "ReduceMax"},
        {"min", "ReduceMin"},
        {"amax", "ReduceMax"},
        {"amin", "ReduceMin"},
        {"argmax", "ArgMax"},
        {"argmin", "ArgMin"},
        {"any", "ReduceMax"},
        {"all", "ReduceMin"},
        {"norm", "ReduceL2"},
        {"linalg_vector_norm", "ReduceL2"},
        {"logsumexp", "ReduceLogSumExp"},
        {"var", "ReduceMean Sub ReduceSumSquare"},
        {"std", "ReduceMean Sub ReduceSumSquare"},
        {"var_mean", "ReduceMean Sub ReduceSumSquare"},
        {"std_mean", "ReduceMean Sub ReduceSumSquare"}};
    for (const auto& [name, ops] : sums)
        rules[name] = {reduction, ops};
    const auto all = [&rules](std::string_view name, std::string_view ops, int inputs) {
        rules[name] = {whole, ops, inputs};
    };
    for (std::string_view name : {"_softmax", "softmax", "_safe_softmax"})
        all(name, "Softmax", 1);
    for (std::string_view name : {"_log_softmax", "log_softmax"})
        all(name, "LogSoftmax", 1);
    all("_softmax_backward_data", "~Softmax", 2);
    all("_log_softmax_backward_data", "~LogSoftmax", 2);
    all("cumsum", "CumSum", 1);
    all("cumprod", "CumProd", 1);
    all("topk", "TopK", 1);
    all("native_layer_norm", "LayerNormalization", 4);
    all("layer_norm", "LayerNormalization", 4);
    all("native_layer_norm_backward", "~LayerNormalization", 2);
    all("native_group_norm", "GroupNormalization", 3);
    all("group_norm", "GroupNormalization", 4);
    all("native_group_norm_backward", "~GroupNormalization", 2);
    all("_fused_rms_norm", "RMSNormalization", 3);
    all("rms_norm", "RMSNormalization", 3);
    all("_fused_rms_norm_backward", "~RMSNormalization", 2);
    for (std::string_view name : {"native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "batch_norm",
                                  "_native_batch_norm_legit"})
        rules[name] = {batch_norm, "", 5, Output::kSame, &kNativeNorm};
    rules["native_batch_norm_backward"] = {batch_norm, "~", 2, Output::kSame, &kBackwardNorm};
    rules["cudnn_batch_norm_backward"] = {batch_norm, "~", 2, Output::kSame, &kLibraryBackward};
    rules["miopen_batch_norm_backward"] = {batch_norm, "~", 2, Output::kSame, &kLibraryBackward};
}

void add_pools_and_losses(Rules& rules) {
    rules["max_pool2d_with_indices"] = {pool, "MaxPool", 2, Output::kBool};
    rules["max_pool3d_with_indices"] = {pool, "MaxPool", 3, Output::kBool};
    rules["max_pool2d"] = {pool, "MaxPool", 2};
    rules["avg_pool1d"] = {pool, "AveragePool", 1};
    rules["avg_pool2d"] = {pool, "AveragePool", 2};
    rules["avg_pool3d"] = {pool, "AveragePool", 3};
    rules["max_pool2d_with_indices_backward"] = {pool_backward, "~MaxPool"};
    rules["max_pool3d_with_indices_backward"] = {pool_backward, "~MaxPool"};
    for (std::string_view name : {"avg_pool2d_backward", "avg_pool3d_backward",
                                  "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward"})
        rules[name] = {pool_backward};
    for (std::string_view name : {"_adaptive_avg_pool2d", "adaptive_avg_pool2d", "_adaptive_avg_pool3d",
                                  "mkldnn_adaptive_avg_pool2d"})
        rules[name] = {whole, "GlobalAveragePool", 1, Output::kNone};
    rules["upsample_nearest1d"] = rules["upsample_nearest2d"] =
        rules["upsample_nearest3d"] = {upsample, "nearest"};
    rules["upsample_bilinear2d"] = rules["upsample_trilinear3d"] = {upsample, "linear"};
    rules["upsample_bicubic2d"] = {upsample, "cubic"};
    rules["nll_loss_forward"] = rules["nll_loss2d_forward"] = {class_loss};
    rules["nll_loss_backward"] = rules["nll_loss2d_backward"] = {class_loss_backward};
    rules["mse_loss"] = {loss, "Sub Mul"};
    rules["l1_loss"] = {loss, "Sub Abs"};
    rules["smooth_l1_loss"] = {loss, "Sub Abs Mul Mul"};
    rules["binary_cross_entropy"] = {loss, "Log Log Mul Mul Sub Add"};
    rules["binary_cross_entropy_with_logits"] = {loss, "Softplus Mul Sub"};
    rules["mse_loss_backward"] = {elementwise, "Sub Mul Mul", 3};
    rules["binary_cross_entropy_backward"] = {elementwise, "Sub Mul Mul Div", 3};
}

void add_moves_and_optimizers(Rules& rules) {
    rules["cat"] = rules["stack"] = rules["concat"] = {concatenate};
    rules["embedding"] = {take_rows, "", 1};
    rules["index_select"] = {take_rows, "", 2};
    rules["gather"] = rules["scatter"] = rules["scatter_add"] = {take_places};
    rules["embedding_dense_backward"] = {embedding_backward};
    rules["_embedding_bag"] = rules["_embedding_bag_forward_only"] = {embedding_bag};
    rules["index_put"] = rules["_index_put_impl"] = rules["_unsafe_index_put"] = {index_put};
    const std::tuple<std::string_view, std::string_view, int> lists[] = {
        {"_foreach_add", "Add", 2},
        {"_foreach_sub", "Sub", 2},
        {"_foreach_mul", "Mul", 2},
        {"_foreach_div", "Div", 2},
        {"_foreach_sqrt", "Sqrt", 1},
        {"_foreach_neg", "Neg", 1},
        {"_foreach_addcmul", "Mul Mul Add", 3},
        {"_foreach_addcdiv", "Div Mul Add", 3},
        {"_foreach_lerp", "Sub Mul Add", 2},
        {"_foreach_reciprocal", "Reciprocal", 1},
        {"_foreach_pow", "Pow", 1},
        {"_foreach_maximum", "Max", 2},
        {"_foreach_copy", "", 2},
        {"_foreach_zero", "", 0}};
    for (const auto& [name, ops, inputs] : lists)
        rules[name] = {for_each, ops, inputs};
    rules["_foreach_norm"] = {for_each, "ReduceL2", 1, Output::kNone};
    rules["_amp_foreach_non_finite_check_and_unscale"] = {for_each, "IsInf Mul", 1};
    for (std::string_view name : {"_fused_adam", "_fused_adamw"})
        rules[name] = {fused_optimizer, "", 4};
    rules["_fused_sgd"] = {fused_optimizer, "", 3};
}

}  // namespace

const TorchRule* torch_plain_rule(std::string_view name) {
    static const Rules rules = [] {
        Rules made;
        add_elementwise(made);
        add_reductions(made);
        add_pools_and_losses(made);
        add_moves_and_optimizers(made);
        return made;
    }();
    const auto found = rules.find(name);
    return found == rules.end() ? nullptr : &found->second;
}

}  // namespace opsight::cost
