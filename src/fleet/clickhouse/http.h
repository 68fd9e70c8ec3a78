// HTTP to one host at a time, with bounds on time and size. http.cpp is the only file that knows libcurl.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fleet/clickhouse/address.h"

namespace opsight::fleet::clickhouse {

struct HttpReply {
    bool arrived = false;  // else `body` says why, in libcurl's words
    int status = 0;
    std::string body;
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

// From any thread. Connections are kept and used again.
class HttpClient {
  public:
    static constexpr size_t kLargestReply = size_t{512} * 1024 * 1024;

    static Result<HttpClient> make(const Address& address, const Credentials& credentials);
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;
    ~HttpClient();

    // Ends after `silence_s` without a byte; connecting takes two seconds at most.
    HttpReply post(const Host& host, const Parameters& parameters, std::string_view body,
                   int silence_s) const;

  private:
    struct State;
    explicit HttpClient(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace opsight::fleet::clickhouse
