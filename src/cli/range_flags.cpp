#include "cli/range_flags.h"

namespace opsight::cli {

void RangeFlags::declare(CLI::App& sub) {
    sub.add_option("--iter-start", start_, "First iteration of the range")->check(iteration_number());
    sub.add_option("--iter-stop", stop_, "Last iteration of the range")->check(iteration_number());
    sub.add_flag("--all-iterations", given_.all, "Take warm-up iterations in");
    sub.add_flag("--whole-run", given_.whole, "Take all that was recorded, in iterations or not");
    sub.add_option("--key-op", given_.key_op, "Cut iterations where the instances of this op or range end");
    sub.add_option("--iteration-range", given_.iteration_range,
                   "Take ranges whose name matches this pattern as iterations");
}

void RangeFlags::declare_rank(CLI::App& sub) {
    sub.add_option("--rank", rank_, "This rank alone, as if the profile had no other")
        ->check(iteration_number());
}

query::RangeOptions RangeFlags::options() const {
    query::RangeOptions options = given_;
    if (start_ >= 0) options.start = start_;
    if (stop_ >= 0) options.stop = stop_;
    if (rank_ >= 0) options.rank = rank_;
    return options;
}

}  // namespace opsight::cli
