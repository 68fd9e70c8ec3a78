#include "query/reports/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/reports/finding_rules.h"

namespace opsight::query {
namespace {

using Facts = FindingFacts;

void data_loading(const Facts& f, Findings& out) {
    const double share = f.dataloader.value_or(0);
    if (share < kLeastShare) return;
    Finding finding{"data_loading", "problem",
                    fmt::format("The run waits for its data in {} of the time", percent(share))};
    if (f.loads_itself && !f.loads_by_workers) {
        finding.evidence =
            "The training process loads the data itself (_SingleProcessDataLoaderIter): num_workers is 0.";
        finding.advice =
            "Let workers load it: num_workers above 0 in the DataLoader, so that loading runs beside "
            "training.";
    } else if (f.loads_by_workers) {
        finding.evidence =
            "Workers load the data (_MultiProcessingDataLoaderIter), and the training process waits for "
            "them.";
        finding.advice =
            "More workers, a larger prefetch_factor, or cheaper preprocessing come before any tuning of "
            "kernels.";
    } else {
        finding.advice =
            "Loading ahead and beside the work, or cheaper preprocessing come before any tuning of kernels.";
    }
    finding.share_pct = share;
    finding.view = "iterations";
    out.push_back(std::move(finding));
}

// Whether at least half of a share of the time is a wait of the recording's first device work, launched long
// before. `behind_ns`: what of that share lies within the wait.
bool behind_earlier_work(const Facts& f, int64_t behind_ns, double share) {
    return behind_ns > 0 &&
           2.0 * static_cast<double>(behind_ns) >= share / 100 * static_cast<double>(f.wall_ns);
}

void tell_earlier_work(const Facts& f, Finding& finding) {
    finding.kind = "unknown";
    finding.evidence += fmt::format(
        "{}The first work of the device began {} after its launch: what the device did until then was not "
        "recorded, most likely work from before the recording.",
        finding.evidence.empty() ? "" : " ", milliseconds(f.first_queued_ns));
}

// What runs while the recording shows nothing: switches of context tell whether the program does.
void tell_unseen(const Facts& f, Finding& finding) {
    if (f.idle_on_cpu_ns < 0) return;
    finding.evidence = fmt::format("By the switches of context a thread is on a CPU in {} of these {}.",
                                   milliseconds(f.idle_on_cpu_ns), milliseconds(f.idle_ns));
    if (2 * f.idle_on_cpu_ns >= f.idle_ns) {
        finding.kind = "unknown";
        finding.title = fmt::format("In {} of the time the program runs code of which nothing was recorded",
                                    percent(finding.share_pct.value_or(0)));
        finding.advice = "CPU samples, Python frames or NVTX ranges around it tell what runs then.";
    } else {
        finding.advice =
            "The program sleeps or waits for most of that: for input, another process, or the device.";
    }
}

bool is_communication(const OpenSpan& span) {
    for (const char* prefix : {"gloo:", "nccl:", "c10d::", "ucc:", "mpi:"})
        if (!span.function && span.name.starts_with(prefix)) return true;
    return false;
}

// The program within its steps, ranges and Python frames, and what lies outside of all that.
void beside_ops(const Facts& f, Findings& out) {
    for (const bool host : {true, false}) {
        const double share = (host ? f.host : f.idle).value_or(0);
        if (share < kLeastShare) continue;
        Finding finding{
            host ? "program" : "outside", "problem",
            host ? fmt::format("The program does something else than ops, calls and GPU work in {} of the "
                               "time",
                               percent(share))
                 : fmt::format("In {} of the time nothing of the recording runs", percent(share))};
        if (host && f.beside_ops)
            finding.evidence =
                fmt::format("For most of that {} is open.",
                            f.beside_ops->function ? "the Python function " + f.beside_ops->name
                                                   : fmt::format("the range '{}'", f.beside_ops->name));
        else if (f.torch && host)
            finding.evidence =
                "That is Python code between the ops, or something outside of PyTorch: logging, checkpoints, "
                "waiting.";
        finding.share_pct = share;
        if (!host) tell_unseen(f, finding);
        if (behind_earlier_work(f, host ? f.host_behind_ns : f.idle_behind_ns, share))
            tell_earlier_work(f, finding);
        else if (host && f.beside_ops && is_communication(*f.beside_ops))
            finding.advice =
                "That is communication between ranks: which rank comes last, their timelines tell.";
        else if (f.python_frames && host)
            finding.advice = "The Python rows of the timeline say what runs then.";
        else if (f.torch && !f.recorded_here && !f.python_frames && finding.advice.empty())
            finding.advice = "A trace recorded with with_stack=True says what runs then.";
        finding.view = "timeline";
        out.push_back(std::move(finding));
    }
}

// What a start-up takes the rest of a run need not pay again: whether there is something to gain is not told.
void tell_start_up(const LongCalls& calls, Finding& finding) {
    finding.kind = "unknown";
    finding.advice =
        calls.mostly_one
            ? "A single call of that length is most likely the start-up of the device or the loading of "
              "code: a recording that begins after some iterations shows the run itself."
            : "Most of these calls are the first launch of their kernel, which loads its code: a recording "
              "that begins after some iterations shows the run itself.";
}

// Few long calls take the time: more work for each launch would change nothing.
void tell_long_calls(const Facts& f, const LongCalls& calls, Finding& finding) {
    finding.evidence = fmt::format("{} takes {} of that, in {} call{}; the longest lasts {}.", calls.name,
                                   milliseconds(calls.ns), calls.calls, calls.calls == 1 ? "" : "s",
                                   milliseconds(calls.longest_ns));
    finding.view = "timeline";
    if (calls.of == CallClass::kWait)
        finding.advice =
            "It waits for work that was not recorded or is another process's, or for a slow transfer.";
    else if (calls.mostly_one || calls.first_launches)
        tell_start_up(calls, finding);
    else if (calls.of == CallClass::kMemory)
        finding.advice =
            f.torch
                ? "PyTorch keeps freed memory for the next tensor unless its cache is switched off "
                  "(PYTORCH_NO_CUDA_MEMORY_CACHING) or the device is nearly full."
                : "Memory that is allocated once, before the loop, or taken from a pool spares these calls.";
    else
        finding.advice = "These calls, not the GPU's work, are what to make fewer or move out of the loop.";
}

// Of the time in which only the CPU is at work, what it spends in calls that wait. Returns its share.
double waits_of_the_cpu(const Facts& f, double cpu_share, Findings& out) {
    if (!f.long_calls || f.long_calls->of != CallClass::kWait || f.wall_ns <= 0) return 0;
    const double share = std::min(
        cpu_share, 100.0 * static_cast<double>(f.long_calls->class_ns) / static_cast<double>(f.wall_ns));
    Finding finding{"cpu_waits", "unknown",
                    fmt::format("The CPU waits in {} of the time while no recorded work of the GPU runs",
                                percent(share))};
    finding.share_pct = share;
    tell_long_calls(f, *f.long_calls, finding);
    out.push_back(std::move(finding));
    return share;
}

void tell_launches(const Facts& f, Finding& finding) {
    const double median_us = static_cast<double>(f.median_ns) / 1e3;
    if (f.kernels > 0)
        finding.evidence =
            fmt::format("{} kernels{}, half of them of at most {:.1f} µs ({:.1f} µs on average).", f.kernels,
                        f.ranks > 1 ? fmt::format(" on {} ranks", f.ranks) : "", median_us,
                        static_cast<double>(f.kernel_ns) / 1e3 / static_cast<double>(f.kernels));
    constexpr double kShortUs = 200;  // a launch takes some 5 µs, an op some 20
    if (median_us > kShortUs) {
        finding.advice =
            "The kernels are long: it is not their launches that take the time. The rows of the CPU in "
            "the timeline say what does.";
        finding.view = "timeline";
        return;
    }
    finding.advice = "Larger batches and fewer, larger ops give the GPU more to do for each call.";
    if (!f.torch || f.graphs || (f.vendor != Vendor::kNvidia && f.vendor != Vendor::kAmd)) return;
    finding.advice += f.compiled ? " Graphs of the GPU's work (torch.cuda.graphs) save launches."
                                 : " torch.compile (PyTorch 2), or graphs of the GPU's work "
                                   "(torch.cuda.graphs), save launches.";
}

void host_bound(const Facts& f, Findings& out) {
    double share = f.cpu.value_or(0);
    if (share < kLeastShare) return;
    if (f.device_work) share -= waits_of_the_cpu(f, share, out);
    if (share < kLeastShare) return;
    Finding finding{"host", "problem", {}};
    finding.share_pct = share;
    if (!f.device_work && f.work_lost) {
        finding.kind = "unknown";
        finding.title = fmt::format("{} take {} of the time; what the GPU did meanwhile was not recorded",
                                    f.ops ? "Ops and calls on the CPU" : "Calls on the CPU", percent(share));
        finding.evidence = "Launches were recorded, but no work of a device: see the diagnostics.";
        finding.view = "timeline";
    } else if (!f.device_work) {
        finding.kind = "fine";
        finding.title = fmt::format("The work is done by the CPU, whose {} take {} of the time",
                                    f.ops ? "ops" : "recorded calls", percent(share));
        finding.view = f.ops ? "ops" : "recorded";
    } else {
        finding.title = fmt::format("The GPU waits for the CPU in {} of the time", percent(share));
        finding.view = "ops";
        if (behind_earlier_work(f, f.cpu_behind_ns, share)) {
            finding.title =
                fmt::format("Of the work seen, only the CPU's runs in {} of the time", percent(share));
            tell_earlier_work(f, finding);
        } else if (f.long_calls && f.long_calls->of != CallClass::kWait) {
            finding.title += ", most of it in " + f.long_calls->name;
            tell_long_calls(f, *f.long_calls, finding);
        } else {
            tell_launches(f, finding);
        }
    }
    out.push_back(std::move(finding));
}

std::string precision_advice(const Facts& f) {
    std::string advice;
    if (f.eligible_fp32 && f.tf32)
        advice = f.torch ? "torch.backends.cuda.matmul.allow_tf32 = True gives FP32 products Tensor Cores at "
                           "little cost. "
                         : "TF32 gives FP32 products Tensor Cores at little cost. ";
    if (f.torch && f.bf16)
        advice +=
            "torch.autocast(\"cuda\", dtype=torch.bfloat16) around the forward pass and the loss lets "
            "eligible ops use them.";
    else if (f.torch)
        advice += "torch.autocast(\"cuda\", dtype=torch.float16) with GradScaler lets eligible ops use them.";
    else
        advice += "Mixed precision lets eligible ops use them.";
    return advice + " Sizes that are multiples of 8 (FP16, BF16) fit them best.";
}

void eligible_kernels(const Facts& f, Findings& out) {
    if (const double share = f.share_of(f.eligible_ns); f.matrix_units && share >= kLeastShare) {
        Finding finding{"tensor_cores",
                        "problem",
                        fmt::format("Ops that could use {} run without them in about {} of the time",
                                    matrix_units(f), percent(share)),
                        fmt::format("{} of kernels inside eligible ops are known to use none.",
                                    milliseconds(f.eligible_ns)),
                        precision_advice(f),
                        share,
                        "kernels",
                        "tensor",
                        {}};
        if (f.torch) {
            finding.reading.emplace_back("PyTorch: automatic mixed precision",
                                         "https://pytorch.org/docs/stable/amp.html");
            if (f.vendor == Vendor::kNvidia)
                finding.reading.emplace_back(
                    "NVIDIA: training with mixed precision",
                    "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html");
        }
        out.push_back(std::move(finding));
    }
}

// Kernels of ops that would be eligible on a device with Tensor Cores, where it is not told which device it
// is.
void eligible_on_unknown_device(const Facts& f, Findings& out) {
    const double share = f.share_of(f.eligible_ns);
    if (f.devices_known || share < kLeastShare) return;
    out.push_back(
        {"tensor_cores",
         "unknown",
         fmt::format("Products and convolutions on kernels without Tensor Cores take about {} of the time; "
                     "whether the device has them is not told",
                     percent(share)),
         fmt::format("{} of such kernels; the recording does not name the device.",
                     milliseconds(f.eligible_ns)),
         {},
         share,
         "kernels",
         {},
         {}});
}

void unknown_kernels(const Facts& f, Findings& out) {
    if (const double share = f.unknown_kernel.value_or(0); share >= kLeastShare) {
        std::string evidence;
        if (f.unknown_ns > 0)
            evidence =
                fmt::format("The names of kernels that took {} do not tell.", milliseconds(f.unknown_ns));
        if (f.graph_ns > 0)
            evidence +=
                fmt::format("{}CUDA graphs that took {} were recorded as a whole, without their kernels.",
                            evidence.empty() ? "" : " ", milliseconds(f.graph_ns));
        Finding finding{"unknown_kernels",
                        "unknown",
                        fmt::format("Whether {} are used is not known of kernels that take {} of the time",
                                    matrix_units(f), percent(share)),
                        std::move(evidence),
                        {},
                        share,
                        "kernels",
                        {},
                        {}};
        if (f.vendor == Vendor::kNvidia && !f.recorded_here)
            finding.advice = "opsight profile reads the kernels' code, which tells.";
        out.push_back(std::move(finding));
    }
}

void plain_kernels(const Facts& f, Findings& out) {
    if (const double share = f.share_of(f.plain_ns); share >= kLeastShare) {
        Finding finding{
            "plain_kernels",
            "problem",
            fmt::format("Kernels of ops that {} cannot help take about {} of the time", matrix_units(f),
                        percent(share)),
            "Elementwise ops, softmax, norms and the like move memory; few of them are bound by arithmetic.",
            "Fewer passes over memory help: ops that are fused.",
            share,
            "ops",
            {},
            {}};
        if (f.torch) {
            finding.advice =
                fmt::format("Fewer passes over memory help: {}fused optimizers and fused attention.",
                            f.compiled ? "larger compiled regions (fewer graph breaks), "
                                       : "torch.compile (PyTorch 2) fuses such ops, and so do ");
            finding.reading.emplace_back("PyTorch: performance tuning guide",
                                         "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html");
        }
        out.push_back(std::move(finding));
    }
}

void compiled_regions(const Facts& f, Findings& out) {
    const double share = f.share_of(f.region_ns);
    if (share < kLeastShare) return;
    out.push_back({"regions",
                   "unknown",
                   fmt::format("Kernels without {} of compiled regions take about {} of the time",
                               matrix_units(f), percent(share)),
                   fmt::format("Other kernels of these regions use {}; whether these could is not told.",
                               matrix_units(f)),
                   "The longest of them come first under Kernels.",
                   share,
                   "kernels",
                   {},
                   {}});
}

void kernels_outside_ops(const Facts& f, Findings& out) {
    if (const double share = f.share_of(f.unlaunched_ns); share >= kLeastShare)
        out.push_back(
            {"unlaunched_kernels",
             "unknown",
             fmt::format("Kernels without {} whose launch was not recorded take about {} of the time",
                         matrix_units(f), percent(share)),
             "They were launched before the recording began, or the record of their call was lost: which op "
             "they belong to is not known.",
             {},
             share,
             "kernels",
             {},
             {}});
    if (const double share = f.share_of(f.outside_ns); share >= kLeastShare)
        out.push_back(
            {"kernels",
             "unknown",
             fmt::format("Kernels without {} that no op of a framework launched take about {} of the "
                         "time",
                         matrix_units(f), percent(share)),
             "No op tells what they compute, or whether they could use them.",
             "The longest of them come first under Kernels.",
             share,
             "kernels",
             {},
             {}});
}

void tensor_core_kernels(const Facts& f, Findings& out) {
    const double share = f.tensor_core.value_or(0);
    if (share < kLeastShare) return;
    out.push_back({"tensor_core_kernels",
                   "fine",
                   fmt::format("{} work in {} of the time",
                               f.vendor == Vendor::kAmd ? "Matrix cores" : "Tensor Cores", percent(share)),
                   {},
                   "What is left to gain there lies in the longest kernels.",
                   share,
                   "kernels",
                   {},
                   {}});
}

}  // namespace

Result<std::vector<Finding>> find_findings(Session& session) {
    OPSIGHT_ASSIGN(const Facts facts, read_finding_facts(session));
    Findings found;
    for (const auto rule :
         {data_loading, beside_ops, host_bound, eligible_kernels, eligible_on_unknown_device, unknown_kernels,
          plain_kernels, kernels_outside_ops, compiled_regions, tensor_core_kernels, communication_waits,
          copies, file_io, synchronization})
        rule(facts, found);
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
        return a.share_pct.value_or(0) > b.share_pct.value_or(0);
    });
    return found;
}

}  // namespace opsight::query
