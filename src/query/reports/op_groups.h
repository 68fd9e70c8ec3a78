// How reports about ops part their rows beside the op: by rank, by device.
#pragma once

#include <string>
#include <vector>

#include "query/ask/question.h"

namespace opsight::query {

struct Groups {
    std::vector<Field> fields;       // columns of the grouping
    std::vector<std::string> names;  // of the keys: "rank", "device"
    std::string keys;                // ", s.rank, s.device" for a GROUP BY over op_stats
    std::string
        instances;      // ", t.rank AS rank": the keys of op instances; `t` their track, `w` their op_work
    std::string joins;  // names of ranks and devices

    // " AND m.rank IS NOT DISTINCT FROM s.rank": joins another relation with the same keys to `s`.
    std::string on(std::string_view relation) const;
    // Rows that are equal but for their group stand in the order of groups.
    void order(Question& question) const;
};

Groups groups(const TableShape& shape);

}  // namespace opsight::query
