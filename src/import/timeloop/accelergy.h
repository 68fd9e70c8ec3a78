// What Accelergy does for Timeloop: energies and areas of components from estimates, of compound components
// (compound_components) from those of their parts, and of a user's own tables (component_tables).
#pragma once

#include <string>
#include <vector>

#include "import/timeloop/expression.h"
#include "import/timeloop/readers.h"
#include "map/components.h"

namespace opsight::importer::timeloop {

class Accelergy {
  public:
    // Lists of classes and of tables, from all files; they must live as long as this.
    Status add_classes(const Tree& compound_components);
    Status add_tables(const Tree& component_tables);

    // Of all components without an energy of their own ("built-in").
    Status estimate(const std::vector<Component>& components, map::Architecture& into) const;

    // Of one component, its attributes as they stand in the architecture.
    Result<map::ComponentEstimate> estimate(const Component& component) const;

  private:
    static Component with_depth(Component component, const map::Level& level);
    struct Class {
        const Tree* tree = nullptr;
        bool texts_without_quotes = false;  // before 0.4
    };

    // How far into classes of classes, and how many parts so far.
    struct Work {
        int depth = 0, parts = 0;
    };
    struct Part {
        std::string name;
        double count = 1, area_scale = 1;
        map::ComponentEstimate estimate;
    };

    const Class* find_class(const std::string& name) const;
    const Tree* find_table(const std::string& kind, const map::ComponentFacts& facts) const;
    Result<map::ComponentEstimate> of_kind(const std::string& kind, const Scope& attributes,
                                           const Tree& where, Work& work) const;
    Result<map::ComponentEstimate> of_class(const Class& kind, const Scope& attributes, const Tree& where,
                                            Work& work) const;
    // The parts of a class, in the scope of its attributes.
    Result<std::vector<Part>> parts_of(const Class& kind, const Scope& scope, Work& work) const;
    static Result<double> energy_of(const Tree& action, const std::vector<Part>& parts, const Scope& scope);

    std::vector<Class> classes_;
    std::vector<const Tree*> tables_;
};

}  // namespace opsight::importer::timeloop
