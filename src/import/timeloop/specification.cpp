#include "import/timeloop/specification.h"

#include <fmt/format.h>

#include "import/timeloop/architectures.h"
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

}  // namespace

Result<Specification> read_specification(const std::vector<std::string>& files,
                                         const std::string& mapping_file, bool for_search,
                                         const std::string& shipped) {
    Parts parts;
    if (!shipped.empty()) {
        OPSIGHT_ASSIGN(const ShippedArchitecture found, find_architecture(shipped));
        OPSIGHT_TRY(parts.add_text(std::string(found.yaml), shipped + ", which is built in"));
    }
    for (const std::string& file : files)
        OPSIGHT_TRY(parts.add(file));
    const std::string together = fmt::format("{}", fmt::join(files, ", "));
    const Tree* architecture = parts.find({"architecture", "arch"});
    if (architecture == nullptr)
        return fail("no architecture is given", together, {},
                    "name a file with the key architecture (or arch)");
    const Tree* problem = parts.find({"problem"});
    if (problem == nullptr)
        return fail("no problem is given", together, {}, "name a file with the key problem");
    if (const Tree* sparse = parts.find({"sparse_optimizations"}))
        return fail(sparse->error("sparse optimizations are not supported"));
    Specification out;
    OPSIGHT_ASSIGN(out.problem, read_problem(*problem, parts.find({"shape"})));
    OPSIGHT_ASSIGN(out.architecture, read_architecture(*architecture));
    if (const Tree* energies = parts.find({"ERT", "energy_reference_table"}))
        OPSIGHT_TRY(read_energies(*energies, out.architecture));
    if (const Tree* areas = parts.find({"ART", "area_reference_table"}))
        OPSIGHT_TRY(read_areas(*areas, out.architecture));
    if (for_search) {
        OPSIGHT_TRY(read_all_constraints(parts, out));
        return out;
    }
    if (!mapping_file.empty()) {
        OPSIGHT_ASSIGN(out.mapping, read_mapping_file(mapping_file, out));
    } else if (const Tree* mapping = parts.find({"mapping"})) {
        OPSIGHT_ASSIGN(out.mapping, read_mapping(*mapping, out.architecture, out.problem));
    }
    return out;
}

}  // namespace opsight::importer::timeloop
