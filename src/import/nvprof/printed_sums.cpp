#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/time.h"
#include "import/nvprof/printed_parts.h"
#include "import/reader/launch_sums.h"
#include "model/source_limits.h"

namespace opsight::importer::nvprof {
namespace {

constexpr int64_t kMostLaunches = 1'000'000;  // that are made of sums
constexpr double kAlike = 0.01;

constexpr const char* kSumsShown =
    "the source has sums over all launches of each kernel and no single launch: each kernel is shown as "
    "often as it was launched, once as long as the shortest, once as the longest, else as the average of the "
    "others; their order is not known, nor is the time of the host";
constexpr const char* kCallsShown =
    "the source has sums over all API calls of each name and no single call, and nothing of what ran on a "
    "device";
constexpr const char* kMetricsShown =
    "the source has metrics of kernels over all their launches, and no times: each kernel is shown as one "
    "moment with its counters";
constexpr const char* kUnifiedShown =
    "the source has sums of the transfers and faults of unified memory alone: no call, and no kernel";
constexpr const char* kLaunchesShown =
    "the source has metrics of launches, and no times: each launch is shown as one moment with its counters";

}  // namespace

void SumRows::add_sum(const PrintedTable& table, const Row& row, std::string_view type) {
    Sum sum;
    sum.rank = p_.rank;
    sum.pid = p_.pid;
    sum.device = type.starts_with("GPU");
    sum.name = p_.text(table.of(row, Field::kName));
    sum.calls = count_of(table, row, Field::kCalls);
    sum.total = ns_of(amount_of(table, row, Field::kTime));
    sum.least = ns_of(amount_of(table, row, Field::kMin));
    sum.most = ns_of(amount_of(table, row, Field::kMax));
    if (sum.calls < 1 || sum.total < 0 || sum.least < 0 || sum.most < sum.least)
        return p_.note(Diag::kUnreadRow, "not a row of the table");
    sums_.push_back(sum);
}

SumRows::Launch SumRows::moment_of(std::string_view kernel, DeviceId device, const LaunchConfig& config,
                                   TrackId stream) {
    DeviceSpan span;
    span.kind = DeviceKind::kOther;
    span.flags = kInstant;
    span.name = p_.text(kernel);
    span.track = stream;
    span.config = p_.builder.launch_config(config);
    span.begin = clock_++;
    p_.builder.add_device(span);
    const TrackId counters =
        p_.builder.other_track(p_.rank, kernel, fmt::format("counters on device {}", device.index()));
    p_.builder.track(counters).device = device;
    return {span.begin, counters};
}

void SumRows::add_metric(const PrintedTable& table, const Row& row, std::string_view device_name,
                         std::string_view kernel) {
    const int64_t launches = count_of(table, row, Field::kInvocations);
    const std::string_view metric = table.of(row, Field::kMetric);
    const auto average = amount_of(table, row, Field::kAvg), least = amount_of(table, row, Field::kMin),
               most = amount_of(table, row, Field::kMax);
    if (launches < 1 || metric.empty() || kernel.empty())
        return p_.note(Diag::kUnreadRow, "not a row of the table");
    if (!average || !least || !most) return p_.note(Diag::kUnreadRow, fmt::format("{}: no number", metric));
    const DeviceId device = p_.device(device_name, 0);
    const auto [known, is_new] = kernels_.try_emplace(fmt::format("{}|{}", device.index(), kernel));
    if (is_new) {
        known->second = moment_of(kernel, device, {},
                                  p_.builder.stream_track(TrackKind::kDeviceStream, device, 0, 0, p_.pid));
        p_.builder.add_counter(known->second.time, known->second.track, p_.text("invocations"),
                               static_cast<double>(launches));
    }
    const auto& moment = known->second;
    const auto add = [&](std::string_view which, double value) {
        p_.builder.add_counter(moment.time, moment.track,
                               p_.text(fmt::format("{}{}{}", metric, which, unit_mark(average->quantity))),
                               value);
    };
    // Alike in all launches, it is that of each of them.
    if (most->value - least->value <= kAlike * std::abs(most->value)) {
        add("", average->value);
    } else {
        add(" (avg)", average->value);
        add(" (min)", least->value);
        add(" (max)", most->value);
    }
    has_metrics_ = true;
    ++events_;
}

void SumRows::add_launch(const PrintedTable& table, const Row& row) {
    std::string_view kernel = table.of(row, Field::kName);
    take_correlation(kernel);
    if (kernel.empty()) return p_.note(Diag::kUnreadRow, "not a row of the table");
    const int64_t context = count_of(table, row, Field::kContext, 0);
    const DeviceId device = p_.device(table.of(row, Field::kDevice), context);
    const TrackId stream = p_.builder.stream_track(TrackKind::kDeviceStream, device, context,
                                                   count_of(table, row, Field::kStream, 0), p_.pid);
    const Launch launch = moment_of(kernel, device, config_of(table, row), stream);
    for (const PrintedTable::Own& own : table.own())
        if (const auto amount = read_amount(row[own.place], table.unit_at(own.place)))
            p_.builder.add_counter(launch.time, launch.track,
                                   p_.text(own.name + std::string(unit_mark(amount->quantity))),
                                   amount->value);
    set_durations_only(p_.builder.info());
    set_device_only(p_.builder.info(), kLaunchesShown);
    ++events_;
}

// The least and the most are two of the launches; the others share what is left.
void SumRows::add_launches(const Sum& sum) {
    DeviceSpan span;
    const std::string_view name = p_.builder.view(sum.name);
    span.kind = name.starts_with("[CUDA memcpy")   ? DeviceKind::kMemcpy
                : name.starts_with("[CUDA memset") ? DeviceKind::kMemset
                                                   : DeviceKind::kKernel;
    span.name = sum.name;
    if (span.kind != DeviceKind::kKernel) {
        const size_t first = name.rfind(' ') + 1;
        span.name = p_.text(span.kind == DeviceKind::kMemset
                                ? std::string("Memset")
                                : fmt::format("Memcpy {}", name.substr(first, name.find(']') - first)));
        span.transfer = p_.builder.transfer(transfer_of_name(p_.builder.view(span.name)));
    }
    span.track =
        p_.builder.stream_track(TrackKind::kDeviceStream, p_.builder.device(sum.rank, 0), 0, 0, sum.pid);
    p_.builder.device_info(p_.builder.track(span.track).device).declared = true;
    for (int64_t i = 0; i < sum.calls; ++i) {
        span.dur = shown_ns({sum.calls, sum.total, sum.least, sum.most}, i);
        span.begin = clock_;
        clock_ += std::max<int64_t>(span.dur, 1);
        p_.builder.add_device(span);
    }
}

void SumRows::add_api(const Sum& sum) {
    const TrackId track = p_.builder.other_track(sum.rank, p_.builder.view(sum.name), "API calls");
    const auto add = [&](std::string_view name, int64_t value) {
        p_.builder.add_counter(0, track, p_.text(name), static_cast<double>(value));
    };
    add("calls", sum.calls);
    add("total [ns]", sum.total);
    add("shortest [ns]", sum.least);
    add("longest [ns]", sum.most);
}

void SumRows::add_unified(const PrintedTable& table, const Row& row, std::string_view device_name) {
    const int64_t times = count_of(table, row, Field::kTransfers);
    const std::string_view what = table.of(row, Field::kName);
    const int64_t ns = ns_of(amount_of(table, row, Field::kTotalTime));
    if (times < 0 || what.empty()) return p_.note(Diag::kUnreadRow, "not a row of the table");
    const DeviceId device = p_.device(device_name, 0);
    const TrackId track = p_.builder.other_track(p_.rank, fmt::format("unified memory: {}", what),
                                                 fmt::format("of device {}", device.index()));
    p_.builder.track(track).device = device;
    const auto add = [&](std::string_view name, double value) {
        p_.builder.add_counter(0, track, p_.text(name), value);
    };
    add("times", static_cast<double>(times));
    if (const auto size = amount_of(table, row, Field::kTotalSize);
        size && size->quantity == Quantity::kBytes)
        add("total [byte]", size->value);
    if (ns >= 0) add("total [ns]", static_cast<double>(ns));
    ++events_;
    ++unified_;
}

bool SumRows::take_cpu_faults(std::string_view line) {
    constexpr std::string_view kBefore = "Total CPU Page faults: ";
    if (!line.starts_with(kBefore)) return false;
    line.remove_prefix(kBefore.size());
    int64_t faults = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), faults);
    if (error != std::errc() || end != line.data() + line.size() || faults < 0) return false;
    p_.builder.add_counter(0,
                           p_.builder.other_track(p_.rank, "unified memory: CPU page faults", "of the host"),
                           p_.text("times"), static_cast<double>(faults));
    ++events_;
    ++unified_;
    return true;
}

void SumRows::add_sums() {
    for (const Sum& sum : sums_) {
        if (sum.device)
            add_launches(sum);
        else
            add_api(sum);
        ++events_;
    }
    const bool launches = std::any_of(sums_.begin(), sums_.end(), [](const Sum& sum) { return sum.device; });
    set_durations_only(p_.builder.info());
    set_device_only(p_.builder.info(), launches ? kSumsShown : kCallsShown);
}

Status SumRows::finish(bool has_trace) {
    if (has_trace) {
        if (!sums_.empty())
            p_.note(Diag::kUnreadRow,
                    "rows of a summary of what the trace in the file tells launch by launch",
                    std::ssize(sums_));
        return {};
    }
    int64_t launches = 0, ns = 0;
    for (const Sum& sum : sums_) {
        launches += std::min(sum.device ? sum.calls : 0, kMostLaunches + 1);
        if (launches > kMostLaunches || sum.total > kMaxNs / 4 - ns)
            return fail(fmt::format("is a summary of more than {} launches, or of more time than there is",
                                    kMostLaunches),
                        p_.file.name, {},
                        "give the launches themselves: the database that 'nvprof -o FILE.nvvp ...' writes");
        ns += sum.total;
    }
    if (!sums_.empty()) add_sums();
    if (has_metrics_) {
        set_durations_only(p_.builder.info());
        set_device_only(p_.builder.info(), kMetricsShown);
    }
    if (only_unified()) {
        set_durations_only(p_.builder.info());
        set_device_only(p_.builder.info(), kUnifiedShown);
    }
    return {};
}

}  // namespace opsight::importer::nvprof
