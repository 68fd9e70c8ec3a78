#include "analyze/op_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

const OpWork* work_of(const Profile& p, const Analysis& a, std::string_view name) {
    for (const OpWork& w : a.op_work)
        if (w.span.value == host_row(p, name)) return &w;
    return nullptr;
}

TEST(OpWork, UnionSumsAndIdle) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.op("outer", 0, 10000);
    t.op("inner", 1000, 5000);
    t.api("cudaLaunchKernel", 2000, 100, thread, 1);
    t.api("cudaLaunchKernel", 3000, 100, thread, 2);
    t.api("cudaMemcpyAsync", 8000, 300, thread, 3);
    t.api("cuMemcpyAsync", 8100, 100, thread);
    t.op("no work", 20000, 100);
    t.kernel("volta_h884gemm_64x128_ldg8_nn", 10000, 1000, t.stream(7), 1);
    t.kernel("plain", 10500, 1000, t.stream(8), 2);
    t.kernel("Memcpy HtoD", 12000, 500, t.stream(7), 3, DeviceKind::kMemcpy);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    const OpWork* inner = work_of(p, a, "inner");
    ASSERT_TRUE(inner);
    EXPECT_EQ(inner->gpu_ns, 1500);
    EXPECT_EQ(inner->kernel_ns, 2000);
    EXPECT_EQ(inner->tc_kernel_ns, 1000);
    EXPECT_EQ(inner->gpu_idle_ns, 0);
    EXPECT_EQ(inner->api_ns, 200);
    EXPECT_EQ(inner->tc_kernels, 1u);
    EXPECT_EQ(inner->self_gpu_ns, 1500);
    const OpWork* outer = work_of(p, a, "outer");
    ASSERT_TRUE(outer);
    EXPECT_EQ(outer->gpu_ns, 2000);
    EXPECT_EQ(outer->gpu_idle_ns, 500);
    EXPECT_EQ(outer->kernel_ns, 2000);
    EXPECT_EQ(outer->self_kernel_ns, 0);
    EXPECT_EQ(outer->self_gpu_ns, 500) << "the copy";
    EXPECT_EQ(outer->api_ns, 500) << "a call inside a call counts once";
    EXPECT_EQ(outer->memcpys, 1u);
    EXPECT_FALSE(work_of(p, a, "no work"));
}

TEST(OpWork, AGraphRecordedAsAWholeIsWorkThatDoesNotTell) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.op("outer", 0, 10000);
    t.op("inner", 1000, 5000);
    t.api("cudaGraphLaunch", 2000, 100, thread, 1);
    t.kernel("CUDA Graph 1", 10000, 1000, t.stream(7), 1, DeviceKind::kGraph);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    for (const char* name : {"outer", "inner"}) {
        const OpWork* work = work_of(p, a, name);
        ASSERT_TRUE(work) << name;
        EXPECT_EQ(work->gpu_ns, 1000) << name;
        EXPECT_EQ(work->kernels, 0u) << name;
        EXPECT_EQ(work->unknown_tc_kernels, 1u) << name;
    }
}

// The definitions, word for word, on random profiles with several threads and streams.
class Naive {
  public:
    Naive(const Profile& p, const Analysis& a) : p_(p), a_(a) {}

    bool under(size_t row, size_t op) const {
        for (HostSpanId at = a_.parent[row]; at.valid(); at = a_.parent[at.index()])
            if (at.index() == op) return true;
        return false;
    }
    OpWork of(size_t op) const {
        OpWork w;
        std::vector<size_t> all, own;
        for (size_t span = 0; span < p_.device.size(); ++span) {
            if (!a_.launch[span].valid() || !under(a_.launch[span].index(), op)) continue;
            all.push_back(span);
            if (a_.launch_op[span].value == op) own.push_back(span);
        }
        for (size_t span : all)
            if (p_.device.kind[span] == DeviceKind::kKernel) {
                ++w.kernels;
                w.kernel_ns += p_.device.dur[span];
            }
        for (size_t row = 0; row < p_.host.size(); ++row)
            if (p_.host.kind[row] == HostKind::kRuntimeApi && under(row, op)) w.api_ns += p_.host.dur[row];
        w.gpu_ns = covered(all);
        w.self_gpu_ns = covered(own);
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (size_t span : all) {
            first = std::min(first, p_.device.begin[span]);
            last = std::max(last, p_.device.begin[span] + p_.device.dur[span]);
        }
        w.gpu_idle_ns = all.empty() ? 0 : last - first - w.gpu_ns;
        return w;
    }

  private:
    int64_t covered(const std::vector<size_t>& spans) const {
        std::vector<bool> at(5000);
        for (size_t span : spans)
            for (int64_t i = 0; i < p_.device.dur[span]; ++i)
                at[static_cast<size_t>(p_.device.begin[span] + i)] = true;
        return std::count(at.begin(), at.end(), true);
    }
    const Profile& p_;
    const Analysis& a_;
};

void add_random_ops(TestProfile& t, std::mt19937& random, TrackId thread, int64_t& correlation) {
    const std::function<void(int64_t, int64_t, int)> fill = [&](int64_t begin, int64_t end, int depth) {
        for (int64_t at = begin; end - at > 8 && depth < 5;) {
            const int64_t from = at + 1 + random() % 4,
                          to = std::min<int64_t>(end - 1, from + 4 + random() % 200);
            if (to <= from) return;
            if (random() % 3 == 0) {
                t.api("cudaLaunchKernel", from, to - from, thread, correlation);
                for (size_t n = random() % 3; n > 0; --n)
                    t.kernel("k", 1000 + random() % 3000, random() % 200, t.stream(7 + random() % 3),
                             correlation);
                ++correlation;
            } else {
                t.op("op", from, to - from, thread);
                fill(from, to, depth + 1);
            }
            at = to;
        }
    };
    fill(0, 2000, 0);
}

TEST(OpWork, AgreesWithBruteForce) {
    std::mt19937 random(11);
    size_t compared = 0;
    for (int round = 0; round < 30; ++round) {
        TestProfile t;
        int64_t correlation = 1;
        t.op("first", 0, 1, t.thread(9));
        add_random_ops(t, random, t.thread(1), correlation);
        add_random_ops(t, random, t.thread(2), correlation);
        Profile p = t.finish();
        const Analysis a = analyze(p, {});
        const Naive naive(p, a);
        for (const OpWork& w : a.op_work) {
            const OpWork expected = naive.of(w.span.index());
            ASSERT_EQ(w.gpu_ns, expected.gpu_ns);
            ASSERT_EQ(w.self_gpu_ns, expected.self_gpu_ns);
            ASSERT_EQ(w.gpu_idle_ns, expected.gpu_idle_ns);
            ASSERT_EQ(w.kernel_ns, expected.kernel_ns);
            ASSERT_EQ(w.kernels, expected.kernels);
            ASSERT_EQ(w.api_ns, expected.api_ns);
            ++compared;
        }
        // An op has work exactly when an API call is under it.
        for (size_t row = 0; row < p.host.size(); ++row) {
            if (p.host.kind[row] != HostKind::kOp) continue;
            bool has = false;
            for (size_t call = 0; call < p.host.size(); ++call)
                has |= p.host.kind[call] == HostKind::kRuntimeApi && naive.under(call, row);
            const bool found = std::any_of(a.op_work.begin(), a.op_work.end(),
                                           [&](const OpWork& w) { return w.span.value == row; });
            ASSERT_EQ(found, has);
        }
    }
    EXPECT_GT(compared, 300u);
}

}  // namespace
}  // namespace opsight::analyze
