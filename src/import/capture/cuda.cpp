// Facts, calls of host threads, and what does not belong to a device.
#include "import/capture/cuda.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardware/cubin.h"
#include "import/text/clean_text.h"

namespace opsight::importer::capture {

using wire::RecordType;
using wire::RecordView;

void CudaFacts::take(const RecordView& record) {
    switch (record.type) {
        case RecordType::kCudaDevice: {
            const auto device = record.as<wire::CudaDeviceRecord>();
            std::string name(record.blob_of<wire::CudaDeviceRecord>());
            clean_text(name);
            any = true;
            auto [known, is_new] = devices.try_emplace(device.device, device);
            if (!name.empty()) device_names[device.device] = name;
            if (is_new) return;
            // What a later record does not tell, an earlier one did.
            auto* to = reinterpret_cast<char*>(&known->second);
            const auto* from = reinterpret_cast<const char*>(&device);
            constexpr size_t kWords = sizeof(wire::CudaDeviceRecord) / sizeof(uint32_t);
            for (size_t i = 1; i < kWords; ++i) {
                uint32_t word = 0;
                std::memcpy(&word, from + i * sizeof word, sizeof word);
                if (word != 0) std::memcpy(to + i * sizeof word, &word, sizeof word);
            }
            return;
        }
        case RecordType::kCudaContext: {
            const auto context = record.as<wire::CudaContextRecord>();
            contexts.insert_or_assign(context.context, context);
            return;
        }
        case RecordType::kCudaStream: {
            const auto stream = record.as<wire::CudaStreamRecord>();
            streams.insert_or_assign({stream.context, stream.stream}, stream);
            return;
        }
        case RecordType::kCudaClock:
            return clocks.push_back(record.as<wire::CudaClockRecord>());
        case RecordType::kCudaRange:
            return ranges.take_range(record.as<wire::CudaRangeRecord>());
        case RecordType::kCudaApi: {
            const auto call = record.as<wire::CudaApiRecord>();
            return ranges.take_call(call.correlation, call.begin);
        }
        case RecordType::kCudaHandle:
            return handles.push_back(record.as<wire::CudaHandleRecord>());
        case RecordType::kCudaEvent: {
            const uint32_t call = record.as<wire::CudaEventRecord>().correlation;
            if (call != 0) event_calls.insert(call);
            return;
        }
        case RecordType::kCudaExternal:
            return take_external(record.as<wire::CudaExternalRecord>());
        case RecordType::kCudaModule:
            return code.take_module(record.as<wire::CudaModuleRecord>());
        case RecordType::kCudaModuleBytes:
            return code.take_bytes(record);
        default:
            return;
    }
}

void CudaCode::take_module(const wire::CudaModuleRecord& module) {
    Content& content = contents_[module.content];
    content.told = module.bytes;
    content.whole = module.whole != 0;
}

void CudaCode::take_bytes(const RecordView& record) {
    constexpr uint64_t kMostKept = uint64_t{1} << 30;  // a damaged capture cannot hold more than it has
    const auto piece = record.as<wire::CudaModuleBytesRecord>();
    const std::string_view bytes = record.blob_of<wire::CudaModuleBytesRecord>();
    Content& content = contents_[piece.content];
    // Pieces come in order; a gap leaves the rest without meaning.
    if (piece.offset != content.bytes.size() || kept_ + bytes.size() > kMostKept) {
        content.broken = true;
        return;
    }
    content.bytes.append(bytes);
    kept_ += bytes.size();
}

CudaCode::Finding CudaCode::judge() const {
    Finding finding;
    for (const auto& [number, content] : contents_) {
        if (!content.whole) continue;  // left out by option, or its module was not loaded
        if (content.broken || content.bytes.size() != content.told) {
            finding.unread.push_back("the code of a module was not recorded as a whole");
            continue;
        }
        const Result<hardware::Cubin> cubin = hardware::read_cubin(content.bytes);
        if (!cubin) {
            finding.unread.push_back(cubin.error().message());
            continue;
        }
        for (const hardware::CubinKernel& kernel : cubin->kernels) {
            const Verdict verdict{kernel.judged, std::string(kernel.instruction)};
            const auto [known, is_new] = finding.kernels.try_emplace(std::string(kernel.name), verdict);
            if (!is_new && known->second.instruction.empty() != verdict.instruction.empty())
                known->second.judged = false;
        }
    }
    return finding;
}

void CudaImport::begin_stream() {
    texts_.clear();
    names_.clear();
    kinds_.clear();
    times_.use(wire::CudaTimes::kTicks);
}

bool CudaImport::take(const RecordView& record) {
    switch (record.type) {
        case RecordType::kString: {
            std::string text(record.blob());
            clean_text(text);
            texts_[record.blob_id()] = std::move(text);
            return false;  // others read it, too
        }
        case RecordType::kCudaApi:
            return take_api(record.as<wire::CudaApiRecord>()), true;
        case RecordType::kCudaKernelKind:
            return take_kind(record.as<wire::CudaKernelKindRecord>()), true;
        case RecordType::kCudaKernel:
            return take_kernel(record.as<wire::CudaKernelRecord>()), true;
        case RecordType::kCudaCopy:
            return take_copy(record.as<wire::CudaCopyRecord>()), true;
        case RecordType::kCudaSet:
            return take_set(record.as<wire::CudaSetRecord>()), true;
        case RecordType::kCudaSync:
            return take_sync(record.as<wire::CudaSyncRecord>()), true;
        case RecordType::kCudaMemory:
            return take_memory(record.as<wire::CudaMemoryRecord>()), true;
        case RecordType::kCudaPool:
            return take_pool(record.as<wire::CudaPoolRecord>()), true;
        case RecordType::kCudaUnified:
            return take_unified(record.as<wire::CudaUnifiedRecord>()), true;
        case RecordType::kCudaOverhead:
            return take_overhead(record.as<wire::CudaOverheadRecord>()), true;
        case RecordType::kCudaJit:
            return take_jit(record.as<wire::CudaJitRecord>()), true;
        case RecordType::kCudaGraphTrace:
            return take_graph_trace(record.as<wire::CudaGraphTraceRecord>()), true;
        case RecordType::kCudaGraph:
            return take_graph(record.as<wire::CudaGraphRecord>()), true;
        case RecordType::kCudaDropped:
            return take_dropped(record.as<wire::CudaDroppedRecord>()), true;
        case RecordType::kCudaState:
            return take_state(record), true;
        case RecordType::kCudaClock:
            return times_.use(record.as<wire::CudaClockRecord>().times), true;
        case RecordType::kCudaEvent:
            return take_event(record.as<wire::CudaEventRecord>()), true;
        case RecordType::kCudaDevice:  // read in the first pass
        case RecordType::kCudaContext:
        case RecordType::kCudaStream:
        case RecordType::kCudaModule:
        case RecordType::kCudaModuleBytes:
        case RecordType::kCudaRange:
        case RecordType::kCudaHandle:
        case RecordType::kCudaExternal:
            return true;
        default:
            return false;
    }
}

bool CudaImport::host_times(uint64_t begin, uint64_t end, HostSpan& span) {
    if (!time_of(begin, "a call", span.begin)) return false;
    if (end == 0) {
        span.flags |= kUnfinished;
        note(Diag::kUnfinishedSpan, "a call that had not returned");
        return true;
    }
    int64_t last = 0;
    if (!time_of(end, "a call", last)) return false;
    if (last < span.begin) note(Diag::kNegativeDuration, "a call");
    span.dur = std::max<int64_t>(0, last - span.begin);
    return true;
}

void CudaImport::take_api(const wire::CudaApiRecord& call) {
    HostSpan span;
    if (!host_times(call.begin, call.end, span)) return;
    const auto [track, is_new] = threads_.try_emplace(call.thread);
    if (is_new) track->second = builder_.host_track(place_.rank, place_.pid, call.thread);
    span.track = track->second;
    const bool driver = call.domain == wire::CudaDomain::kDriver;
    span.kind = driver ? HostKind::kDriverApi : HostKind::kRuntimeApi;
    span.name = text_of(call.name, driver ? "(driver call)" : "(runtime call)");
    builder_.add_api(span, call.correlation ? int64_t{call.correlation} : -1, call.result);
    if (facts_.event_calls.contains(call.correlation)) event_calls_.try_emplace(call.correlation, span.begin);
}

void CudaImport::take_overhead(const wire::CudaOverheadRecord& overhead) {
    constexpr std::string_view kNames[] = {"",
                                           "CUPTI: flush of buffers",
                                           "CUPTI: instrumentation",
                                           "CUPTI: resources",
                                           "module loaded on demand",
                                           "function loaded on demand",
                                           "command buffer full",
                                           "CUPTI: request for a buffer",
                                           "CUPTI: unified memory"};
    HostSpan span;
    if (!host_times(overhead.begin, overhead.end, span)) return;
    const uint32_t kind = overhead.kind >> 16;
    const bool known = overhead.kind == kind << 16 && kind > 0 && kind < std::size(kNames);
    span.name = builder_.text(known                ? kNames[kind]
                              : overhead.kind == 1 ? std::string("driver compiler")
                                                   : fmt::format("overhead of kind {}", overhead.kind));
    span.kind = HostKind::kOverhead;
    constexpr uint32_t kThread = 2;
    span.track = overhead.object == kThread ? builder_.host_track(place_.rank, place_.pid, overhead.b)
                                            : process_row("CUDA overhead");
    builder_.add_host(span);
}

void CudaImport::take_jit(const wire::CudaJitRecord& jit) {
    constexpr std::string_view kEntries[] = {"code", "PTX", "NVVM IR"};
    HostSpan span;
    if (!host_times(jit.begin, jit.end, span)) return;
    const std::string_view entry = kEntries[jit.entry < std::size(kEntries) ? jit.entry : 0];
    constexpr uint32_t kLoaded = 1, kStored = 2;
    span.name = builder_.text(jit.operation == kLoaded   ? fmt::format("read compiled {}", entry)
                              : jit.operation == kStored ? fmt::format("keep compiled {}", entry)
                                                         : fmt::format("compile {}", entry));
    span.kind = HostKind::kLibrary;
    span.track = jit.thread ? builder_.host_track(place_.rank, place_.pid, jit.thread)
                            : process_row("CUDA compilation");
    builder_.add_host(span, builder_.text("CUDA compiler").value);
}

void CudaImport::take_graph(const wire::CudaGraphRecord& graph) {
    const bool cloned = graph.what == wire::CudaGraph::kNodeCloned;
    if (!cloned && graph.what != wire::CudaGraph::kNodeCreated) return;  // graphs show by what they launch
    GraphNode node;
    if (!time_of(graph.time, "a node of a graph", node.time)) return;
    node.thread = builder_.host_track(place_.rank, place_.pid, graph.thread);
    node.node = static_cast<int64_t>(graph.node);
    node.original = cloned && graph.original_node ? static_cast<int64_t>(graph.original_node) : -1;
    builder_.add_graph_node(node);
}

void CudaImport::take_dropped(const wire::CudaDroppedRecord& dropped) {
    const auto count = static_cast<int64_t>(std::min<uint64_t>(dropped.count, uint64_t{1} << 40));
    switch (dropped.what) {
        case wire::CudaLoss::kUnknownKind:
            return note(Diag::kUnreadRow, fmt::format("CUPTI records of kind {}", dropped.kind), count);
        case wire::CudaLoss::kUndecoded:
            return note(Diag::kBadEvent, "the rest of a buffer of CUPTI", count);
        case wire::CudaLoss::kNoBuffer:
            return note(Diag::kLostRecords, "CUPTI found no buffer", count);
        case wire::CudaLoss::kDropped:
            break;
    }
    note(Diag::kLostRecords, "CUPTI dropped records", count);
}

void CudaImport::take_state(const RecordView& record) {
    const auto state = record.as<wire::CudaStateRecord>();
    if (state.state == wire::CudaState::kRecording) return;
    std::string text(record.blob_of<wire::CudaStateRecord>());
    clean_text(text);
    note(Diag::kSourceWarning, text.empty() ? "CUDA was not recorded" : text);
}

void CudaImport::finish() {
    for (const auto& [number, context] : facts_.contexts) {
        Context known;
        known.rank = place_.rank;
        known.number = context.context;
        known.device = builder_.device_info(device_of(context.device)).number;
        known.green = context.green != 0;
        if (known.green && context.parent != wire::kNoCudaId) known.parent = context.parent;
        builder_.add_context(known);
    }
    for (const auto& [number, device] : facts_.devices)
        devices_.find(place_.rank, place_.pid, number, facts_);  // idle ones, too
    finish_memory();
    finish_events();
    tell_external_ids();
    finish_code();
    if (times_.error_ns() > 0)
        builder_.info().properties.push_back({fmt::format("cuda_clock_error_ns_of_process_{}", place_.pid),
                                              std::to_string(times_.error_ns())});
}

void CudaImport::finish_code() {
    const CudaCode::Finding finding = facts_.code.judge();
    for (const std::string& reason : finding.unread)
        note(Diag::kUnreadCode, reason);
    std::set<StringId> told;
    for (const auto& [mangled, full] : kernels_) {
        const auto verdict = finding.kernels.find(mangled);
        if (verdict == finding.kernels.end() || !verdict->second.judged || !told.insert(full).second)
            continue;
        builder_.add_kernel_code({full, builder_.text(verdict->second.instruction)});
    }
}

TrackId CudaImport::process_row(std::string_view subject) {
    return builder_.other_track(place_.rank, std::to_string(place_.pid), subject);
}

StringId CudaImport::text_of(uint32_t id, std::string_view otherwise) {
    const auto known = names_.find(id);
    if (known != names_.end()) return known->second;
    const auto text = texts_.find(id);
    if (text == texts_.end()) {
        note(Diag::kDanglingId, "a name that was not recorded");
        return builder_.text(otherwise);
    }
    return names_[id] = builder_.text(text->second);
}

bool CudaImport::time_of(uint64_t time, std::string_view what, int64_t& ns) {
    if (time != 0 && times_.ns(time, ns)) return true;
    note(Diag::kBadTime, fmt::format("{}: {}", what, time == 0 ? "no time" : std::to_string(time)));
    return false;
}

void CudaImport::note(Diag diag, std::string_view what, int64_t count) {
    Diagnostics& diagnostics = builder_.diagnostics();
    diagnostics.add(
        diag,
        diagnostics.wants_place(diag) ? DiagOccurrence{file_, -1, -1, std::string(what)} : DiagOccurrence{},
        count);
}

}  // namespace opsight::importer::capture
