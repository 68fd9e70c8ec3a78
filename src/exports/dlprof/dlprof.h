// A database as DLProf 1.8 made it (dlprof_dldb.sqlite): what it recorded, its iterations and findings.
// docs/DLPROF.md lists what is written, and what of DLProf's own database is not known.
#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

Format dlprof_format();

}  // namespace opsight::exports
