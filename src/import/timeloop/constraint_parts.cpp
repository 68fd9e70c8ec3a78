#include "import/timeloop/constraint_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsight::importer::timeloop {
namespace {

Tree text(const Tree& where, std::string what) {
    Tree tree;
    tree.kind = Tree::Kind::kText;
    tree.line = where.line;
    tree.file = where.file;
    tree.text = std::move(what);
    return tree;
}

// null, {}, [] and "" say nothing.
bool nothing(const Tree& tree) {
    return tree.items.empty() && tree.members.empty() && tree.text.empty();
}

Status check_keys(const Tree& part, bool loops) {
    constexpr std::string_view kBoth[] = {"target", "type"};
    constexpr std::string_view kLoops[] = {"factors",
                                           "permutation",
                                           "split",
                                           "factors_only",
                                           "no_iteration_over_dataspaces",
                                           "must_iterate_over_dataspaces"};
    constexpr std::string_view kSpaces[] = {"keep", "bypass", "keep_only", "bypass_only"};
    const auto in = [](const auto& list, const std::string& key) {
        return std::find(std::begin(list), std::end(list), key) != std::end(list);
    };
    for (const auto& [key, value] : part.members) {
        if (nothing(value) || in(kBoth, key)) continue;
        if (!(loops ? in(kLoops, key) : in(kSpaces, key)))
            return fail(part.error(
                fmt::format("the constraint '{}' is not supported", key),
                loops ? "say it in factors (factors: C=16 K<=4); permutation, split, factors_only, "
                        "no_iteration_over_dataspaces and must_iterate_over_dataspaces "
                        "are supported too"
                      : "keep, bypass, keep_only and bypass_only are supported"));
    }
    return {};
}

}  // namespace

ConstraintParts::Part& ConstraintParts::part_of(const Tree& where, const std::string& target,
                                                const std::string& type) {
    for (Part& part : parts_)
        if (part.target == target && part.type == type) return part;
    Part part;
    part.where = &where;
    part.target = target;
    part.type = type;
    parts_.push_back(std::move(part));
    return parts_.back();
}

Status ConstraintParts::add(const Tree& tree, const std::string& target, const std::string& type) {
    const bool loops = type == "temporal" || type == "spatial";
    if (!loops && type != "dataspace" && type != "datatype" && type != "bypass")
        return fail(tree.error(fmt::format("constraints of type '{}' are not supported", type),
                               "type must be temporal, spatial or dataspace (datatype, bypass)"));
    OPSIGHT_TRY(check_keys(tree, loops));
    Part& part = part_of(tree, target, loops ? type : "bypass");
    if (!loops) return add_spaces(tree, part);
    OPSIGHT_TRY(add_loops(tree, part));
    return add_macros(tree, part);
}

Status ConstraintParts::add_loops(const Tree& tree, Part& into) const {
    if (const Tree* factors = tree.find("factors")) {
        OPSIGHT_ASSIGN(const std::vector<Factor> read, read_factors(*factors, problem_));
        for (const Factor& factor : read)
            OPSIGHT_TRY(add_factor(*factors, factor, into));
    }
    if (const Tree* order = tree.find("permutation"); order != nullptr && !nothing(*order)) {
        OPSIGHT_ASSIGN(into.order, read_order(*order, problem_));
    }
    if (tree.find("split") != nullptr) {
        OPSIGHT_ASSIGN(const int64_t split, tree.whole_of({"split"}, 0));
        if (split < 0) return fail(tree.error("split must be 0 or more"));
        into.split = split;
    }
    return {};
}

Status ConstraintParts::add_macros(const Tree& tree, Part& into) const {
    if (const Tree* only = tree.find("factors_only")) {
        OPSIGHT_ASSIGN(const std::vector<Factor> read, read_factors(*only, problem_));
        uint32_t named = 0;
        for (const Factor& factor : read) {
            named |= 1U << factor.dimension;
            OPSIGHT_TRY(add_factor(*only, factor, into));
        }
        for (const Factor& factor : into.factors)
            named |= 1U << factor.dimension;
        OPSIGHT_TRY(all_one(*only, ~named, into));
    }
    if (const Tree* names = tree.find("no_iteration_over_dataspaces")) {
        OPSIGHT_ASSIGN(const uint32_t spaces, spaces_in(*names));
        OPSIGHT_TRY(all_one(*names, dimensions_of(spaces), into));
    }
    if (const Tree* names = tree.find("must_iterate_over_dataspaces")) {
        OPSIGHT_ASSIGN(const uint32_t spaces, spaces_in(*names));
        OPSIGHT_TRY(all_one(*names, ~dimensions_of(spaces), into));
    }
    return {};
}

Status ConstraintParts::all_one(const Tree& where, uint32_t dimensions, Part& into) const {
    for (int i = 0; i < static_cast<int>(problem_.dimensions.size()); ++i)
        if ((dimensions >> i & 1U) != 0) OPSIGHT_TRY(add_factor(where, {i, 1, false}, into));
    return {};
}

Status ConstraintParts::add_factor(const Tree& where, const Factor& factor, Part& into) const {
    for (Factor& other : into.factors) {
        if (other.dimension != factor.dimension) continue;
        if (other.count == factor.count && other.at_most == factor.at_most) return {};
        // A bound, and a factor within it.
        const Factor& bound = other.at_most ? other : factor;
        const Factor& exact = other.at_most ? factor : other;
        if (bound.at_most && !exact.at_most && exact.count > 0 && exact.count <= bound.count) {
            other = exact;
            return {};
        }
        return fail(
            where.error(fmt::format("{} of {} has the factors {}={} and {}={}", into.type, into.target,
                                    problem_.dimensions[factor.dimension].name, other.count,
                                    problem_.dimensions[factor.dimension].name, factor.count),
                        "take out one of them"));
    }
    into.factors.push_back(factor);
    return {};
}

Status ConstraintParts::add_spaces(const Tree& tree, Part& into) const {
    OPSIGHT_ASSIGN(const uint32_t keep, kept_by(tree));
    uint32_t bypass = 0;
    for (const char* key : {"bypass", "bypass_only"})
        if (const Tree* names = tree.find(key)) {
            OPSIGHT_ASSIGN(const uint32_t spaces, spaces_in(*names));
            bypass |= spaces;
        }
    if (tree.find("keep_only") != nullptr) bypass |= every_space() & ~keep;
    into.keep |= keep;
    into.bypass |= bypass;
    if (const uint32_t both = into.keep & into.bypass; both != 0)
        for (size_t i = 0; i < problem_.spaces.size(); ++i)
            if ((both >> i & 1U) != 0)
                return fail(tree.error(
                    fmt::format("{} must keep {} and must not", into.target, problem_.spaces[i].name),
                    "take out one of both"));
    return {};
}

Result<uint32_t> ConstraintParts::kept_by(const Tree& tree) const {
    uint32_t keep = 0;
    for (const char* key : {"keep", "keep_only"})
        if (const Tree* names = tree.find(key)) {
            OPSIGHT_ASSIGN(const uint32_t spaces, spaces_in(*names));
            keep |= spaces;
        }
    if (const Tree* names = tree.find("bypass_only")) {
        OPSIGHT_ASSIGN(const uint32_t spaces, spaces_in(*names));
        keep |= every_space() & ~spaces;
    }
    return keep;
}

// A name, a list of names, or "*" for all.
Result<uint32_t> ConstraintParts::spaces_in(const Tree& names) const {
    uint32_t spaces = 0;
    std::vector<const Tree*> each;
    if (names.is_text()) each.push_back(&names);
    for (const Tree& item : names.items)
        each.push_back(&item);
    for (const Tree* name : each) {
        const int space = name->is_text() ? problem_.space(name->text) : -1;
        if (space < 0 && name->text != "*")
            return fail(name->error(fmt::format("there is no data space '{}'", name->text)));
        spaces |= space < 0 ? every_space() : 1U << space;
    }
    return spaces;
}

uint32_t ConstraintParts::dimensions_of(uint32_t spaces) const {
    uint32_t dimensions = 0;
    for (size_t i = 0; i < problem_.spaces.size(); ++i)
        if ((spaces >> i & 1U) != 0)
            for (const std::vector<map::Term>& axis : problem_.spaces[i].axes)
                for (const map::Term& term : axis)
                    dimensions |= 1U << term.dimension;
    return dimensions;
}

void ConstraintParts::add_spread_only(const Tree& where, const std::string& target) {
    Part& loops = part_of(where, target, "temporal");
    for (int i = 0; i < static_cast<int>(problem_.dimensions.size()); ++i)
        loops.factors.push_back({i, 1, false});
    part_of(where, target, "bypass").bypass = every_space();
}

void ConstraintParts::bypass_but(const Tree& where, const std::string& target, uint32_t kept) {
    Part& part = part_of(where, target, "bypass");
    part.bypass |= every_space() & ~kept & ~part.keep;
}

Tree ConstraintParts::tree_of(const Part& part, bool exact) const {
    Tree tree;
    tree.kind = Tree::Kind::kMap;
    tree.line = part.where->line;
    tree.file = part.where->file;
    const auto put = [&](const char* key, std::string value) {
        if (!value.empty()) tree.members.push_back({key, text(*part.where, std::move(value))});
    };
    put("target", part.target);
    put("type", part.type);
    std::string factors;
    std::vector<int> order = part.order;
    for (const Factor& factor : part.factors) {
        if (exact && factor.at_most) continue;
        factors +=
            fmt::format("{}{}{}{}", factors.empty() ? "" : " ", problem_.dimensions[factor.dimension].name,
                        factor.at_most ? "<=" : "=", factor.count);
        if (!factor.at_most && factor.count == 1 &&
            std::find(order.begin(), order.end(), factor.dimension) == order.end())
            order.insert(order.begin(), factor.dimension);
    }
    for (int i = 0; i < static_cast<int>(problem_.dimensions.size()); ++i)
        if (problem_.dimensions[i].bound == 1 && std::find(order.begin(), order.end(), i) == order.end())
            order.insert(order.begin(), i);
    std::string names;
    for (const int dimension : order)
        names += (names.empty() ? "" : ",") + problem_.dimensions[dimension].name;
    put("factors", factors);
    if (part.type != "bypass") put("permutation", names);
    if (part.split) put("split", std::to_string(*part.split));
    for (const bool keep : {true, false}) {
        Tree list;
        list.kind = Tree::Kind::kList;
        for (size_t i = 0; i < problem_.spaces.size(); ++i)
            if (((keep ? part.keep : part.bypass) >> i & 1U) != 0)
                list.items.push_back(text(*part.where, problem_.spaces[i].name));
        if (!list.items.empty()) tree.members.push_back({keep ? "keep" : "bypass", std::move(list)});
    }
    return tree;
}

Tree ConstraintParts::list(const Tree& where, bool exact) const {
    Tree tree;
    tree.kind = Tree::Kind::kList;
    tree.line = where.line;
    tree.file = where.file;
    for (const Part& part : parts_)
        tree.items.push_back(tree_of(part, exact));
    return tree;
}

}  // namespace opsight::importer::timeloop
