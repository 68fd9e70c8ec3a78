#include "analyze/joined_ops.h"

#include <gtest/gtest.h>

#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

struct Told {
    std::string name, shapes;
    int64_t number = -1, sequence = -1, thread = 1;
};

ExecutionTrace trace_of(const std::vector<Told>& calls, int64_t process = 100) {
    ExecutionTrace trace;
    trace.source = "et.json";
    trace.process = process;
    for (const Told& call : calls) {
        ExecutedOp op;
        op.id = std::ssize(trace.ops);
        op.record_function = call.number;
        op.sequence = call.sequence;
        op.thread = call.thread;
        op.name = trace.strings.intern(call.name);
        op.shapes = trace.strings.intern(call.shapes);
        op.dtypes = trace.strings.intern("[\"float\"]");
        trace.ops.push_back(op);
    }
    return trace;
}

template <class... Traces>
JoinedOps join(Profile& p, Traces... traces) {
    std::vector<ExecutionTrace> all;
    (all.push_back(std::move(traces)), ...);
    return join_execution_traces(p, all);
}

OpDetail numbered(int64_t record_function, int64_t external_id = -1) {
    OpDetail detail;
    detail.record_function = record_function;
    detail.external_id = external_id;
    return detail;
}

std::string shapes_of(const Profile& p, std::string_view name, size_t nth = 0) {
    const SignatureId id = p.op_details.signature[p.host.detail[host_row(p, name, nth)]];
    return id.valid() ? std::string(p.strings.view(p.signatures[id.index()].shapes)) : "";
}

TEST(JoinedOps, ByNumber) {
    TestProfile t;
    t.op("mm", 0, 10, t.thread(), numbered(3));
    t.op("mm", 20, 10, t.thread(), numbered(4));
    t.op("add", 40, 10, t.thread(), numbered(5));
    Profile p = t.finish();
    const JoinedOps joined = join(
        p, trace_of({{"mm", "[[4, 4]]", 4}, {"mm", "[[3, 3]]", 3}, {"sub", "[[5]]", 5}, {"mm", "[[9]]", 9}}));
    EXPECT_EQ(joined.by_number, 2);
    EXPECT_EQ(joined.given, 2);
    EXPECT_EQ(shapes_of(p, "mm", 0), "[[3, 3]]");
    EXPECT_EQ(shapes_of(p, "mm", 1), "[[4, 4]]");
    EXPECT_EQ(shapes_of(p, "add"), "") << "another name";
    EXPECT_EQ(joined.summary(),
              "2 of 4 calls joined with 2 of 3 ops by their numbers; 2 got shapes or values");
}

TEST(JoinedOps, NumbersOfAnotherRun) {
    TestProfile t;
    t.op("mm", 0, 10, t.thread(), numbered(3));
    t.op("mm", 20, 10, t.thread(), numbered(4));
    Profile p = t.finish();
    const JoinedOps joined =
        join(p, trace_of({{"mm", "[[3]]", 3}, {"sub", "[[5]]", 4}, {"x", "[[5]]", 4}}),
             trace_of({{"sub", "[[5]]", 3}, {"mm", "[[6]]", 6}}), trace_of({{"mm", "[[3]]", 3}}, 7));
    EXPECT_EQ(joined.by_number, 1) << "numbers that come twice are none";
    ASSERT_EQ(joined.problems.size(), 2u);
    EXPECT_EQ(joined.problems[0],
              "et.json numbers 1 calls as the trace numbers ops of other names: another run");
    EXPECT_EQ(joined.problems[1],
              "et.json is of process 7, and the ops of the trace are of 100: another run");
}

TEST(JoinedOps, ByThreadNameAndOrder) {
    TestProfile t;
    t.op("a", 0, 10, t.thread(1));
    t.op("b", 20, 10, t.thread(1));
    t.op("a", 40, 10, t.thread(1));
    t.op("c", 0, 10, t.thread(2));
    t.op("c", 20, 10, t.thread(2));
    Profile p = t.finish();
    const JoinedOps joined = join(
        p, trace_of({{"b", "[[1]]"}, {"a", "[[2]]"}, {"c", "[[3]]", -1, -1, 2}, {"x", "[[4]]", -1, -1, 3}}));
    EXPECT_EQ(joined.by_order, 2);
    EXPECT_EQ(shapes_of(p, "a", 0), "");
    EXPECT_EQ(shapes_of(p, "b"), "[[1]]");
    EXPECT_EQ(shapes_of(p, "a", 1), "[[2]]");
    EXPECT_EQ(shapes_of(p, "c"), "");
    ASSERT_EQ(joined.problems.size(), 2u);
    EXPECT_EQ(joined.problems[0], "et.json has 1 calls in thread 2 that fit in 2 places of the trace alike");
    EXPECT_EQ(joined.problems[1], "et.json has 1 calls in thread 3 that fit nowhere in the trace");
}

// Begins in one µs: the profiler's own numbers tell the order.
TEST(JoinedOps, OpsThatBeginAtOnce) {
    TestProfile t;
    t.op("b", 0, 9, t.thread(), numbered(-1, 2));
    t.op("a", 0, 0, t.thread(), numbered(-1, 1));
    Profile p = t.finish();
    const JoinedOps joined = join(p, trace_of({{"a", "[[1]]"}, {"b", "[[2]]"}}));
    EXPECT_EQ(joined.by_order, 2);
    EXPECT_EQ(shapes_of(p, "a"), "[[1]]");
}

TEST(JoinedOps, WhatTheTraceTellsStays) {
    TestProfile t;
    const StringId none(0);
    const auto told = [&](const char* shapes) {
        OpDetail detail;
        detail.signature = t.builder.signature({t.builder.text(shapes), none, none, none});
        return detail;
    };
    t.op("a", 0, 10, t.thread(), told("[[2, 3], []]"));
    t.op("b", 20, 10, t.thread(), told("[[2, 3], []]"));
    t.op("c", 40, 10, t.thread(), told("[[], [5]]"));
    Profile p = t.finish();
    const JoinedOps joined =
        join(p, trace_of({{"a", "[[2,3], []]"}, {"b", "[[2, 4], []]"}, {"c", "[[[1], [2]], [5]]"}}));
    EXPECT_EQ(joined.by_order, 3);
    EXPECT_EQ(joined.alike, 2);
    EXPECT_EQ(joined.contradicted, 1);
    EXPECT_EQ(joined.given, 2) << "the types of a and c";
    EXPECT_EQ(shapes_of(p, "b"), "[[2, 3], []]");
    EXPECT_EQ(shapes_of(p, "c"), "[[], [5]]");
}

TEST(JoinedOps, RanksWhoseProcessesHaveOneNumber) {
    TestProfile t;
    t.op("a", 0, 10);
    t.add_rank(1);
    t.op("a", 0, 10);
    Profile p = t.finish();
    ExecutionTrace trace = trace_of({{"a", "[[1]]"}});
    JoinedOps joined = join(p, trace_of({{"a", "[[1]]"}}));
    EXPECT_EQ(joined.joined(), 0);
    ASSERT_EQ(joined.problems.size(), 1u);
    EXPECT_NE(joined.problems[0].find("may be of several ranks"), std::string::npos) << joined.problems[0];
    trace.rank_hint = 1;
    joined = join(p, std::move(trace));
    EXPECT_EQ(joined.by_order, 1);
    EXPECT_EQ(shapes_of(p, "a", 0) + shapes_of(p, "a", 1), "[[1]]");
}

}  // namespace
}  // namespace opsight::analyze
