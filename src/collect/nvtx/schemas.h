// Schemas of payloads as far as recording needs them, and clocks of a program's own.
#pragma once

#include <atomic>

#include "collect/nvtx/abi.h"

namespace opsight::nvtx {

struct KnownEntry {
    uint64_t flags, type, detail;
    uint32_t offset, alignment;
};

// What a payload's copy needs of its schema, or enum.
struct KnownSchema {
    std::atomic<uint64_t> key{0};
    uint32_t size = 0, alignment = 1;
    uint32_t texts = 0;  // addresses of texts lie at these offsets
    struct Text {
        uint32_t at, width;
    } text_at[8] = {};
    uint64_t type = 0;
    bool refers = false;   // entries point to something, or tell an offset
    bool follows = false;  // and what they point to is to be copied
    uint32_t count = 0;    // of its entries; 0 where they are not needed, or there was no room
    const KnownEntry* entries = nullptr;
};
// The entry of a union that the selector in it names; UINT64_MAX: none.
uint64_t selected_member(const KnownSchema& schema, const char* bytes, size_t size);
const KnownSchema* find_schema(uint32_t domain, uint64_t schema);
// Bytes of one value of a schema or predefined type; 0: it is not known, or varies.
size_t size_of_schema(uint32_t domain, uint64_t schema);

void fill_schemas(const ExtensionSegment& segment);

// Notes what the values of a schema's entry mean, where a list of semantics tells that.
void define_entry_counter(uint32_t domain, uint64_t schema, uint32_t entry, const SemanticsHeader* semantics);

// The clock that a list of semantics names, or 0. A clock of the system that has to be read is read from now
// on.
uint64_t clock_of(const SemanticsHeader* semantics);
// Reads the clocks whose functions are known, beside ours. Called where events on them are submitted.
void read_clocks();
void fill_clocks(const ExtensionSegment& segment);

}  // namespace opsight::nvtx
