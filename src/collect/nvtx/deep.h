// Copies of what payloads point to, where their schemas ask for one.
#pragma once

#include "collect/nvtx/schemas.h"
#include "collect/nvtx/session.h"

namespace opsight::nvtx {

// Appends data that belongs to the event which was recorded last. What is longer than a record is not
// recorded, and counted.
void append_data(ThreadState& state, wire::NvtxDataKind kind, uint64_t id, const void* from, size_t size,
                 uint32_t domain);

// Follows the pointers of one event's payloads. Memory is read through the kernel, which answers with an
// error where an address is none; nothing is read but what an entry with DEEP_COPY points to. Bounded in
// depth, number and bytes; how many pointers were not followed to the end is noted with the event.
class DeepCopy {
  public:
    DeepCopy(ThreadState& state, uint32_t domain, const PayloadData* payloads, size_t count)
        : state_(state), domain_(domain), payloads_(payloads), payload_count_(count) {}
    ~DeepCopy();
    DeepCopy(const DeepCopy&) = delete;
    DeepCopy& operator=(const DeepCopy&) = delete;

    void payload(const KnownSchema& schema, const char* bytes, size_t size) {
        object(schema, bytes, size, 0, kNoMember);
    }

  private:
    static constexpr size_t kMostBytes = wire::kMaxPayload, kMostCopies = 64, kMostEntries = 64;
    static constexpr int kDeepest = 4;
    static constexpr uint64_t kUnknown = UINT64_MAX, kNoMember = UINT64_MAX;

    void object(const KnownSchema& schema, const char* bytes, size_t size, int depth, uint64_t member);
    size_t value(const KnownEntry& entry, const char* bytes, size_t size, uint64_t count, int depth,
                 uint64_t member);
    void follow(const KnownEntry& entry, uint64_t address, uint64_t count, int depth);
    void follow_terminated(uint64_t address, size_t one);
    uint64_t length_of(const KnownEntry& entry, const uint64_t* before, size_t known) const;
    uint64_t length_in(uint64_t payload) const;
    size_t size_of(const KnownEntry& entry) const;
    bool is_copied(uint64_t address, size_t bytes) const;
    void remember(uint64_t address, size_t bytes);

    ThreadState& state_;
    const uint32_t domain_;
    const PayloadData* payloads_;
    const size_t payload_count_;
    size_t left_ = kMostBytes, copies_ = 0;
    uint64_t cut_ = 0;
    struct Copied {
        uint64_t address;
        size_t bytes;
    };
    Copied copied_[kMostCopies] = {};
};

}  // namespace opsight::nvtx
