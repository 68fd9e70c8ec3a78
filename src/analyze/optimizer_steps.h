// Which optimizer steps end an iteration, where a training loop has several optimizers (GANs, actor and
// critic, alternating fine-tuning) or several batches for a step (gradient accumulation).
#pragma once

#include <string>
#include <vector>

#include "analyze/iterations.h"

namespace opsight::analyze {

struct OptimizerStep {
    IterationCandidate span;
    int64_t process = 0;           // each goes on by itself: one that was started anew begins again
    uint64_t optimizer = 0;        // who steps, as far as the profile tells them apart
    bool after_gradients = false;  // gradients were computed between the step before and this one
    TrackId thread;
    uint32_t ops = 0;  // inside it: parts optimizers of one name
};

// Sorted by rank and begin, without those inside another step.
std::vector<OptimizerStep> outermost_steps(std::vector<OptimizerStep> steps);
// Notes that gradients were computed at `time`. `steps` as outermost_steps() gives them. Logarithmic.
void note_gradients(std::vector<OptimizerStep>& steps, RankId rank, int64_t time);

// Whether threads of one rank step by turns or at once, each more than once: models that are trained beside
// each other. `steps` before outermost_steps(), in any order.
bool threads_train_beside(const std::vector<OptimizerStep>& steps);

struct StepCycles {
    std::vector<IterationCandidate> ends;  // the steps that end an iteration
    double confidence = 1;                 // below 1 where the clues disagree
    std::string doubt;                     // in what; empty: they agree
};

// Three clues tell where an iteration ends. Steps without new gradients in between belong to one update. An
// update that comes again after all others of a cycle came begins a new iteration: the one that comes once in
// a cycle ends it. A new batch begins a new iteration: it decides where a cycle is not longer than a batch.
// `told_apart`: equal numbers of optimizers are one optimizer for sure. Where they are not, the number of ops
// in a step parts them, if a regular cycle comes of it. Linear but for the length of the longest cycle looked
// for.
StepCycles cycles_of_steps(const std::vector<OptimizerStep>& steps, std::vector<IterationCandidate> loads,
                           bool told_apart);
inline constexpr double kThreadsBeside = 0.5;  // what confidence is left then

}  // namespace opsight::analyze
