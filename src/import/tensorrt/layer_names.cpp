#include "import/tensorrt/layer_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "import/text/lists.h"
#include "model/engine_names.h"
#include "model/engine_paths.h"

namespace opsight::importer::tensorrt {
namespace {

bool is_convolution(const Layer& layer) {
    return layer.computes == "Convolution" && !layer.kernel.empty() && layer.out_maps > 0 &&
           !layer.inputs.empty() && layer.inputs[0].shape.size() == layer.kernel.size() + 2;
}

// Its window stands where PyTorch has it.
bool is_pooling(const Layer& layer) {
    return layer.computes == "Pooling" && !layer.window.empty() && !layer.inputs.empty();
}

// "[ONNX Layer: /conv1/Conv]\x1e[ONNX Layer: /relu/Relu]": the nodes.
std::vector<std::string> nodes_of(std::string_view metadata) {
    constexpr std::string_view kMark = "[ONNX Layer: ";
    std::vector<std::string> nodes;
    for (size_t at = metadata.find(kMark); at != metadata.npos; at = metadata.find(kMark, at)) {
        at += kMark.size();
        const size_t end = std::min(metadata.find(']', at), metadata.size());
        nodes.emplace_back(metadata.substr(at, end - at));
    }
    return nodes;
}

std::string snake(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool follows = i > 0 && std::islower(static_cast<unsigned char>(text[i - 1])) != 0;
        if (std::isupper(c) != 0 && follows) out += '_';
        out += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    }
    return out;
}

// As PyTorch names it; the words in TensorRT's names of formats, the longer before what they contain.
std::string_view torch_type(std::string_view format) {
    struct Word {
        std::string_view of_source, type;
    };
    static constexpr std::array<Word, 13> words = {{{"BF16", "c10::BFloat16"},
                                                    {"BFloat16", "c10::BFloat16"},
                                                    {"FP16", "c10::Half"},
                                                    {"Half", "c10::Half"},
                                                    {"FP32", "float"},
                                                    {"Float", "float"},
                                                    {"UInt8", "uint8"},
                                                    {"Int8", "int8"},
                                                    {"INT8", "int8"},
                                                    {"FP8", "c10::Float8_e4m3fn"},
                                                    {"Int32", "int"},
                                                    {"Int64", "long int"},
                                                    {"Bool", "bool"}}};
    for (const Word& word : words)
        if (format.find(word.of_source) != format.npos) return word.type;
    return {};
}

}  // namespace

std::vector<std::string> origins_of(const Layer& layer) {
    std::vector<std::string> origins = nodes_of(layer.metadata);
    if (!origins.empty() || names_engine_copy(layer.name)) return origins;
    for (std::vector<std::string>& branch : engine_branches(layer.name))
        std::move(branch.begin(), branch.end(), std::back_inserter(origins));
    return origins;
}

// Where only its name tells what a layer is: one into which nothing else was fused.
bool only_quantizes(const std::vector<std::string>& origins) {
    return !origins.empty() && std::all_of(origins.begin(), origins.end(), names_quantization);
}

std::string op_name(const Layer& layer) {
    std::string name = snake(layer.computes.empty() ? layer.type : layer.computes);
    if (layer.computes == "Pooling" && !layer.variant.empty()) name = snake(layer.variant) + "_pooling";
    if (layer.computes == "Reformat" && layer.variant == "QDQ") name = "quantize";
    if (name.empty() && names_engine_copy(layer.name)) name = "reformat";
    if (name.empty() && layer.name.ends_with(" copy")) name = "copy";  // into its place in a concatenation
    if (name.empty() && only_quantizes(origins_of(layer))) name = "quantize";
    return "trt::" + (name.empty() ? std::string("layer") : name);
}

std::string shapes_of(const Layer& layer) {
    std::vector<std::string> shapes;
    for (const Tensor& input : layer.inputs)
        shapes.push_back(list_of(input.shape));
    if (is_convolution(layer)) {
        // What a fused addition reads stands behind: PyTorch's order is data, weights, bias.
        const int64_t groups = std::max<int64_t>(1, layer.groups);
        std::vector<int64_t> weight = {layer.out_maps, layer.inputs[0].shape[1] / groups};
        weight.insert(weight.end(), layer.kernel.begin(), layer.kernel.end());
        shapes.insert(shapes.begin() + 1,
                      {list_of(weight), layer.biases > 0 ? list_of({layer.biases}) : std::string("[]"), "[]",
                       "[]", "[]", "[]"});
    }
    if (is_pooling(layer)) shapes.insert(shapes.begin() + 1, "[]");
    return fmt::format("[{}]", fmt::join(shapes, ", "));
}

std::string types_of(const Layer& layer) {
    std::vector<std::string> types;
    for (const Tensor& input : layer.inputs)
        types.push_back(in_quotes(torch_type(input.format)));
    if (is_convolution(layer))
        types.insert(types.begin() + 1,
                     {in_quotes(torch_type(layer.weights_type)),
                      layer.biases > 0 ? in_quotes(torch_type(layer.bias_type)) : in_quotes(""),
                      in_quotes(""), in_quotes(""), in_quotes(""), in_quotes("")});
    if (is_pooling(layer)) types.insert(types.begin() + 1, in_quotes(""));
    return fmt::format("[{}]", fmt::join(types, ", "));
}

std::string arguments_of(const Layer& layer, const std::vector<std::string>& origins) {
    std::vector<std::string> values(layer.inputs.size(), in_quotes(""));
    if (is_convolution(layer)) {
        // One padding for both sides is all that the formula of the work takes.
        const bool even = layer.padding_before == layer.padding_after;
        values.insert(values.begin() + 1, {in_quotes(""), in_quotes(""), in_quotes(list_of(layer.stride)),
                                           even ? in_quotes(list_of(layer.padding_before)) : in_quotes(""),
                                           in_quotes(list_of(layer.dilation)),
                                           in_quotes(fmt::format("{}", std::max<int64_t>(1, layer.groups)))});
    }
    if (is_pooling(layer)) values.insert(values.begin() + 1, in_quotes(list_of(layer.window)));
    for (const Tensor& output : layer.outputs)
        if (const std::string_view type = torch_type(output.format); !type.empty() && !is_convolution(layer))
            values.push_back(in_quotes(fmt::format("-> {}{}", type, list_of(output.shape))));
    const auto add = [&values](std::string_view what, const std::string& value) {
        if (!value.empty()) values.push_back(in_quotes(fmt::format("{} {}", what, value)));
    };
    if (origins.size() > 1) add("made of", fmt::format("{}", fmt::join(origins, ", ")));
    if (!layer.inputs.empty()) add("from", layer.inputs[0].format);
    if (!layer.outputs.empty()) add("to", list_of(layer.outputs[0].shape) + " " + layer.outputs[0].format);
    if (layer.activation != "NONE") add("then", layer.activation);
    add("run by", layer.type);
    add("tactic", layer.tactic);
    return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace opsight::importer::tensorrt
