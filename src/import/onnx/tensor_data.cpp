#include "import/onnx/tensor_data.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "import/model/shapes.h"

namespace opsight::importer::onnx {
namespace {

template <class T>
void append_raw(const std::string& bytes, size_t count, std::vector<double>& to) {
    if (bytes.size() / sizeof(T) < count) return;
    for (size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        to.push_back(static_cast<double>(value));
    }
}

void append_raw_values(const std::string& bytes, ElementType type, size_t count, std::vector<double>& to) {
    switch (type) {
        case ElementType::kInt64:
            return append_raw<int64_t>(bytes, count, to);
        case ElementType::kInt32:
            return append_raw<int32_t>(bytes, count, to);
        case ElementType::kFloat32:
            return append_raw<float>(bytes, count, to);
        case ElementType::kFloat64:
            return append_raw<double>(bytes, count, to);
        case ElementType::kInt8:
            return append_raw<int8_t>(bytes, count, to);
        case ElementType::kBool:
        case ElementType::kUint8:
            return append_raw<uint8_t>(bytes, count, to);
        default:
            return;
    }
}

std::string pair_value(const file::Tensor& tensor, std::string_view key) {
    for (const file::StringPair& pair : tensor.external_data())
        if (pair.key() == key) return pair.value();
    return {};
}

uint64_t number_or(const std::string& text, uint64_t fallback) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? value : fallback;
}

// The bytes of a small tensor in a file beside the model. A path that leads elsewhere is not followed: a
// model must not make us read other files.
std::string external_bytes(const file::Tensor& tensor, const std::string& folder, size_t size) {
    const std::filesystem::path location = pair_value(tensor, "location");
    if (folder.empty() || location.empty() || location.is_absolute()) return {};
    for (const auto& part : location)
        if (part == "..") return {};
    std::error_code problem;
    const std::filesystem::path path = std::filesystem::path(folder) / location;
    if (!std::filesystem::is_regular_file(path, problem)) return {};
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(number_or(pair_value(tensor, "offset"), 0) & INT64_MAX));
    std::string bytes(size, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
    return bytes;
}

template <class List>
void append_list(const List& list, std::vector<double>& to) {
    for (const auto value : list)
        to.push_back(static_cast<double>(value));
}

void read_values(const file::Tensor& from, const std::string& folder, ModelTensor& to) {
    const int64_t count = to.elements();
    if (count > model_import::kMostValues) return;
    const size_t size = static_cast<size_t>(to.bytes());
    if (from.data_location() == 1)
        append_raw_values(external_bytes(from, folder, size), to.type, static_cast<size_t>(count), to.value);
    else if (!from.raw_data().empty())
        append_raw_values(from.raw_data(), to.type, static_cast<size_t>(count), to.value);
    else if (from.int64_data_size() > 0)
        append_list(from.int64_data(), to.value);
    else if (from.int32_data_size() > 0 && to.type != ElementType::kFloat16 &&
             to.type != ElementType::kBfloat16)
        append_list(from.int32_data(), to.value);
    else if (from.float_data_size() > 0)
        append_list(from.float_data(), to.value);
    else if (from.double_data_size() > 0)
        append_list(from.double_data(), to.value);
    else
        append_list(from.uint64_data(), to.value);
    to.has_value = static_cast<int64_t>(to.value.size()) == count;
    if (!to.has_value) to.value.clear();
}

}  // namespace

ElementType element_type(int32_t data_type) {
    using E = ElementType;
    // In the order of the standard's numbers.
    constexpr std::array<E, 25> kTypes = {E::kUnknown,    E::kFloat32,  E::kUint8,  E::kInt8,   E::kUint16,
                                          E::kInt16,      E::kInt32,    E::kInt64,  E::kString, E::kBool,
                                          E::kFloat16,    E::kFloat64,  E::kUint32, E::kUint64, E::kComplex64,
                                          E::kComplex128, E::kBfloat16, E::kFloat8, E::kFloat8, E::kFloat8,
                                          E::kFloat8,     E::kUint4,    E::kInt4,   E::kFloat4, E::kFloat8};
    if (data_type < 0 || static_cast<size_t>(data_type) >= kTypes.size()) return E::kUnknown;
    return kTypes[static_cast<size_t>(data_type)];
}

Result<ModelTensor> read_tensor(const file::Tensor& from, const std::string& folder) {
    ModelTensor tensor;
    tensor.name = from.name();
    tensor.type = element_type(from.data_type());
    tensor.shape.assign(from.dims().begin(), from.dims().end());
    tensor.shape_known = true;
    tensor.constant = true;
    if (tensor.shape.size() > 64 || !element_count(tensor.shape))
        return fail(fmt::format("tensor '{}' has the sizes {}, which cannot be", tensor.name,
                                shape_text(tensor.shape)));
    read_values(from, folder, tensor);
    return tensor;
}

}  // namespace opsight::importer::onnx
