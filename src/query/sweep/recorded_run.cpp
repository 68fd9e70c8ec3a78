#include "query/sweep/recorded_run.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "query/compare/side.h"
#include "query/reports/headline.h"
#include "query/reports/work.h"
#include "query/session/cells.h"
#include "query/sweep/sql.h"

namespace opsight::query {
namespace {

struct Work {
    std::optional<double> flops;
    bool has_gaps = false;
    double bound_ns = 0, bounded_ns = 0;
};

Result<std::map<int64_t, Work>> work_of_ops(Session& session, int64_t rank) {
    TableShape shape;
    shape.by_rank = true;
    OPSIGHT_TRY(make_work_rows(session, shape, "op"));
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sweep::sql::work_of_ops).set("rank", rank)));
    std::map<int64_t, Work> out;
    for (const auto& row : rows.rows) {
        Work& work = out[integer(row[0], -1)];
        if (!std::holds_alternative<std::monostate>(row[1])) work.flops = real(row[1]);
        work.has_gaps = flag(row[2]);
        work.bound_ns = real(row[3]);
        work.bounded_ns = real(row[4]);
    }
    return out;
}

void add_to(std::optional<double>& sum, const std::optional<double>& more) {
    if (more) sum = sum.value_or(0) + *more;
}

// Everything that the tree and the counted work tell, for an iteration.
void take_work(const Side& side, const std::map<int64_t, Work>& works, RecordedRun& run) {
    const auto iterations = static_cast<double>(std::max<int64_t>(1, side.work.iterations));
    std::map<std::tuple<size_t, std::string, std::string>, size_t> places;
    std::map<std::string, size_t> kernels;
    for (const TreeOp& op : side.work.ops) {
        const auto [place, added] = places.try_emplace({op.layer, op.name, op.direction}, run.ops.size());
        if (added) run.ops.push_back({side.work.layers.at(op.layer).path, op.name, op.direction});
        OpOfRun& into = run.ops[place->second];
        into.cpu_ns += static_cast<double>(op.cpu.ns) / iterations;
        into.gpu_ns += static_cast<double>(op.gpu.ns) / iterations;
        into.calls += static_cast<double>(op.cpu.calls) / iterations;
        if (const auto work = works.find(op.id); work != works.end() && work->second.flops)
            add_to(into.flops, *work->second.flops / iterations);
        for (const DeviceWork& each : op.work) {
            const auto [kernel, is_new] = kernels.try_emplace(each.name, run.kernels.size());
            if (is_new) run.kernels.push_back({each.name});
            run.kernels[kernel->second].gpu_ns += static_cast<double>(each.gpu.ns) / iterations;
            run.kernels[kernel->second].calls += static_cast<double>(each.gpu.calls) / iterations;
        }
    }
    for (const auto& [op, work] : works) {
        if (work.flops) add_to(run.flops, *work.flops / iterations);
        run.flops_at_least |= work.has_gaps;
        if (work.bounded_ns > 0) {
            add_to(run.bound_ns, work.bound_ns / iterations);
            add_to(run.bounded_ns, work.bounded_ns / iterations);
        }
    }
}

Status take_utilization(Session& session, const Side& side, RecordedRun& run) {
    double idle = 0, all = 0;
    for (const IterationShares& each : side.samples) {
        idle += static_cast<double>(each.ns[kIdleResource]);
        all += static_cast<double>(each.dur_ns);
    }
    const bool idle_told = std::any_of(side.classes.begin(), side.classes.end(), [](const BudgetClass& each) {
        return each.resource == kIdleResource && each.told;
    });
    if (idle_told && all > 0) run.busy_pct = 100 * (1 - idle / all);
    if (!side.contents.device_work) return {};  // nothing of devices to tell
    OPSIGHT_ASSIGN(const ResultTable head, headline(session, {}));
    for (size_t i = 0; i < head.columns.size(); ++i)
        if (head.columns[i].key == "gpu_utilization_pct")
            if (const double* told = std::get_if<double>(&head.rows.at(0)[i]))
                run.gpu_utilization_pct = *told;
    return {};
}

std::string machine_of(const Info& info) {
    for (size_t i = 0; i < info.devices.columns.size(); ++i)
        if (info.devices.columns[i].key == "name" && !info.devices.rows.empty())
            if (const auto* name = std::get_if<std::string>(&info.devices.rows[0][i]); name && !name->empty())
                return *name;
    for (const auto& [key, value] : info.properties)
        if (key == "cpu_model") return value;
    return {};
}

}  // namespace

Result<RecordedRun> read_recorded_run(Session& session, const std::string& label) {
    OPSIGHT_ASSIGN(const Side side, read_side(session, label));
    OPSIGHT_ASSIGN(const auto works, work_of_ops(session, side.rank));
    RecordedRun run;
    run.times_ns = side.times();
    run.whole = side.range.whole;
    run.left_out = run.whole ? 0 : std::max<int64_t>(0, side.range.total - side.range.selected);
    run.found_by = side.range.source;
    run.device_work = side.contents.device_work;
    if (side.state.memory_held) run.memory_bytes = *side.state.memory_held;
    run.memory_place = side.state.memory_place;
    run.machine = machine_of(side.info);
    take_work(side, works, run);
    OPSIGHT_TRY(take_utilization(session, side, run));
    return run;
}

}  // namespace opsight::query
