#include "query/compare/layer_words.h"

#include <algorithm>

#include "base/text.h"
#include "model/engine_names.h"

namespace opsight::query {
namespace {

// A number ends its word: "conv" of "Conv2D".
std::string words_of(std::string_view name) {
    std::string out;
    for (size_t i = 0; i < name.size();) {
        size_t end = i;
        while (end < name.size() && text::is_letter(name[end]))
            ++end;
        std::string word(name.substr(i, end - i));
        std::transform(word.begin(), word.end(), word.begin(), text::lower);
        if (!word.empty() && word != "fused") out += " " + word;
        const bool number = end < name.size() && text::is_digit(name[end]);
        while (end < name.size() && (text::is_digit(name[end]) || (number && text::is_letter(name[end]))))
            ++end;
        i = std::max(end, i + 1);
    }
    return out;
}

// Of "conv1.weight + QuantizeLinear_7 + Conv_9" the last, of "Conv_0 + Relu_1" the first.
std::string_view main_part(std::string_view fused) {
    constexpr std::string_view kBetween = " + ";
    for (std::string_view rest = fused;;) {
        const size_t end = rest.find(kBetween);
        const std::string_view part = rest.substr(0, end);
        if (!names_weight(part) && !names_quantization(part)) return part;
        if (end == rest.npos) return fused.substr(0, fused.find(kBetween));
        rest.remove_prefix(end + kBetween.size());
    }
}

}  // namespace

std::string_view without_number(std::string_view name) {
    const size_t end = name.find_last_not_of("0123456789");
    if (end == name.npos || end + 1 == name.size() || end == 0) return name;
    return name.substr(0, name[end] == '_' || name[end] == '.' ? end : end + 1);
}

bool known_by_layer(const TreeOp& op, bool shapes) {
    return op.name.starts_with("trt::") && !(shapes && is_recorded(op.shapes));
}

std::string layer_words(const TreeLayer& layer) {
    constexpr std::string_view kCopied = " to ";
    const std::string_view path = layer.path;
    const size_t copy = path.find(kEngineCopy);
    if (copy == path.npos) return words_of(main_part(layer.name));
    const size_t to = std::min(path.find(kCopied, copy), path.size() - kCopied.size()) + kCopied.size();
    const std::string_view part = main_part(path.substr(to));
    return words_of(path.substr(copy, to - copy)) + words_of(part.substr(part.rfind('/') + 1));
}

}  // namespace opsight::query
