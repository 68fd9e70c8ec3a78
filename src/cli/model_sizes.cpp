#include "cli/model_sizes.h"

#include <fmt/format.h>

#include <charconv>

namespace opsight::cli {

Error usage(std::string what, std::string remedy) {
    return {.what = std::move(what), .file = {}, .place = {}, .remedy = std::move(remedy), .exit_code = 2};
}

Result<int64_t> whole_number(const std::string& text, const std::string& what, int64_t least) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > kMostElements)
        return fail(usage(fmt::format("{} must be a whole number {}, not '{}'", what,
                                      least > 0 ? "above 0" : "of at least 0", text),
                          "for example 8"));
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
        OPSIGHT_ASSIGN(const int64_t size, whole_number(text.substr(at, end - at), "a size of --shape", 0));
        shape.push_back(size);
        at = end + 1;
    }
    return shape;
}

Result<std::vector<double>> parse_values(const std::string& text) {
    constexpr size_t kMostValues = 4096;
    std::vector<double> values;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        double value = 0;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, value);
        if (error != std::errc() || rest != text.data() + end || values.size() == kMostValues)
            return fail(
                usage(fmt::format("a value of --value must be a number, not '{}'", text.substr(at, end - at)),
                      "for example --value sizes=1,3,640,640"));
        values.push_back(value);
        at = end + 1;
    }
    return values;
}

}  // namespace

void ModelSizes::declare(CLI::App& sub) {
    sub.add_option("--dim", dims_, "Open dimension of the model, as NAME=SIZE (default: 1); repeat for more");
    sub.add_option(
        "--shape", shapes_,
        "Shape of an input or of any other tensor of the model, as NAME=1x3x224x224; repeat for more");
    sub.add_option("--value", values_,
                   "Values of an input that shapes depend on, as NAME=1,3,640,640; repeat for more");
}

Result<importer::ModelOptions> ModelSizes::read() const {
    importer::ModelOptions options;
    for (const std::string& text : dims_) {
        OPSIGHT_ASSIGN(const auto binding, split_binding(text, "--dim batch=8"));
        OPSIGHT_ASSIGN(options.dims[binding.first], whole_number(binding.second, "--dim", 0));
    }
    for (const std::string& text : shapes_) {
        OPSIGHT_ASSIGN(const auto binding, split_binding(text, "--shape input=1x3x224x224"));
        OPSIGHT_ASSIGN(options.shapes[binding.first], parse_shape(binding.second));
    }
    for (const std::string& text : values_) {
        OPSIGHT_ASSIGN(const auto binding, split_binding(text, "--value sizes=1,3,640,640"));
        OPSIGHT_ASSIGN(options.values[binding.first], parse_values(binding.second));
    }
    return options;
}

}  // namespace opsight::cli
