#include "import/timeloop/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace opsight::importer::timeloop {
namespace {

// Attributes of a line say the same in other words.
const std::vector<std::vector<std::string_view>> kAttributes = {
    {"depth", "entries", "memory_depth", "sizeKB"},
    {"block_size", "n_words"},
    {"width", "memory_width"},
    {"word_bits", "word_width", "datawidth"},
    {"meshX"},
    {"meshY"},
    {"instances"},
    {"cluster_size"},
    {"read_bandwidth"},
    {"write_bandwidth"},
    {"shared_bandwidth"},
    {"multiple_buffering"},
    {"vector_access_energy"},
};

// Others that Timeloop and the estimates know.
constexpr std::string_view kMore[] = {"name",
                                      "class",
                                      "subclass",
                                      "attributes",
                                      "technology",
                                      "global_cycle_seconds",
                                      "cycle_seconds",
                                      "area_scale",
                                      "energy_scale",
                                      "min_utilization",
                                      "allow_overbooking",
                                      "reduction_supported",
                                      "has_power_gating",
                                      "power_gated_at",
                                      "per_dataspace_bandwidth_consumption_scale",
                                      "n_banks",
                                      "num_banks",
                                      "n_ports",
                                      "num_ports",
                                      "n_rd_ports",
                                      "n_wr_ports",
                                      "n_rw_ports",
                                      "n_rdwr_ports",
                                      "n_instances",
                                      "n_bits",
                                      "precision",
                                      "exponent",
                                      "mantissa",
                                      "width_a",
                                      "width_b",
                                      "datawidth_a",
                                      "datawidth_b",
                                      "multiplier_width",
                                      "adder_width",
                                      "length",
                                      "latency",
                                      "action_latency_cycles",
                                      "voltage",
                                      "type"};

std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c != '_' && c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// One letter more, less or other, or two in each other's place.
bool nearly(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty() && a.front() == b.front()) {
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
        a.remove_suffix(1);
        b.remove_suffix(1);
    }
    if (a.size() <= 1 && b.size() <= 1) return true;
    return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

// The known name that this one is a slip of the pen for; empty: none.
std::string_view meant_by(const std::string& name, const std::vector<std::string_view>& known) {
    constexpr size_t kShort = 4;  // such names are near to many
    std::string_view near;
    for (const std::string_view each : known) {
        if (each.size() <= kShort) continue;
        if (plain(name) == plain(each)) return each;
        if (near.empty() && nearly(plain(name), plain(each))) near = each;
    }
    return near;
}

std::string with_underscores(std::string key) {
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

// "PE[0..255]" is called PE.
std::string_view base_name(std::string_view name) {
    return name.substr(0, name.find('['));
}

Tree* find_part(Tree& tree, std::string_view name) {
    for (TreeMember& member : tree.members)
        if (member.key == "name" && member.value.is_text() && base_name(member.value.text) == name)
            return &tree;
    for (TreeMember& member : tree.members)
        if (Tree* found = find_part(member.value, name)) return found;
    for (Tree& item : tree.items)
        if (Tree* found = find_part(item, name)) return found;
    return nullptr;
}

}  // namespace

Result<std::vector<std::string>> unread_attributes(const std::vector<Component>& components,
                                                   const std::set<std::string>& used) {
    std::vector<std::string_view> known;
    for (const auto& words : kAttributes)
        known.insert(known.end(), words.begin(), words.end());
    known.insert(known.end(), std::begin(kMore), std::end(kMore));
    std::vector<std::string> unread;
    std::set<std::string> seen;  // those of containers are all components' that follow
    for (const Component& component : components)
        for (const auto& [key, value] : component.attributes.members) {
            const std::string name = with_underscores(key);
            if (used.contains(key) || std::find(known.begin(), known.end(), name) != known.end()) continue;
            if (const std::string_view meant = meant_by(name, known); !meant.empty())
                return fail(value.error(fmt::format("{} has an unknown attribute '{}'", component.name, key),
                                        fmt::format("write {}, or take it out", meant)));
            const Place at = place_of(value);
            std::string place = fmt::format("'{}' ({}, line {})", key, at.file, at.line);
            if (seen.insert(place).second) unread.push_back(std::move(place));
        }
    return unread;
}

void add_words(const Tree& tree, bool keys, std::set<std::string>& into) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (auto at = tree.text.begin(); at != tree.text.end();) {
        const auto begin = std::find_if(at, tree.text.end(), is_word);
        at = std::find_if_not(begin, tree.text.end(), is_word);
        if (begin != at) into.emplace(begin, at);
    }
    for (const Tree& item : tree.items)
        add_words(item, keys, into);
    for (const TreeMember& member : tree.members) {
        if (keys) into.insert(member.key);
        add_words(member.value, keys, into);
    }
}

Status change_attribute(Tree& architecture, const AttributeChange& change) {
    const auto same = std::find_if(kAttributes.begin(), kAttributes.end(), [&](const auto& words) {
        return std::find(words.begin(), words.end(), change.attribute) != words.end();
    });
    if (same == kAttributes.end()) {
        std::vector<std::string_view> names;
        for (const auto& words : kAttributes)
            names.insert(names.end(), words.begin(), words.end());
        return fail(fmt::format("'{}' is not an attribute that can be changed", change.attribute), {}, {},
                    fmt::format("use one of {}", fmt::join(names, ", ")));
    }
    Tree* part = find_part(architecture, change.part);
    if (part == nullptr)
        return fail(fmt::format("the architecture has no part '{}'", change.part), {}, {},
                    "name a level as the architecture's file does");
    for (TreeMember& member : part->members)
        if (member.key == "attributes" && member.value.is_map()) {
            part = &member.value;
            break;
        }
    std::erase_if(part->members, [&](const TreeMember& member) {
        return std::find(same->begin(), same->end(), with_underscores(member.key)) != same->end();
    });
    Tree value = *part;
    value.members.clear();
    value.items.clear();
    value.kind = Tree::Kind::kText;
    value.text = change.value;
    part->members.push_back({change.attribute, std::move(value)});
    return {};
}

}  // namespace opsight::importer::timeloop
