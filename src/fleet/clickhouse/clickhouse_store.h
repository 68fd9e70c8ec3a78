// The store in a ClickHouse cluster: an address of address.h.
#pragma once

#include <memory>
#include <string>

#include "fleet/store/store.h"

namespace opsight::fleet::clickhouse {

// `to_push`: tables that are missing are made when a push begins.
Result<std::unique_ptr<Store>> open_cluster(const std::string& address, bool to_push);

}  // namespace opsight::fleet::clickhouse
