#include "import/timeloop/attributes.h"

#include <fmt/format.h>

#include <algorithm>

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
