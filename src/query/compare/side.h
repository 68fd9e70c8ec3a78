// One side of a comparison: the iterations of its range as samples, and what the run was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/compare/run_state.h"
#include "query/compare/work_tree.h"
#include "query/reports/headline.h"
#include "query/reports/info.h"
#include "query/reports/iteration_shares.h"

namespace opsight::query {

struct Side {
    std::string label;
    Range range;
    Contents contents;
    // `slowest_rank`: the one whose iterations took longest in all. The summary's average is of that one,
    // too.
    int64_t rank = 0, slowest_rank = 0;    // the rank compared
    bool host_binds = false;               // no device was at work for most of the wall clock
    std::vector<IterationShares> samples;  // in the order of time; one where the whole recording is compared
    std::vector<BudgetClass> classes;
    Info info;
    std::vector<std::string> names;  // of its ops and kernels, or ranges; sorted, each once
    WorkTree work;
    RunState state;
    int64_t batch = 1;                      // items of an iteration: all times are of one of them
    std::optional<FoundProblems> problems;  // where somebody looked for them

    std::vector<int64_t> times() const;  // of the samples
    std::vector<int64_t> times_in(size_t resource) const;

  private:
    int64_t of_an_item(int64_t ns) const;
};

// Places of the samples that are one and a half times the median or more; of less than three samples none.
std::vector<size_t> outliers_of(const Side& side);

// Share of the names of the run that has fewer which the other one has, too. Runs of one program share nearly
// all; other versions of libraries rename some kernels.
double likeness(const Side& a, const Side& b);
inline constexpr double kOneProgram = 0.5;

// All but `work` and `state`, for what asks about times alone.
Result<Side> read_samples(Session& session, std::string label, std::optional<int64_t> rank = {});

// Of `rank`, where the profile has iterations of it in the range; else of the slowest. Fails where nothing
// was recorded in the range.
Result<Side> read_side(Session& session, std::string label, std::optional<int64_t> rank = {},
                       const WorkOptions& options = {});

}  // namespace opsight::query
