#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "import/timeloop/readers.h"
#include "map/estimators.h"

namespace opsight::importer::timeloop {
namespace {

using map::Architecture;
using map::ComputeUnit;
using map::Level;
using map::Mesh;

constexpr int64_t kMostInstances = 1 << 30;

// What holds nothing and only spreads: its size, width and energy mean nothing.
bool is_dummy(const std::string& kind) {
    return kind == "dummy_storage";
}

// "block-size" and "block_size" are the same.
Tree attributes_of(const Tree& component) {
    const Tree* own = component.find("attributes");
    Tree attributes = own != nullptr ? *own : component;
    for (auto& member : attributes.members)
        std::replace(member.key.begin(), member.key.end(), '-', '_');
    return attributes;
}

Result<Mesh> read_mesh(const Component& component) {
    const Tree& attributes = component.attributes;
    OPSIGHT_ASSIGN(const int64_t instances, attributes.whole_of({"instances"}, component.count));
    OPSIGHT_ASSIGN(const int64_t x, attributes.whole_of({"meshX"}, 0));
    OPSIGHT_ASSIGN(const int64_t y, attributes.whole_of({"meshY"}, 0));
    const auto refuse = [&] {
        return fail(component.tree->error(
            fmt::format("{}: {} instances are not a mesh of {} by {}", component.name, instances, x, y)));
    };
    if (instances < 1 || instances > kMostInstances || x < 0 || y < 0 || x > instances || y > instances)
        return refuse();
    if (x == 0 && y == 0) return Mesh{instances, 1};
    Mesh mesh{x, y};
    if (x == 0) mesh.x = instances / y;
    if (y == 0) mesh.y = instances / x;
    if (mesh.instances() != instances) return refuse();
    return mesh;
}

// What Timeloop models and we do not: better said than wrong.
Status check_supported(const Component& component) {
    const auto is_on = [&](const char* key) {
        const Tree* value = component.attributes.find(key);
        return value != nullptr && value->is_text() && (value->text == "true" || value->text == "True");
    };
    for (const char* key : {"allow_overbooking", "has_power_gating"})
        if (is_on(key))
            return fail(component.tree->error(fmt::format("{}: {} is not supported", component.name, key),
                                              fmt::format("leave {} out", key)));
    if (const Tree* scale = component.attributes.find("per_dataspace_bandwidth_consumption_scale");
        scale != nullptr && !scale->members.empty())
        return fail(scale->error(
            fmt::format("{}: per_dataspace_bandwidth_consumption_scale is not supported", component.name)));
    const Tree* reduces = component.attributes.find("reduction_supported");
    if (reduces != nullptr && (reduces->text == "false" || reduces->text == "False"))
        return fail(component.tree->error(
            fmt::format("{}: storage that cannot reduce is not supported", component.name),
            "leave reduction_supported out"));
    return {};
}

// A memory as wide as a block of words, of as many instances as a cluster has.
Status read_block(const Component& component, Level& level) {
    const Tree& attributes = component.attributes;
    OPSIGHT_ASSIGN(level.block, attributes.whole_of({"block_size", "n_words"}, 0));
    OPSIGHT_ASSIGN(level.cluster, attributes.whole_of({"cluster_size"}, 0));
    OPSIGHT_ASSIGN(const int64_t width, attributes.whole_of({"width", "memory_width"}, 0));
    const bool block_given = level.block > 0;
    level.block = std::max<int64_t>(level.block, 1);
    if (width <= 0) {
        level.cluster = std::max<int64_t>(level.cluster, 1);
        return {};
    }
    const int64_t given = level.word_bits * level.block * std::max<int64_t>(level.cluster, 1);
    if (level.word_bits < 1 || given < 1 || width % given != 0)
        return fail(component.tree->error(
            fmt::format("{}: its width, {} bits, is not a multiple of its words of {} bits", component.name,
                        width, level.word_bits)));
    if (!block_given)
        level.block = width / given;
    else if (level.cluster == 0)
        level.cluster = width / given;
    level.cluster = std::max<int64_t>(level.cluster, 1);
    return {};
}

Status read_capacity(const Component& component, Level& level) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max() >> 20;
    const Tree& attributes = component.attributes;
    OPSIGHT_ASSIGN(const int64_t entries, attributes.whole_of({"entries"}, -1));
    OPSIGHT_ASSIGN(const int64_t depth, attributes.whole_of({"depth", "memory_depth"}, -1));
    OPSIGHT_ASSIGN(const double kib, attributes.number_of({"sizeKB"}, -1));
    if (depth > kMost / level.block || kib > 1e12)
        return fail(
            component.tree->error(fmt::format("{}: it is too large to count its words", component.name)));
    if (entries >= 0)
        level.capacity = entries;
    else if (depth >= 0)
        level.capacity = depth * level.block;
    else if (kib >= 0)
        level.capacity = static_cast<int64_t>(kib * 1024 * 8 / static_cast<double>(level.word_bits));
    else if (!level.dram)
        return fail(component.tree->error(fmt::format("{} needs a size", component.name),
                                          "add depth, entries or sizeKB; only DRAM may go without"));
    return {};
}

Result<std::optional<double>> read_bandwidth(const Tree& attributes, const char* key) {
    if (attributes.find(key) == nullptr) return std::nullopt;
    OPSIGHT_ASSIGN(const double words, attributes.number_of({key}, 0));
    return std::optional<double>(words);
}

Result<Level> read_level(const Component& component) {
    const Tree& attributes = component.attributes;
    Level level;
    level.name = component.name;
    const Tree* technology = attributes.find("technology");
    level.dram = component.kind.find("DRAM") != std::string::npos ||
                 (technology != nullptr && technology->text == "DRAM");
    level.dummy = is_dummy(component.kind);
    OPSIGHT_TRY(check_supported(component));
    OPSIGHT_ASSIGN(level.mesh, read_mesh(component));
    if (level.dummy) return level;
    OPSIGHT_ASSIGN(level.word_bits,
                   attributes.whole_of({"word_bits", "word_width", "datawidth"}, level.word_bits));
    OPSIGHT_TRY(read_block(component, level));
    OPSIGHT_TRY(read_capacity(component, level));
    OPSIGHT_ASSIGN(level.read_bandwidth, read_bandwidth(attributes, "read_bandwidth"));
    OPSIGHT_ASSIGN(level.write_bandwidth, read_bandwidth(attributes, "write_bandwidth"));
    OPSIGHT_ASSIGN(level.shared_bandwidth, read_bandwidth(attributes, "shared_bandwidth"));
    OPSIGHT_ASSIGN(level.buffers, attributes.number_of({"multiple_buffering"}, 1));
    OPSIGHT_ASSIGN(level.min_utilization, attributes.number_of({"min_utilization"}, 0));
    OPSIGHT_ASSIGN(const double access,
                   attributes.number_of({"vector_access_energy"}, map::built_in_access_pj(level)));
    level.read_pj = level.write_pj = level.update_pj = access;
    level.energy_source = attributes.find("vector_access_energy") != nullptr ? "architecture" : "built-in";
    return level;
}

Result<ComputeUnit> read_compute(const Component& component) {
    ComputeUnit unit;
    unit.name = component.name;
    OPSIGHT_ASSIGN(unit.mesh, read_mesh(component));
    OPSIGHT_ASSIGN(unit.word_bits,
                   component.attributes.whole_of({"word_bits", "word_width", "datawidth"}, unit.word_bits));
    unit.compute_pj = map::built_in_compute_pj(unit.word_bits);
    unit.energy_source = "built-in";
    return unit;
}

// A component, its name without its count; the counts of the containers around it go with it.
Result<Component> open_component(const Tree& tree, int64_t around) {
    const Tree* name = tree.find("name");
    if (name == nullptr || !name->is_text()) return fail(tree.error("a component needs a name"));
    OPSIGHT_ASSIGN(const InstanceName instances, read_instances(*name));
    Component component{&tree, instances.name, {}, instances.count * around, attributes_of(tree)};
    if (component.count > kMostInstances) return fail(tree.error("there are too many instances of it"));
    OPSIGHT_ASSIGN(component.kind, tree.text_of("class", ""));
    return component;
}

// Containers with components (local) and containers (subtree) in them.
Status walk(const Tree& tree, int64_t around, std::vector<Component>& into) {
    if (const Tree* local = tree.find("local"))
        for (const Tree& each : local->items) {
            OPSIGHT_ASSIGN(Component component, open_component(each, around));
            into.push_back(std::move(component));
        }
    if (const Tree* subtree = tree.find("subtree"))
        for (const Tree& each : subtree->items) {
            OPSIGHT_ASSIGN(const Component container, open_component(each, around));
            OPSIGHT_TRY(walk(each, container.count, into));
        }
    return {};
}

}  // namespace

Result<std::vector<Component>> components_of(const Tree& architecture) {
    std::vector<Component> components;
    const Tree* storage = architecture.find("storage");
    const Tree* arithmetic = architecture.find("arithmetic");
    if (storage != nullptr && arithmetic != nullptr) {
        for (size_t i = storage->items.size(); i-- > 0;) {
            OPSIGHT_ASSIGN(Component component, open_component(storage->items[i], 1));
            components.push_back(std::move(component));
        }
        OPSIGHT_ASSIGN(Component units, open_component(*arithmetic, 1));
        components.push_back(std::move(units));
        return components;
    }
    OPSIGHT_TRY(walk(architecture, 1, components));
    return components;
}

Result<InstanceName> read_instances(const Tree& name) {
    InstanceName out{name.text, 1};
    const size_t open = name.text.find('[');
    if (open == std::string::npos) return out;
    out.name = name.text.substr(0, open);
    int64_t first = 0, last = 0;
    const char *at = name.text.data() + open + 1, *end = name.text.data() + name.text.size();
    const auto [dots, first_problem] = std::from_chars(at, end, first);
    if (first_problem == std::errc() && end - dots > 2 && dots[0] == '.' && dots[1] == '.') {
        const auto [close, last_problem] = std::from_chars(dots + 2, end, last);
        if (last_problem == std::errc() && close + 1 == end && *close == ']' && first >= 0 && last >= first &&
            last < kMostInstances) {
            out.count = last - first + 1;
            return out;
        }
    }
    return fail(name.error(fmt::format("'{}' is not a name with instances, as in PE[0..255]", name.text)));
}

Result<Architecture> read_architecture(const Tree& tree) {
    OPSIGHT_ASSIGN(const std::vector<Component> components, components_of(tree));
    if (components.size() < 2)
        return fail(
            tree.error("an architecture needs storage and compute units",
                       "nodes, or subtree with local components (v0.4); storage and arithmetic (v0.3)"));
    Architecture architecture;
    OPSIGHT_ASSIGN(architecture.compute, read_compute(components.back()));
    for (size_t i = components.size() - 1; i-- > 0;) {
        OPSIGHT_ASSIGN(Level level, read_level(components[i]));
        architecture.levels.push_back(std::move(level));
    }
    if (const Status good = map::check(architecture); !good) return fail(tree.error(good.error().what));
    return architecture;
}

}  // namespace opsight::importer::timeloop
