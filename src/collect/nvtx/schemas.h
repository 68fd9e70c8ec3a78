// Schemas of payloads as far as recording needs them, and clocks of a program's own.
#pragma once

#include <atomic>

#include "collect/nvtx/abi.h"

namespace opsight::nvtx {

// What a payload's copy needs of its schema, or enum.
struct KnownSchema {
    std::atomic<uint64_t> key{0};
    uint32_t size = 0, alignment = 1;
    uint32_t texts = 0;  // addresses of texts lie at these offsets
    uint32_t text_at[8] = {};
};
const KnownSchema* find_schema(uint32_t domain, uint64_t schema);
// Bytes of one value of a schema or predefined type; 0: it is not known, or varies.
size_t size_of_schema(uint32_t domain, uint64_t schema);

void fill_schemas(const ExtensionSegment& segment);

// The clock that a list of semantics names, or 0. A clock of the system that has to be read is read from now
// on.
uint64_t clock_of(const SemanticsHeader* semantics);
// Reads the clocks whose functions are known, beside ours. Called where events on them are submitted.
void read_clocks();
void fill_clocks(const ExtensionSegment& segment);

}  // namespace opsight::nvtx
