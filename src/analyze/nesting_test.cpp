#include "analyze/nesting.h"

#include <gtest/gtest.h>

#include <random>

#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

std::string parent_of(const Profile& p, const Analysis& a, std::string_view name, size_t nth = 0) {
    const HostSpanId parent = a.parent[host_row(p, name, nth)];
    return parent.valid() ? std::string(p.strings.view(p.host.name[parent.index()])) : "-";
}
int64_t self_of(const Profile& p, const Analysis& a, std::string_view name) {
    return a.self_ns[p.host.detail[host_row(p, name)]];
}

TEST(Nesting, InnermostEnclosingSpanAndSelfTimes) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.annotation("step", 0, 10000, thread);
    t.op("linear", 1000, 5000);
    t.op("addmm", 2000, 3000);
    t.api("cudaLaunchKernel", 2500, 500, thread);
    t.op("relu", 6000, 1000);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "step"), "-");
    EXPECT_EQ(parent_of(p, a, "linear"), "step");
    EXPECT_EQ(parent_of(p, a, "addmm"), "linear");
    EXPECT_EQ(parent_of(p, a, "cudaLaunchKernel"), "addmm");
    EXPECT_EQ(parent_of(p, a, "relu"), "step") << "the end of linear is the begin of relu: half-open";
    EXPECT_EQ(a.depth[host_row(p, "cudaLaunchKernel")], 3);
    EXPECT_EQ(a.op_span[host_row(p, "addmm")], HostSpanId(host_row(p, "linear")));
    EXPECT_FALSE(a.op_span[host_row(p, "linear")].valid());
    EXPECT_EQ(self_of(p, a, "linear"), 2000);
    EXPECT_EQ(self_of(p, a, "addmm"), 3000) << "an API call is not a child op";
}

TEST(Nesting, EqualIntervalsNestInSourceOrder) {
    TestProfile t;
    t.op("outer", 1000, 5000);
    t.op("inner", 1000, 5000);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "inner"), "outer");
    EXPECT_EQ(self_of(p, a, "outer"), 0);
    EXPECT_EQ(self_of(p, a, "inner"), 5000);
}

TEST(Nesting, EqualIntervalsOfDifferentKindsNestByKind) {
    TestProfile t;
    t.api("call", 1000, 5000, t.thread());
    t.op("op", 1000, 5000);
    t.annotation("range", 1000, 5000, t.thread());
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "call"), "op");
    EXPECT_EQ(parent_of(p, a, "op"), "range");
}

TEST(Nesting, SpansWithoutLength) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.op("op", 0, 5000);
    t.op("first", 5000, 0);
    t.op("second", 5000, 0);
    t.api("call", 5000, 0, thread);
    t.op("after", 5000, 1000);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "after"), "-");
    EXPECT_EQ(parent_of(p, a, "first"), "after") << "longer spans come first at the same begin";
    EXPECT_EQ(parent_of(p, a, "second"), "after") << "of the same kind: one after the other";
    EXPECT_EQ(parent_of(p, a, "call"), "second") << "an API call is inside an op";
}

TEST(Nesting, CrossingSpansStandBesideEachOther) {
    TestProfile t;
    t.op("whole", 0, 100000);
    t.op("early", 10000, 30000);
    t.op("late", 30000, 30000);
    t.op("in late", 45000, 1000);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "late"), "whole");
    EXPECT_EQ(parent_of(p, a, "in late"), "late");
    EXPECT_TRUE(p.host.flags[host_row(p, "late")] & kOverlapping);
    EXPECT_FALSE(p.host.flags[host_row(p, "early")] & kOverlapping);
    EXPECT_EQ(p.diagnostics.count(Diag::kOverlappingSpans), 1);
    ASSERT_EQ(p.diagnostics.first(Diag::kOverlappingSpans).size(), 1u);
    EXPECT_EQ(p.diagnostics.first(Diag::kOverlappingSpans)[0].text, "late");
}

// Python frames that never returned end with the recording, long after what was around them.
TEST(Nesting, ARangeThatCrossesAnOpDoesNotEndIt) {
    TestProfile t;
    t.op("op", 10000, 50000);
    t.annotation("stray", 20000, 90000, t.thread());
    t.api("call", 30000, 2000, t.thread());
    t.op("inner", 35000, 1000);
    t.op("after", 70000, 5000);
    t.api("long call", 73000, 9000, t.thread());
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "stray"), "-");
    EXPECT_EQ(parent_of(p, a, "call"), "op");
    EXPECT_EQ(parent_of(p, a, "inner"), "op");
    EXPECT_EQ(parent_of(p, a, "after"), "stray");
    EXPECT_EQ(parent_of(p, a, "long call"), "after") << "open at its begin";
    EXPECT_EQ(self_of(p, a, "op"), 49000);
    EXPECT_EQ(p.diagnostics.count(Diag::kOverlappingSpans), 2);
}

// A range that is closed by another part of the program (an asynchronous collective) hides no op.
TEST(Nesting, OpsNestAmongThemselves) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.op("outer", 0, 100000);
    t.op("inner", 10000, 50000);
    t.annotation("nccl:all_reduce", 20000, 500000, thread);
    t.op("leaf", 30000, 10000);
    t.api("call", 45000, 1000, thread);
    t.api("later", 70000, 1000, thread);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(a.op_span[host_row(p, "leaf")], HostSpanId(host_row(p, "inner")));
    EXPECT_EQ(a.op_span[host_row(p, "call")], HostSpanId(host_row(p, "inner")));
    EXPECT_EQ(a.op_span[host_row(p, "later")], HostSpanId(host_row(p, "outer")));
    EXPECT_EQ(self_of(p, a, "inner"), 40000);
    EXPECT_EQ(parent_of(p, a, "call"), "inner");
    EXPECT_EQ(p.diagnostics.count(Diag::kOverlappingSpans), 1);
}

TEST(Nesting, RoundingIsNoCrossing) {
    TestProfile t;
    t.op("parent", 0, 10000);
    t.op("child", 5000, 5250);      // ends 250 ns too late
    t.op("sibling", 20000, 10000);  // ends 250 ns after the next begins
    t.op("next", 29750, 10000);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    EXPECT_EQ(parent_of(p, a, "child"), "parent");
    EXPECT_EQ(self_of(p, a, "parent"), 5000);
    EXPECT_EQ(parent_of(p, a, "next"), "-");
    EXPECT_EQ(p.diagnostics.count(Diag::kOverlappingSpans), 0);
}

// The definition, word for word, on well nested random spans: the enclosing span that begins last.
TEST(Nesting, AgreesWithBruteForce) {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        TestProfile t;
        const std::function<void(int64_t, int64_t, int)> fill = [&](int64_t begin, int64_t end, int depth) {
            int64_t at = begin;
            while (end - at > 20000 && depth < 6) {
                const int64_t from = at + 2000 + random() % 3000;
                const int64_t to = std::min<int64_t>(end - 2000, from + 3000 + random() % 30000);
                if (to <= from) return;
                if (random() % 3)
                    t.op("op", from, to - from, t.thread(1 + round % 2));
                else
                    t.annotation("range", from, to - from, t.thread(1 + round % 2));
                fill(from, to, depth + 1);
                at = to;
            }
        };
        fill(0, 400000, 0);
        Profile p = t.finish();
        Analysis a;
        find_nesting(p, a, 2);
        const HostSpans& h = p.host;
        int64_t self = 0, roots = 0;
        for (uint32_t i = 0; i < h.size(); ++i) {
            HostSpanId parent, op;
            for (uint32_t j = 0; j < h.size(); ++j) {
                const bool encloses =
                    i != j && h.begin[j] <= h.begin[i] && h.begin[i] + h.dur[i] <= h.begin[j] + h.dur[j];
                if (encloses && (!parent.valid() || h.begin[j] > h.begin[parent.index()]))
                    parent = HostSpanId(j);
                if (encloses && h.kind[j] == HostKind::kOp &&
                    (!op.valid() || h.begin[j] > h.begin[op.index()]))
                    op = HostSpanId(j);
            }
            ASSERT_EQ(a.parent[i], parent);
            ASSERT_EQ(a.op_span[i], op);
            if (h.kind[i] != HostKind::kOp) continue;
            self += a.self_ns[h.detail[i]];
            if (!op.valid()) roots += h.dur[i];
        }
        EXPECT_EQ(self, roots);
        EXPECT_GT(h.size(), 10u);
    }
}

}  // namespace
}  // namespace opsight::analyze
