#include "collect/torch_memory.h"

#include "collect/recorder.h"
#include "collect/torch_api.h"

namespace opsight::collect {
namespace {

using wire::RecordType;

at::Allocator* g_inner_allocator = nullptr;
at::Allocator* g_recording_allocator = nullptr;
c10::DeleterFnPtr g_inner_deleter = nullptr;

void record_free_and_delete(void* memory) {
    if (ThreadState* state = memory ? Recorder::recording() : nullptr) {
        if (auto* record = state->stream.begin_record<wire::FreeRecord>(RecordType::kFree)) {
            record->time = state->stream.writer().ticks();
            record->address = reinterpret_cast<uintptr_t>(memory);
            state->stream.commit(sizeof *record);
        }
    }
    g_inner_deleter(memory);
}

class RecordingAllocator final : public AnyCpuAllocator {
  public:
    at::DeleterFnPtr raw_deleter() const override { return &record_free_and_delete; }

  private:
    at::DataPtr take(size_t bytes) const override {
        at::DataPtr memory = g_inner_allocator->allocate(bytes);
        ThreadState* state = memory.get() ? Recorder::recording() : nullptr;
        if (!state || memory.get_context() != memory.get() ||
            !memory.compare_exchange_deleter(g_inner_deleter, &record_free_and_delete))
            return memory;
        if (auto* record = state->stream.begin_record<wire::AllocRecord>(RecordType::kAlloc)) {
            record->time = state->stream.writer().ticks();
            record->address = reinterpret_cast<uintptr_t>(memory.get());
            record->bytes = bytes;
            state->stream.commit(sizeof *record);
        }
        return memory;
    }
};

}  // namespace

void watch_memory() {
    g_inner_allocator = c10::GetCPUAllocator();
    g_inner_deleter = g_inner_allocator ? g_inner_allocator->raw_deleter() : nullptr;
    if (!g_inner_deleter) return;
    static auto* const recording = new RecordingAllocator;  // tensors may outlive every static object
    g_recording_allocator = recording;
    c10::SetCPUAllocator(recording);
}

void unwatch_memory() {
    if (g_recording_allocator && c10::GetCPUAllocator() == g_recording_allocator)
        c10::SetCPUAllocator(g_inner_allocator);
}

}  // namespace opsight::collect
