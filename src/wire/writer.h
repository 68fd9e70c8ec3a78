// Writes one process's capture file. Appending a record is a bounds check, plain stores into the mapping and
// one release store: no lock, no allocation, no system call. Once per chunk (64 KiB) a thread takes the next
// chunk with an atomic add and has its pages made ready.
//
// The file never grows past its limit, nor past the program's own limits of file size and memory; records
// that find no room are counted in the header, or take the place of the oldest (`keep_last`). Its blocks are
// reserved on disk before they are touched, so a full disk stops the recording and not the program (SIGBUS).
// The program may close the file behind our back, as daemons do, and open one of its own under the same
// number: it is used only while it is known to be ours. Uses nothing but the C library: it is also linked
// into libraries that are loaded into foreign programs.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "wire/clock.h"
#include "wire/format.h"

namespace opsight::wire {

class CaptureWriter {
  public:
    CaptureWriter() = default;
    CaptureWriter(const CaptureWriter&) = delete;
    CaptureWriter& operator=(const CaptureWriter&) = delete;

    // Creates `path` (it must not exist). 0, or an errno value.
    int open(const char* path, uint64_t limit_bytes, bool keep_last = false);
    // Marks the capture as closed by the process itself and gives back what it never touched. Other threads
    // may still append where blocks are reserved.
    void finish();
    // Forgets the mapping without touching the file: for a forked child, which shares it with its parent.
    void abandon();

    bool is_open() const { return base_ != nullptr; }
    uint64_t ticks() const { return read_ticks(clock_); }
    ClockKind clock() const { return clock_; }
    bool keeps_last() const { return full_ != nullptr; }
    uint64_t lost() const { return header()->lost.load(std::memory_order_relaxed); }
    // For want of room.
    void count_lost() { header()->lost.fetch_add(1, std::memory_order_relaxed); }
    // A call in a signal handler that interrupted another one.
    void count_interrupted() { header()->interrupted.fetch_add(1, std::memory_order_relaxed); }
    // An open call that lies too deep to be remembered: its end is not recorded.
    void count_left_open() { header()->left_open.fetch_add(1, std::memory_order_relaxed); }
    // Something that no record can hold, whatever room there is.
    void count_refused() { header()->refused.fetch_add(1, std::memory_order_relaxed); }
    // A text of which only the first kMaxBlob bytes are kept.
    void count_cut_text() { header()->cut_texts.fetch_add(1, std::memory_order_relaxed); }

  private:
    friend class ThreadStream;
    FileHeader* header() const { return reinterpret_cast<FileHeader*>(base_); }
    char* take_chunk(bool kept);
    char* use_again();
    void give_back(ChunkHeader* chunk);
    void lock_queue();
    bool reserve_blocks(uint32_t chunk);
    bool reserve_more();
    bool reserve(uint32_t from, uint32_t count) const;
    bool file_is_ours() const;

    char* base_ = nullptr;
    size_t mapped_bytes_ = 0;
    int file_ = -1;
    uint64_t device_ = 0, inode_ = 0;  // of the file
    ClockKind clock_ = ClockKind::kMonotonicNs;
    std::atomic<uint32_t> reserved_chunks_{0};
    std::atomic<bool> disk_full_{false};
    std::atomic_flag growing_ = ATOMIC_FLAG_INIT;
    std::atomic<int64_t> last_clock_ns_{0};

    // Where the newest records are kept: the chunks that may be used again, since their streams have gone on,
    // in the order in which they were full. A queue of capacity_chunks places, for one thread at a time.
    uint32_t* full_ = nullptr;
    uint64_t first_full_ = 0, end_full_ = 0;
    std::atomic_flag queueing_ = ATOMIC_FLAG_INIT;
    std::atomic<uint32_t> kept_chunks_{0};
};

// What a thread has open: where its pointers to the durations of open spans stand, in the order of the
// records.
struct OpenSpans {
    uint64_t*** at = nullptr;
    size_t count = 0;
};

// One thread's part of a capture. Used by that thread only.
class ThreadStream {
  public:
    // `kept`: also where only the newest records are kept, those of this stream all are.
    explicit ThreadStream(CaptureWriter& writer, bool kept = false);

    // Room for a record of `bytes` (a multiple of 8), zeroed; null where the capture is full (counted as
    // lost). The record counts when commit() is called; one reservation at a time.
    char* reserve(size_t bytes) {
        if (bytes > room() && !next_chunk(bytes)) [[unlikely]] {
            writer_->count_lost();
            return nullptr;
        }
        return next_;
    }
    // The same for what only defines: nothing is lost without it but a name.
    char* reserve_definition(size_t bytes) { return bytes > room() && !next_chunk(bytes) ? nullptr : next_; }

    // Whether chunks of this stream are used again. Then a record and what it names have to lie in one chunk:
    // make_room() comes before an id is looked up, for the record and the definitions that it may need;
    // definitions leave room for a record; and ids hold only as long as salt() is the same.
    bool recycles() const { return recycles_; }
    static constexpr size_t kRoomForRecord = 256;  // that of an op with all counters, too
    void make_room(size_t bytes = kRoomForRecord) {
        if (recycles_ && bytes > room()) [[unlikely]]
            next_chunk(bytes);
    }
    // Differs from chunk to chunk where they are used again, else 0.
    uint64_t salt() const { return salt_; }
    // Who knows what is open; all of that is in the newest chunk.
    void set_open_spans(OpenSpans (*open)(void* owner), void* owner) {
        open_spans_ = open;
        owner_ = owner;
    }
    void commit(size_t bytes) {
        next_ += bytes;
        __builtin_prefetch(next_ + kAhead, 1);  // may lie beyond the mapping: a prefetch never faults
        chunk_->used.store(static_cast<uint32_t>(next_ - reinterpret_cast<char*>(chunk_)),
                           std::memory_order_release);
    }

    template <class Record>
    Record* begin_record(RecordType type) {
        static_assert(sizeof(Record) % 8 == 0);
        char* at = reserve(sizeof(Record));
        if (!at) return nullptr;
        auto* header = reinterpret_cast<RecordHeader*>(at);
        header->type = static_cast<uint16_t>(type);
        header->bytes = sizeof(Record);
        return reinterpret_cast<Record*>(at);
    }

    // The same for a record with `more` bytes (a multiple of 8) behind it.
    template <class Record>
    Record* begin_record(RecordType type, size_t more) {
        char* at = reserve(sizeof(Record) + more);
        if (!at) return nullptr;
        auto* header = reinterpret_cast<RecordHeader*>(at);
        header->type = static_cast<uint16_t>(type);
        header->bytes = static_cast<uint16_t>(sizeof(Record) + more);
        return reinterpret_cast<Record*>(at);
    }

    // Appends a text (or property) under a new id; kNoId where the capture is full.
    uint32_t define(RecordType type, std::string_view text) { return define_blob(type, text, {}); }
    // The same for a kind of op.
    uint32_t define_op(uint32_t name, OpScope scope, std::string_view inputs) {
        BlobRecord head{};
        head.name = name;
        head.scope = scope;
        return define_blob(RecordType::kOpKind, inputs, head);
    }
    void property(std::string_view key, std::string_view value);
    void snapshot();
    // Takes one where the last is long ago. Cheap enough for every range.
    void snapshot_if_due(uint64_t now) {
        if (now - last_snapshot_ > kSnapshotTicks) [[unlikely]]
            snapshot();
    }

    // Tells who writes from here on: the calling thread, with the framework's number of it.
    void introduce_thread(uint64_t framework_thread, const char* name);

    CaptureWriter& writer() { return *writer_; }
    uint32_t number() const { return thread_; }
    uint32_t next_id() { return ++last_id_; }

  private:
    static constexpr uint64_t kSnapshotTicks = 1'000'000'000;  // a quarter of a second to a second
    static constexpr size_t kAhead = 128;
    size_t room() const { return static_cast<size_t>(end_ - next_); }  // of the chunk; none before the first
    bool next_chunk(size_t bytes);
    bool next_chunk_of_ring();
    void begin_chunk(char* at);
    char* write_thread(char* at);
    uint32_t define_blob(RecordType type, std::string_view blob, BlobRecord head);

    CaptureWriter* writer_;
    ChunkHeader* chunk_ = nullptr;
    char* next_ = nullptr;
    char* end_ = nullptr;
    uint64_t last_snapshot_ = 0;
    uint32_t thread_ = 0, os_thread_ = 0, sequence_ = 0, last_id_ = 0;
    const bool kept_, recycles_;
    bool introduced_ = false;
    char thread_name_[32] = "";
    uint64_t framework_thread_ = 0;
    uint64_t salt_ = 0, events_before_ = 0;
    OpenSpans (*open_spans_)(void*) = nullptr;
    void* owner_ = nullptr;
};

}  // namespace opsight::wire
