#include "fleet/clickhouse/native.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace opsight::fleet::clickhouse {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr size_t kWidth = 8;  // of all numbers here

void append_length(std::string& out, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

void append_text(std::string& out, std::string_view text) {
    append_length(out, text.size());
    out += text;
}

template <class T>
void append_number(std::string& out, T value) {
    static_assert(sizeof(T) == kWidth);
    char bytes[kWidth];
    std::memcpy(bytes, &value, kWidth);
    out.append(bytes, kWidth);
}

}  // namespace

std::string NativeColumn::type() const {
    static constexpr std::string_view kNames[] = {"UInt64", "Int64", "Float64", "String"};
    const std::string plain(kNames[static_cast<size_t>(kind)]);
    return nullable ? "Nullable(" + plain + ")" : plain;
}

NativeBlock::NativeBlock(std::vector<NativeColumn> columns)
    : columns_(std::move(columns)), data_(columns_.size()) {}

size_t NativeBlock::bytes() const {
    size_t sum = 0;
    for (const Data& data : data_)
        sum += data.values.size() + data.nulls.size() + data.ends.size() * sizeof(size_t);
    return sum;
}

void NativeBlock::add_number(size_t column, uint64_t value) {
    append_number(data_[column].values, value);
}

void NativeBlock::add_text(size_t column, std::string_view text) {
    Data& data = data_[column];
    if (columns_[column].nullable) data.nulls += '\0';
    append_text(data.values, text);
    data.ends.push_back(data.values.size());
}

bool NativeBlock::add(size_t column, const duck::Cell& cell) {
    const NativeColumn& is = columns_[column];
    Data& data = data_[column];
    const bool null = std::holds_alternative<std::monostate>(cell);
    if (is.kind == Kind::kString) {
        if (const auto* text = std::get_if<std::string>(&cell)) return add_text(column, *text), true;
        if (!null || !is.nullable) return false;
        add_text(column, {});
        data.nulls.back() = 1;
        return true;
    }
    if (null && !is.nullable) return false;
    if (is.nullable) data.nulls += null ? '\1' : '\0';
    if (null) return append_number(data.values, int64_t{0}), true;
    if (const auto* number = std::get_if<int64_t>(&cell)) {
        if (is.kind == Kind::kFloat64)
            append_number(data.values, static_cast<double>(*number));
        else
            append_number(data.values, *number);
        return true;
    }
    if (const auto* real = std::get_if<double>(&cell); real && is.kind == Kind::kFloat64)
        return append_number(data.values, *real), true;
    if (const auto* flag = std::get_if<bool>(&cell); flag && is.kind == Kind::kInt64)
        return append_number(data.values, int64_t{*flag}), true;
    return false;
}

std::string NativeBlock::body(size_t rows, uint64_t first_column) const {
    std::string out;
    out.reserve(bytes() + rows * kWidth + 64 * columns_.size());
    append_length(out, columns_.size());
    append_length(out, rows);
    for (size_t column = 0; column < columns_.size(); ++column) {
        const NativeColumn& is = columns_[column];
        const Data& data = data_[column];
        append_text(out, is.name);
        append_text(out, is.type());
        if (is.nullable) out.append(data.nulls, 0, rows);
        if (column == 0)
            for (size_t row = 0; row < rows; ++row)
                append_number(out, first_column);
        else if (is.kind == Kind::kString)
            out.append(data.values, 0, rows == 0 ? 0 : data.ends[rows - 1]);
        else
            out.append(data.values, 0, rows * kWidth);
    }
    return out;
}

void NativeBlock::drop_front(size_t rows) {
    if (rows == 0) return;
    for (size_t column = 1; column < columns_.size(); ++column) {
        Data& data = data_[column];
        const size_t bytes = columns_[column].kind == Kind::kString ? data.ends[rows - 1] : rows * kWidth;
        data.values.erase(0, bytes);
        if (columns_[column].nullable) data.nulls.erase(0, rows);
        if (data.ends.empty()) continue;
        data.ends.erase(data.ends.begin(), data.ends.begin() + static_cast<std::ptrdiff_t>(rows));
        for (size_t& end : data.ends)
            end -= bytes;
    }
    rows_ -= rows;
}

}  // namespace opsight::fleet::clickhouse
