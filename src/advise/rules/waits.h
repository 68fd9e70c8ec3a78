// What two rules tell of one wait: each leaves out what is the other's.
#pragma once

#include "advise/rule.h"

namespace opsight::advise {

// Of the time (%), in which waits for the device return that leave it without work: nothing where that is too
// little for the finding on synchronization.
Result<double> waits_told_by_synchronization(Context& c);

}  // namespace opsight::advise
