// HTTP/1.1 on one address: reads requests within bounds, lets a few threads answer them, and ends cleanly at
// Ctrl-C. One thread moves all bytes, so a slow client holds a buffer but no worker. http_server.cpp is the
// only file that knows the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/http.h"

namespace opsight::server {

struct HttpLimits {
    size_t header_bytes = 16 * 1024;  // with the request line
    size_t body_bytes = 64 * 1024;
    size_t connections = 128;  // then those that have sent no request are closed for new ones
    size_t downloads = 4;      // answers of any size that are sent at a time
    size_t workers = 32;       // most of them wait for a session
    int read_seconds = 30;     // for a whole request; an idle connection ends after it too
    int write_seconds = 60;    // for one part of an answer
};

// A socket that listens. Whoever connects waits there until somebody serves; a fork has it, too.
class Listener {
  public:
    // Takes the first free port of `port`, `port` + 1, ... `port` + `more_ports`; 0 is any free one.
    static Result<Listener> open(const std::string& address, uint16_t port, uint16_t more_ports);
    Listener(Listener&& other) noexcept
        : socket_(std::exchange(other.socket_, -1)), port_(other.port_), ip6_(other.ip6_) {}
    Listener& operator=(Listener&&) = delete;
    ~Listener();

  private:
    friend class HttpServer;
    Listener(int socket, uint16_t port, bool ip6) : socket_(socket), port_(port), ip6_(ip6) {}
    int socket_;
    uint16_t port_;
    bool ip6_;
};

class HttpServer {
  public:
    using Handler = std::function<Response(const Request&)>;

    static HttpServer on(Listener listener, const HttpLimits& limits = {});
    HttpServer(HttpServer&&) noexcept;
    HttpServer& operator=(HttpServer&&) noexcept;
    ~HttpServer();

    uint16_t port() const;
    // Serves until SIGINT or SIGTERM, or until stop() is called. `on_stop` is called before waiting for what
    // is being answered.
    void serve(Handler handler, const std::function<void()>& on_stop);
    void stop();  // from any thread

  private:
    struct State;
    explicit HttpServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace opsight::server
