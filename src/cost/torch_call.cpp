#include "cost/torch_call.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace opsight::cost {
namespace {

// Nested lists of numbers and texts, as much of JSON as signatures use.
struct Value {
    std::vector<Value> items;
    std::string text;  // of a number or a text
    bool is_list = false;
};

class ListReader {
  public:
    explicit ListReader(std::string_view text) : text_(text) {}
    Value read() { return value(0); }

  private:
    static constexpr int kDeepest = 8;

    void skip_spaces() {
        while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) <= ' ' || text_[at_] == ','))
            ++at_;
    }

    std::string quoted() {
        std::string out;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            out += text_[at_];
        }
        ++at_;
        return out;
    }

    Value value(int depth) {
        Value out;
        skip_spaces();
        if (at_ >= text_.size()) return out;
        if (text_[at_] == '"') {
            out.text = quoted();
            return out;
        }
        if (text_[at_] != '[' || depth == kDeepest) {
            const size_t end = std::min(text_.find_first_of(",[] \n\t\r", at_ + 1), text_.size());
            out.text = text_.substr(at_, end - at_);
            at_ = end;
            return out;
        }
        out.is_list = true;
        for (++at_;;) {
            skip_spaces();
            if (at_ >= text_.size()) break;
            if (text_[at_] == ']') {
                ++at_;
                break;
            }
            out.items.push_back(value(depth + 1));
        }
        return out;
    }

    std::string_view text_;
    size_t at_ = 0;
};

std::optional<int64_t> whole(std::string_view text) {
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::vector<int64_t>> whole_numbers(const Value& value) {
    std::vector<int64_t> out;
    for (const Value& item : value.items) {
        const std::optional<int64_t> number = item.is_list ? std::nullopt : whole(item.text);
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

// A shape that a tensor can have; strides may be anything.
std::optional<Shape> shape_of(const Value& value) {
    std::optional<Shape> shape = whole_numbers(value);
    return shape && element_count(*shape) ? shape : std::nullopt;
}

TorchTensor make_tensor(Shape shape, const Value* strides, ElementType type) {
    TorchTensor tensor{std::move(shape), {}, type};
    if (strides && strides->is_list)
        if (auto read = whole_numbers(*strides); read && read->size() == tensor.shape.size())
            tensor.strides = std::move(*read);
    return tensor;
}

const Value* item(const Value& list, size_t index) {
    return index < list.items.size() ? &list.items[index] : nullptr;
}

TorchArgument read_argument(const Value& shape, const Value* dtype, const Value* concrete,
                            const Value* strides, ElementType list_type) {
    TorchArgument out;
    if (concrete && !concrete->is_list) out.value = concrete->text;
    const std::string_view type_name = dtype && !dtype->is_list ? std::string_view(dtype->text) : "";
    const bool nested = !shape.items.empty() && shape.items[0].is_list;
    if (nested || type_name == "TensorList") {
        out.is_list = true;
        for (size_t i = 0; i < shape.items.size(); ++i) {
            const Value* own_type = dtype && dtype->is_list ? item(*dtype, i) : nullptr;
            const ElementType told = own_type ? torch_type(own_type->text) : ElementType::kUnknown;
            if (std::optional<Shape> read = shape_of(shape.items[i]))
                out.tensors.push_back(make_tensor(std::move(*read), strides ? item(*strides, i) : nullptr,
                                                  told == ElementType::kUnknown ? list_type : told));
        }
        return out;
    }
    const ElementType type = torch_type(type_name);
    std::optional<Shape> read = shape_of(shape);
    if (type == ElementType::kUnknown || !shape.is_list || !read) return out;
    out.is_tensor = true;
    out.tensors.push_back(make_tensor(std::move(*read), strides, type));
    return out;
}

// "-> float[32, 64, 7, 7]"
std::optional<TorchTensor> read_result(std::string_view text) {
    constexpr std::string_view kArrow = "-> ";
    if (!text.starts_with(kArrow)) return std::nullopt;
    text.remove_prefix(kArrow.size());
    const size_t open = std::min(text.find('['), text.size());
    const ElementType type = torch_type(text.substr(0, open));
    const Value sizes = ListReader(text.substr(open)).read();
    std::optional<Shape> shape = shape_of(sizes);
    if (type == ElementType::kUnknown || !sizes.is_list || !shape) return std::nullopt;
    return make_tensor(std::move(*shape), nullptr, type);
}

}  // namespace

double TorchTensor::elements() const {
    return static_cast<double>(element_count(shape).value_or(0));
}

double TorchTensor::distinct() const {
    double count = 1;
    for (size_t i = 0; i < shape.size(); ++i)
        if (strides.empty() || strides[i] != 0 || shape[i] == 0) count *= static_cast<double>(shape[i]);
    return count;
}

const TorchTensor* TorchCall::tensor(size_t index) const {
    return index < arguments.size() && arguments[index].is_tensor ? &arguments[index].tensors[0] : nullptr;
}

const std::vector<TorchTensor>* TorchCall::list(size_t index) const {
    const bool is = index < arguments.size() && arguments[index].is_list && !arguments[index].tensors.empty();
    return is ? &arguments[index].tensors : nullptr;
}

std::optional<std::vector<int64_t>> TorchCall::integers(size_t index, size_t length) const {
    if (index >= arguments.size() || arguments[index].value.empty()) return std::nullopt;
    const std::string& text = arguments[index].value;
    std::optional<std::vector<int64_t>> out;
    if (text[0] == '[')
        out = whole_numbers(ListReader(text).read());
    else if (const auto one = whole(text))
        out = {*one};
    if (out && out->size() == 1 && length > 1) out->assign(length, out->front());
    if (out && length > 0 && out->size() != length) return std::nullopt;
    return out;
}

std::optional<std::vector<bool>> TorchCall::flags(size_t index) const {
    if (index >= arguments.size() || !arguments[index].value.starts_with("[")) return std::nullopt;
    std::vector<bool> out;
    for (const Value& each : ListReader(arguments[index].value).read().items)
        out.push_back(each.text == "True" || each.text == "true" || each.text == "1");
    return out;
}

std::optional<int64_t> TorchCall::integer(size_t index) const {
    const auto found = integers(index);
    if (!found || found->size() != 1) return std::nullopt;
    return found->front();
}

std::optional<bool> TorchCall::flag(size_t index) const {
    if (index >= arguments.size()) return std::nullopt;
    const std::string& text = arguments[index].value;
    if (text == "True" || text == "true" || text == "1") return true;
    if (text == "False" || text == "false" || text == "0") return false;
    return std::nullopt;
}

TorchCall read_torch_call(std::string_view name, const SignatureTexts& texts, ElementType list_type) {
    TorchCall call;
    call.name = name;
    const Value shapes = ListReader(texts.shapes).read(), dtypes = ListReader(texts.dtypes).read(),
                concrete = ListReader(texts.concrete).read(), strides = ListReader(texts.strides).read();
    call.arguments.reserve(shapes.items.size());
    for (size_t i = 0; i < shapes.items.size(); ++i)
        call.arguments.push_back(
            read_argument(shapes.items[i], item(dtypes, i), item(concrete, i), item(strides, i), list_type));
    for (size_t i = shapes.items.size(); i < concrete.items.size(); ++i)
        if (std::optional<TorchTensor> result = read_result(concrete.items[i].text))
            call.results.push_back(std::move(*result));
    return call;
}

std::vector<Shape> read_shapes(std::string_view text) {
    std::vector<Shape> shapes;
    for (const Value& argument : ListReader(text).read().items) {
        const bool list = !argument.items.empty() && argument.items[0].is_list;
        for (const Value& each : list ? argument.items : std::vector<Value>{argument})
            shapes.push_back(shape_of(each).value_or(Shape()));
    }
    return shapes;
}

ElementType torch_type(std::string_view name) {
    using enum ElementType;
    static constexpr std::array<std::pair<std::string_view, ElementType>, 48> kTypes = {
        {{"float", kFloat32},
         {"float32", kFloat32},
         {"double", kFloat64},
         {"float64", kFloat64},
         {"c10::Half", kFloat16},
         {"half", kFloat16},
         {"float16", kFloat16},
         {"Half", kFloat16},
         {"c10::BFloat16", kBfloat16},
         {"bfloat16", kBfloat16},
         {"BFloat16", kBfloat16},
         {"long int", kInt64},
         {"long", kInt64},
         {"int64", kInt64},
         {"int", kInt32},
         {"int32", kInt32},
         {"short int", kInt16},
         {"short", kInt16},
         {"int16", kInt16},
         {"signed char", kInt8},
         {"char", kInt8},
         {"int8", kInt8},
         {"unsigned char", kUint8},
         {"uint8", kUint8},
         {"unsigned short", kUint16},
         {"uint16", kUint16},
         {"unsigned int", kUint32},
         {"uint32", kUint32},
         {"unsigned long", kUint64},
         {"uint64", kUint64},
         {"bool", kBool},
         {"c10::qint8", kInt8},
         {"c10::quint8", kUint8},
         {"c10::qint32", kInt32},
         {"c10::complex<float>", kComplex64},
         {"complex64", kComplex64},
         {"c10::complex<double>", kComplex128},
         {"complex128", kComplex128},
         {"c10::quint4x2", kUint4},
         {"f32", kFloat32},
         {"f64", kFloat64},
         {"f16", kFloat16},
         {"bf16", kBfloat16},
         {"s32", kInt32},
         {"s8", kInt8},
         {"u8", kUint8},
         {"s4", kInt4},
         {"u4", kUint4}}};
    for (const auto& [text, type] : kTypes)
        if (text == name) return type;
    if (name.starts_with("torch.")) return torch_type(name.substr(6));
    if (name.starts_with("c10::Float8") || name.starts_with("float8") || name.starts_with("f8_"))
        return kFloat8;
    if (name.starts_with("c10::Float4") || name.starts_with("float4") || name.starts_with("f4_"))
        return kFloat4;
    return kUnknown;
}

std::optional<ElementType> torch_scalar_type(int64_t number) {
    switch (number) {
        case 0:
            return ElementType::kUint8;
        case 1:
            return ElementType::kInt8;
        case 2:
            return ElementType::kInt16;
        case 3:
            return ElementType::kInt32;
        case 4:
            return ElementType::kInt64;
        case 11:
            return ElementType::kBool;
        case 5:
            return ElementType::kFloat16;
        case 6:
            return ElementType::kFloat32;
        case 7:
            return ElementType::kFloat64;
        case 15:
            return ElementType::kBfloat16;
        case 23:
        case 24:
            return ElementType::kFloat8;
        default:
            return std::nullopt;
    }
}

}  // namespace opsight::cost
