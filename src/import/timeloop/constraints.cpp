#include <fmt/format.h>

#include <algorithm>

#include "import/timeloop/factors.h"
#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

Status read_loop_rules(const Tree& part, bool spatial, const map::Problem& problem, map::LevelRules& into,
                       Places& places) {
    if (const Tree* tree = part.find("factors")) {
        OPSIGHT_ASSIGN(const std::vector<Factor> factors, read_factors(*tree, problem));
        for (const Factor& factor : factors) {
            map::FactorRule& rule = (spatial ? into.across : into.in_time)[factor.dimension];
            // As Timeloop takes them: 0 and what is more than there is are all of the dimension.
            const auto& [name, bound] = problem.dimensions[factor.dimension];
            note_factor(name, factor.count, place_of(part), places);
            (factor.at_most ? rule.at_most : rule.exactly) =
                factor.count == 0 ? bound : std::min(factor.count, bound);
        }
    }
    if (const Tree* tree = part.find("permutation")) {
        OPSIGHT_ASSIGN((spatial ? into.across_order : into.order), read_order(*tree, problem));
    }
    if (spatial && part.find("split") != nullptr) {
        OPSIGHT_ASSIGN(const int64_t split, part.whole_of({"split"}, 0));
        if (split < 0) return fail(part.error("split must be 0 or more"));
        into.split = static_cast<size_t>(split);
    }
    return {};
}

Status read_kept_rules(const Tree& part, const map::Problem& problem, map::LevelRules& into) {
    for (const bool keep : {true, false}) {
        const Tree* names = part.find(keep ? "keep" : "bypass");
        if (names == nullptr) continue;
        for (const Tree& name : names->items) {
            const int space = name.is_text() ? problem.space(name.text) : -1;
            if (space < 0) return fail(name.error(fmt::format("there is no data space '{}'", name.text)));
            (keep ? into.keep : into.bypass) |= 1U << space;
        }
    }
    return {};
}

}  // namespace

Status read_constraints(const Tree& list, const map::Architecture& architecture, const map::Problem& problem,
                        map::Constraints& into, Places& places) {
    constexpr std::string_view kKeys[] = {"target", "type", "factors", "permutation",
                                          "split",  "keep", "bypass"};
    into.levels.resize(architecture.levels.size());
    for (const Tree& part : list.items) {
        for (const auto& [key, value] : part.members)
            if (value.kind != Tree::Kind::kEmpty &&
                std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
                return fail(part.error(fmt::format("the constraint '{}' is not supported", key)));
        OPSIGHT_ASSIGN(const std::string target, part.text_of("target", ""));
        const int level = architecture.level(target);
        if (level < 0) return fail(part.error(fmt::format("the architecture has no level '{}'", target)));
        OPSIGHT_ASSIGN(const std::string type, part.text_of("type", ""));
        if (type == "temporal" || type == "spatial") {
            OPSIGHT_TRY(read_loop_rules(part, type == "spatial", problem, into.levels[level], places));
        } else if (type == "bypass" || type == "datatype" || type == "dataspace") {
            places["keep of " + target] = place_of(part);
            OPSIGHT_TRY(read_kept_rules(part, problem, into.levels[level]));
        } else {
            return fail(part.error(fmt::format("constraints of type '{}' are not supported", type),
                                   "type must be temporal, spatial or bypass (datatype, dataspace)"));
        }
    }
    return {};
}

}  // namespace opsight::importer::timeloop
