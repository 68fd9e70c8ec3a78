// Who may ask: whoever has the token (in the first URL, or as a bearer) or the cookie that it is traded for,
// through a page of our own. Names of other hosts are refused, so that no page of the web reaches the server
// by a name that it points at this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/http.h"

namespace opsight::server {

class Guard {
  public:
    // `address`: what the server listens on. Cookies of one host are not parted by port, so the name of ours
    // is its own for every start.
    static Result<Guard> make(const std::string& address);
    bool loopback() const { return loopback_; }
    const std::string& token() const { return token_; }

    // What to answer instead, or nothing: the request may pass.
    std::optional<Response> refuse(const Request& request) const;
    // Puts the headers on an answer that every answer has.
    static void protect(Response& response);

  private:
    bool names_us(std::string_view host) const;
    bool has_secret(const Request& request) const;
    std::optional<Response> take_token(const Request& request) const;

    std::string address_, token_, cookie_name_, cookie_;
    bool loopback_ = true;
};

}  // namespace opsight::server
