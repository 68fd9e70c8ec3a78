#include "analyze/model_groups.h"

#include <fmt/format.h>

#include <map>

namespace opsight::analyze {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::string_view without_last(std::string_view text, char separator) {
    const size_t at = text.rfind(separator);
    return at == text.npos ? std::string_view() : text.substr(0, at);
}

// What two paths begin with, in whole parts.
std::string common_path(const std::string& a, const std::string& b) {
    size_t common = 0;
    for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
        const bool end_a = i == a.size() || a[i] == '/', end_b = i == b.size() || b[i] == '/';
        if (end_a && end_b) common = i;
        if (i == a.size() || i == b.size() || a[i] != b[i]) break;
    }
    return a.substr(0, common);
}

// Of the first weight whose name has a path.
std::string path_of_weights(const ModelGraph& graph, const ModelNode& node) {
    for (const TensorId id : node.inputs) {
        const ModelTensor* tensor = graph.tensor(id);
        if (!tensor || !tensor->constant) continue;
        const std::string_view module = without_last(tensor->name, '.');
        if (!module.empty()) return module_path(module);
    }
    return {};
}

std::vector<std::string> node_paths(const ModelGraph& graph) {
    std::vector<std::string> paths(graph.nodes.size());
    bool named = false;
    for (size_t i = 0; i < paths.size(); ++i) {
        paths[i] = module_path(without_last(graph.nodes[i].name, '/'));
        named = named || !paths[i].empty();
    }
    if (named) return paths;
    size_t last = paths.size();  // the last node whose weights tell a path
    for (size_t i = 0; i < paths.size(); ++i) {
        paths[i] = path_of_weights(graph, graph.nodes[i]);
        if (paths[i].empty()) continue;
        if (last < i) {
            const std::string between = common_path(paths[last], paths[i]);
            for (size_t n = last + 1; n < i; ++n)
                paths[n] = between;
        }
        last = i;
    }
    return paths;
}

struct Tree {
    std::vector<ModelGroup> groups;
    std::vector<std::vector<int64_t>> children;  // of each group: groups, and nodes as -1 - node
    std::vector<int64_t> roots;
};

// Nodes that constants alone decide are no part of a run, and not of the tree.
Tree tree_of(const ModelGraph& graph, const std::vector<std::string>& paths) {
    Tree tree;
    std::map<std::string, int32_t, std::less<>> known;
    for (size_t n = 0; n < paths.size(); ++n) {
        if (graph.nodes[n].folded) continue;
        int32_t at = -1;
        const std::string_view path = paths[n];
        for (size_t end = 0; end < path.size();) {
            const size_t begin = end == 0 ? 0 : end + 1;
            end = std::min(path.find('/', begin), path.size());
            const auto [it, is_new] =
                known.try_emplace(std::string(path.substr(0, end)), static_cast<int32_t>(tree.groups.size()));
            if (is_new) {
                (at < 0 ? tree.roots : tree.children[static_cast<size_t>(at)]).push_back(it->second);
                tree.groups.push_back({std::string(path.substr(begin, end - begin)),
                                       std::string(path.substr(0, end)), at, false});
                tree.children.emplace_back();
            }
            at = it->second;
        }
        (at < 0 ? tree.roots : tree.children[static_cast<size_t>(at)])
            .push_back(-1 - static_cast<int64_t>(n));
    }
    return tree;
}

// Takes the tree over into the answer: groups of one node dissolved, wide ones cut.
class Taker {
  public:
    Taker(const Tree& tree, ModelGroups& out) : tree_(tree), out_(out) {}

    void take(const std::vector<int64_t>& children, int32_t parent, const std::string& above) {
        if (children.size() <= ModelGroups::kWidest) {
            for (const int64_t child : children)
                take_one(child, parent, above);
            return;
        }
        // As few parts as do, of about equal size; a very wide group gets parts of parts.
        size_t size = ModelGroups::kWidest;
        while ((children.size() + size - 1) / size > ModelGroups::kWidest)
            size *= ModelGroups::kWidest;
        const std::string path = parent < 0 ? "" : out_.groups[static_cast<size_t>(parent)].path;
        for (size_t from = 0; from < children.size(); from += size) {
            const size_t to = std::min(from + size, children.size());
            const auto part = static_cast<int32_t>(out_.groups.size());
            out_.groups.push_back({fmt::format("{} to {}", from + 1, to), path, parent, true});
            take({children.begin() + static_cast<std::ptrdiff_t>(from),
                  children.begin() + static_cast<std::ptrdiff_t>(to)},
                 part, above);
        }
    }

  private:
    void take_one(int64_t child, int32_t parent, const std::string& above) {
        if (child < 0) {
            const auto node = static_cast<size_t>(-1 - child);
            out_.group[node] = parent;
            out_.label[node] = above;
            return;
        }
        const auto index = static_cast<size_t>(child);
        const std::vector<int64_t>& below = tree_.children[index];
        const std::string name =
            above.empty() ? tree_.groups[index].name : above + "/" + tree_.groups[index].name;
        if (below.size() == 1) {  // one node, or a path without a branch
            take_one(below[0], parent, name);
            return;
        }
        const auto group = static_cast<int32_t>(out_.groups.size());
        out_.groups.push_back({name, tree_.groups[index].path, parent, false});
        take(below, group, {});
    }

    const Tree& tree_;
    ModelGroups& out_;
};

}  // namespace

std::string module_path(std::string_view text) {
    constexpr size_t kDeepest = 64;  // far more than networks have: what is deeper belongs to the last one
    std::string out;
    std::string_view before;
    size_t depth = 0;
    for (const std::string_view step : split(text, "/")) {
        std::string_view own = step;
        if (!before.empty() && step.size() > before.size() + 1 && step.starts_with(before) &&
            step[before.size()] == '.')
            own.remove_prefix(before.size() + 1);
        for (const std::string_view part : split(own, "."))
            if (depth++ < kDeepest) out.append(out.empty() ? "" : "/").append(part);
        before = step;
    }
    return out;
}

ModelGroups group_nodes(const ModelGraph& graph) {
    ModelGroups out;
    out.path = node_paths(graph);
    out.group.assign(graph.nodes.size(), -1);
    out.label.assign(graph.nodes.size(), {});
    const Tree tree = tree_of(graph, out.path);
    Taker(tree, out).take(tree.roots, -1, {});
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const std::string_view name = graph.nodes[n].name;
        const std::string_view last = name.substr(name.rfind('/') + 1);
        if (!out.label[n].empty()) out.label[n] += "/";
        out.label[n] += last.empty() ? graph.nodes[n].shown_type() : std::string(last);
    }
    return out;
}

}  // namespace opsight::analyze
