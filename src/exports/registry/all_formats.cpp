#include "exports/registry/all_formats.h"

#include "exports/chrome/chrome.h"
#include "exports/dlprof/dlprof.h"
#include "exports/perfetto/perfetto.h"
#include "exports/spreadsheet/xlsx.h"
#include "exports/stacks/folded.h"
#include "exports/stacks/pprof.h"
#include "exports/stacks/speedscope.h"
#include "exports/tables/tables.h"
#include "exports/tensorboard/tensorboard.h"

namespace opsight::exports {

const std::vector<Format>& all_formats() {
    static const std::vector<Format> formats = {
        perfetto_format(), chrome_format(),  folded_format(), speedscope_format(),  pprof_format(),
        csv_format(),      parquet_format(), xlsx_format(),   tensorboard_format(), dlprof_format(),
    };
    return formats;
}

}  // namespace opsight::exports
