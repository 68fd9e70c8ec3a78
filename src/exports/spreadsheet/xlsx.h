#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

// A workbook of Excel (Office Open XML) with a sheet for each report that the profile can fill.
Format xlsx_format();

}  // namespace opsight::exports
