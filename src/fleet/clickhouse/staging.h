// The parts of a push that are there already, and the note that is taken of them: so a push that was cut off
// goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/clickhouse/visible.h"
#include "fleet/clickhouse/writer.h"
#include "fleet/store/store.h"

namespace opsight::fleet::clickhouse {

using PartName = std::pair<std::string, int64_t>;  // a table, and a rank or -1
PartName name_of(const Part& part);

// Parts of one try, and the blocks that hold their rows and no others.
struct Staged {
    std::vector<PartName> parts;
    std::vector<Block> blocks;
};

// Of the try that came farthest, those whose rows are still all there, on every node that answers.
Result<Staged> find_staged(const Cluster& cluster, const Writer& writer, const std::string& push);

// Takes note, in one INSERT: all of it is known later, or nothing.
Status note_staged(Writer& writer, int64_t shard, const std::string& push, uint64_t attempt,
                   const Staged& staged);

}  // namespace opsight::fleet::clickhouse
