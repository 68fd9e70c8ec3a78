// The last words of a process that crashes.
#pragma once

namespace opsight::cli {

// From now on a crash (of DuckDB on a damaged file, for one) is a sentence on standard error and exit code 1.
// What somebody else watches for already, such as a sanitizer, stays his.
void explain_crashes();
// Undoes that, where another process sees how this one ends.
void leave_crashes_unexplained();

}  // namespace opsight::cli
