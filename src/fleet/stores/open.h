// Opens a store by its address: a folder, of whatever kind there are.
#pragma once

#include <memory>
#include <string>

#include "fleet/store/store.h"

namespace opsight::fleet {

// `to_push`: it is made where it is not there.
Result<std::unique_ptr<Store>> open_store(const std::string& address, bool to_push);

}  // namespace opsight::fleet
