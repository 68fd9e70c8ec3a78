#include "import/kineto/batch.h"

namespace opsight::importer::kineto {

void Batch::clear() {
    events = no_events = 0;
    new_strings.clear();
    new_signatures.clear();
    new_configs.clear();
    new_collectives.clear();
    new_threads.clear();
    new_device_places.clear();
    host.clear();
    detail.clear();
    ops.clear();
    api.clear();
    of_threads.clear();
    device.clear();
    graphs.clear();
    legacy_device.clear();
    memory.clear();
    counters.clear();
    flows.clear();
    unpaired.clear();
    diagnostics = Diagnostics();
}

}  // namespace opsight::importer::kineto
