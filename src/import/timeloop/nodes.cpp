#include "import/timeloop/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opsight::importer::timeloop {
namespace {

constexpr int64_t kMostInstances = 1 << 30;

Tree text(const Tree& where, std::string what) {
    Tree tree;
    tree.kind = Tree::Kind::kText;
    tree.line = where.line;
    tree.file = where.file;
    tree.text = std::move(what);
    return tree;
}

// What a class is, by parts of its name, as Timeloop's front end has it.
enum class Sort : uint8_t { kStorage, kCompute, kNetwork, kNothing, kUnknown };

Sort sort_of(const std::string& kind) {
    const auto has = [&kind](std::initializer_list<std::string_view> parts) {
        return std::any_of(parts.begin(), parts.end(),
                           [&kind](std::string_view part) { return kind.find(part) != std::string::npos; });
    };
    if (has({"DRAM", "SRAM", "regfile", "smartbuffer", "storage"})) return Sort::kStorage;
    if (has({"mac", "compute"})) return Sort::kCompute;
    if (has({"XY_NoC", "Legacy", "ReductionTree", "SimpleMulticast"})) return Sort::kNetwork;
    if (has({"nothing"})) return Sort::kNothing;
    return Sort::kUnknown;
}

// What a number may be written as: "null" and "{}" are nothing.
bool is_null(const Tree& tree) {
    return tree.kind == Tree::Kind::kEmpty || (!tree.quoted && tree.is_text() && tree.text == "null");
}

bool disabled(const Tree& node) {
    const Tree* enabled = node.find("enabled");
    return enabled != nullptr && (enabled->text == "false" || enabled->text == "False");
}

class Writer {
  public:
    Writer(const Scope& variables, const map::Problem& problem, WrittenOut& out)
        : problem_(problem), containers_(&variables), out_(out) {}

    Status walk(const Tree& branch, bool parallel) {
        const Tree* nodes = branch.find("nodes");
        if (nodes == nullptr || !nodes->is_list()) return fail(branch.error("nodes must be a list"));
        uint32_t kept = 0;
        for (const Tree& node : nodes->items) {
            const size_t begin = out_.architecture.members[0].value.items.size();
            OPSIGHT_TRY(visit(node, parallel));
            if (parallel && !disabled(node)) OPSIGHT_TRY(close_branch(node, begin, kept));
        }
        const uint32_t all = (1U << problem_.spaces.size()) - 1;
        for (size_t i = 0; parallel && i < problem_.spaces.size(); ++i)
            if (((all & ~kept) >> i & 1U) != 0)
                return fail(nodes->error(
                    fmt::format("no branch of this !Parallel keeps {}", problem_.spaces[i].name),
                    fmt::format(
                        "give a component 'constraints: {{dataspace: {{keep: [{}]}}}}', or a !Nothing",
                        problem_.spaces[i].name)));
        return {};
    }

    bool has_compute() const { return compute_; }

  private:
    Status visit(const Tree& node, bool parallel) {
        if (!node.is_map() && node.tag != "!Nothing")
            return fail(node.error("a node must be a map with a name, behind !Component or !Container"));
        if (disabled(node)) return {};
        if (compute_ && node.tag != "!Nothing")
            return fail(
                node.error("nothing may stand behind the compute units", "put them at the end of the nodes"));
        if (node.tag == "!Component") return component(node, parallel);
        if (node.tag == "!Container") return container(node, parallel);
        if (node.tag == "!Parallel") return walk(node, true);
        if (node.tag == "!Hierarchical" || node.tag == "!Pipelined") return walk(node, false);
        if (node.tag == "!Nothing") return {};
        return fail(
            node.error(node.tag.empty() ? "a node needs a tag"
                                        : fmt::format("there is no node of the kind {}", node.tag),
                       "write !Component, !Container, !Parallel, !Hierarchical or !Nothing before it"));
    }

    Status container(const Tree& node, bool parallel) {
        if (parallel) return fail(node.error("containers in a !Parallel are not supported"));
        OPSIGHT_ASSIGN(const std::string name, name_of(node));
        for (const char* key : {"networks", "sparse_optimizations"})
            if (const Tree* part = node.find(key); part != nullptr && !part->items.empty())
                return fail(part->error(fmt::format("{} are not supported", key)));
        if (const Tree* attributes = node.find("attributes"))
            OPSIGHT_TRY(evaluate_members(*attributes, containers_));
        OPSIGHT_TRY(spread(node, name));
        const Tree* constraints = node.find("constraints");
        if (constraints == nullptr) return {};
        for (const auto& [type, part] : constraints->members)
            if (type != "spatial" && part.kind != Tree::Kind::kEmpty)
                return fail(part.error(fmt::format("a container has no {} constraints", type),
                                       "give them to a component"));
        return {};
    }

    Status component(const Tree& node, bool parallel) {
        OPSIGHT_ASSIGN(const std::string name, name_of(node));
        OPSIGHT_ASSIGN(const std::string kind, node.text_of("class", ""));
        const Sort sort = sort_of(kind);
        if (sort == Sort::kUnknown)
            return fail(
                node.error(fmt::format("{}: the class '{}' is neither storage nor compute", name, kind),
                           "its name must contain DRAM, SRAM, regfile, smartbuffer, storage, mac or "
                           "compute; give the other one as subclass"));
        if (sort == Sort::kNetwork)
            return fail(node.error(fmt::format("{}: networks are not supported", name), "leave it out"));
        if (const Tree* sparse = node.find("sparse_optimizations");
            sparse != nullptr && !(sparse->members.empty() && sparse->items.empty()))
            return fail(sparse->error("sparse optimizations are not supported"));
        if (sort == Sort::kNothing) return {};
        if (parallel && node.find("spatial") != nullptr)
            return fail(node.error("components with a mesh in a !Parallel are not supported"));
        OPSIGHT_TRY(spread(node, name));
        if (sort == Sort::kCompute) compute_ = true;
        OPSIGHT_ASSIGN(Tree written, attributes_of(node));
        OPSIGHT_TRY(place(node, name, kind, std::move(written)));
        return constrain(node, name);
    }

    Result<std::string> name_of(const Tree& node) {
        OPSIGHT_ASSIGN(const std::string name, node.text_of("name", ""));
        if (name.empty()) return fail(node.error("a node needs a name"));
        if (!names_.insert(name).second)
            return fail(node.error(fmt::format("two nodes are called {}", name)));
        return name;
    }

    // A mesh of what follows: a level that holds nothing stands before it.
    Status spread(const Tree& node, const std::string& name) {
        const Tree* spatial = node.find("spatial");
        int64_t x = 1, y = 1;
        if (spatial != nullptr) {
            OPSIGHT_ASSIGN(const Tree values, with_values(*spatial, containers_));
            OPSIGHT_ASSIGN(x, values.whole_of({"meshX"}, 1));
            OPSIGHT_ASSIGN(y, values.whole_of({"meshY"}, 1));
            if (x < 1 || y < 1 || x > kMostInstances || y > kMostInstances ||
                x > kMostInstances / y / (mesh_x_ * mesh_y_))
                return fail(
                    spatial->error(fmt::format("{}: a mesh of {} by {} is not possible", name, x, y)));
        }
        const Tree* constraints = node.find("constraints");
        const Tree* part = constraints == nullptr ? nullptr : constraints->find("spatial");
        if (x * y == 1) {
            if (part != nullptr && spatial == nullptr)
                return fail(part->error(fmt::format("{} has spatial constraints, but no mesh", name),
                                        "add spatial: {meshX: N}"));
            return {};
        }
        const std::string level = fmt::format("inter_{}_spatial", name);
        if (!names_.insert(level).second)
            return fail(node.error(fmt::format("two nodes are called {}", level)));
        Tree attributes = text(node, "");
        attributes.kind = Tree::Kind::kMap;
        OPSIGHT_TRY(place(node, level, "dummy_storage", std::move(attributes)));
        out_.spreads[name] = level;
        out_.constraints.add_spread_only(node, level);
        if (part != nullptr) OPSIGHT_TRY(out_.constraints.add(*part, level, "spatial"));
        mesh_x_ *= x;
        mesh_y_ *= y;
        return {};
    }

    Result<Tree> attributes_of(const Tree& node) {
        Tree empty = text(node, "");
        empty.kind = Tree::Kind::kMap;
        const Tree* own = node.find("attributes");
        OPSIGHT_ASSIGN(Tree written, with_values(own != nullptr ? *own : empty, containers_));
        for (const auto& [key, value] : containers_.own()) {
            const auto same = [&key = key](const TreeMember& member) { return member.key == key; };
            if (std::none_of(written.members.begin(), written.members.end(), same))
                written.members.push_back({key, text(node, text_of(value))});
        }
        return written;
    }

    Status place(const Tree& node, const std::string& name, const std::string& kind, Tree attributes) {
        if (levels_++ > map::kMaxLevels)  // and the compute units
            return fail(
                node.error(fmt::format("more than {} levels of storage are not possible", map::kMaxLevels)));
        std::erase_if(attributes.members, [](const TreeMember& member) {
            return member.key == "meshX" || member.key == "meshY";
        });
        attributes.members.push_back({"meshX", text(node, std::to_string(mesh_x_))});
        attributes.members.push_back({"meshY", text(node, std::to_string(mesh_y_))});
        Tree component = text(node, "");
        component.kind = Tree::Kind::kMap;
        component.members.push_back({"name", text(node, fmt::format("{}[1..{}]", name, mesh_x_ * mesh_y_))});
        component.members.push_back({"class", text(node, kind)});
        for (const char* key : {"subclass", "area_scale", "energy_scale"})
            if (const Tree* value = node.find(key)) component.members.push_back({key, *value});
        component.members.push_back({"attributes", std::move(attributes)});
        out_.architecture.members[0].value.items.push_back(std::move(component));
        return {};
    }

    Status constrain(const Tree& node, const std::string& name) {
        const Tree* constraints = node.find("constraints");
        if (constraints == nullptr) return {};
        for (const auto& [type, part] : constraints->members)
            if (type != "spatial" && part.kind != Tree::Kind::kEmpty)
                OPSIGHT_TRY(out_.constraints.add(part, name, type));
        return {};
    }

    // What a branch of a !Parallel does not keep bypasses all of it.
    Status close_branch(const Tree& node, size_t begin, uint32_t& kept) {
        uint32_t own = 0;
        OPSIGHT_TRY(gather_kept(node, own));
        if (const uint32_t both = own & kept; both != 0)
            for (size_t i = 0; i < problem_.spaces.size(); ++i)
                if ((both >> i & 1U) != 0)
                    return fail(node.error(
                        fmt::format("two branches of this !Parallel keep {}", problem_.spaces[i].name),
                        "a data space may be kept in one of them"));
        kept |= own;
        const std::vector<Tree>& placed = out_.architecture.members[0].value.items;
        for (size_t i = begin; i < placed.size(); ++i) {
            const std::string& name = placed[i].members[0].value.text;
            out_.constraints.bypass_but(node, name.substr(0, name.find('[')), own);
        }
        return {};
    }

    Status gather_kept(const Tree& node, uint32_t& into) const {
        if (const Tree* constraints = node.find("constraints"))
            if (const Tree* spaces = constraints->find({"dataspace", "bypass"})) {
                OPSIGHT_ASSIGN(const uint32_t kept, out_.constraints.kept_by(*spaces));
                into |= kept;
            }
        if (const Tree* nodes = node.find("nodes"))
            for (const Tree& inner : nodes->items)
                OPSIGHT_TRY(gather_kept(inner, into));
        return {};
    }

    const map::Problem& problem_;
    Scope containers_;  // attributes of the containers so far
    WrittenOut& out_;
    std::set<std::string> names_;
    int levels_ = 0;
    int64_t mesh_x_ = 1, mesh_y_ = 1;
    bool compute_ = false;
};

// One value; nothing where there is none.
Result<std::optional<Value>> value_of(const std::string& key, const Tree& tree, const Scope& scope) {
    if (is_null(tree) || !tree.is_text()) return std::nullopt;
    if (tree.quoted) return std::optional<Value>(tree.text);
    const Result<Value> value = evaluate_expression(tree.text, scope);
    if (!value)
        return fail(
            tree.error(fmt::format("{}: '{}' does not evaluate: {}", key, tree.text, value.error().what),
                       fmt::format("define what it uses, or write \"{}\" if it is a text", tree.text)));
    return std::optional<Value>(*value);
}

}  // namespace

Status evaluate_members(const Tree& members, Scope& into) {
    for (const auto& [key, tree] : members.members) {
        OPSIGHT_ASSIGN(const std::optional<Value> value, value_of(key, tree, into));
        if (value) into.set(key, *value);
    }
    return {};
}

Result<Tree> with_values(const Tree& members, const Scope& around) {
    Tree out = members;
    Scope scope(&around);
    std::erase_if(out.members, [](const TreeMember& member) { return is_null(member.value); });
    for (auto& [key, tree] : out.members) {
        OPSIGHT_ASSIGN(const std::optional<Value> value, value_of(key, tree, scope));
        if (!value) continue;
        scope.set(key, *value);
        tree.text = text_of(*value);
    }
    return out;
}

Status WrittenOut::add(const Tree& list) {
    for (const Tree& part : list.items) {
        OPSIGHT_ASSIGN(std::string target, part.text_of("target", ""));
        OPSIGHT_ASSIGN(const std::string type, part.text_of("type", ""));
        if (type == "spatial")
            if (const auto found = spreads.find(target); found != spreads.end()) target = found->second;
        OPSIGHT_TRY(constraints.add(part, target, type));
    }
    return {};
}

Result<WrittenOut> write_out(const Tree& architecture, const Scope& variables, const map::Problem& problem) {
    WrittenOut out{text(architecture, ""), ConstraintParts(problem), {}};
    out.architecture.kind = Tree::Kind::kMap;
    Tree local = text(architecture, "");
    local.kind = Tree::Kind::kList;
    out.architecture.members.push_back({"local", std::move(local)});
    Writer writer(variables, problem, out);
    OPSIGHT_TRY(writer.walk(architecture, false));
    if (!writer.has_compute())
        return fail(architecture.error("the nodes need a component that computes, as the last one",
                                       "add one of class compute, mac, intmac or fpmac"));
    return out;
}

}  // namespace opsight::importer::timeloop
