#include "import/hlo/shapes.h"

#include <algorithm>
#include <iterator>

namespace opsight::importer::hlo {
namespace {

struct Type {
    int32_t number;
    std::string_view name;
    ElementType type;
};

constexpr Type kTypes[] = {
    {1, "pred", ElementType::kBool},          {2, "s8", ElementType::kInt8},
    {3, "s16", ElementType::kInt16},          {4, "s32", ElementType::kInt32},
    {5, "s64", ElementType::kInt64},          {6, "u8", ElementType::kUint8},
    {7, "u16", ElementType::kUint16},         {8, "u32", ElementType::kUint32},
    {9, "u64", ElementType::kUint64},         {10, "f16", ElementType::kFloat16},
    {11, "f32", ElementType::kFloat32},       {12, "f64", ElementType::kFloat64},
    {15, "c64", ElementType::kComplex64},     {16, "bf16", ElementType::kBfloat16},
    {14, "opaque", ElementType::kUnknown},    {17, "token", ElementType::kUnknown},
    {18, "c128", ElementType::kComplex128},   {19, "f8e5m2", ElementType::kFloat8},
    {20, "f8e4m3fn", ElementType::kFloat8},   {21, "s4", ElementType::kInt4},
    {22, "u4", ElementType::kUint4},          {23, "f8e4m3b11fnuz", ElementType::kFloat8},
    {24, "f8e5m2fnuz", ElementType::kFloat8}, {25, "f8e4m3fnuz", ElementType::kFloat8},
    {28, "f8e4m3", ElementType::kFloat8},     {29, "f8e3m4", ElementType::kFloat8},
    {32, "f4e2m1fn", ElementType::kFloat4},   {33, "f8e8m0fnu", ElementType::kFloat8}};

}  // namespace

int32_t type_number(std::string_view name) {
    const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const Type& type) { return type.name == name; });
    return found == std::end(kTypes) ? 0 : found->number;
}

namespace {

const Type* find_type(int32_t number) {
    const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const Type& type) { return type.number == number; });
    return found == std::end(kTypes) ? nullptr : found;
}

}  // namespace

std::string_view type_name(int32_t number) {
    const Type* type = find_type(number);
    return type ? type->name : std::string_view();
}

ElementType element_type(int32_t number) {
    const Type* type = find_type(number);
    return type ? type->type : ElementType::kUnknown;
}

}  // namespace opsight::importer::hlo
