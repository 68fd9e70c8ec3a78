// A capture that a test makes up, byte by byte as the writer lays it out, so that processes, threads and
// times are whatever the test wants. Times are nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/cuda.h"

namespace opsight::testing {

class FabricatedCapture {
  public:
    explicit FabricatedCapture(uint32_t pid = 100, uint32_t parent = 1) : pid_(pid), parent_(parent) {}

    // What follows is written by this thread; a new stream each time.
    void thread(uint32_t os_thread) {
        streams_.push_back({os_thread, {}});
        last_id_ = 0;
    }
    template <class Record>
    void put(wire::RecordType type, Record record, std::string_view blob = {}) {
        static_assert(sizeof(Record) % 8 == 0);
        const size_t bytes = sizeof record + ((blob.size() + 7) & ~size_t{7});
        record.header = {static_cast<uint16_t>(type), static_cast<uint16_t>(bytes)};
        std::string encoded(bytes, '\0');
        std::memcpy(encoded.data(), &record, sizeof record);
        if (!blob.empty()) std::memcpy(encoded.data() + sizeof record, blob.data(), blob.size());
        auto& chunks = streams_.back().chunks;
        const size_t room = wire::kChunkBytes - sizeof(wire::ChunkHeader);
        if (chunks.empty() || chunks.back().size() + bytes > room) chunks.emplace_back();
        chunks.back() += encoded;
    }
    uint32_t text(std::string_view text) { return define(wire::RecordType::kString, {}, text); }
    uint32_t op_kind(std::string_view name, wire::OpScope scope) {
        wire::BlobRecord head{};
        head.name = text(name);
        head.scope = scope;
        return define(wire::RecordType::kOpKind, head, {});
    }
    void op(uint32_t kind, uint64_t begin, uint64_t dur) {
        wire::OpRecord op{};
        op.kind = kind;
        op.begin = begin;
        op.dur = dur;
        put(wire::RecordType::kOp, op);
    }
    // What the clock reading at the begin is off by.
    void misread(int64_t ns) { misread_ = ns; }
    // This host's clock since boot is ahead of others' by so much; the time of day is the same.
    void booted_before(int64_t ns) { booted_before_ = ns; }
    void property(std::string_view key, std::string_view value) {
        define(wire::RecordType::kProperty, {}, std::string(key) + '\0' + std::string(value));
    }

    std::string bytes() const {
        std::string file(wire::kHeaderBytes, '\0');
        uint32_t number = 0, chunks = 0;
        for (const Stream& stream : streams_) {
            uint32_t sequence = 0;
            for (const std::string& content : stream.chunks) {
                wire::ChunkHeader head{};
                head.magic = wire::kChunkMagic;
                head.thread = number;
                head.sequence = sequence++;
                head.os_thread = stream.os_thread;
                head.used = static_cast<uint32_t>(sizeof head + content.size());
                std::string chunk(wire::kChunkBytes, '\0');
                std::memcpy(chunk.data(), static_cast<const void*>(&head), sizeof head);
                std::memcpy(chunk.data() + sizeof head, content.data(), content.size());
                file += chunk;
                ++chunks;
            }
            ++number;
        }
        wire::FileHeader head{};
        std::memcpy(head.magic, wire::kMagic, sizeof head.magic);
        head.version = wire::kVersion;
        head.endian = wire::kEndianMark;
        head.header_bytes = wire::kHeaderBytes;
        head.chunk_bytes = wire::kChunkBytes;
        head.capacity_chunks = chunks;
        head.clock = wire::ClockKind::kMonotonicNs;
        head.pid = pid_;
        head.parent_pid = parent_;
        head.begin = {kStart, kStart + misread_ + booted_before_, kStart + misread_ + kEpoch, 50};
        head.chunks = chunks;
        head.threads = number;
        head.finished = 1;
        std::memcpy(file.data(), static_cast<const void*>(&head), sizeof head);
        return file;
    }

    static constexpr int64_t kStart = 1'000'000;                  // monotonic
    static constexpr int64_t kEpoch = 1'700'000'000'000'000'000;  // from there to the time of day

  private:
    struct Stream {
        uint32_t os_thread;
        std::vector<std::string> chunks;
    };
    uint32_t define(wire::RecordType type, wire::BlobRecord head, std::string_view blob) {
        head.id = ++last_id_;
        head.length = static_cast<uint16_t>(blob.size());
        put(type, head, blob);
        return last_id_;
    }

    uint32_t pid_, parent_, last_id_ = 0;
    int64_t misread_ = 0, booted_before_ = 0;
    std::vector<Stream> streams_;
};

}  // namespace opsight::testing
