// Reads a capture file. Nothing in the file is trusted: whatever does not hold together is skipped and
// counted, the rest is delivered. Memory: one chunk and a few bytes per chunk of the file.
#pragma once

#include <cstring>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/format.h"

namespace opsight::wire {

struct CaptureInfo {
    ClockKind clock = ClockKind::kTsc;
    uint32_t pid = 0, parent_pid = 0;
    ClockSnapshot begin;
    uint64_t lost = 0;  // records that the writer had no room for
    uint64_t interrupted =
        0;                   // that a signal handler made while it had interrupted the writing of another one
    uint64_t cut_texts = 0;  // longer ones than a record holds
    uint64_t left_open = 0;  // ends of calls that lay too deep within others
    uint64_t refused = 0;    // what no record can hold
    bool keeps_last = false;
    uint64_t overwritten = 0;  // events whose place newer ones took
    bool finished = false;     // false: the process was killed, or left without a clean end
};

// What could not be read.
struct CaptureDamage {
    uint64_t missing_chunks = 0;   // cut off, or gaps in a stream
    uint64_t bad_chunks = 0;       // chunk headers that make no sense
    uint64_t bad_records = 0;      // records that make no sense
    uint64_t unknown_records = 0;  // of a type that this version does not know
};

// The records of one thread, or of several one after the other, chunk by chunk.
struct CaptureStream {
    uint32_t thread = 0;
    uint32_t os_thread = 0;        // that began it
    std::vector<uint32_t> chunks;  // in order of writing
    // Where the newest are kept: which of the chunks do not follow the one before them.
    std::vector<bool> after_gap;
};

// A record inside the reader's buffer; valid until the callback returns.
struct RecordView {
    RecordType type = RecordType::kPadding;
    std::span<const char> bytes;
    bool moved = false;      // what it tells goes on in the next chunk, and counts there
    bool after_gap = false;  // of a kChunkStart: what came before is not there

    template <class Record>
    Record as() const {
        Record record;
        std::memcpy(static_cast<void*>(&record), bytes.data(), sizeof record);
        return record;
    }
    // Of texts, kinds of ops and properties.
    uint32_t blob_id() const { return as<BlobRecord>().id; }
    std::string_view blob() const { return blob_of<BlobRecord>(); }
    // The bytes after the struct of a record that tells their length.
    template <class Record>
    std::string_view blob_of() const {
        return {bytes.data() + sizeof(Record), as<Record>().length};
    }
};

class CaptureReader {
  public:
    // Copies `size` bytes at `offset` to `to`; false where they cannot be read.
    using Source = std::function<bool(uint64_t offset, void* to, size_t size)>;

    static Result<CaptureReader> open(const std::string& path);
    static Result<CaptureReader> from(Source source, uint64_t size, const std::string& name);
    // True if `head`, the first bytes of a file, are those of a capture.
    static bool matches(std::string_view head) {
        return head.substr(0, sizeof kMagic) == std::string_view(kMagic, sizeof kMagic);
    }

    const CaptureInfo& info() const { return info_; }
    const std::vector<CaptureStream>& streams() const { return streams_; }
    // What open() and the passes so far could not read.
    const CaptureDamage& damage() const { return damage_; }
    void forget_damage_of_records() { damage_.bad_records = damage_.unknown_records = 0; }

    // Calls `visit` with every record of `stream`, in order.
    void read(const CaptureStream& stream, const std::function<void(const RecordView&)>& visit);

  private:
    Status read_header(const std::string& name, uint64_t size);
    void read_chunk_headers(uint32_t count);
    struct Place;
    void add_stream(uint32_t thread, std::vector<Place>& found, uint32_t count);
    void count_overwritten(const std::vector<Place>& kept);
    std::span<const char> read_chunk(uint32_t chunk);
    void find_carried(uint32_t chunk);
    bool went_on(const RecordView& record) const;
    void read_records(std::span<const char> records, bool after_gap,
                      const std::function<void(const RecordView&)>& visit);

    Source source_;
    CaptureInfo info_;
    CaptureDamage damage_;
    std::vector<CaptureStream> streams_;
    std::vector<uint64_t> buffer_;
    std::set<std::pair<RecordType, uint64_t>> carried_;  // into the last chunk of the stream: type, begin
};

}  // namespace opsight::wire
