#include "import/graphdef/tensor_values.h"

#include <fmt/format.h>

#include <cstring>
#include <unordered_map>

#include "import/model/shapes.h"

namespace opsight::importer::graphdef {
namespace {

constexpr int kReferences = 100;

template <class T>
void append_content(const std::string& bytes, size_t count, std::vector<double>& to) {
    if (bytes.size() / sizeof(T) < count) return;
    for (size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        to.push_back(static_cast<double>(value));
    }
}

void append_content(const std::string& bytes, ElementType type, size_t count, std::vector<double>& to) {
    switch (type) {
        case ElementType::kInt64:
            return append_content<int64_t>(bytes, count, to);
        case ElementType::kInt32:
            return append_content<int32_t>(bytes, count, to);
        case ElementType::kFloat32:
            return append_content<float>(bytes, count, to);
        case ElementType::kFloat64:
            return append_content<double>(bytes, count, to);
        case ElementType::kInt8:
            return append_content<int8_t>(bytes, count, to);
        case ElementType::kBool:
        case ElementType::kUint8:
            return append_content<uint8_t>(bytes, count, to);
        default:
            return;
    }
}

template <class List>
void append_list(const List& list, std::vector<double>& to) {
    for (const auto value : list)
        to.push_back(static_cast<double>(value));
}

void read_values(const file::TensorProto& from, ModelTensor& to) {
    const size_t count = static_cast<size_t>(to.elements());
    if (count > static_cast<size_t>(model_import::kMostValues)) return;
    if (!from.tensor_content().empty()) {
        append_content(from.tensor_content(), to.type, count, to.value);
    } else {
        append_list(from.float_val(), to.value);
        append_list(from.double_val(), to.value);
        append_list(from.int_val(), to.value);
        append_list(from.int64_val(), to.value);
        append_list(from.bool_val(), to.value);
        append_list(from.uint32_val(), to.value);
        append_list(from.uint64_val(), to.value);
        // The last value given stands for all that follow; none given, for zeros.
        const bool number = to.type != ElementType::kString && to.type != ElementType::kUnknown &&
                            to.type != ElementType::kFloat16 && to.type != ElementType::kBfloat16;
        if (number && to.value.size() < count) to.value.resize(count, to.value.empty() ? 0 : to.value.back());
    }
    to.has_value = to.value.size() == count;
    if (!to.has_value) to.value.clear();
}

}  // namespace

ElementType element_type(file::DataType type) {
    using E = ElementType;
    static const std::unordered_map<int, ElementType> types = {
        {file::DT_FLOAT, E::kFloat32},        {file::DT_DOUBLE, E::kFloat64},
        {file::DT_INT32, E::kInt32},          {file::DT_UINT8, E::kUint8},
        {file::DT_INT16, E::kInt16},          {file::DT_INT8, E::kInt8},
        {file::DT_STRING, E::kString},        {file::DT_COMPLEX64, E::kComplex64},
        {file::DT_INT64, E::kInt64},          {file::DT_BOOL, E::kBool},
        {file::DT_QINT8, E::kInt8},           {file::DT_QUINT8, E::kUint8},
        {file::DT_QINT32, E::kInt32},         {file::DT_BFLOAT16, E::kBfloat16},
        {file::DT_QINT16, E::kInt16},         {file::DT_QUINT16, E::kUint16},
        {file::DT_UINT16, E::kUint16},        {file::DT_COMPLEX128, E::kComplex128},
        {file::DT_HALF, E::kFloat16},         {file::DT_UINT32, E::kUint32},
        {file::DT_UINT64, E::kUint64},        {file::DT_FLOAT8_E5M2, E::kFloat8},
        {file::DT_FLOAT8_E4M3FN, E::kFloat8}, {file::DT_INT4, E::kInt4},
        {file::DT_UINT4, E::kUint4}};
    const int number = type > kReferences ? type - kReferences : type;
    const auto found = types.find(number);
    return found == types.end() ? E::kUnknown : found->second;
}

Result<ModelTensor> read_tensor(const file::TensorProto& from, const std::string& name) {
    ModelTensor tensor;
    tensor.name = name;
    tensor.type = element_type(from.dtype());
    for (const auto& dim : from.tensor_shape().dim())
        tensor.shape.push_back(dim.size());
    tensor.shape_known = !from.tensor_shape().unknown_rank();
    tensor.constant = true;
    if (tensor.shape.size() > 64 || !element_count(tensor.shape))
        return fail(
            fmt::format("tensor '{}' has the sizes {}, which cannot be", name, shape_text(tensor.shape)));
    if (tensor.shape_known) read_values(from, tensor);
    return tensor;
}

}  // namespace opsight::importer::graphdef
