#include "query/dlprof/tables.h"

#include <algorithm>
#include <set>

#include "query/ask/headed.h"

namespace opsight::query::dlprof {
namespace {

using Row = std::vector<Cell>;

std::string yes(bool value) {
    return value ? "yes" : "no";
}

// DLProf writes "Avg. CPU Time" in the reports of ops and "Avg GPU Time" in that of kernels.
void add_metric(std::vector<Column>& columns, const std::string& what, const char* average = "Avg.") {
    columns.push_back(headed::time("Total " + what));
    columns.push_back(headed::time(std::string(average) + " " + what));
    columns.push_back(headed::time("Min " + what));
    columns.push_back(headed::time("Max " + what));
}

void add_times(std::vector<Column>& columns) {
    for (const char* what : {"CPU Time", "GPU Time", "CPU Overhead", "GPU Idle"})
        add_metric(columns, what);
}

void add(Row& row, const Metric& metric) {
    row.emplace_back(metric.sum);
    row.emplace_back(metric.average());
    row.emplace_back(metric.least);
    row.emplace_back(metric.most);
}

struct Times {
    std::array<Metric, 4> of;
    void add(const Four& values) {
        for (size_t i = 0; i < of.size(); ++i)
            of[i].add(values[i]);
    }
    int64_t calls() const { return of[0].count; }
};

void add(Row& row, const Times& times) {
    for (const Metric& metric : times.of)
        add(row, metric);
}

Report report(ResultTable table) {
    Report made;
    made.title = table.title;
    made.sections.push_back({std::move(table)});
    return made;
}

std::vector<Times> times_of_ops(const Model& model) {
    std::vector<Times> times(model.ops.size());
    for (const Instance& instance : model.instances)
        times[instance.op].add(four_of(instance));
    return times;
}

// Ops with calls in the range, by id.
std::vector<int32_t> ops_in_order(const Model& model, const std::vector<Times>& times) {
    std::vector<int32_t> order;
    for (size_t op = 0; op < times.size(); ++op)
        if (times[op].calls() > 0) order.push_back(static_cast<int32_t>(op));
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return model.ops[a].id < model.ops[b].id; });
    return order;
}

// By name and id of the op and by name of the kernel.
auto kernel_order(const Model& model, const Op& op, const KernelName& kernel) {
    return std::tie(model.kind_of(op).name, op.id, kernel.base);
}

std::string joined(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

// "/", "/a/", "/a/b/" of "/a/b/conv2d": none of a name without "/". No program is deeper than the limit,
// which keeps the memory for a damaged name small.
std::vector<std::string> groups_of(const std::string& name) {
    constexpr size_t kMostLevels = 256;
    std::vector<std::string> groups;
    for (size_t slash = name.find('/'); slash != name.npos && groups.size() < kMostLevels;
         slash = name.find('/', slash + 1))
        groups.push_back(name.substr(0, slash + 1));
    return groups;
}

// Empty where there is no such row.
Cell known(int32_t row, const std::function<int64_t()>& value) {
    Cell cell;
    if (row >= 0) cell = value();
    return cell;
}

constexpr const char* kWholeModel = "_CompleteModel_";

std::vector<Column> columns_of_iteration() {
    return {headed::id("Iteration"),
            headed::text("Op ID"),
            headed::text("Op Name"),
            headed::text("Direction", Role::kDirection),
            headed::text("Op Type"),
            headed::text("Kernel Name"),
            headed::id("Device ID"),
            headed::moment("GPU Start Time (ns)"),
            headed::time("GPU Duration (ns)"),
            headed::moment("API Call Start (ns)"),
            headed::time("API Call Time (ns)"),
            headed::text("Uses TC", Role::kYesNo),
            headed::count("Grid X"),
            headed::count("Grid Y"),
            headed::count("Grid Z"),
            headed::count("Block X"),
            headed::count("Block Y"),
            headed::count("Block Z"),
            headed::text("Data Types", Role::kTypes),
            headed::text("Input Shapes"),
            headed::text("Parameters"),
            headed::text("Output Shapes"),
            headed::text("Long Kernel Name")};
}

}  // namespace

Report detailed(const Model& model) {
    ResultTable table = headed::table(
        "All Iterations",
        {headed::text("Op ID"), headed::text("Op Name"), headed::text("Direction", Role::kDirection),
         headed::text("Op Type"), headed::count("No. Calls"), headed::text("TC Eligible", Role::kYesNo),
         headed::text("Using TC", Role::kYesNo)});
    add_times(table.columns);
    table.columns.push_back(headed::text("Data Type", Role::kTypes));
    table.columns.push_back(headed::text("Stack Trace"));
    const std::vector<Times> times = times_of_ops(model);
    for (const int32_t index : ops_in_order(model, times)) {
        const Op& op = model.ops[index];
        const OpKind& kind = model.kind_of(op);
        Row row = {
            op.id,          kind.name, kind.direction, kind.type, times[index].calls(), yes(op.eligible),
            yes(op.uses_tc)};
        add(row, times[index]);
        row.emplace_back(op.data_type);
        row.emplace_back(op.stack);
        table.rows.push_back(std::move(row));
    }
    return report(std::move(table));
}

Report iteration(const Model& model, const Shown& shown) {
    ResultTable table = headed::table("Iteration Report", columns_of_iteration());
    const Recording& r = model.recording;
    std::vector<const Work*> order;
    for (const Work& w : model.work)
        if (w.kind == 0) order.push_back(&w);
    const auto place = [&](const Work* w) {
        return std::tuple_cat(kernel_order(model, model.op_of(*w), r.kernels.at(w->kernel)),
                              std::tuple(w->begin));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Work* a, const Work* b) { return place(a) < place(b); });
    for (const Work* w : order) {
        const Op& op = model.op_of(*w);
        const OpKind& kind = model.kind_of(op);
        const KernelName& kernel = r.kernels.at(w->kernel);
        const int32_t told = model.instances[w->instance].details;
        const Details details = told >= 0 ? model.details.at(told) : Details();
        Row row = {
            model.iterations.number(w->iteration), op.id, kind.name, kind.direction, kind.type, kernel.base};
        row.push_back(known(w->device, [&] { return r.devices.at(w->device).number; }));
        row.emplace_back(shown(w->begin));
        row.emplace_back(w->end - w->begin);
        row.push_back(known(w->call, [&] { return shown(r.calls.begin[w->call]); }));
        row.emplace_back(model.call_ns(*w));
        row.emplace_back(yes(kernel.uses_tc));
        for (size_t i = 0; i < 6; ++i) {
            const int64_t size = w->config >= 0 ? r.configs.at(w->config)[i] : -1;
            row.push_back(size < 0 ? Cell() : Cell(size));
        }
        row.insert(row.end(),
                   {op.data_type, details.shapes, details.parameters, details.outputs, kernel.name});
        table.rows.push_back(std::move(row));
    }
    return report(std::move(table));
}

Report kernel(const Model& model) {
    ResultTable table =
        headed::table("Kernel Report",
                      {headed::text("Kernel Name"), headed::text("Op ID"), headed::text("Op Name"),
                       headed::text("Direction", Role::kDirection), headed::text("Uses TC", Role::kYesNo)});
    add_metric(table.columns, "GPU Time", "Avg");
    add_metric(table.columns, "API Time", "Avg");
    struct Sums {
        Metric gpu, api;
        bool uses_tc = false;
    };
    const auto before = [&model](const std::pair<std::string, int32_t>& a,
                                 const std::pair<std::string, int32_t>& b) {
        const Op &x = model.ops[a.second], &y = model.ops[b.second];
        return std::tie(model.kind_of(x).name, x.id, a.first, a.second) <
               std::tie(model.kind_of(y).name, y.id, b.first, b.second);
    };
    std::map<std::pair<std::string, int32_t>, Sums, decltype(before)> sums(before);
    for (const Work& w : model.work) {
        if (w.kind != 0) continue;
        const KernelName& name = model.recording.kernels.at(w.kernel);
        Sums& of = sums[{name.base, model.instances[w.instance].op}];
        of.gpu.add(w.end - w.begin);
        of.api.add(model.call_ns(w));
        of.uses_tc |= name.uses_tc;
    }
    for (const auto& [key, of] : sums) {
        const Op& op = model.ops[key.second];
        const OpKind& kind = model.kind_of(op);
        Row row = {key.first, op.id, kind.name, kind.direction, yes(of.uses_tc)};
        add(row, of.gpu);
        add(row, of.api);
        table.rows.push_back(std::move(row));
    }
    return report(std::move(table));
}

Report tensor_core(const Model& model) {
    ResultTable table = headed::table(
        "Tensor Core Report",
        {headed::text("Op ID"), headed::text("Op Name"), headed::text("Direction", Role::kDirection),
         headed::text("Op Type"), headed::text("Uses TC", Role::kYesNo), headed::time("Total GPU Time (ns)"),
         headed::time("TC GPU Time (ns)"), headed::time("Non-TC GPU Time (ns)"),
         headed::percent("TC Utilization (%)"), headed::count("Total Kernel Count"),
         headed::count("TC Kernel Count"), headed::text("TC Kernel Names"),
         headed::count("Non-TC Kernel Count"), headed::text("Non-TC Kernel Names")});
    struct Sums {
        int64_t tc_ns = 0, other_ns = 0;
        std::set<std::string> tc, other;
    };
    std::vector<Sums> sums(model.ops.size());
    for (const Work& w : model.work) {
        if (w.kind != 0) continue;
        const KernelName& name = model.recording.kernels.at(w.kernel);
        Sums& of = sums[model.instances[w.instance].op];
        (name.uses_tc ? of.tc_ns : of.other_ns) += w.end - w.begin;
        (name.uses_tc ? of.tc : of.other).insert(name.base);
    }
    for (const int32_t index : ops_in_order(model, times_of_ops(model))) {
        const Op& op = model.ops[index];
        if (!op.eligible) continue;
        const OpKind& kind = model.kind_of(op);
        const Sums& of = sums[index];
        const int64_t all = of.tc_ns + of.other_ns;
        const double share = all > 0 ? 100.0 * static_cast<double>(of.tc_ns) / static_cast<double>(all) : 0;
        table.rows.push_back({op.id, kind.name, kind.direction, kind.type, yes(!of.tc.empty()), all, of.tc_ns,
                              of.other_ns, share, std::ssize(of.tc) + std::ssize(of.other), std::ssize(of.tc),
                              joined(of.tc), std::ssize(of.other), joined(of.other)});
    }
    return report(std::move(table));
}

Report op_type(const Model& model) {
    ResultTable table =
        headed::table("Op Type Summary Report",
                      {headed::text("Op Type"), headed::count("# Ops"), headed::count("# Calls")});
    add_times(table.columns);
    struct Sums {
        std::set<int32_t> ops;
        Times times;
    };
    std::map<std::string, Sums> sums;
    for (const Instance& instance : model.instances) {
        Sums& of = sums[model.kinds[instance.kind].type];
        of.ops.insert(instance.op);
        of.times.add(four_of(instance));
    }
    for (const auto& [type, of] : sums) {
        Row row = {type, std::ssize(of.ops), of.times.calls()};
        add(row, of.times);
        table.rows.push_back(std::move(row));
    }
    return report(std::move(table));
}

// A group has one sample of an iteration: the sum over its calls.
Report group_op(const Model& model) {
    ResultTable table = headed::table(
        "Group Op Report", {headed::text("Name"), headed::count("Num Calls Aggregated"),
                            headed::count("Num TC Eligible Ops"), headed::count("Num Ops Using TC")});
    add_times(table.columns);
    struct Sums {
        std::map<int32_t, Four> iterations;
        int64_t calls = 0, eligible = 0, using_tc = 0;
    };
    std::map<std::string, Sums> sums;
    std::vector<std::vector<Sums*>> groups(model.kinds.size());
    std::vector<bool> met(model.ops.size(), false);
    for (const Instance& instance : model.instances) {
        const OpKind& kind = model.kinds[instance.kind];
        std::vector<Sums*>& of_kind = groups[instance.kind];
        if (of_kind.empty()) {
            of_kind.push_back(&sums[kWholeModel]);
            if (!kind.pseudo)
                for (const std::string& group : groups_of(kind.name))
                    of_kind.push_back(&sums[group]);
        }
        const Op& op = model.ops[instance.op];
        const Four times = four_of(instance);
        for (Sums* of : of_kind) {
            Four& sample = of->iterations[instance.iteration];
            for (size_t i = 0; i < sample.size(); ++i)
                sample[i] += times[i];
            ++of->calls;
            of->eligible += !met[instance.op] && op.eligible;
            of->using_tc += !met[instance.op] && op.uses_tc;
        }
        met[instance.op] = true;
    }
    for (const auto& [name, of] : sums) {
        Times times;
        for (const auto& [iteration, sample] : of.iterations)
            times.add(sample);
        Row row = {name, of.calls, of.eligible, of.using_tc};
        add(row, times);
        table.rows.push_back(std::move(row));
    }
    return report(std::move(table));
}

}  // namespace opsight::query::dlprof
