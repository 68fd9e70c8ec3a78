// Opens a store by its address: a folder, of whatever kind there are.
#pragma once

#include <memory>
#include <string>

#include "fleet/store/store.h"

namespace opsight::fleet {

// Whether an address is one of a store rather than of something else: a folder by its mark, others by their
// scheme. Opens nothing.
bool is_store(const std::string& address);

// The address as it may be shown: one that holds a password is an error, before anything of it is repeated.
Result<std::string> address_to_show(const std::string& address);

// `to_push`: it is made where it is not there.
Result<std::unique_ptr<Store>> open_store(const std::string& address, bool to_push);

}  // namespace opsight::fleet
