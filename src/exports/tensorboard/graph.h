// The ops of a run as a graph of TensorFlow, whose groups are layers.
#pragma once

#include <string>

#include "query/ask/result_table.h"

namespace opsight::exports {

struct Graph {
    std::string bytes;  // a GraphDef
    int64_t nodes = 0, left_out = 0;
};
// Of the rows of the report `detailed`; the first rows where there are more than a page can show.
Graph make_graph(const query::ResultTable& ops);

}  // namespace opsight::exports
