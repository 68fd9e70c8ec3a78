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
};

// Bytes that follow the struct of a record, by its own word; 0 where none do.
size_t bytes_after(const RecordView& record) {
    switch (record.type) {
        case RecordType::kString:
        case RecordType::kOpKind:
        case RecordType::kProperty:
            return record.as<BlobRecord>().length;
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
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
    info_.finished = head.finished.load(std::memory_order_relaxed) != 0;

    const uint64_t in_file = (size - kHeaderBytes + kChunkBytes - 1) / kChunkBytes;
    const uint32_t wanted = std::min(head.chunks.load(std::memory_order_relaxed), head.capacity_chunks);
    const auto present = static_cast<uint32_t>(std::min<uint64_t>(wanted, in_file));
    damage_.missing_chunks = wanted - present;
    buffer_.resize(kChunkBytes / sizeof(uint64_t));
    read_chunk_headers(present);
    return {};
}

void CaptureReader::read_chunk_headers(uint32_t count) {
    struct Place {
        uint32_t sequence, chunk, os_thread;
    };
    std::map<uint32_t, std::vector<Place>> threads;
    for (uint32_t chunk = 0; chunk < count; ++chunk) {
        alignas(ChunkHeader) std::array<char, sizeof(ChunkHeader)> bytes;
        if (!source_(chunk_offset(chunk), bytes.data(), bytes.size())) {
            ++damage_.missing_chunks;
            continue;
        }
        const auto& head = *reinterpret_cast<const ChunkHeader*>(bytes.data());
        // A chunk that was handed out and never begun is all zero: the process died in between.
        if (head.magic == 0 && head.used.load(std::memory_order_relaxed) == 0) continue;
        if (head.magic != kChunkMagic) {
            ++damage_.bad_chunks;
            continue;
        }
        threads[head.thread].push_back({head.sequence, chunk, head.os_thread});
    }
    for (auto& [thread, found] : threads) {
        std::stable_sort(found.begin(), found.end(),
                         [](Place a, Place b) { return a.sequence < b.sequence; });
        CaptureStream stream{thread, found.front().os_thread, {}};
        uint64_t expected = 0;
        for (const Place& place : found) {
            if (place.sequence < expected) {
                ++damage_.bad_chunks;
                continue;
            }
            // A damaged number may be anything: no more can be missing than were handed out.
            damage_.missing_chunks += std::min<uint64_t>(place.sequence - expected, count);
            expected = uint64_t{place.sequence} + 1;
            stream.chunks.push_back(place.chunk);
        }
        streams_.push_back(std::move(stream));
    }
}

void CaptureReader::read(const CaptureStream& stream, const std::function<void(const RecordView&)>& visit) {
    char* const buffer = reinterpret_cast<char*>(buffer_.data());
    for (uint32_t chunk : stream.chunks) {
        if (!source_(chunk_offset(chunk), buffer, sizeof(ChunkHeader))) continue;
        const size_t used =
            reinterpret_cast<const ChunkHeader*>(buffer)->used.load(std::memory_order_relaxed);
        if (used < sizeof(ChunkHeader) || used > kChunkBytes || used % 8 != 0 ||
            !source_(chunk_offset(chunk), buffer, used)) {
            ++damage_.bad_records;
            continue;
        }
        read_records({buffer + sizeof(ChunkHeader), used - sizeof(ChunkHeader)}, visit);
    }
}

void CaptureReader::read_records(std::span<const char> records,
                                 const std::function<void(const RecordView&)>& visit) {
    while (records.size() >= sizeof(RecordHeader)) {
        RecordHeader head;
        std::memcpy(&head, records.data(), sizeof head);
        if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > records.size()) {
            ++damage_.bad_records;  // where the next record begins is not known: the chunk ends here
            return;
        }
        const RecordView view{static_cast<RecordType>(head.type), records.subspan(0, head.bytes)};
        records = records.subspan(head.bytes);
        if (head.type >= kSmallest.size() || head.type == 0) {
            ++damage_.unknown_records;
        } else if (head.bytes < kSmallest[head.type] ||
                   bytes_after(view) > head.bytes - kSmallest[head.type]) {
            ++damage_.bad_records;
        } else {
            visit(view);
        }
    }
}

}  // namespace opsight::wire
