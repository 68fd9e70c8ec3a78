#include "fleet/stores/open.h"

#include "fleet/clickhouse/address.h"
#include "fleet/clickhouse/clickhouse_store.h"
#include "fleet/parquet/parquet_store.h"

namespace opsight::fleet {

bool is_store(const std::string& address) {
    return clickhouse::is_address(address) || parquet::is_store(address);
}

Result<std::string> address_to_show(const std::string& address) {
    if (!clickhouse::is_address(address)) return address;
    OPSIGHT_ASSIGN(const clickhouse::Address parsed, clickhouse::parse_address(address));
    return parsed.text();
}

Result<std::unique_ptr<Store>> open_store(const std::string& address, bool to_push) {
    if (clickhouse::is_address(address)) return clickhouse::open_cluster(address, to_push);
    const size_t scheme = address.find("://");
    if (scheme != std::string::npos)
        return fail(Error{"there is no kind of store '" + address.substr(0, scheme) + "://'",
                          {},
                          {},
                          "give the path of a folder, or clickhouse://HOST:PORT/DATABASE",
                          2});
    return parquet::open_folder(address, to_push);
}

}  // namespace opsight::fleet
