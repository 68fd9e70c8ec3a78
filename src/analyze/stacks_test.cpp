#include "analyze/stacks.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

std::string stack_of(const Profile& p, std::string_view op, size_t nth = 0) {
    return std::string(p.strings.view(p.op_details.stack[p.host.detail[host_row(p, op, nth)]]));
}

TEST(Stacks, UserFrames) {
    EXPECT_TRUE(is_user_frame("train.py(45): step"));
    EXPECT_TRUE(is_user_frame("torchvision/models/resnet.py(89): forward"));
    EXPECT_TRUE(is_user_frame("/usr/lib/python3/dist-packages/timm/layers/drop.py(3): forward"));
    EXPECT_TRUE(is_user_frame("/srv/jobs/reader.py(3): read"));
    EXPECT_FALSE(is_user_frame("torch/nn/modules/module.py(1553): _call_impl"));
    EXPECT_FALSE(is_user_frame("/opt/conda/lib/python3.10/site-packages/torch/_tensor.py(575): backward"));
    EXPECT_FALSE(is_user_frame("/usr/lib/python3.11/threading.py(1): run"));
    EXPECT_FALSE(is_user_frame("threading.py(973): _bootstrap"));
    EXPECT_FALSE(is_user_frame("<built-in method conv2d of type object at 0x7f>"));
    EXPECT_FALSE(is_user_frame("nn.Module: Linear_0"));
    EXPECT_FALSE(is_user_frame(""));
}

TEST(Stacks, InnermostUserFrameFirst) {
    TestProfile t;
    const auto python = [&](const char* name, int64_t begin, int64_t dur) {
        t.host(HostKind::kPythonFrame, name, begin, dur, t.thread());
    };
    python("train.py(90): main", 0, 1000);
    python("train.py(45): step", 100, 800);
    python("torch/nn/modules/module.py(1553): _call_impl", 200, 300);
    python("model.py(12): forward", 210, 280);
    python("<built-in function linear>", 220, 200);
    t.op("aten::linear", 230, 100);
    t.op("aten::addmm", 240, 50);
    python("torch/optim/sgd.py(105): step", 600, 100);
    t.op("aten::add_", 610, 50);
    t.op("aten::zeros", 2000, 50);  // no frame around it
    python("torch/autograd/graph.py(768): _engine_run_backward", 3000, 100);
    t.op("aten::ones_like", 3010, 50);
    Profile p = t.finish();
    analyze(p, {});
    EXPECT_EQ(stack_of(p, "aten::linear"), "model.py(12): forward;train.py(45): step;train.py(90): main");
    EXPECT_EQ(stack_of(p, "aten::addmm"), stack_of(p, "aten::linear"));
    EXPECT_EQ(stack_of(p, "aten::add_"), "train.py(45): step;train.py(90): main");
    EXPECT_EQ(stack_of(p, "aten::zeros"), "");
    EXPECT_EQ(stack_of(p, "aten::ones_like"), "torch/autograd/graph.py(768): _engine_run_backward");
}

// Deep chains of frames without one of the program, an op in each: the way up is not walked for each.
TEST(Stacks, DeepChains) {
    TestProfile t;
    constexpr int64_t kDeep = 50'000;
    t.host(HostKind::kPythonFrame, "train.py(1): main", 0, kDeep * 100, t.thread());
    for (int64_t i = 1; i < kDeep; ++i) {
        t.host(HostKind::kPythonFrame, "torch/x.py(" + std::to_string(i) + "): f", i * 10,
               (2 * kDeep - i) * 40 - i * 10, t.thread());
        t.op("aten::mm", i * 10 + 2, 3);
    }
    std::string folders;
    for (int i = 0; i < 200'000; ++i)
        folders += "/dist-packages/";
    t.host(HostKind::kPythonFrame, folders + "mine.py(3): f", kDeep * 1000, 1000, t.thread());
    t.op("aten::relu", kDeep * 1000 + 10, 3);
    Profile p = t.finish();
    analyze(p, {});
    EXPECT_EQ(stack_of(p, "aten::mm", kDeep / 2), "train.py(1): main");
    EXPECT_TRUE(stack_of(p, "aten::relu").ends_with("mine.py(3): f"));
}

// Autograd's thread runs no Python: its ops were called where their forward ops were.
TEST(Stacks, BackwardOpsHaveThoseOfTheirForwardOps) {
    TestProfile t;
    t.host(HostKind::kPythonFrame, "model.py(12): forward", 0, 500, t.thread(1));
    t.op("aten::linear", 100, 200, t.thread(1), {.sequence = 7});
    t.op("autograd::engine::evaluate_function: AddmmBackward0", 1000, 300, t.thread(2),
         {.sequence = 7, .forward_thread = 1});
    t.op("AddmmBackward0", 1010, 200, t.thread(2), {.sequence = 7, .forward_thread = 1});
    t.op("aten::mm", 1020, 100, t.thread(2));
    Profile p = t.finish();
    analyze(p, {});
    for (const char* op : {"AddmmBackward0", "aten::mm"})
        EXPECT_EQ(stack_of(p, op), "model.py(12): forward") << op;
}

TEST(Stacks, WhatTheSourceSaysStays) {
    TestProfile t;
    OpDetail told;
    told.stack = t.builder.text("a.py(1): f;b.py(2): g");
    t.host(HostKind::kPythonFrame, "train.py(90): main", 0, 1000, t.thread());
    t.op("aten::add", 10, 100, t.thread(), told);
    Profile p = t.finish();
    analyze(p, {});
    EXPECT_EQ(stack_of(p, "aten::add"), "a.py(1): f;b.py(2): g");
}

}  // namespace
}  // namespace opsight::analyze
