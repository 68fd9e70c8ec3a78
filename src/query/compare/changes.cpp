#include "query/compare/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>

#include "query/compare/batch_size.h"
#include "query/compare/change_sums.h"
#include "query/compare/row_order.h"

namespace opsight::query {
namespace {

class Finder {
  public:
    Finder(const WorkTree& base, const WorkTree& next, bool host_binds) : base_(base), next_(next) {
        out_.host_binds = host_binds;
        out_.base_gpu = base.gpu.calls > 0;
        out_.next_gpu = next.gpu.calls > 0;
        out_.base_cpu = base.cpu.calls > 0;
        out_.next_cpu = next.cpu.calls > 0;
        out_.by_gpu = out_.base_gpu && out_.next_gpu;
        base_batches_ = std::max({size_t{1}, base.gpu.samples.size(), base.cpu.samples.size()});
        next_batches_ = std::max({size_t{1}, next.gpu.samples.size(), next.cpu.samples.size()});
    }

    Changes find() {
        const Alignment alignment = align(base_, next_);
        out_.without_layers = alignment.without_layers;
        for (const OpMatch& each : alignment.ops)
            op(each);
        if (out_.without_layers)
            all_ops();
        else
            for (const LayerMatch& each : alignment.layers)
                layer(each);
        matched(alignment);
        finish_groups();
        for (auto* level : {&out_.layers, &out_.ops, &out_.kernels})
            put_in_order(*level);
        return std::move(out_);
    }

    std::vector<Change> find_totals() {
        const Alignment alignment = align(base_, next_);
        if (alignment.without_layers) return {};
        const std::vector<Sum> base = sums_below(base_), next = sums_below(next_);
        for (const LayerMatch& each : alignment.layers)
            layer(each, sum_of(base, each.base, each.more_base), sum_of(next, each.next, each.more_next));
        return std::move(out_.layers);
    }

  private:
    const Amount& measure(const TreeOp& op) const { return out_.by_gpu ? op.gpu : op.cpu; }

    void matched(const Alignment& alignment) {
        int64_t before = 0, after = 0;
        for (const OpMatch& each : alignment.ops) {
            if (each.how != How::kPlace && each.how != How::kMoved) continue;
            for (const size_t op : each.base)
                before += measure(base_.ops[op]).ns;
            for (const size_t op : each.next)
                after += measure(next_.ops[op]).ns;
        }
        const int64_t base = out_.by_gpu ? base_.gpu.ns : base_.cpu.ns,
                      next = out_.by_gpu ? next_.gpu.ns : next_.cpu.ns;
        if (base <= 0 && next <= 0) return;
        const auto share = [](int64_t part, int64_t all) {
            return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
        };
        out_.base_matched = share(before, base);
        out_.next_matched = share(after, next);
    }
    // Before the rows are put in order.
    void finish_groups() {
        for (auto& [kind, group] : groups_) {
            ChangeGroup& made = group.made;
            made.gpu = compared(group.base.gpu, group.next.gpu, kDeviceRunToRunShare);
            made.cpu = compared(group.base.cpu, group.next.cpu, kRunToRunShare);
            for (const size_t row : group.rows)
                stand_by_part(made.gpu, out_.ops[row].gpu);
            made.most_gpu = out_.ops[made.next_gpu_ns < made.base_gpu_ns ? group.gpu.least : group.gpu.most];
            made.most_cpu = out_.ops[made.next_cpu_ns < made.base_cpu_ns ? group.cpu.least : group.cpu.most];
            out_.groups.push_back(std::move(made));
        }
    }

    static ChangeSide side_of(const Sum& sum, int64_t iterations) {
        return {sum.gpu.mean_ns, sum.cpu.mean_ns,
                static_cast<double>(sum.calls) / static_cast<double>(iterations)};
    }
    void judge(Change& change, const Sum& base, const Sum& next) const {
        if (base.any) change.base = side_of(base, base_.iterations);
        if (next.any) change.next = side_of(next, next_.iterations);
        change.gpu = compared(base.gpu, next.gpu, kDeviceRunToRunShare);
        change.cpu = compared(base.cpu, next.cpu, kRunToRunShare);
        choose_measure(change);
    }
    void choose_measure(Change& change) const {
        change.by_gpu = out_.by_gpu && !(out_.host_binds && differs_more(change.cpu, change.gpu));
        change.samples = change.by_gpu ? change.gpu : change.cpu;
    }
    // What one side does not have took no time there in any iteration.
    SampleDifference compared(const Amount& base, const Amount& next, double run_to_run) const {
        std::vector<int64_t> before = base.samples, after = next.samples;
        before.resize(base_batches_, 0);
        after.resize(next_batches_, 0);
        return base_.by_runs && next_.by_runs ? compare_samples(before, after)
                                              : compare_one_run(before, after, run_to_run);
    }
    void stand_with(Change& row, const Change& part) const {
        stand_by_part(row.gpu, part.gpu);
        choose_measure(row);
    }

    // What two sides that belong together did differently; `other`: by what other work.
    ChangeKind work_kind(const Sum& base, const Sum& next, std::optional<ChangeKind> other,
                         const SampleDifference& samples) const {
        if (lost(base, next)) return ChangeKind::kTensorCoresLost;
        if (lost(next, base)) return ChangeKind::kTensorCoresGained;
        if (other) return *other;
        return other_calls(base, next).value_or(time_kind(samples));
    }
    // What other inputs did to the use of Tensor Cores.
    static std::string_view tensor_core_words(const Sum& base, const Sum& next) {
        if (lost(base, next)) return "; Tensor Cores lost";
        return lost(next, base) ? "; Tensor Cores gained" : "";
    }
    static bool lost(const Sum& from, const Sum& to) {
        return from.tensor_cores && !to.tensor_cores && !to.unknown && to.kernels;
    }
    // Samples that are too few to tell noise may show a difference that is too large to be passed over.
    static ChangeKind time_kind(const SampleDifference& samples) {
        constexpr double kPassedOver = 0.02;
        const bool tells =
            samples.verdict == Verdict::kReal ||
            (is_few(samples.verdict) && differs(samples.base_median, samples.next_median, kPassedOver));
        if (!tells || samples.shift == 0) return ChangeKind::kSame;
        return samples.shift > 0 ? ChangeKind::kSlower : ChangeKind::kFaster;
    }
    std::optional<ChangeKind> other_calls(const Sum& base, const Sum& next) const {
        // As many an iteration, without dividing.
        const auto before = static_cast<long double>(base.calls) * static_cast<long double>(next_.iterations);
        const auto after = static_cast<long double>(next.calls) * static_cast<long double>(base_.iterations);
        if (before == after) return std::nullopt;
        return before < after ? ChangeKind::kMoreCalls : ChangeKind::kFewerCalls;
    }
    // Of a layer the time comes first: a call more or less of some op says little of it.
    ChangeKind layer_kind(const Sum& base, const Sum& next, const SampleDifference& samples) const {
        const ChangeKind kind = work_kind(base, next, {}, samples);
        const bool calls = kind == ChangeKind::kMoreCalls || kind == ChangeKind::kFewerCalls;
        return calls && time_kind(samples) != ChangeKind::kSame ? time_kind(samples) : kind;
    }

    static Sum own_ops(const WorkTree& tree, std::optional<size_t> layer) {
        return layer ? sum_of(tree, tree.layers[*layer].ops) : Sum{};
    }
    static Sum own_ops(const WorkTree& tree, std::optional<size_t> layer, const std::vector<size_t>& more) {
        Sum sum = own_ops(tree, layer);
        for (const size_t each : more)
            sum.add(own_ops(tree, each));
        return sum;
    }
    static Sum sum_of(const std::vector<Sum>& sums, std::optional<size_t> layer,
                      const std::vector<size_t>& more) {
        Sum sum = layer ? sums[*layer] : Sum{};
        for (const size_t each : more)
            sum.add(sums[each]);
        return sum;
    }
    static std::string paths_of(const WorkTree& tree, std::optional<size_t> layer,
                                const std::vector<size_t>& more) {
        if (!layer) return "";
        std::vector<std::string> paths{tree.layers[*layer].path};
        for (const size_t each : more)
            paths.push_back(tree.layers[each].path);
        return shortened_list(paths);
    }
    static std::vector<Sum> sums_below(const WorkTree& tree) {
        std::vector<Sum> sums(tree.layers.size());
        for (size_t i = sums.size(); i-- > 0;) {
            sums[i].add(own_ops(tree, i));
            if (i > 0) sums[tree.layers[i].parent].add(sums[i]);
        }
        return sums;
    }
    // In place of layers that only one side tells of.
    void all_ops() {
        Sum base, next;
        for (const TreeOp& each : base_.ops)
            base.add(each);
        for (const TreeOp& each : next_.ops)
            next.add(each);
        layer({0, 0, How::kPlace}, base, next);
    }
    using RowsOfLayers = std::map<size_t, std::vector<size_t>>;  // of `ops`
    void stand_with_ops(Change& change, const RowsOfLayers& rows, size_t layer) const {
        const auto found = rows.find(layer);
        if (found == rows.end()) return;
        for (const size_t row : found->second)
            stand_with(change, out_.ops[row]);
    }
    void layer(const LayerMatch& match) {
        layer(match, own_ops(base_, match.base, match.more_base),
              own_ops(next_, match.next, match.more_next));
    }
    void layer(const LayerMatch& match, const Sum& base, const Sum& next) {
        Change change;
        const bool elsewhere =
            match.base && match.next &&
            (match.how == How::kRenamed || match.how == How::kMoved || match.how == How::kUnrolled);
        if (!base.any && !next.any && !elsewhere) return;
        const std::string before = match.base ? base_.layers[*match.base].path : "",
                          after = match.next ? next_.layers[*match.next].path : "";
        change.layer = match.base ? before : after;
        judge(change, base, next);
        if (match.base) stand_with_ops(change, rows_of_base_, *match.base);
        if (match.next) stand_with_ops(change, rows_of_next_, *match.next);
        // That it is called otherwise is told even where it has no ops of its own.
        if (elsewhere && !change.base) change.base.emplace();
        if (elsewhere && !change.next) change.next.emplace();
        if (change.base) change.base->layer = before, change.base->layers += std::ssize(match.more_base);
        if (change.next) change.next->layer = after, change.next->layers += std::ssize(match.more_next);
        if (match.base && match.next) {
            if (elsewhere)
                change.evidence = before_after(paths_of(base_, match.base, match.more_base),
                                               paths_of(next_, match.next, match.more_next));
            change.kind = match.how == How::kRenamed    ? ChangeKind::kRenamed
                          : match.how == How::kMoved    ? ChangeKind::kMoved
                          : match.how == How::kUnrolled ? ChangeKind::kReplaced
                                                        : layer_kind(base, next, change.samples);
        } else {
            change.kind = match.base ? ChangeKind::kRemoved : ChangeKind::kAdded;
        }
        out_.layers.push_back(std::move(change));
    }

    static Sum sum_of(const WorkTree& tree, const std::vector<size_t>& ops) {
        Sum sum;
        for (const size_t each : ops)
            sum.add(tree.ops[each]);
        return sum;
    }
    static std::string names_of(const WorkTree& tree, const std::vector<size_t>& ops) {
        std::vector<std::string> names;  // each once: ops of one row may differ in other things
        for (const size_t each : ops)
            if (std::find(names.begin(), names.end(), tree.ops[each].name) == names.end())
                names.push_back(tree.ops[each].name);
        return shortened_list(names);
    }

    void op(const OpMatch& match) {
        const Sum base = sum_of(base_, match.base), next = sum_of(next_, match.next);
        const TreeOp& first =
            match.base.empty() ? next_.ops[match.next.front()] : base_.ops[match.base.front()];
        const WorkTree& tree = match.base.empty() ? next_ : base_;
        Change change;
        change.layer = tree.layers[layer_of(tree, match.base.empty() ? match.next : match.base)].path;
        change.direction = first.direction;
        const std::string before = names_of(base_, match.base), after = names_of(next_, match.next);
        change.op = match.base.empty() ? after : match.next.empty() ? before : before_after(before, after);
        judge(change, base, next);
        name_side(change.base, base_, match.base);
        name_side(change.next, next_, match.next);
        size_t kernel = out_.kernels.size();
        const std::optional<ChangeKind> other_work = kernels(match, change);
        while (kernel < out_.kernels.size())
            stand_with(change, out_.kernels[kernel++]);
        if (match.base.empty() || match.next.empty())
            change.kind = match.base.empty() ? ChangeKind::kAdded : ChangeKind::kRemoved;
        else if (match.how == How::kReplaced)
            change.kind = ChangeKind::kReplaced;
        else
            pair_kind(match, base, next, other_work, change);
        out_.ops.push_back(std::move(change));
        add_to_group(out_.ops.size() - 1, base, next);
        if (!match.base.empty()) rows_of_base_[layer_of(base_, match.base)].push_back(out_.ops.size() - 1);
        if (!match.next.empty()) rows_of_next_[layer_of(next_, match.next)].push_back(out_.ops.size() - 1);
    }
    static void name_side(std::optional<ChangeSide>& side, const WorkTree& tree,
                          const std::vector<size_t>& ops) {
        if (!side) return;
        side->op_id = tree.ops[ops.front()].id;
        side->layer = tree.layers[layer_of(tree, ops)].path;
    }
    // The layer that holds all of them; parents come first.
    static size_t layer_of(const WorkTree& tree, const std::vector<size_t>& ops) {
        size_t layer = tree.ops[ops.front()].layer;
        for (const size_t op : ops)
            for (size_t other = tree.ops[op].layer; other != layer;)
                (other > layer ? other : layer) = tree.layers[std::max(other, layer)].parent;
        return layer;
    }

    // Places in `ops` of the rows that grew and shrank most, and by how much.
    struct Extremes {
        size_t least = 0, most = 0;
        int64_t least_ns = std::numeric_limits<int64_t>::max(), most_ns = std::numeric_limits<int64_t>::min();
        void look(size_t row, int64_t ns) {
            if (ns < least_ns) least = row, least_ns = ns;
            if (ns > most_ns) most = row, most_ns = ns;
        }
    };
    struct Group {
        Sum base, next;
        std::vector<size_t> rows;  // of `ops`
        Extremes gpu, cpu;
        ChangeGroup made;
    };
    void add_to_group(size_t row, const Sum& base, const Sum& next) {
        Group& group = groups_[out_.ops[row].kind];
        group.rows.push_back(row);
        const auto add = [](Sum& into, const Sum& more) {
            into.gpu.add(more.gpu);
            into.cpu.add(more.cpu);
        };
        add(group.base, base);
        add(group.next, next);
        group.gpu.look(row, next.gpu.mean_ns - base.gpu.mean_ns);
        group.cpu.look(row, next.cpu.mean_ns - base.cpu.mean_ns);
        ChangeGroup& made = group.made;
        made.kind = out_.ops[row].kind;
        ++made.rows;
        made.base_gpu_ns += base.gpu.mean_ns;
        made.next_gpu_ns += next.gpu.mean_ns;
        made.base_cpu_ns += base.cpu.mean_ns;
        made.next_cpu_ns += next.cpu.mean_ns;
        made.base_calls += static_cast<double>(base.gpu.calls) / static_cast<double>(base_.iterations);
        made.next_calls += static_cast<double>(next.gpu.calls) / static_cast<double>(next_.iterations);
    }

    // What one side did not record is not another one.
    static bool other_list(const std::string& base, const std::string& next) {
        return base != next && is_recorded(base) && is_recorded(next);
    }
    void pair_kind(const OpMatch& match, const Sum& base, const Sum& next,
                   std::optional<ChangeKind> other_work, Change& change) const {
        const TreeOp &a = base_.ops[match.base.front()], &b = next_.ops[match.next.front()];
        if (match.how == How::kMoved) {
            change.kind = ChangeKind::kMoved;
            change.evidence = before_after(base_.layers[a.layer].path, next_.layers[b.layer].path);
        } else if (other_list(a.shapes, b.shapes)) {
            change.kind = ChangeKind::kOtherShape;
            change.first_dimensions = first_dimensions(a.shapes, b.shapes);
            change.evidence = before_after(on_one_line(a.shapes), on_one_line(b.shapes))
                                  .append(tensor_core_words(base, next));
        } else if (other_list(a.dtypes, b.dtypes)) {
            change.kind = ChangeKind::kOtherDtype;
            change.evidence = before_after(on_one_line(a.dtypes), on_one_line(b.dtypes))
                                  .append(tensor_core_words(base, next));
        } else {
            change.kind = work_kind(base, next, other_work, change.samples);
            if (other_work) change.evidence = kernel_evidence_;
        }
    }

    using Works = std::map<std::string, std::vector<const DeviceWork*>>;
    static Works works_of(const WorkTree& tree, const std::vector<size_t>& ops) {
        Works works;
        for (const size_t op : ops)
            for (const DeviceWork& each : tree.ops[op].work)
                works[each.name].push_back(&each);
        return works;
    }
    static Sum sum_of(const std::vector<const DeviceWork*>& works) {
        Sum sum;
        for (const DeviceWork* each : works) {
            sum.gpu.add(each->gpu);
            sum.calls += each->gpu.calls;
            sum.any = true;
            sum.look(*each);
        }
        return sum;
    }

    // The rows of an op's kernels: those of one name, and in one row what only one side has. Tells what is
    // other than before, if anything.
    std::optional<ChangeKind> kernels(const OpMatch& match, const Change& op) {
        const Works base = works_of(base_, match.base), next = works_of(next_, match.next);
        std::vector<const DeviceWork*> gone, come;
        for (const auto& [name, works] : base) {
            const auto found = next.find(name);
            if (found == next.end())
                gone.insert(gone.end(), works.begin(), works.end());
            else
                kernel(op, works, found->second);
        }
        for (const auto& [name, works] : next)
            if (!base.contains(name)) come.insert(come.end(), works.begin(), works.end());
        if (!gone.empty() && !come.empty()) {
            kernel(op, gone, come);
        } else {
            for (const DeviceWork* each : gone)
                kernel(op, {each}, {});
            for (const DeviceWork* each : come)
                kernel(op, {}, {each});
        }
        kernel_evidence_ =
            before_after(gone.empty() ? "none" : labels(gone), come.empty() ? "none" : labels(come));
        if (gone.empty() && come.empty()) return std::nullopt;
        return other_work(sum_of(gone), sum_of(come));
    }
    static ChangeKind other_work(const Sum& gone, const Sum& come) {
        return gone.kernels || come.kernels ? ChangeKind::kOtherKernels : ChangeKind::kOtherCopies;
    }
    static std::string labels(const std::vector<const DeviceWork*>& works) {
        std::set<std::string> labels;
        for (const DeviceWork* each : works)
            labels.insert(each->label);
        return shortened_list({labels.begin(), labels.end()});
    }
    void kernel(const Change& op, const std::vector<const DeviceWork*>& before,
                const std::vector<const DeviceWork*>& after) {
        const Sum base = sum_of(before), next = sum_of(after);
        Change change;
        change.layer = op.layer;
        change.op = op.op;
        change.direction = op.direction;
        const bool other = before.empty() || after.empty() || before.front()->name != after.front()->name;
        change.kernel = before.empty()  ? labels(after)
                        : after.empty() ? labels(before)
                        : other         ? labels(before) + " -> " + labels(after)
                                        : before.front()->label;
        if (base.any) change.base = side_of(base, base_.iterations);
        if (next.any) change.next = side_of(next, next_.iterations);
        if (change.base) name_kernel(*change.base, op.base, before);
        if (change.next) name_kernel(*change.next, op.next, after);
        change.gpu = change.samples = compared(base.gpu, next.gpu, kDeviceRunToRunShare);
        change.kind =
            before.empty() ? ChangeKind::kAdded
            : after.empty()
                ? ChangeKind::kRemoved
                : work_kind(base, next, other ? std::optional(other_work(base, next)) : std::nullopt,
                            change.samples);
        out_.kernels.push_back(std::move(change));
    }

    // The launch of the work that took most time.
    static void name_kernel(ChangeSide& side, const std::optional<ChangeSide>& op,
                            const std::vector<const DeviceWork*>& works) {
        if (op) {
            side.op_id = op->op_id;
            side.layer = op->layer;
        }
        const DeviceWork* most = nullptr;
        for (const DeviceWork* each : works)
            if (each->launch && (!most || each->gpu.ns > most->gpu.ns)) most = each;
        if (most) side.launch = most->launch;
    }

    const WorkTree &base_, &next_;
    size_t base_batches_ = 0, next_batches_ = 0;
    std::map<ChangeKind, Group> groups_;
    RowsOfLayers rows_of_base_, rows_of_next_;
    std::string kernel_evidence_;  // of the op whose kernels were looked at last
    Changes out_;
};

}  // namespace

Changes find_changes(const WorkTree& base, const WorkTree& next, bool host_binds) {
    return Finder(base, next, host_binds).find();
}

std::vector<Change> layer_totals(const WorkTree& base, const WorkTree& next) {
    return Finder(base, next, false).find_totals();
}

}  // namespace opsight::query
