// A network on an accelerator as tables.
#pragma once

#include "query/ask/result_table.h"
#include "query/mapping/network_search.h"

namespace opsight::query {

// A number of the search as a cell: whole where it is.
Cell whole_cell(double value);

// A row for each layer: what one run of it costs, how often it runs, its share of the sums, its place under
// the roofline.
ResultTable network_layer_table(const NetworkMapping& network);
// A row for each total, with "at least" where something is not in it.
ResultTable network_total_table(const NetworkMapping& network);
// What is not in the sums, and why: ops, and layers without a mapping.
ResultTable network_unmapped_table(const NetworkMapping& network);

// The roofline of an accelerator: what its units make in a cycle, and what its outermost level gives and
// takes.
struct Roofline {
    double macs_per_cycle = 0;
    std::optional<double> words_per_cycle;  // none: without limit
    int64_t word_bits = 0;
    // Of one layer: multiply-adds for each word of the outermost level, and in each cycle.
    struct Point {
        size_t layer = 0;
        double intensity = 0, rate = 0;
        double share = 0;  // of all cycles
    };
    std::vector<Point> points;
};
Roofline roofline_of(const NetworkMapping& network);

}  // namespace opsight::query
