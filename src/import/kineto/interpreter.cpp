#include "import/kineto/interpreter.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "import/kineto/numbers.h"
#include "import/kineto/text.h"

namespace opsight::importer::kineto {
namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
    for (const std::string_view prefix : prefixes)
        if (text.starts_with(prefix)) return true;
    return false;
}

HostKind annotation_kind(std::string_view name) {
    return starts_with_any(name, {"enumerate(DataLoader)#", "enumerate(DataPipe)#"}) ? HostKind::kDataLoad
                                                                                     : HostKind::kAnnotation;
}

// PyTorch up to 1.11 put step markers, optimizer scopes and loader waits among the operators.
HostKind op_kind(std::string_view name) {
    if (starts_with_any(name, {"ProfilerStep#", "Optimizer.step#", "Optimizer.zero_grad#", "enumerate(Data"}))
        return annotation_kind(name);
    return HostKind::kOp;
}

HostKind python_kind(std::string_view name) {
    return name.starts_with("nn.Module: ") ? HostKind::kModule : HostKind::kPythonFrame;
}

// Events without category: PyTorch's legacy autograd traces name the side in the pid.
Category legacy_category(std::string_view pid) {
    if (pid == "CPU functions") return Category::kOp;
    return pid == "CUDA functions" ? Category::kKernel : Category::kNone;
}

// Commands of a device's queue that wait or signal and do no work: "event_wait", "event_record".
bool only_waits(std::string_view name) {
    if (name.starts_with("event_") || name.starts_with("wait_")) return true;
    return name.ends_with("_wait") || name == "wait" || name == "barrier";
}

// Counters of a kernel of Intel's devices, as a kernel of its own around it: "metrics: gemm_kernel".
bool is_measured_again(const RawEvent& event) {
    return bare(event.name).starts_with("metrics: ") && !event.has(Arg::kCorrelation);
}

// What ran on the host; empty: it did not, or nobody knows.
std::optional<HostKind> host_kind(Category category, std::string_view name) {
    switch (category) {
        case Category::kOp:
            return op_kind(name);
        case Category::kRuntime:
            return HostKind::kRuntimeApi;
        case Category::kDriver:
            return HostKind::kDriverApi;
        case Category::kAnnotation:
            return annotation_kind(name);
        case Category::kPython:
            return python_kind(name);
        case Category::kOverhead:
            return HostKind::kOverhead;
        case Category::kDataLoading:
            return HostKind::kDataLoad;
        case Category::kFileIo:
            return HostKind::kFileIo;
        case Category::kOsRuntime:
            return HostKind::kOsRuntime;
        case Category::kMessagePassing:
            return HostKind::kMessagePassing;
        case Category::kLibrary:
        case Category::kCollective:
            return HostKind::kLibrary;
        default:
            return std::nullopt;
    }
}

// A range that tells what a collective is given.
bool is_of_nccl(HostKind kind, std::string_view name) {
    return kind == HostKind::kAnnotation && name.starts_with("nccl:");
}

bool names_its_library(HostKind kind) {
    return kind == HostKind::kMessagePassing || kind == HostKind::kLibrary;
}

std::optional<DeviceKind> device_kind(Category category, std::string_view name) {
    switch (category) {
        case Category::kKernel:
            return DeviceKind::kKernel;
        case Category::kMemcpy:
            return DeviceKind::kMemcpy;
        case Category::kMemset:
            return DeviceKind::kMemset;
        case Category::kSync:
            return DeviceKind::kSync;
        case Category::kDeviceAnnotation:
            return DeviceKind::kAnnotation;
        case Category::kGraph:
            return DeviceKind::kGraph;
        case Category::kMtiaDevice:
            if (name == "dma_request") return DeviceKind::kMemcpy;
            return only_waits(name) ? DeviceKind::kSync : DeviceKind::kKernel;
        default:
            return std::nullopt;
    }
}

FlowKind flow_kind(std::string_view category) {
    if (category == "fwdbwd" || category == "forward_backward") return FlowKind::kForwardBackward;
    return starts_with_any(category, {"ac2g", "async", "cpu_to_"}) ? FlowKind::kLaunch : FlowKind::kOther;
}

}  // namespace

void Interpreter::start(Batch& batch, std::string_view window, uint64_t offset) {
    batch_ = &batch;
    window_ = window;
    offset_ = offset;
}

void Interpreter::finish() {
    for (; tables_.strings_given < tables_.strings.size(); ++tables_.strings_given)
        batch_->new_strings.push_back(tables_.strings.view(StringId(tables_.strings_given)));
}

namespace {

// What TensorFlow's writer ends its list with. An event is whole when it comes here, so there is an end.
bool has_no_member(const RawEvent& event) {
    const char* at = event.begin + 1;
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        ++at;
    return *at == '}';
}

}  // namespace

void Interpreter::take(const RawEvent& event) {
    ++batch_->events;
    const std::string_view phase = bare(event.phase);
    switch (phase.size() == 1 ? phase[0] : '\0') {
        case 'X':
            return take_complete(event);
        case 'i':
        case 'I':
            return take_instant(event);
        case 'B':
            return take_unpaired(event, OtherRow::kBegin);
        case 'E':
            return take_unpaired(event, OtherRow::kEnd);
        case 'b':
            return take_unpaired(event, OtherRow::kAsyncBegin);
        case 'e':
            return take_unpaired(event, OtherRow::kAsyncEnd);
        case 'C':
            return take_counter(event);
        case 's':
            return take_flow(event, true);
        case 't':
        case 'f':
            return take_flow(event, false);
        case 'M':
            return take_meta(event);
        default:
            batch_->no_events += event.phase.empty();
            if (event.phase.empty() && has_no_member(event)) return;
            report(event.phase.empty() ? Diag::kBadEvent : Diag::kUnknownPhase, event, phase);
    }
}

void Interpreter::take_complete(const RawEvent& event) {
    Times times;
    if (!read_times(event, times)) return;
    Category what = category(event.category);
    if (what == Category::kNone) {
        what = legacy_category(bare(event.pid));
        if (what == Category::kKernel) return add_legacy_device(event, times);
    }
    if (const std::optional<HostKind> kind = host_kind(what, bare(event.name)))
        return add_host(event, times, *kind,
                        what == Category::kCollective         ? tables_.strings.intern("oneCCL").value
                        : names_its_library(*kind)            ? text(event.category).value
                        : is_of_nccl(*kind, bare(event.name)) ? signature(event).value
                                                              : StringId::kNone);
    if (what == Category::kKernel && is_measured_again(event)) return add_profiler_range(event, times);
    if (const std::optional<DeviceKind> kind = device_kind(what, bare(event.name)))
        return add_device(event, times, *kind);
    if (what == Category::kProfilerRange) return add_profiler_range(event, times);
    if (what == Category::kEvent)
        return add_device(event, {times.begin, 0, static_cast<uint8_t>(times.flags | kInstant)},
                          DeviceKind::kOther);
    if (what == Category::kUnknown || what == Category::kNone)
        report(Diag::kUnknownCategory, event, what == Category::kNone ? "none" : bare(event.category));
    const bool other = what == Category::kUnknown || what == Category::kOtherKnown;
    if (other && event.has(Arg::kDevice) && event.has(Arg::kStream))
        return add_device(event, times, DeviceKind::kOther);
    add_host(event, times, HostKind::kOther, text(event.category).value);
}

void Interpreter::take_instant(const RawEvent& event) {
    Times times;
    if (!read_time(event, times.begin)) return;
    if (bare(event.name) == "[memory]" && event.has(Arg::kBytes)) return add_memory(event, times.begin);
    if (category(event.category) == Category::kUnknown)
        report(Diag::kUnknownCategory, event, bare(event.category));
    times.flags = kInstant;
    add_host(event, times, HostKind::kOther, text(event.category).value);
}

void Interpreter::take_unpaired(const RawEvent& event, OtherRow what) {
    UnpairedEvent unpaired{what, HostKind::kOther};
    if (!read_time(event, unpaired.time)) return;
    const Category known = category(event.category);
    const bool begins = what == OtherRow::kBegin || what == OtherRow::kAsyncBegin;
    if (known == Category::kUnknown && begins) report(Diag::kUnknownCategory, event, bare(event.category));
    if (begins && device_kind(known, bare(event.name)))
        report(Diag::kBadEvent, event,
               "a begin ('B') of the category " + std::string(bare(event.category)) +
                   ": work of devices is read from complete events ('X') alone");
    if (known == Category::kAnnotation) unpaired.kind = annotation_kind(bare(event.name));
    if (known == Category::kOp) unpaired.kind = op_kind(bare(event.name));
    if (known == Category::kPython) unpaired.kind = python_kind(bare(event.name));
    unpaired.place = place(event);
    unpaired.name = text(event.name);
    unpaired.text = text(event.category);
    unpaired.id = event.id.empty() ? 0 : id(event, event.id);
    batch_->unpaired.push_back(unpaired);
}

void Interpreter::take_counter(const RawEvent& event) {
    if (category(event.category) == Category::kProfilerCurve) return;
    int64_t time = 0;
    if (!read_time(event, time)) return;
    const PlaceId where = place(event);
    const std::string name(plain_text(event.name, scratch_));
    reader_.read_scalar_args([&](std::string_view key, std::string_view token) {
        const std::optional<double> value = parse_double(token);
        if (!value) return report(Diag::kBadEvent, event, "a counter that is not a number");
        const StringId series = tables_.strings.intern(key == "value" ? name : name + " " + std::string(key));
        batch_->counters.push_back({time, where, series, *value, false});
    });
}

void Interpreter::take_flow(const RawEvent& event, bool is_start) {
    int64_t time = 0;
    if (!read_time(event, time)) return;
    if (event.id.empty()) return report(Diag::kBadEvent, event, "a flow event without id");
    const FlowKind kind = flow_kind(bare(event.category));
    if (kind == FlowKind::kOther)
        return report(Diag::kUnreadRow, event,
                      "an arrow of the category " + std::string(bare(event.category)));
    batch_->flows.push_back({id(event, event.id), time, TrackId(place(event)), kind, is_start});
}

void Interpreter::take_meta(const RawEvent& event) {
    const std::string_view name = bare(event.name);
    UnpairedEvent meta{OtherRow::kMeta, HostKind::kOther};
    if (name == "process_name" || name == "thread_name")
        meta.text = text(event[Arg::kName]);
    else if (name == "process_labels")
        meta.text = text(event[Arg::kLabels]);
    else
        return;  // sort orders of rows, which say nothing of the run
    meta.name = text(event.name);
    meta.place = place(event);
    batch_->unpaired.push_back(meta);
}

void Interpreter::add_host(const RawEvent& event, const Times& times, HostKind kind, uint32_t detail) {
    const HostSpan span = {times.begin,      times.dur, TrackId(place(event)),
                           text(event.name), kind,      times.flags};
    if (kind == HostKind::kOp) return add_op(event, span);
    const bool call = kind == HostKind::kRuntimeApi || kind == HostKind::kDriverApi;
    const std::string_view correlation = call ? event[Arg::kCorrelation] : std::string_view();
    const int64_t number = correlation.empty() ? -1 : id(event, correlation);
    if ((call || kind == HostKind::kOverhead) && tables_.places[span.track.index()].pid == -1)
        return batch_->of_threads.push_back({span, number});
    batch_->host.push_back(span);
    batch_->detail.push_back(detail);
    if (call)
        batch_->api.push_back({number, event.has(Arg::kKernel) ? text(event[Arg::kKernel]) : StringId()});
}

void Interpreter::add_op(const RawEvent& event, const HostSpan& span) {
    OpDetail op;
    op.signature = signature(event);
    op.collective = collective(event);
    if (event.has(Arg::kCollectiveNumber))
        op.collective_number = parse_int(event[Arg::kCollectiveNumber]).value_or(-1);
    if (event.has(Arg::kSequence)) op.sequence = parse_int(event[Arg::kSequence]).value_or(-1);
    if (event.has(Arg::kForwardThread)) op.forward_thread = id(event, event[Arg::kForwardThread]);
    if (event.has(Arg::kExternalId)) op.external_id = id(event, event[Arg::kExternalId]);
    // 0: nothing asked PyTorch to number its calls.
    if (const int64_t number = parse_int(event[Arg::kRecordFunction]).value_or(-1); number > 0)
        op.record_function = number;
    if (event.has(Arg::kModuleHierarchy)) op.module_path = text(event[Arg::kModuleHierarchy]);
    if (event.has(Arg::kCallStack)) op.stack = text(event[Arg::kCallStack]);
    batch_->host.push_back(span);
    batch_->detail.push_back(StringId::kNone);
    batch_->ops.push_back(op);
}

void Interpreter::add_device(const RawEvent& event, const Times& times, DeviceKind kind) {
    const TrackKind track =
        kind == DeviceKind::kAnnotation ? TrackKind::kDeviceAnnotation : TrackKind::kDeviceStream;
    DeviceSpan span;
    span.begin = times.begin;
    span.dur = times.dur;
    span.flags = times.flags;
    span.track = TrackId(device_place(event, track));
    span.name = text(event.name);
    span.kind = kind;
    if (event.has(Arg::kCorrelation)) span.correlation = id(event, event[Arg::kCorrelation]);
    if (event.has(Arg::kExternalId)) span.external_id = id(event, event[Arg::kExternalId]);
    if (event.has(Arg::kBytes)) span.bytes = parse_int(event[Arg::kBytes]).value_or(-1);
    if (kind == DeviceKind::kKernel) span.config = config(event);
    span.collective = collective(event);
    if (event.has(Arg::kCollectiveNumber))
        span.collective_number = parse_int(event[Arg::kCollectiveNumber]).value_or(-1);
    if (event.has(Arg::kSourceRank)) span.exchange.from = parse_int(event[Arg::kSourceRank]).value_or(-1);
    if (event.has(Arg::kDestinationRank))
        span.exchange.to = parse_int(event[Arg::kDestinationRank]).value_or(-1);
    if (event.has(Arg::kGraph) || event.has(Arg::kGraphNode)) add_graph(event);
    batch_->device.push_back(span);
}

// 0: work of no graph.
void Interpreter::add_graph(const RawEvent& event) {
    const auto number = [&](Arg arg) { return event.has(arg) ? id(event, event[arg]) : 0; };
    const int64_t graph = number(Arg::kGraph), node = number(Arg::kGraphNode);
    if (graph > 0 || node > 0)
        batch_->graphs.push_back({batch_->device.size(), graph > 0 ? graph : -1, node > 0 ? node : -1});
}

// Kernels, or what the device took for an op: the whole trace tells.
void Interpreter::add_legacy_device(const RawEvent& event, const Times& times) {
    add_device(event, times, DeviceKind::kKernel);
    batch_->legacy_device.push_back(batch_->device.back());
    batch_->device.pop_back();
    if (!batch_->graphs.empty() && batch_->graphs.back().row == batch_->device.size())
        batch_->graphs.pop_back();
}

void Interpreter::add_profiler_range(const RawEvent& event, const Times& times) {
    add_device(event, times, DeviceKind::kOther);
    const uint32_t track = batch_->device.back().track.value;
    reader_.read_scalar_args([&](std::string_view key, std::string_view token) {
        if (key == "kernel_id" || key == "queue") return;  // whose they are
        if (const std::optional<double> value = parse_double(token))
            batch_->counters.push_back({times.begin, track, tables_.strings.intern(key), *value, true});
    });
}

void Interpreter::add_memory(const RawEvent& event, int64_t time) {
    const auto number = [&](Arg arg, int64_t otherwise) {
        return event.has(arg) ? parse_int(event[arg]).value_or(otherwise) : otherwise;
    };
    const std::optional<int64_t> bytes = parse_int(event[Arg::kBytes]);
    if (!bytes) return report(Diag::kBadEvent, event, "a memory event without a number of bytes");
    MemoryEvent memory;
    memory.time = time;
    memory.track = TrackId(place(event));
    memory.bytes = *bytes;
    memory.address = event.has(Arg::kAddress) ? id(event, event[Arg::kAddress]) : 0;
    memory.total_allocated = number(Arg::kTotalAllocated, -1);
    memory.total_reserved = number(Arg::kTotalReserved, -1);
    const int64_t type = number(Arg::kDeviceType, 0), device = number(Arg::kDeviceId, -1);
    if (!std::in_range<int32_t>(type) || !std::in_range<int32_t>(device))
        return report(Diag::kBadEvent, event, "a memory event of an impossible device");
    memory.device_type = static_cast<int32_t>(type);
    memory.device = static_cast<int32_t>(device);
    batch_->memory.push_back(memory);
}

bool Interpreter::read_time(const RawEvent& event, int64_t& time) {
    const std::optional<int64_t> parsed = parse_us(event.time);
    if (!parsed) report(Diag::kBadTime, event, event.time.empty() ? "no ts" : bare(event.time));
    time = parsed.value_or(0);
    return parsed.has_value();
}

bool Interpreter::read_times(const RawEvent& event, Times& times) {
    if (!read_time(event, times.begin)) return false;
    if (event.duration.empty()) {
        report(Diag::kMissingDuration, event);
        return true;
    }
    const std::optional<int64_t> dur = parse_us(event.duration);
    if (!dur || (*dur > 0 && times.begin > kMaxNs - *dur)) {
        report(Diag::kBadTime, event, bare(event.duration));
        return false;
    }
    if (*dur < 0) report(Diag::kNegativeDuration, event, bare(event.duration));
    times.dur = std::max<int64_t>(0, *dur);
    return true;
}

}  // namespace opsight::importer::kineto
