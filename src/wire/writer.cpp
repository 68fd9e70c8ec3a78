#include "wire/writer.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

namespace opsight::wire {
namespace {

constexpr uint32_t kReserveChunks = 64;  // 4 MiB of disk at a time
// 1 MiB of memory made ready at a time: in smaller steps the kernel takes several times as long per page.
constexpr uint32_t kReadyChunks = 16;
constexpr int64_t kClockEveryNs = 100'000'000;

size_t padded(size_t bytes) {
    return (bytes + 7) & ~size_t{7};
}

// What the program's own limits leave: growing a file past its limit would end the program, and of its memory
// only a small part is ours to take.
uint64_t within_limits(uint64_t bytes) {
    constexpr rlim_t kShareOfMemory = 16;
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bytes = std::min<uint64_t>(bytes, limit.rlim_cur > kHeaderBytes ? limit.rlim_cur - kHeaderBytes : 0);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bytes = std::min<uint64_t>(bytes, limit.rlim_cur / kShareOfMemory);
    return bytes;
}

constexpr uint64_t kFewestChunks = 4;

}  // namespace

int CaptureWriter::open(const char* path, uint64_t limit_bytes, bool keep_last) {
    const uint64_t allowed = within_limits(std::max(limit_bytes, kFewestChunks * kChunkBytes)) / kChunkBytes;
    const uint64_t chunks = std::min<uint64_t>(allowed, std::numeric_limits<uint32_t>::max() / 2);
    if (chunks < kFewestChunks) return EFBIG;
    const size_t bytes = kHeaderBytes + chunks * kChunkBytes;
    const int file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    int problem = posix_fallocate(file, 0, kHeaderBytes);
    if (problem == 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) problem = errno;
    struct stat facts {};
    if (problem == 0 && fstat(file, &facts) != 0) problem = errno;
    void* mapping = MAP_FAILED;
    if (problem == 0) {
        mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (mapping == MAP_FAILED) problem = errno;
    }
    void* queue = MAP_FAILED;
    if (problem == 0 && keep_last) {
        queue =
            mmap(nullptr, chunks * sizeof *full_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (queue == MAP_FAILED) problem = errno;
    }
    if (problem != 0) {
        if (mapping != MAP_FAILED) munmap(mapping, bytes);
        ::close(file);
        ::unlink(path);
        return problem;
    }
    if (keep_last) full_ = static_cast<uint32_t*>(queue);
    base_ = static_cast<char*>(mapping);
    mapped_bytes_ = bytes;
    file_ = file;
    device_ = facts.st_dev;
    inode_ = facts.st_ino;
    clock_ = best_clock();

    auto* head = new (base_) FileHeader{};
    head->version = kVersion;
    head->endian = kEndianMark;
    head->header_bytes = kHeaderBytes;
    head->chunk_bytes = kChunkBytes;
    head->capacity_chunks = static_cast<uint32_t>(chunks);
    head->limited = chunks < limit_bytes / kChunkBytes;
    head->clock = clock_;
    head->keeps_last = keep_last;
    head->pid = static_cast<uint32_t>(getpid());
    head->parent_pid = static_cast<uint32_t>(getppid());
    head->begin = take_snapshot(clock_);
    last_clock_ns_ = head->begin.monotonic_ns;
    // The magic comes last: a file with it has a whole header.
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(head->magic, kMagic, sizeof kMagic);
    return 0;
}

void CaptureWriter::finish() {
    if (!is_open()) return;
    header()->finished.store(1, std::memory_order_release);
    // No blocks are reserved from here on; what lies beyond them was never touched and can go.
    while (growing_.test_and_set(std::memory_order_acquire))
        sched_yield();
    disk_full_.store(true, std::memory_order_relaxed);
    const uint32_t reserved = reserved_chunks_.load(std::memory_order_relaxed);
    const off_t kept = kHeaderBytes + off_t{reserved} * kChunkBytes;
    // Numbers that were handed out where no blocks were left stand for nothing.
    if (header()->chunks.load(std::memory_order_relaxed) > reserved) header()->chunks.store(reserved);
    if (file_is_ours()) {
        [[maybe_unused]] const int ignored = ftruncate(file_, kept);  // else the file only looks large
    }
    growing_.clear(std::memory_order_release);
}

void CaptureWriter::abandon() {
    if (!is_open()) return;
    if (full_) munmap(full_, header()->capacity_chunks * sizeof *full_);
    full_ = nullptr;
    munmap(base_, mapped_bytes_);
    if (file_is_ours()) ::close(file_);
    base_ = nullptr;
    file_ = -1;
}

// The next blocks on disk: fewer where the disk is nearly full. Called by one thread at a time.
bool CaptureWriter::reserve_more() {
    const uint32_t from = reserved_chunks_.load(std::memory_order_relaxed);
    for (uint32_t count = std::min(header()->capacity_chunks - from, kReserveChunks); count > 0; count /= 2)
        if (reserve(from, count)) {
            reserved_chunks_.store(from + count, std::memory_order_release);
            return true;
        }
    return false;
}

bool CaptureWriter::reserve(uint32_t from, uint32_t count) const {
    const off_t at = kHeaderBytes + off_t{from} * kChunkBytes;
    const off_t bytes = off_t{count} * kChunkBytes;
    if (file_is_ours()) return posix_fallocate(file_, at, bytes) == 0;
#ifdef MADV_POPULATE_WRITE
    return madvise(base_ + at, static_cast<size_t>(bytes), MADV_POPULATE_WRITE) ==
           0;  // fails where the disk is full
#else
    return false;
#endif
}

bool CaptureWriter::file_is_ours() const {
    struct stat facts {};
    return fstat(file_, &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_;
}

// Makes sure that the disk holds the blocks of `chunk`. Threads that come while another one reserves wait
// for it: without its blocks they could not go on either.
bool CaptureWriter::reserve_blocks(uint32_t chunk) {
    while (chunk >= reserved_chunks_.load(std::memory_order_acquire)) {
        if (disk_full_.load(std::memory_order_relaxed)) return false;
        if (growing_.test_and_set(std::memory_order_acquire)) {
            sched_yield();
            continue;
        }
        if (chunk >= reserved_chunks_.load(std::memory_order_relaxed) && !reserve_more())
            disk_full_.store(true, std::memory_order_relaxed);
        growing_.clear(std::memory_order_release);
    }
    return true;
}

char* CaptureWriter::take_chunk(bool kept) {
    FileHeader* head = header();
    // The newest records need room beside what is kept for good.
    if (full_ && kept && kept_chunks_.fetch_add(1, std::memory_order_relaxed) >= head->capacity_chunks / 2)
        return nullptr;
    // Read first: a full capture must not count on until the number wraps.
    const uint32_t room = disk_full_.load(std::memory_order_relaxed)
                              ? reserved_chunks_.load(std::memory_order_relaxed)
                              : head->capacity_chunks;
    if (head->chunks.load(std::memory_order_relaxed) >= room) return use_again();
    const uint32_t chunk = head->chunks.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= head->capacity_chunks || !reserve_blocks(chunk)) return use_again();
    char* at = base_ + kHeaderBytes + size_t{chunk} * kChunkBytes;
#ifdef MADV_POPULATE_WRITE
    // One call instead of many page faults. Older kernels refuse it: then the faults come one by one.
    if (chunk % kReadyChunks == 0) {
        const uint32_t end = std::min(reserved_chunks_.load(std::memory_order_relaxed), chunk + kReadyChunks);
        madvise(at, size_t{end - chunk} * kChunkBytes, MADV_POPULATE_WRITE);
    }
#endif
    return at;
}

ThreadStream::ThreadStream(CaptureWriter& writer, bool kept)
    : writer_(&writer),
      thread_(writer.header()->threads.fetch_add(1, std::memory_order_relaxed)),
      os_thread_(static_cast<uint32_t>(syscall(SYS_gettid))),
      kept_(kept),
      recycles_(writer.keeps_last() && !kept) {}

void ThreadStream::introduce_thread(uint64_t framework_thread, const char* name) {
    os_thread_ = static_cast<uint32_t>(syscall(SYS_gettid));
    framework_thread_ = framework_thread;
    std::memset(thread_name_, 0, sizeof thread_name_);
    std::strncpy(thread_name_, name, sizeof thread_name_ - 1);
    // The first chunk of a ring begins with it.
    const bool first = !chunk_ && recycles_;
    introduced_ = true;
    if (first) return make_room();
    constexpr size_t kMost = sizeof(BlobRecord) + sizeof thread_name_ + sizeof(ThreadRecord);
    if (char* at = reserve_definition(kMost)) commit(static_cast<size_t>(write_thread(at) - at));
}

// The text of the thread's name, and the thread.
char* ThreadStream::write_thread(char* at) {
    const size_t length = std::strlen(thread_name_);
    BlobRecord name{};
    name.header = {static_cast<uint16_t>(RecordType::kString),
                   static_cast<uint16_t>(sizeof name + padded(length))};
    name.id = ++last_id_;
    name.length = static_cast<uint16_t>(length);
    std::memcpy(at, &name, sizeof name);
    std::memcpy(at + sizeof name, thread_name_, length);
    at += name.header.bytes;
    const ThreadRecord thread{{static_cast<uint16_t>(RecordType::kThread), sizeof(ThreadRecord)},
                              os_thread_,
                              framework_thread_,
                              name.id,
                              0};
    std::memcpy(at, &thread, sizeof thread);
    return at + sizeof thread;
}

void ThreadStream::begin_chunk(char* at) {
    chunk_ = new (at) ChunkHeader{kChunkMagic, thread_, sequence_++, os_thread_, sizeof(ChunkHeader), 0};
    next_ = at + sizeof(ChunkHeader);
    end_ = at + kChunkBytes;
}

bool ThreadStream::next_chunk(size_t bytes) {
    if (bytes > kChunkBytes - sizeof(ChunkHeader)) return false;
    if (recycles_) {
        if (!next_chunk_of_ring()) return false;
    } else {
        char* at = writer_->take_chunk(kept_);
        if (!at) return false;
        // The finished chunk leaves the program's resident memory; the page cache keeps it.
        if (chunk_) madvise(chunk_, kChunkBytes, MADV_DONTNEED);
        begin_chunk(at);
    }
    const int64_t now = clock_ns(CLOCK_MONOTONIC);
    int64_t last = writer_->last_clock_ns_.load(std::memory_order_relaxed);
    if (now - last > kClockEveryNs && writer_->last_clock_ns_.compare_exchange_strong(last, now)) snapshot();
    return bytes <= room() || next_chunk(bytes);
}

uint32_t ThreadStream::define_blob(RecordType type, std::string_view blob, BlobRecord head) {
    if (blob.size() > kMaxBlob) {
        writer_->count_cut_text();
        blob = blob.substr(0, kMaxBlob);
    }
    const size_t bytes = sizeof(BlobRecord) + padded(blob.size());
    make_room(bytes + kRoomForRecord);
    char* at = reserve_definition(bytes);
    if (!at) return kNoId;
    head.header = {static_cast<uint16_t>(type), static_cast<uint16_t>(bytes)};
    head.id = ++last_id_;
    head.length = static_cast<uint16_t>(blob.size());
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, blob.data(), blob.size());
    commit(bytes);
    return last_id_;
}

void ThreadStream::property(std::string_view key, std::string_view value) {
    std::string text(key);
    text += '\0';
    text += value;
    if (define(RecordType::kProperty, text) == kNoId) writer_->count_lost();
}

void ThreadStream::snapshot() {
    if (auto* record = begin_record<ClockRecord>(RecordType::kClock)) {
        record->snapshot = take_snapshot(writer_->clock());
        last_snapshot_ = record->snapshot.ticks;
        commit(sizeof *record);
    }
}

}  // namespace opsight::wire
