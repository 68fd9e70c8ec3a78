// The problems that DLProf would have found. What it looked for is public, the bounds that it drew are not:
// those here are Opsight's own.
#include <fmt/format.h>

#include <algorithm>

#include "query/dlprof/tables.h"

namespace opsight::dlprof {
namespace {

// In percent of the wall clock time.
constexpr double kLowGpuShare = 50;      // the threshold of Nsight Systems' gpu_time_util
constexpr double kHighLoadingShare = 5;  // from here on xprof calls a program bound by its input
// Of the mean length of an iteration.
constexpr double kMuchVariation = 0.25;

bool is_half(const std::string& types) {
    for (const char* half : {"float16", "half", "Half", "bfloat16", "BFloat16", "fp16"})
        if (types.find(half) != types.npos) return true;
    return false;
}

class Findings {
  public:
    Findings(const Model& model, const Overview& overview)
        : model_(model), r_(model.recording), o_(overview) {}

    std::vector<std::vector<Cell>> run() {
        for (int i = 1; !r_.fact(fmt::format("property.dlprof_problem_{}", i)).empty(); ++i)
            add(r_.fact(fmt::format("property.dlprof_problem_{}", i)),
                r_.fact(fmt::format("property.dlprof_recommendation_{}", i)));
        if (r_.origin == Origin::kRecorded) return std::move(rows_);
        iterations();
        unused_gpus();
        mixed_precision();
        low_use();
        data_loading();
        xla();
        return std::move(rows_);
    }

  private:
    void add(std::string problem, std::string recommendation) {
        rows_.push_back({std::move(problem), std::move(recommendation)});
    }

    void iterations() {
        const Iterations& it = model_.iterations;
        if (!it.split && it.key_op.empty())
            return add("Unable to split profile into training iterations: no key op was given",
                       "Give the op that ends an iteration with --key-op");
        if (!it.split)
            return add(fmt::format("Unable to split profile into training iterations: key op {} not found",
                                   it.key_op),
                       "Give the op that ends an iteration with --key-op");
        if (o_.deviation > kMuchVariation * o_.mean_iteration)
            add(fmt::format("The aggregated iteration range of {} to {} contains a lot of variation",
                            it.start, it.stop),
                "Leave iterations that are not like the others out, with --iter-start and --iter-stop");
    }

    void unused_gpus() {
        std::string idle;
        for (size_t i = 0; i < o_.used.size(); ++i)
            if (!o_.used[i]) idle += (idle.empty() ? "" : ", ") + std::to_string(r_.devices[i].number);
        if (!idle.empty())
            add("The following GPU device IDs are not being used: " + idle,
                "Let the container, the framework and the model see and use all GPUs");
    }

    void mixed_precision() {
        int64_t eligible = 0;
        bool half = false;
        std::vector<bool> met(model_.ops.size(), false);
        for (const Instance& i : model_.instances) {
            if (!model_.ops[i.op].eligible) continue;
            eligible += !met[i.op];
            met[i.op] = true;
            half |= i.details >= 0 && is_half(model_.details.at(i.details).data_types);
        }
        if (eligible > 0 && !half)
            add(fmt::format("{} ops were eligible to use tensor cores but none are using FP16", eligible),
                "Enable automatic mixed precision");
    }

    // The largest of what the time goes to beside kernels is named.
    void low_use() {
        const double kernels = o_.shares[0] + o_.shares[1];
        if (o_.wall_ns == 0 || o_.used.empty() || kernels >= kLowGpuShare) return;
        constexpr const char* kAdvice[] = {
            "Memory operations: copy less, or while kernels run",
            "Dataloader: make loading of data faster, or load ahead", "IO: read and write less, or ahead",
            "CPU: move ops from the CPU to the GPU, and launch fewer small ones",
            "Other: look at what the program does outside of its ops"};
        const auto most = std::max_element(o_.shares.begin() + 2, o_.shares.end());
        add(fmt::format("The GPU is underutilized: Only {:.1f}% of the profiled time is spent on GPU kernel "
                        "operations",
                        kernels),
            fmt::format("{:.1f}% goes to {}", *most, kAdvice[most - o_.shares.begin() - 2]));
    }

    void data_loading() {
        const double loading = o_.shares[3];
        if (loading < kHighLoadingShare) return;
        add(fmt::format("{:.1f}% of the aggregated run was spent in the dataloader while not simultaneously "
                        "running on "
                        "the GPU",
                        loading),
            "Read, decode and augment faster or in more workers, or on the GPU (NVIDIA DALI)");
        const bool dali = std::any_of(model_.ops.begin(), model_.ops.end(), [](const Op& op) {
            return op.name.find("DALI") != op.name.npos || op.type.find("DALI") != op.type.npos ||
                   op.name.find("nvidia.dali") != op.name.npos;
        });
        if (!dali) add("No DALI ops detected", "Consider NVIDIA DALI for loading data");
    }

    void xla() {
        if (!r_.tensorflow) return;
        const bool any = std::any_of(model_.ops.begin(), model_.ops.end(), [](const Op& op) {
            return op.type.find("Xla") != op.type.npos || op.name.find("Xla") != op.name.npos;
        });
        if (!any)
            add("XLA is not enabled: No XLA ops detected",
                "Enable XLA: it fuses ops that are bound by memory");
    }

    const Model& model_;
    const Recording& r_;
    const Overview& o_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace

Report expert_systems(const Model& model, const Overview& overview) {
    Table table{"Expert Systems Feedback", {{"Problem", Kind::kText}, {"Recommendation", Kind::kText}}, {}};
    table.rows = Findings(model, overview).run();
    return {"expert_systems", {std::move(table)}};
}

}  // namespace opsight::dlprof
