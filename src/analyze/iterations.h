// Iterations: where the steps of a run begin and end, on which ground, and which of them are warm-up.
//
// Everything here works on candidate spans alone and needs no Profile, so that a stored profile can be cut
// anew. find_iterations.h looks for the candidates in a Profile.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "analyze/results.h"
#include "base/result.h"
#include "model/profile.h"

namespace opsight::analyze {

// A host span that may delimit an iteration: an instance of the key op, a matched range, a step marker, an
// optimizer step.
struct IterationCandidate {
    RankId rank;
    int64_t begin = 0, end = 0;
    StringId name;
};

// Where the host work of a rank begins: its first iteration does too. A rank may have several, where its work
// was started anew: no iteration reaches from one into the next.
struct RankBegin {
    RankId rank;
    int64_t begin = 0;
};

// An event that makes the iteration it falls into a warm-up one whatever its length ("cuDNN benchmarking").
struct WarmupEvent {
    RankId rank;
    int64_t time = 0;
    std::string_view reason;
};

// Keeps a text that the iterations need (Iteration::warmup_reason).
using Intern = std::function<StringId(std::string_view)>;

// The text of a mark (Iteration::name).
using NameOf = std::function<std::string_view(StringId)>;

// Iterations end where the key op's instances end; the first begins with the rank. What follows the last
// instance is in no iteration. `ranks` is sorted. An instance that begins before the previous one ended is
// taken as part of it.
Iterations iterations_from_key_op(std::vector<IterationCandidate> candidates,
                                  const std::vector<RankBegin>& ranks, std::string_view key_op);

// Each candidate is an iteration; one that overlaps the previous one by more than rounding is left out.
Iterations iterations_from_ranges(std::vector<IterationCandidate> candidates, std::string_view pattern);
Iterations iterations_from_markers(std::vector<IterationCandidate> candidates);

// Marks as warm-up the leading iterations of each rank that take longer than the median of the rest by more
// than three median absolute deviations and a tenth (with at least kFewestRest others to compare with; with
// two, also at least ten times the longer one), but not where such come again: two or more of those behind
// shorter ones take nine tenths of it, or one does that is not the last and no other takes half of it. Then
// every iteration that an event falls into. An iteration takes until its mark ends; where marks cover less
// than half of the time, until the next one begins. Where names are given, a step is compared with those that
// are named alike but for numbers (of servers: that prefill, or decode). Pauses of the recording are left
// out. Linear for each leading iteration that is marked.
inline constexpr size_t kFewestRest = 3;
inline constexpr double kLeastSlower = 0.1;  // equal iterations differ by less
void mark_warmup(Iterations& iterations, const std::vector<WarmupEvent>& events, const Intern& intern,
                 const NameOf& name_of = {}, const std::vector<RecordingPause>& pauses = {});

// Iterations whose heads were recorded but not kept, of ranks that are whole only from some time on: those
// that begin until then, and the first one where no mark tells where it begins. `kept_from` is sorted by
// rank.
std::vector<WarmupEvent> cut_heads(const Iterations& iterations, const std::vector<RankBegin>& kept_from);
inline constexpr std::string_view kCutHead = "newer records took the place of its first ones";

// Whether a range pattern can be used.
Status check_range_pattern(std::string_view pattern);

// RE2 pattern that is looked for anywhere in a name, as --iteration-range does. A bad pattern matches
// nothing.
class RangePattern {
  public:
    explicit RangePattern(std::string_view pattern);
    ~RangePattern();
    RangePattern(const RangePattern&) = delete;
    RangePattern& operator=(const RangePattern&) = delete;
    bool matches(std::string_view name) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Number of the iteration of `rank` that holds each time; -1 where none does. `list` is Iterations::list.
class IterationIndex {
  public:
    explicit IterationIndex(const std::vector<Iteration>& list);
    int32_t at(RankId rank, int64_t time) const;  // logarithmic

  private:
    struct Stretch {
        int64_t begin, end;
        int32_t number;
    };
    std::vector<std::vector<Stretch>> by_rank_;
};

}  // namespace opsight::analyze
