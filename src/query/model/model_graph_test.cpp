#include "query/model/model_graph.h"

#include "db/model_store.h"
#include "query/ask/test_cells.h"
#include "query/session/test_session.h"

namespace opsight::query {
namespace {

// input -> /a/conv/Conv -> /a/Relu -> /b/c/Relu -> /b/Relu; the last is never run.
ModelGraph small_model() {
    ModelGraph graph;
    const auto tensor = [&graph](const std::string& name, Shape shape, bool constant) {
        ModelTensor made;
        made.name = name;
        made.shape = std::move(shape);
        made.shape_known = true;
        made.constant = constant;
        graph.tensors.push_back(std::move(made));
        return static_cast<TensorId>(graph.tensors.size()) - 1;
    };
    TensorId last = tensor("x", {1, 3, 8, 8}, false);
    graph.inputs = {last};
    const TensorId weight = tensor("w", {16, 3, 1, 1}, true);
    for (const char* name : {"/a/conv/Conv", "/a/Relu", "/b/c/Relu", "/b/Relu"}) {
        ModelNode node;
        node.name = name;
        node.op_type = graph.nodes.empty() ? "Conv" : "Relu";
        node.inputs = {last};
        if (graph.nodes.empty()) node.inputs.push_back(weight);
        node.outputs = {last = tensor(name, {1, 16, 8, 8}, false)};
        graph.nodes.push_back(std::move(node));
    }
    graph.outputs = {last};
    mark_graph(graph);
    return graph;
}

analyze::TestProfile small_run() {
    analyze::TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    t.gpu(0, "Tesla T4", 7, 5);
    const auto shapes = [&t](const char* text) {
        OpDetail detail;
        detail.signature = t.builder.signature({.shapes = t.builder.text(text)});
        return detail;
    };
    t.op("aten::conv2d", 0, 100, thread, shapes("[[8, 3, 8, 8], [16, 3, 1, 1]]"));
    t.api("cudaLaunchKernel", 10, 10, thread, 1);
    t.kernel("gemm", 50, 300, stream, 1);
    t.op("aten::relu", 200, 50, thread, shapes("[[8, 16, 8, 8]]"));
    t.api("cudaLaunchKernel", 210, 10, thread, 2);
    t.kernel("relu", 400, 100, stream, 2);
    t.op("aten::relu", 300, 50, thread, shapes("[[8, 16, 8, 8]]"));
    return t;
}

const ModelItem& item(const ModelView& view, const std::string& label) {
    for (const ModelItem& each : view.items)
        if (each.label == label) return each;
    ADD_FAILURE() << "no item " << label;
    return view.items.at(0);
}

ModelView view_of(Session& session, const std::vector<int64_t>& open) {
    auto view = model_graph(session, open);
    if (!view || !*view) {
        ADD_FAILURE() << (view ? "no model" : view.error().message());
        return {};
    }
    return **view;
}

TEST(ModelGraphView, AProfileWithoutModelHasNone) {
    const StoredProfile stored(small_run());
    Session session = stored.open();
    const auto view = model_graph(session, {});
    ASSERT_TRUE(view.has_value()) << view.error().message();
    EXPECT_FALSE(view->has_value());
}

TEST(ModelGraphView, GroupsAddUpWhatTheirNodesTook) {
    const StoredProfile stored(small_run());
    const ModelGraph graph = small_model();
    for (int i = 0; i < 2; ++i) {  // the second replaces the first
        const auto added = db::add_model(stored.path(), graph, "small.onnx");
        ASSERT_TRUE(added.has_value()) << added.error().message();
        EXPECT_EQ(added->nodes, 4U);
        EXPECT_EQ(added->matched(), 3U);
        EXPECT_EQ(added->matched_macs, added->macs);
    }
    Session session = stored.open();
    const ModelView closed = view_of(session, {});
    ASSERT_EQ(closed.items.size(), 2U);
    EXPECT_EQ(item(closed, "a").sums.gpu_ns, 400);
    EXPECT_EQ(item(closed, "a").sums.matched, 2);
    EXPECT_EQ(item(closed, "b").sums.matched, 1);
    EXPECT_DOUBLE_EQ(item(closed, "a").share_pct, 100);
    ASSERT_EQ(closed.edges.size(), 1U);
    EXPECT_EQ(closed.edges[0].tensors, 1);
    EXPECT_EQ(closed.facts.batch, 8);
    EXPECT_EQ(closed.facts.nodes, 4);
    EXPECT_EQ(closed.facts.matched, 3);

    const ModelView open = view_of(session, {0});
    ASSERT_EQ(open.items.size(), 4U);
    const ModelItem& conv = item(open, "conv/Conv");
    EXPECT_EQ(conv.sums.gpu_ns, 300);
    EXPECT_EQ(conv.matched, "order");
    EXPECT_EQ(conv.op_name, "aten::conv2d");
    EXPECT_EQ(conv.sums.macs, 8 * 16 * 3 * 64);
    EXPECT_FALSE(conv.limiter().empty());  // the T4 is in the device table
    EXPECT_EQ(open.edges.size(), 2U);
}

TEST(ModelGraphView, NodesAreATable) {
    const StoredProfile stored(small_run());
    ASSERT_TRUE(db::add_model(stored.path(), small_model(), "small.onnx").has_value());
    Session session = stored.open();
    const auto table = model_nodes(session, {}, {});
    ASSERT_TRUE(table.has_value()) << table.error().message();
    ASSERT_EQ(table->rows.size(), 4U);
    EXPECT_EQ(number(cell(*table, "total_gpu_time_ns", "name", "/a/Relu")), 100);
    EXPECT_EQ(number(cell(*table, "macs", "name", "/a/conv/Conv")), 8 * 16 * 3 * 64);
    EXPECT_TRUE(is_empty(cell(*table, "matched", "name", "/b/Relu")));
}

TEST(ModelGraphView, AModelIsNotAddedToWhatIsNoProfile) {
    const auto added = db::add_model("/nowhere/run.opsight", small_model(), "small.onnx");
    ASSERT_FALSE(added.has_value());
    EXPECT_NE(added.error().message().find("/nowhere/run.opsight"), std::string::npos);
}

}  // namespace
}  // namespace opsight::query
