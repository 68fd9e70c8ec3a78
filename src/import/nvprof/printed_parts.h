// What the readers of nvprof's tables share: the process that a table is of, its devices, its places in the
// file.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "import/nvprof/printed_amounts.h"
#include "import/nvprof/printed_table.h"
#include "import/reader/one_file.h"

namespace opsight::importer::nvprof {

using Row = std::vector<std::string>;

struct Printed {
    const OneFile& file;
    ProfileBuilder& builder;
    RankId rank;      // of the process whose table is read
    int64_t pid = 0;  // 0: the log was not kept
    uint64_t line = 0;
    absl::flat_hash_map<std::string, DeviceId> devices;  // by process, name and context
    absl::flat_hash_map<RankId, int64_t> devices_of_rank;

    void note(Diag kind, std::string_view what, int64_t times = 1) {
        builder.diagnostics().add(kind, {file.name, -1, -1, fmt::format("line {}: {}", line, what)}, times);
    }
    StringId text(std::string_view from) { return builder.text(from); }
    // "GeForce RTX 2080 Ti (0)"; tables of text cut names short and with them the number: then each context
    // counts as a device of its own.
    DeviceId device(std::string_view name, int64_t context);
};

inline std::optional<Amount> amount_of(const PrintedTable& table, const Row& row, Field field) {
    return read_amount(table.of(row, field), table.unit(field));
}

// Whole and not negative; else what is given.
int64_t count_of(const PrintedTable& table, const Row& row, Field field, int64_t otherwise = -1);

// Rows of --print-gpu-trace and --print-api-trace.
class TraceRows {
  public:
    explicit TraceRows(Printed& printed) : p_(printed) {}
    void add(const PrintedTable& table, const Row& row);
    // Ranges, and what was put right.
    void finish();
    uint64_t events() const { return events_; }

  private:
    struct Range {
        HostSpan span;
        StringId text{0};
        bool mark = false, open = true;
    };
    Range* last_open(std::vector<size_t>& places);
    void add_call(std::string_view name, int64_t begin, int64_t ns, int64_t correlation);
    void add_mark(std::string_view name, int64_t begin);
    void add_kernel(const PrintedTable& table, const Row& row, DeviceSpan span);
    void add_transfer(const PrintedTable& table, const Row& row, DeviceSpan span, std::string_view what);
    // Times are rounded to what was printed of them; work of one stream does not overlap.
    void add_work(const PrintedTable& table, const Row& row, DeviceSpan span);
    TrackId stream_of(const PrintedTable& table, const Row& row);
    TrackId calls();

    Printed& p_;
    std::vector<Range> ranges_;
    // Places of ranges that have not ended, by process, and by process and text: the last ends first.
    absl::flat_hash_map<int64_t, std::vector<size_t>> open_;
    absl::flat_hash_map<std::pair<int64_t, StringId>, std::vector<size_t>> open_named_;
    absl::flat_hash_map<TrackId, int64_t> ends_;
    uint64_t events_ = 0;
    int64_t moved_ = 0;
};

// Tables that tell no time of any launch: summaries, metrics and events.
class SumRows {
  public:
    explicit SumRows(Printed& printed) : p_(printed) {}
    void add_sum(const PrintedTable& table, const Row& row, std::string_view type);
    // Of all launches of a kernel; `device` and `kernel` stand in the row or, in text, above it.
    void add_metric(const PrintedTable& table, const Row& row, std::string_view device,
                    std::string_view kernel);
    // Of one launch, each column one metric.
    void add_launch(const PrintedTable& table, const Row& row);
    // Of unified memory: how often, how many bytes, how long, in all.
    void add_unified(const PrintedTable& table, const Row& row, std::string_view device);
    // "Total CPU Page faults: 36", which stands below that table.
    bool take_cpu_faults(std::string_view line);
    // Makes launches of the sums, where the file has none with their times.
    Status finish(bool has_trace);
    uint64_t events() const { return events_; }

  private:
    struct Sum {
        RankId rank;
        int64_t pid = 0;
        bool device = false;
        StringId name{0};
        int64_t calls = 0, total = 0, least = 0, most = 0;
    };
    struct Launch {
        int64_t time = 0;
        TrackId track;
    };
    Launch moment_of(std::string_view kernel, DeviceId device, const LaunchConfig& config, TrackId stream);
    bool only_unified() const { return unified_ > 0 && events_ == unified_; }
    void add_sums();
    void add_launches(const Sum& sum);
    void add_api(const Sum& sum);

    Printed& p_;
    std::vector<Sum> sums_;
    absl::flat_hash_map<std::string, Launch> kernels_;
    int64_t clock_ = 0;
    bool has_metrics_ = false;
    uint64_t events_ = 0, unified_ = 0;
};

// Grid, block, registers and shared memory of a row; -1 where it does not tell.
LaunchConfig config_of(const PrintedTable& table, const Row& row);
// "name [112]": takes the number off.
int64_t take_correlation(std::string_view& name);

}  // namespace opsight::importer::nvprof
