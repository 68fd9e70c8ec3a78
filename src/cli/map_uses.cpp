#include "cli/map_uses.h"

#include <fmt/format.h>

#include "cli/model_sizes.h"

namespace opsight::cli {
namespace {

constexpr unsigned bit(MapJob job) {
    return 1U << static_cast<unsigned>(job);
}

constexpr unsigned kModels = bit(MapJob::kNetwork) | bit(MapJob::kNetworkSweep);
constexpr unsigned kSearches = bit(MapJob::kSearch) | bit(MapJob::kSweep) | kModels;
constexpr unsigned kDraws = bit(MapJob::kCloud) | bit(MapJob::kDraw);
constexpr unsigned kAny = kSearches | kDraws | bit(MapJob::kCost);
constexpr unsigned kSocs = bit(MapJob::kSoc);

struct Use {
    const char* option;
    unsigned jobs;
    const char* of;  // "--layer is for a model"
};

constexpr Use kUses[] = {
    {"--mapping", bit(MapJob::kCost), "one problem whose mapping is given"},
    {"--cloud", bit(MapJob::kCloud), "one problem and no sweep"},
    {"--draw", bit(MapJob::kDraw), "one problem and no sweep"},
    {"--near", bit(MapJob::kCloud), "--cloud"},
    {"--points", bit(MapJob::kCloud), "--cloud"},
    {"--search", kSearches | kSocs, "a search"},
    {"--method", kSearches | kSocs, "a search"},
    {"--budget", kSearches | kSocs, "a search"},
    {"--samples", kSearches | kSocs, "a search"},
    {"--threads", kSearches | kSocs | bit(MapJob::kCloud), "a search or --cloud"},
    {"--seed", kSearches | kSocs | kDraws, "a search, --cloud or --draw"},
    {"--layer", kModels, "a model"},
    {"--dim", kModels | kSocs, "a model"},
    {"--shape", kModels | kSocs, "a model"},
    {"--value", kModels | kSocs, "a model"},
    {"--roofline", bit(MapJob::kNetwork), "a model without --sweep"},
    {"--force", bit(MapJob::kNetwork), "the picture of --roofline"},
    {"--sweep", bit(MapJob::kSweep) | bit(MapJob::kNetworkSweep), "a search"},
    {"--soc", kSocs, "a model"},
    {"--arch", kAny, "a problem or a model"},
    {"--set", kAny | kSocs, "templates in files"},
    {"--format", kAny | kSocs, "a problem or a model"},
    {"FILE", kAny | kSocs, "a problem or a model"},
};

std::string_view name_of(MapJob job) {
    switch (job) {
        case MapJob::kList:
            return "--list, which prints names";
        case MapJob::kCost:
            return "the cost of a mapping that is given (--mapping, or a file's), without --search";
        case MapJob::kSearch:
            return "one problem with --search, and no model";
        case MapJob::kCloud:
            return "--cloud for one problem";
        case MapJob::kDraw:
            return "--draw, one mapping of a cloud";
        case MapJob::kNetwork:
            return "a model, whose layers are searched";
        case MapJob::kSoc:
            return "--soc, which maps a model on several engines";
        case MapJob::kSweep:
            return "--sweep of one problem, which searches at each point";
        case MapJob::kNetworkSweep:
            return "--sweep of a model, which searches at each point";
    }
    return {};
}

}  // namespace

Status check_uses(const CLI::App& map, MapJob job) {
    for (const Use& use : kUses)
        if (map.count(use.option) > 0 && (use.jobs & bit(job)) == 0)
            return fail(usage(fmt::format("{} is for {}, and this is {}", use.option, use.of, name_of(job)),
                              fmt::format("leave {} out, or ask for that", use.option)));
    if (map.count("--force") > 0 && map.count("--roofline") == 0)
        return fail(
            usage("--force is for the picture of --roofline, which is not asked for", "leave --force out"));
    return {};
}

Result<std::vector<std::string>> list_items(std::string_view text, std::string_view option) {
    std::vector<std::string> items;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        if (end == at)
            return fail(usage(fmt::format("{} {}: an item of the list is empty", option, text),
                              "leave out the comma that is too much"));
        items.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return items;
}

}  // namespace opsight::cli
