#include "import/timeloop/accelergy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "import/timeloop/nodes.h"
#include "map/technology.h"

namespace opsight::importer::timeloop {
namespace {

using map::ComponentEstimate;
using map::ComponentFacts;

constexpr int kDeepestPart = 16, kMostParts = 4096;
constexpr double kMostOfOne = 1e9;
constexpr const char* kDefault = ", as no technology is given";

// "45nm": 45; "2mm": 2. Nothing where it is no number with that unit.
std::optional<double> with_unit(const std::string& text, std::string_view unit) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    const std::string_view rest(stop, static_cast<size_t>(end - stop));
    if (problem != std::errc() || !(rest.empty() || rest == unit) || !std::isfinite(value))
        return std::nullopt;
    return value;
}

// Values without quotes that do not evaluate are texts where the files are older than 0.4.
Status evaluate(const std::string& key, const Tree& tree, bool texts, Scope& into) {
    if (!tree.is_text()) return {};
    Tree one;
    one.kind = Tree::Kind::kMap;
    one.members.push_back({key, tree});
    const Status done = evaluate_members(one, into);
    if (!done && !texts) return tl::unexpected(done.error());
    if (!done) into.set(key, tree.text);
    return {};
}

Result<ComponentFacts> facts_of(const Scope& attributes, const Tree& where) {
    ComponentFacts facts;
    for (const auto& [name, value] : attributes.own()) {
        if (const double* number = std::get_if<double>(&value)) {
            facts.numbers[name] = *number;
            continue;
        }
        const std::string& text = std::get<std::string>(value);
        facts.texts[name] = text;
        if (const std::optional<double> number = with_unit(text, name == "length" ? "mm" : ""))
            facts.numbers[name] = *number;
    }
    const Value* technology = attributes.find("technology");
    if (technology == nullptr) return facts;
    const std::optional<double> nm = with_unit(text_of(*technology), "nm");
    if (!nm)
        return fail(
            where.error(fmt::format("the technology '{}' is not a number of nm", text_of(*technology)),
                        "write it as \"45nm\""));
    facts.technology_nm = *nm;
    return facts;
}

// "name[1..width*depth]", "name[0]" and "name": the name, and how many of them.
struct Range {
    std::string name;
    double count = 1;
};

Result<Range> range_of(const Tree& tree, const Scope& scope) {
    Range range{tree.text, 1};
    const size_t open = tree.text.find('['), dots = tree.text.find("..");
    if (open == std::string::npos) return range;
    range.name = tree.text.substr(0, open);
    if (tree.text.back() != ']')
        return fail(tree.error(fmt::format("'{}' is not a name with a range", tree.text)));
    if (dots == std::string::npos) return range;
    double ends[2];
    for (const int i : {0, 1}) {
        const std::string text = i == 0 ? tree.text.substr(open + 1, dots - open - 1)
                                        : tree.text.substr(dots + 2, tree.text.size() - dots - 3);
        const Result<Value> value = evaluate_expression(text, scope);
        const double* number = value ? std::get_if<double>(&*value) : nullptr;
        if (number == nullptr)
            return fail(tree.error(fmt::format("'{}' does not evaluate: {}", text,
                                               value ? "it is a text" : value.error().what)));
        ends[i] = std::trunc(*number);
    }
    range.count = ends[1] - ends[0] + 1;
    if (range.count < 0 || range.count > kMostOfOne)
        return fail(tree.error(fmt::format("'{}' has {} parts", tree.text, range.count)));
    return range;
}

// A scale is a number or an expression of the class.
Result<double> scale_of(const Tree& part, const char* key, const Scope& scope) {
    const Tree* tree = part.find(key);
    if (tree == nullptr) return 1.0;
    const Result<Value> value = evaluate_expression(tree->text, scope);
    const double* number = value ? std::get_if<double>(&*value) : nullptr;
    if (number == nullptr || *number < 0)
        return fail(
            tree->error(fmt::format("{} '{}' does not evaluate to a number of 0 or more", key, tree->text)));
    return *number;
}

double number_or(const Scope& scope, const char* name, double fallback) {
    const auto found = scope.own().find(name);
    const double* number = found == scope.own().end() ? nullptr : std::get_if<double>(&found->second);
    return number == nullptr ? fallback : *number;
}

Result<const Tree*> list_of(const Tree& tree, const char* key) {
    const Tree* list = tree.find(key);
    if (list == nullptr || !list->is_list())
        return fail(tree.error(fmt::format("{} is missing, a list", key)));
    return list;
}

template <class Parts>
std::string sources_of(const Parts& parts) {
    std::vector<std::string> sources;
    for (const auto& part : parts)
        if (std::find(sources.begin(), sources.end(), part.estimate.source) == sources.end())
            sources.push_back(part.estimate.source);
    return fmt::format("{}", fmt::join(sources, "; "));
}

Result<ComponentEstimate> of_own_table(const Tree& table, const ComponentFacts& facts) {
    ComponentEstimate estimate;
    double energy = 1, area = 1;
    OPSIGHT_ASSIGN(estimate.source, table.text_of("source", "a table of the user"));
    if (const Tree* technology = table.find("technology")) {
        const std::optional<double> nm = with_unit(technology->text, "nm");
        const std::optional<double> scale = nm ? map::energy_scale(*nm, facts.technology_nm) : std::nullopt;
        if (!scale)
            return fail(technology->error(
                fmt::format("from '{}' to {} nm there is no scale", technology->text, facts.technology_nm),
                "both must be from 7nm to 130nm"));
        energy = *scale;
        area = *map::area_scale(*nm, facts.technology_nm);
        if (*nm != facts.technology_nm)
            estimate.source +=
                fmt::format(", from {} to {} nm by Stillmaker & Baas 2017", *nm, facts.technology_nm);
    }
    for (const auto& [action, tree] : table.find("actions")->members) {
        OPSIGHT_ASSIGN(const double pj, tree.number());
        if (pj < 0) return fail(tree.error(fmt::format("the energy of {} must be 0 or more", action)));
        estimate.actions_pj[action] = pj * energy;
    }
    OPSIGHT_ASSIGN(const double um2, table.number_of({"area"}, 0));
    if (um2 < 0) return fail(table.error("the area must be 0 or more"));
    estimate.area_um2 = um2 * area;
    return estimate;
}

}  // namespace

Status Accelergy::add_classes(const Tree& compound) {
    const Tree* classes = compound.is_list() ? &compound : compound.find("classes");
    if (classes == nullptr) return {};
    OPSIGHT_ASSIGN(const double version, compound.number_of({"version"}, 0.4));
    for (const Tree& each : classes->items) {
        OPSIGHT_ASSIGN(const std::string name, each.text_of("name", ""));
        if (name.empty()) return fail(each.error("a class of components needs a name"));
        classes_.push_back({&each, version < 0.4});
    }
    return {};
}

Status Accelergy::add_tables(const Tree& tables) {
    if (!tables.is_list()) return fail(tables.error("component_tables must be a list"));
    for (const Tree& table : tables.items) {
        if (table.find("class") == nullptr || table.find("actions") == nullptr)
            return fail(
                table.error("a table of a component needs class and actions",
                            "as in {class: SRAM, technology: \"45nm\", attributes: {width: 64, depth: 1024}, "
                            "actions: {read: 8.1, write: 7.4}, area: 9000, source: \"measured\"}"));
        tables_.push_back(&table);
    }
    return {};
}

// The last one of a name goes, as with all parts of files.
const Accelergy::Class* Accelergy::find_class(const std::string& name) const {
    for (size_t i = classes_.size(); i-- > 0;)
        if (const Tree* own = classes_[i].tree->find("name"); own != nullptr && own->text == name)
            return &classes_[i];
    return nullptr;
}

const Tree* Accelergy::find_table(const std::string& kind, const ComponentFacts& facts) const {
    const auto fits = [&](const Tree& table) {
        if (table.find("class")->text != kind) return false;
        const Tree* attributes = table.find("attributes");
        if (attributes == nullptr) return true;
        return std::all_of(attributes->members.begin(), attributes->members.end(),
                           [&](const TreeMember& member) {
                               const auto number = facts.numbers.find(member.key);
                               if (number != facts.numbers.end())
                                   return member.value.number().value_or(NAN) == number->second;
                               const auto text = facts.texts.find(member.key);
                               return text != facts.texts.end() && text->second == member.value.text;
                           });
    };
    for (size_t i = tables_.size(); i-- > 0;)
        if (fits(*tables_[i])) return tables_[i];
    return nullptr;
}

Result<ComponentEstimate> Accelergy::of_kind(const std::string& kind, const Scope& attributes,
                                             const Tree& where, Work& work) const {
    if (work.depth > kDeepestPart || ++work.parts > kMostParts)
        return fail(where.error(fmt::format("the class '{}' is made of itself, or of too many parts", kind),
                                "give its subcomponents other classes"));
    OPSIGHT_ASSIGN(const ComponentFacts facts, facts_of(attributes, where));
    if (const Tree* table = find_table(kind, facts)) return of_own_table(*table, facts);
    if (const Class* compound = find_class(kind)) return of_class(*compound, attributes, where, work);
    Result<ComponentEstimate> estimate = map::estimate_component(kind, facts);
    if (!estimate) return fail(where.error(estimate.error().what, estimate.error().remedy));
    if (attributes.find("technology") == nullptr && kind != "DRAM") estimate->source += kDefault;
    return estimate;
}

Result<ComponentEstimate> Accelergy::of_class(const Class& kind, const Scope& attributes, const Tree& where,
                                              Work& work) const {
    Scope scope = attributes;
    if (const Tree* own = kind.tree->find("attributes"))
        for (const auto& [key, value] : own->members) {
            if (attributes.find(key) != nullptr) continue;
            if (value.text != "must_specify") {
                OPSIGHT_TRY(evaluate(key, value, kind.texts_without_quotes, scope));
            } else if (key != "technology" && key != "global_cycle_seconds") {  // 45 nm; of leakage alone
                return fail(where.error(
                    fmt::format("the class {} needs the attribute {}", kind.tree->find("name")->text, key),
                    fmt::format("add {} to the attributes", key)));
            }
        }
    OPSIGHT_ASSIGN(const std::vector<Part> parts, parts_of(kind, scope, work));
    ComponentEstimate sum;
    // As in Accelergy, attributes of these names scale the whole component.
    const double energy_scale = number_or(scope, "energy_scale", 1);
    const double area_scale = number_or(scope, "area_scale", 1);
    for (const Part& part : parts)
        sum.area_um2 += part.count * part.area_scale * part.estimate.area_um2 * area_scale;
    OPSIGHT_ASSIGN(const Tree* actions, list_of(*kind.tree, "actions"));
    for (const Tree& action : actions->items) {
        OPSIGHT_ASSIGN(const std::string name, action.text_of("name", ""));
        if (name == "leak" || name == "idle") continue;  // which is not estimated
        OPSIGHT_ASSIGN(const double pj, energy_of(action, parts, scope));
        sum.actions_pj[name] = pj * energy_scale;
    }
    sum.source = sources_of(parts);
    return sum;
}

Result<std::vector<Accelergy::Part>> Accelergy::parts_of(const Class& kind, const Scope& scope,
                                                         Work& work) const {
    std::vector<Part> parts;
    OPSIGHT_ASSIGN(const Tree* subcomponents, list_of(*kind.tree, "subcomponents"));
    ++work.depth;
    for (const Tree& each : subcomponents->items) {
        const Tree* name = each.find("name");
        if (name == nullptr) return fail(each.error("a subcomponent needs a name"));
        OPSIGHT_ASSIGN(const Range range, range_of(*name, scope));
        OPSIGHT_ASSIGN(const std::string sub_kind, each.text_of("class", ""));
        // Of the attributes around it, a part has those that it names and its technology.
        Scope named(&scope);
        if (const Tree* own = each.find("attributes"))
            for (const auto& [key, value] : own->members)
                if (key != "technology" && key != "global_cycle_seconds")
                    OPSIGHT_TRY(evaluate(key, value, kind.texts_without_quotes, named));
        Scope alone;
        for (const auto& [key, value] : named.own())
            alone.set(key, value);
        if (const Value* technology = scope.find("technology")) alone.set("technology", *technology);
        Part part{range.name, range.count, 1, {}};
        OPSIGHT_ASSIGN(part.area_scale, scale_of(each, "area_scale", scope));
        OPSIGHT_ASSIGN(part.estimate, of_kind(sub_kind, alone, each, work));
        parts.push_back(std::move(part));
    }
    --work.depth;
    return parts;
}

// The energy of one action of a class: the sum of those of its parts.
Result<double> Accelergy::energy_of(const Tree& action, const std::vector<Part>& parts, const Scope& scope) {
    OPSIGHT_ASSIGN(const Tree* subcomponents, list_of(action, "subcomponents"));
    double sum = 0;
    for (const Tree& used : subcomponents->items) {
        const Tree* name = used.find("name");
        if (name == nullptr) return fail(used.error("a part of an action needs the name of a subcomponent"));
        OPSIGHT_ASSIGN(const Range range, range_of(*name, scope));
        const auto part = std::find_if(parts.begin(), parts.end(),
                                       [&range](const Part& each) { return each.name == range.name; });
        if (part == parts.end())
            return fail(name->error(fmt::format("there is no subcomponent '{}'", range.name)));
        OPSIGHT_ASSIGN(const Tree* actions, list_of(used, "actions"));
        for (const Tree& each : actions->items) {
            OPSIGHT_ASSIGN(const std::string wanted, each.text_of("name", ""));
            OPSIGHT_ASSIGN(const double scale, scale_of(each, "energy_scale", scope));
            OPSIGHT_ASSIGN(const double repeat, scale_of(each, "repeat", scope));
            const double* pj = part->estimate.action({wanted.c_str()});
            if (pj == nullptr && (wanted == "leak" || wanted == "idle")) continue;
            if (pj == nullptr)
                return fail(each.error(fmt::format("{} has no action '{}'", range.name, wanted)));
            sum += range.count * scale * repeat * *pj;
        }
    }
    return sum;
}

Result<ComponentEstimate> Accelergy::estimate(const Component& component) const {
    Scope attributes;
    Work work;
    OPSIGHT_ASSIGN(const std::string kind, component.tree->text_of("subclass", component.kind));
    for (const auto& [key, tree] : component.attributes.members)
        OPSIGHT_TRY(evaluate(key, tree, true, attributes));
    OPSIGHT_ASSIGN(ComponentEstimate estimate, of_kind(kind, attributes, *component.tree, work));
    OPSIGHT_ASSIGN(const double energy, scale_of(*component.tree, "energy_scale", attributes));
    OPSIGHT_ASSIGN(const double area, scale_of(*component.tree, "area_scale", attributes));
    for (auto& [action, pj] : estimate.actions_pj)
        pj *= energy;
    estimate.area_um2 *= area;
    return estimate;
}

// A size may be told in other words (entries, sizeKB), which the level has as words.
Component Accelergy::with_depth(Component component, const map::Level& level) {
    if (!level.capacity || component.attributes.find({"depth", "memory_depth"}) != nullptr) return component;
    Tree rows = *component.tree;
    rows.kind = Tree::Kind::kText;
    rows.items.clear();
    rows.members.clear();
    rows.text = std::to_string((*level.capacity + level.block - 1) / level.block);
    component.attributes.members.push_back({"depth", rows});
    return component;
}

Status Accelergy::estimate(const std::vector<Component>& components, map::Architecture& into) const {
    for (const Component& component : components) {
        const bool computes = component.name == into.compute.name;
        const int place = into.level(component.name);
        if (!computes && (place < 0 || into.levels[place].dummy)) continue;
        std::string& source = computes ? into.compute.energy_source : into.levels[place].energy_source;
        if (source != "built-in") continue;
        OPSIGHT_ASSIGN(const ComponentEstimate estimate,
                       this->estimate(computes ? component : with_depth(component, into.levels[place])));
        const double* first = estimate.action({"compute", "mac_random", "mac", "multiply", "read"});
        const double* write = estimate.action({"write", "update"});
        const double* read = estimate.action({"read"});
        if (computes ? first == nullptr : read == nullptr || write == nullptr)
            return fail(component.tree->error(fmt::format("{}: its class has no action '{}'", component.name,
                                                          computes          ? "compute"
                                                          : read == nullptr ? "read"
                                                                            : "write")));
        source = "estimate: " + estimate.source;
        if (computes) {
            into.compute.compute_pj = *first;
            into.compute.area_um2 = estimate.area_um2;
            continue;
        }
        map::Level& level = into.levels[place];
        level.read_pj = *read;
        level.write_pj = *write;
        const double* update = estimate.action({"update"});
        level.update_pj = update != nullptr ? *update : *write;
        level.area_um2 = estimate.area_um2;
    }
    return {};
}

}  // namespace opsight::importer::timeloop
