// The layers, ops and kernels of a comparison as tables.
#include <fmt/format.h>

#include "query/compare/comparison.h"

namespace opsight::query {
namespace {

enum class Level : uint8_t { kLayer, kOp, kKernel };

class Maker {
  public:
    Maker(const Changes& changes, const std::vector<Change>& rows, Level level, const TableShape& shape)
        : changes_(changes), rows_(rows), level_(level), people_(shape.for_people) {
        const size_t all = rows.size();
        shown_ = shape.limit > 0 ? std::min(all, static_cast<size_t>(shape.limit)) : all;
    }

    // Kernels before and after as they were launched.
    ResultTable launches() {
        ResultTable table;
        table.name = "launches";
        table.title = changes_.whole ? "Kernels and Their Launches (Times of the Recording)"
                                     : "Kernels and Their Launches (Times Are Means of an Iteration)";
        text(table, {"kernel", "Kernel"}, [](const Change& row) { return row.kernel; });
        text(table, {"kind", "Change", Unit::kNone, 1},
             [](const Change& row) { return std::string(change_name(row.kind)); });
        calls(table);
        times(table, true);
        text(table, {"verdict", "Difference Is", Unit::kNone, 3},
             [](const Change& row) { return std::string(verdict_name(row.samples.verdict)); });
        launch(table, "registers", "Registers", Unit::kCount, 1,
               [](const LaunchShape& each) { return known(each.registers); });
        launch(table, "shared_bytes", "Shared Memory", Unit::kBytes, 1,
               [](const LaunchShape& each) { return known(each.shared_bytes); });
        launch(table, "occupancy_pct", "Occupancy", Unit::kPercent, 1, [](const LaunchShape& each) {
            return each.occupancy_pct < 0 ? Cell{} : Cell{each.occupancy_pct};
        });
        launch(table, "waves", "Waves", Unit::kNone, 2,
               [](const LaunchShape& each) { return each.waves <= 0 ? Cell{} : Cell{each.waves}; });
        launch(table, "grid", "Grid", Unit::kNone, 1,
               [](const LaunchShape& each) { return dimensions(each.grid); });
        launch(table, "block", "Block", Unit::kNone, 2,
               [](const LaunchShape& each) { return dimensions(each.block); });
        launch(table, "ways", "Ways Launched", Unit::kCount, 5,
               [](const LaunchShape& each) { return Cell{each.ways}; });
        text(table, {"op", "Op", Unit::kNone, 4}, [](const Change& row) { return row.op; });
        text(table, {"layer", "Layer", Unit::kNone, 4}, [](const Change& row) { return row.layer; });
        if (shown_ < rows_.size()) table.rows_in_all = std::ssize(rows_);
        return table;
    }

    // `shown`: what a reader looks for: the name, what changed, by how much, and whether that is noise.
    ResultTable make(std::string name, std::string title, std::vector<std::string_view> shown) {
        ResultTable table;
        table.shown = std::move(shown);
        table.name = std::move(name);
        table.title = std::move(title);
        names(table);
        text(table, {"kind", "Change"}, [](const Change& row) { return std::string(change_name(row.kind)); });
        if (level_ != Level::kLayer) calls(table);
        times(table, true);
        if (level_ != Level::kKernel) times(table, false);
        text(table, {"verdict", "Difference Is"},
             [](const Change& row) { return std::string(verdict_name(row.samples.verdict)); });
        add(table, {"p", "p", Unit::kNone, 7, Role::kNumber},
            [this](const Change& row) { return p_cell(row.samples.p, people_); });
        text(table, {"evidence", "Before -> After", Unit::kNone, 2},
             [](const Change& row) { return row.evidence; });
        if (!people_) places(table);
        if (shown_ < rows_.size()) table.rows_in_all = std::ssize(rows_);
        return table;
    }

  private:
    template <class Get>
    void add(ResultTable& table, Column column, Get&& get) {
        table.columns.push_back(std::move(column));
        table.rows.resize(shown_);
        for (size_t i = 0; i < shown_; ++i)
            table.rows[i].push_back(get(rows_[i]));
    }
    template <class Get>
    void text(ResultTable& table, Column column, Get&& get) {
        add(table, std::move(column), [&get](const Change& row) {
            std::string value = get(row);
            return value.empty() ? Cell{} : Cell{std::move(value)};
        });
    }

    void names(ResultTable& table) {
        if (level_ == Level::kKernel)
            text(table, {"kernel", "Kernel"}, [](const Change& row) { return row.kernel; });
        if (level_ != Level::kLayer) {
            text(table, {"op", "Op", Unit::kNone, level_ == Level::kKernel ? 3 : 0},
                 [](const Change& row) { return row.op; });
            text(table, {"direction", "Direction", Unit::kNone, 5},
                 [](const Change& row) { return row.direction; });
        }
        text(table, {"layer", "Layer", Unit::kNone, level_ == Level::kLayer ? 0 : 4},
             [](const Change& row) { return row.layer; });
    }

    // Where it is found in the profiles themselves.
    void places(ResultTable& table) {
        text(table, {"base_layer", "Base Layer"},
             [](const Change& row) { return row.base ? row.base->layer : std::string(); });
        text(table, {"new_layer", "New Layer"},
             [](const Change& row) { return row.next ? row.next->layer : std::string(); });
        if (level_ == Level::kLayer) return layers(table);
        const auto id = [](const std::optional<ChangeSide>& side) {
            return side && side->op_id >= 0 ? Cell{side->op_id} : Cell{};
        };
        add(table, {"base_op_id", "Base Op ID", Unit::kCount, 0, Role::kId},
            [&id](const Change& row) { return id(row.base); });
        add(table, {"new_op_id", "New Op ID", Unit::kCount, 0, Role::kId},
            [&id](const Change& row) { return id(row.next); });
    }

    // Those that a loop calls on the other side are one row.
    void layers(ResultTable& table) {
        const auto of = [](const std::optional<ChangeSide>& side) {
            return side ? Cell{side->layers} : Cell{};
        };
        add(table, {"base_layers", "Base Layers", Unit::kCount, 7},
            [&of](const Change& row) { return of(row.base); });
        add(table, {"new_layers", "New Layers", Unit::kCount, 7},
            [&of](const Change& row) { return of(row.next); });
    }

    static Cell known(int64_t value) { return value < 0 ? Cell{} : Cell{value}; }
    static Cell dimensions(const std::array<int64_t, 3>& of) {
        return of[0] < 0 ? Cell{} : Cell{fmt::format("{} x {} x {}", of[0], of[1], of[2])};
    }
    template <class Get>
    void launch(ResultTable& table, const std::string& key, const std::string& head, Unit unit, int priority,
                Get&& get) {
        const auto of = [&get](const std::optional<ChangeSide>& side) {
            return side && side->launch ? get(*side->launch) : Cell{};
        };
        const std::string in = unit == Unit::kPercent ? " (%)" : unit == Unit::kBytes ? " (bytes)" : "";
        const Role role = unit == Unit::kNone && key == "waves" ? Role::kNumber : Role::kValue;
        add(table, {"base_" + key, "Base " + head + in, unit, priority, role},
            [&of](const Change& row) { return of(row.base); });
        add(table, {"new_" + key, "New " + head + in, unit, priority, role},
            [&of](const Change& row) { return of(row.next); });
    }

    void calls(ResultTable& table) {
        const auto of = [](const std::optional<ChangeSide>& side) {
            return side ? Cell{side->calls} : Cell{};
        };
        add(table, {"base_calls", "Base Calls", Unit::kNone, 6, Role::kNumber},
            [&of](const Change& row) { return of(row.base); });
        add(table, {"new_calls", "New Calls", Unit::kNone, 6, Role::kNumber},
            [&of](const Change& row) { return of(row.next); });
    }

    // For people those that the rows are ordered by, alone.
    void times(ResultTable& table, bool gpu) {
        const bool either = changes_.host_binds && changes_.by_gpu;
        const bool measured = level_ == Level::kKernel || either || gpu == changes_.by_gpu;
        if (people_ && !measured) return;
        const std::string key = gpu ? "gpu" : "cpu", head = gpu ? "GPU" : "CPU";
        const bool before = gpu ? changes_.base_gpu : changes_.base_cpu,
                   after = gpu ? changes_.next_gpu : changes_.next_cpu;
        const auto ns = [gpu](const std::optional<ChangeSide>& side) {
            return side ? (gpu ? side->gpu_ns : side->cpu_ns) : 0;
        };
        add(table, {"base_" + key + "_ns", "Base " + head + " (ns)", Unit::kNs, 1},
            [&](const Change& row) { return before && row.base ? Cell{ns(row.base)} : Cell{}; });
        add(table, {"new_" + key + "_ns", "New " + head + " (ns)", Unit::kNs, 1},
            [&](const Change& row) { return after && row.next ? Cell{ns(row.next)} : Cell{}; });
        add(table, {key + "_difference_ns", head + " Difference (ns)", Unit::kNs},
            [&](const Change& row) { return before && after ? Cell{ns(row.next) - ns(row.base)} : Cell{}; });
    }

    const Changes& changes_;
    const std::vector<Change>& rows_;
    Level level_;
    bool people_;
    size_t shown_ = 0;
};

}  // namespace

std::string_view change_name(ChangeKind kind) {
    switch (kind) {
        case ChangeKind::kAdded:
            return "added";
        case ChangeKind::kRemoved:
            return "removed";
        case ChangeKind::kReplaced:
            return "replaced";
        case ChangeKind::kRenamed:
            return "renamed";
        case ChangeKind::kMoved:
            return "moved";
        case ChangeKind::kOtherShape:
            return "other shape";
        case ChangeKind::kOtherDtype:
            return "other dtype";
        case ChangeKind::kTensorCoresLost:
            return "Tensor Cores lost";
        case ChangeKind::kTensorCoresGained:
            return "Tensor Cores gained";
        case ChangeKind::kOtherKernels:
            return "other kernels";
        case ChangeKind::kOtherCopies:
            return "other copies";
        case ChangeKind::kMoreCalls:
            return "more calls";
        case ChangeKind::kFewerCalls:
            return "fewer calls";
        case ChangeKind::kSlower:
            return "slower";
        case ChangeKind::kFaster:
            return "faster";
        case ChangeKind::kSame:
            break;
    }
    return "same work";
}

ResultTable layer_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.layers, Level::kLayer, shape)
        .make(
            "layers",
            changes.whole ? "Layers (Own Ops, of the Recording)" : "Layers (Own Ops, Means of an Iteration)",
            {"layer", "kind", "gpu_difference_ns", "base_gpu_ns", "new_gpu_ns", "cpu_difference_ns",
             "verdict", "evidence"});
}

ResultTable op_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.ops, Level::kOp, shape)
        .make("ops",
              changes.whole ? "Ops (Own Time, of the Recording)" : "Ops (Own Time, Means of an Iteration)",
              {"op", "kind", "gpu_difference_ns", "base_gpu_ns", "new_gpu_ns", "cpu_difference_ns", "verdict",
               "evidence", "layer"});
}

ResultTable kernel_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.kernels, Level::kKernel, shape)
        .make("kernels",
              changes.whole ? "Kernels, Copies and Sets (of the Recording)"
                            : "Kernels, Copies and Sets (Means of an Iteration)",
              {"kernel", "kind", "gpu_difference_ns", "base_gpu_ns", "new_gpu_ns", "verdict", "op", "layer"});
}

ResultTable launch_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.kernels, Level::kKernel, shape).launches();
}

}  // namespace opsight::query
