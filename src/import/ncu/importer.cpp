#include "import/ncu/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/time.h"
#include "import/ncu/launch.h"
#include "import/ncu/locale.h"
#include "import/ncu/summary.h"
#include "import/ncu/table.h"
#include "import/text/csv_rows.h"
#include "model/source_limits.h"

namespace opsight::importer::ncu {
namespace {

constexpr const char* kPrintAgain = "print it with 'ncu --import FILE.ncu-rep --csv --page raw > FILE.csv'";
constexpr const char* kSumsShown =
    "the source has sums over all launches of each kernel and no single launch: each kernel is shown as "
    "often as it was launched, once as long as the shortest, once as the longest, else as the average of "
    "the others; their order is not known, nor is the time of the host";
constexpr int64_t kMostLaunches = 1'000'000;  // that are made of sums
constexpr double kAlike = 0.01;
constexpr size_t kLocaleBytes = size_t{1} << 18;  // in which numbers tell their locale

int64_t integer_or_0(std::string_view text) {
    return integer(text).value_or(0);
}

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file), table_(file.source), builder_(builder) {}

    Result<ImportFacts> run() {
        OPSIGHT_ASSIGN(const std::string_view start, file_.source.peek(kLocaleBytes));
        locale_ = locale_of(start);
        begin_rank();
        std::vector<std::string> row;
        for (;;) {
            OPSIGHT_ASSIGN(const bool any, table_.next(row));
            if (!any || table_.ends_inside()) break;  // of a row that breaks off, the last number may, too
            if (starts_table(row))
                OPSIGHT_TRY(begin_table(row));
            else if (columns_)
                take(row);
            file_.tell_progress();
        }
        flush();
        OPSIGHT_TRY(add_sums());
        if (!columns_)
            return fail("is output of Nsight Compute without a table of its metrics", file_.name, {},
                        kPrintAgain);
        if (launches_ == 0)
            return fail("is a table of Nsight Compute without a launch", file_.name, {}, kPrintAgain);
        note_the_end();
        return ImportFacts{1, table_.bytes(), values_};
    }

  private:
    void begin_rank() {
        rank_ = file_.begin_rank(builder_);
        builder_.info().sources.push_back(file_.name);
        set_durations_only(builder_.info());
        set_kernels_of_cuda_or_hip(builder_.info());
        if (builder_.info().producer.empty()) builder_.info().producer = "Nsight Compute";
    }

    Status begin_table(const std::vector<std::string>& row) {
        flush();
        columns_.emplace(row);
        units_.assign(row.size(), {});
        units_may_follow_ = columns_->wide();
        if (columns_->sums()) return begin_sums();
        if (!columns_->has(Column::kKernel))
            return fail("a table of Nsight Compute has no column 'Kernel Name'", file_.name, line(),
                        kPrintAgain);
        if (!columns_->wide() && !columns_->has(Column::kValue))
            return fail("a table of Nsight Compute has no column 'Metric Value'", file_.name, line(),
                        kPrintAgain);
        return {};
    }

    Status begin_sums() {
        if (columns_->has(Column::kKernel) || columns_->has(Column::kRange)) return {};
        return fail(
            "has sums over all kernels together, and names none", file_.name, line(),
            "print the sums with 'ncu --import FILE.ncu-rep --csv --print-summary per-kernel', or the "
            "launches with '--page raw'");
    }

    std::string line() const { return fmt::format("line {}", table_.line()); }

    void take(const std::vector<std::string>& row) {
        const bool first = std::exchange(units_may_follow_, false);
        if (columns_->sums()) return take_sum(row);
        const std::string_view id = columns_->of(row, Column::kId);
        const std::string_view kernel = columns_->of(row, Column::kKernel);
        if (first && id.empty() && kernel.empty() && row.size() == columns_->size()) {
            units_ = row;
            return;
        }
        if (kernel.empty() || !integer(id)) return pass_over(row);
        if (columns_->wide() && row.size() < columns_->size())
            return leave_out(fmt::format("{} fields, of {}", row.size(), columns_->size()));
        if (!launch_ || !launch_->has(*columns_, row)) {
            flush();
            launch_.emplace(*columns_, row);
        }
        if (columns_->wide())
            take_wide(row);
        else
            take_long(row);
    }

    // The log and what the program printed stand between rows.
    void pass_over(const std::vector<std::string>& row) {
        if (row.size() == 1 && row[0].find_first_not_of(" \t") == std::string::npos) return;
        if (row[0].starts_with("==")) return;
        leave_out("not a row of the table");
    }

    void take_wide(const std::vector<std::string>& row) {
        for (const Columns::Own& own : columns_->own())
            if (own.place < row.size() && !row[own.place].empty())
                keep("", "", own.name, units_[own.place], row[own.place]);
    }

    // The advice of ncu's rules stands in rows of its own, or behind a metric.
    void take_long(const std::vector<std::string>& row) {
        const auto of = [&](Column column) { return columns_->of(row, column); };
        if (!of(Column::kMetric).empty())
            keep(of(Column::kSection), of(Column::kItem), of(Column::kMetric), of(Column::kUnit),
                 of(Column::kValue));
        if (!of(Column::kRule).empty()) leave_out(fmt::format("advice of the rule {}", of(Column::kRule)));
    }

    void keep(std::string_view section, std::string_view item, std::string_view metric, std::string_view unit,
              std::string_view text) {
        const BaseUnit base = base_unit(unit);
        std::optional<double> amount = number(text, locale_);
        if (amount) *amount *= base.factor;
        launch_->take(metric, text, amount ? &*amount : nullptr);
        if (!amount) return leave_out(fmt::format("{} is '{}', no number", metric, text));
        launch_->counters.push_back({builder_.text(name_of(section, item, metric, base.name)), *amount});
        ++values_;
    }

    static std::string name_of(std::string_view section, std::string_view item, std::string_view metric,
                               std::string_view unit) {
        std::string name;
        if (!section.empty() && section != "Command line profiler metrics")
            name = fmt::format("{}: ", section);
        if (!item.empty()) name += fmt::format("{}: ", item);
        name += metric;
        if (!unit.empty()) name += fmt::format(" [{}]", unit);
        return name;
    }

    // ---- sums over launches ------------------------------------------------------------------------------

    void take_sum(const std::vector<std::string>& row) {
        const auto of = [&](Column column) { return columns_->of(row, column); };
        if (row.size() + 1 < columns_->size()) return pass_over(row);
        Summary::Group* group = summary_.find(*columns_, row);
        if (!group) return pass_over(row);
        if (of(Column::kMetric).empty()) return;  // advice of ncu's rules
        const BaseUnit base = base_unit(of(Column::kUnit));
        const auto amount = [&](Column column) -> std::optional<double> {
            std::optional<double> value =
                number(of(columns_->has(column) ? column : Column::kAverage), locale_);
            if (value) *value *= base.factor;
            return value;
        };
        const auto average = amount(Column::kAverage), least = amount(Column::kLeast),
                   most = amount(Column::kMost);
        const std::string_view metric = of(Column::kMetric), text = of(Column::kAverage);
        group->average.take(metric, text, average ? &*average : nullptr);
        group->least.take(metric, text, least ? &*least : nullptr);
        group->most.take(metric, text, most ? &*most : nullptr);
        if (!average || !least || !most) return leave_out(fmt::format("{} is '{}', no number", metric, text));
        group->values.push_back(
            {name_of(of(Column::kSection), {}, metric, base.name), *least, *most, *average});
        ++values_;
    }

    Status add_sums() {
        int64_t launches = 0;
        for (const Summary::Group& group : summary_.groups()) {
            launches += std::min(group.launches, kMostLaunches + 1);
            if (launches > kMostLaunches)
                return fail(fmt::format("has sums over more than {} launches", kMostLaunches), file_.name, {},
                            kPrintAgain);
        }
        for (const Summary::Group& group : summary_.groups())
            add_group(group);
        if (launches == 0) return {};
        set_device_only(builder_.info(), kSumsShown);
        set_sums_only(builder_.info());
        return {};
    }

    // What was counted stands at the first launch.
    void add_group(const Summary::Group& group) {
        Launch launch = group.average;
        const TrackId track = counters_of(launch, group.ranges);
        for (const Summary::Value& value : group.values)
            add_sum(track, value);
        builder_.add_counter(clock_, track, builder_.text("invocations"),
                             static_cast<double>(group.launches));
        const bool timed = group.is_timed();
        for (int64_t i = 0; i < (timed ? group.launches : 1); ++i) {
            if (timed) launch.duration_ns = static_cast<double>(shown_ns(group.times(), i));
            clock_ += std::max<int64_t>(add_kernel(launch), 1);
            ++launches_;
        }
    }

    // Alike in all launches, it is that of each of them.
    void add_sum(TrackId track, const Summary::Value& value) {
        const auto add = [&](std::string_view which, double amount) {
            builder_.add_counter(clock_, track, builder_.text(fmt::format("{}{}", value.name, which)),
                                 amount);
        };
        if (value.most - value.least <= kAlike * std::abs(value.most)) return add("", value.average);
        add(" (avg)", value.average);
        add(" (min)", value.least);
        add(" (max)", value.most);
    }

    // ------------------------------------------------------------------------------------------------------

    void leave_out(const std::string& what) {
        builder_.diagnostics().add(Diag::kUnreadRow, {file_.name, -1, -1, line() + ": " + what});
    }

    DeviceId device_of(const Launch& launch) {
        const DeviceId id = builder_.device(rank_, integer_or_0(launch.device));
        Device& device = builder_.device_info(id);
        if (!launch.device_name.empty()) device.name = launch.device_name;
        device.sm_count = std::max(device.sm_count, launch.sm_count);
        const size_t point = launch.capability.find('.');
        if (point != std::string::npos) {
            device.compute_major = static_cast<int>(
                std::clamp<int64_t>(integer_or_0(launch.capability.substr(0, point)), 0, 999));
            device.compute_minor = static_cast<int>(
                std::clamp<int64_t>(integer_or_0(launch.capability.substr(point + 1)), 0, 999));
        }
        return id;
    }

    void flush() {
        if (!launch_) return;
        const Launch launch = std::move(*launch_);
        launch_.reset();
        ++launches_;
        const int64_t took = add_kernel(launch);
        const TrackId track = counters_of(launch);
        for (const Launch::Counter& counter : launch.counters)
            builder_.add_counter(clock_, track, counter.name, counter.value);
        clock_ += std::max<int64_t>(took, 1);
    }

    // Its ns. A launch whose time was not asked for ('ncu --metrics ...') is not a kernel of 0 ns, but a
    // moment.
    int64_t add_kernel(const Launch& launch) {
        if (Rank& rank = builder_.rank(rank_); rank.host.empty()) rank.host = launch.host;
        int64_t duration = launch.duration();
        DeviceSpan span;
        span.kind = DeviceKind::kKernel;
        if (duration < 0 || duration > kMaxNs / 2 - clock_) {
            builder_.diagnostics().add(
                Diag::kMissingEnd,
                {file_.name, -1, -1,
                 fmt::format("launch {} of {} has no gpu__time_duration.sum", launch.id, launch.kernel)});
            duration = 0;
            span.kind = DeviceKind::kOther;
            span.flags = kInstant;
        }
        span.name = builder_.text(launch.kernel);
        span.track =
            builder_.stream_track(TrackKind::kDeviceStream, device_of(launch), integer_or_0(launch.context),
                                  integer_or_0(launch.stream), integer_or_0(launch.process));
        builder_.track(span.track).process_name = builder_.text(launch.process_name);
        builder_.device_info(builder_.track(span.track).device).declared = true;
        span.config = builder_.launch_config(launch.config);
        if (!launch.ranges.empty()) span.ranges = builder_.text(launch.ranges);
        span.begin = clock_;
        span.dur = duration;
        builder_.add_device(span);
        return duration;
    }

    // The counters of a kernel are samples at the begin of its launches.
    TrackId counters_of(const Launch& launch, std::string_view ranges = {}) {
        const std::string within =
            ranges.empty() || ranges == launch.kernel ? "" : fmt::format(" in {}", ranges);
        const TrackId track = builder_.other_track(rank_, launch.kernel + within,
                                                   fmt::format("counters on device {}", launch.device));
        builder_.track(track).device = device_of(launch);
        return track;
    }

    void note_the_end() {
        Diagnostics& diagnostics = builder_.diagnostics();
        std::string damage = file_.source.damage();
        if (damage.empty() && table_.ends_inside()) damage = line() + ": a text in quotes has no end";
        if (!damage.empty()) diagnostics.add(Diag::kTruncatedInput, {file_.name, -1, -1, std::move(damage)});
    }

    const OneFile& file_;
    CsvRows table_;
    ProfileBuilder& builder_;
    Locale locale_ = Locale::kPoint;
    RankId rank_;
    std::optional<Columns> columns_;
    std::vector<std::string> units_;
    bool units_may_follow_ = false;
    std::optional<Launch> launch_;
    Summary summary_;
    uint64_t launches_ = 0, values_ = 0;
    int64_t clock_ = 0;
};

}  // namespace

Result<ImportFacts> import_table(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::ncu
