#include "map/architecture.h"

#include <fmt/format.h>

#include <cmath>

#include "map/problem.h"

namespace opsight::map {
namespace {

Status check_level(const Level& level) {
    const auto refuse = [&level](const char* what) {
        return fail(fmt::format("level {}: {}", level.name, what));
    };
    if (level.mesh.x < 1 || level.mesh.y < 1) return refuse("its mesh must be 1 or more each way");
    if (level.word_bits < 1 || level.block < 1 || level.cluster < 1)
        return refuse("the sizes of a word, a block and a cluster must be 1 or more");
    if (level.mesh.instances() % level.cluster != 0)
        return refuse(
            "its width holds more words than its blocks have, and its instances cannot be shared out to that "
            "many "
            "a row: give a width that is words x block size");
    if (level.capacity && *level.capacity < 0) return refuse("its capacity is below 0");
    if (!(level.buffers >= 1)) return refuse("multiple buffering must be 1 or more");
    if (!(level.min_utilization >= 0 && level.min_utilization <= 1))
        return refuse("the least utilization must be between 0 and 1");
    for (const std::optional<double>& bandwidth :
         {level.read_bandwidth, level.write_bandwidth, level.shared_bandwidth})
        if (bandwidth && !(*bandwidth > 0)) return refuse("a bandwidth must be above 0");
    for (const double figure :
         {level.read_pj, level.write_pj, level.update_pj, level.leak_pj, level.area_um2})
        if (!(figure >= 0) || !std::isfinite(figure)) return refuse("an energy or area is below 0");
    return {};
}

}  // namespace

int Architecture::level(const std::string& wanted) const {
    for (size_t i = 0; i < levels.size(); ++i)
        if (levels[i].name == wanted) return static_cast<int>(i);
    return -1;
}

Mesh Architecture::fanout(size_t level) const {
    const Mesh& below = level == 0 ? compute.mesh : levels[level - 1].mesh;
    return {below.x / levels[level].mesh.x, below.y / levels[level].mesh.y};
}

Status check(const Architecture& architecture) {
    const std::vector<Level>& levels = architecture.levels;
    if (levels.empty() || static_cast<int>(levels.size()) > kMaxLevels)
        return fail(fmt::format("the architecture has {} levels of storage; 1 to {} are possible",
                                levels.size(), kMaxLevels));
    if (architecture.compute.mesh.x < 1 || architecture.compute.mesh.y < 1 ||
        !(architecture.compute.compute_pj >= 0) || !(architecture.compute.area_um2 >= 0))
        return fail(fmt::format("{}: its mesh must be 1 or more each way, its energy and area 0 or more",
                                architecture.compute.name));
    for (size_t i = 0; i < levels.size(); ++i) {
        OPSIGHT_TRY(check_level(levels[i]));
        if (architecture.level(levels[i].name) != static_cast<int>(i))
            return fail(fmt::format("two levels are called {}", levels[i].name));
        const Mesh& below = i == 0 ? architecture.compute.mesh : levels[i - 1].mesh;
        const std::string& name = i == 0 ? architecture.compute.name : levels[i - 1].name;
        if (below.x % levels[i].mesh.x != 0 || below.y % levels[i].mesh.y != 0)
            return fail(fmt::format("the {}x{} instances of {} cannot be shared out to the {}x{} of {}",
                                    below.x, below.y, name, levels[i].mesh.x, levels[i].mesh.y,
                                    levels[i].name));
    }
    return {};
}

std::optional<int64_t> room(const Level& level) {
    if (!level.capacity) return std::nullopt;
    return static_cast<int64_t>(std::floor(static_cast<double>(*level.capacity) / level.buffers));
}

}  // namespace opsight::map
