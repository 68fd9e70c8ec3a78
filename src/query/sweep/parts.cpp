// Ops, op types, layers and kernels over the points of a sweep.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

using Kind = PartOfSweep::Kind;

class Collector {
  public:
    explicit Collector(const SweepSummary& summary) : summary_(summary) {}

    std::vector<PartOfSweep> collect() {
        for (point_ = 0; point_ < summary_.points.size(); ++point_) {
            const auto& runs = summary_.points[point_].runs;
            for (run_ = 0; run_ < runs.size(); ++run_)
                take(*runs[run_]);
        }
        for (PartOfSweep& part : parts_)
            finish(part);
        return std::move(parts_);
    }

  private:
    void take(const RecordedRun& run) {
        for (const OpOfRun& op : run.ops) {
            const double ns = summary_.device_work ? op.gpu_ns : op.cpu_ns;
            add(Kind::kOp, op.layer, op.name, op.direction, ns, op.flops);
            add(Kind::kOpType, {}, op.name, {}, ns, op.flops);
            for (size_t end = op.layer.size(); end > 1 && end != op.layer.npos;
                 end = op.layer.rfind('/', end - 1))
                add(Kind::kLayer, std::string_view(op.layer).substr(0, end), {}, {}, ns, op.flops);
        }
        for (const KernelOfRun& kernel : run.kernels)
            add(Kind::kKernel, {}, kernel.name, {}, kernel.gpu_ns, {});
    }

    void add(Kind kind, std::string_view layer, std::string_view name, std::string_view direction, double ns,
             const std::optional<double>& flops) {
        key_.clear();
        key_ += static_cast<char>('0' + static_cast<int>(kind));
        for (const std::string_view each : {layer, name, direction})
            key_.append(each).push_back('\0');
        const auto [place, added] = places_.try_emplace(key_, parts_.size());
        if (added) {
            PartOfSweep& part = parts_.emplace_back();
            part.kind = kind;
            part.layer = layer;
            part.name = name;
            part.direction = direction;
            part.ns.resize(summary_.points.size());
            part.flops.resize(summary_.points.size());
        }
        PartOfSweep& part = parts_[place->second];
        // Runs of the point that lack it have none of its time.
        part.ns[point_].resize(summary_.points[point_].runs.size(), 0);
        part.ns[point_][run_] += ns;
        if (flops && run_ == 0) part.flops[point_] = part.flops[point_].value_or(0) + *flops;
    }

    static void finish(PartOfSweep& part) {
        for (const std::vector<double>& each : part.ns)
            part.medians.push_back(each.empty() ? -1 : plan::median_of(each));
    }

    const SweepSummary& summary_;
    std::vector<PartOfSweep> parts_;
    absl::flat_hash_map<std::string, size_t> places_;
    std::string key_;
    size_t point_ = 0, run_ = 0;
};

double most_of(const PartOfSweep& part) {
    return *std::max_element(part.medians.begin(), part.medians.end());
}

std::string_view title_of(Kind kind) {
    switch (kind) {
        case Kind::kOp:
            return "Ops";
        case Kind::kOpType:
            return "Op Types";
        case Kind::kLayer:
            return "Layers, with All in Them";
        case Kind::kKernel:
            return "Kernels";
    }
    return {};
}

std::string_view table_name_of(Kind kind) {
    switch (kind) {
        case Kind::kOp:
            return "ops";
        case Kind::kOpType:
            return "op_types";
        case Kind::kLayer:
            return "layers";
        case Kind::kKernel:
            return "kernels";
    }
    return {};
}

}  // namespace

std::string_view name_of(Kind kind) {
    switch (kind) {
        case Kind::kOp:
            return "op";
        case Kind::kOpType:
            return "op type";
        case Kind::kLayer:
            return "layer";
        case Kind::kKernel:
            return "kernel";
    }
    return {};
}

std::string PartOfSweep::label() const {
    if (kind != Kind::kOp) return kind == Kind::kLayer ? layer : name;
    return fmt::format("{}{}{}", name,
                       direction == "other" || direction.empty() ? "" : fmt::format(" ({})", direction),
                       layer == "/" ? "" : " in " + layer);
}

std::vector<PartOfSweep> parts_of(const SweepSummary& summary) {
    std::vector<PartOfSweep> parts = Collector(summary).collect();
    std::stable_sort(parts.begin(), parts.end(), [](const PartOfSweep& a, const PartOfSweep& b) {
        if (a.kind != b.kind) return a.kind < b.kind;
        return most_of(a) > most_of(b);
    });
    return parts;
}

ResultTable part_table(const SweepSummary& summary, const std::vector<PartOfSweep>& parts, Kind kind,
                       const TableShape& shape) {
    ResultTable table;
    table.name = table_name_of(kind);
    table.title = fmt::format("{}: {} of an Iteration", title_of(kind),
                              summary.device_work || kind == Kind::kKernel ? "GPU Time" : "Own CPU Time");
    table.columns = {{"name", "Name"}};
    std::vector<size_t> shown;
    for (size_t i = 0; i < summary.points.size(); ++i) {
        if (!summary.points[i].ok()) continue;
        const std::string& name = summary.points[i].point->name;
        table.columns.push_back({name + "_ns", name + " (ns)", Unit::kNs, 0});
        shown.push_back(i);
    }
    // A narrow terminal keeps the first and the last points, then every other, ...
    for (size_t i = 1; i + 1 < shown.size(); ++i) {
        int priority = 1;
        for (size_t place = i; place % 2 == 1; place /= 2)
            ++priority;
        table.columns[i + 1].priority = priority;
    }
    int64_t all = 0;
    for (const PartOfSweep& part : parts) {
        if (part.kind != kind || most_of(part) <= 0) continue;
        if (++all > shape.limit && shape.limit > 0) continue;
        std::vector<Cell> row;
        row.emplace_back(part.label());
        for (const size_t i : shown)
            row.push_back(cell_of(part.medians[i] < 0 ? std::nullopt : std::optional(part.medians[i])));
        table.rows.push_back(std::move(row));
    }
    table.rows_in_all = all;
    return table;
}

std::vector<std::string> op_set_notes(const SweepSummary& summary, const std::vector<PartOfSweep>& parts) {
    constexpr size_t kNamed = 4;
    std::vector<std::string> names;
    std::set<std::string> where;
    size_t others = 0, all = 0;
    for (const PartOfSweep& part : parts) {
        if (part.kind != Kind::kOp) continue;
        ++all;
        size_t lacking = 0;
        for (size_t i = 0; i < summary.points.size(); ++i)
            if (summary.points[i].ok() && part.medians[i] < 0) {
                ++lacking;
                where.insert(summary.points[i].point->name);
            }
        if (lacking == 0) continue;
        if (++others <= kNamed) names.push_back(part.label());
    }
    if (others == 0) return {};
    return {fmt::format(
        "the iterations of the points do not have the same ops: {} of {} are not in every point ({}{}); {} "
        "lack some. Such ops are compared over the points that have them",
        others, all, fmt::join(names, ", "), others > kNamed ? ", ..." : "",
        where.size() <= kNamed ? fmt::format("{}", fmt::join(where, ", "))
                               : fmt::format("{} points", where.size()))};
}

}  // namespace opsight::query
