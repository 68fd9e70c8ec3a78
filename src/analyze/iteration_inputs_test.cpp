#include "analyze/iteration_inputs.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

struct Loop {
    bool loads = true, copies = true;
    int64_t set_up_loads = 0;
};

// Passes of an inference, 10 us each: a batch is loaded and copied to the device, ten kernels work on it, and
// the answer is copied back.
Profile passes(const Loop& loop) {
    TestProfile t;
    int64_t id = 0;
    const auto work = [&](DeviceKind kind, std::string_view name, int64_t at, CopyKind copy) {
        t.op(kind == DeviceKind::kKernel ? "aten::mm" : "aten::to", at, 80);
        t.api("launch", at + 10, 5, t.thread(), ++id);
        DeviceSpan span;
        span.kind = kind;
        span.begin = at + 100;
        span.dur = 20;
        span.track = t.stream();
        span.correlation = id;
        if (copy != CopyKind::kUnspecified) span.transfer = t.builder.transfer(Transfer{.copy = copy});
        t.device(span, name);
    };
    t.op("set up", 0, 1);  // times are counted from here
    for (int64_t i = 0; i < loop.set_up_loads; ++i)
        t.host(HostKind::kDataLoad, "enumerate(DataLoader)#x.__next__", i * 10, 5, t.thread());
    for (int64_t pass = 0; pass < 5; ++pass) {
        const int64_t begin = 1000 + pass * 10'000;
        if (loop.loads)
            t.host(HostKind::kDataLoad, "enumerate(DataLoader)#x.__next__", begin, 4000, t.thread());
        if (loop.copies) work(DeviceKind::kMemcpy, "in", begin + 4100, CopyKind::kHostToDevice);
        for (int64_t k = 0; k < 10; ++k)
            work(DeviceKind::kKernel, "kernel" + std::to_string(k), begin + 5000 + 100 * k,
                 CopyKind::kUnspecified);
        work(DeviceKind::kMemcpy, "out", begin + 6500, CopyKind::kDeviceToHost);
    }
    return t.finish();
}

std::vector<int64_t> begins(const Loop& loop) {
    Profile p = passes(loop);
    const Analysis a = analyze(p, {});
    EXPECT_EQ(a.iterations.source, IterationSource::kInferred);
    std::vector<int64_t> out;
    for (const Iteration& each : a.iterations.list)
        out.push_back(each.begin_ns);
    return out;
}

std::vector<int64_t> each_at(int64_t within) {
    std::vector<int64_t> out;
    for (int64_t pass = 0; pass < 5; ++pass)
        out.push_back(1000 + pass * 10'000 + within);
    return out;
}

TEST(IterationInputs, APassBeginsWithTheLoadOfItsBatch) {
    EXPECT_EQ(begins({}), each_at(0));
    EXPECT_EQ(begins({.copies = false}), each_at(0));
}

TEST(IterationInputs, OrWithItsCopyToTheDevice) {
    EXPECT_EQ(begins({.loads = false}), each_at(4100));
}

// What is copied back belongs to the pass that computed it.
TEST(IterationInputs, ElseWithItsFirstKernel) {
    EXPECT_EQ(begins({.loads = false, .copies = false}), each_at(5000));
}

TEST(IterationInputs, WhatIsLoadedToSetUpIsNoPartOfTheFirst) {
    EXPECT_EQ(begins({.set_up_loads = 3}), each_at(0));
}

TEST(IterationInputs, OneLoadAmongManyPassesIsNoInputOfEach) {
    const std::vector<IterationHead> heads = {{0, 100}, {150, 200}, {250, 300}, {350, 400}};
    EXPECT_EQ(begin_with_inputs(heads, {180}), (std::vector<int64_t>{100, 200, 300, 400}));
    EXPECT_EQ(begin_with_inputs(heads, {180, 280}), (std::vector<int64_t>{100, 180, 280, 400}));
}

}  // namespace
}  // namespace opsight::analyze
