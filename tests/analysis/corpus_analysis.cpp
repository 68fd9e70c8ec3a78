// Imports and analyses real traces, checks what must hold for any trace, and prints what was found.
// usage: corpus_analysis [TRACE...]; without arguments every trace under $OPSIGHT_CORPUS/kineto.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "analyze/analyze.h"
#include "import/import.h"

namespace opsight {
namespace {

constexpr int kSkip = 77;
constexpr size_t kSamples = 300;  // launches looked at one by one

class Checks {
  public:
    Checks(const Profile& profile, const analyze::Analysis& analysis)
        : p_(profile), h_(profile.host), a_(analysis) {}

    bool run() {
        launches();
        self_times();
        work();
        resources();
        iterations();
        occupancy();
        return ok_;
    }

  private:
    void expect(bool holds, std::string_view what) {
        if (!holds) fmt::print("    FAILED: {}\n", what);
        ok_ &= holds;
    }

    // The innermost op at a launch, found by looking at every span of its thread.
    void launches() {
        const size_t step = std::max<size_t>(1, p_.device.size() / kSamples);
        size_t wrong = 0;
        for (size_t span = 0; span < p_.device.size(); span += step) {
            if (!a_.launch[span].valid()) continue;
            const size_t call = a_.launch[span].index();
            HostSpanId innermost;
            for (size_t row = 0; row < h_.size(); ++row) {
                const bool open = h_.kind[row] == HostKind::kOp && h_.track[row] == h_.track[call] &&
                                  h_.begin[row] <= h_.begin[call] &&
                                  h_.begin[row] + h_.dur[row] > h_.begin[call];
                if (open) innermost = HostSpanId(row);  // rows are in order of their begins
            }
            wrong += innermost != a_.launch_op[span];
        }
        expect(wrong == 0, fmt::format("{} of the sampled launches have another innermost op", wrong));
    }

    void self_times() {
        int64_t self = 0, outermost = 0;
        for (size_t row = 0; row < h_.size(); ++row) {
            if (h_.kind[row] != HostKind::kOp) continue;
            self += a_.self_ns[h_.detail[row]];
            if (!a_.op_span[row].valid()) outermost += h_.dur[row];
        }
        const auto rounding = static_cast<int64_t>(h_.size());  // a nanosecond each
        expect(std::abs(self - outermost) <= rounding,
               fmt::format("self times sum to {}, outermost ops to {}", self, outermost));
    }

    void work() {
        size_t kernels = 0, counted = 0;
        for (size_t span = 0; span < p_.device.size(); ++span)
            kernels += p_.device.kind[span] == DeviceKind::kKernel && a_.launch_op[span].valid();
        for (const analyze::OpWork& w : a_.op_work) {
            if (!a_.op_span[w.span.index()].valid()) counted += w.kernels;
            const bool sane = w.gpu_ns >= 0 && w.gpu_idle_ns >= 0 && w.self_gpu_ns <= w.gpu_ns &&
                              w.tc_kernel_ns <= w.kernel_ns && w.self_kernels <= w.kernels;
            expect(sane, fmt::format("work of row {}", w.span.value));
        }
        expect(kernels == counted, fmt::format("{} kernels under ops, {} summed", kernels, counted));
    }

    void resources() {
        std::map<RankId, std::pair<int64_t, int64_t>> covered;  // end, sum
        for (const analyze::ResourceSegment& s : a_.resources) {
            auto [it, is_new] = covered.try_emplace(s.rank, s.begin_ns, 0);
            expect(it->second.first == s.begin_ns && s.end_ns > s.begin_ns, "resources without gaps");
            it->second.first = s.end_ns;
            it->second.second += s.end_ns - s.begin_ns;
        }
        for (const analyze::BusySegment& s : a_.busy)
            expect(s.end_ns > s.begin_ns, "busy segments have a length");
    }

    void iterations() {
        const std::vector<analyze::Iteration>& list = a_.iterations.list;
        for (size_t i = 0; i < list.size(); ++i) {
            expect(list[i].end_ns > list[i].begin_ns, "iterations have a length");
            const bool follows = i > 0 && list[i].rank == list[i - 1].rank;
            if (follows) expect(list[i].begin_ns >= list[i - 1].end_ns, "iterations do not overlap");
        }
    }

    // Kineto's own estimate is the theoretical occupancy, less where the grid cannot fill the device. It
    // writes 0 for every kernel with more than 48 KiB of shared memory per block, which can run by opting in.
    void occupancy() {
        for (size_t span = 0; span < p_.device.size(); ++span) {
            const LaunchConfigId id = p_.device.config[span];
            if (!id.valid() || a_.occupancy_pct[id.index()] < 0) continue;
            const LaunchConfig& c = p_.launch_configs[id.index()];
            if (c.source_occupancy_pct < 0 || c.source_blocks_per_sm < 0) continue;
            if (c.source_occupancy_pct == 0 &&
                std::max<int64_t>(c.static_shared_bytes, 0) + std::max<int64_t>(c.dynamic_shared_bytes, 0) >
                    48 * 1024)
                continue;
            const auto threads = static_cast<double>(c.block[0] * c.block[1] * c.block[2]);
            const double whole_warps = std::ceil(threads / 32) * 32;
            const Device& device = p_.devices[p_.tracks[p_.device.track[span].index()].device.index()];
            const double by_grid =
                100 * c.source_blocks_per_sm * threads / static_cast<double>(device.max_threads_per_sm);
            const double expected = std::min(a_.occupancy_pct[id.index()] * threads / whole_warps, by_grid);
            expect(std::abs(expected - c.source_occupancy_pct) <= 1,
                   fmt::format("occupancy of row {}: {} by the rules, {} in the source", span, expected,
                               c.source_occupancy_pct));
        }
    }

    const Profile& p_;
    const HostSpans& h_;
    const analyze::Analysis& a_;
    bool ok_ = true;
};

std::string share(size_t part, size_t all) {
    return fmt::format("{}/{}", part, all);
}

void print_facts(const Profile& p, const analyze::Analysis& a) {
    size_t kernels = 0, launched = 0, under_ops = 0, tc = 0, unknown = 0, communication = 0;
    int64_t kernel_ns = 0, tc_ns = 0;
    for (size_t span = 0; span < p.device.size(); ++span) {
        if (!a.kernel[span].valid()) continue;
        const analyze::Kernel& kernel = a.kernels[a.kernel[span].index()];
        ++kernels;
        launched += a.launch[span].valid();
        under_ops += a.launch_op[span].valid();
        tc += kernel.uses_tc == analyze::TensorCoreUse::kYes;
        unknown += kernel.uses_tc == analyze::TensorCoreUse::kUnknown;
        communication += kernel.kernel_class == analyze::KernelClass::kCommunication;
        kernel_ns += p.device.dur[span];
        if (kernel.uses_tc == analyze::TensorCoreUse::kYes) tc_ns += p.device.dur[span];
    }
    std::array<size_t, 5> directions{};
    size_t linked = 0, backward = 0, with_layer = 0;
    for (size_t row = 0; row < p.host.size(); ++row) {
        if (p.host.kind[row] != HostKind::kOp) continue;
        const uint32_t detail = p.host.detail[row];
        const analyze::Op& op = a.ops[a.op[detail].index()];
        ++directions[static_cast<size_t>(op.direction)];
        with_layer += op.layer.valid();
        if (op.direction != analyze::Direction::kBackward) continue;
        ++backward;
        linked += a.forward[detail].valid();
    }
    fmt::print(
        "    kernels {} (launch {}, op {}), TC {} unknown {} comm {}, TC time {:.1f} % of {} ns\n"
        "    ops {} identities {}: forward {} backward {} (linked {}) optimizer {} dataload {}, in layers {} "
        "of {}\n",
        kernels, share(launched, kernels), share(under_ops, kernels), tc, unknown, communication,
        kernel_ns > 0 ? 100.0 * static_cast<double>(tc_ns) / static_cast<double>(kernel_ns) : 0.0, kernel_ns,
        p.op_details.size(), a.ops.size(), directions[0], directions[1], share(linked, backward),
        directions[2], directions[3], with_layer, a.layers.size());
    const auto warm = std::count_if(a.iterations.list.begin(), a.iterations.list.end(),
                                    [](const analyze::Iteration& i) { return i.warmup; });
    fmt::print("    iterations {} (warm-up {}): {} confidence {:.2f}\n", a.iterations.list.size(), warm,
               a.iterations.description, a.iterations.confidence);
    std::array<int64_t, static_cast<size_t>(analyze::Resource::kCount)> shares{};
    int64_t all = 0;
    for (const analyze::ResourceSegment& s : a.resources) {
        shares[static_cast<size_t>(s.resource)] += s.end_ns - s.begin_ns;
        all += s.end_ns - s.begin_ns;
    }
    constexpr std::string_view names[] = {"tc",   "kernel", "comm", "memory",  "data",
                                          "file", "cpu",    "idle", "unknown", "host"};
    fmt::print("   ");
    for (size_t i = 0; i < shares.size(); ++i)
        fmt::print(" {} {:.1f}%", names[i],
                   all > 0 ? 100.0 * static_cast<double>(shares[i]) / static_cast<double>(all) : 0.0);
    fmt::print("\n   ");
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i)
        if (const auto kind = static_cast<Diag>(i); p.diagnostics.count(kind) > 0)
            fmt::print(" {}={}", diag_kind(kind).key, p.diagnostics.count(kind));
    fmt::print("\n");
}

bool look_at(const std::string& path) {
    Result<Profile> profile = importer::import_files({path});
    if (!profile) {
        fmt::print("{}\n    FAILED: {}\n", path, profile.error().message());
        return false;
    }
    const analyze::Analysis analysis = analyze::analyze(*profile, {});
    fmt::print("{}\n", path);
    print_facts(*profile, analysis);
    return Checks(*profile, analysis).run();
}

std::vector<std::string> corpus() {
    std::vector<std::string> traces;
    const char* root = std::getenv("OPSIGHT_CORPUS");
    const std::filesystem::path folder = std::filesystem::path(root ? root : "") / "kineto";
    if (!root || !*root || !std::filesystem::is_directory(folder)) return traces;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().string();
        if (entry.is_regular_file() && (name.ends_with(".json") || name.ends_with(".gz")))
            traces.push_back(name);
    }
    std::sort(traces.begin(), traces.end());
    return traces;
}

}  // namespace
}  // namespace opsight

int main(int argc, char** argv) {
    std::vector<std::string> traces(argv + 1, argv + argc);
    if (traces.empty()) traces = opsight::corpus();
    if (traces.empty()) return opsight::kSkip;
    bool ok = true;
    for (const std::string& trace : traces)
        ok &= opsight::look_at(trace);
    return ok ? 0 : 1;
}
