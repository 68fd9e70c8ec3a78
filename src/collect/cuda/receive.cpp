// What CUPTI hands over: buffers of records, and callbacks. Called on its threads and the program's, with
// locks of CUPTI or the driver held.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "collect/cuda/session.h"

namespace opsight::cuda {

struct Session::Batch {
    static constexpr size_t kMost = 64;
    struct Record {
        const uint8_t* at;
        size_t room;
    };
    Record records[kMost];
    size_t count = 0;
};

struct Session::Losses {
    static constexpr uint32_t kKinds = 128;  // further ones are counted as the last
    uint64_t unknown[kKinds] = {};
    uint64_t damaged = 0;
    bool any = false, newer = false;
};

uint8_t* Session::request_buffer() {
    return buffers_.take();
}

void Session::complete_buffer(void* context, uint32_t stream, uint8_t* buffer, size_t valid) {
    if (!alive()) return buffers_.give_back(buffer);
    valid = std::min(valid, Buffers::kBytes);
    Losses losses;
    Batch batch;
    uint8_t* at = nullptr;
    uint8_t* const end = buffer + valid;
    Result result = valid ? cupti_.cuptiActivityGetNextRecord(buffer, valid, &at) : kMaxLimitReached;
    // How long a record is tells where the next one begins, so CUPTI is asked one ahead; it must not be asked
    // while the stream is held.
    while (result == kSuccess && at >= buffer && at < end) {
        uint8_t* const record = at;
        result = cupti_.cuptiActivityGetNextRecord(buffer, valid, &at);
        const bool more = result == kSuccess && at > record && at < end;
        batch.records[batch.count++] = {record, static_cast<size_t>((more ? at : end) - record)};
        if (batch.count == Batch::kMost) decode_batch(batch, losses), batch.count = 0;
        if (!more) break;
    }
    // Of a kind that it does not know CUPTI cannot tell the length either: the rest is unreadable.
    losses.damaged += result != kSuccess && result != kMaxLimitReached;
    losses.any |= losses.damaged > 0;
    decode_batch(batch, losses);
    buffers_.give_back(buffer);
    write_losses(losses);
    size_t dropped = 0;
    if (cupti_.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == kSuccess && dropped > 0) {
        const Stream::Held held(stream_);
        stream_.lost(wire::CudaLoss::kDropped, dropped);
    }
}

void Session::decode_batch(const Batch& batch, Losses& losses) {
    follow_gate();
    const Stream::Held held(stream_);
    for (size_t i = 0; i < batch.count; ++i) {
        const Batch::Record& record = batch.records[i];
        switch (decode(record.at, record.room, stream_, losses.newer)) {
            case Decoded::kTaken:
            case Decoded::kLeftOut:
                break;
            case Decoded::kUnknownKind: {
                uint32_t kind = 0;
                std::memcpy(&kind, record.at, sizeof kind);
                ++losses.unknown[std::min(kind, Losses::kKinds - 1)];
                losses.any = true;
                break;
            }
            case Decoded::kDamaged:
                ++losses.damaged;
                losses.any = true;
                break;
        }
    }
}

void Session::write_losses(const Losses& losses) {
    if (losses.newer) newer_ = true;
    if (!losses.any) return;
    const Stream::Held held(stream_);
    for (uint32_t kind = 0; kind < Losses::kKinds; ++kind)
        if (losses.unknown[kind] > 0) stream_.lost(wire::CudaLoss::kUnknownKind, losses.unknown[kind], kind);
    if (losses.damaged > 0) stream_.lost(wire::CudaLoss::kUndecoded, losses.damaged);
}

// The range that recording waits for, which the NVTX library of this or another process saw.
void Session::follow_gate() {
    if (!gate_ || !stream_.spans || options_.profiler_range) return;
    const uint64_t opened = gate_->opened_at.load(std::memory_order_acquire);
    const uint64_t closed = gate_->closed_at.load(std::memory_order_acquire);
    const Stream::Held held(stream_);
    if (opened != gate_opened_) stream_.open_span(gate_opened_ = opened);
    if (closed != gate_closed_ && closed >= opened) stream_.close_span(gate_closed_ = closed);
}

void Session::framework_window(bool open) {
    if (!alive()) return;
    const Stream::Held held(stream_);
    if (!stream_.spans) return;
    if (open)
        stream_.open_span(stream_.ticks());
    else
        stream_.close_span(stream_.ticks());
}

void Session::resource(uint32_t what, const ResourceData& data) {
    switch (what) {
        case kContextCreated:
            context_made_ = true;  // seen when the thread wakes: nothing is asked of the driver here
            return handle(data.context, nullptr);
        case kStreamCreated:
            return handle(data.context, data.stream);
        case kInitFinished:
            driver_ready_ = true;
            return;
        case kModuleLoaded: {
            if (!data.descriptor) return;
            const auto& module = *static_cast<const ModuleData*>(data.descriptor);
            uint32_t context = wire::kNoCudaId;
            if (cupti_.cuptiGetContextId && data.context) cupti_.cuptiGetContextId(data.context, &context);
            const std::string_view cubin(module.cubin, module.cubin ? module.bytes : 0);
            const Stream::Held held(stream_);
            stream_.module(module.module, context, cubin);
            return;
        }
        default:
            if (data.descriptor) graph(what, *static_cast<const GraphData*>(data.descriptor));
    }
}

// What the program calls a new context, or a stream of one, beside CUPTI's number of it.
void Session::handle(Handle context, Handle stream) {
    wire::CudaHandleRecord record{};
    record.what = stream ? wire::CudaObject::kStream : wire::CudaObject::kContext;
    record.handle = reinterpret_cast<uintptr_t>(stream ? stream : context);
    record.context = record.stream = wire::kNoCudaId;
    if (!context || !cupti_.cuptiGetContextId ||
        cupti_.cuptiGetContextId(context, &record.context) != kSuccess)
        return;
    if (stream && (!cupti_.cuptiGetStreamIdEx ||
                   cupti_.cuptiGetStreamIdEx(context, stream, 0, &record.stream) != kSuccess))
        return;
    const Stream::Held held(stream_);
    record.time = stream_.ticks();
    stream_.put(wire::RecordType::kCudaHandle, record);
}

void Session::graph(uint32_t what, const GraphData& data) {
    wire::CudaGraphRecord record{};
    record.time = stream_.ticks();
    const auto node = [this](Handle handle) {
        uint64_t id = 0;
        if (handle && cupti_.cuptiGetGraphNodeId) cupti_.cuptiGetGraphNodeId(handle, &id);
        return id;
    };
    const auto graph_id = [this](Handle handle) {
        uint32_t id = 0;
        if (handle && cupti_.cuptiGetGraphId) cupti_.cuptiGetGraphId(handle, &id);
        return id;
    };
    const auto exec_id = [this](Handle handle) {
        uint32_t id = 0;
        if (handle && cupti_.cuptiGetGraphExecId) cupti_.cuptiGetGraphExecId(handle, &id);
        return id;
    };
    record.graph = what == kExecCreated || what == kExecDestroyed ? exec_id(data.exec) : graph_id(data.graph);
    switch (what) {
        case kGraphCreated:
            record.what = wire::CudaGraph::kCreated;
            break;
        case kGraphCloned:
            record.what = wire::CudaGraph::kCloned;
            record.original_graph = graph_id(data.original_graph);
            break;
        case kGraphDestroyed:
            record.what = wire::CudaGraph::kDestroyed;
            break;
        case kNodeCreated:
            record.what = wire::CudaGraph::kNodeCreated;
            break;
        case kNodeCloned:
            record.what = wire::CudaGraph::kNodeCloned;
            record.original_node = node(data.original_node);
            break;
        case kNodeDestroyed:
            record.what = wire::CudaGraph::kNodeDestroyed;
            break;
        case kExecCreated:
            record.what = wire::CudaGraph::kExecCreated;
            record.original_graph = graph_id(data.graph);
            break;
        case kExecDestroyed:
            record.what = wire::CudaGraph::kExecDestroyed;
            break;
        default:
            return;
    }
    if (what == kNodeCreated || what == kNodeCloned || what == kNodeDestroyed) {
        record.node = node(data.node);
        record.node_type = data.node_type;
    }
    record.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    const Stream::Held held(stream_);
    stream_.put(wire::RecordType::kCudaGraph, record);
}

// cudaProfilerStart and cudaProfilerStop, of the runtime or the driver: recording begins when the first
// returns and ends when the second is called.
void Session::api(bool exit, std::string_view function) {
    const bool start = function.find("ProfilerStart") != function.npos;
    if (exit != start) return;
    profiler(start);
}

void Session::profiler(bool on) {
    if (on && (range_over_ || recording_.exchange(true))) return;
    if (!on && !recording_.exchange(false)) return;
    if (on) {
        if (gate_) ++gate_->open;
        enable_kinds(true);
        const Stream::Held held(stream_);
        return stream_.state(wire::CudaState::kRecording, 0, "CUDA is recorded");
    }
    if (!options_.repeat) range_over_ = true;
    cupti_.cuptiActivityFlushAll(0);
    enable_kinds(false);
    if (!gate_) return;
    ++gate_->ended;
    --gate_->open;
}

}  // namespace opsight::cuda
