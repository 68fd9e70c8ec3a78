// What the rows of a timeline are, by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opsight::importer::tftimeline {

enum class RowKind : uint8_t {
    kHost,    // "/job:localhost/replica:0/task:0/device:CPU:0 Compute", and that of a GPU: the host's part of
              // its ops
    kStream,  // "/gpu:0/stream:7 Compute": work of a stream
    kAll,     // "/gpu:0/stream:all Compute": the same work again, of all streams
    kCopies,  // "/gpu:0/memcpy Compute": copies again, of all streams
    kOther,   // "Allocators", "... Tensors"
};

struct Row {
    RowKind kind = RowKind::kOther;
    int64_t device = 0, stream = 0;
    std::string name;
};
Row row_of(std::string_view name);

}  // namespace opsight::importer::tftimeline
