#include "query/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "hardware/devices.h"
#include "hardware/tensor_cores.h"
#include "query/host_time.h"
#include "query/reports.h"

namespace opsight {
namespace {

constexpr double kLeastShare = 5;  // of the wall clock: what takes less is no finding

enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kOther };

// What the rules look at.
struct Facts {
    // Shares of the wall clock that exclude each other; nothing where the recording does not tell.
    std::optional<double> tensor_core, plain_kernel, unknown_kernel, communication, memory, dataloader, io,
        cpu, host, idle;
    bool device_work = false, work_lost = false, ops = false, torch = false, recorded_here = false,
         python_frames = false;
    bool loads_itself = false, loads_by_workers = false;  // data: in the training process, by others
    int64_t ranks = 1;
    Vendor vendor = Vendor::kUnknown;
    bool devices_known = false, matrix_units = false, tf32 = false, bf16 = false;
    // Sums of durations of kernels: in all, and of those that do not tell whether they use Tensor Cores;
    // then, of those that are known not to, of ops that could, of other ops, and that no op launched.
    int64_t kernels = 0, kernel_ns = 0, unknown_ns = 0, eligible_ns = 0, plain_ns = 0, outside_ns = 0;
    int64_t graph_ns = 0;        // of CUDA graphs recorded as a whole, which do not tell either
    bool eligible_fp32 = false;  // most of eligible_ns is of ops on FP32
    int64_t copy_ns = 0, pageable_ns = 0;
    int64_t wall_ns = 0;                // of all ranks
    int64_t waits = 0, waiting_ns = 0;  // calls that wait for the device
    std::optional<LongCalls> long_calls;
    std::string beside_ops;  // range that is open meanwhile

    // Of the share of kernels without Tensor Cores, the part that `ns` of their durations makes.
    double share_of(int64_t ns) const {
        const int64_t all = eligible_ns + plain_ns + outside_ns;
        return all > 0 ? plain_kernel.value_or(0) * static_cast<double>(ns) / static_cast<double>(all) : 0;
    }
};

int64_t integer(const duck::Cell& cell) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : 0;
}
bool flag(const duck::Cell& cell) {
    const bool* value = std::get_if<bool>(&cell);
    return value && *value;
}
std::string text(const duck::Cell& cell) {
    const std::string* value = std::get_if<std::string>(&cell);
    return value ? *value : std::string();
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share);
}
std::string milliseconds(int64_t ns) {
    return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}

Status read_shares(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const Report report, summary_report(session, {}));
    const ResultTable& head = report.sections.at(0).table;
    const std::pair<const char*, std::optional<double> Facts::*> shares[] = {
        {"tensor_core_kernel_pct", &Facts::tensor_core},
        {"unknown_kernel_pct", &Facts::unknown_kernel},
        {"non_tensor_core_kernel_pct", &Facts::plain_kernel},
        {"communication_pct", &Facts::communication},
        {"memory_pct", &Facts::memory},
        {"dataloader_pct", &Facts::dataloader},
        {"io_pct", &Facts::io},
        {"cpu_pct", &Facts::cpu},
        {"host_pct", &Facts::host},
        {"idle_pct", &Facts::idle},
    };
    for (size_t i = 0; i < head.columns.size() && !head.rows.empty(); ++i)
        for (const auto& [key, member] : shares)
            if (head.columns[i].key == key)
                if (const double* share = std::get_if<double>(&head.rows[0][i])) facts.*member = *share;
    return {};
}

Status read_source(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            "SELECT EXISTS (FROM raw.meta WHERE key IN ('framework', 'producer') AND value ILIKE '%torch%'), "
            "EXISTS (FROM raw.meta WHERE key = 'producer' AND value ILIKE 'opsight%'), "
            "EXISTS (FROM raw.python_frames), (SELECT count(*) FROM raw.ranks), "
            "EXISTS (FROM raw.strings WHERE text LIKE '%SingleProcessDataLoaderIter%'), "
            "EXISTS (FROM raw.strings WHERE text LIKE '%MultiProcessingDataLoaderIter%')"));
    const auto& row = rows.rows.at(0);
    facts.torch = flag(row[0]);
    facts.recorded_here = flag(row[1]);
    facts.python_frames = flag(row[2]);
    facts.ranks = integer(row[3]);
    facts.loads_itself = flag(row[4]);
    facts.loads_by_workers = flag(row[5]);
    facts.device_work = session.contents().device_work;
    facts.work_lost = session.contents().work_lost;
    facts.ops = session.contents().ops;
    return {};
}

Vendor vendor_of(const std::string& name, int compute_major) {
    if (hardware::is_amd(name)) return Vendor::kAmd;
    if (compute_major > 0) return Vendor::kNvidia;
    const std::optional<hardware::Device> known = hardware::DeviceTable::built_in().match(name);
    if (!known) return Vendor::kUnknown;
    return known->vendor == "NVIDIA" ? Vendor::kNvidia : Vendor::kOther;
}

// Advice about number formats must hold on every device that worked. What a device is was found when the
// profile was made; of one that nothing describes nothing is claimed.
Status read_devices(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            "SELECT DISTINCT d.name, d.compute_major, d.compute_minor, "
            "EXISTS (FROM raw.device_peaks p WHERE p.device = d.id AND p.matrix AND p.precision = 2), "
            "EXISTS (FROM raw.device_peaks p WHERE p.device = d.id AND p.matrix AND p.precision = 4), "
            "EXISTS (FROM raw.device_models m WHERE m.device = d.id AND m.source > 0), "
            "EXISTS (FROM raw.device_peaks p WHERE p.device = d.id AND p.matrix) "
            "FROM sel_device s JOIN raw.tracks t ON t.id = s.track JOIN raw.devices d ON d.id = "
            "t.device WHERE s.kind = 0"));
    facts.devices_known = facts.matrix_units = facts.tf32 = facts.bf16 = !rows.rows.empty();
    for (const auto& row : rows.rows) {
        const std::string name = text(row[0]);
        const auto major = static_cast<int>(integer(row[1])), minor = static_cast<int>(integer(row[2]));
        const Vendor vendor = vendor_of(name, major);
        facts.devices_known &= flag(row[5]) || vendor != Vendor::kUnknown;
        facts.matrix_units &=
            flag(row[5]) ? flag(row[6]) : hardware::has_tensor_cores(name, major, minor).value_or(false);
        facts.tf32 &= flag(row[3]);
        facts.bf16 &= flag(row[4]);
        facts.vendor = &row == &rows.rows.front() || facts.vendor == vendor ? vendor : Vendor::kUnknown;
    }
    return {};
}

Status read_work(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(
        const duck::Rows kernels,
        session.query(
            "SELECT count(*), sum(d.dur_ns)::BIGINT, "
            "(sum(d.dur_ns) FILTER (WHERE k.uses_tc = 0 AND (d.flags & 128) <> 0))::BIGINT, "
            "(sum(d.dur_ns) FILTER (WHERE k.uses_tc = 2))::BIGINT, "
            "(sum(d.dur_ns) FILTER (WHERE k.uses_tc = 0 AND (d.flags & 128) = 0 AND d.op_span <> "
            "-1))::BIGINT, "
            "(sum(d.dur_ns) FILTER (WHERE k.uses_tc = 0 AND (d.flags & 128) = 0 AND d.op_span = "
            "-1))::BIGINT, "
            "2 * coalesce(sum(d.dur_ns) FILTER (WHERE k.uses_tc = 0 AND (d.flags & 128) <> 0 AND "
            "starts_with(ltrim(i.dtypes, '[\"'), 'float')), 0) > coalesce(sum(d.dur_ns) FILTER (WHERE "
            "k.uses_tc = 0 AND (d.flags & 128) <> 0), 0) FROM sel_device d JOIN raw.kernel_names k ON k.id = "
            "d.name AND k.class = 0 LEFT JOIN raw.op_identities i ON i.id = d.op WHERE d.kind = 0"));
    const auto& row = kernels.rows.at(0);
    facts.kernels = integer(row[0]);
    facts.kernel_ns = integer(row[1]);
    facts.eligible_ns = integer(row[2]);
    facts.unknown_ns = integer(row[3]);
    facts.plain_ns = integer(row[4]);
    facts.outside_ns = integer(row[5]);
    OPSIGHT_ASSIGN(const duck::Rows graphs,
                   session.query("SELECT sum(dur_ns)::BIGINT FROM sel_device WHERE kind = 6"));
    facts.graph_ns = integer(graphs.rows.at(0)[0]);
    facts.eligible_fp32 = flag(row[6]);
    OPSIGHT_ASSIGN(
        const duck::Rows copies,
        session.query("SELECT sum(d.dur_ns)::BIGINT, (sum(d.dur_ns) FILTER (WHERE (x.copy_kind = 1 AND "
                      "x.from_kind = 0) OR (x.copy_kind = 2 AND x.to_kind = 0)))::BIGINT FROM sel_device d "
                      "LEFT JOIN raw.transfers x ON x.id = d.transfer WHERE d.kind = 1"));
    facts.copy_ns = integer(copies.rows.at(0)[0]);
    facts.pageable_ns = integer(copies.rows.at(0)[1]);
    OPSIGHT_ASSIGN(
        const duck::Rows waits,
        session.query(
            "SELECT count(*), sum(a.dur_ns)::BIGINT, (SELECT sum(wall_ns)::BIGINT FROM sel_wall_sums) "
            "FROM sel_api a JOIN raw.strings x ON "
            "x.id = a.name WHERE regexp_matches(x.text, "
            "'^(cuda|cu|hip)(Device|Stream|Ctx|Event|Thread)Synchronize')"));
    facts.waits = integer(waits.rows.at(0)[0]);
    facts.waiting_ns = integer(waits.rows.at(0)[1]);
    facts.wall_ns = integer(waits.rows.at(0)[2]);
    return {};
}

Status read_host(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(facts.long_calls, long_calls(session));
    OPSIGHT_ASSIGN(facts.beside_ops, range_beside_ops(session));
    return {};
}

using Findings = std::vector<Finding>;

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
        if (host && !f.beside_ops.empty())
            finding.evidence = fmt::format("For most of that the range '{}' is open.", f.beside_ops);
        else if (f.torch && host)
            finding.evidence =
                "That is Python code between the ops, or something outside of PyTorch: logging, checkpoints, "
                "waiting.";
        if (f.python_frames && host)
            finding.advice = "The Python rows of the timeline say what runs then.";
        else if (f.torch && !f.recorded_here && !f.python_frames)
            finding.advice = "A trace recorded with with_stack=True says what runs then.";
        finding.share_pct = share;
        finding.view = "timeline";
        out.push_back(std::move(finding));
    }
}

// Few long calls take the time: more work for each launch would change nothing.
void tell_long_calls(const Facts& f, const LongCalls& calls, Finding& finding) {
    finding.title += ", most of it in " + calls.name;
    finding.evidence = fmt::format("{} takes {} of that, in {} call{}; the longest lasts {}.", calls.name,
                                   milliseconds(calls.ns), calls.calls, calls.calls == 1 ? "" : "s",
                                   milliseconds(calls.longest_ns));
    if (calls.of == CallClass::kWait)
        finding.advice =
            "The CPU waits although no recorded work runs: for work that was not recorded or is another "
            "process's, "
            "or for a slow transfer.";
    else if (calls.mostly_one)
        finding.advice =
            "A single call of that length is most likely the start-up of the device or the loading of code: "
            "a "
            "recording that begins after some iterations shows the run itself.";
    else if (calls.of == CallClass::kMemory)
        finding.advice =
            f.torch
                ? "PyTorch keeps freed memory for the next tensor unless its cache is switched off "
                  "(PYTORCH_NO_CUDA_MEMORY_CACHING) or the device is nearly full."
                : "Memory that is allocated once, before the loop, or taken from a pool spares these calls.";
    else
        finding.advice = "These calls, not the GPU's work, are what to make fewer or move out of the loop.";
    finding.view = "timeline";
}

void tell_launches(const Facts& f, Finding& finding) {
    const double average_us =
        f.kernels > 0 ? static_cast<double>(f.kernel_ns) / 1e3 / static_cast<double>(f.kernels) : 0.0;
    finding.evidence = fmt::format("{} kernels of {:.1f} µs on average.", f.kernels, average_us);
    constexpr double kShortUs = 200;  // a launch takes some 5 µs, an op some 20
    if (average_us > kShortUs) {
        finding.advice =
            "The kernels are long: it is not their launches that take the time. The rows of the CPU in "
            "the timeline say what does.";
        finding.view = "timeline";
        return;
    }
    finding.advice = "Larger batches and fewer, larger ops give the GPU more to do for each call.";
    if (f.torch && (f.vendor == Vendor::kNvidia || f.vendor == Vendor::kAmd))
        finding.advice +=
            " torch.compile (PyTorch 2), or graphs of the GPU's work (torch.cuda.graphs), save launches.";
}

void host_bound(const Facts& f, Findings& out) {
    const double share = f.cpu.value_or(0);
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
        finding.view = "layers";
    } else {
        finding.title = fmt::format("The GPU waits for the CPU in {} of the time", percent(share));
        finding.view = "ops";
        if (f.long_calls)
            tell_long_calls(f, *f.long_calls, finding);
        else
            tell_launches(f, finding);
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
        const char* units = f.vendor == Vendor::kAmd ? "matrix cores" : "Tensor Cores";
        Finding finding{"tensor_cores",
                        "problem",
                        fmt::format("Ops that could use {} run without them in about {} of the time", units,
                                    percent(share)),
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

void other_kernels(const Facts& f, Findings& out) {
    if (const double share = f.unknown_kernel.value_or(0); share >= kLeastShare) {
        std::string evidence;
        if (f.unknown_ns > 0)
            evidence =
                fmt::format("The names of kernels that took {} do not tell.", milliseconds(f.unknown_ns));
        if (f.graph_ns > 0)
            evidence +=
                fmt::format("{}CUDA graphs that took {} were recorded as a whole, without their kernels.",
                            evidence.empty() ? "" : " ", milliseconds(f.graph_ns));
        Finding finding{
            "unknown_kernels",
            "unknown",
            fmt::format("Whether Tensor Cores are used is not known of kernels that take {} of the time",
                        percent(share)),
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
    if (const double share = f.share_of(f.plain_ns); share >= kLeastShare) {
        Finding finding{
            "plain_kernels",
            "problem",
            fmt::format("Kernels of ops that Tensor Cores cannot help take about {} of the time",
                        percent(share)),
            "Elementwise ops, softmax, norms and the like move memory; few of them are bound by arithmetic.",
            "Fewer passes over memory help: ops that are fused.",
            share,
            "ops",
            {},
            {}};
        if (f.torch) {
            finding.advice =
                "Fewer passes over memory help: torch.compile (PyTorch 2) fuses such ops, and so do fused "
                "optimizers and "
                "fused attention.";
            finding.reading.emplace_back("PyTorch: performance tuning guide",
                                         "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html");
        }
        out.push_back(std::move(finding));
    }
    if (const double share = f.share_of(f.outside_ns); share >= kLeastShare)
        out.push_back({"kernels",
                       "fine",
                       fmt::format("Kernels that no op of a framework launched take about {} of the time",
                                   percent(share)),
                       {},
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
                   fmt::format("Tensor Cores work in {} of the time", percent(share)),
                   {},
                   "What is left to gain there lies in the longest kernels.",
                   share,
                   "kernels",
                   {},
                   {}});
}

void communication_waits(const Facts& f, Findings& out) {
    const double share = f.communication.value_or(0);
    if (share < kLeastShare) return;
    out.push_back(
        {"communication",
         "problem",
         fmt::format("Communication that no computation hides takes {} of the time", percent(share)),
         f.ranks > 1 ? fmt::format("{} ranks.", f.ranks)
                     : "Only one rank was imported: whether it waits for another is not known.",
         "See how much of it computation hides, and which rank comes last.",
         share,
         "communication",
         {},
         {}});
}

void copies(const Facts& f, Findings& out) {
    const double share = f.memory.value_or(0);
    if (share < kLeastShare) return;
    Finding finding{
        "copies", "problem",
        fmt::format("Copies and sets of memory that no kernel hides take {} of the time", percent(share))};
    if (f.pageable_ns > 0) {
        finding.evidence = fmt::format("{} of {} copying is from or to pageable memory.",
                                       milliseconds(f.pageable_ns), milliseconds(f.copy_ns));
        finding.advice =
            f.torch ? "pin_memory=True in the DataLoader and non_blocking=True let copies run beside kernels."
                    : "Pinned memory and asynchronous copies let them run beside kernels.";
    } else {
        finding.advice =
            "Copies beside kernels on a stream of their own, and data that stays on the device, hide or "
            "spare them.";
    }
    finding.share_pct = share;
    finding.view = "timeline";
    out.push_back(std::move(finding));
}

void file_io(const Facts& f, Findings& out) {
    const double share = f.io.value_or(0);
    if (share < kLeastShare) return;
    out.push_back({"file_io",
                   "problem",
                   fmt::format("Reading and writing files takes {} of the time", percent(share)),
                   {},
                   "Move it out of the loop, or beside it.",
                   share,
                   "iterations",
                   {},
                   {}});
}

// Waits of the host lie beside the device's work, so they have no share of their own.
void synchronization(const Facts& f, Findings& out) {
    const double spent =
        f.wall_ns > 0 ? 100.0 * static_cast<double>(f.waiting_ns) / static_cast<double>(f.wall_ns) : 0;
    if (spent < kLeastShare || f.cpu.value_or(0) < kLeastShare || !f.device_work) return;
    out.push_back({"synchronization",
                   "problem",
                   fmt::format("{} calls wait for the GPU, {} in all", f.waits, milliseconds(f.waiting_ns)),
                   "After each of them the GPU has nothing queued until the CPU has launched more.",
                   f.torch ? "item(), nonzero(), printing of tensors and copies to the CPU wait: fewer of "
                             "them in the loop keep the queue full."
                           : "Events order work without holding the host up.",
                   std::nullopt,
                   "timeline",
                   {},
                   {}});
}

}  // namespace

Result<std::vector<Finding>> find_findings(Session& session) {
    Facts facts;
    for (const auto read : {read_shares, read_source, read_devices, read_work, read_host})
        OPSIGHT_TRY(read(session, facts));
    Findings found;
    for (const auto rule :
         {data_loading, beside_ops, host_bound, eligible_kernels, eligible_on_unknown_device, other_kernels,
          tensor_core_kernels, communication_waits, copies, file_io, synchronization})
        rule(facts, found);
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
        return a.share_pct.value_or(0) > b.share_pct.value_or(0);
    });
    return found;
}

}  // namespace opsight
