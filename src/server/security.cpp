#include "server/security.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace opsight::server {
namespace {

constexpr size_t kSecretBytes = 32;

Result<std::string> random_text(size_t bytes) {
    std::string raw(bytes, '\0');
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = ::getrandom(raw.data() + done, bytes - done, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail("the system gives no random numbers");
        done += static_cast<size_t>(got);
    }
    std::string text;
    for (const char c : raw)
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

// Takes as long wherever the difference lies.
bool same_secret(std::string_view given, std::string_view wanted) {
    if (given.size() != wanted.size()) return false;
    unsigned char different = 0;
    for (size_t i = 0; i < given.size(); ++i)
        different = static_cast<unsigned char>(different | (given[i] ^ wanted[i]));
    return different == 0;
}

// "host:port" without its port; "[::1]:8000" is "::1".
std::string_view host_name(std::string_view host) {
    if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
    return host.substr(0, host.find(':'));
}

bool is_ip_address(const std::string& text) {
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    return ::inet_pton(AF_INET, text.c_str(), ignored.data()) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), ignored.data()) == 1;
}

bool is_loopback(const std::string& address) {
    return address == "localhost" || address == "::1" ||
           (address.starts_with("127.") && is_ip_address(address));
}

std::string_view cookie_of(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        std::string_view part = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(part.size() + 1, header.size()));
        while (part.starts_with(' '))
            part.remove_prefix(1);
        if (part.starts_with(name) && part.substr(name.size()).starts_with('='))
            return part.substr(name.size() + 1);
    }
    return {};
}

// What a page of another site cannot do: read an answer, or make a request that changes something.
bool from_elsewhere(const Request& request) {
    const std::string_view origin = request.header("origin"), site = request.header("sec-fetch-site");
    if (!origin.empty() && origin != fmt::format("http://{}", request.header("host"))) return true;
    return site == "cross-site" || site == "same-site";
}

// A navigation by a link that stands elsewhere (a mail, a chat) only shows the page; all else is refused.
bool is_navigation(const Request& request) {
    return request.method == "GET" && request.header("sec-fetch-mode") == "navigate" &&
           request.header("sec-fetch-dest") == "document";
}

Response page(int status, const std::string& heading, const std::string& text) {
    Response response;
    response.status = status;
    response.type = "text/html; charset=utf-8";
    response.body = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Opsight</title></head>\n"
        "<body><h1>{}</h1><p>{}</p></body></html>\n",
        heading, text);
    return response;
}

bool is_api(const Request& request) {
    return request.path.starts_with("/api/");
}

}  // namespace

Result<Guard> Guard::make(const std::string& address) {
    Guard guard;
    guard.address_ = address;
    guard.loopback_ = is_loopback(address);
    OPSIGHT_ASSIGN(guard.token_, random_text(kSecretBytes));
    OPSIGHT_ASSIGN(guard.cookie_, random_text(kSecretBytes));
    OPSIGHT_ASSIGN(const std::string own, random_text(4));
    guard.cookie_name_ = "opsight-" + own;
    return guard;
}

bool Guard::names_us(std::string_view host) const {
    const std::string name(host_name(host));
    if (is_loopback(name)) return true;
    if (loopback_) return false;
    if (name == address_ || is_ip_address(name)) return true;
    std::array<char, 256> own{};
    return ::gethostname(own.data(), own.size() - 1) == 0 && name == own.data();
}

bool Guard::has_secret(const Request& request) const {
    if (same_secret(cookie_of(request.header("cookie"), cookie_name_), cookie_)) return true;
    constexpr std::string_view kBearer = "Bearer ";
    const std::string_view given = request.header("authorization");
    return given.starts_with(kBearer) && same_secret(given.substr(kBearer.size()), token_);
}

std::optional<Response> Guard::take_token(const Request& request) const {
    if (request.path != "/" || request.method != "GET") return std::nullopt;
    for (const auto& [name, value] : request.query) {
        if (name != "token" || !same_secret(value, token_)) continue;
        Response response = page(303, "Opsight", "The page is at <a href=\"/\">/</a>.");
        response.headers.emplace_back("Location", "/");
        response.headers.emplace_back(
            "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name_, cookie_));
        return response;
    }
    return std::nullopt;
}

std::optional<Response> Guard::refuse(const Request& request) const {
    if (!names_us(request.header("host")))
        return to_response({403, "forbidden", "the server does not answer to this host name",
                            "use localhost or the address that it listens on"});
    if (from_elsewhere(request) && !is_navigation(request))
        return to_response({403, "forbidden", "the request comes from a page of another site", ""});
    if (auto traded = take_token(request)) return traded;
    if (!has_secret(request)) {
        const char* how = "open the URL with the token that 'opsight view' printed first";
        if (is_api(request)) return to_response({401, "unauthorized", "the token is missing or wrong", how});
        return page(401, "No access",
                    "Please open the URL with the token that <code>opsight view</code> printed.");
    }
    // A form of another site cannot send this type.
    if (!request.body.empty() && !request.header("content-type").starts_with("application/json"))
        return to_response(
            {415, "bad_request", "a body must be JSON", "send Content-Type: application/json"});
    return std::nullopt;
}

void Guard::protect(Response& response) {
    const std::pair<const char*, const char*> headers[] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src "
         "'self'; "
         "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
         "'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    for (const auto& [name, value] : headers)
        response.headers.emplace_back(name, value);
    for (const auto& [name, value] : response.headers)
        if (name == "Cache-Control") return;
    response.headers.emplace_back("Cache-Control", "no-store");
}

}  // namespace opsight::server
