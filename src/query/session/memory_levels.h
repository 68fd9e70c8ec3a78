// What the caches of the profile's devices move at most. It is of the program's table of devices, not of the
// file: files that are older have it as well.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// Makes the relation sel_levels: model (as raw.device_models.model), place (0: next to the memory),
// name, bandwidth (bytes/s), shared (by all units), estimate (what speaks for it, or empty), source.
Status list_memory_levels(Session& session);

}  // namespace opsight::query
