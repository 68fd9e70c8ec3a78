#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advise/evidence.h"
#include "advise/rules/rules.h"
#include "base/percent.h"
#include "model/api_calls.h"
#include "model/marks/serving_step.h"

namespace opsight::advise {

using query::RunFacts;

std::string formula_of(const Rule& rule) {
    return std::string(rule.bound) + (rule.leaves_kernels ? "; or what the computing kernels of the stream "
                                                            "that has most of them leave, where that is less"
                                                          : "");
}

std::string query_within(std::string_view of, const query::Range* range) {
    std::string query = query_of_rank(of, {}), within;
    // Iterations cut anew are not those that rows name.
    if (range && !range->whole && range->start >= 0 && range->source != "key_op" &&
        range->source != "range_regex") {
        within = fmt::format("iteration BETWEEN {} AND {}", range->start, range->stop);
        if (!range->left_out.empty())
            within += fmt::format(" AND iteration NOT IN ({})", fmt::join(range->left_out, ", "));
    }
    const auto replace = [&query](std::string_view what, const std::string& with) {
        for (size_t at = query.find(what); at != query.npos; at = query.find(what, at))
            query.replace(at, what.size(), with);
    };
    replace("{wait_calls}", kWaitCalls);
    replace("{memory_calls}", kMemoryCalls);
    replace("{serving_steps}", marks::kServingStepTexts);
    replace(" WHERE {range} AND ", within.empty() ? " WHERE " : fmt::format(" WHERE {} AND ", within));
    replace(" WHERE {range}", within.empty() ? "" : fmt::format(" WHERE {}", within));
    return query;
}

std::string percent(double share) {
    return percent_digits(share) + "%";
}

std::string milliseconds(int64_t ns) {
    return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}

const char* matrix_units(const RunFacts& f) {
    return f.vendor == query::Vendor::kAmd     ? "matrix cores"
           : f.vendor == query::Vendor::kOther ? "matrix units"
                                               : "Tensor Cores";
}

std::string lacks_nothing(const RunFacts&) {
    return {};
}

std::string lacks_device_work(const RunFacts& f) {
    if (f.device_work) return {};
    return f.work_lost ? "a device was used, but none of its work was recorded"
                       : "no work of a device was recorded";
}

std::string lacks_work_of_the_cpu(const RunFacts& f) {
    return f.device_work || f.work_lost ? "the work is a device's" : "";
}

std::string lacks_peaks_of_the_cpu(const RunFacts& f) {
    if (std::string why = lacks_work_of_the_cpu(f); !why.empty()) return why;
    return f.recorded_here ? "" : "the recording does not tell what the processor can do";
}

std::string lost_work(const RunFacts& f) {
    constexpr double kMuch = 5;  // % of the launches
    if (f.truncated) return "The file is cut: the missing part may hold work of this time.";
    if (!f.device_work || f.lost_pct < kMuch) return {};
    return fmt::format(
        "The device work of {} launches, {} of all, was not recorded: a device may have been at work.",
        f.lost_launches, percent(f.lost_pct));
}

bool tell_lost_work(const RunFacts& f, Finding& finding) {
    std::string lost = lost_work(f);
    if (lost.empty()) return false;
    finding.kind = "unknown";
    finding.view = "timeline";
    finding.evidence = std::move(lost);
    finding.advice = f.truncated ? "Record again, or copy the file again."
                                 : "A shorter recording, or larger buffers of the profiler, lose less.";
    return true;
}

std::string lacks_ops(const RunFacts& f) {
    return f.ops ? "" : "no ops were recorded";
}

std::string lacks_torch_ops(const RunFacts& f) {
    return !f.ops ? lacks_ops(f) : f.recorded.torch_ops ? "" : "no ops of PyTorch's library were recorded";
}

std::string lacks_shapes(const RunFacts& f) {
    std::string why = lacks_torch_ops(f);
    return !why.empty() || f.recorded.shapes ? why : "no shapes of ops were recorded";
}

std::string lacks_dtypes(const RunFacts& f) {
    std::string why = lacks_torch_ops(f);
    return !why.empty() || f.recorded.dtypes ? why : "no types of the ops' inputs were recorded";
}

std::string lacks_iterations(const RunFacts& f) {
    return f.recorded.iterations > 0 ? "" : "the range has no iterations";
}

std::string lacks_launch_configurations(const RunFacts& f) {
    std::string why = lacks_device_work(f);
    return !why.empty() || f.recorded.grids
               ? why
               : "no grids of kernels were recorded, or the device's multiprocessors are not known";
}

std::string lacks_waves(const RunFacts& f) {
    std::string why = lacks_device_work(f);
    return !why.empty() || f.recorded.waves
               ? why
               : "no launch configurations of kernels were recorded, or the device's limits are not known";
}

std::string lacks_collectives(const RunFacts& f) {
    std::string why = lacks_device_work(f);
    return !why.empty() || f.recorded.collectives ? why : "no collectives of a device were recorded";
}

std::string pinned_copies(const std::string& kind) {
    return kind == "DtoH"
               ? "host = torch.empty_like(x, device=\"cpu\", pin_memory=True)  # once\n"
                 "host.copy_(x, non_blocking=True)  # and torch.cuda.synchronize() before it is read"
               : "DataLoader(dataset, pin_memory=True)\nx = x.to(device, non_blocking=True)";
}

std::string grouped_optimizer(const RunFacts& f) {
    constexpr std::string_view kFused[] = {"SGD", "Adam", "AdamW"};
    constexpr std::string_view kForeach[] = {"Adadelta", "Adagrad", "Adamax",  "ASGD",
                                             "NAdam",    "RAdam",   "RMSprop", "Rprop"};
    const std::string& name = f.recorded.optimizer;
    const auto has = [&name](const auto& all) {
        return std::find(std::begin(all), std::end(all), name) != std::end(all);
    };
    const auto call = [&name](const char* how) {
        return fmt::format("optimizer = torch.optim.{}(..., {}=True)", name, how);
    };
    const std::string since = fmt::format("  # from PyTorch {} on", name == "SGD"    ? "2.3"
                                                                    : name == "Adam" ? "1.13"
                                                                                     : "2.0");
    // On a CPU foreach gains nothing, and fused optimizers came later.
    if (has(kFused) && !f.recorded.fused_optimizers)
        return call("fused") + (!f.device_work           ? "  # on a CPU from PyTorch 2.4 on"
                                : f.recorded.foreach_ops ? since
                                                         : since + "; before, foreach=True");
    return f.device_work && has(kForeach) && !f.recorded.foreach_ops ? call("foreach") : std::string();
}

std::string allocator_options(const RunFacts& f) {
    return f.vendor == query::Vendor::kAmd ? "export PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512"
                                           : "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
}

int64_t median_of(std::vector<int64_t> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

namespace {

Result<const query::TimeSpans*> times_of_activity(Context& c, std::string_view name,
                                                  query::Activity activity) {
    return c.once(name, [&]() -> Result<query::TimeSpans> {
        OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), activity));
        return std::move(found.times);
    });
}

// What is left of the wall clock beside one activity.
Result<query::TimeSpans> times_beside_activity(Context& c, std::string_view name, query::Activity activity) {
    const auto make = [&]() -> Result<query::TimeSpans> {
        OPSIGHT_ASSIGN(const query::Occurrences found, query::times_of(c.session(), activity));
        return query::times_without(c.session(), found.times);
    };
    OPSIGHT_ASSIGN(const query::TimeSpans* left, c.once(name, make));
    return *left;
}

}  // namespace

Result<query::TimeSpans> idle_times(Context& c) {
    const bool device = c.session().contents().device_work;
    return times_beside_activity(c, "idle", device ? query::Activity::kDevice : query::Activity::kOps);
}

Result<const query::TimeSpans*> op_times(Context& c) {
    return times_of_activity(c, "ops", query::Activity::kOps);
}

Result<const query::TimeSpans*> call_times(Context& c) {
    return times_of_activity(c, "calls", query::Activity::kCalls);
}

Result<query::TimeSpans> gaps_of_host(Context& c) {
    query::Session& session = c.session();
    OPSIGHT_ASSIGN(const query::TimeSpans* ops, op_times(c));
    OPSIGHT_ASSIGN(const query::TimeSpans* calls, call_times(c));
    OPSIGHT_ASSIGN(const query::Occurrences loading, query::times_of(session, query::Activity::kDataLoading));
    return query::times_without(session, query::united(query::united(*ops, *calls), loading.times));
}

Result<query::TimeSpans> times_without_kernels(Context& c) {
    return times_beside_activity(c, "without kernels", query::Activity::kKernels);
}

Result<query::TimeSpans> times_beside_device(Context& c) {
    const auto make = [&c] { return query::times_beside(c.session(), query::Longest::kDevice); };
    OPSIGHT_ASSIGN(const query::TimeSpans* left, c.once("beside the device", make));
    return *left;
}

bool behind_earlier_work(const RunFacts& f, int64_t behind_ns, double share) {
    return behind_ns > 0 &&
           2.0 * static_cast<double>(behind_ns) >= share / 100 * static_cast<double>(f.wall_ns);
}

void tell_earlier_work(const RunFacts& f, Finding& finding) {
    finding.kind = "unknown";
    finding.evidence += fmt::format(
        "{}The first work of a stream was launched, and for {} no recorded work of the device ran: what it "
        "did until "
        "then was not recorded, most likely work from before the recording.",
        finding.evidence.empty() ? "" : " ", milliseconds(f.first_queued_ns));
}

double without_queued(const RunFacts& f, double share, int64_t queued_ns) {
    if (f.wall_ns <= 0) return share;
    return std::max(0.0, share - 100.0 * static_cast<double>(queued_ns) / static_cast<double>(f.wall_ns));
}

void tell_queued(const RunFacts& f, int64_t queued_ns, Finding& finding) {
    const double pct = 100 - without_queued(f, 100, queued_ns);
    if (pct < 1) return;
    finding.evidence += fmt::format(
        "{}Not counted: {} in which the GPU goes from one piece of work to the next, which was launched "
        "already.",
        finding.evidence.empty() ? "" : " ", percent(pct));
}

Result<query::TimeSpans> without_queued(Context& c, const query::TimeSpans& times) {
    if (!c.session().contents().device_work) return times;
    OPSIGHT_ASSIGN(const query::TimeSpans others,
                   times_beside_activity(c, "not queued", query::Activity::kQueued));
    return query::common(times, others);
}

std::string unseen_device(const RunFacts& f) {
    if (f.lost_launches > 0) return "Launches were recorded, but no work of a device: see the diagnostics.";
    return f.work_lost ? "A device was used, and the file has none of its work."
                       : "The file is cut: the missing part may hold work of a device.";
}

Result<query::TimeSpans> with_pauses(Context& c, query::TimeSpans kernels) {
    constexpr int64_t kLongest = 10'000;  // a stream goes on within some microseconds
    if (kernels.empty() || !c.session().contents().device_work) return kernels;
    OPSIGHT_ASSIGN(const query::TimeSpans idle, idle_times(c));
    query::TimeSpans before;
    size_t at = 0;
    for (const query::TimeSpan& pause : idle) {
        if (pause.end - pause.begin > kLongest) continue;
        const auto earlier = [&](const query::TimeSpan& span) {
            return span.rank < pause.rank || (span.rank == pause.rank && span.begin < pause.end);
        };
        while (at < kernels.size() && earlier(kernels[at]))
            ++at;
        if (at < kernels.size() && kernels[at].rank == pause.rank && kernels[at].begin == pause.end)
            before.push_back(pause);
    }
    return query::united(kernels, before);
}

Result<query::TimeSpans> host_times(Context& c, query::TimeSpans own) {
    if (own.empty() || !c.session().contents().device_work) return own;
    const auto make = [&c]() -> Result<query::TimeSpans> {
        OPSIGHT_ASSIGN(const query::TimeSpans left, times_beside_device(c));
        return without_queued(c, left);
    };
    OPSIGHT_ASSIGN(const query::TimeSpans* idle, c.once("waits for the host", make));
    return query::length_of(*idle) < query::length_of(own) ? *idle : std::move(own);
}

double Context::share_of(const query::TimeSpans& times) const {
    return share_of(query::length_of(times));
}

double Context::share_of(int64_t ns) const {
    return run_.wall_ns > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(run_.wall_ns) : 0;
}

// Of durations alone each is alone: they stand one behind the other.
double Context::share_of_plain(int64_t ns) const {
    return facts().wall_ns > 0 ? facts().share_of(ns) : share_of(ns);
}

std::string Context::time_of(int64_t ns) const {
    return milliseconds(ns / parts()) + (parts() <= 1      ? ""
                                         : run_.iterations ? " per iteration"
                                                           : " of a rank");
}

namespace {

// "1 call of zero_grad", "2 calls of zero_grad". What a verb follows stays as it is ("calls that allocate").
std::string counted(int64_t count, std::string_view what) {
    constexpr std::string_view kAfterNouns[] = {" of ",      " on ",      " in ",   " below ",
                                                " between ", " such as ", " whose "};
    const size_t begin = what.starts_with("such ") ? 5 : 0;
    const size_t word = std::min(what.find(' ', begin), what.size());
    const std::string_view rest = what.substr(word);
    const bool noun =
        rest.empty() || std::any_of(std::begin(kAfterNouns), std::end(kAfterNouns),
                                    [&](std::string_view next) { return rest.starts_with(next); });
    const bool plural = word > begin + 1 && what[word - 1] == 's' && !what.substr(0, word).ends_with("ies");
    if (count != 1 || !noun || !plural) return fmt::format("{} {}", count, what);
    return fmt::format("{} {}{}", count, what.substr(0, word - 1), rest);
}

}  // namespace

std::string Context::how_often(int64_t count, std::string_view what) const {
    if (parts() <= 1) return counted(count, what);
    const char* of = run_.iterations ? "in an iteration" : "of a rank";
    if (count % parts() == 0) return fmt::format("{} {}", counted(count / parts(), what), of);
    return fmt::format("{:.1f} {} {}", static_cast<double>(count) / static_cast<double>(parts()), what, of);
}

}  // namespace opsight::advise
