#include "wire/signature.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>

namespace opsight::wire {
namespace {

constexpr size_t kMostEntries = 4096;  // of a list, and of all inputs together

class Decoder {
  public:
    explicit Decoder(std::string_view bytes) : rest_(bytes) {}

    SignatureText run() {
        out_.shapes = out_.dtypes = out_.concrete = "[";
        while (out_.whole && !rest_.empty()) {
            if (entries_ > 0)
                for (std::string* text : {&out_.shapes, &out_.dtypes, &out_.concrete})
                    *text += ", ";
            ++entries_;
            out_.inputs.emplace_back();
            out_.whole = argument() && entries_ < kMostEntries;
        }
        for (std::string* text : {&out_.shapes, &out_.dtypes, &out_.concrete})
            *text += "]";
        return std::move(out_);
    }

  private:
    std::optional<uint64_t> number() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<uint8_t>(rest_.front());
            rest_.remove_prefix(1);
            value |= uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }
    std::optional<int64_t> signed_number() {
        const auto value = number();
        if (!value) return std::nullopt;
        return static_cast<int64_t>(*value >> 1) ^ -static_cast<int64_t>(*value & 1);
    }
    // A count can be no larger than the bytes that are left.
    std::optional<uint64_t> count() {
        const auto value = number();
        return value && *value <= rest_.size() ? value : std::nullopt;
    }
    std::optional<uint8_t> byte() {
        if (rest_.empty()) return std::nullopt;
        const auto value = static_cast<uint8_t>(rest_.front());
        rest_.remove_prefix(1);
        return value;
    }

    void entry(std::string_view shape, std::string_view dtype, std::string_view value) {
        out_.shapes += shape;
        out_.dtypes += fmt::format("\"{}\"", dtype);
        out_.concrete += fmt::format("\"{}\"", value);
    }

    void count_tensor(uint8_t dtype, int64_t elements) {
        SignatureInput& input = out_.inputs.back();
        if (input.what == SignatureInput::What::kOther) input.dtype = dtype;
        input.what = SignatureInput::What::kTensors;
        if (__builtin_add_overflow(input.elements, elements, &input.elements)) input.elements = INT64_MAX;
    }
    void keep(SignatureInput::What what, int64_t value) {
        out_.inputs.back().what = what;
        out_.inputs.back().value = value;
    }

    // The shape of one tensor to `shape`, its type to `dtype`.
    bool tensor(std::string& shape, std::string_view& dtype) {
        const auto type = byte();
        const auto rank = byte();
        if (!type || !rank) return false;
        dtype = dtype_name(*type);
        shape = "[";
        int64_t elements = 1;
        for (unsigned i = 0; i < *rank; ++i) {
            const auto size = number();
            if (!size) return false;
            if (*size > INT64_MAX || __builtin_mul_overflow(elements, static_cast<int64_t>(*size), &elements))
                elements = INT64_MAX;
            fmt::format_to(std::back_inserter(shape), "{}{}", i ? ", " : "", *size);
        }
        shape += "]";
        count_tensor(*type, elements);
        return true;
    }

    bool tensor_list() {
        const auto length = count();
        if (!length || *length > kMostEntries) return false;
        std::string shapes = "[";
        for (uint64_t i = 0; i < *length; ++i) {
            std::string shape = "[]";
            std::string_view dtype;
            const auto tag = byte();
            if (!tag) return false;
            if (*tag == static_cast<uint8_t>(ArgTag::kTensor) && !tensor(shape, dtype)) return false;
            shapes += (i ? ", " : "") + shape;
        }
        entry(shapes + "]", "TensorList", "");
        return true;
    }

    bool int_list() {
        const auto length = count();
        if (!length || *length > kMostEntries) return false;
        std::string text = "[";
        for (uint64_t i = 0; i < *length; ++i) {
            const auto value = signed_number();
            if (!value) return false;
            fmt::format_to(std::back_inserter(text), "{}{}", i ? ", " : "", *value);
        }
        entry("[]", "ScalarList", text + "]");
        return true;
    }

    bool argument() {
        const ArgTag tag = static_cast<ArgTag>(*byte());
        switch (tag) {
            case ArgTag::kTensor: {
                std::string shape;
                std::string_view dtype;
                if (!tensor(shape, dtype)) return false;
                entry(shape, dtype, "");
                return true;
            }
            case ArgTag::kTensorList:
                return tensor_list();
            case ArgTag::kIntList:
                return int_list();
            case ArgTag::kInt: {
                const auto value = signed_number();
                if (!value) return false;
                entry("[]", "Scalar", fmt::format("{}", *value));
                keep(SignatureInput::What::kInt, *value);
                return true;
            }
            case ArgTag::kBool: {
                const auto value = byte();
                if (!value) return false;
                entry("[]", "Scalar", *value ? "True" : "False");
                return true;
            }
            case ArgTag::kGroup: {
                const auto value = number();
                if (!value || *value > INT64_MAX) return false;
                entry("[]", "", "");
                keep(SignatureInput::What::kGroup, static_cast<int64_t>(*value));
                return true;
            }
            case ArgTag::kDouble:
                entry("[]", "Scalar", "");
                return true;
            case ArgTag::kNone:
            case ArgTag::kUndefinedTensor:
            case ArgTag::kString:
            case ArgTag::kOtherList:
            case ArgTag::kOther:
                entry("[]", "", "");
                return true;
            case ArgTag::kCut:
                break;
        }
        entry("[]", "", "");
        return false;
    }

    std::string_view rest_;
    SignatureText out_;
    size_t entries_ = 0;
};

}  // namespace

std::string_view dtype_name(uint8_t dtype) {
    // c10::ScalarType in its order, named as c10's TypeMeta does.
    static constexpr std::array<std::string_view, 18> kNames = {"unsigned char",
                                                                "signed char",
                                                                "short int",
                                                                "int",
                                                                "long int",
                                                                "c10::Half",
                                                                "float",
                                                                "double",
                                                                "c10::complex<c10::Half>",
                                                                "c10::complex<float>",
                                                                "c10::complex<double>",
                                                                "bool",
                                                                "c10::qint8",
                                                                "c10::quint8",
                                                                "c10::qint32",
                                                                "c10::BFloat16",
                                                                "c10::quint4x2",
                                                                "c10::quint2x4"};
    return dtype < kNames.size() ? kNames[dtype] : std::string_view();
}

std::string_view collective_dtype_name(uint8_t dtype) {
    // c10::ScalarType in its order, as c10::toString() spells it.
    static constexpr std::array<std::string_view, 16> kNames = {
        "Byte",        "Char",         "Short",         "Int",  "Long",  "Half",   "Float",  "Double",
        "ComplexHalf", "ComplexFloat", "ComplexDouble", "Bool", "QInt8", "QUInt8", "QInt32", "BFloat16"};
    return dtype < kNames.size() ? kNames[dtype] : std::string_view();
}

SignatureText decode_signature(std::string_view bytes) {
    return Decoder(bytes).run();
}

}  // namespace opsight::wire
