#include "import/rocprof/process.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "import/kineto/json_events.h"
#include "import/rocprof/told.h"
#include "import/text/clean_text.h"

namespace opsight::importer::rocprof {
namespace {

using kineto::text_of;
using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kRead[] = {"kernel_dispatch", "hip_api", "marker_api", "rccl_api", "memory_copy"};

// {"handle": 18} and the like.
int64_t inner(const object& from, std::string_view key, std::string_view member, int64_t otherwise = 0) {
    object value;
    return from[key].get(value) == simdjson::SUCCESS ? number_of(value, member, otherwise) : otherwise;
}

template <class Take>
void each_object(const object& from, std::string_view key, Take take) {
    array list;
    if (from[key].get(list) != simdjson::SUCCESS) return;
    for (const element item : list) {
        object value;
        if (item.get(value) == simdjson::SUCCESS) take(value);
    }
}

}  // namespace

Process::Process(const object& results, const std::string& file, ProfileBuilder& builder)
    : results_(results), file_(file), builder_(builder) {
    Rank rank;
    rank.source = file;
    rank_ = builder_.begin_rank(rank);
}

uint64_t Process::read() {
    read_facts();
    read_agents();
    read_names();
    read_records("hip_api", &Process::take_call);
    read_records("rccl_api", &Process::take_library_call);
    read_records("marker_api", &Process::take_marker);
    roctx_.finish(builder_);
    read_records("kernel_dispatch", &Process::take_kernel);
    read_records("memory_copy", &Process::take_copy);
    note_unread();
    return events_;
}

void Process::read_facts() {
    object metadata, node;
    if (results_["metadata"].get(metadata) != simdjson::SUCCESS) return;
    pid_ = number_of(metadata, "pid");
    if (metadata["node"].get(node) == simdjson::SUCCESS)
        builder_.rank(rank_).host = builder_.view(intern(text_of(node, "hostname")));
    std::string command;
    array words;
    if (metadata["command"].get(words) == simdjson::SUCCESS)
        for (const element word : words)
            if (std::string_view part; word.get(part) == simdjson::SUCCESS)
                command += fmt::format("{}{}", command.empty() ? "" : " ", part);
    if (!command.empty()) builder_.info().properties.emplace_back("command", builder_.view(intern(command)));
}

void Process::read_agents() {
    constexpr int64_t kGpu = 2;
    each_object(results_, "agents", [this](const object& agent) {
        const int64_t handle = inner(agent, "id", "handle");
        const bool gpu = number_of(agent, "type") == kGpu;
        const int64_t place = number_of(agent, "logical_node_type_id");
        agents_[handle] = {place, gpu};
        if (!gpu) return;
        Device& device = builder_.device_info(builder_.device(rank_, place));
        device.declared = true;
        const std::string_view product = text_of(agent, "product_name");
        device.name = builder_.view(intern(product.empty() ? text_of(agent, "name") : product));
        device.chip = builder_.view(intern(text_of(agent, "name")));
        describe_agent(agent, device);
    });
}

void Process::read_names() {
    each_object(results_, "kernel_symbols", [this](const object& symbol) {
        std::string_view name = text_of(symbol, "formatted_kernel_name");
        if (name.empty()) name = text_of(symbol, "demangled_kernel_name");
        if (name.ends_with(".kd")) name.remove_suffix(3);
        kernels_[number_of(symbol, "kernel_id", -1)] = {intern(name),
                                                        number_of(symbol, "arch_vgpr_count", -1)};
    });
    object strings;
    if (results_["strings"].get(strings) != simdjson::SUCCESS) return;
    int64_t kind = 0;
    each_object(strings, "buffer_records", [&](const object& names) {
        array list;
        int64_t place = 0;
        if (names["operations"].get(list) == simdjson::SUCCESS)
            for (const element item : list) {
                std::string_view name;
                if (item.get(name) == simdjson::SUCCESS) operations_[{kind, place}] = intern(name);
                ++place;
            }
        ++kind;
    });
    each_object(strings, "marker_api", [this](const object& marker) {
        markers_[number_of(marker, "key", -1)] = intern(text_of(marker, "value"));
    });
}

void Process::read_records(std::string_view list, void (Process::*take)(const Object&)) {
    object records;
    if (results_["buffer_records"].get(records) == simdjson::SUCCESS)
        each_object(records, list, [&](const object& record) { (this->*take)(record); });
}

void Process::note_unread() {
    for (const std::string_view part : {"buffer_records", "callback_records"}) {
        object records;
        if (results_[part].get(records) != simdjson::SUCCESS) continue;
        for (const auto [key, value] : records) {
            array list;
            const bool known = part == "buffer_records" &&
                               std::find(std::begin(kRead), std::end(kRead), key) != std::end(kRead);
            if (known || value.get(list) != simdjson::SUCCESS || list.size() == 0) continue;
            const std::string name(builder_.view(intern(key)));
            builder_.info().unread_tables.emplace_back(name, static_cast<int64_t>(list.size()));
            note(Diag::kUnreadTable, name);
        }
    }
}

template <class Span>
bool Process::read_times(const object& record, Span& span) {
    const int64_t begin = number_of(record, "start_timestamp", -1),
                  end = number_of(record, "end_timestamp", -1);
    if (begin < 0 || end < 0 || begin > kMaxNs / 2 || end > kMaxNs / 2) {
        note(Diag::kBadTime, fmt::format("{} to {}", begin, end));
        return false;
    }
    if (begin == 0 && end == 0) {  // what could not be timed
        note(Diag::kMissingEnd, "a record without times");
        return false;
    }
    if (end < begin) note(Diag::kNegativeDuration, fmt::format("{} ns", end - begin));
    span.begin = begin;
    span.dur = std::max<int64_t>(0, end - begin);
    ++events_;
    return true;
}

StringId Process::operation(const object& record) {
    const int64_t kind = number_of(record, "kind", -1), place = number_of(record, "operation", -1);
    const auto found = operations_.find({kind, place});
    if (found != operations_.end()) return found->second;
    note(Diag::kDanglingId, fmt::format("operation {} of kind {}", place, kind));
    return builder_.text("(name lost)");
}

TrackId Process::thread(const object& record) {
    return builder_.host_track(rank_, pid_, number_of(record, "thread_id"));
}

void Process::take_call(const object& record) {
    HostSpan span;
    if (!read_times(record, span)) return;
    span.kind = HostKind::kRuntimeApi;
    span.name = operation(record);
    span.track = thread(record);
    builder_.add_api(span, inner(record, "correlation_id", "internal", -1));
}

void Process::take_library_call(const object& record) {
    HostSpan span;
    if (!read_times(record, span)) return;
    span.kind = HostKind::kLibrary;
    span.name = operation(record);
    span.track = thread(record);
    builder_.add_host(span, builder_.text("RCCL").value);
}

// Their texts stand apart.
void Process::take_marker(const object& record) {
    HostSpan span;
    if (!read_times(record, span)) return;
    const auto told = markers_.find(inner(record, "correlation_id", "internal", -1));
    span.track = thread(record);
    roctx_.add(span, told != markers_.end() ? told->second : operation(record));
}

void Process::take_kernel(const object& record) {
    DeviceSpan span;
    object info;
    if (record["dispatch_info"].get(info) != simdjson::SUCCESS)
        return note(Diag::kBadEvent, "a kernel without dispatch_info");
    if (!read_times(record, span)) return;
    span.kind = DeviceKind::kKernel;
    const int64_t id = number_of(info, "kernel_id", -1);
    const auto kernel = kernels_.find(id);
    if (kernel == kernels_.end()) note(Diag::kDanglingId, fmt::format("kernel {}", id));
    span.name = kernel == kernels_.end() ? builder_.text("(name lost)") : kernel->second.name;
    LaunchConfig config;
    constexpr std::string_view kAxes[] = {"x", "y", "z"};
    for (size_t axis = 0; axis < 3; ++axis) {
        config.block[axis] = inner(info, "workgroup_size", kAxes[axis], -1);
        config.grid[axis] = inner(info, "grid_size", kAxes[axis], -1);
    }
    count_blocks(config);
    config.static_shared_bytes = number_of(info, "group_segment_size", -1);
    config.local_bytes_per_thread = number_of(info, "private_segment_size", -1);
    if (kernel != kernels_.end()) config.registers_per_thread = kernel->second.registers;
    span.config = builder_.launch_config(config);
    add_device(record, span, inner(info, "agent_id", "handle"), inner(info, "queue_id", "handle"));
}

void Process::take_copy(const object& record) {
    DeviceSpan span;
    if (!read_times(record, span)) return;
    const int64_t from = inner(record, "src_agent_id", "handle"),
                  to = inner(record, "dst_agent_id", "handle");
    const auto is_gpu = [this](int64_t agent) {
        const auto found = agents_.find(agent);
        return found != agents_.end() && found->second.is_gpu;
    };
    span.kind = DeviceKind::kMemcpy;
    span.bytes = std::max<int64_t>(-1, number_of(record, "bytes", -1));
    Transfer transfer;
    transfer.copy = copy_kind(builder_.view(operation(record)));
    if (is_gpu(from)) transfer.from_device = place_of(from);
    if (is_gpu(to)) transfer.to_device = place_of(to);
    span.transfer = builder_.transfer(transfer);
    span.name = builder_.text(name_of_copy(transfer));
    add_device(record, span, is_gpu(to) ? to : from, 0);
}

void Process::add_device(const object& record, DeviceSpan& span, int64_t agent, int64_t queue) {
    span.correlation = inner(record, "correlation_id", "internal", -1);
    const DeviceId device = builder_.device(rank_, place_of(agent));
    span.track = builder_.stream_track(TrackKind::kDeviceStream, device, queue,
                                       inner(record, "stream_id", "handle"), pid_);
    builder_.add_device(span);
}

int64_t Process::place_of(int64_t agent) {
    const auto found = agents_.find(agent);
    if (found != agents_.end()) return found->second.number;
    note(Diag::kDanglingId, fmt::format("agent {}", agent));
    return 0;
}

StringId Process::intern(std::string_view text) {
    if (is_clean(text)) return builder_.text(text);
    std::string repaired(text);
    clean_text(repaired);
    return builder_.text(repaired);
}

void Process::note(Diag diag, std::string text) {
    builder_.diagnostics().add(diag, {file_, -1, -1, std::move(text)});
}

}  // namespace opsight::importer::rocprof
