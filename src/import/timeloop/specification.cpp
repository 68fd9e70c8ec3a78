#include "import/timeloop/specification.h"

#include <fmt/format.h>

#include <set>

#include "base/small_file.h"
#include "import/timeloop/accelergy.h"
#include "import/timeloop/architectures.h"
#include "import/timeloop/attributes.h"
#include "import/timeloop/groups.h"
#include "import/timeloop/nodes.h"
#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

// The parts of all files: of each key, the last one that is not empty.
class Parts {
  public:
    explicit Parts(const TemplateValues& values) : values_(values) {}

    Status add(const std::string& path) {
        OPSIGHT_ASSIGN(const std::string text, small_file(path, kLargestSettings));
        return add_text(text, path);
    }
    Status add_text(const std::string& text, const std::string& path) {
        OPSIGHT_ASSIGN(Tree tree, read_yaml_text(text, path, values_));
        if (!tree.is_map())
            return fail(tree.error("a map of parts was expected: problem, architecture, mapping"));
        trees_.push_back(std::move(tree));
        return {};
    }

    Status add_shipped(const std::string& name) {
        OPSIGHT_ASSIGN(const ShippedArchitecture found, find_architecture(name));
        OPSIGHT_TRY(add_text(std::string(found.yaml), name + ", which is built in"));
        shipped_ = trees_.back().file;
        return {};
    }
    bool is_shipped(const Tree& part) const { return shipped_ && part.file == shipped_; }

    const Tree* find(std::initializer_list<std::string_view> keys) const {
        for (size_t i = trees_.size(); i-- > 0;)
            if (const Tree* part = trees_[i].find(keys); part != nullptr && !nothing(*part)) return part;
        return nullptr;
    }
    // Those of all files, in their order.
    std::vector<const Tree*> all(std::string_view key) const {
        std::vector<const Tree*> found;
        for (const Tree& tree : trees_)
            if (const Tree* part = tree.find(key)) found.push_back(part);
        return found;
    }

  private:
    static bool nothing(const Tree& part) {
        return part.items.empty() && part.members.empty() && part.text.empty();
    }

    const TemplateValues& values_;
    std::vector<Tree> trees_;
    std::shared_ptr<const std::string> shipped_;  // what trees of the one that is built in name as their file
};

// A problem's sizes may be expressions of variables.
Result<Tree> with_sizes(const Tree& problem, const Scope& variables) {
    Tree out = problem;
    for (auto& [key, tree] : out.members)
        if (key == "instance" && tree.is_map()) {
            OPSIGHT_ASSIGN(tree, with_values(tree, variables));
        }
    return out;
}

// The problem as what is built in names its dimensions: output channels K, which files of Timeloop 0.4 call
// M.
map::Problem in_own_names(map::Problem problem) {
    const int channels = problem.dimension("M");
    if (channels < 0 || problem.dimension("K") >= 0) return problem;
    for (const map::DataSpace& space : problem.spaces) {
        bool used = false;
        for (const std::vector<map::Term>& axis : space.axes)
            for (const map::Term& term : axis)
                used = used || term.dimension == channels;
        if (used == (space.name == "Inputs")) return problem;
    }
    problem.dimensions[static_cast<size_t>(channels)].name = "K";
    return problem;
}

// Reads the parts of all files into a specification.
class Reader {
  public:
    // `together`: the files' names, or that of what is built in.
    Reader(const Parts& parts, std::string together) : parts_(parts), together_(std::move(together)) {}

    Status read_variables() {
        for (const Tree* variables : parts_.all("variables"))
            OPSIGHT_TRY(evaluate_members(*variables, variables_));
        return {};
    }

    Status read_problem_part() {
        const Tree* problem = parts_.find({"problem"});
        if (problem == nullptr)
            return fail("no problem is given", together_, {}, "name a file with the key problem");
        OPSIGHT_ASSIGN(const Tree sizes, with_sizes(*problem, variables_));
        OPSIGHT_ASSIGN(out.problem, read_problem(sizes, parts_.find({"shape"})));
        const Tree* instance = sizes.find("instance");
        for (const map::Dimension& dimension : out.problem.dimensions)
            if (const Tree* bound = (instance != nullptr ? *instance : sizes).find(dimension.name)) {
                out.places["bound of " + dimension.name] = place_of(*bound);
                note_weakly(dimension.name, place_of(*bound));
            }
        return {};
    }

    // Needs the problem: dimensions of nodes are its.
    Status read_architecture_part(const std::vector<AttributeChange>& changes) {
        const Tree* given = parts_.find({"architecture", "arch"});
        if (given == nullptr)
            return fail("no architecture is given", together_, {},
                        "name a file with the key architecture (or arch), or one that is built in (--arch)");
        if (const Tree* sparse = parts_.find({"sparse_optimizations"}))
            return fail(sparse->error("sparse optimizations are not supported"));
        if (given->find("nodes") != nullptr) {
            OPSIGHT_ASSIGN(WrittenOut nodes, write_out(*given, variables_, out.problem));
            nodes_.emplace(std::move(nodes));
        }
        Tree flat = nodes_ ? nodes_->architecture : *given;
        for (const AttributeChange& change : changes)
            OPSIGHT_TRY(change_attribute(flat, change));
        OPSIGHT_ASSIGN(std::vector<std::string> unread, check_attributes(*given, flat));
        OPSIGHT_ASSIGN(out.architecture, read_architecture(flat));
        out.architecture.name = together_;
        out.architecture.unread = std::move(unread);
        OPSIGHT_TRY(note_levels(flat));
        if (const Tree* energies = parts_.find({"ERT", "energy_reference_table"}))
            OPSIGHT_TRY(read_energies(*energies, out.architecture));
        OPSIGHT_TRY(estimate(flat));
        if (const Tree* areas = parts_.find({"ART", "area_reference_table"}))
            return read_areas(*areas, out.architecture);
        return {};
    }

    // v0.4: architecture_constraints and mapspace_constraints; v0.3: one of several lists in mapspace, by
    // name.
    Status read_all_constraints() {
        std::vector<const Tree*> lists;
        for (const char* key : {"architecture_constraints", "mapspace_constraints", "constraints"})
            if (const Tree* part = parts_.find({key}))
                lists.push_back(part->find("targets") ? part->find("targets") : part);
        if (const Tree* space = parts_.find({"mapspace"}))
            if (const Tree* chosen = space->find({"constraints", "targets"})) {
                const Tree* named = chosen->is_text() ? space->find("constraints_" + chosen->text) : chosen;
                if (named == nullptr)
                    return fail(chosen->error(fmt::format("mapspace has no constraints_{}", chosen->text)));
                lists.push_back(named);
            }
        for (const Tree* list : lists) {
            if (nodes_)
                OPSIGHT_TRY(nodes_->add(*list));
            else
                OPSIGHT_TRY(read_flat(*list));
        }
        if (nodes_)
            OPSIGHT_TRY(read_constraints(nodes_->constraints.list(nodes_->architecture, false),
                                         out.architecture, out.problem, out.constraints, out.places));
        return {};
    }

    // Of an architecture that is built in, or of a layer of a network: what the files do not say of groups.
    Status place_own_groups() {
        const Tree* space = parts_.find({"mapspace"});
        return place_groups(
            space, space != nullptr && parts_.is_shipped(*space) ? in_own_names(out.problem) : out.problem,
            out.constraints);
    }

    Status read_mapping_part(const Tree& mapping) {
        note_mapping(place_of(mapping));
        if (!nodes_ || !mapping.is_list()) {
            OPSIGHT_ASSIGN(out.mapping, read_mapping(mapping, out.architecture, out.problem, out.places));
            return check_mapping();
        }
        // What the components say of their loops and data holds for a mapping too.
        OPSIGHT_TRY(nodes_->add(mapping));
        const Tree whole = nodes_->constraints.list(mapping, true);
        OPSIGHT_ASSIGN(out.mapping, read_mapping(whole, out.architecture, out.problem, out.places));
        return check_mapping();
    }

    // YAML, or the loop nest that Timeloop prints.
    Status read_mapping_file(const std::string& path, const TemplateValues& values) {
        OPSIGHT_ASSIGN(const std::string text, small_file(path, kLargestSettings));
        if (text.find("mapping:") == std::string::npos) {
            note_mapping({path, 1});
            OPSIGHT_ASSIGN(out.mapping,
                           read_loop_nest(text, path, out.architecture, out.problem, out.places));
            return check_mapping();
        }
        OPSIGHT_ASSIGN(const Tree tree, read_yaml_text(text, path, values));
        const Tree* mapping = tree.find("mapping");
        if (mapping == nullptr) return fail(tree.error("the mapping of this file is empty"));
        return read_mapping_part(*mapping);
    }

    // A mapping that is wrong whatever its tiles are.
    Status check_mapping() const {
        if (const Status good = map::check(*out.mapping, out.architecture, out.problem); !good)
            return fail(out.located(good.error()));
        return {};
    }

    Specification out;

  private:
    Status read_flat(const Tree& list) {
        if (!parts_.is_shipped(list))
            return read_constraints(list, out.architecture, out.problem, out.constraints, out.places);
        Status read =
            read_constraints(list, out.architecture, in_own_names(out.problem), out.constraints, out.places);
        if (!read)
            read.error().remedy =
                "architectures that are built in take convolutions with the dimensions N C K (or M) P Q R S "
                "and "
                "the data spaces Weights, Inputs, Outputs; rename those of the problem, or give constraints "
                "of "
                "its own (mapspace) in a file";
        return read;
    }

    void note_weakly(const std::string& dimension, Place at) {
        at.weak = true;
        out.places["dimension " + dimension] = std::move(at);
    }

    void note_mapping(const Place& at) {
        out.places["mapping"] = at;
        for (const map::Dimension& dimension : out.problem.dimensions)
            note_weakly(dimension.name, at);
    }

    Status note_levels(const Tree& flat) {
        OPSIGHT_ASSIGN(const std::vector<Component> components, components_of(flat));
        for (const Component& component : components)
            out.places["level " + component.name] = place_of(*component.tree);
        return {};
    }

    Result<std::vector<std::string>> check_attributes(const Tree& given, const Tree& flat) const {
        std::set<std::string> used;
        add_words(given, false, used);
        for (const Tree* variables : parts_.all("variables"))
            add_words(*variables, false, used);
        for (const char* key : {"compound_components", "components", "component_tables"})
            for (const Tree* part : parts_.all(key))
                add_words(*part, true, used);
        OPSIGHT_ASSIGN(const std::vector<Component> components, components_of(flat));
        return unread_attributes(components, used);
    }

    // Flat architectures (v0.3) have the relative energies of Timeloop 3, as there is no Accelergy.
    Status estimate(const Tree& architecture) {
        Accelergy accelergy;
        for (const char* key : {"compound_components", "components"})
            for (const Tree* classes : parts_.all(key))
                OPSIGHT_TRY(accelergy.add_classes(*classes));
        for (const Tree* tables : parts_.all("component_tables"))
            OPSIGHT_TRY(accelergy.add_tables(*tables));
        if (!nodes_ && parts_.all("compound_components").empty() && parts_.all("component_tables").empty())
            return {};
        OPSIGHT_ASSIGN(const std::vector<Component> components, components_of(architecture));
        return accelergy.estimate(components, out.architecture);
    }

    const Parts& parts_;
    const std::string together_;
    Scope variables_;
    std::optional<WrittenOut> nodes_;
};

Result<Parts> read_parts(const std::vector<std::string>& files, const std::string& shipped,
                         const TemplateValues& values) {
    Parts parts(values);
    if (!shipped.empty()) OPSIGHT_TRY(parts.add_shipped(shipped));
    for (const std::string& file : files)
        OPSIGHT_TRY(parts.add(file));
    return parts;
}

std::string names_of(const std::vector<std::string>& files) {
    return fmt::format("{}", fmt::join(files, ", "));
}

}  // namespace

Place place_of(const Tree& tree) {
    return {tree.file ? *tree.file : std::string(), tree.line};
}

void note_factor(const std::string& dimension, int64_t factor, const Place& at, Places& places) {
    Place& known = places["dimension " + dimension];
    if (factor != 1 || known.weak || known.file.empty()) known = at;
}

Error Specification::located(Error error) const {
    if (!error.file.empty()) return error;
    auto found = places.find(error.place);
    if (found == places.end()) found = places.find("mapping");
    if (found == places.end() || found->second.file.empty()) {
        error.place.clear();  // the error names the part itself
        return error;
    }
    error.file = found->second.file;
    error.place = fmt::format("line {}", found->second.line);
    return error;
}

Result<Specification> read_specification(const std::vector<std::string>& files,
                                         const std::string& mapping_file, bool for_search,
                                         const std::string& shipped, const TemplateValues& values) {
    if (for_search) return read_changed(files, shipped, {}, values);
    OPSIGHT_ASSIGN(const Parts parts, read_parts(files, shipped, values));
    Reader reader(parts, shipped.empty() ? names_of(files) : shipped);
    OPSIGHT_TRY(reader.read_variables());
    OPSIGHT_TRY(reader.read_problem_part());
    OPSIGHT_TRY(reader.read_architecture_part({}));
    if (!mapping_file.empty()) {
        OPSIGHT_TRY(reader.read_mapping_file(mapping_file, values));
    } else if (const Tree* mapping = parts.find({"mapping"})) {
        OPSIGHT_TRY(reader.read_mapping_part(*mapping));
    }
    return std::move(reader.out);
}

Result<Specification> read_changed(const std::vector<std::string>& files, const std::string& shipped,
                                   const std::vector<AttributeChange>& changes,
                                   const TemplateValues& values) {
    OPSIGHT_ASSIGN(const Parts parts, read_parts(files, shipped, values));
    Reader reader(parts, shipped.empty() ? names_of(files) : shipped);
    OPSIGHT_TRY(reader.read_variables());
    OPSIGHT_TRY(reader.read_problem_part());
    OPSIGHT_TRY(reader.read_architecture_part(changes));
    OPSIGHT_TRY(reader.read_all_constraints());
    if (!shipped.empty()) OPSIGHT_TRY(reader.place_own_groups());
    return std::move(reader.out);
}

Result<Specification> read_accelerator(const std::vector<std::string>& files, const std::string& shipped,
                                       const std::vector<AttributeChange>& changes,
                                       const map::Problem& problem, const TemplateValues& values) {
    OPSIGHT_ASSIGN(const Parts parts, read_parts(files, shipped, values));
    Reader reader(parts, shipped.empty() ? names_of(files) : shipped);
    reader.out.problem = problem;
    OPSIGHT_TRY(reader.read_variables());
    OPSIGHT_TRY(reader.read_architecture_part(changes));
    OPSIGHT_TRY(reader.read_all_constraints());
    OPSIGHT_TRY(reader.place_own_groups());
    return std::move(reader.out);
}

}  // namespace opsight::importer::timeloop
