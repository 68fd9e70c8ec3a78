// The PyTorch observer: global RecordFunction callbacks and a recording CPU allocator, written to a capture.
//
// Built against one version of libtorch (torch_api.h has the differences), with NDEBUG as libtorch itself
// (the layout of RecordFunction depends on it); opsight_torch_open() proves the layout with a probe before it
// installs anything. Here with Opsight, or by the hook for the very PyTorch that a program uses.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "collect/environment.h"
#include "collect/observer_api.h"
#include "collect/op_counters.h"
#include "collect/process_groups.h"
#include "collect/python_calls.h"
#include "collect/recorder.h"
#include "collect/torch_api.h"
#include "collect/torch_memory.h"

namespace opsight::collect {
namespace {

using wire::ArgTag;
using wire::OpScope;
using wire::RecordType;

constexpr size_t kMostListEntries = 64;
constexpr size_t kMostInts = 16;
constexpr std::string_view kStepPrefix = "Optimizer.step#";
constexpr std::string_view kBatchPrefix = "enumerate(DataLoader)#";
const char kModuleKey = 0;  // its address marks frames of modules

OpScope scope_of(at::RecordScope scope) {
    switch (scope) {
        case at::RecordScope::FUNCTION:
            return OpScope::kFunction;
        case at::RecordScope::BACKWARD_FUNCTION:
            return OpScope::kBackward;
        case at::RecordScope::TORCHSCRIPT_FUNCTION:
            return OpScope::kScript;
        case at::RecordScope::USER_SCOPE:
            return OpScope::kUser;
        default:
            return OpScope::kOther;
    }
}

// The inputs go to a SignatureHash for every op and to a SignatureEncoder for a new kind of op.
template <class Out>
void encode_tensor(Out& out, const at::Tensor& tensor) {
    if (!tensor.defined()) return out.tag(ArgTag::kUndefinedTensor);
    const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
    if (!has_plain_sizes(impl)) return out.tag(ArgTag::kOther);
    const c10::IntArrayRef sizes = impl.sizes();
    const size_t rank = std::min<size_t>(sizes.size(), 255);
    if (!out.fits(rank)) return out.tag(ArgTag::kOther);
    caffe2::TypeMeta type = impl.dtype();
    out.tensor(type.isScalarType() ? static_cast<uint8_t>(type.toScalarType()) : 255, rank);
    for (size_t i = 0; i < rank; ++i)
        out.number(static_cast<uint64_t>(sizes[i]));
}

size_t plain_rank(const at::Tensor& tensor) {
    return tensor.defined() && has_plain_sizes(*tensor.unsafeGetTensorImpl()) ? tensor.dim() : 0;
}

template <class Out>
void encode_list(Out& out, c10::ArrayRef<c10::IValue> list) {
    if (!list.empty() && list[0].isInt() && list.size() <= kMostInts && out.fits(list.size())) {
        out.tag(ArgTag::kIntList);
        out.number(list.size());
        for (const c10::IValue& value : list)
            out.signed_number(value.isInt() ? value.toInt() : 0);
    } else if (!list.empty() && list[0].isTensor()) {
        // Entries are counted first: the count stands before them.
        size_t entries = 0, numbers = 0;
        for (const c10::IValue& value : list) {
            const size_t rank = value.isTensor() ? plain_rank(value.toTensor()) : 0;
            if (entries == kMostListEntries || !out.fits(numbers + rank + 2 + entries)) break;
            numbers += rank + 2;
            ++entries;
        }
        out.tag(ArgTag::kTensorList);
        out.number(entries);
        for (size_t i = 0; i < entries; ++i)
            encode_tensor(out, list[i].isTensor() ? list[i].toTensor() : at::Tensor());
    } else {
        out.tag(ArgTag::kOtherList);
    }
}

template <class Out>
void encode_value(Out& out, const c10::IValue& value) {
    if (value.isTensor()) return encode_tensor(out, value.toTensor());
    if (value.isNone()) return out.tag(ArgTag::kNone);
    if (value.isInt()) {
        out.tag(ArgTag::kInt);
        return out.signed_number(value.toInt());
    }
    if (value.isBool()) {
        out.tag(ArgTag::kBool);
        return out.byte(value.toBool());
    }
    if (value.isList()) return encode_list(out, value.toListRef());
    if (value.isDouble()) return out.tag(ArgTag::kDouble);
    if (const uint64_t group = value.isObject() ? ProcessGroups::number_of(custom_object(value)) : 0) {
        out.tag(ArgTag::kGroup);
        return out.number(group);
    }
    out.tag(value.isString() ? ArgTag::kString : ArgTag::kOther);
}

template <class Out>
void encode_inputs(Out& out, c10::ArrayRef<const c10::IValue> inputs) {
    try {
        for (const c10::IValue& value : inputs) {
            if (!out.fits(4)) return out.tag(ArgTag::kCut);
            encode_value(out, value);
        }
    } catch (...) {
        out.tag(ArgTag::kCut);  // a tensor that does not tell its sizes
    }
}

// What iterations are counted by.
enum class Sign : uint8_t { kNone, kStep, kBatch };

Sign sign_of(const at::RecordFunction& op, std::string_view name) {
    if (op.scope() != at::RecordScope::USER_SCOPE) [[likely]]
        return Sign::kNone;
    if (name.starts_with(kStepPrefix)) return Sign::kStep;
    return name.starts_with(kBatchPrefix) ? Sign::kBatch : Sign::kNone;
}

// The same when the step ends: the stand-in of its method is still there then.
uint64_t optimizer_of(std::string_view name) {
    if (const ModuleName* optimizer = stepping_optimizer()) return optimizer->hash;
    return hash_bytes(name.data(), name.size());
}

void count_begin(Sign sign, std::string_view name) {
    if (sign == Sign::kStep)
        Recorder::step_begins(optimizer_of(name));
    else if (sign == Sign::kBatch)
        Recorder::batch_begins();
}

uint64_t link_of(const at::RecordFunction& op) {
    if (op.seqNr() < 0) return wire::kNoLink;
    return static_cast<uint64_t>(op.seqNr()) << 16 | (op.forwardThreadId() & 0xffff);
}

// The record of an op that begins now, but for its time; null where the capture is full.
wire::OpRecord* append_op(wire::ThreadStream& stream, const at::RecordFunction& op, bool async,
                          size_t& bytes) {
    if (async) [[unlikely]] {
        bytes = sizeof(wire::AsyncBeginRecord);
        auto* record = stream.begin_record<wire::AsyncBeginRecord>(RecordType::kAsyncBegin);
        if (!record) return nullptr;
        record->key = reinterpret_cast<uintptr_t>(&op);
        return &record->op;
    }
    if (op.seqNr() >= 0) {
        bytes = sizeof(wire::LinkedOpRecord);
        auto* record = stream.begin_record<wire::LinkedOpRecord>(RecordType::kLinkedOp);
        if (!record) return nullptr;
        record->link = link_of(op);
        return &record->op;
    }
    bytes = sizeof(wire::OpRecord);
    return stream.begin_record<wire::OpRecord>(RecordType::kOp);
}

void settle_callbacks();

// What of an op has to be known before it is recorded.
struct Begun {
    std::string_view name;
    bool is_step = false;
};

Begun begin_op(const at::RecordFunction& op) {
    Begun begun{op.name()};
    const Sign sign = sign_of(op, begun.name);
    if (sign == Sign::kNone) [[likely]]
        return begun;
    count_begin(sign, begun.name);
    begun.is_step = sign == Sign::kStep;
    if (const ModuleName* optimizer = begun.is_step ? stepping_optimizer() : nullptr)
        begun.name = optimizer->view();
    return begun;
}

// Between the recorded iterations only their ends matter.
void pass_over(const at::RecordFunction& op, bool is_step) {
    ThreadState* state = is_step ? Recorder::state() : nullptr;
    if (state) state->push({&op, nullptr, 0, true, false});
    settle_callbacks();
}

// The same with counters, which are read last: what is counted begins with the op.
wire::OpRecord* append_counted(ThreadState& state, const at::RecordFunction& op, size_t& bytes) {
    const size_t more = state.counters.slots() * sizeof(uint64_t);
    bytes = sizeof(wire::CountedOpRecord) + more;
    auto* record = state.stream.begin_record<wire::CountedOpRecord>(RecordType::kCountedOp, more);
    if (!record) return nullptr;
    record->link = link_of(op);
    record->counters = state.counters.mask();
    state.counters.read(reinterpret_cast<uint64_t*>(record + 1));
    return &record->op;
}

template <bool kShapes>
void start(const at::RecordFunction& op) {
    const auto [name, is_step] = begin_op(op);
    ThreadState* state = Recorder::recording();
    if (!state) return pass_over(op, is_step);
    SignatureHash inputs_hash;
    if (kShapes) encode_inputs(inputs_hash, op.inputs());
    const OpScope scope = scope_of(op.scope());
    const uint64_t hash = state->kind_hash(
        mix(hash_bytes(name.data(), name.size(), static_cast<uint64_t>(scope) + 1), inputs_hash.value()));
    state->kinds.prefetch(hash);  // its line is often gone since the last op; the clock is read meanwhile
    const uint64_t now = state->stream.writer().ticks();
    const uint32_t kind = state->op_kind(hash, name, scope, [&op] {
        wire::SignatureEncoder inputs;
        if (kShapes) encode_inputs(inputs, op.inputs());
        return inputs;
    });
    size_t bytes = 0;
    const bool async = op.isAsync();
    const bool counted = state->counters.mask() != 0 && !async && scope != OpScope::kUser;
    wire::OpRecord* record =
        counted ? append_counted(*state, op, bytes) : append_op(state->stream, op, async, bytes);
    if (!record) return state->push({&op, nullptr, 0, is_step, false});
    record->kind = kind;
    // An op's time is without the reading of its counters.
    record->begin = counted ? state->stream.writer().ticks() : now;
    state->stream.commit(bytes);
    if (!async) state->push({&op, &record->dur, record->begin, is_step, false, counted});
    if (op.scope() == at::RecordScope::USER_SCOPE) state->stream.snapshot_if_due(now);
    if (state->run_queue.due(now)) [[unlikely]]
        state->run_queue.sample(state->stream, now);
    Recorder::in_window(now);
    settle_callbacks();
}

void end(const at::RecordFunction& op) {
    ThreadState* state = Recorder::existing_state();
    if (!state) return;
    const uint64_t now = state->stream.writer().ticks();
    if (op.isAsync()) [[unlikely]] {
        if (auto* record = state->stream.begin_record<wire::AsyncEndRecord>(RecordType::kAsyncEnd)) {
            record->time = now;
            record->key = reinterpret_cast<uintptr_t>(&op);
            state->stream.commit(sizeof *record);
        }
        return;
    }
    bool was_step = false;
    uint64_t counted[kCounterSlots];
    const bool counts = state->counters.mask() != 0 && op.scope() != at::RecordScope::USER_SCOPE;
    if (counts) state->counters.read(counted);
    if (state->pop(&op, now, was_step, counts ? counted : nullptr) && was_step) {
        Recorder::step_ended(optimizer_of(op.name()));
        settle_callbacks();
    }
    if (state->run_queue.due(now) && Recorder::recording()) [[unlikely]]
        state->run_queue.sample(state->stream, now);
}

template <bool kShapes>
std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& op) {
    try {
        start<kShapes>(op);
    } catch (...) {  // the program goes on; this op is not recorded
    }
    return nullptr;
}

void on_end(const at::RecordFunction& op, at::ObserverContext*) {
    try {
        end(op);
    } catch (...) {
    }
}

constexpr char kProbeName[] = "opsight_probe";
constexpr int64_t kProbeSequence = 0x0123456789abcdef;
bool g_probe_seen = false;

std::unique_ptr<at::ObserverContext> on_probe(const at::RecordFunction& op) {
    g_probe_seen = std::strcmp(op.name(), kProbeName) == 0 && op.seqNr() == kProbeSequence &&
                   op.scope() == at::RecordScope::USER_SCOPE && !op.isAsync() && op.inputs().empty() &&
                   op.forwardThreadId() == 0;
    return nullptr;
}

// True if this library and the loaded libtorch agree on what a RecordFunction is. The probe lies in a wide
// buffer, so that a larger layout in libtorch writes no foreign memory.
bool layout_agrees() {
    struct Wide {
        alignas(64) char bytes[4096];
    };
    auto buffer = std::make_unique<Wide>();
    const at::CallbackHandle handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&on_probe).scopes({at::RecordScope::USER_SCOPE}));
    auto* probe = new (buffer->bytes) at::RecordFunction(at::RecordScope::USER_SCOPE);
    if (probe->isActive()) probe->before(kProbeName, kProbeSequence);
    probe->~RecordFunction();
    at::removeCallback(handle);
    return g_probe_seen;
}

// Which callbacks PyTorch has of us: all while the window is open; while it waits only what tells of
// iterations and time, which costs other ops nothing; afterwards none.
class Callbacks {
  public:
    static void begin(uint32_t flags) {
        flags_ = flags;
        settle();
    }

    // Brings them to what the window asks for. In each process by itself: forked ones share the window.
    static void settle() {
        const Recorder::Phase wanted = Recorder::phase();
        if (begun_ && now_.load(std::memory_order_relaxed) == wanted) return;
        if (changing_.test_and_set(std::memory_order_acquire)) return;
        change(wanted);
        changing_.clear(std::memory_order_release);
    }

  private:
    static void change(Recorder::Phase wanted) {
        for (at::CallbackHandle& handle : handles_) {
            if (handle != at::INVALID_CALLBACK_HANDLE) at::removeCallback(handle);
            handle = at::INVALID_CALLBACK_HANDLE;
        }
        if (wanted == Recorder::Phase::kOpen)
            record_all();
        else if (wanted == Recorder::Phase::kWaiting)
            wait();
        else
            stop();
        now_ = wanted;
        begun_ = true;
    }

    static void record_all() {
        const bool shapes = flags_ & OPSIGHT_SHAPES;
        if (flags_ & OPSIGHT_MEMORY) watch_memory();
        handles_[0] = at::addGlobalCallback(
            at::RecordFunctionCallback(shapes ? &on_start<true> : &on_start<false>, &on_end)
                .needsInputs(shapes)
                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                         at::RecordScope::TORCHSCRIPT_FUNCTION, at::RecordScope::USER_SCOPE}));
    }

    static void wait() {
        handles_[0] = at::addGlobalCallback(
            at::RecordFunctionCallback(&on_start<false>, &on_end).scopes({at::RecordScope::USER_SCOPE}));
        if (!Recorder::waits_for_time()) return;
        constexpr double kShare = 0.02;  // of the ops look at the clock
        handles_[1] = at::addGlobalCallback(
            at::RecordFunctionCallback(&on_glance).samplingProb(kShare).scopes({at::RecordScope::FUNCTION}));
    }

    static void stop() {
        unwatch_memory();
        undo_all();
    }

    static std::unique_ptr<at::ObserverContext> on_glance(const at::RecordFunction&) {
        if (Recorder::recording()) settle();
        return nullptr;
    }

    static inline uint32_t flags_ = 0;
    static inline bool begun_ = false;
    static inline std::atomic<Recorder::Phase> now_{Recorder::Phase::kWaiting};
    static inline std::atomic_flag changing_ = ATOMIC_FLAG_INIT;
    static inline at::CallbackHandle handles_[2] = {at::INVALID_CALLBACK_HANDLE, at::INVALID_CALLBACK_HANDLE};
};

void settle_callbacks() {
    Callbacks::settle();
}

// Work on the device is kept while the window of iterations is open.
void tell_cuda_library(bool open) {
    const char* path = std::getenv("CUDA_INJECTION64_PATH");
    void* library = path && *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!library) return;
    if (auto* tell = reinterpret_cast<void (*)(int)>(dlsym(library, "opsight_cuda_window"))) tell(open);
    dlclose(library);
}

}  // namespace
}  // namespace opsight::collect

using opsight::collect::ModuleName;
using opsight::collect::Recorder;
using opsight::collect::ThreadState;

int opsight_torch_open(const char* directory, uint64_t limit_bytes, uint32_t flags,
                       const opsight_torch_window* window) {
    try {
        if (!opsight::collect::layout_agrees()) return OPSIGHT_ABI_MISMATCH;
        Recorder::set_thread_numbering(&at::RecordFunction::currentThreadId);
        Recorder::follow_gate();
        Recorder::set_introduction(
            [](opsight::wire::ThreadStream& stream) { opsight::collect::describe_process(stream); });
        Recorder::set_window_hook(&opsight::collect::tell_cuda_library);
        opsight::collect::read_around_ops();
        if (const int problem = Recorder::open(directory, limit_bytes, *window)) return problem;
        opsight::collect::tell_counters();
        opsight::collect::tell_run_queue();
        opsight::collect::Callbacks::begin(flags);
        return 0;
    } catch (...) {
        return OPSIGHT_ABI_MISMATCH;
    }
}

void opsight_torch_property(const char* key, const char* value) {
    try {
        if (ThreadState* state = Recorder::state())
            Recorder::keep(*state, [&](opsight::wire::ThreadStream& stream) { stream.property(key, value); });
    } catch (...) {  // memory is short: one property less
    }
}

const void* opsight_torch_module(const char* name) {
    // One that is longer than what is kept is seen to be where it is defined.
    const size_t length = std::min(std::strlen(name), opsight::wire::kMaxBlob + 1);
    auto* module = static_cast<ModuleName*>(std::malloc(sizeof(ModuleName) + length));
    if (!module) return nullptr;
    module->hash = opsight::collect::hash_bytes(name, length);
    module->length = static_cast<uint32_t>(length);
    std::memcpy(module->text, name, length);
    return module;
}

void opsight_torch_enter(const void* module) {
    ThreadState* state = module ? Recorder::recording() : nullptr;
    if (!state) {
        // The matching leave must not end an outer module that was recorded.
        state = Recorder::existing_state();
        if (state && state->depth > 0) state->push({&opsight::collect::kModuleKey, nullptr, 0, false, false});
        return;
    }
    const auto& name = *static_cast<const ModuleName*>(module);
    state->stream.make_room();
    const uint32_t id = state->text(name.view(), name.hash);
    auto* record =
        state->stream.begin_record<opsight::wire::ModuleRecord>(opsight::wire::RecordType::kModule);
    if (!record) return state->push({&opsight::collect::kModuleKey, nullptr, 0, false, false});
    record->name = id;
    record->begin = state->stream.writer().ticks();
    state->stream.commit(sizeof *record);
    state->push({&opsight::collect::kModuleKey, &record->dur, record->begin, false, false});
}

void opsight_torch_leave() {
    ThreadState* state = Recorder::existing_state();
    if (!state) return;
    bool was_step = false;
    state->pop(&opsight::collect::kModuleKey, state->stream.writer().ticks(), was_step);
}

void opsight_torch_finish() {
    Recorder::finish();
}
