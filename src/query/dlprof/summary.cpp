#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analyze/intervals.h"
#include "query/dlprof/tables.h"

namespace opsight::dlprof {
namespace {

using Row = std::vector<Cell>;
using Spans = std::vector<std::pair<int64_t, int64_t>>;

constexpr size_t kTc = 0, kOther = 1, kMemory = 2, kLoading = 3, kIo = 4, kCpu = 5, kNone = 6;

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

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values)
        sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Mean length of the iterations in the range, and the deviation of a sample.
void measure_iterations(const Iterations& it, Overview& o) {
    std::vector<double> lengths;
    for (int64_t i = it.start; i <= it.stop; ++i)
        lengths.push_back(static_cast<double>(it.list[i].second - it.list[i].first));
    o.mean_iteration = mean(lengths);
    double squares = 0;
    for (const double length : lengths)
        squares += (length - o.mean_iteration) * (length - o.mean_iteration);
    if (lengths.size() > 1) o.deviation = std::sqrt(squares / static_cast<double>(lengths.size() - 1));
}

Table section(std::string title, std::vector<Row> rows) {
    return {std::move(title), {{"", Kind::kWord}, {"", Kind::kWord}}, std::move(rows)};
}

std::string names_of_devices(const Recording& r) {
    std::string names;
    std::vector<std::string> met;
    for (const Device& device : r.devices) {
        if (device.name.empty() || std::find(met.begin(), met.end(), device.name) != met.end()) continue;
        met.push_back(device.name);
        names += (names.empty() ? "" : ", ") + device.name;
    }
    return names;
}

std::string framework_of(const Recording& r) {
    const std::string told = r.fact("framework");
    if (!told.empty()) return told;
    if (r.origin == Origin::kMarked) return "PyTorch";
    return r.tensorflow ? "TensorFlow" : "";
}

// The driver tells 11080 for 11.8.
std::string cuda_version(const std::string& told) {
    const bool number = told.size() == 5 && told.find_first_not_of("0123456789") == told.npos;
    if (!number) return told;
    return fmt::format("{}.{}", told.substr(0, 2), std::stoi(told.substr(2)) / 10);
}

// cuDNN stands there where its version is known.
Table system_config(const Recording& r) {
    const std::string nsys =
        r.from_nsys && r.fact("producer").size() > 15 ? r.fact("producer").substr(15) : "";
    const auto first = [](std::string a, std::string b) { return a.empty() ? b : a; };
    Table table = section("System Config",
                          {{"GPU Count", std::to_string(r.devices.size())},
                           {"GPU Name(s)", names_of_devices(r)},
                           {"CPU Model", r.fact("property.cpu_model")},
                           {"GPU Driver Version", r.fact("property.driver_version")},
                           {"Framework", framework_of(r)},
                           {"CUDA Version", cuda_version(first(r.fact("property.cuda_version"),
                                                               r.fact("property.cuda_driver_version")))},
                           {"cuDNN Version", r.fact("property.cudnn_version")},
                           {"NSys Version", first(r.fact("property.nsys_version"), nsys)},
                           {"DLProf Version", first(r.fact("property.dlprof_version"), r.fact("writer"))},
                           {"DLProf Build", r.fact("property.dlprof_build")}});
    std::erase_if(table.rows, [](const Row& row) {
        return row[0] == Cell(std::string("cuDNN Version")) && row[1] == Cell(std::string());
    });
    return table;
}

Table performance(const Overview& o) {
    std::vector<Row> rows = {{"Wall Clock Time (ns)", std::to_string(o.wall_ns)}};
    const auto add = [&](const char* head, double value) {
        rows.push_back({head, fmt::format("{:.1f}", value)});
    };
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

Table iterations(const Model& model, const Overview& o) {
    const Iterations& it = model.iterations;
    const int64_t count = it.stop - it.start + 1;
    const auto text = [](int64_t value) { return Cell(std::to_string(value)); };
    return section("Iterations", {{"Total Iterations", text(std::ssize(it.list))},
                                  {"Aggregated Iterations", text(count)},
                                  {"Iteration Start", text(it.start)},
                                  {"Iteration Stop", text(it.stop)},
                                  {"Average Iteration Time (ns)", text(o.wall_ns / count)},
                                  {"Iteration Time Standard Deviation", text(std::llround(o.deviation))}});
}

struct Three {
    int64_t gpu = 0, cpu = 0, count = 0;
    Row row(const char* name) const { return {name, gpu, cpu, count}; }
};

Table totals(std::string title, std::vector<Row> rows) {
    return {std::move(title), {{"", Kind::kWord}, {"GPU Time"}, {"CPU Time"}, {"# Ops"}}, std::move(rows)};
}

Table all_ops(const Model& model) {
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
    return totals("All Ops", {all.row("All ops"), using_tc.row("Ops using TC"),
                              eligible.row("Ops eligible for TC but not using"), other.row("All other ops")});
}

Table all_kernels(const Model& model) {
    Three all, tc, memory, other;
    for (const Work& w : model.work) {
        const bool uses_tc = w.kind == 0 && model.recording.kernels.at(w.kernel).uses_tc;
        for (Three* of : {&all, w.kind != 0 ? &memory : uses_tc ? &tc : &other}) {
            of->gpu += w.end - w.begin;
            of->cpu += w.call_ns;
            ++of->count;
        }
    }
    return totals("All Kernels", {all.row("All kernels"), tc.row("Kernels using TC"), memory.row("Memory"),
                                  other.row("All other kernels")});
}

}  // namespace

Overview overview(const Model& model) {
    Overview o;
    measure_iterations(model.iterations, o);
    const Recording& r = model.recording;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    std::array<Spans, 6> classes;
    for (const Instance& i : model.instances) {
        const Op& op = model.ops[i.op];
        if (!op.pseudo) begin = std::min(begin, i.begin);
        end = std::max({end, i.end, i.last_end});
        classes[op.type == "DataLoader" ? kLoading : kCpu].emplace_back(i.begin, i.end);
    }
    if (begin == INT64_MAX)
        for (const Instance& i : model.instances)
            begin = std::min(begin, i.begin);
    std::vector<Intervals> busy(r.devices.size());
    int64_t tc = 0, eligible = 0;
    for (const Work& w : model.work) {
        const bool uses_tc = w.kind == 0 && r.kernels.at(w.kernel).uses_tc;
        classes[w.kind != 0 ? kMemory : uses_tc ? kTc : kOther].emplace_back(w.begin, w.end);
        if (w.device >= 0) busy.at(w.device).push_back({w.begin, w.end});
        if (w.kind == 0 && model.ops[w.op].eligible) {
            eligible += w.end - w.begin;
            if (uses_tc) tc += w.end - w.begin;
        }
    }
    for (const Intervals& spans : busy)
        o.used.push_back(!spans.empty());
    if (begin >= end) return o;
    classes[kLoading].insert(classes[kLoading].end(), r.loading.begin(), r.loading.end());
    classes[kIo] = r.file_io;
    o.wall_ns = end - begin;
    o.tc_utilization = percent(tc, eligible);
    std::vector<double> of_devices;
    for (Intervals& spans : busy) {
        merge(spans);
        of_devices.push_back(percent(length(spans), o.wall_ns));
    }
    o.gpu_utilization = mean(of_devices);
    const auto times = partition(classes, begin, end);
    for (size_t i = 0; i < times.size(); ++i)
        o.shares[i] = percent(times[i], o.wall_ns);
    return o;
}

Report summary(const Model& model, const Overview& o) {
    return {"summary",
            {system_config(model.recording), performance(o), iterations(model, o), all_ops(model),
             all_kernels(model)}};
}

namespace {

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

Result<Made> all_reports(stats::Source& source, const Options& options) {
    Model model;
    OPSIGHT_ASSIGN(model.recording, load_recording(source, options));
    find_ops(model);
    OPSIGHT_TRY(find_work(model, options));
    const Overview o = overview(model);
    const Shown shown = [&source](int64_t time) { return source.shown_time(time); };
    Made made;
    std::vector<Report>& reports = made.reports;
    reports.push_back(summary(model, o));
    reports.push_back(detailed(model));
    reports.push_back(iteration(model, shown));
    reports.push_back(kernel(model));
    reports.push_back(tensor_core(model));
    reports.push_back(op_type(model));
    reports.push_back(group_op(model));
    reports.push_back(expert_systems(model, o));
    if (std::string note = lost_key_op(model); !note.empty()) made.notes.push_back(std::move(note));
    return made;
}

}  // namespace

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

Result<Made> make_reports(stats::Source& source, const Options& options) {
    try {
        return all_reports(source, options);
    } catch (const std::out_of_range&) {  // an id that leads out of its table
        return fail("is damaged: its tables do not fit each other", source.path(), {},
                    "import the trace again");
    }
}

}  // namespace opsight::dlprof
