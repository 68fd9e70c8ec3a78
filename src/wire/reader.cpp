#include "wire/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>

#include "wire/cuda.h"
#include "wire/nvtx.h"

namespace opsight::wire {
namespace {

// Smallest size of a record of each type; 0: not a type.
constexpr std::array<size_t, static_cast<size_t>(RecordType::kCount)> kSmallest = {
    0,
    sizeof(BlobRecord),
    sizeof(BlobRecord),
    sizeof(OpRecord),
    sizeof(ModuleRecord),
    sizeof(AllocRecord),
    sizeof(FreeRecord),
    sizeof(ClockRecord),
    sizeof(ThreadRecord),
    sizeof(BlobRecord),
    sizeof(AsyncBeginRecord),
    sizeof(AsyncEndRecord),
    sizeof(LinkedOpRecord),
    sizeof(NvtxKindRecord),
    sizeof(OpRecord),
    sizeof(NvtxMarkRecord),
    sizeof(NvtxStartRecord),
    sizeof(NvtxEndRecord),
    sizeof(NvtxNumberRecord),
    sizeof(NvtxDataRecord),
    sizeof(NvtxDefineRecord),
    sizeof(NvtxCounterRecord),
    sizeof(NvtxSampleRecord),
    sizeof(NvtxSyncRecord),
    sizeof(NvtxMemoryRecord),
    sizeof(CudaDeviceRecord),
    sizeof(CudaContextRecord),
    sizeof(CudaStreamRecord),
    sizeof(CudaApiRecord),
    sizeof(CudaKernelKindRecord),
    sizeof(CudaKernelRecord),
    sizeof(CudaCopyRecord),
    sizeof(CudaSetRecord),
    sizeof(CudaSyncRecord),
    sizeof(CudaEventRecord),
    sizeof(CudaMemoryRecord),
    sizeof(CudaPoolRecord),
    sizeof(CudaUnifiedRecord),
    sizeof(CudaOverheadRecord),
    sizeof(CudaJitRecord),
    sizeof(CudaGraphTraceRecord),
    sizeof(CudaExternalRecord),
    sizeof(CudaGraphRecord),
    sizeof(CudaModuleRecord),
    sizeof(CudaModuleBytesRecord),
    sizeof(CudaDroppedRecord),
    sizeof(CudaClockRecord),
    sizeof(CudaStateRecord),
    sizeof(CudaRangeRecord),
    sizeof(CudaHandleRecord),
    sizeof(ChunkStartRecord),
    sizeof(CarriedEndRecord),
    sizeof(CountedOpRecord),
    sizeof(RunQueueRecord),
};

// Bytes that follow the struct of a record, by its own word; 0 where none do.
size_t bytes_after(const RecordView& record) {
    switch (record.type) {
        case RecordType::kString:
        case RecordType::kOpKind:
        case RecordType::kProperty:
            return record.as<BlobRecord>().length;
        case RecordType::kCountedOp:
            return counted_values(record.as<CountedOpRecord>().counters) * sizeof(uint64_t);
        case RecordType::kNvtxKind:
            return record.as<NvtxKindRecord>().length;
        case RecordType::kNvtxData:
            return record.as<NvtxDataRecord>().length;
        case RecordType::kNvtxDefine:
            return record.as<NvtxDefineRecord>().length;
        case RecordType::kNvtxSample:
            return record.as<NvtxSampleRecord>().length;
        case RecordType::kCudaDevice:
            return record.as<CudaDeviceRecord>().length;
        case RecordType::kCudaModuleBytes:
            return record.as<CudaModuleBytesRecord>().length;
        case RecordType::kCudaState:
            return record.as<CudaStateRecord>().length;
        default:
            return 0;
    }
}

uint64_t chunk_offset(uint32_t chunk) {
    return kHeaderBytes + uint64_t{chunk} * kChunkBytes;
}

bool read_all(int file, uint64_t offset, void* to, size_t size) {
    char* at = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = pread(file, at, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += static_cast<uint64_t>(got);
        size -= static_cast<size_t>(got);
    }
    return true;
}

}  // namespace

Result<CaptureReader> CaptureReader::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe holds nobody up
    if (file < 0) return fail(fmt::format("cannot be opened: {}", std::strerror(errno)), path);
    const std::shared_ptr<void> closer(nullptr, [file](void*) { ::close(file); });
    struct stat facts {};
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return fail("is not a regular file", path);
    auto source = [file, closer](uint64_t offset, void* to, size_t size) {
        return read_all(file, offset, to, size);
    };
    return from(source, static_cast<uint64_t>(facts.st_size), path);
}

Result<CaptureReader> CaptureReader::from(Source source, uint64_t size, const std::string& name) {
    CaptureReader reader;
    reader.source_ = std::move(source);
    OPSIGHT_TRY(reader.read_header(name, size));
    return reader;
}

Status CaptureReader::read_header(const std::string& name, uint64_t size) {
    alignas(FileHeader) std::array<char, kHeaderBytes> bytes;
    if (size < kHeaderBytes || !source_(0, bytes.data(), bytes.size()) || !matches({bytes.data(), 8}))
        return fail("is not an Opsight capture", name, "byte 0");
    const auto& head = *reinterpret_cast<const FileHeader*>(bytes.data());
    if (head.endian != kEndianMark) return fail("was captured on a machine of another byte order", name);
    if (head.version != kVersion)
        return fail(
            fmt::format("is a capture of version {}, this program reads version {}", head.version, kVersion),
            name, {}, "import it with the Opsight that recorded it");
    if (head.header_bytes != kHeaderBytes || head.chunk_bytes != kChunkBytes)
        return fail("has a damaged header", name, "byte 16");
    constexpr int64_t kMostNs = int64_t{1} << 61;
    for (const int64_t ns : {head.begin.monotonic_ns, head.begin.realtime_ns})
        if (ns < 0 || ns > kMostNs) return fail("has a damaged header: its time is out of range", name);
    info_.clock = head.clock == ClockKind::kTsc ? ClockKind::kTsc : ClockKind::kMonotonicNs;
    info_.pid = head.pid;
    info_.parent_pid = head.parent_pid;
    info_.begin = head.begin;
    info_.lost = head.lost.load(std::memory_order_relaxed);
    info_.interrupted = head.interrupted.load(std::memory_order_relaxed);
    info_.cut_texts = head.cut_texts.load(std::memory_order_relaxed);
    info_.left_open = head.left_open.load(std::memory_order_relaxed);
    info_.refused = head.refused.load(std::memory_order_relaxed);
    info_.keeps_last = head.keeps_last == 1;
    info_.finished = head.finished.load(std::memory_order_relaxed) != 0;

    const uint64_t in_file = (size - kHeaderBytes + kChunkBytes - 1) / kChunkBytes;
    const uint32_t wanted = std::min(head.chunks.load(std::memory_order_relaxed), head.capacity_chunks);
    const auto present = static_cast<uint32_t>(std::min<uint64_t>(wanted, in_file));
    damage_.missing_chunks = wanted - present;
    buffer_.resize(kChunkBytes / sizeof(uint64_t));
    read_chunk_headers(present);
    return {};
}

// A chunk of a stream.
struct CaptureReader::Place {
    uint32_t sequence, chunk, os_thread, events;
};

void CaptureReader::read_chunk_headers(uint32_t count) {
    std::map<uint32_t, std::vector<Place>> threads;
    for (uint32_t chunk = 0; chunk < count; ++chunk) {
        alignas(ChunkHeader) std::array<char, sizeof(ChunkHeader)> bytes;
        if (!source_(chunk_offset(chunk), bytes.data(), bytes.size())) {
            ++damage_.missing_chunks;
            continue;
        }
        const auto& head = *reinterpret_cast<const ChunkHeader*>(bytes.data());
        // A chunk that was handed out and never begun is all zero: the process died in between. One that was
        // to be used again has lost its mark at least.
        if (head.magic == 0 && (info_.keeps_last || head.used.load(std::memory_order_relaxed) == 0)) continue;
        if (head.magic != kChunkMagic) {
            ++damage_.bad_chunks;
            continue;
        }
        threads[head.thread].push_back({head.sequence, chunk, head.os_thread, head.events});
    }
    for (auto& [thread, found] : threads)
        add_stream(thread, found, count);
}

void CaptureReader::add_stream(uint32_t thread, std::vector<Place>& found, uint32_t count) {
    std::stable_sort(found.begin(), found.end(), [](Place a, Place b) { return a.sequence < b.sequence; });
    CaptureStream stream{thread, found.front().os_thread, {}, {}};
    std::vector<Place> kept;
    uint64_t expected = 0;
    for (const Place& place : found) {
        if (place.sequence < expected) {
            ++damage_.bad_chunks;
            continue;
        }
        // A damaged number may be anything: no more can be missing than were handed out.
        if (!info_.keeps_last) damage_.missing_chunks += std::min<uint64_t>(place.sequence - expected, count);
        stream.after_gap.push_back(place.sequence > expected);
        expected = uint64_t{place.sequence} + 1;
        stream.chunks.push_back(place.chunk);
        kept.push_back(place);
    }
    if (info_.keeps_last) count_overwritten(kept);
    streams_.push_back(std::move(stream));
}

// Each chunk tells how many events its stream had before it: what was not in the chunk that comes before it
// here is gone. Nothing else is counted, so that no death of the writer makes the number wrong.
void CaptureReader::count_overwritten(const std::vector<Place>& kept) {
    uint64_t known = 0;
    for (const Place& place : kept) {
        struct {
            ChunkHeader head;
            ChunkStartRecord start;
        } first;
        const bool whole = source_(chunk_offset(place.chunk), static_cast<void*>(&first), sizeof first) &&
                           first.start.header.type == static_cast<uint16_t>(RecordType::kChunkStart);
        if (!whole) continue;  // of a stream that is kept for good
        constexpr uint64_t kMost = uint64_t{1} << 56;
        if (first.start.events_before >= known && first.start.events_before < kMost)
            info_.overwritten += first.start.events_before - known;
        else
            ++damage_.bad_chunks;
        known = std::min(first.start.events_before, kMost) + place.events;
    }
}

// The records of a chunk, in the buffer; empty where it cannot be read.
std::span<const char> CaptureReader::read_chunk(uint32_t chunk) {
    char* const buffer = reinterpret_cast<char*>(buffer_.data());
    if (!source_(chunk_offset(chunk), buffer, sizeof(ChunkHeader))) return {};
    const size_t used = reinterpret_cast<const ChunkHeader*>(buffer)->used.load(std::memory_order_relaxed);
    if (used < sizeof(ChunkHeader) || used > kChunkBytes || used % 8 != 0 ||
        !source_(chunk_offset(chunk), buffer, used)) {
        ++damage_.bad_records;
        return {};
    }
    return {buffer + sizeof(ChunkHeader), used - sizeof(ChunkHeader)};
}

// Where the process died between the copying of what was open and the marking of what had been copied, both
// look the same: the last chunk of a stream tells.
void CaptureReader::find_carried(uint32_t chunk) {
    carried_.clear();
    std::set<std::pair<RecordType, uint64_t>> found;
    const CaptureDamage before = damage_;
    bool carried = true;
    read_records(read_chunk(chunk), false, [&](const RecordView& record) {
        if (record.type == RecordType::kCarriedEnd) carried = false;
        if (carried && record.bytes.size() >= sizeof(OpRecord))
            found.insert({record.type, record.as<OpRecord>().begin});
    });
    carried_ = std::move(found);
    damage_ = before;  // it is read once more
}

bool CaptureReader::went_on(const RecordView& record) const {
    switch (record.type) {
        case RecordType::kOp:
        case RecordType::kLinkedOp:
        case RecordType::kCountedOp:
        case RecordType::kModule:
        case RecordType::kNvtxRange:
        case RecordType::kNvtxStart: {
            const auto op = record.as<OpRecord>();
            return op.dur == 0 && carried_.contains({record.type, op.begin});
        }
        default:
            return false;
    }
}

void CaptureReader::read(const CaptureStream& stream, const std::function<void(const RecordView&)>& visit) {
    const size_t count = stream.chunks.size();
    for (size_t i = 0; i < count; ++i) {
        carried_.clear();
        if (info_.keeps_last && i + 2 == count && !stream.after_gap[i + 1])
            find_carried(stream.chunks[i + 1]);
        read_records(read_chunk(stream.chunks[i]), stream.after_gap[i], visit);
    }
}

void CaptureReader::read_records(std::span<const char> records, bool after_gap,
                                 const std::function<void(const RecordView&)>& visit) {
    while (records.size() >= sizeof(RecordHeader)) {
        RecordHeader head;
        std::memcpy(&head, records.data(), sizeof head);
        if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > records.size()) {
            ++damage_.bad_records;  // where the next record begins is not known: the chunk ends here
            return;
        }
        const auto type = static_cast<uint16_t>(head.type & ~kMovedBit);
        RecordView view{static_cast<RecordType>(type), records.subspan(0, head.bytes),
                        (head.type & kMovedBit) != 0, after_gap};
        records = records.subspan(head.bytes);
        if (type >= kSmallest.size() || type == 0) {
            ++damage_.unknown_records;
        } else if (head.bytes < kSmallest[type] || bytes_after(view) > head.bytes - kSmallest[type]) {
            ++damage_.bad_records;
        } else {
            view.moved = view.moved || (!carried_.empty() && went_on(view));
            visit(view);
        }
    }
}

}  // namespace opsight::wire
