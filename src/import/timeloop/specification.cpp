#include "import/timeloop/specification.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/timeloop/architectures.h"
#include "import/timeloop/attributes.h"
#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

// The parts of all files: of each key, the last one that is not empty.
class Parts {
  public:
    Status add(const std::string& path) {
        OPSIGHT_ASSIGN(const std::string text, read_text(path));
        return add_text(text, path);
    }
    Status add_text(const std::string& text, const std::string& path) {
        OPSIGHT_ASSIGN(Tree tree, parse_yaml(text, path));
        if (!tree.is_map())
            return fail(tree.error("a map of parts was expected: problem, architecture, mapping"));
        trees_.push_back(std::move(tree));
        return {};
    }

    const Tree* find(std::initializer_list<std::string_view> keys) const {
        for (size_t i = trees_.size(); i-- > 0;)
            if (const Tree* part = trees_[i].find(keys); part != nullptr && !nothing(*part)) return part;
        return nullptr;
    }

  private:
    static bool nothing(const Tree& part) {
        return part.items.empty() && part.members.empty() && part.text.empty();
    }

    std::vector<Tree> trees_;
};

// YAML, or the loop nest that Timeloop prints.
Result<map::Mapping> read_mapping_file(const std::string& path, const Specification& with) {
    OPSIGHT_ASSIGN(const std::string text, read_text(path));
    if (text.find("mapping:") == std::string::npos)
        return read_loop_nest(text, path, with.architecture, with.problem);
    OPSIGHT_ASSIGN(const Tree tree, parse_yaml(text, path));
    const Tree* mapping = tree.find("mapping");
    if (mapping == nullptr) return fail(tree.error("the mapping of this file is empty"));
    return read_mapping(*mapping, with.architecture, with.problem);
}

// v0.4: architecture_constraints and mapspace_constraints; v0.3: one of several lists in mapspace, by name.
Status read_all_constraints(const Parts& parts, Specification& into) {
    std::vector<const Tree*> lists;
    for (const char* key : {"architecture_constraints", "mapspace_constraints", "constraints"})
        if (const Tree* part = parts.find({key}))
            lists.push_back(part->find("targets") ? part->find("targets") : part);
    if (const Tree* space = parts.find({"mapspace"}))
        if (const Tree* chosen = space->find({"constraints", "targets"})) {
            const Tree* named = chosen->is_text() ? space->find("constraints_" + chosen->text) : chosen;
            if (named == nullptr)
                return fail(chosen->error(fmt::format("mapspace has no constraints_{}", chosen->text)));
            lists.push_back(named);
        }
    for (const Tree* list : lists)
        OPSIGHT_TRY(read_constraints(*list, into.architecture, into.problem, into.constraints));
    return {};
}

// Groups have constraints of their own, or those of another dimension.
Status place_groups(const Parts& parts, Specification& into) {
    const int groups = into.problem.dimension("G");
    if (groups < 0) return {};
    std::string like = "N";
    if (const Tree* space = parts.find({"mapspace"})) {
        OPSIGHT_ASSIGN(like, space->text_of("groups", like));
    }
    const int other = into.problem.dimension(like);
    if (other < 0) return fail(fmt::format("mapspace: groups go like {}, which is no dimension", like));
    for (map::LevelRules& level : into.constraints.levels) {
        const auto take = [&](auto& rules) {
            map::FactorRule& rule = rules[static_cast<size_t>(groups)];
            if (rule.exactly != 0 || rule.at_most != 0) return;
            rule = rules[static_cast<size_t>(other)];
            // "All of it" is all of another size.
            const int64_t bound = into.problem.dimensions[static_cast<size_t>(groups)].bound;
            if (rule.exactly > 1) rule = {0, 0};
            if (rule.at_most > bound) rule.at_most = bound;
        };
        take(level.in_time);
        take(level.across);
        // Along the same axis.
        if (level.split) {
            auto& order = level.across_order;
            const auto at = std::find(order.begin(), order.end(), other);
            if (std::find(order.begin(), order.end(), groups) == order.end() && at != order.end()) {
                if (at - order.begin() < static_cast<std::ptrdiff_t>(*level.split)) ++*level.split;
                order.insert(at, groups);
            }
        }
    }
    return {};
}

Result<Specification> read_architecture_of(const Parts& parts, const std::string& together,
                                           const std::vector<AttributeChange>& changes) {
    const Tree* given = parts.find({"architecture", "arch"});
    if (given == nullptr)
        return fail("no architecture is given", together, {},
                    "name a file with the key architecture (or arch), or one that is built in (--arch)");
    if (const Tree* sparse = parts.find({"sparse_optimizations"}))
        return fail(sparse->error("sparse optimizations are not supported"));
    Tree architecture = *given;
    for (const AttributeChange& change : changes)
        OPSIGHT_TRY(change_attribute(architecture, change));
    Specification out;
    OPSIGHT_ASSIGN(out.architecture, read_architecture(architecture));
    if (const Tree* energies = parts.find({"ERT", "energy_reference_table"}))
        OPSIGHT_TRY(read_energies(*energies, out.architecture));
    if (const Tree* areas = parts.find({"ART", "area_reference_table"}))
        OPSIGHT_TRY(read_areas(*areas, out.architecture));
    return out;
}

Result<Parts> read_parts(const std::vector<std::string>& files, const std::string& shipped) {
    Parts parts;
    if (!shipped.empty()) {
        OPSIGHT_ASSIGN(const ShippedArchitecture found, find_architecture(shipped));
        OPSIGHT_TRY(parts.add_text(std::string(found.yaml), shipped + ", which is built in"));
    }
    for (const std::string& file : files)
        OPSIGHT_TRY(parts.add(file));
    return parts;
}

Result<Specification> read_all(const std::vector<std::string>& files, const std::string& mapping_file,
                               bool for_search, const std::string& shipped,
                               const std::vector<AttributeChange>& changes) {
    OPSIGHT_ASSIGN(const Parts parts, read_parts(files, shipped));
    const std::string together = fmt::format("{}", fmt::join(files, ", "));
    OPSIGHT_ASSIGN(Specification out, read_architecture_of(parts, together, changes));
    const Tree* problem = parts.find({"problem"});
    if (problem == nullptr)
        return fail("no problem is given", together, {}, "name a file with the key problem");
    OPSIGHT_ASSIGN(out.problem, read_problem(*problem, parts.find({"shape"})));
    if (for_search) {
        OPSIGHT_TRY(read_all_constraints(parts, out));
        OPSIGHT_TRY(place_groups(parts, out));
        return out;
    }
    if (!mapping_file.empty()) {
        OPSIGHT_ASSIGN(out.mapping, read_mapping_file(mapping_file, out));
    } else if (const Tree* mapping = parts.find({"mapping"})) {
        OPSIGHT_ASSIGN(out.mapping, read_mapping(*mapping, out.architecture, out.problem));
    }
    return out;
}

}  // namespace

Result<Specification> read_specification(const std::vector<std::string>& files,
                                         const std::string& mapping_file, bool for_search,
                                         const std::string& shipped) {
    return read_all(files, mapping_file, for_search, shipped, {});
}

Result<Specification> read_changed(const std::vector<std::string>& files, const std::string& shipped,
                                   const std::vector<AttributeChange>& changes) {
    return read_all(files, {}, true, shipped, changes);
}

Result<Specification> read_accelerator(const std::vector<std::string>& files, const std::string& shipped,
                                       const std::vector<AttributeChange>& changes,
                                       const map::Problem& problem) {
    OPSIGHT_ASSIGN(const Parts parts, read_parts(files, shipped));
    OPSIGHT_ASSIGN(Specification out,
                   read_architecture_of(parts, fmt::format("{}", fmt::join(files, ", ")), changes));
    out.problem = problem;
    OPSIGHT_TRY(read_all_constraints(parts, out));
    OPSIGHT_TRY(place_groups(parts, out));
    return out;
}

}  // namespace opsight::importer::timeloop
