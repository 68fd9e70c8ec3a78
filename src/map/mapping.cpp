#include "map/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace opsight::map {
namespace {

constexpr const char* kProducts =
    "give each dimension factors whose product is its bound; factors with a remainder are not supported";

using Extents = std::array<int64_t, kMaxDimensions>;

tl::unexpected<Error> refuse_loops(const Level& level, std::string what, std::string remedy,
                                   Across across = Across::kTime) {
    return fail(std::move(what), {}, (across == Across::kTime ? "loops of " : "loops across ") + level.name,
                std::move(remedy));
}

Status check_loops(const LevelMapping& level, const Level& described, const Mesh& fanout,
                   const Problem& problem) {
    Mesh used;
    bool in_time = false;
    for (const Loop& loop : level.loops) {
        if (loop.dimension < 0 || loop.dimension >= static_cast<int>(problem.dimensions.size()) ||
            loop.count < 1)
            return refuse_loops(described,
                                fmt::format("level {} has a loop over no dimension, or of less than one step",
                                            described.name),
                                "give each loop a dimension of the problem and a factor of 1 or more",
                                loop.across);
        if (loop.count > problem.dimensions[loop.dimension].bound)
            return refuse_loops(described,
                                fmt::format("level {} takes {} steps over {}, which is {}", described.name,
                                            loop.count, problem.dimensions[loop.dimension].name,
                                            problem.dimensions[loop.dimension].bound),
                                kProducts, loop.across);
        if (loop.across == Across::kTime)
            in_time = true;
        else if (in_time)
            return refuse_loops(
                described,
                fmt::format("level {}: loops across instances are inside of those in time", described.name),
                "put those across instances inside of those in time");
        if (loop.across == Across::kTime) continue;
        int64_t& along = loop.across == Across::kX ? used.x : used.y;
        if (loop.count > (loop.across == Across::kX ? fanout.x : fanout.y) / along)
            return refuse_loops(
                described,
                fmt::format("below {} there are {}x{} instances, fewer than its spatial loops take",
                            described.name, fanout.x, fanout.y),
                "give smaller spatial factors, or split them otherwise between X and Y", loop.across);
        along *= loop.count;
    }
    return {};
}

Status check_products(const Mapping& mapping, const Problem& problem) {
    for (size_t dimension = 0; dimension < problem.dimensions.size(); ++dimension) {
        const auto& [name, bound] = problem.dimensions[dimension];
        int64_t product = 1;
        for (const LevelMapping& level : mapping.levels)
            for (const Loop& loop : level.loops)
                if (loop.dimension == static_cast<int>(dimension))
                    product = loop.count > bound / product ? bound + 1 : product * loop.count;
        if (product != bound)
            return fail(product > bound
                            ? fmt::format("the loops over {} take more steps than its bound, {}", name, bound)
                            : fmt::format("the loops over {} take {} steps, the problem has {}", name,
                                          product, bound),
                        {}, "dimension " + name, kProducts);
    }
    return {};
}

bool has(const DataSpace& space, int dimension) {
    for (const std::vector<Term>& axis : space.axes)
        for (const Term& term : axis)
            if (term.dimension == dimension) return true;
    return false;
}

// The outermost level that holds a data space must hold all of it: there is nowhere else to get it from.
Status check_holders(const Mapping& mapping, const Architecture& architecture, const Problem& problem) {
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
        size_t outermost = mapping.levels.size();
        while (outermost > 0 && !mapping.levels[outermost - 1].keeps(space))
            --outermost;
        const std::string& name = problem.spaces[space].name;
        if (outermost == 0)
            return fail(fmt::format("no level holds {}", name), {}, {}, "let the outermost level keep it");
        for (size_t level = outermost; level < mapping.levels.size(); ++level)
            for (const Loop& loop : mapping.levels[level].loops)
                if (loop.count > 1 &&
                    (loop.across != Across::kTime || has(problem.spaces[space], loop.dimension)))
                    return refuse_loops(
                        architecture.levels[level],
                        fmt::format("{} is the outermost level that holds {}, but does not hold all of it: "
                                    "{} has loops too",
                                    architecture.levels[outermost - 1].name, name,
                                    architecture.levels[level].name),
                        "let an outer level keep it, or take these loops inside", loop.across);
    }
    return {};
}

std::string tiles_of(const LevelMapping& level, const Problem& problem, const Extents& extents) {
    std::string text = "[";
    for (size_t i = 0; i < problem.spaces.size(); ++i)
        if (level.keeps(i))
            text +=
                fmt::format(" {}:{}", problem.spaces[i].name, tile_size(problem.spaces[i], extents.data()));
    return text + " ]";
}

}  // namespace

Status check(const Mapping& mapping, const Architecture& architecture, const Problem& problem) {
    if (mapping.levels.size() != architecture.levels.size())
        return fail(fmt::format("the mapping has {} levels, the architecture {}", mapping.levels.size(),
                                architecture.levels.size()));
    for (size_t i = 0; i < mapping.levels.size(); ++i)
        OPSIGHT_TRY(check_loops(mapping.levels[i], architecture.levels[i], architecture.fanout(i), problem));
    OPSIGHT_TRY(check_products(mapping, problem));
    return check_holders(mapping, architecture, problem);
}

std::string loop_nest(const Mapping& mapping, const Architecture& architecture, const Problem& problem) {
    std::vector<std::string> heads(mapping.levels.size());
    Extents extents;
    extents.fill(1);
    for (size_t i = 0; i < mapping.levels.size(); ++i) {
        for (const Loop& loop : mapping.levels[i].loops)
            extents[loop.dimension] *= loop.count;
        heads[i] = architecture.levels[i].name + " " + tiles_of(mapping.levels[i], problem, extents);
    }
    std::string text, indent = " ";
    for (size_t i = mapping.levels.size(); i-- > 0;) {
        text += heads[i] + "\n";
        const std::vector<Loop>& loops = mapping.levels[i].loops;
        for (size_t j = loops.size(); j-- > 0;) {
            if (loops[j].count == 1) continue;
            const char* across = loops[j].across == Across::kTime ? ""
                                 : loops[j].across == Across::kX  ? " (Spatial-X)"
                                                                  : " (Spatial-Y)";
            text += fmt::format("|{}for {} in [0:{}){}\n", indent,
                                problem.dimensions[loops[j].dimension].name, loops[j].count, across);
            indent += "  ";
        }
    }
    return text;
}

}  // namespace opsight::map
