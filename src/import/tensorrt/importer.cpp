#include "import/tensorrt/importer.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "import/tensorrt/layer_names.h"
#include "import/text/clean_text.h"
#include "model/engine_paths.h"
#include "model/source_limits.h"

namespace opsight::importer::tensorrt {
namespace {

class EngineBuilder {
  public:
    EngineBuilder(const Engine& engine, ProfileBuilder& builder) : engine_(engine), builder_(builder) {
        Rank rank;
        rank.number = std::max<int64_t>(0, engine.rank_hint);
        rank.source = engine.name.empty() ? engine.source : engine.name;
        rank_ = builder_.begin_rank(rank);
        device_ = builder_.device(rank_, 0);
        stream_ = builder_.stream_track(TrackKind::kDeviceStream, device_, 0, 0);
        host_ = builder_.host_track(rank_, 0, 0);
    }

    uint64_t run() {
        add_facts();
        if (!engine_.times.layers.empty())
            add_pass();
        else
            add_inferences();
        return engine_.times.layers.size() + engine_.runs.list.size();
    }

  private:
    void add_facts() {
        ProfileInfo& info = builder_.info();
        if (info.producer.empty()) {
            info.producer = "TensorRT";
            info.frameworks.emplace_back("TensorRT");
        }
        info.properties.insert(info.properties.end(), engine_.facts.settings.begin(),
                               engine_.facts.settings.end());
        Device& device = builder_.device_info(device_);
        const Facts& facts = engine_.facts;
        device.declared = true;
        device.name = facts.device_name;
        device.compute_major = facts.compute_major;
        device.compute_minor = facts.compute_minor;
        device.sm_count = facts.sm_count;
        device.memory_bytes = facts.memory_bytes;
        device.memory_bandwidth = facts.bandwidth;
        device.clock_hz = facts.clock_hz;
        device.l2_bytes = facts.l2_bytes;
        if (engine_.times.broken > 0) note(Diag::kBadEvent, "times of layers", engine_.times.broken);
        if (engine_.runs.broken > 0) note(Diag::kBadEvent, "times of inferences", engine_.runs.broken);
    }

    // ---- a pass made of averages -------------------------------------------------------------------------

    void add_pass() {
        set_durations_only(builder_.info());
        const int64_t passes = engine_.times.passes;
        constexpr std::string_view kEach =
            "each layer is shown as one kernel; the time of the host is not recorded";
        const std::string many = passes > 1 ? fmt::format("of {} passes", passes) : "of passes";
        set_device_only(builder_.info(),
                        passes == 1
                            ? fmt::format("one pass was recorded; {}", kEach)
                            : fmt::format("the source has averages {}, and no single pass: what is shown is "
                                          "one pass made of them; {}",
                                          many, kEach));
        builder_.track(host_).name = builder_.text("layers in order");
        absl::flat_hash_map<std::string_view, const Layer*> by_name;
        for (const Layer& layer : engine_.layers)
            by_name.try_emplace(layer.name, &layer);
        int64_t clock = 0;
        uint64_t unknown = 0;
        for (const LayerTime& time : engine_.times.layers) {
            const auto found = by_name.find(time.name);
            if (found == by_name.end()) ++unknown;
            Layer plain;
            plain.name = time.name;
            add_layer(found == by_name.end() ? plain : *found->second, time, clock);
        }
        if (!engine_.layers.empty() && unknown > 0)
            note(Diag::kDanglingId, "layers without a description", unknown);
        add_run_counters(clock);
    }

    void add_layer(const Layer& layer, const LayerTime& time, int64_t& clock) {
        if (time.average_ns > kMaxNs / 2 - clock) return note(Diag::kBadTime, time.name);
        const std::vector<std::string> origins = origins_of(layer);
        HostSpan span;
        span.kind = HostKind::kOp;
        span.flags = kInstant;
        span.track = host_;
        span.begin = clock;
        const std::string name = op_name(layer);
        span.name = text(name);
        OpDetail detail;
        detail.module_path = text(engine_path(layer.name, origins));
        Signature signature;
        signature.shapes = text(shapes_of(layer));
        signature.dtypes = text(types_of(layer));
        signature.concrete = text(arguments_of(layer, origins));
        detail.signature = builder_.signature(signature);
        builder_.add_op(span, detail);
        // A layer that took nothing was left out when the engine was built: no work of a device.
        if (time.average_ns > 0) add_work(layer, name, time.average_ns, clock);
        clock += std::max<int64_t>(time.average_ns, 1);
    }

    // A layer without the name of a kernel bears that of its op, so nothing is read from it.
    void add_work(const Layer& layer, const std::string& op, int64_t ns, int64_t clock) {
        DeviceSpan work;
        work.kind = DeviceKind::kKernel;
        work.name = text(layer.tactic_name.empty() ? op : layer.tactic_name);
        work.track = stream_;
        work.begin = clock;
        work.dur = ns;
        work.correlation = ++launches_;
        builder_.add_flow({launches_, clock, host_, FlowKind::kLaunch, true});
        builder_.add_device(work);
    }

    // Inferences have their own clock, the pass has none: they stand in their order along it.
    void add_run_counters(int64_t pass_ns) {
        const auto count = static_cast<int64_t>(engine_.runs.list.size());
        if (count == 0) return;
        const TrackId track = builder_.other_track(rank_, "inferences of trtexec", "");
        const double step = static_cast<double>(pass_ns) / static_cast<double>(count);
        const auto add = [&](const char* name, int64_t Run::*value) {
            const StringId counter = builder_.text(name);
            for (int64_t i = 0; i < count; ++i)
                if (const int64_t ns = engine_.runs.list[static_cast<size_t>(i)].*value; ns >= 0)
                    builder_.add_counter(static_cast<int64_t>(static_cast<double>(i) * step), track, counter,
                                         static_cast<double>(ns));
        };
        add("latency [ns]", &Run::latency_ns);
        add("GPU compute [ns]", &Run::compute_ns);
        add("copy to the device [ns]", &Run::to_device_ns);
        add("copy from the device [ns]", &Run::from_device_ns);
    }

    // ---- inferences --------------------------------------------------------------------------------------

    void add_inferences() {
        builder_.track(host_).name = builder_.text("trtexec");
        const std::vector<Run>& runs = engine_.runs.list;
        for (size_t i = 0; i < runs.size(); ++i) {
            const Run& run = runs[i];
            if (run.enqueue_begin >= 0)
                add_enqueue(run, i, i + 1 < runs.size() ? runs[i + 1].enqueue_begin : -1);
            const int64_t launch = run.enqueue_begin >= 0 ? launches_ : -1;
            add_copy(run.to_device_begin, run.to_device_ns, launch, CopyKind::kHostToDevice);
            add_computation(run, launch);
            add_copy(run.from_device_begin, run.from_device_ns, launch, CopyKind::kDeviceToHost);
        }
    }

    // From one enqueue to the next is what an inference takes of the whole; where the last one's would end,
    // nothing tells.
    void add_enqueue(const Run& run, size_t number, int64_t next) {
        HostSpan span;
        span.track = host_;
        span.begin = run.enqueue_begin;
        if (next >= span.begin) {
            span.kind = HostKind::kAnnotation;
            span.dur = next - span.begin;
            span.name = builder_.text(fmt::format("model_run#{}", number));
            builder_.add_host(span);
        }
        span.kind = HostKind::kRuntimeApi;
        span.dur = std::max<int64_t>(0, run.enqueue_end - run.enqueue_begin);
        if (next >= 0) span.dur = std::min(span.dur, std::max<int64_t>(0, next - span.begin));
        span.name = builder_.text("enqueue");
        builder_.add_api(span, ++launches_);
    }

    // All kernels of an inference, told as one.
    void add_computation(const Run& run, int64_t launch) {
        DeviceSpan work;
        work.kind = DeviceKind::kGraph;
        work.name = builder_.text("inference");
        work.track = stream_;
        work.begin = run.compute_begin;
        work.dur = run.compute_ns;
        work.correlation = launch;
        builder_.add_device(work);
    }

    void add_copy(int64_t begin, int64_t ns, int64_t launch, CopyKind kind) {
        if (begin < 0 || ns <= 0) return;
        DeviceSpan copy;
        copy.kind = DeviceKind::kMemcpy;
        copy.name = builder_.text(kind == CopyKind::kHostToDevice ? "Memcpy HtoD" : "Memcpy DtoH");
        copy.track = stream_;
        copy.begin = begin;
        copy.dur = ns;
        copy.correlation = launch;
        Transfer transfer;
        transfer.copy = kind;
        copy.transfer = builder_.transfer(transfer);
        builder_.add_device(copy);
    }

    StringId text(const std::string& from) {
        if (is_clean(from)) return builder_.text(from);
        std::string repaired(from);
        clean_text(repaired);
        return builder_.text(repaired);
    }

    void note(Diag diag, const std::string& what, uint64_t times = 1) {
        builder_.diagnostics().add(diag, {engine_.source, -1, -1, what}, static_cast<int64_t>(times));
    }

    const Engine& engine_;
    ProfileBuilder& builder_;
    RankId rank_;
    DeviceId device_;
    TrackId stream_, host_;
    int64_t launches_ = 0;
};

}  // namespace

Result<uint64_t> add_engine(const Engine& engine, ProfileBuilder& builder) {
    if (engine.times.layers.empty() && engine.runs.list.empty())
        return fail(engine.layers.empty() ? "tells of a TensorRT engine, but no times"
                                          : "tells what the layers of a TensorRT engine are, but no times",
                    engine.source, {},
                    "run trtexec with --exportProfile=FILE.profile.json too, and give both files");
    return EngineBuilder(engine, builder).run();
}

}  // namespace opsight::importer::tensorrt
