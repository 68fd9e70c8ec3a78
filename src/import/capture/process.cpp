#include "import/capture/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "wire/signature.h"

namespace opsight::importer::capture {
namespace {

using wire::RecordType;
using wire::RecordView;

constexpr std::string_view kDataLoader = "enumerate(DataLoader)#";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";

HostKind kind_of_scope(wire::OpScope scope, std::string_view name) {
    if (scope != wire::OpScope::kUser) return HostKind::kOp;
    return name.starts_with(kDataLoader) ? HostKind::kDataLoad : HostKind::kAnnotation;
}

// A module's place within the module around it: "layers.3" is two steps. A slash in a name is none.
std::string step_of(std::string_view name) {
    constexpr std::string_view kDivisionSlash = "\u2215";
    std::string step;
    for (const char c : name) {
        if (c == '/')
            step += kDivisionSlash;
        else
            step += c == '.' ? '/' : c;
    }
    return step;
}

// What a module tells of its place: the step within the module around it, and all steps from the outermost
// one on, as they were when it was first called. Texts are as python/opsight/calls.py makes them.
constexpr char kStepEnd = '\x1e';

std::string last_step_of(std::string_view place) {
    return step_of(place.substr(place.rfind(kStepEnd) + 1));
}

std::string whole_path_of(std::string_view place) {
    std::string path;
    for (size_t end = 0; end != place.npos;) {
        end = place.find(kStepEnd);
        path += (path.empty() ? "" : "/") + step_of(place.substr(0, end));
        place.remove_prefix(end == place.npos ? place.size() : end + 1);
    }
    return path;
}

// c10::DeviceType: 0 is the CPU.
int32_t device_type(int32_t device) {
    return device & 0xff;
}

}  // namespace

int64_t ProcessFacts::group_rank() const {
    int64_t rank = -1;
    if (const auto told = properties.find("group_rank"); told != properties.end())
        std::from_chars(told->second.data(), told->second.data() + told->second.size(), rank);
    return rank;
}

ProcessFacts gather_facts(wire::CaptureReader& reader) {
    ProcessFacts facts;
    facts.clocks.push_back(reader.info().begin);
    for (const wire::CaptureStream& stream : reader.streams())
        reader.read(stream, [&](const RecordView& record) {
            facts.nvtx.take(record, stream.thread);
            if (record.type == RecordType::kClock) {
                facts.clocks.push_back(record.as<wire::ClockRecord>().snapshot);
            } else if (record.type == RecordType::kProperty) {
                const std::string_view text = record.blob();
                const size_t end = std::min(text.find('\0'), text.size());
                facts.properties.emplace(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
            } else if (record.type == RecordType::kAlloc) {
                facts.device_memory |= device_type(record.as<wire::AllocRecord>().device) != 0;
            } else if (record.type == RecordType::kString) {
                facts.trains |= record.blob().starts_with(kOptimizerStep);
            } else if (record.type == RecordType::kThread) {
                const auto thread = record.as<wire::ThreadRecord>();
                if (thread.framework_thread) facts.os_threads[thread.framework_thread] = thread.os_thread;
            } else {
                facts.cuda.take(record);
            }
        });
    facts.nvtx.schemas.settle();
    reader.forget_damage_of_records();  // the second pass meets it again
    return facts;
}

void ProcessImport::run(const std::string& process_name, const std::function<void(uint64_t)>& tell) {
    constexpr uint64_t kTellEvery = 1 << 16;
    for (const wire::CaptureStream& stream : reader_.streams()) {
        process_name_ = process_name;
        begin_thread(stream.os_thread);
        texts_.clear();
        kinds_.clear();
        gap_ = Gap::kNone;
        nvtx_.begin_stream(track_, stream.thread);
        cuda_.begin_stream();
        reader_.read(stream, [&](const RecordView& record) {
            bytes_ += record.bytes.size();
            note_gap(record);
            if (record.moved) return take_moved(record);
            if (++records_ % kTellEvery == 0 && tell) tell(bytes_);
            if (!nvtx_.take(record) && !cuda_.take(record)) take(record);
        });
        nvtx_.end_stream();
        name_thread();
    }
    nvtx_.finish();
    cuda_.finish();
    finish_async();
    finish_memory();
}

void ProcessImport::note_gap(const RecordView& record) {
    switch (record.type) {
        case RecordType::kChunkStart:
            if (record.after_gap) gap_ = Gap::kCarried;
            return;
        case RecordType::kCarriedEnd:
            if (gap_ == Gap::kCarried) gap_ = Gap::kNew;
            return;
        case RecordType::kOp:
        case RecordType::kLinkedOp:
        case RecordType::kCountedOp:
        case RecordType::kModule:
            break;
        default:
            return;
    }
    int64_t begin = 0;
    if (gap_ != Gap::kNew || !times_.convert(record.as<wire::OpRecord>().begin, begin)) return;
    kept_from_ns_ = std::max(begin, kept_from_ns_.value_or(begin));
    gap_ = Gap::kNone;
}

void ProcessImport::begin_thread(uint32_t os_thread) {
    os_thread_ = os_thread;
    track_ = builder_.host_track(rank_, reader_.info().pid, os_thread);
    builder_.track(track_).process_name = builder_.text(process_name_);
    modules_.clear();
    run_queue_ = {};
}

// What the program itself calls the thread.
void ProcessImport::name_thread() {
    const auto name = facts_.nvtx.threads.find(os_thread_);
    if (name != facts_.nvtx.threads.end()) builder_.track(track_).name = builder_.text(name->second);
}

void ProcessImport::take(const RecordView& record) {
    switch (record.type) {
        case RecordType::kOp:
            take_op(record.as<wire::OpRecord>(), -1, -1);
            return;
        case RecordType::kLinkedOp: {
            const auto linked = record.as<wire::LinkedOpRecord>();
            take_link(linked.op, linked.link);
            return;
        }
        case RecordType::kCountedOp:
            return take_counted_op(record);
        case RecordType::kModule:
            return take_module(record.as<wire::ModuleRecord>());
        case RecordType::kRunQueue:
            return take_run_queue(record.as<wire::RunQueueRecord>());
        case RecordType::kString:
            texts_[record.blob_id()] = builder_.text(record.blob());
            return;
        case RecordType::kOpKind:
            return take_kind(record);
        case RecordType::kAlloc: {
            const auto alloc = record.as<wire::AllocRecord>();
            constexpr uint64_t kMostBytes = uint64_t{1} << 48;
            if (alloc.bytes > kMostBytes) return bad_event("an allocation of impossible size");
            allocations_.push_back(
                {alloc.time, alloc.address, static_cast<int64_t>(alloc.bytes), track_, alloc.device});
            return;
        }
        case RecordType::kFree: {
            const auto free = record.as<wire::FreeRecord>();
            allocations_.push_back({free.time, free.address, -1, track_, free.device});
            return;
        }
        case RecordType::kThread:
            return take_thread(record.as<wire::ThreadRecord>());
        case RecordType::kAsyncBegin: {
            const auto begin = record.as<wire::AsyncBeginRecord>();
            async_begins_.push_back(
                {{begin.key, begin.op.begin, begin.op.kind, track_}, kind_of(begin.op.kind)});
            return;
        }
        case RecordType::kAsyncEnd: {
            const auto end = record.as<wire::AsyncEndRecord>();
            async_ends_.push_back({end.key, end.time});
            return;
        }
        case RecordType::kChunkStart:
            return modules_.clear();  // those that are open follow
        case RecordType::kCarriedEnd:
        case RecordType::kClock:
        case RecordType::kProperty:
        case RecordType::kPadding:
            return;
        default:
            return bad_event("a record that belongs nowhere");
    }
}

void ProcessImport::take_kind(const RecordView& record) {
    const auto head = record.as<wire::BlobRecord>();
    OpKind kind;
    kind.name = text_of(head.name);
    kind.kind = kind_of_scope(head.scope, builder_.view(kind.name));
    if (!record.blob().empty()) {
        const wire::SignatureText text = wire::decode_signature(record.blob());
        if (!text.whole) builder_.diagnostics().add(Diag::kCutSignature, {file_, -1, -1, text.shapes});
        kind.signature = builder_.signature({builder_.text(text.shapes), builder_.text(text.dtypes),
                                             builder_.text(text.concrete), StringId(size_t{0})});
        if (kind.kind == HostKind::kOp)
            kind.collective = groups_.collective_of(builder_.view(kind.name), text.inputs);
    }
    kinds_[head.id] = kind;
}

ProcessImport::OpKind ProcessImport::kind_of(uint32_t id) {
    const auto found = kinds_.find(id);
    if (found != kinds_.end()) return found->second;
    bad_event("an op without a name");
    return {builder_.text("(name lost)"), SignatureId(), HostKind::kOp, CollectiveId()};
}

StringId ProcessImport::text_of(uint32_t id) {
    const auto found = texts_.find(id);
    if (found != texts_.end()) return found->second;
    bad_event("a name that was not recorded");
    return builder_.text("(name lost)");
}

bool ProcessImport::take_op(const wire::OpRecord& op, int64_t sequence, int64_t forward_thread) {
    HostSpan span;
    return times_.set(span, op.begin, op.dur) && add_op(kind_of(op.kind), span, sequence, forward_thread);
}

bool ProcessImport::take_link(const wire::OpRecord& op, uint64_t link) {
    const uint64_t number = link & 0xffff;
    int64_t forward_thread = -1;
    if (number != 0) {
        const auto os_thread = facts_.os_threads.find(number);
        forward_thread =
            os_thread != facts_.os_threads.end() ? int64_t{os_thread->second} : static_cast<int64_t>(number);
    }
    return take_op(op, static_cast<int64_t>(link >> 16), forward_thread);
}

void ProcessImport::take_counted_op(const RecordView& record) {
    const auto counted = record.as<wire::CountedOpRecord>();
    const bool added =
        counted.link == wire::kNoLink ? take_op(counted.op, -1, -1) : take_link(counted.op, counted.link);
    if (!added || counted.op.dur == 0) return;  // of one that did not end nothing was counted
    if (counted.counters & ~kAllSlots) return bad_event("counters that are none");
    constexpr uint64_t kMost = uint64_t{1} << 62;
    std::array<int64_t, kCounterSlots> values;
    values.fill(-1);
    const char* at = record.bytes.data() + sizeof counted;
    for (size_t slot = 0; slot < kCounterSlots; ++slot) {
        if (!(counted.counters & slot_bit(slot))) continue;
        uint64_t value = 0;
        std::memcpy(&value, at, sizeof value);
        at += sizeof value;
        if (value < kMost)
            values[slot] = static_cast<int64_t>(value);
        else if (value != wire::kNotCounted)
            bad_event("a count that cannot be");
    }
    builder_.extend_counters(values);
}

bool ProcessImport::add_op(const OpKind& kind, const HostSpan& timed, int64_t sequence,
                           int64_t forward_thread) {
    HostSpan span = timed;
    span.track = span.track.valid() ? span.track : track_;
    span.name = kind.name;
    span.kind = kind.kind;
    if (kind.kind != HostKind::kOp) {
        builder_.add_host(span);
        return false;
    }
    OpDetail detail;
    detail.signature = kind.signature;
    detail.sequence = sequence;
    detail.forward_thread = forward_thread;
    detail.collective = kind.collective;
    builder_.add_op(span, detail);
    return true;
}

// Modules tell their place within the module around them: the whole path is spelled here.
void ProcessImport::take_module(const wire::ModuleRecord& module) {
    HostSpan span;
    if (!times_.set(span, module.begin, module.dur)) return;
    span.name = enter_module(module);
    span.track = track_;
    span.kind = HostKind::kModule;
    builder_.add_host(span);
}

// Readings tell sums. When within the time between two of them the thread waited is not told: what it waited
// stands at the end of it.
void ProcessImport::take_run_queue(const wire::RunQueueRecord& reading) {
    int64_t now = 0;
    if (!times_.ns(reading.time, now)) return;
    const RunQueueReading before = std::exchange(run_queue_, {true, now, reading.waited_ns});
    if (!before.known || reading.waited_ns <= before.waited_ns || now <= before.ns) return;
    const uint64_t waited = reading.waited_ns - before.waited_ns;
    HostSpan span;
    span.dur = static_cast<int64_t>(std::min(waited, static_cast<uint64_t>(now - before.ns)));
    span.begin = now - span.dur;
    span.track = builder_.other_track(rank_, std::to_string(reader_.info().pid),
                                      fmt::format("Run queue of thread {}", os_thread_));
    span.name = builder_.text("Waiting for a CPU");
    builder_.add_host(span, builder_.text("run_queue").value);
}

// The calls within one that went on in the next block.
void ProcessImport::take_moved(const RecordView& record) {
    nvtx_.leave_event();
    if (record.type == RecordType::kModule) enter_module(record.as<wire::ModuleRecord>());
}

StringId ProcessImport::enter_module(const wire::ModuleRecord& module) {
    while (!modules_.empty() && modules_.back().end <= module.begin)
        modules_.pop_back();
    const std::string_view place = builder_.view(text_of(module.name));
    std::string path;
    if (!modules_.empty()) path = std::string(builder_.view(modules_.back().path)) + "/";
    constexpr size_t kLongestPath = 4096;  // a damaged capture may nest without end
    StringId name;
    if (path.empty())  // a checkpoint calls a module again with none around it
        name = builder_.text(whole_path_of(place.substr(0, kLongestPath)));
    else
        name = path.size() < kLongestPath ? builder_.text(path + last_step_of(place)) : modules_.back().path;
    const uint64_t never = std::numeric_limits<uint64_t>::max();
    modules_.push_back(
        {module.dur && module.dur < never - module.begin ? module.begin + module.dur : never, name});
    return name;
}

void ProcessImport::take_thread(const wire::ThreadRecord& thread) {
    if (thread.os_thread != os_thread_) {  // took the stream over from one that ended
        name_thread();
        begin_thread(thread.os_thread);
        nvtx_.change_thread(track_);
    }
    const auto name = texts_.find(thread.name);
    if (name != texts_.end()) builder_.track(track_).name = name->second;
}

void ProcessImport::bad_event(std::string_view what) {
    builder_.diagnostics().add(Diag::kBadEvent, {file_, -1, -1, std::string(what)});
}

// Pairs beginnings and ends by their key, which comes again when an op's memory is used again.
void ProcessImport::finish_async() {
    std::sort(async_ends_.begin(), async_ends_.end());
    for (const auto& [begin, kind] : async_begins_) {
        const auto end = std::lower_bound(async_ends_.begin(), async_ends_.end(),
                                          std::pair<uint64_t, uint64_t>{begin.key, begin.begin});
        const bool ended = end != async_ends_.end() && end->first == begin.key;
        HostSpan span;
        if (!times_.set(span, begin.begin, ended ? std::max<uint64_t>(1, end->second - begin.begin) : 0))
            continue;
        span.track = begin.track;
        add_op(kind, span, -1, -1);
    }
}

void ProcessImport::finish_memory() {
    std::stable_sort(allocations_.begin(), allocations_.end(),
                     [](const Allocation& a, const Allocation& b) { return a.ticks < b.ticks; });
    absl::flat_hash_map<uint64_t, int64_t> live;
    std::map<int32_t, int64_t> totals;  // by device
    for (const Allocation& event : allocations_) {
        MemoryEvent memory;
        if (!times_.ns(event.ticks, memory.time)) continue;
        const auto known = live.find(event.address);
        if (event.bytes < 0 && known == live.end()) {
            builder_.diagnostics().add(Diag::kUnknownFree, {file_, -1, memory.time, {}});
            continue;
        }
        memory.bytes = event.bytes < 0 ? -known->second : event.bytes;
        int64_t& total = totals[event.device];
        if (int64_t sum = 0; __builtin_add_overflow(total, memory.bytes, &sum)) {
            bad_event("more memory at a time than there can be");
            continue;
        } else {
            total = sum;
        }
        if (event.bytes < 0)
            live.erase(known);
        else
            live[event.address] = event.bytes;
        memory.track = event.track;
        memory.device_type = device_type(event.device);
        memory.device = memory.device_type == 0 ? -1 : (event.device >> 8) - 1;
        memory.address = static_cast<int64_t>(event.address);
        memory.total_allocated = total;
        builder_.add_memory(memory);
    }
}

}  // namespace opsight::importer::capture
