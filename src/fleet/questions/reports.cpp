#include "fleet/questions/reports.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "fleet/questions/cells.h"
#include "fleet/questions/sql.h"

namespace opsight::fleet {
namespace {

namespace sql = questions::sql;
using query::Column;
using query::Role;
using query::Unit;

constexpr double kNsOfHour = 3.6e12;

// The columns of an answer beside what people read of them: keys are the names in the statement.
struct Entry : query::ReportInfo {
    const duck::Sql* statement = nullptr;
    std::vector<Column> (*columns)() = nullptr;
    Status (*finish)(Store&, const Chosen&, query::Report&) = nullptr;  // what SQL does not say; may be null
};

Column run_column() {
    return {"run", "Run", Unit::kNone, 0};
}
Column count(const char* key, const char* header, int priority = 0) {
    return {key, header, Unit::kCount, priority};
}
Column ns(const char* key, const char* header, int priority = 0) {
    return {key, header, Unit::kNs, priority};
}
Column percent(const char* key, const char* header, int priority = 0) {
    return {key, header, Unit::kPercent, priority};
}
Column plain(const char* key, const char* header, int priority = 0) {
    return {key, header, Unit::kNone, priority};
}
Column number(const char* key, const char* header, int priority = 0) {
    return {key, header, Unit::kNone, priority, Role::kNumber};
}

size_t place_of(const query::ResultTable& table, std::string_view key) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [key](const Column& each) { return each.key == key; });
    return static_cast<size_t>(found - table.columns.begin());
}

// Enough digits to tell runs apart, and to choose one by; programs get all of them.
void shorten_ids(query::ResultTable& table) {
    constexpr size_t kShownDigits = 12;
    for (const std::string_view key : {"run", "worst_run"})
        if (const size_t place = place_of(table, key); place < table.columns.size())
            for (auto& row : table.rows)
                if (auto* id = std::get_if<std::string>(&row[place]))
                    id->resize(std::min(id->size(), kShownDigits));
}

std::vector<Column> run_columns() {
    return {run_column(),
            plain("name", "Name"),
            plain("recorded", "Recorded", 1),
            plain("labels", "Labels", 2),
            count("ranks", "Ranks"),
            count("hosts", "Hosts", 5),
            count("devices", "GPUs", 3),
            plain("device_name", "GPU", 4),
            count("iterations", "Iterations", 3),
            ns("iteration_ns", "Iteration (ns)"),
            ns("wall_ns", "Wall Clock (ns)", 6),
            percent("gpu_utilization_pct", "GPU Utilization %", 2),
            percent("tensor_core_pct", "Tensor Cores %", 3),
            percent("communication_pct", "Exposed Communication %", 4),
            percent("waiting_pct", "Waiting for Ranks %", 4),
            percent("dataloader_pct", "Data Loading %", 4),
            percent("idle_pct", "Idle %", 5),
            plain("profile", "Profile", 7)};
}

// The answer has moments as numbers, and not the labels.
Status finish_runs(Store&, const Chosen& chosen, query::Report& report) {
    query::ResultTable& table = report.sections.front().table;
    const size_t run = place_of(table, "run"), recorded = place_of(table, "recorded"),
                 labels = place_of(table, "labels");
    for (auto& row : table.rows) {
        const KnownRun* known = chosen.find(text(row[run]));
        if (!known) continue;  // pushed since
        row[recorded] = moment_text(known->recorded_ns);
        if (!known->labels.empty()) row[labels] = known->labels_text();
    }
    return {};
}

std::vector<Column> label_columns() {
    return {plain("label", "Label"),
            plain("value", "Value"),
            count("runs_count", "Runs"),
            ns("median_iteration_ns", "Iteration, Median (ns)"),
            percent("median_gpu_utilization_pct", "GPU Utilization %"),
            percent("median_tensor_core_pct", "Tensor Cores %", 1),
            percent("median_communication_pct", "Exposed Communication %", 1),
            percent("median_dataloader_pct", "Data Loading %", 2),
            percent("median_idle_pct", "Idle %", 2),
            ns("total_device_ns", "GPU Time Recorded (ns)", 3)};
}

std::vector<Column> rank_columns() {
    return {run_column(),
            plain("run_name", "Name"),
            {"rank", "Rank", Unit::kCount, 0, Role::kId},
            plain("host", "Host"),
            count("iterations", "Iterations", 4),
            ns("own_ns", "Own Time per Iteration (ns)", 2),
            number("score", "Straggler Score"),
            plain("pattern", "Pattern"),
            count("iterations_last", "Iterations as Last", 3),
            ns("caused_ns", "Waiting Caused (ns)"),
            percent("caused_pct", "Of the Run's Waiting (%)", 1),
            plain("cause", "Cause", 1),
            plain("cause_op", "Op of Cause", 2)};
}

std::vector<Column> host_columns() {
    return {plain("host", "Host"),
            count("runs_count", "Runs"),
            count("ranks_count", "Ranks"),
            count("persistent_ranks", "Persistent Stragglers"),
            number("median_score", "Score, Median"),
            number("largest_score", "Score, Largest", 1),
            ns("total_caused_ns", "Waiting Caused (ns)"),
            percent("total_caused_pct", "Of Waiting Caused (%)")};
}

std::vector<Column> op_columns() {
    return {plain("op", "Op"),
            plain("op_type", "Type", 3),
            count("runs_count", "Runs"),
            count("total_calls", "Calls", 1),
            ns("total_self_gpu_ns", "GPU Time, Self (ns)"),
            percent("gpu_share_pct", "Of All GPU Time (%)"),
            ns("mean_self_gpu_ns", "GPU Time of a Call (ns)", 2),
            ns("total_self_cpu_ns", "CPU Time, Self (ns)", 1),
            percent("cpu_share_pct", "Of All CPU Time (%)", 2)};
}

std::vector<Column> kernel_columns() {
    return {plain("kernel", "Kernel"),
            plain("uses_tc", "Uses Tensor Cores", 1),
            {"in_eligible_op", "In an Op That Could", Unit::kNone, 2, Role::kYesNo},
            count("runs_count", "Runs"),
            count("total_calls", "Calls", 1),
            ns("total_gpu_ns", "GPU Time (ns)"),
            percent("gpu_share_pct", "Of All Kernel Time (%)"),
            ns("mean_gpu_ns", "Mean (ns)", 2)};
}

Status finish_kernels(Store&, const Chosen&, query::Report& report) {
    query::ResultTable& table = report.sections.front().table;
    const size_t place = place_of(table, "in_eligible_op");
    for (auto& row : table.rows)
        if (const auto flag = integer(row[place])) row[place] = *flag != 0;
    return {};
}

std::vector<Column> layer_columns() {
    return {plain("layer", "Layer"),
            count("runs_count", "Runs"),
            ns("total_self_gpu_ns", "GPU Time of Its Own Ops (ns)"),
            ns("forward_gpu_ns", "Forward (ns)", 1),
            ns("backward_gpu_ns", "Backward (ns)", 1),
            ns("total_self_cpu_ns", "CPU Time of Its Own Ops (ns)", 2)};
}

std::vector<Column> collective_columns() {
    return {plain("collective", "Operation"),
            plain("group_kind", "Kind of Group"),
            count("runs_count", "Runs"),
            count("total_calls", "Calls", 1),
            count("total_matched", "Matched", 2),
            ns("total_time_ns", "Time (ns)"),
            ns("total_waiting_ns", "Waiting (ns)"),
            percent("total_waiting_pct", "Waiting %"),
            ns("total_exposed_ns", "Exposed (ns)", 1)};
}

std::vector<Column> tensor_core_columns() {
    return {run_column(),
            plain("name", "Name"),
            plain("device_name", "GPU", 2),
            count("devices", "GPUs", 2),
            ns("kernel_ns", "Kernel Time (ns)", 2),
            ns("tc_kernel_ns", "On Tensor Cores (ns)", 1),
            ns("unknown_kernel_ns", "Not Known (ns)", 3),
            ns("eligible_plain_ns", "Unused (ns)"),
            percent("of_kernels_pct", "Of Kernels (%)", 1),
            percent("of_device_pct", "Of GPU Time (%)"),
            ns("device_wall_ns", "GPU Time Recorded (ns)", 3),
            number("wasted_hours", "Wasted at Most (GPU h)", 1),
            number("job_wasted_hours", "Of the Job, at Most (GPU h)")};
}

// A label gpu_hours, as a number of hours.
std::optional<double> told_hours(const KnownRun* run) {
    if (!run) return std::nullopt;
    const auto label = run->labels.find("gpu_hours");
    if (label == run->labels.end()) return std::nullopt;
    double hours = 0;
    const char* end = label->second.data() + label->second.size();
    const auto read = std::from_chars(label->second.data(), end, hours);
    if (read.ec != std::errc() || read.ptr != end || !(hours >= 0 && hours <= 1e12)) return std::nullopt;
    return hours;
}

// Kernels of one device may run at once, so their durations can exceed its time: no more than all of it is
// wasted.
Status finish_tensor_cores(Store&, const Chosen& chosen, query::Report& report) {
    query::ResultTable& table = report.sections.front().table;
    const auto at = [&table](std::string_view key) { return place_of(table, key); };
    for (auto& row : table.rows) {
        const auto plain_ns = integer(row[at("eligible_plain_ns")]);
        const double all_ns = real(row[at("device_wall_ns")]).value_or(0);
        if (!plain_ns || all_ns <= 0) continue;
        const double wasted = std::min(static_cast<double>(*plain_ns), all_ns);
        row[at("wasted_hours")] = wasted / kNsOfHour;
        const auto hours = told_hours(chosen.find(text(row[at("run")])));
        if (hours) row[at("job_wasted_hours")] = *hours * wasted / all_ns;
    }
    report.notes.emplace_back(
        "unused, wasted at most: the time of kernels known to use no Tensor Cores within ops that could use "
        "them; on "
        "Tensor "
        "Cores they would still take some of it");
    report.notes.emplace_back(
        "of the job: the share of the recording times its GPU hours as the label gpu_hours tells them (fleet "
        "push "
        "--label gpu_hours=1200); an estimate, as if all of the job went like the recording");
    return {};
}

std::vector<Column> finding_columns() {
    return {plain("finding", "Finding"),
            {"kind", "Kind", Unit::kNone, 2},
            count("runs_count", "Runs"),
            percent("runs_pct", "Of the Runs (%)"),
            count("high_count", "Of High Severity", 1),
            percent("median_bound_pct", "Saves at Most, Median (% of the wall clock)"),
            percent("largest_bound_pct", "Saves at Most, Largest (%)", 1),
            plain("worst_run", "Run of the Largest", 2),
            plain("worst_title", "What It Says There", 1)};
}

std::vector<Column> device_columns() {
    return {plain("device_name", "GPU"),       count("runs_count", "Runs"),
            count("devices_count", "Devices"), ns("total_wall_ns", "Time Recorded (ns)"),
            ns("total_busy_ns", "Busy (ns)"),  percent("busy_pct", "Busy %")};
}

std::vector<Column> link_columns() {
    return {run_column(),
            plain("process_group", "Process Group"),
            plain("collective", "Operation"),
            count("ranks_count", "Ranks", 1),
            {"group_bytes", "Bytes", Unit::kBytes, 2},
            ns("group_transfer_ns", "Transfer (ns)", 1),
            {"bytes_per_s", "Bytes/s", Unit::kBytesPerSecond},
            {"middle_bytes_per_s", "Of the Middle Group (bytes/s)", Unit::kBytesPerSecond, 1},
            number("of_middle", "Of the Middle"),
            ns("lost_ns", "Longer than at the Middle Rate (ns)")};
}

std::vector<Column> imbalance_columns() {
    return {run_column(),
            plain("layer", "Layer"),
            count("ranks_count", "Ranks", 1),
            ns("longest_ns", "Longest (ns)"),
            {"longest_rank", "On Rank", Unit::kCount, 0, Role::kId},
            ns("mean_ns", "Mean of Ranks (ns)"),
            number("of_mean", "Of the Mean"),
            ns("lost_ns", "Longest less Mean (ns)")};
}

// Sums that SQL divided are shown as whole ns.
Status finish_times(Store&, const Chosen&, query::Report& report) {
    query::ResultTable& table = report.sections.front().table;
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].unit == Unit::kNs)
            for (auto& row : table.rows)
                if (const auto* value = std::get_if<double>(&row[i]); value && std::abs(*value) < 9e18)
                    row[i] = static_cast<int64_t>(std::llround(*value));
    return {};
}

std::vector<Column> iteration_columns() {
    return {run_column(),
            {"iteration", "Iteration", Unit::kCount, 0, Role::kId},
            count("ranks_count", "Ranks", 2),
            ns("median_duration_ns", "Duration, Median (ns)"),
            ns("longest_ns", "Longest (ns)", 1),
            ns("median_own_ns", "Own Time, Median (ns)", 1),
            ns("longest_own_ns", "Own Time, Longest (ns)"),
            {"last_rank", "Rank Waited For Most", Unit::kCount, 0, Role::kId},
            ns("total_waiting_ns", "Waiting, All Ranks (ns)")};
}

// To add one: a file of sql/, its columns, and a line here.
const Entry kReports[] = {
    {{"runs", "runs over time, with their labels and what their time went to", "Runs"},
     &sql::runs,
     run_columns,
     finish_runs},
    {{"labels", "runs by label: medians of each value (--by NAME: of that label)", "Runs by Label"},
     &sql::labels,
     label_columns,
     nullptr},
    {{"ranks", "the ranks that others waited for most, of all jobs", "Slowest Ranks"},
     &sql::ranks,
     rank_columns,
     nullptr},
    {{"hosts", "the hosts that others waited for most", "Slowest Hosts"}, &sql::hosts, host_columns, nullptr},
    {{"iterations", "iterations over the ranks of a job: who was waited for", "Iterations of Jobs"},
     &sql::iterations,
     iteration_columns,
     nullptr},
    {{"links", "process groups whose data moves slower than that of others of their job", "Slowest Links"},
     &sql::links,
     link_columns,
     finish_times},
    {{"imbalance", "layers that take longer on one rank of a job than on others", "Imbalance by Layer"},
     &sql::imbalance,
     imbalance_columns,
     finish_times},
    {{"ops", "what each op costs, over all jobs", "Ops over All Jobs"}, &sql::ops, op_columns, finish_times},
    {{"kernels", "what each kernel costs, over all jobs", "Kernels over All Jobs"},
     &sql::kernels,
     kernel_columns,
     finish_kernels},
    {{"layers", "what each layer's own ops cost, over all jobs", "Layers over All Jobs"},
     &sql::layers,
     layer_columns,
     nullptr},
    {{"collectives", "what each kind of communication costs, over all jobs", "Communication over All Jobs"},
     &sql::collectives,
     collective_columns,
     nullptr},
    {{"tensor_cores", "jobs that leave Tensor Cores unused, and what that wastes in GPU hours",
      "Tensor Cores Left Unused"},
     &sql::tensor_cores,
     tensor_core_columns,
     finish_tensor_cores},
    {{"findings", "what 'opsight advise' says, by in how many jobs", "Findings by Frequency"},
     &sql::findings,
     finding_columns,
     nullptr},
    {{"devices", "GPUs by product, and how busy they were", "GPUs"}, &sql::devices, device_columns, nullptr}};

const query::Registry<Entry>& registry() {
    static const query::Registry<Entry> all(
        {"fleet report", "--report", "there is no report", "the reports are {}", {}},
        {std::begin(kReports), std::end(kReports)});
    return all;
}

// The rows of the answer in the order of the columns; a column that it lacks is filled by finish().
query::ResultTable table_of(const Entry& entry, Answer answer) {
    query::ResultTable table;
    table.name = entry.name;
    table.title = entry.title;
    table.columns = entry.columns();
    std::vector<size_t> from;
    for (const Column& column : table.columns) {
        const auto found =
            std::find_if(answer.rows.columns.begin(), answer.rows.columns.end(),
                         [&column](const duck::ResultColumn& each) { return each.name == column.key; });
        from.push_back(static_cast<size_t>(found - answer.rows.columns.begin()));
    }
    for (auto& row : answer.rows.rows) {
        std::vector<query::Cell> cells;
        for (const size_t place : from)
            cells.push_back(place < row.size() ? std::move(row[place]) : query::Cell{});
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace

duck::Cell moment_text(const std::optional<int64_t>& unix_ns) {
    constexpr int64_t kNsOfSecond = 1'000'000'000;
    if (!unix_ns) return {};
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(static_cast<std::time_t>(*unix_ns / kNsOfSecond)));
}

const query::Family& report_family() {
    return registry().family();
}

Result<query::Report> make_report(Store& store, std::string_view name, const Chosen& chosen,
                                  const ReportOptions& options) {
    OPSIGHT_ASSIGN(const Entry* entry, registry().get(name));
    OPSIGHT_ASSIGN(Answer answer, ask(store, duck::Statement(*entry->statement).set("by", options.by), chosen,
                                      options.limit > 0 ? options.limit + 1 : 0));
    const bool more = options.limit > 0 && std::ssize(answer.rows.rows) > options.limit;
    if (more) answer.rows.rows.resize(static_cast<size_t>(options.limit));
    query::Report report{std::string(entry->name), std::string(entry->title), {}, {}};
    add_notes(report.notes, chosen.notes);
    add_notes(report.notes, answer.notes);
    report.sections.push_back({table_of(*entry, std::move(answer))});
    if (entry->finish) OPSIGHT_TRY(entry->finish(store, chosen, report));
    if (options.for_people) shorten_ids(report.sections.front().table);
    if (more) report.notes.push_back(fmt::format("the first {} rows; --limit 0 shows all", options.limit));
    return report;
}

}  // namespace opsight::fleet
