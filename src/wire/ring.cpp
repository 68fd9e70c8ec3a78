// Chunks that are used again, where the newest records are kept. A death of the process between any two
// stores here costs at most what the chunk held that was to be used again.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "wire/nvtx.h"
#include "wire/writer.h"

namespace opsight::wire {
namespace {

// Of a chunk: so that the longest payload fits beside it.
constexpr size_t kMostCarried = kChunkBytes / 4;

static_assert(offsetof(ModuleRecord, dur) == offsetof(OpRecord, dur));
static_assert(offsetof(ModuleRecord, name) == offsetof(OpRecord, kind));

char* record_of(uint64_t* dur) {
    return reinterpret_cast<char*>(dur) - offsetof(OpRecord, dur);
}

template <class Record>
Record read(const char* at) {
    Record record;
    std::memcpy(static_cast<void*>(&record), at, sizeof record);
    return record;
}

RecordType type_of(const char* at) {
    return static_cast<RecordType>(read<RecordHeader>(at).type);
}

// The bytes of a record and of what belongs to it: payloads follow their event.
size_t bytes_with_payload(const char* record, const char* end) {
    const char* at = record + read<RecordHeader>(record).bytes;
    while (at < end) {
        const RecordType type = type_of(at);
        if (type == RecordType::kNvtxData) {
            const NvtxDataKind kind = read<NvtxDataRecord>(at).kind;
            if (kind == NvtxDataKind::kAmend || kind == NvtxDataKind::kDeferred ||
                kind == NvtxDataKind::kScope || kind == NvtxDataKind::kFlexible)
                break;
        } else if (type != RecordType::kNvtxNumber) {
            break;
        }
        at += read<RecordHeader>(at).bytes;
    }
    return static_cast<size_t>(at - record);
}

// Definitions that open records need, told by their id. May tell too much, never too little.
class Wanted {
  public:
    void add(uint32_t id) { bits_[id / 64 % kWords] |= uint64_t{1} << id % 64; }
    bool has(uint32_t id) const { return bits_[id / 64 % kWords] >> id % 64 & 1; }

  private:
    static constexpr size_t kWords = 128;
    uint64_t bits_[kWords] = {};
};

// What of a full chunk has to go on in the next one.
class Carry {
  public:
    Carry(char* begin, char* end, OpenSpans open)
        : begin_(begin), end_(end), open_(open.at), count_(open.count) {
        // Too much is open only where thousands of calls lie within each other: the outermost go on.
        while (measure() > kMostCarried)
            count_ /= 2;
        for (size_t i = count_; i < open.count; ++i)
            *open_[i] = nullptr;
    }

    size_t count() const { return count_; }
    uint32_t events_left_behind() const { return events_ - static_cast<uint32_t>(count_); }

    // Copies it to `to`, behind what stands there. Returns where it ends.
    char* write(char* to) {
        for_each([&](char* at, const RecordHeader& head) {
            if (is_wanted(at)) to = std::copy_n(at, head.bytes, to);
        });
        first_copy_ = to;
        bool goes_on = false;
        for (size_t i = 0; i < count_; ++i) {
            char* const record = record_of(*open_[i]);
            const size_t bytes = bytes_with_payload(record, end_);
            to = std::copy_n(record, bytes, to);
            goes_on = record + bytes == end_;
        }
        const CarriedEndRecord end{{static_cast<uint16_t>(RecordType::kCarriedEnd), sizeof end}, goes_on};
        return std::copy_n(reinterpret_cast<const char*>(&end), sizeof end, to);
    }

    // From here on the copies count.
    void switch_over() {
        char* copy = first_copy_;
        for (size_t i = 0; i < count_; ++i) {
            char* const record = record_of(*open_[i]);
            const size_t bytes = bytes_with_payload(record, end_);
            *open_[i] = reinterpret_cast<uint64_t*>(copy + offsetof(OpRecord, dur));
            for (char* at = record; at < record + bytes; at += read<RecordHeader>(at).bytes)
                reinterpret_cast<RecordHeader*>(at)->type |= kMovedBit;
            copy += bytes;
        }
    }

  private:
    template <class Visit>
    void for_each(Visit&& visit) {
        for (char* at = begin_; at < end_;) {
            const auto head = read<RecordHeader>(at);
            visit(at, head);
            at += head.bytes;
        }
    }

    bool is_wanted(const char* at) const {
        switch (type_of(at)) {
            case RecordType::kString:
            case RecordType::kOpKind:
                return wanted_.has(read<BlobRecord>(at).id);
            case RecordType::kNvtxKind:
                return wanted_.has(read<NvtxKindRecord>(at).id);
            default:
                return false;
        }
    }

    size_t measure() {
        wanted_ = Wanted();
        size_t bytes = sizeof(CarriedEndRecord);
        for (size_t i = 0; i < count_; ++i) {
            const char* const record = record_of(*open_[i]);
            wanted_.add(read<OpRecord>(record).kind);  // a module's name stands in the same place
            bytes += bytes_with_payload(record, end_);
        }
        events_ = 0;
        for_each([&](char* at, const RecordHeader&) {
            const RecordType type = type_of(at);
            events_ += is_event(type);
            if (type == RecordType::kOpKind && is_wanted(at)) wanted_.add(read<BlobRecord>(at).name);
        });
        for_each([&](char* at, const RecordHeader& head) { bytes += is_wanted(at) ? head.bytes : 0; });
        return bytes;
    }

    char* const begin_;
    char* const end_;
    uint64_t*** const open_;
    size_t count_;
    uint32_t events_ = 0;
    Wanted wanted_;
    char* first_copy_ = nullptr;
};

// Nothing behind this is done before what is in front of it. Enough against the death of the process.
void in_order() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

// The chunk that was full first, empty and zeroed; null where there is none.
char* CaptureWriter::use_again() {
    if (!full_) return nullptr;
    const uint32_t capacity = header()->capacity_chunks;
    lock_queue();
    if (first_full_ == end_full_) {
        queueing_.clear(std::memory_order_release);
        return nullptr;
    }
    const uint32_t chunk = full_[first_full_++ % capacity];
    char* at = base_ + kHeaderBytes + size_t{chunk} * kChunkBytes;
    // From here on it is gone: within the lock, so that no newer one of its stream goes before it.
    reinterpret_cast<ChunkHeader*>(at)->magic = 0;
    header()->overwritten.fetch_add(reinterpret_cast<ChunkHeader*>(at)->events, std::memory_order_relaxed);
    queueing_.clear(std::memory_order_release);
#ifdef MADV_POPULATE_WRITE
    madvise(at, kChunkBytes, MADV_POPULATE_WRITE);
#endif
    std::memset(at, 0, kChunkBytes);
    return at;
}

void CaptureWriter::give_back(ChunkHeader* chunk) {
    const auto offset = static_cast<size_t>(reinterpret_cast<char*>(chunk) - base_) - kHeaderBytes;
    madvise(chunk, kChunkBytes, MADV_DONTNEED);  // the page cache keeps it
    lock_queue();
    full_[end_full_++ % header()->capacity_chunks] = static_cast<uint32_t>(offset / kChunkBytes);
    queueing_.clear(std::memory_order_release);
}

void CaptureWriter::lock_queue() {
    while (queueing_.test_and_set(std::memory_order_acquire))
        sched_yield();
}

bool ThreadStream::next_chunk_of_ring() {
    char* const at = writer_->take_chunk(false);
    if (!at) return false;
    ChunkHeader* const before = chunk_;
    const OpenSpans open = before && open_spans_ ? open_spans_(owner_) : OpenSpans{};
    Carry carry(before ? reinterpret_cast<char*>(before) + sizeof(ChunkHeader) : next_, next_, open);
    for (size_t i = carry.count(); i < open.count; ++i)
        writer_->count_left_open();
    if (before) events_before_ += before->events = carry.events_left_behind();

    auto* head = new (at) ChunkHeader{0, thread_, sequence_++, os_thread_, 0, 0};
    const ChunkStartRecord start{
        {static_cast<uint16_t>(RecordType::kChunkStart), sizeof start}, 0, events_before_};
    char* to = std::copy_n(reinterpret_cast<const char*>(&start), sizeof start, at + sizeof *head);
    if (introduced_) to = write_thread(to);
    to = carry.write(to);
    head->used.store(static_cast<uint32_t>(to - at), std::memory_order_relaxed);
    in_order();
    head->magic = kChunkMagic;
    in_order();
    carry.switch_over();
    if (before) writer_->give_back(before);

    chunk_ = head;
    next_ = to;
    end_ = at + kChunkBytes;
    salt_ = sequence_ * uint64_t{0x9e3779b97f4a7c15};
    return true;
}

}  // namespace opsight::wire
