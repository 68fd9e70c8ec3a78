#include "fleet/clickhouse/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace opsight::fleet::clickhouse {
namespace {

constexpr std::string_view kPlain = "clickhouse://", kTls = "clickhouse+tls://";
constexpr size_t kMostHosts = 256;
constexpr int kLongestTimeout = 3600;

bool starts_with(std::string_view text, std::string_view begin) {
    return text.substr(0, begin.size()) == begin;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    });
}

// Names and addresses of hosts: nothing that means something else in a URL.
bool is_host(std::string_view text) {
    return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' || c == ':';
    });
}

template <class T>
bool read_number(std::string_view text, T low, T high, T& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && out >= low && out <= high;
}

auto wrong(const std::string& what) {
    return fail(Error{
        "the address of the store " + what, {}, {}, "as in clickhouse://node1:8123,node2:8123/DATABASE", 2});
}

Result<Host> parse_host(std::string_view text, uint16_t port) {
    Host host{{}, port};
    std::string_view rest;
    if (starts_with(text, "[")) {
        const size_t close = text.find(']');
        if (close == std::string_view::npos) return wrong("has an IPv6 address without its ]");
        host.name = text.substr(1, close - 1);
        rest = text.substr(close + 1);
    } else {
        const size_t colon = std::min(text.find(':'), text.size());
        host.name = text.substr(0, colon);
        rest = text.substr(colon);
    }
    if (!is_host(host.name)) return wrong(fmt::format("names no host in \"{}\"", text));
    if (!rest.empty() && (rest[0] != ':' || !read_number<uint16_t>(rest.substr(1), 1, UINT16_MAX, host.port)))
        return wrong(fmt::format("has no port from 1 to 65535 after the host in \"{}\"", text));
    return host;
}

Status set_option(Address& address, std::string_view option) {
    const size_t equals = option.find('=');
    const std::string_view key = option.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
    if (key == "cluster") {
        if (!is_name(value)) return wrong("has a cluster whose name is not of letters, digits and _");
        address.cluster = value;
    } else if (key == "timeout") {
        if (!read_number(value, 1, kLongestTimeout, address.timeout_s))
            return wrong("has a timeout that is not 1 to 3600 seconds");
    } else if (key == "user" || key == "password") {
        return wrong(
            "has a user or a password, which others can see there: give OPSIGHT_CLICKHOUSE_USER and "
            "OPSIGHT_CLICKHOUSE_PASSWORD in the environment, or a file");
    } else {
        return wrong(fmt::format("has an option \"{}\"; there are cluster and timeout", key));
    }
    return {};
}

}  // namespace

std::string Host::text() const {
    const bool ip6 = name.find(':') != std::string::npos;
    return ip6 ? fmt::format("[{}]:{}", name, port) : fmt::format("{}:{}", name, port);
}

std::string Address::text() const {
    std::string out(tls ? kTls : kPlain);
    for (const Host& host : hosts)
        out += (&host == &hosts.front() ? "" : ",") + host.text();
    return out + "/" + database;
}

bool is_address(std::string_view text) {
    return starts_with(text, kPlain) || starts_with(text, kTls);
}

Result<Address> parse_address(std::string_view text) {
    Address out;
    out.tls = starts_with(text, kTls);
    if (!is_address(text)) return wrong("does not begin with clickhouse:// or clickhouse+tls://");
    text.remove_prefix(out.tls ? kTls.size() : kPlain.size());
    // Before anything of it is repeated in a message.
    if (text.find('@') != std::string_view::npos)
        return wrong(
            "has a user or a password before an @, which others can see there: give OPSIGHT_CLICKHOUSE_USER "
            "and OPSIGHT_CLICKHOUSE_PASSWORD in the environment, or a file");
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos) return wrong("ends before the /DATABASE");
    std::string_view hosts = text.substr(0, slash), rest = text.substr(slash + 1);
    const size_t question = std::min(rest.find('?'), rest.size());
    out.database = rest.substr(0, question);
    if (!is_name(out.database)) return wrong("has a database whose name is not of letters, digits and _");
    for (std::string_view options = rest.substr(question); !options.empty();) {
        options.remove_prefix(1);
        const size_t end = std::min(options.find('&'), options.size());
        OPSIGHT_TRY(set_option(out, options.substr(0, end)));
        options.remove_prefix(end);
    }
    for (size_t from = 0; from <= hosts.size();) {
        const size_t comma = std::min(hosts.find(',', from), hosts.size());
        OPSIGHT_ASSIGN(Host host, parse_host(hosts.substr(from, comma - from), out.tls ? 8443 : 8123));
        out.hosts.push_back(std::move(host));
        from = comma + 1;
        if (out.hosts.size() > kMostHosts) return wrong("has more than 256 hosts");
    }
    return out;
}

}  // namespace opsight::fleet::clickhouse
