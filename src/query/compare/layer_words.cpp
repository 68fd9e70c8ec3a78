#include "query/compare/layer_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace opsight::query {
namespace {

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// A number ends its word: "conv" of "Conv2D".
std::string words_of(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        while (end < text.size() && is_letter(text[end]))
            ++end;
        std::string word(text.substr(i, end - i));
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (!word.empty() && word != "fused") out += " " + word;
        const bool number = end < text.size() && is_digit(text[end]);
        while (end < text.size() && (is_digit(text[end]) || (number && is_letter(text[end]))))
            ++end;
        i = std::max(end, i + 1);
    }
    return out;
}

// A weight, or its quantization. Paths have "/" where names have a point.
bool only_feeds(std::string_view part) {
    constexpr std::array<std::string_view, 4> kWeights = {"weight", "bias", "/kernel", "_scale"};
    return part.find("QuantizeLinear") != part.npos || part.find("quantizer") != part.npos ||
           std::any_of(kWeights.begin(), kWeights.end(),
                       [part](std::string_view ending) { return part.ends_with(ending); });
}

// Of "conv1.weight + QuantizeLinear_7 + Conv_9" the last, of "Conv_0 + Relu_1" the first.
std::string_view main_part(std::string_view fused) {
    constexpr std::string_view kBetween = " + ";
    for (std::string_view rest = fused;;) {
        const size_t end = rest.find(kBetween);
        const std::string_view part = rest.substr(0, end);
        if (!only_feeds(part)) return part;
        if (end == rest.npos) return fused.substr(0, fused.find(kBetween));
        rest.remove_prefix(end + kBetween.size());
    }
}

}  // namespace

bool known_by_layer(const TreeOp& op, bool shapes) {
    return op.name.starts_with("trt::") && !(shapes && is_recorded(op.shapes));
}

std::string layer_words(const TreeLayer& layer) {
    constexpr std::string_view kCopy = "Reformatting CopyNode", kCopied = " to ";
    const std::string_view path = layer.path;
    const size_t copy = path.find(kCopy);
    if (copy == path.npos) return words_of(main_part(layer.name));
    const size_t to = std::min(path.find(kCopied, copy), path.size() - kCopied.size()) + kCopied.size();
    const std::string_view part = main_part(path.substr(to));
    return words_of(path.substr(copy, to - copy)) + words_of(part.substr(part.rfind('/') + 1));
}

}  // namespace opsight::query
