#include "import/executiontrace/arguments.h"

#include <fmt/format.h>

#include <string_view>

#include "import/text/lists.h"

namespace opsight::importer {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr std::string_view kTensor = "Tensor(", kTensorList = "GenericList[Tensor(", kList = "GenericList[",
                           kUndefined = "Tensor(nullptr";

void append_item(std::string& list, std::string_view item) {
    if (list.size() > 1) list += ", ";
    list += item;
}

// "[2, 3]"; nothing where an item is not a number.
bool append_integers(const element& from, std::string& list, bool may_be_negative) {
    array items;
    if (from.get(items) != simdjson::SUCCESS) return false;
    std::string out = "[";
    for (const element item : items) {
        int64_t number = 0;
        if (item.get(number) != simdjson::SUCCESS || (number < 0 && !may_be_negative)) return false;
        append_item(out, fmt::format("{}", number));
    }
    append_item(list, out + ']');
    return true;
}

// Of each tensor of a list.
bool append_nested(const element& from, std::string& list, bool may_be_negative) {
    array items;
    if (from.get(items) != simdjson::SUCCESS) return false;
    std::string out = "[";
    for (const element item : items)
        if (!append_integers(item, out, may_be_negative)) return false;
    append_item(list, out + ']');
    return true;
}

std::string_view tensor_type(std::string_view type) {
    if (type.starts_with(kUndefined) || !type.starts_with(kTensor) || !type.ends_with(')')) return {};
    return type.substr(kTensor.size(), type.size() - kTensor.size() - 1);
}

// "GenericList[Tensor(float),Tensor(c10::Half)]" as ["float", "c10::Half"].
std::string types_of_list(std::string_view type) {
    std::string out = "[";
    type.remove_prefix(kList.size());
    if (type.ends_with(']')) type.remove_suffix(1);
    while (!type.empty()) {
        const size_t end = std::min(type.find(",Tensor("), type.size());
        append_item(out, in_quotes(tensor_type(type.substr(0, end))));
        type.remove_prefix(std::min(end + 1, type.size()));
    }
    return out + ']';
}

// As Python writes it.
std::string scalar(const element& value) {
    bool truth = false;
    if (value.get(truth) == simdjson::SUCCESS) return truth ? "True" : "False";
    return value.is_number() ? simdjson::to_string(value) : std::string();
}

std::string value_of(std::string_view type, const element& value) {
    if (type == "Int" || type == "Double" || type == "Bool") return scalar(value);
    std::string_view text;
    // An equation of einsum, a way to pad; what is longer describes something else.
    constexpr size_t kLongestText = 200;
    if (type == "String")
        return value.get(text) == simdjson::SUCCESS && text.size() <= kLongestText ? std::string(text) : "";
    array items;
    if (!type.starts_with(kList) || value.get(items) != simdjson::SUCCESS) return {};
    std::string out = "[";
    for (const element item : items) {
        const std::string one = scalar(item);
        if (one.empty()) return {};
        append_item(out, one);
    }
    return out + ']';
}

std::string kind_of(std::string_view type) {
    if (type == "Int" || type == "Double" || type == "Bool") return "Scalar";
    if (type.starts_with(kList)) return "ScalarList";
    return std::string(tensor_type(type));
}

// Iterates over lists of one length side by side: array::at() walks from the front.
struct Cursor {
    array::iterator at, end;
    explicit Cursor(const array& list) : at(list.begin()), end(list.end()) {}
    bool done() const { return !(at != end); }
};

}  // namespace

bool read_arguments(const array& types, const array& shapes, const array& values, const array* strides,
                    ArgumentTexts& to) {
    to = {"[", "[", "[", strides ? "[" : ""};
    Cursor shape(shapes), value(values), stride(strides ? *strides : shapes);
    for (const element each : types) {
        std::string_view type;
        if (each.get(type) != simdjson::SUCCESS || shape.done() || value.done() || stride.done())
            return false;
        if (type.starts_with(kTensorList)) {
            if (!append_nested(*shape.at, to.shapes, false)) return false;
            if (strides && !append_nested(*stride.at, to.strides, true)) return false;
            append_item(to.dtypes, types_of_list(type));
            append_item(to.concrete, "\"\"");
        } else {
            const bool is_tensor = !tensor_type(type).empty();
            if (!is_tensor)
                append_item(to.shapes, "[]");
            else if (!append_integers(*shape.at, to.shapes, false))
                return false;
            if (strides && !is_tensor)
                append_item(to.strides, "[]");
            else if (strides && !append_integers(*stride.at, to.strides, true))
                return false;
            append_item(to.dtypes, in_quotes(kind_of(type)));
            append_item(to.concrete, in_quotes(is_tensor ? "" : value_of(type, *value.at)));
        }
        ++shape.at, ++value.at, ++stride.at;
    }
    if (!shape.done() || !value.done() || !stride.done()) return false;
    for (std::string* text : {&to.shapes, &to.dtypes, &to.concrete, &to.strides})
        if (!text->empty()) *text += ']';
    return true;
}

void set_arguments(const ArgumentTexts& from, StringPool& strings, ExecutedOp& to) {
    const bool has_arguments = from.dtypes != "[]";
    const auto keep = [&](const std::string& text) {
        return strings.intern(has_arguments ? std::string_view(text) : std::string_view());
    };
    to.shapes = keep(from.shapes);
    to.dtypes = keep(from.dtypes);
    to.concrete = keep(from.concrete);
    to.strides = keep(from.strides);
}

}  // namespace opsight::importer
