#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analyze/intervals.h"
#include "query/ask/headed.h"
#include "query/ask/versions.h"
#include "query/dlprof/tables.h"

namespace opsight::query::dlprof {
namespace {

using Row = std::vector<Cell>;
constexpr size_t kTc = 0, kOther = 1, kMemory = 2, kLoading = 3, kIo = 4, kCpu = 5;

double percent(int64_t part, int64_t whole) {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Each moment of [begin, end) counts for the first class that has a span there: time by class.
std::array<int64_t, 7> partition(const std::array<Spans, 6>& classes, int64_t begin, int64_t end) {
    struct Edge {
        int64_t time;
        size_t of;
        int change;
    };
    std::vector<Edge> edges;
    for (size_t of = 0; of < classes.size(); ++of)
        for (const auto& [from, to] : classes[of]) {
            const int64_t first = std::clamp(from, begin, end), last = std::clamp(to, begin, end);
            if (first >= last) continue;
            edges.push_back({first, of, 1});
            edges.push_back({last, of, -1});
        }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
    std::array<int64_t, 7> time{};
    std::array<int64_t, 6> open{};
    int64_t at = begin;
    const auto advance = [&](int64_t to) {
        const auto first = std::find_if(open.begin(), open.end(), [](int64_t n) { return n > 0; });
        time[static_cast<size_t>(first - open.begin())] += to - at;
        at = to;
    };
    for (const Edge& edge : edges) {
        advance(edge.time);
        open[edge.of] += edge.change;
    }
    advance(end);
    return time;
}

// Mean length of the iterations in the range, which are the wall clock, and the deviation of a sample.
void measure_iterations(const Iterations& it, Overview& o) {
    const auto count = static_cast<double>(it.stop - it.start + 1);
    o.mean_iteration = static_cast<double>(o.wall_ns) / count;
    double squares = 0;
    for (int64_t i = it.start; i <= it.stop; ++i) {
        const auto length = static_cast<double>(it.list[i].second - it.list[i].first);
        squares += (length - o.mean_iteration) * (length - o.mean_iteration);
    }
    if (count > 1) o.deviation = std::sqrt(squares / (count - 1));
}

// What runs in the range, by class of resource, and by device where it ran on one.
struct Activity {
    std::array<Spans, 6> host;
    std::vector<std::array<Spans, 6>> devices;
};

bool loads_data(const OpKind& kind) {
    for (const std::string* text : {&kind.type, &kind.name})
        if (text->find("DataLoader)#") != text->npos || text->find("DataPipe)#") != text->npos) return true;
    return kind.type == "DataLoader";
}

Activity activity_of(const Model& model) {
    Activity a;
    a.devices.resize(model.recording.devices.size());
    for (const Instance& i : model.instances)
        if (i.track >= 0)
            a.host[loads_data(model.kinds[i.kind]) ? kLoading : kCpu].emplace_back(i.begin, i.end);
    const auto& loading = model.recording.loading;
    a.host[kLoading].insert(a.host[kLoading].end(), loading.begin(), loading.end());
    a.host[kIo] = model.recording.file_io;
    for (Spans& spans : a.host) {
        analyze::Intervals merged;
        for (const auto& [begin, end] : spans)
            merged.push_back({begin, end});
        analyze::merge(merged);
        spans.clear();
        for (const auto& piece : merged)
            spans.emplace_back(piece.begin, piece.end);
    }
    for (const Work& w : model.work)
        if (w.device >= 0)
            a.devices.at(w.device)[w.kind != 0        ? kMemory
                                   : model.uses_tc(w) ? kTc
                                                      : kOther]
                .emplace_back(w.begin, w.end);
    return a;
}

// Shares of the wall clock on each device, and in the mean of all of them. Without a device, those of the
// host.
void share_out(const Model& model, int64_t begin, int64_t end, Overview& o) {
    Activity activity = activity_of(model);
    if (activity.devices.empty()) activity.devices.emplace_back();
    const auto count = static_cast<double>(activity.devices.size());
    for (std::array<Spans, 6>& classes : activity.devices) {
        for (size_t of : {kLoading, kIo, kCpu})
            classes[of] = activity.host[of];
        const auto times = partition(classes, begin, end);
        for (size_t i = 0; i < times.size(); ++i)
            o.shares[i] += percent(times[i], o.wall_ns);
        o.gpu_utilization += percent(times[kTc] + times[kOther], o.wall_ns);
    }
    for (double& share : o.shares)
        share /= count;
    o.gpu_utilization /= count;
}

// Names and values, without heads.
ResultTable section(std::string title, std::vector<Row> rows) {
    return headed::table(std::move(title), {{"fact", ""}, {"value", ""}}, std::move(rows));
}

std::string names_of_devices(const Recording& r) {
    std::string names;
    for (const Device& device : r.devices)
        if (!device.name.empty()) names += (names.empty() ? "" : ", ") + device.name;
    return names;
}

std::string framework_of(const Recording& r) {
    const std::string told = r.fact("framework");
    if (!told.empty()) return told;
    if (r.tensorflow) return "TensorFlow";
    return r.origin == Origin::kMarked ? "PyTorch" : "";
}

// cuDNN stands there where its version is known. The version of DLProf is the one that recorded, else the one
// whose reports these are: in an export of a run under DLProf; elsewhere the writer's name tells who counted.
ResultTable system_config(const Recording& r) {
    const std::string nsys =
        r.from_nsys && r.fact("producer").size() > 15 ? r.fact("producer").substr(15) : "";
    const auto first = [](std::string a, std::string b) { return a.empty() ? b : a; };
    const bool under_dlprof = !r.property("dlprof_gpu_count").empty() && r.property("dlprof_version").empty();
    ResultTable table = section(
        "System Config",
        {{"GPU Count", first(r.property("dlprof_gpu_count"), std::to_string(r.devices.size()))},
         {"GPU Name(s)", names_of_devices(r)},
         {"CPU Model", r.property("cpu_model")},
         {"GPU Driver Version", r.property("driver_version")},
         {"Framework", framework_of(r)},
         {"CUDA Version", version_text(first(r.property("cuda_version"), r.property("cuda_driver_version")))},
         {"cuDNN Version", r.property("cudnn_version")},
         {"NSys Version", first(r.property("nsys_version"), nsys)},
         {"DLProf Version", first(r.property("dlprof_version"), under_dlprof ? "v1.8.0" : r.fact("writer"))},
         {"DLProf Build", first(r.property("dlprof_build"), under_dlprof ? "r21.12" : "")}});
    std::erase_if(table.rows, [](const Row& row) {
        return row[0] == Cell(std::string("cuDNN Version")) && row[1] == Cell(std::string());
    });
    return table;
}

ResultTable performance(const Overview& o) {
    std::vector<Row> rows = {{"Wall Clock Time (ns)", std::to_string(o.wall_ns)}};
    const auto add = [&](const char* head, double value) { rows.push_back({head, value}); };
    add("Tensor Core Kernel Utilization %", o.tc_utilization);
    add("GPU Utilization %", o.gpu_utilization);
    constexpr const char* kShares[] = {"Tensor Core Kernel Duration %",
                                       "Non-Tensor Core Kernel Duration %",
                                       "Memory Duration %",
                                       "Dataloader Duration %",
                                       "IO Duration %",
                                       "CPU Duration %",
                                       "Other Duration %"};
    for (size_t i = 0; i < o.shares.size(); ++i)
        add(kShares[i], o.shares[i]);
    return section("Summary Report", std::move(rows));
}

ResultTable iterations(const Model& model, const Overview& o) {
    const Iterations& it = model.iterations;
    const int64_t count = it.stop - it.start + 1;
    const auto text = [](int64_t value) { return Cell(std::to_string(value)); };
    return section("Iterations", {{"Total Iterations", text(std::ssize(it.list))},
                                  {"Aggregated Iterations", text(count)},
                                  {"Start Iteration", text(it.number(it.start))},
                                  {"Stop Iteration", text(it.number(it.stop))},
                                  {"Average Iteration Time (ns)", o.mean_iteration},
                                  {"Iteration Time Standard Deviation", o.deviation}});
}

struct Three {
    int64_t gpu = 0, cpu = 0, count = 0;
    Row row(const char* name) const { return {name, gpu, cpu, count}; }
};

ResultTable totals(std::string title, const char* counted, std::vector<Row> rows) {
    return headed::table(
        std::move(title),
        {{"name", ""}, headed::time("GPU Time"), headed::time("CPU Time"), headed::count(counted)},
        std::move(rows));
}

ResultTable all_ops(const Model& model) {
    Three all, using_tc, eligible, other;
    std::vector<bool> met(model.ops.size(), false);
    for (const Instance& i : model.instances) {
        const Op& op = model.ops[i.op];
        for (Three* of : {&all, op.uses_tc ? &using_tc : op.eligible ? &eligible : &other}) {
            of->gpu += i.gpu_ns;
            of->cpu += i.end - i.begin;
            of->count += !met[i.op];
        }
        met[i.op] = true;
    }
    return totals("All Ops", "# Ops",
                  {all.row("All ops"), using_tc.row("Ops using TC"),
                   eligible.row("Ops eligible for TC but not using"), other.row("All other ops")});
}

// Kernels count by their short names, copies and sets by those of their API calls.
ResultTable all_kernels(const Model& model) {
    struct Sums {
        Three times;
        std::set<std::pair<int8_t, std::string_view>> names;
        Row row(const char* name) {
            times.count = std::ssize(names);
            return times.row(name);
        }
    };
    Sums all, tc, memory, other;
    const Recording& r = model.recording;
    const auto name_of = [&](const Work& w) -> std::pair<int8_t, std::string_view> {
        if (w.kind == 0) return {0, r.kernels.at(w.kernel).base};
        const auto call = w.call < 0 ? r.call_names.end() : r.call_names.find(r.calls.name[w.call]);
        if (call == r.call_names.end()) return {w.kind, {}};
        return {1, call->second};
    };
    for (const Work& w : model.work) {
        for (Sums* of : {&all, w.kind != 0 ? &memory : model.uses_tc(w) ? &tc : &other}) {
            of->times.gpu += w.end - w.begin;
            of->times.cpu += model.call_ns(w);
            of->names.insert(name_of(w));
        }
    }
    return totals("All Kernels", "# Kernels",
                  {all.row("All kernels"), tc.row("Kernels using TC"), memory.row("Memory"),
                   other.row("All other kernels")});
}

}  // namespace

Result<Model> read_model(Source& source, const Options& options) {
    Model model;
    OPSIGHT_ASSIGN(model.recording, load_recording(source, options));
    find_calls(model);
    model.recording.ops = {};  // of long recordings the most of all, and what ops are made of only
    OPSIGHT_TRY(find_work(model, options));
    return model;
}

Overview overview(const Model& model) {
    Overview o;
    const Iterations& it = model.iterations;
    const int64_t begin = it.list[it.start].first, end = it.list[it.stop].second;
    o.wall_ns = std::max<int64_t>(0, end - begin);
    measure_iterations(it, o);
    o.used.resize(model.recording.devices.size());
    int64_t tc = 0, eligible = 0;
    for (const Work& w : model.work) {
        if (w.kind != 0) continue;
        if (w.device >= 0) o.used.at(w.device) = true;
        if (!model.op_of(w).eligible) continue;
        eligible += w.end - w.begin;
        if (model.uses_tc(w)) tc += w.end - w.begin;
    }
    o.tc_utilization = percent(tc, eligible);
    if (o.wall_ns > 0) share_out(model, begin, end, o);
    return o;
}

Report summary(const Model& model, const Overview& o) {
    Report report{{}, "Summary", {}, {}};
    for (auto&& table : {system_config(model.recording), performance(o), iterations(model, o), all_ops(model),
                         all_kernels(model)})
        report.sections.push_back({table});
    return report;
}

namespace {

struct Given {
    const Model& model;
    const Overview& overview;
    const Shown& shown;
};

struct Entry : ReportInfo {
    Report (*make)(const Given&);
};

constexpr Entry kReports[] = {
    {{"summary", "machine, shares of the wall clock, iterations, sums of ops and kernels"},
     [](const Given& of) { return summary(of.model, of.overview); }},
    {{"detailed", "ops with their times, and whether they use Tensor Cores"},
     [](const Given& of) { return detailed(of.model); }},
    {{"iteration", "every kernel, with its op and iteration"},
     [](const Given& of) { return iteration(of.model, of.shown); }},
    {{"kernel", "kernels by name and op"}, [](const Given& of) { return kernel(of.model); }},
    {{"tensor_core", "ops that could use Tensor Cores, and their kernels"},
     [](const Given& of) { return tensor_core(of.model); }},
    {{"op_type", "ops summed by type"}, [](const Given& of) { return op_type(of.model); }},
    {{"group_op", "ops summed by the groups that their names tell"},
     [](const Given& of) { return group_op(of.model); }},
    {{"expert_systems", "problems that were found, and what to do about them"},
     [](const Given& of) { return expert_systems(of.model, of.overview); }},
};

// Asked for, but of no op: the whole profile is one iteration.
std::string lost_key_op(const Model& model) {
    const Iterations& it = model.iterations;
    if (it.key_op.empty() || it.split) return {};
    return fmt::format(
        "no op has the id or name '{}' (--key-op): the whole profile is one iteration. The detailed report "
        "lists "
        "the ops",
        it.key_op);
}

Result<Made> all_reports(Source& source, const Options& options) {
    OPSIGHT_ASSIGN(const Model model, read_model(source, options));
    const Overview o = overview(model);
    const Shown shown = [&source](int64_t time) { return source.shown_time(time); };
    Made made;
    made.notes = model.notes;
    for (const Entry& entry : kReports) {
        Report report = entry.make({model, o, shown});
        report.name = entry.name;
        for (Section& section : report.sections)
            if (section.table.name.empty()) section.table.name = entry.name;
        made.reports.push_back(std::move(report));
    }
    if (std::string note = lost_key_op(model); !note.empty()) made.notes.push_back(std::move(note));
    return made;
}

}  // namespace

const Family& report_family() {
    static const Registry<Entry> all(
        {"report", "--report", "DLProf has no report", "use all, or any of {}", {}},
        {std::begin(kReports), std::end(kReports)});
    return all.family();
}

Result<Mode> parse_mode(std::string_view name) {
    if (name.empty()) return Mode::kAuto;
    constexpr std::string_view kNames[] = {"simple", "pytorch", "tensorflow1", "tensorflow2", "tensorrt"};
    for (size_t i = 0; i < std::size(kNames); ++i)
        if (kNames[i] == name) return static_cast<Mode>(i + 1);
    return fail(Error{fmt::format("DLProf has no mode '{}'", name),
                      {},
                      {},
                      fmt::format("use {}", fmt::join(kNames, ", ")),
                      2});
}

Result<Made> make_reports(Source& source, const Options& options) {
    try {
        return all_reports(source, options);
    } catch (const std::out_of_range&) {  // an id that leads out of its table
        return fail("is damaged: its tables do not fit each other", source.path(), {},
                    "import the trace again");
    }
}

}  // namespace opsight::query::dlprof
