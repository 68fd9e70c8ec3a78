#include "collect/cuda/stream.h"

#include <algorithm>
#include <new>

#include "collect/environment.h"

namespace opsight::cuda {
namespace {

// What is needed to understand other records, however old it is.
bool is_kept(wire::RecordType type) {
    switch (type) {
        case wire::RecordType::kCudaDevice:
        case wire::RecordType::kCudaContext:
        case wire::RecordType::kCudaStream:
        case wire::RecordType::kCudaGraph:
        case wire::RecordType::kCudaModule:
        case wire::RecordType::kCudaModuleBytes:
        case wire::RecordType::kCudaDropped:
        case wire::RecordType::kCudaClock:
        case wire::RecordType::kCudaState:
        case wire::RecordType::kCudaRange:
        case wire::RecordType::kCudaHandle:
            return true;
        default:
            return false;
    }
}

size_t padded(size_t bytes) {
    return (bytes + 7) & ~size_t{7};
}

}  // namespace

void Spans::open(uint64_t ticks) {
    if (count_ == kMost) std::copy(spans_ + 1, spans_ + count_--, spans_);
    spans_[count_++] = {ticks, UINT64_MAX, 0, false};
}

void Spans::close(uint64_t ticks) {
    if (count_ > 0) spans_[count_ - 1].end = std::min(spans_[count_ - 1].end, ticks);
}

// What has no end yet lasts on; what has no time at all is kept.
bool Spans::any(uint64_t begin, uint64_t end) const {
    if (begin == 0 && end == 0) return true;
    const uint64_t until = end == 0 ? begin : end;
    for (size_t i = 0; i < count_; ++i)
        if (begin <= spans_[i].end && until >= spans_[i].begin) return true;
    return false;
}

// Numbers have 32 bits, and begin anew when those are used up.
bool Spans::may_launch(uint32_t correlation, uint64_t begin, uint64_t end) const {
    if (correlation == 0) return any(begin, end);  // no call of the host launched it
    const bool timed = begin != 0 || end != 0;
    for (size_t i = 0; i < count_; ++i) {
        const Span& span = spans_[i];
        if (timed && std::max(begin, end) < span.begin) continue;
        if (!span.after_known || static_cast<int32_t>(correlation - span.after) < 0) return true;
    }
    return false;
}

void Spans::saw_call(uint32_t correlation, uint64_t begin) {
    constexpr int32_t kFar = -(1 << 24);  // a number of the next round
    for (size_t i = 0; i < count_; ++i) {
        Span& span = spans_[i];
        if (span.end == UINT64_MAX || begin < span.end + kMoment) continue;
        const auto distance = static_cast<int32_t>(correlation - span.after);
        if (!span.after_known || (distance < 0 && distance > kFar)) span.after = correlation;
        span.after_known = true;
    }
}

int Stream::open(const char* folder, uint64_t limit_bytes) {
    if (const int problem = collect::open_capture(writer_, folder, limit_bytes)) return problem;
    stream_ = kept_ = new (stream_room_) wire::ThreadStream(writer_);
    if (writer_.keeps_last()) kept_ = new (kept_room_) wire::ThreadStream(writer_, true);
    return 0;
}

void Stream::finish() {
    const Held held(*this);
    if (!stream_) return;
    stream_->snapshot();
    writer_.finish();
}

void Stream::abandon() {
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;  // another thread may have held it
    mutex_ = fresh;
    stream_ = kept_ = nullptr;
    writer_.abandon();
}

// Where blocks are used again, a record lies in one with all that it names: a name or two, and a kind of
// kernel.
void Stream::begin() {
    constexpr size_t kRoom = 4096;
    if (!stream_) return;
    stream_->make_room(kRoom);
    if (names_salt_ == stream_->salt()) return;
    std::memset(name_ids_, 0, sizeof name_ids_);
    names_salt_ = stream_->salt();
}

uint32_t Stream::text(std::string_view text) {
    text = text.substr(0, wire::kMaxCudaText);
    if (text.empty() || !stream_) return wire::kNoId;
    constexpr size_t kRoomForRest = 512;
    return texts_.get(collect::hash_bytes(text.data(), text.size()) ^ stream_->salt(), [&] {
        stream_->make_room(sizeof(wire::BlobRecord) + padded(text.size()) + kRoomForRest);
        wire::BlobRecord record{};
        record.id = stream_->next_id();
        record.length = static_cast<uint16_t>(text.size());
        put(wire::RecordType::kString, record, text);
        return record.id;
    });
}

uint32_t Stream::api_name(wire::CudaDomain domain, uint32_t cbid) {
    if (cbid >= ApiNames::kMost) return text("(unknown call)");
    const auto row = static_cast<size_t>(domain) - 1;
    uint32_t& id = name_ids_[row][cbid];
    if (id == 0) id = text(names.name[row][cbid] ? plain_name(names.name[row][cbid]) : "(unknown call)");
    return id;
}

uint32_t Stream::kernel_kind(const wire::CudaKernelKindRecord& kind) {
    if (!stream_) return wire::kNoId;
    const uint64_t hash = collect::hash_bytes(reinterpret_cast<const char*>(&kind), sizeof kind);
    return kinds_.get(hash ^ stream_->salt(), [&] {
        wire::CudaKernelKindRecord record = kind;
        record.id = stream_->next_id();
        put(wire::RecordType::kCudaKernelKind, record);
        return record.id;
    });
}

void Stream::put(const wire::RecordHeader& record, std::string_view text) {
    const size_t bytes = record.bytes + padded(text.size());
    wire::ThreadStream* stream = is_kept(static_cast<wire::RecordType>(record.type)) ? kept_ : stream_;
    char* at = stream ? stream->reserve(bytes) : nullptr;
    if (!at) return;
    std::memcpy(at, &record, record.bytes);
    reinterpret_cast<wire::RecordHeader*>(at)->bytes = static_cast<uint16_t>(bytes);
    if (!text.empty()) std::memcpy(at + record.bytes, text.data(), text.size());
    stream->commit(bytes);
}

bool Stream::wants_api(wire::CudaDomain domain, uint32_t cbid, uint32_t thread) {
    if (thread == own_thread) return false;
    return cbid >= ApiNames::kMost || names.wanted[static_cast<size_t>(domain) - 1][cbid];
}

bool Stream::wants_time(uint64_t begin, uint64_t end) {
    return !spans || spans->any(begin, end);
}

bool Stream::wants_work(uint32_t correlation, uint64_t begin, uint64_t end) {
    return !spans || spans->may_launch(correlation, begin, end);
}

void Stream::saw_call(uint32_t correlation, uint64_t begin) {
    if (spans) spans->saw_call(correlation, begin);
}

// One that is open still ended unseen.
void Stream::open_span(uint64_t ticks) {
    close_span(ticks);
    spans->open(ticks);
    wire::CudaRangeRecord record{};
    record.begin = ticks;
    put(wire::RecordType::kCudaRange, record);
}

void Stream::close_span(uint64_t ticks) {
    if (!spans->is_open()) return;
    wire::CudaRangeRecord record{};
    record.begin = spans->last_begin();
    record.end = ticks;
    spans->close(ticks);
    put(wire::RecordType::kCudaRange, record);
}

void Stream::state(wire::CudaState state, Result result, const char* line) {
    const std::string_view text(line);
    wire::CudaStateRecord record{};
    record.state = state;
    record.time = ticks();
    record.result = static_cast<int32_t>(result);
    record.length = static_cast<uint16_t>(text.size());
    put(wire::RecordType::kCudaState, record, text);
}

void Stream::lost(wire::CudaLoss what, uint64_t count, uint32_t kind) {
    wire::CudaDroppedRecord record{};
    record.what = what;
    record.time = ticks();
    record.count = count;
    record.kind = kind;
    put(wire::RecordType::kCudaDropped, record);
}

// The place of a cubin with this content; null where the table is full.
Stream::Cubin* Stream::cubin_of(uint64_t hash) {
    for (size_t i = 0, slot = hash % kCubins; i < kCubins; ++i, slot = (slot + 1) % kCubins)
        if (cubins_[slot].number == 0 || cubins_[slot].hash == hash) return &cubins_[slot];
    return nullptr;
}

void Stream::write_cubin(uint64_t number, std::string_view cubin) {
    for (size_t at = 0; at < cubin.size(); at += wire::kCudaPiece) {
        const std::string_view piece = cubin.substr(at, wire::kCudaPiece);
        wire::CudaModuleBytesRecord record{};
        record.length = static_cast<uint32_t>(piece.size());
        record.content = number;
        record.offset = at;
        put(wire::RecordType::kCudaModuleBytes, record, piece);
    }
}

void Stream::module(uint32_t number, uint32_t context, std::string_view cubin) {
    wire::CudaModuleRecord record{};
    record.module = number;
    record.time = ticks();
    record.bytes = cubin.size();
    record.context = context;
    if (!cubin.empty())
        if (Cubin* place = cubin_of(collect::hash_bytes(cubin.data(), cubin.size()))) {
            if (place->number == 0) {
                const bool fits = cubin.size() <= cubin_budget;
                *place = {collect::hash_bytes(cubin.data(), cubin.size()), ++cubin_count_, fits};
                if (fits) {
                    cubin_budget -= cubin.size();
                    write_cubin(place->number, cubin);
                }
            }
            record.content = place->number;
            record.whole = place->whole;
        }
    put(wire::RecordType::kCudaModule, record);
}

}  // namespace opsight::cuda
