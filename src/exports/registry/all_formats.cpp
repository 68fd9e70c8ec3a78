#include "exports/registry/all_formats.h"

#include "exports/chrome/chrome.h"
#include "exports/perfetto/perfetto.h"

namespace opsight::exports {

const std::vector<Format>& all_formats() {
    static const std::vector<Format> formats = {
        perfetto_format(),
        chrome_format(),
    };
    return formats;
}

}  // namespace opsight::exports
