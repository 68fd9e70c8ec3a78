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

    ResultTable make(std::string name, std::string title) {
        ResultTable table;
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

ResultTable layer_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.layers, Level::kLayer, shape)
        .make("layers", "Layers (Own Ops, Means of an Iteration)");
}

ResultTable op_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.ops, Level::kOp, shape)
        .make("ops", "Ops (Own Time, Means of an Iteration)");
}

ResultTable kernel_changes(const Changes& changes, const TableShape& shape) {
    return Maker(changes, changes.kernels, Level::kKernel, shape)
        .make("kernels", "Kernels, Copies and Sets (Means of an Iteration)");
}

}  // namespace opsight::query
