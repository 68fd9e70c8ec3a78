// Period detection: where a sequence of launched kernels (or ops) starts over.
//
// A symbol that comes once in each repetition is looked for: an anchor. For each promising one the sequence
// is cut at its occurrences, and successive pieces are compared by what they hold, whatever the order: so
// pieces may differ in length by an insertion here and there. The best cut wins; of equally good ones that
// with more pieces. Pieces that are little alike are not a repetition, nor are the blocks in the middle of
// one pass: those of a network have something of their own before the first and after the last of them, which
// shows in the names, in how often a name comes, or in what the names do not tell (`details`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opsight::analyze {

struct PeriodInput {
    std::vector<uint32_t> symbols;
    // First of the symbols that none may be parted from: unit[i] <= i, and unit[unit[i]] == unit[i].
    // Empty: each may stand alone.
    std::vector<size_t> unit;
    std::vector<bool> wanted;       // where any is set, each piece must have one; may be empty
    std::vector<uint32_t> details;  // what tells symbols of one name apart (shapes, grids); may be empty
    std::vector<int64_t> time;      // of each; may be empty
    // Of each the outermost call of a module that it lies in, kNoCall outside of all; empty: not told. What
    // comes before the first call in no repetition is to set up, and speaks neither for nor against one; a
    // call may be short; and no end was cut off that has as many calls as the piece beside it.
    static constexpr uint32_t kNoCall = UINT32_MAX;
    std::vector<uint32_t> calls;
};

struct Period {
    std::vector<size_t> cuts;  // where the repetitions begin; the last one ends at `end`
    size_t end = 0;
    // 0: no period; 1: all pieces hold the same, nothing is outside of them. Less where they differ, for what
    // they do not cover (of symbols or of time), and where work on one side of them is in no repetition while
    // nothing wanted tells them from the layers of one pass.
    double confidence = 0;
    size_t typical_length = 0;  // median length of a repetition
};

// Cost: linear in the sequence for each of at most kMostAnchors anchors.
inline constexpr size_t kMostAnchors = 32;
Period find_period(const PeriodInput& input);

}  // namespace opsight::analyze
