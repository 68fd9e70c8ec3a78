#include "import/xplane/host_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <tuple>

#include "base/text.h"
#include "import/xplane/details.h"
#include "model/marks/xla_names.h"

namespace opsight::importer::xplane {
namespace {

// "py_xla_execute/-147250304244" of a thread without a number of the system's: the name alone.
std::string_view thread_name(const Line& line) {
    const std::string id = fmt::format("/{}", line.id);
    std::string_view name = line.name;
    if (name.ends_with(id)) name.remove_suffix(id.size());
    return name;
}

bool is_driver_call(std::string_view name) {
    return name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
}

// Functions of the runtimes themselves, not what a program named.
bool is_internal(std::string_view name) {
    return text::contains(name, "::") || text::contains(name, "=>");
}

// tf.data's own threads and the call that waits for them.
bool is_data_loading(std::string_view name) {
    return name.starts_with("Iterator::") || name.starts_with("IteratorGetNext");
}

class HostPlane {
  public:
    HostPlane(const Plane& plane, Sink& sink) : plane_(plane), sink_(sink) {}

    void run() {
        for (const Line& line : plane_.lines()) {
            if (line.events.empty()) continue;
            track_ = sink_.builder.host_track(sink_.rank, 0, line.id);
            Track& track = sink_.builder.track(track_);
            track.name = sink_.text(thread_name(line));
            track.process_name = sink_.text(plane_.name());
            sink_.each_event(plane_, line, [&](const Event& event) { take(event); });
        }
        add_memory();
    }

  private:
    void take(const Event& event) {
        HostSpan span;
        span.begin = event.begin;
        span.dur = event.dur;
        span.track = track_;
        if (event.facts.allocation_bytes >= 0 || event.facts.allocated >= 0) keep_memory(event);
        if (event.name.starts_with('$')) {
            span.kind = HostKind::kPythonFrame;
            span.name = sink_.text(event.name.substr(1));
            sink_.builder.add_host(span);
            return;
        }
        if (event.facts.correlation >= 0) {
            span.kind = is_driver_call(event.name) ? HostKind::kDriverApi : HostKind::kRuntimeApi;
            span.name = sink_.text(event.name);
            sink_.builder.add_api(span, event.facts.correlation);
            return;
        }
        const std::string_view name = without_metadata(event.name);
        if (!event.facts.hlo_op.empty()) return add_op(event.facts.hlo_op, event.facts.scope, event, span);
        if (is_data_loading(name)) {
            span.kind = HostKind::kDataLoad;
        } else if (is_tensorflow_op(name)) {
            return add_op({}, name, event, span);
        } else if (const int64_t step = step_of(event); step >= 0) {
            sink_.host_steps.push_back({span.begin, span.dur, step, track_, std::string(name)});
            return;
        } else {
            span.kind = is_internal(name) ? HostKind::kLibrary : HostKind::kAnnotation;
        }
        if (event.dur == 0 && span.kind != HostKind::kDataLoad) {
            span.kind = HostKind::kOther;
            span.flags = kInstant;
        }
        add_named(name, span);
    }

    void add_named(std::string_view name, HostSpan& span) {
        span.name = sink_.text(name);
        if (span.kind == HostKind::kLibrary || span.kind == HostKind::kOther)
            return sink_.builder.add_host(span, sink_.builder.text("XLA and its runtime").value);
        sink_.builder.add_host(span);
    }

    // `own`: of XLA; else the op is what the framework's name ends with.
    void add_op(std::string_view own, std::string_view framework, const Event& event, HostSpan& span) {
        const marks::Scope scope = marks::read_scope(framework);
        OpDetail detail;
        std::string path(event.facts.hlo_module);
        if (!scope.layer.empty()) path += (path.empty() ? "" : "/") + scope.layer;
        detail.module_path = sink_.text(path);
        span.kind = HostKind::kOp;
        sink_.has_jax |= framework.starts_with("jit(");
        sink_.has_tensorflow |= own.empty();
        span.name = sink_.text(!own.empty() ? own : !scope.type.empty() ? scope.type : scope.op);
        sink_.builder.add_op(span, detail);
    }

    int64_t step_of(const Event& event) const {
        if (event.facts.step >= 0) return event.facts.step;
        const std::string_view value = metadata_value(event.name, "step_num");
        int64_t step = -1;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), step);
        return error == std::errc() && end == value.data() + value.size() ? step : -1;
    }

    // "GPU_0_bfc" of a device; others' allocators ("xla_gpu_host_bfc") hold memory of the host.
    int64_t device_of(const Facts& facts) const {
        constexpr std::string_view kPrefix = "GPU_";
        if (facts.allocator.starts_with(kPrefix)) {
            int64_t number = -1;
            const std::string_view rest = facts.allocator.substr(kPrefix.size());
            std::from_chars(rest.data(), rest.data() + rest.size(), number);
            return number;
        }
        return facts.allocator.empty() ? facts.device : -1;
    }

    void keep_memory(const Event& event) {
        const Facts& facts = event.facts;
        const bool freed = event.name.starts_with("MemoryDealloc");
        if (!freed && !event.name.starts_with("MemoryAlloc")) return;
        const int64_t device = device_of(facts);
        if (device > INT32_MAX) return sink_.note(Diag::kBadEvent, "a device's number");
        MemoryEvent memory;
        memory.time = event.begin;
        memory.track = track_;
        memory.address = facts.address;
        if (facts.allocation_bytes >= 0)
            memory.bytes = freed ? -facts.allocation_bytes : facts.allocation_bytes;
        memory.total_allocated = facts.allocated;
        // What programs have reserved is beside what is allocated.
        if (facts.reserved > 0 && facts.allocated >= 0)
            memory.total_reserved = facts.reserved + facts.allocated;
        // Numbers of PyTorch: a GPU, and what XLA compiles for.
        memory.device_type = device < 0 ? 0 : facts.allocator.empty() ? 9 : 1;
        memory.device = device >= 0 ? static_cast<int32_t>(device) : -1;
        changes_.push_back({memory, freed, facts.allocation_bytes >= 0});
    }

    // One thread frees what another allocated: the order is that of time, not that of lines.
    void add_memory() {
        std::stable_sort(changes_.begin(), changes_.end(),
                         [](const Change& a, const Change& b) { return a.memory.time < b.memory.time; });
        absl::flat_hash_map<std::tuple<int, int32_t, int64_t>, int64_t> sizes;  // devices have like addresses
        for (Change& change : changes_) {
            MemoryEvent& memory = change.memory;
            const auto place = std::tuple(int{memory.device_type}, memory.device, memory.address);
            if (change.sized) {
                sizes[place] = std::abs(memory.bytes);
            } else if (const auto known = sizes.find(place); change.freed && known != sizes.end()) {
                memory.bytes = -known->second;
            } else {
                sink_.note(Diag::kUnknownFree, change.freed ? "MemoryDeallocation" : "MemoryAllocation",
                           memory.time);
                continue;
            }
            sink_.builder.add_memory(memory);
        }
    }

    struct Change {
        MemoryEvent memory;
        bool freed, sized;  // sized: tells its bytes
    };

    const Plane& plane_;
    Sink& sink_;
    TrackId track_;
    std::vector<Change> changes_;
};

}  // namespace

void read_host_plane(const Plane& plane, Sink& sink) {
    HostPlane(plane, sink).run();
}

}  // namespace opsight::importer::xplane
