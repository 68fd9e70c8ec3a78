// Reads databases of DLProf, the profiler for deep learning that NVIDIA ended with version 1.8. See
// database.h.
#pragma once

#include "import/nsys/report.h"

namespace opsight::dlprof {

// `report`: opened on the database. A version that Opsight does not know is an error that says so.
Status read_database(nsys::Report& report);

}  // namespace opsight::dlprof
