#include "analyze/counted_work.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>

#include "analyze/told_ops.h"
#include "analyze/told_times.h"
#include "analyze/work_formulas.h"
#include "cost/estimate.h"
#include "hardware/tensor_cores.h"

namespace opsight::analyze {
namespace {

constexpr int32_t kNoWork = -1;

bool is_counted_span(DeviceKind kind) {
    return kind == DeviceKind::kKernel || kind == DeviceKind::kMemcpy || kind == DeviceKind::kMemset;
}

// Which op counts the work of what each op does itself.
class Counters {
  public:
    Counters(const Profile& profile, const Analysis& analysis, Formulas& formulas)
        : p_(profile), a_(analysis), formulas_(formulas) {
        const size_t ops = profile.op_details.size();
        formula_.assign(ops, kUnknown);
        counter_.assign(ops, kUnknown);
        below_.assign(ops, 0);
    }

    // An op with work of its own. `launches`: it launched that itself, so none of it is in ops under it.
    void add(HostSpanId op, bool launches) {
        const int32_t counter = find(static_cast<int32_t>(op.value));
        if (launches && counter == static_cast<int32_t>(op.value)) below_[detail(counter)] |= kLaunches;
        if (counter >= 0 && !(below_[detail(counter)] & kCandidate)) {
            below_[detail(counter)] |= kCandidate;
            candidates_.push_back(counter);
        }
    }

    // Decides where candidates lie inside each other: the innermost count. Children have higher rows.
    void settle() {
        std::sort(candidates_.begin(), candidates_.end(), std::greater<>());
        for (const int32_t row : candidates_) {
            uint8_t& below = below_[detail(row)];
            const cost::WorkKind kind = work(row).kind;
            uint8_t mark = kMoveBelow, same_work = kMoveBelow | kVectorBelow | kProductBelow;
            if (kind == cost::WorkKind::kVector) {
                mark = kVectorBelow;
                same_work = kVectorBelow | kProductBelow;
            }
            if (below & kLaunches) same_work = 0;
            if (kind == cost::WorkKind::kMatrix) mark = same_work = kProductBelow;
            if (below & same_work) continue;
            below |= kCounts;
            for (HostSpanId up = a_.op_span[static_cast<size_t>(row)]; up.valid();
                 up = a_.op_span[up.index()]) {
                uint8_t& around = below_[p_.host.detail[up.index()]];
                if ((around & mark) == mark) break;  // so have all that enclose it
                around |= mark;
            }
        }
    }

    // The row of the op that counts what `op` does itself; kNoWork: nothing does.
    int32_t counter(HostSpanId op) const {
        const int32_t row = counter_[p_.host.detail[op.index()]];
        return row >= 0 && (below_[detail(row)] & kCounts) ? row : kNoWork;
    }
    // Where others below it count their own work, only its products are its own.
    bool products_only(int32_t row) const { return below_[detail(row)] & (kMoveBelow | kVectorBelow); }
    const cost::TorchWork& work(int32_t row) const {
        return formulas_.works[static_cast<size_t>(formula_[detail(row)])];
    }
    int32_t formula(int32_t row) const { return formula_[detail(row)]; }

  private:
    static constexpr int32_t kUnknown = -2;
    static constexpr uint8_t kCandidate = 1, kMoveBelow = 2, kVectorBelow = 4, kProductBelow = 8,
                             kCounts = 16, kLaunches = 32;

    uint32_t detail(int32_t row) const { return p_.host.detail[static_cast<size_t>(row)]; }

    // The op itself or the next one around it that has a formula; remembers the way. What only adds or copies
    // does none of the products around it, also where its own arguments are not told.
    int32_t find(int32_t row) {
        way_.clear();
        int32_t found = kNoWork;
        while (row >= 0) {
            const uint32_t at = detail(row);
            if (counter_[at] != kUnknown) {
                found = counter_[at];
                break;
            }
            way_.push_back(row);
            if (formula_[at] == kUnknown) formula_[at] = formulas_.of(static_cast<size_t>(row));
            if (formula_[at] >= 0) {
                found = row;
                break;
            }
            const HostSpanId up = a_.op_span[static_cast<size_t>(row)];
            row = up.valid() ? static_cast<int32_t>(up.value) : kNoWork;
        }
        const bool product = found >= 0 && work(found).kind == cost::WorkKind::kMatrix;
        for (auto op = way_.rbegin(); op != way_.rend(); ++op) {
            if (product && *op != found && formulas_.is_plain(p_.host.name[static_cast<size_t>(*op)]))
                found = kNoWork;
            counter_[detail(*op)] = found;
        }
        return found;
    }

    const Profile& p_;
    const Analysis& a_;
    Formulas& formulas_;
    std::vector<int32_t> formula_, counter_;  // beside OpDetails: of Formulas::works; a row
    std::vector<uint8_t> below_;
    std::vector<int32_t> candidates_;
    std::vector<int32_t> way_;  // rows
};

class WorkTable {
  public:
    WorkTable(const Profile& profile, Analysis& analysis) : p_(profile), a_(analysis) {}

    struct Key {
        int32_t formula = kNoWork;
        uint32_t device = DeviceId::kNone, name = 0;
        uint8_t variant = 0;
        friend bool operator==(const Key&, const Key&) = default;
        template <class H>
        friend H AbslHashValue(H state, const Key& k) {
            return H::combine(std::move(state), k.formula, k.device, k.name, k.variant);
        }
    };

    // `make` fills a new one.
    template <class Make>
    int32_t get(const Key& key, Make make) {
        const auto [it, is_new] = known_.try_emplace(key, static_cast<int32_t>(a_.works.size()));
        if (is_new) {
            CountedWork work;
            work.name = StringId(key.name);
            work.device = DeviceId(key.device);
            make(work);
            bound(work);
            a_.works.push_back(std::move(work));
        }
        return it->second;
    }

  private:
    void bound(CountedWork& work) const {
        if (!work.bounded) return;
        work.bounded = false;
        const DevicePeaks& peaks = work.device.valid() ? a_.peaks[work.device.index()] : a_.host_peaks;
        if (peaks.source == PeakSource::kNone) return;
        const cost::Work amount{work.macs, work.flops, work.matrix_flops, work.bytes};
        const cost::Bound found = cost::bound_of(amount, peaks.model, work.precision, false, 1);
        if (found.seconds <= 0) return;
        work.bounded = work.believed;
        if (work.matrix_flops > 0) work.precision = found.products_in;
        work.estimate |= !work.device.valid();
        work.math_ns = found.math_s * 1e9;
        work.memory_ns = found.memory_s * 1e9;
        work.bound_ns = found.seconds * 1e9;
    }

    const Profile& p_;
    Analysis& a_;
    absl::flat_hash_map<Key, int32_t> known_;
};

class WorkCount {
  public:
    WorkCount(const Profile& profile, Analysis& analysis, const std::vector<HostSpanId>& captures)
        : p_(profile),
          a_(analysis),
          captures_(captures),
          formulas_(profile),
          counters_(profile, analysis, formulas_),
          told_(profile),
          table_(profile, analysis) {}

    void run() {
        formulas_.learn();
        a_.works.clear();
        fp32_kernels_.clear();
        for (const Kernel& kernel : a_.kernels)
            fp32_kernels_.push_back(hardware::is_fp32_tensile(p_.strings.view(kernel.name)));
        a_.span_work.assign(p_.device.size(), kNoWork);
        a_.span_share.assign(p_.device.size(), 0);
        a_.self_work.clear();
        a_.self_share.clear();
        const auto& kinds = p_.device.kind;
        if (std::any_of(kinds.begin(), kinds.end(), is_counted_span))
            count_spans();
        else
            count_self_times();
    }

  private:
    static constexpr uint8_t kProductsOnly = 1, kTensorCores = 2, kUnknownCores = 4, kAgain = 8, kTold = 16;

    struct Total {
        int64_t ns = 0;
        int64_t gradient_ns[3] = {};
        uint32_t spans = 0;
        uint8_t cores = 0;
        int32_t work = kNoWork;
    };

    bool is_compute(size_t span) const {
        return p_.device.kind[span] == DeviceKind::kKernel &&
               a_.kernels[a_.kernel[span].index()].kernel_class == KernelClass::kCompute;
    }

    DeviceId device_of(size_t span) const { return p_.tracks[p_.device.track[span].index()].device; }

    // The op whose work the span did: that of a graph's capture, where it is in the profile, else that of the
    // launch.
    HostSpanId op_of(size_t span) const {
        if (!is_compute(span)) return {};
        if (!is_captured(span)) return a_.launch_op[span];
        const HostSpanId op = captures_[span];  // or an annotation
        return p_.host.kind[op.index()] == HostKind::kOp ? op : HostSpanId();
    }
    bool is_captured(size_t span) const { return !captures_.empty() && captures_[span].valid(); }

    int32_t counter_of(size_t span) const {
        const HostSpanId op = op_of(span);
        return op.valid() ? counters_.counter(op) : kNoWork;
    }

    // An op that counts, at each launch of a graph that it was captured in.
    Total& total_of(size_t span, int32_t row) {
        if (!is_captured(span)) return totals_[p_.host.detail[static_cast<size_t>(row)]];
        return replays_[{a_.launch[span].value, row}];
    }

    cost::TorchGradient gradient_of(size_t span) const {
        const HostSpanId op = op_of(span);
        const auto by_op = op.valid() ? cost::torch_gradient(p_.strings.view(p_.host.name[op.index()]))
                                      : cost::TorchGradient::kUnspecified;
        return by_op != cost::TorchGradient::kUnspecified
                   ? by_op
                   : cost::torch_gradient(p_.strings.view(p_.device.name[span]));
    }

    // The span's part of its call's work: by duration; of two gradients half for each that kernels are known
    // of.
    double share_of(size_t span, int32_t row, const Total& total) const {
        const auto dur = static_cast<double>(p_.device.dur[span]);
        const int64_t data = total.gradient_ns[static_cast<size_t>(cost::TorchGradient::kData)];
        const int64_t weights = total.gradient_ns[static_cast<size_t>(cost::TorchGradient::kWeights)];
        if (counters_.work(row).data_and_weights && data > 0 && weights > 0) {
            const cost::TorchGradient own = gradient_of(span);
            if (own == cost::TorchGradient::kUnspecified) return 0;
            return dur / 2 / static_cast<double>(own == cost::TorchGradient::kData ? data : weights);
        }
        return total.ns > 0 ? dur / static_cast<double>(total.ns) : 1.0 / total.spans;
    }

    void count_spans() {
        const size_t spans = p_.device.size();
        for (size_t span = 0; span < spans; ++span)
            if (const HostSpanId op = op_of(span); op.valid()) counters_.add(op, true);
        counters_.settle();
        totals_.assign(p_.op_details.size(), {});
        for (size_t span = 0; span < spans; ++span) {
            const int32_t row = counter_of(span);
            if (row < 0) continue;
            Total& total = total_of(span, row);
            total.ns += p_.device.dur[span];
            ++total.spans;
            if (counters_.work(row).data_and_weights)
                total.gradient_ns[static_cast<size_t>(gradient_of(span))] += p_.device.dur[span];
            const TensorCoreUse use = a_.kernels[a_.kernel[span].index()].uses_tc;
            if (use == TensorCoreUse::kYes && !fp32_kernels_[a_.kernel[span].index()])
                total.cores |= kTensorCores;
            if (use == TensorCoreUse::kUnknown) total.cores |= kUnknownCores;
        }
        for (size_t span = 0; span < spans; ++span) {
            const int32_t row = counter_of(span);
            if (row < 0 && count_told(span)) continue;
            if (row < 0) {
                count_transfer(span);
                continue;
            }
            Total& total = total_of(span, row);
            if (total.work == kNoWork) total.work = work_of(row, device_of(span), total.cores);
            a_.span_work[span] = total.work;
            a_.span_share[span] = share_of(span, row, total);
        }
    }

    void count_self_times() {
        const HostSpans& h = p_.host;
        a_.self_work.assign(p_.op_details.size(), kNoWork);
        a_.self_share.assign(p_.op_details.size(), 0);
        for (uint32_t row = 0; row < h.size(); ++row)
            if (h.kind[row] == HostKind::kOp) counters_.add(HostSpanId(row), false);
        counters_.settle();
        std::vector<int64_t> total(p_.op_details.size(), 0);
        const auto each = [&](auto take) {
            for (uint32_t row = 0; row < h.size(); ++row)
                if (h.kind[row] == HostKind::kOp)
                    if (const int32_t counter = counters_.counter(HostSpanId(row)); counter >= 0)
                        take(row, counter);
        };
        each([&](uint32_t row, int32_t counter) {
            total[h.detail[static_cast<size_t>(counter)]] += a_.self_ns[h.detail[row]];
        });
        each([&](uint32_t row, int32_t counter) {
            const int64_t all = total[h.detail[static_cast<size_t>(counter)]];
            const bool own = row == static_cast<uint32_t>(counter);
            a_.self_work[h.detail[row]] = work_of(counter, DeviceId(), 0);
            a_.self_share[h.detail[row]] =
                all > 0 ? static_cast<double>(a_.self_ns[h.detail[row]]) / static_cast<double>(all)
                        : (own ? 1 : 0);
        });
    }

    // A forward op that runs inside of a backward one makes again what was not kept.
    bool runs_again(int32_t row) const {
        const auto direction = [this](size_t at) {
            return a_.ops[a_.op[p_.host.detail[at]].index()].direction;
        };
        if (direction(static_cast<size_t>(row)) != Direction::kForward) return false;
        for (HostSpanId up = a_.op_span[static_cast<size_t>(row)]; up.valid(); up = a_.op_span[up.index()])
            if (direction(up.index()) == Direction::kBackward) return true;
        return false;
    }

    int32_t work_of(int32_t row, DeviceId device, uint8_t cores) {
        const cost::TorchWork& formula = counters_.work(row);
        uint8_t variant = 0;
        if (counters_.products_only(row) && formula.kind == cost::WorkKind::kMatrix) variant |= kProductsOnly;
        if (formula.type == ElementType::kFloat32 && formula.kind == cost::WorkKind::kMatrix)
            variant |= cores;
        if (runs_again(row)) variant |= kAgain;
        const WorkTable::Key key = {counters_.formula(row), device.value,
                                    p_.host.name[static_cast<size_t>(row)].value, variant};
        return table_.get(key, [&](CountedWork& work) {
            work.kind = formula.kind;
            work.macs = formula.macs;
            work.flops = formula.flops;
            work.matrix_flops = formula.matrix_flops;
            work.bytes = formula.bytes;
            work.estimate = formula.evidence == cost::Evidence::kEstimate;
            work.note = formula.note;
            if (variant & kProductsOnly) work.flops = work.matrix_flops = 2 * formula.macs;
            work.recomputed_flops = variant & kAgain ? work.matrix_flops : formula.recomputed_flops;
            work.precision = precision_of(formula.type, device, variant, work);
            work.bounded = true;
        });
    }

    // FP32 products may run in TF32: the names of their kernels tell, as those of AMD's that multiply FP32
    // itself. Where a device has no TF32, its matrix units take FP16: kernels that use them say so in their
    // names, and others multiply FP32.
    hardware::Precision precision_of(ElementType type, DeviceId device, uint8_t variant,
                                     CountedWork& work) const {
        using hardware::Precision;
        if (!(variant & (kTensorCores | kUnknownCores)) || !device.valid())
            return cost::precision_of_type(type);
        const hardware::Device& model = a_.peaks[device.index()].model;
        const auto has = [&](Precision p) { return model.peak(hardware::UnitKind::kMatrix, p) != nullptr; };
        const bool only_fp16 = !has(Precision::kTf32) && has(Precision::kFp16);
        if (variant & kTensorCores) return only_fp16 ? Precision::kFp16 : Precision::kTf32;
        if (only_fp16) return cost::precision_of_type(type);
        if (a_.peaks[device.index()].source != PeakSource::kNone) {
            work.estimate = true;
            work.note = "FP32 products in kernels whose names do not tell are bounded by the TF32 peak";
        }
        return Precision::kTf32;
    }

    // Ops of which the source tells what its compiler counted.
    bool count_told(size_t span) {
        const ToldOpId id = told_.op(span);
        if (!id.valid() || !is_compute(span)) return false;
        const ToldOp& told = p_.told_ops[id.index()];
        if (told.flops < 0 && told.bytes < 0) return false;
        const DeviceId device = device_of(span);
        const int32_t number = static_cast<int32_t>(id.value);
        a_.span_work[span] =
            table_.get({number, device.value, told.name.value, kTold}, [&](CountedWork& work) {
                work.kind = told.is_product  ? cost::WorkKind::kMatrix
                            : told.flops > 0 ? cost::WorkKind::kVector
                                             : cost::WorkKind::kMove;
                work.flops = static_cast<double>(std::max<int64_t>(0, told.flops));
                work.matrix_flops = told.is_product ? work.flops : 0;
                work.macs = work.matrix_flops / 2;
                work.bytes = static_cast<double>(std::max<int64_t>(0, told.bytes));
                work.estimate = true;
                work.note =
                    "FLOPs and bytes as the source counted them (the compiler of the program, PyProf), or "
                    "those of the products in its program";
                work.precision = told_precision(told, device);
                work.bounded = true;
            });
        a_.span_share[span] = told_.share(span);
        return true;
    }

    // Of the first type among its operands that is one; matrix units of a device that tells only its highest
    // rate are bounded by that.
    hardware::Precision told_precision(const ToldOp& told, DeviceId device) const {
        std::string_view types = p_.strings.view(told.dtypes);
        ElementType type = ElementType::kFloat32;
        for (size_t open = types.find('"'); open != types.npos; open = types.find('"')) {
            types.remove_prefix(open + 1);
            const size_t close = std::min(types.find('"'), types.size());
            const ElementType found = cost::torch_type(types.substr(0, close));
            types.remove_prefix(std::min(close + 1, types.size()));
            if (found == ElementType::kUnknown) continue;
            type = found;
            break;
        }
        const hardware::Precision own = cost::precision_of_type(type);
        if (!told.is_product || !device.valid()) return own;
        const hardware::Device& model = a_.peaks[device.index()].model;
        const bool has_own = model.peak(hardware::UnitKind::kMatrix, own) != nullptr;
        return has_own || !model.peak(hardware::UnitKind::kMatrix, hardware::Precision::kBf16)
                   ? own
                   : hardware::Precision::kBf16;
    }

    // Copies, sets and communication: bytes that the source tells.
    void count_transfer(size_t span) {
        if (p_.device.kind[span] == DeviceKind::kKernel) {
            if (a_.kernels[a_.kernel[span].index()].kernel_class == KernelClass::kCommunication)
                count_collective(span);
            return;
        }
        if (!is_counted_span(p_.device.kind[span]) || p_.device.bytes[span] < 0) return;
        const bool set = p_.device.kind[span] == DeviceKind::kMemset;
        const TransferId id = p_.device.transfer[span];
        const CopyKind kind = id.valid() ? p_.transfers[id.index()].copy : CopyKind::kUnspecified;
        const bool inside = kind == CopyKind::kDeviceToDevice;
        const double ways = inside ? 2 : 1;
        const bool bounded = set || inside;  // what crosses a bus waits for that, whose rate is not known
        const DeviceId device = device_of(span);
        const double bytes = ways * static_cast<double>(p_.device.bytes[span]);
        const bool too_fast =
            bounded && device.valid() && beats_caches(a_.peaks[device.index()], bytes, p_.device.dur[span]);
        a_.span_work[span] =
            table_.get({kNoWork, device.value, p_.device.name[span].value, too_fast}, [&](CountedWork& work) {
                work.kind = cost::WorkKind::kMove;
                work.bytes = ways;
                work.bounded = bounded;
                work.believed = !too_fast;
                if (too_fast) work.note = kBeatsCaches;
            });
        a_.span_share[span] = static_cast<double>(p_.device.bytes[span]);
    }

    void count_collective(size_t span) {
        const CollectiveId id = p_.device.collective[span];
        if (!id.valid()) return;
        const Collective& c = p_.collectives[id.index()];
        std::string type(p_.strings.view(c.dtype));
        std::transform(type.begin(), type.end(), type.begin(),
                       [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        const ElementType element = cost::torch_type(type);
        if (c.in_elements < 0 || c.out_elements < 0 || element == ElementType::kUnknown) return;
        a_.span_work[span] = table_.get(
            {-2 - static_cast<int32_t>(id.value), device_of(span).value, c.name.value, 0},
            [&](CountedWork& work) {
                work.kind = cost::WorkKind::kMove;
                work.precision = cost::precision_of_type(element);
                work.bytes = (static_cast<double>(c.in_elements) + static_cast<double>(c.out_elements)) *
                             static_cast<double>(bits_of(element)) / 8;
            });
        a_.span_share[span] = 1;
    }

    const Profile& p_;
    Analysis& a_;
    const std::vector<HostSpanId>& captures_;
    Formulas formulas_;
    Counters counters_;
    ToldWorkShares told_;
    std::vector<bool> fp32_kernels_;  // of a_.kernels
    WorkTable table_;
    std::vector<Total> totals_;                                         // beside OpDetails
    absl::flat_hash_map<std::pair<uint32_t, int32_t>, Total> replays_;  // by launch and op
};

}  // namespace

void count_work(const Profile& profile, Analysis& analysis, const std::vector<HostSpanId>& captures) {
    WorkCount(profile, analysis, captures).run();
}

}  // namespace opsight::analyze
