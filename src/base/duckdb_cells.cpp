#include "base/duckdb_cells.h"

namespace opsight::duck {

Type cell_type(duckdb_type type) {
    switch (type) {
        case DUCKDB_TYPE_BOOLEAN:
            return Type::kBoolean;
        case DUCKDB_TYPE_TINYINT:
        case DUCKDB_TYPE_SMALLINT:
        case DUCKDB_TYPE_INTEGER:
        case DUCKDB_TYPE_BIGINT:
        case DUCKDB_TYPE_UTINYINT:
        case DUCKDB_TYPE_USMALLINT:
        case DUCKDB_TYPE_UINTEGER:
        case DUCKDB_TYPE_UBIGINT:
        case DUCKDB_TYPE_HUGEINT:
            return Type::kBigint;
        case DUCKDB_TYPE_FLOAT:
        case DUCKDB_TYPE_DOUBLE:
            return Type::kDouble;
        default:
            return Type::kVarchar;
    }
}

bool readable(duckdb_type type) {
    return type == DUCKDB_TYPE_VARCHAR || cell_type(type) != Type::kVarchar;
}

namespace {

template <class T>
Cell integer_cell(const void* data, idx_t row) {
    return static_cast<int64_t>(static_cast<const T*>(data)[row]);
}

Cell hugeint_cell(duckdb_hugeint value) {
    const bool fits = (value.upper == 0 && value.lower <= static_cast<uint64_t>(INT64_MAX)) ||
                      (value.upper == -1 && value.lower > static_cast<uint64_t>(INT64_MAX));
    if (fits) return static_cast<int64_t>(value.lower);
    return duckdb_hugeint_to_double(value);
}

Cell unsigned_cell(uint64_t value) {
    if (value <= static_cast<uint64_t>(INT64_MAX)) return static_cast<int64_t>(value);
    return static_cast<double>(value);
}

Cell text_cell(const void* data, idx_t row) {
    duckdb_string_t text = static_cast<const duckdb_string_t*>(data)[row];
    return std::string(duckdb_string_t_data(&text), duckdb_string_t_length(text));
}

Cell read_cell(duckdb_type type, const void* data, idx_t row) {
    switch (type) {
        case DUCKDB_TYPE_BOOLEAN:
            return static_cast<const bool*>(data)[row];
        case DUCKDB_TYPE_TINYINT:
            return integer_cell<int8_t>(data, row);
        case DUCKDB_TYPE_SMALLINT:
            return integer_cell<int16_t>(data, row);
        case DUCKDB_TYPE_INTEGER:
            return integer_cell<int32_t>(data, row);
        case DUCKDB_TYPE_BIGINT:
            return integer_cell<int64_t>(data, row);
        case DUCKDB_TYPE_UTINYINT:
            return integer_cell<uint8_t>(data, row);
        case DUCKDB_TYPE_USMALLINT:
            return integer_cell<uint16_t>(data, row);
        case DUCKDB_TYPE_UINTEGER:
            return integer_cell<uint32_t>(data, row);
        case DUCKDB_TYPE_UBIGINT:
            return unsigned_cell(static_cast<const uint64_t*>(data)[row]);
        case DUCKDB_TYPE_HUGEINT:
            return hugeint_cell(static_cast<const duckdb_hugeint*>(data)[row]);
        case DUCKDB_TYPE_FLOAT:
            return static_cast<double>(static_cast<const float*>(data)[row]);
        case DUCKDB_TYPE_DOUBLE:
            return static_cast<const double*>(data)[row];
        default:
            return text_cell(data, row);
    }
}

}  // namespace

void append_chunk(std::vector<std::vector<Cell>>& rows, const std::vector<duckdb_type>& types,
                  duckdb_data_chunk chunk) {
    const idx_t count = duckdb_data_chunk_get_size(chunk);
    const size_t base = rows.size();
    rows.resize(base + count);
    for (idx_t row = 0; row < count; ++row)
        rows[base + row].resize(types.size());
    for (size_t column = 0; column < types.size(); ++column) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
        const void* data = duckdb_vector_get_data(vector);
        uint64_t* validity = duckdb_vector_get_validity(vector);
        for (idx_t row = 0; row < count; ++row)
            if (!validity || duckdb_validity_row_is_valid(validity, row))
                rows[base + row][column] = read_cell(types[column], data, row);
    }
}

}  // namespace opsight::duck
