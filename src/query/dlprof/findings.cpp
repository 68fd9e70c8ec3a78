// The problems that DLProf would have found, in its words and its order. What it looked for is public, the
// bounds that it drew are not: those here are Opsight's own.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "query/ask/headed.h"
#include "query/dlprof/tables.h"

namespace opsight::query::dlprof {
namespace {

// In percent of the wall clock time.
constexpr double kLowGpuShare = 50;       // the threshold of Nsight Systems' gpu_time_util
constexpr double kHighLoadingShare = 20;  // from here on xprof calls a program highly bound by its input
// Of the mean length of an iteration.
constexpr double kMuchVariation = 0.25;
// In percent of the memory of the GPU that is filled best: four times the batch could fit.
constexpr int64_t kLowMemoryShare = 25;

constexpr const char* kAmp =
    "Try enabling AMP (Automatic Mixed Precision). For more information: "
    "https://developer.nvidia.com/automatic-mixed-precision";
constexpr const char* kDali =
    "Consider using NVIDIA DALI, a library that is a high performance alternative to built-in data loaders "
    "and data "
    "iterators. Learn more here: https://developer.nvidia.com/DALI";

bool is_half(const std::string& types) {
    for (const char* half : {"float16", "half", "Half", "bfloat16", "BFloat16", "fp16"})
        if (types.find(half) != types.npos) return true;
    return false;
}

class Findings {
  public:
    Findings(const Model& model, const Overview& overview)
        : model_(model), r_(model.recording), o_(overview) {}

    // `recorded`: those of a database stand, where the range is its own.
    std::vector<std::vector<Cell>> run(bool recorded) {
        if (recorded) return as_recorded();
        const std::string framework = r_.fact("framework");
        tensorflow_ = r_.tensorflow || framework.starts_with("TensorFlow");
        pytorch_ =
            !tensorflow_ && (r_.origin == Origin::kMarked || framework.find("PyTorch") != framework.npos);
        if (tensorflow_) xla();
        mixed_precision();
        if (!unused_gpus()) low_use();
        if (pytorch_) data_loading();
        iterations();
        convolution_search();
        memory();
        return std::move(rows_);
    }

  private:
    void add(std::string problem, std::string recommendation) {
        rows_.push_back({std::move(problem), std::move(recommendation)});
    }

    std::vector<std::vector<Cell>> as_recorded() {
        for (int i = 1; !r_.property(fmt::format("dlprof_problem_{}", i)).empty(); ++i)
            add(r_.property(fmt::format("dlprof_problem_{}", i)),
                r_.property(fmt::format("dlprof_recommendation_{}", i)));
        return std::move(rows_);
    }

    // Of the range.
    bool any_op(const std::function<bool(const OpKind&)>& fits) const {
        std::vector<bool> met(model_.kinds.size(), false);
        return std::any_of(model_.instances.begin(), model_.instances.end(), [&](const Instance& i) {
            if (met[i.kind]) return false;
            met[i.kind] = true;
            return !model_.kinds[i.kind].pseudo && fits(model_.kinds[i.kind]);
        });
    }

    bool any_op_with(const char* part) const {
        return any_op([&](const OpKind& kind) {
            return kind.type.find(part) != kind.type.npos || kind.name.find(part) != kind.name.npos;
        });
    }

    void xla() {
        if (any_op_with("Xla")) return;
        add("XLA is not enabled: No XLA ops detected",
            "Try enabling XLA. See https://www.tensorflow.org/xla/#enable_xla_for_tensorflow_models for "
            "information "
            "on how to enable XLA.");
    }

    void mixed_precision() {
        int64_t eligible = 0;
        bool half = false;
        std::vector<bool> met(model_.ops.size(), false);
        for (const Instance& i : model_.instances) {
            if (!model_.ops[i.op].eligible) continue;
            eligible += !met[i.op];
            met[i.op] = true;
            half |= is_half(model_.ops[i.op].data_type);
        }
        if (eligible > 0 && !half)
            add(fmt::format("{} {} eligible to use tensor cores but none are using FP16", eligible,
                            eligible == 1 ? "op was" : "ops were"),
                kAmp);
    }

    bool unused_gpus() {
        std::string idle;
        for (size_t i = 0; i < o_.used.size(); ++i)
            if (!o_.used[i]) idle += (idle.empty() ? "" : " ") + std::to_string(r_.devices[i].number);
        if (idle.empty()) return false;
        add("The following GPU device IDs are not being used: " + idle,
            "Make sure to pass the necessary options to docker, the framework, and the model to use all "
            "available "
            "GPUs");
        return true;
    }

    // The largest of what the time goes to beside the device's work is named.
    void low_use() {
        if (o_.wall_ns == 0 || o_.used.empty() || o_.gpu_utilization >= kLowGpuShare) return;
        constexpr std::pair<const char*, bool> kNames[] = {
            {"Dataloader", true}, {"IO", true}, {"CPU", false}, {"\"Other\"", true}};
        const auto most = std::max_element(o_.shares.begin() + 3, o_.shares.end());
        const auto& [name, loading] = kNames[most - o_.shares.begin() - 3];
        add(fmt::format("The GPU is underutilized: Only {:.1f}% of the profiled time is spent on GPU kernel "
                        "operations",
                        o_.gpu_utilization),
            fmt::format("{} has the highest (non-GPU) usage at {:.1f}%. {}", name, *most,
                        loading
                            ? "Investigate the dataloading pipeline as this often indicates too much time is "
                              "being spent here"
                            : "Consider swapping ops that are running on the CPU for equivalent GPU ops"));
    }

    void data_loading() {
        if (o_.shares[3] >= kHighLoadingShare)
            add(fmt::format(
                    "{:.1f}% of the aggregated run was spent in the dataloader while not simultaneously "
                    "running on the GPU",
                    o_.shares[3]),
                "Focus on reducing time spent in the training data input process. This could be time spent "
                "in file "
                "reading, preprocessing and augmentation or file transfer.");
        if (!any_op_with("DALI") && !any_op_with("nvidia.dali")) add("No DALI ops detected", kDali);
    }

    void iterations() {
        const Iterations& it = model_.iterations;
        if (!it.split) {
            // TensorFlow 1 has a key op where none was asked for.
            const bool first = tensorflow_ && !r_.fact("framework").starts_with("TensorFlow 2");
            add(fmt::format("Unable to split profile into training iterations: key op {} not found",
                            it.key_op.empty() && first ? "global_step" : it.key_op),
                "Specify key op by setting the --key_op argument");
        } else if (o_.deviation > kMuchVariation * o_.mean_iteration) {
            add(fmt::format("The aggregated iteration range of {} to {} contains a lot of variation",
                            it.number(it.start), it.number(it.stop)),
                "Try limiting the iteration range to a steady range by rerunning with the --database option "
                "and "
                "setting --iter_start and --iter_stop");
        }
    }

    void convolution_search() {
        const std::string disabled = r_.property("model_cudnn_benchmark_disabled");
        if (disabled.empty() || disabled == "0") return;
        if (!any_op([](const OpKind& kind) { return is_convolution(kind.type); })) return;
        add("Convolution operations were detected but torch.backends.cudnn.benchmark was not enabled.",
            "Try setting torch.backends.cudnn.benchmark = True in your network. For best performance, the "
            "input "
            "shapes should be relatively stable.");
    }

    void memory() {
        const std::string used = r_.property("dlprof_gpu_memory_pct");
        if (used.empty() || std::atoll(used.c_str()) >= kLowMemoryShare) return;
        add("GPU Memory is underutilized: Only " + used + "% of GPU Memory is used",
            "Try increasing batch size by 4x to increase data throughput");
    }

    const Model& model_;
    const Recording& r_;
    const Overview& o_;
    bool tensorflow_ = false, pytorch_ = false;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace

Report expert_systems(const Model& model, const Overview& overview) {
    Report report{{}, "Expert Systems Feedback", {}, {}};
    report.sections.push_back(
        {headed::table(report.title, {headed::text("Problem"), headed::text("Recommendation")},
                       Findings(model, overview).run(model.iterations.as_recorded))});
    return report;
}

}  // namespace opsight::query::dlprof
