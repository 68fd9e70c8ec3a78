// Constraints as people write them for Timeloop 0.4, in components and in lists, brought together: one part
// for each level and kind, in the plain form that constraints.cpp and mapping.cpp read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/timeloop/factors.h"
#include "import/timeloop/tree.h"
#include "map/problem.h"

namespace opsight::importer::timeloop {

class ConstraintParts {
  public:
    explicit ConstraintParts(const map::Problem& problem) : problem_(problem) {}

    // What a level's part says of loops (temporal, spatial) or of data spaces (dataspace, bypass). Factors of
    // several parts must agree; of orders and splits the last one goes.
    Status add(const Tree& part, const std::string& target, const std::string& type);
    // Of a level that holds nothing: no loops in time, no data.
    void add_spread_only(const Tree& where, const std::string& target);
    // All but these bypass the level.
    void bypass_but(const Tree& where, const std::string& target, uint32_t kept);

    // As a list of parts. Dimensions whose factor is 1 stand first in their order, as Timeloop's front end
    // puts them there: `split` counts them. A mapping (`exact`) has no bounds of factors.
    Tree list(const Tree& where, bool exact) const;

    // Data spaces that a part of this kind keeps: bit i, data space i.
    Result<uint32_t> kept_by(const Tree& part) const;

  private:
    struct Part {
        const Tree* where = nullptr;
        std::string target, type;
        std::vector<Factor> factors;
        std::vector<int> order;
        std::optional<int64_t> split;
        uint32_t keep = 0, bypass = 0;
    };

    Part& part_of(const Tree& where, const std::string& target, const std::string& type);
    Status add_loops(const Tree& part, Part& into) const;
    Status add_macros(const Tree& part, Part& into) const;
    Status add_spaces(const Tree& part, Part& into) const;
    Status add_factor(const Tree& where, const Factor& factor, Part& into) const;
    Status all_one(const Tree& where, uint32_t dimensions, Part& into) const;
    Result<uint32_t> spaces_in(const Tree& names) const;
    uint32_t dimensions_of(uint32_t spaces) const;
    uint32_t every_space() const { return (1U << problem_.spaces.size()) - 1; }
    Tree tree_of(const Part& part, bool exact) const;

    const map::Problem& problem_;
    std::vector<Part> parts_;
};

}  // namespace opsight::importer::timeloop
