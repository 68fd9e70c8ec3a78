#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

// The file format of https://www.speedscope.app/file-format-schema.json: one sampled profile of the CPU's
// time, one of the devices'.
Format speedscope_format();

}  // namespace opsight::exports
