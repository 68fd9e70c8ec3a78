#include "query/dlprof/tables.h"

#include <algorithm>
#include <set>

namespace opsight::dlprof {
namespace {

using Row = std::vector<Cell>;

std::string yes(bool value) {
    return value ? "yes" : "no";
}

// DLProf writes "Avg. CPU Time" in the reports of ops and "Avg GPU Time" in that of kernels.
void add_metric(std::vector<Column>& columns, const std::string& what, const char* average = "Avg.") {
    columns.push_back({"Total " + what + " (ns)"});
    columns.push_back({std::string(average) + " " + what + " (ns)"});
    columns.push_back({"Min " + what + " (ns)"});
    columns.push_back({"Max " + what + " (ns)"});
}

void add_times(std::vector<Column>& columns) {
    for (const char* what : {"CPU Time", "GPU Time", "CPU Overhead", "GPU Idle"})
        add_metric(columns, what);
}

void add(Row& row, const Metric& metric) {
    row.insert(row.end(), {metric.sum, metric.average(), metric.least, metric.most});
}

void add(Row& row, const Times& times) {
    add(row, times.cpu);
    add(row, times.gpu);
    add(row, times.overhead);
    add(row, times.idle);
}

Report report(std::string name, Table table) {
    Report made;
    made.name = std::move(name);
    made.tables.push_back(std::move(table));
    return made;
}

std::vector<Times> times_of_ops(const Model& model) {
    std::vector<Times> times(model.ops.size());
    for (const Instance& instance : model.instances)
        times[instance.op].add(instance);
    return times;
}

// Ops with instances, by falling GPU time, then CPU time, then id.
std::vector<int32_t> ops_by_time(const Model& model, const std::vector<Times>& times) {
    std::vector<int32_t> order;
    for (size_t op = 0; op < times.size(); ++op)
        if (times[op].cpu.count > 0) order.push_back(static_cast<int32_t>(op));
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return std::tuple(-times[a].gpu.sum, -times[a].cpu.sum, std::string_view(model.ops[a].id), a) <
               std::tuple(-times[b].gpu.sum, -times[b].cpu.sum, std::string_view(model.ops[b].id), b);
    });
    return order;
}

std::string joined(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

// "/", "/a/", "/a/b/" of "/a/b/conv2d".
std::vector<std::string> groups_of(std::string name) {
    if (!name.starts_with('/')) name.insert(0, 1, '/');
    std::vector<std::string> groups;
    for (size_t slash = 0; slash != name.npos; slash = name.find('/', slash + 1))
        groups.push_back(name.substr(0, slash + 1));
    return groups;
}

std::vector<Column> columns_of_iteration() {
    return {{"Iteration"},
            {"Op ID", Kind::kText},
            {"Op Name", Kind::kText},
            {"Direction", Kind::kWord},
            {"Op Type", Kind::kWord},
            {"Kernel Name", Kind::kText},
            {"Device ID"},
            {"GPU Start Time (ns)"},
            {"GPU Duration (ns)"},
            {"API Call Start (ns)"},
            {"API Call Time (ns)"},
            {"Uses TC", Kind::kWord},
            {"Grid X"},
            {"Grid Y"},
            {"Grid Z"},
            {"Block X"},
            {"Block Y"},
            {"Block Z"},
            {"Data Types", Kind::kText},
            {"Input Shapes", Kind::kText},
            {"Parameters", Kind::kText},
            {"Output Shapes", Kind::kText},
            {"Long Kernel Name", Kind::kText}};
}

}  // namespace

Report detailed(const Model& model) {
    Table table{"All Iterations",
                {{"Op ID", Kind::kText},
                 {"Op Name", Kind::kText},
                 {"Direction", Kind::kWord},
                 {"Op Type", Kind::kWord},
                 {"No. Calls"},
                 {"TC Eligible", Kind::kWord},
                 {"Using TC", Kind::kWord}},
                {}};
    add_times(table.columns);
    table.columns.push_back({"Data Type", Kind::kWord});
    table.columns.push_back({"Stack Trace", Kind::kText});
    const std::vector<Times> times = times_of_ops(model);
    for (const int32_t index : ops_by_time(model, times)) {
        const Op& op = model.ops[index];
        Row row = {op.id,          op.name, op.direction, op.type, times[index].cpu.count, yes(op.eligible),
                   yes(op.uses_tc)};
        add(row, times[index]);
        row.emplace_back(op.data_type);
        row.emplace_back(op.stack);
        table.rows.push_back(std::move(row));
    }
    return report("detailed", std::move(table));
}

Report iteration(const Model& model, const Shown& shown) {
    Table table{"Iteration Report", columns_of_iteration(), {}};
    const Recording& r = model.recording;
    std::vector<const Work*> order;
    for (const Work& w : model.work)
        if (w.kind == 0) order.push_back(&w);
    std::stable_sort(order.begin(), order.end(),
                     [](const Work* a, const Work* b) { return a->iteration < b->iteration; });
    for (const Work* w : order) {
        const Op& op = model.ops[w->op];
        const KernelName& kernel = r.kernels.at(w->kernel);
        const int32_t known = model.instances[w->instance].details;
        const Details details = known >= 0 ? model.details.at(known) : Details();
        const Cell device = w->device >= 0 ? Cell(r.devices.at(w->device).number) : Cell();
        const Cell call = w->call_begin >= 0 ? Cell(shown(w->call_begin)) : Cell();
        Row row = {int64_t{w->iteration},
                   op.id,
                   op.name,
                   op.direction,
                   op.type,
                   kernel.base,
                   device,
                   shown(w->begin),
                   w->end - w->begin,
                   call,
                   w->call_ns,
                   yes(kernel.uses_tc)};
        for (size_t i = 0; i < 6; ++i) {
            const int64_t size = w->config >= 0 ? r.configs.at(w->config)[i] : -1;
            row.push_back(size < 0 ? Cell() : Cell(size));
        }
        row.insert(row.end(),
                   {details.data_types, details.shapes, details.parameters, details.outputs, kernel.name});
        table.rows.push_back(std::move(row));
    }
    return report("iteration", std::move(table));
}

Report kernel(const Model& model) {
    Table table{"Kernel Report",
                {{"Kernel Name", Kind::kText},
                 {"Op ID", Kind::kText},
                 {"Op Name", Kind::kText},
                 {"Direction", Kind::kWord},
                 {"Uses TC", Kind::kWord}},
                {}};
    add_metric(table.columns, "GPU Time", "Avg");
    add_metric(table.columns, "API Time", "Avg");
    struct Sums {
        Metric gpu, api;
        bool uses_tc = false;
    };
    std::map<std::pair<std::string, int32_t>, Sums> sums;
    for (const Work& w : model.work) {
        if (w.kind != 0) continue;
        const KernelName& name = model.recording.kernels.at(w.kernel);
        Sums& of = sums[{name.base, w.op}];
        of.gpu.add(w.end - w.begin);
        of.api.add(w.call_ns);
        of.uses_tc |= name.uses_tc;
    }
    std::vector<std::pair<std::pair<std::string, int32_t>, Sums>> order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.gpu.sum > b.second.gpu.sum; });
    for (const auto& [key, of] : order) {
        const Op& op = model.ops[key.second];
        Row row = {key.first, op.id, op.name, op.direction, yes(of.uses_tc)};
        add(row, of.gpu);
        add(row, of.api);
        table.rows.push_back(std::move(row));
    }
    return report("kernel", std::move(table));
}

Report tensor_core(const Model& model) {
    Table table{"Tensor Core Report",
                {{"Op ID", Kind::kText},
                 {"Op Name", Kind::kText},
                 {"Direction", Kind::kWord},
                 {"Op Type", Kind::kWord},
                 {"Uses TC", Kind::kWord},
                 {"Total GPU Time (ns)"},
                 {"TC GPU Time (ns)"},
                 {"Non-TC GPU Time (ns)"},
                 {"TC Utilization (%)", Kind::kPercent},
                 {"Total Kernel Count"},
                 {"TC Kernel Count"},
                 {"TC Kernel Names", Kind::kText},
                 {"Non-TC Kernel Count"},
                 {"Non-TC Kernel Names", Kind::kText}},
                {}};
    struct Sums {
        int64_t tc_ns = 0, other_ns = 0;
        std::set<std::string> tc, other;
    };
    std::vector<Sums> sums(model.ops.size());
    for (const Work& w : model.work) {
        if (w.kind != 0) continue;
        const KernelName& name = model.recording.kernels.at(w.kernel);
        Sums& of = sums[w.op];
        (name.uses_tc ? of.tc_ns : of.other_ns) += w.end - w.begin;
        (name.uses_tc ? of.tc : of.other).insert(name.base);
    }
    for (const int32_t index : ops_by_time(model, times_of_ops(model))) {
        const Op& op = model.ops[index];
        if (!op.eligible) continue;
        const Sums& of = sums[index];
        const int64_t all = of.tc_ns + of.other_ns;
        const double share = all > 0 ? 100.0 * static_cast<double>(of.tc_ns) / static_cast<double>(all) : 0;
        table.rows.push_back({op.id, op.name, op.direction, op.type, yes(!of.tc.empty()), all, of.tc_ns,
                              of.other_ns, share, std::ssize(of.tc) + std::ssize(of.other), std::ssize(of.tc),
                              joined(of.tc), std::ssize(of.other), joined(of.other)});
    }
    return report("tensor_core", std::move(table));
}

Report op_type(const Model& model) {
    Table table{"Op Type Summary Report", {{"Op Type", Kind::kWord}, {"# Ops"}, {"# Calls"}}, {}};
    add_times(table.columns);
    struct Sums {
        std::set<int32_t> ops;
        Times times;
    };
    std::map<std::string, Sums> sums;
    for (const Instance& instance : model.instances) {
        Sums& of = sums[model.ops[instance.op].type];
        of.ops.insert(instance.op);
        of.times.add(instance);
    }
    std::vector<std::pair<std::string, Sums>> order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.times.gpu.sum, a.second.times.cpu.sum) >
               std::pair(b.second.times.gpu.sum, b.second.times.cpu.sum);
    });
    for (const auto& [type, of] : order) {
        Row row = {type, std::ssize(of.ops), of.times.cpu.count};
        add(row, of.times);
        table.rows.push_back(std::move(row));
    }
    return report("op_type", std::move(table));
}

Report group_op(const Model& model) {
    Table table{
        "Group Op Report",
        {{"Name", Kind::kText}, {"Num Calls Aggregated"}, {"Num TC Eligible Ops"}, {"Num Ops Using TC"}},
        {}};
    add_times(table.columns);
    struct Sums {
        Times times;
        int64_t eligible = 0, using_tc = 0;
    };
    std::map<std::string, Sums> sums;
    std::vector<std::vector<Sums*>> groups(model.ops.size());
    std::vector<bool> met(model.ops.size(), false);
    for (const Instance& instance : model.instances) {
        const Op& op = model.ops[instance.op];
        std::vector<Sums*>& of_op = groups[instance.op];
        if (!met[instance.op])
            for (const std::string& group : groups_of(op.name)) {
                of_op.push_back(&sums[group]);
                of_op.back()->eligible += op.eligible;
                of_op.back()->using_tc += op.uses_tc;
            }
        met[instance.op] = true;
        for (Sums* of : of_op)
            of->times.add(instance);
    }
    for (const auto& [name, of] : sums) {
        Row row = {name, of.times.cpu.count, of.eligible, of.using_tc};
        add(row, of.times);
        table.rows.push_back(std::move(row));
    }
    return report("group_op", std::move(table));
}

}  // namespace opsight::dlprof
