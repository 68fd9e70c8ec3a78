#include "cli/model_sizes.h"

#include <fmt/format.h>

#include <charconv>

namespace opsight::cli {

Error usage(std::string what, std::string remedy) {
    return {.what = std::move(what), .file = {}, .place = {}, .remedy = std::move(remedy), .exit_code = 2};
}

Result<int64_t> whole_number(const std::string& text, const std::string& what) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kMostElements)
        return fail(
            usage(fmt::format("{} must be a whole number above 0, not '{}'", what, text), "for example 8"));
    return value;
}

namespace {

// "name=rest"
Result<std::pair<std::string, std::string>> split_binding(const std::string& text, const char* example) {
    const size_t at = text.rfind('=');
    if (at == std::string::npos || at == 0)
        return fail(usage(fmt::format("'{}' has not the form NAME=VALUE", text),
                          fmt::format("for example {}", example)));
    return std::pair(text.substr(0, at), text.substr(at + 1));
}

Result<Shape> parse_shape(const std::string& text) {
    Shape shape;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find_first_of("x,", at), text.size());
        OPSIGHT_ASSIGN(const int64_t size, whole_number(text.substr(at, end - at), "a size of --shape"));
        shape.push_back(size);
        at = end + 1;
    }
    return shape;
}

}  // namespace

void ModelSizes::declare(CLI::App& sub) {
    sub.add_option("--dim", dims_, "Open dimension of the model, as NAME=SIZE (default: 1); repeat for more");
    sub.add_option("--shape", shapes_,
                   "Shape of an input of the model, as NAME=1x3x224x224; repeat for more");
}

Result<ModelOptions> ModelSizes::read() const {
    ModelOptions options;
    for (const std::string& text : dims_) {
        OPSIGHT_ASSIGN(const auto binding, split_binding(text, "--dim batch=8"));
        OPSIGHT_ASSIGN(options.dims[binding.first], whole_number(binding.second, "--dim"));
    }
    for (const std::string& text : shapes_) {
        OPSIGHT_ASSIGN(const auto binding, split_binding(text, "--shape input=1x3x224x224"));
        OPSIGHT_ASSIGN(options.shapes[binding.first], parse_shape(binding.second));
    }
    return options;
}

}  // namespace opsight::cli
