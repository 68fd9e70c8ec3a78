// Which layers and ops of two runs belong together. By structure first, names second: several
// layers for one that a loop calls, before all else; then a layer's match is looked for among the children of
// its parent's match, by name and content, by content alone (renamed), by name alone (changed inside), by the
// ops in it (renamed and other shapes), and last anywhere by content (moved). Ops of matched layers are
// matched alike. Where only a layer's name tells what it does, its words are content (layer_words.h). What
// only one side recorded (layers, shapes, types) tells nothing apart: ops that differ in nothing else are one
// there. Cost: n log n in layers and distinct ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "query/compare/work_tree.h"

namespace opsight::query {

enum class How : uint8_t {
    kPlace,     // the same place of the tree
    kRenamed,   // the same content, under another name
    kMoved,     // somewhere else in the tree
    kReplaced,  // other ops between ops that did not change
    kUnrolled,  // one layer that a loop calls and several that stand beside each other (unrolled.h)
    kAlone,     // nothing belongs to it
};

struct LayerMatch {
    std::optional<size_t> base, next;
    How how = How::kAlone;
    std::vector<size_t> more_base = {}, more_next = {};  // of unrolled ones
};

// Ops that belong together: one and one; any number where they were replaced, or where one side did not
// record what tells them apart.
struct OpMatch {
    std::vector<size_t> base, next;
    How how = How::kAlone;
};

// Every layer and every op of both is in exactly one of its list, those of the base in their order first.
struct Alignment {
    std::vector<LayerMatch> layers;
    std::vector<OpMatch> ops;
    bool without_layers = false;  // only one side recorded any: ops are matched as if neither had
};

Alignment align(const WorkTree& base, const WorkTree& next);

// Places of equal values in both, rising in both: the n-th of equal ones goes with the n-th, and of these
// pairs the most that do not cross.
std::vector<std::pair<size_t, size_t>> in_order(std::span<const uint64_t> base,
                                                std::span<const uint64_t> next);

}  // namespace opsight::query
