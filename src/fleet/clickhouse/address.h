// Where a ClickHouse store is, and as whom to speak to it. A password never stands in an address: addresses
// are printed, kept in shells' histories and seen in lists of processes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::fleet::clickhouse {

struct Host {
    std::string name;  // an IPv6 address without its brackets
    uint16_t port = 0;
    // "127.0.0.1:8123", "[::1]:8123"
    std::string text() const;
};

struct Address {
    std::vector<Host> hosts;  // the HTTP ports of all nodes of the cluster, one at least
    std::string database;     // letters, digits and _
    std::string cluster = "opsight";
    bool tls = false;
    // For so long a node may be silent, and for so long a push tries again what a node did not take.
    int timeout_s = 30;
    std::string text() const;
};

bool is_address(std::string_view text);  // begins like one
// clickhouse://HOST[:PORT][,HOST[:PORT]...]/DATABASE[?cluster=NAME][&timeout=SECONDS], clickhouse+tls:// for
// TLS. The ports are those of HTTP: 8123, or 8443 with TLS, where none is given.
Result<Address> parse_address(std::string_view text);

struct Credentials {
    std::string user = "default", password;
    std::string ca_file;  // whom to trust with TLS; empty: whom the system trusts
};
// From OPSIGHT_CLICKHOUSE_USER, _PASSWORD and _CA, and the file that OPSIGHT_CLICKHOUSE_CREDENTIALS names or
// else
// ~/.config/opsight/clickhouse (lines `user = ...`, `password = ...`, `ca = ...`), which nobody but its owner
// may read. The environment comes before the file.
Result<Credentials> find_credentials();

}  // namespace opsight::fleet::clickhouse
