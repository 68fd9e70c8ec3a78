#include <fmt/format.h>

#include <algorithm>

#include "import/timeloop/factors.h"
#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

using map::Across;
using map::Architecture;
using map::LevelMapping;
using map::Loop;
using map::Mapping;
using map::Problem;

// The loops of one level, those across and those in time apart until both are known.
struct LevelParts {
    std::vector<Loop> across, in_time;
};

class MappingReader {
  public:
    MappingReader(const Architecture& architecture, const Problem& problem, Places& places)
        : architecture_(architecture),
          problem_(problem),
          places_(places),
          parts_(architecture.levels.size()) {
        mapping_.levels.resize(architecture.levels.size());
        for (size_t i = 0; i < architecture.levels.size(); ++i)
            if (architecture.levels[i].dummy) mapping_.levels[i].kept = 0;
    }

    Result<Mapping> read(const Tree& tree) {
        for (const Tree& part : tree.items)
            OPSIGHT_TRY(read_part(part));
        OPSIGHT_TRY(fill_the_rest(tree));
        for (size_t i = 0; i < parts_.size(); ++i) {
            std::vector<Loop>& loops = mapping_.levels[i].loops;
            loops = parts_[i].across;
            loops.insert(loops.end(), parts_[i].in_time.begin(), parts_[i].in_time.end());
            std::erase_if(loops, [](const Loop& loop) { return loop.count == 1; });
        }
        return mapping_;
    }

  private:
    Status read_part(const Tree& part) {
        constexpr std::string_view kKeys[] = {"target", "type", "factors", "permutation",
                                              "split",  "keep", "bypass"};
        for (const auto& [key, value] : part.members)
            if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
                return fail(part.error(fmt::format("a part of a mapping has no '{}'", key)));
        OPSIGHT_ASSIGN(const std::string target, part.text_of("target", ""));
        const int level = architecture_.level(target);
        if (level < 0)
            return fail(part.error(fmt::format("the architecture has no level '{}'", target),
                                   "target must name a level of storage"));
        OPSIGHT_ASSIGN(const std::string type, part.text_of("type", ""));
        if (type == "temporal" || type == "spatial") {
            places_[(type == "spatial" ? "loops across " : "loops of ") + target] = place_of(part);
            return read_loops(part, type == "spatial", parts_[level]);
        }
        if (type == "bypass" || type == "datatype" || type == "dataspace")
            return read_kept(part, mapping_.levels[level]);
        return fail(part.error(fmt::format("'{}' is not a part of a mapping", type),
                               "type must be temporal, spatial or bypass (datatype, dataspace)"));
    }

    Status read_loops(const Tree& part, bool spatial, LevelParts& into) {
        std::vector<Factor> factors;
        std::vector<int> order;
        if (const Tree* tree = part.find("factors")) {
            OPSIGHT_ASSIGN(factors, read_factors(*tree, problem_));
        }
        if (const Tree* tree = part.find("permutation")) {
            OPSIGHT_ASSIGN(order, read_order(*tree, problem_));
        }
        for (int i = 0; i < static_cast<int>(problem_.dimensions.size()); ++i)
            if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
        // The first dimensions of the order go along X, the others along Y.
        OPSIGHT_ASSIGN(const int64_t split, part.whole_of({"split"}, static_cast<int64_t>(order.size())));
        std::vector<Loop>& loops = spatial ? into.across : into.in_time;
        if (!loops.empty()) return fail(part.error("this level has such loops already"));
        for (size_t i = 0; i < order.size(); ++i) {
            const auto factor = std::find_if(factors.begin(), factors.end(),
                                             [&](const Factor& each) { return each.dimension == order[i]; });
            if (factor != factors.end() && factor->at_most)
                return fail(part.error("a mapping needs exact factors, not bounds"));
            if (factor != factors.end())
                note_factor(problem_.dimensions[order[i]].name, factor->count, place_of(part), places_);
            loops.push_back({order[i], factor == factors.end() ? 1 : factor->count,
                             !spatial                          ? Across::kTime
                             : static_cast<int64_t>(i) < split ? Across::kX
                                                               : Across::kY});
        }
        return {};
    }

    Status read_kept(const Tree& part, LevelMapping& into) {
        for (const bool keep : {true, false}) {
            const Tree* names = part.find(keep ? "keep" : "bypass");
            if (names == nullptr) continue;
            for (const Tree& name : names->items) {
                const int space = name.is_text() ? problem_.space(name.text) : -1;
                if (space < 0) return fail(name.error(fmt::format("there is no data space '{}'", name.text)));
                into.kept = keep ? into.kept | 1U << space : into.kept & ~(1U << space);
            }
        }
        return {};
    }

    // A factor of 0 is what the others leave.
    Status fill_the_rest(const Tree& tree) {
        for (size_t dimension = 0; dimension < problem_.dimensions.size(); ++dimension) {
            Loop* rest = nullptr;
            const auto& [name, bound] = problem_.dimensions[dimension];
            int64_t product = 1;
            for (LevelParts& part : parts_)
                for (std::vector<Loop>* loops : {&part.across, &part.in_time})
                    for (Loop& loop : *loops) {
                        if (loop.dimension != static_cast<int>(dimension)) continue;
                        if (loop.count == 0 && rest != nullptr)
                            return fail(tree.error(fmt::format("dimension {} has two factors of 0", name)));
                        if (loop.count == 0)
                            rest = &loop;
                        else
                            product = loop.count > bound / product ? bound : product * loop.count;
                    }
            if (rest != nullptr) rest->count = bound / product;
        }
        return {};
    }

    const Architecture& architecture_;
    const Problem& problem_;
    Places& places_;
    std::vector<LevelParts> parts_;
    Mapping mapping_;
};

}  // namespace

Result<Mapping> read_mapping(const Tree& mapping, const Architecture& architecture, const Problem& problem,
                             Places& places) {
    if (!mapping.is_list())
        return fail(mapping.error("a mapping must be a list of parts, each with target, type and factors"));
    return MappingReader(architecture, problem, places).read(mapping);
}

}  // namespace opsight::importer::timeloop
