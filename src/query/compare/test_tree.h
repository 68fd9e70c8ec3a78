// Work trees made by hand, for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "query/compare/work_tree.h"

namespace opsight::query {

class TestTree {
  public:
    explicit TestTree(int64_t iterations = 8) {
        tree.layers.push_back({"/", "/", 0, {}, {}}), tree.iterations = iterations;
    }

    size_t layer(const std::string& name, size_t parent = 0) {
        const std::string path = (parent == 0 ? "" : tree.layers[parent].path) + "/" + name;
        tree.layers.push_back({name, path, parent, {}, {}});
        tree.layers[parent].layers.push_back(tree.layers.size() - 1);
        return tree.layers.size() - 1;
    }
    // An op that is called once an iteration, with one kernel of about `ns`.
    size_t op(const std::string& name, size_t layer, int64_t ns, const std::string& kernel = "k",
              const std::string& shapes = "[[8]]", const std::string& uses_tc = "no",
              const std::string& dtypes = "[\"float\"]") {
        TreeOp op{name, "fprop", shapes, dtypes, layer, amount(50), {}, {}};
        op.work.push_back({kernel, kernel, uses_tc, amount(ns)});
        tree.layers[layer].ops.push_back(tree.ops.size());
        tree.ops.push_back(std::move(op));
        return tree.ops.size() - 1;
    }
    void kernel(size_t op, const std::string& name, int64_t ns) {
        tree.ops[op].work.push_back({name, name, "no", amount(ns)});
    }
    void add_copy(size_t op, const std::string& name, int64_t ns) {
        tree.ops[op].work.push_back({name, name, "", amount(ns)});
    }
    WorkTree finish() {
        tree.cpu = tree.gpu = {};
        for (TreeOp& op : tree.ops) {
            op.gpu = {};
            for (const DeviceWork& each : op.work)
                op.gpu.add(each.gpu);
            tree.cpu.add(op.cpu);
            tree.gpu.add(op.gpu);
        }
        return tree;
    }

    WorkTree tree;

  private:
    // Samples that vary by up to 1 %, each work in its own way.
    Amount amount(int64_t ns) {
        Amount made;
        for (int64_t i = 0; i < tree.iterations; ++i) {
            made.samples.push_back(ns + ns * ((i * 7 + made_ * 3) % 11) / 1000);
            made.ns += made.samples.back();
        }
        ++made_;
        made.calls = tree.iterations;
        made.mean_ns = made.ns / tree.iterations;
        return made;
    }
    int64_t made_ = 0;
};

// The same run as an import without layers has it: each op once, with all of its calls. Of what is not told
// nothing tells ops apart.
inline WorkTree without_layers(const WorkTree& tree, bool shapes = true) {
    WorkTree out;
    out.layers.push_back({"/", "/", 0, {}, {}});
    out.iterations = tree.iterations;
    out.cpu = tree.cpu;
    out.gpu = tree.gpu;
    std::map<std::string, size_t> places;
    for (TreeOp op : tree.ops) {
        op.layer = 0;
        if (!shapes) op.shapes.clear();
        const auto [found, is_new] = places.emplace(op.name + op.direction + op.shapes, out.ops.size());
        if (is_new) {
            out.layers[0].ops.push_back(out.ops.size());
            out.ops.push_back(op);
            continue;
        }
        TreeOp& one = out.ops[found->second];
        one.cpu.add(op.cpu);
        one.gpu.add(op.gpu);
        for (size_t i = 0; i < op.work.size(); ++i)
            one.work.at(i).gpu.add(op.work[i].gpu);
    }
    return out;
}

}  // namespace opsight::query
