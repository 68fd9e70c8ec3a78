#include "server/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <list>
#include <optional>
#include <set>
#include <thread>

namespace opsight::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using net::ip::tcp;
using Code = boost::system::error_code;

class Connection;

constexpr size_t kReadAhead = 64 * 1024;  // of the requests that follow

// What the connections share. All but `workers` is used by the thread that runs `io`.
struct Hub {
    HttpLimits limits;
    HttpServer::Handler handler;
    std::set<Connection*> open;
    std::list<Connection*> reading;  // those that have not sent a whole request, the longest waiting first
    size_t downloads = 0;            // answers that are sent part by part
    std::function<void()> on_room;   // there is room for another connection, or may be made
    bool stopping = false;
    // What waits in these may hold the last of a connection, which asks for all the above when it goes.
    net::io_context io{1};
    std::optional<net::thread_pool> workers;
};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Hub& hub, tcp::socket socket) : hub_(hub), stream_(std::move(socket)) {
        hub_.open.insert(this);
    }
    ~Connection() {
        no_longer_reading();
        end_download();
        hub_.open.erase(this);
        if (hub_.on_room) hub_.on_room();
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void read() {
        if (hub_.stopping) return close();
        parser_.emplace();
        parser_->header_limit(static_cast<uint32_t>(hub_.limits.header_bytes));
        parser_->body_limit(hub_.limits.body_bytes);
        stream_.expires_after(std::chrono::seconds(hub_.limits.read_seconds));
        place_ = hub_.reading.insert(hub_.reading.end(), this);
        http::async_read_header(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](Code problem, size_t) { self->on_header(problem); });
        if (hub_.on_room) hub_.on_room();
    }

    void close() {
        no_longer_reading();
        Code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.close();
    }

  private:
    // Extensions and trailers of chunks have no limit, and the page sends none.
    void on_header(Code problem) {
        if (problem) return on_read(problem);
        if (parser_->chunked())
            return refuse(
                {411, "bad_request", "the body is sent in chunks", "send it with its Content-Length"});
        http::async_read(stream_, buffer_, *parser_,
                         [self = shared_from_this()](Code failed, size_t) { self->on_read(failed); });
    }

    void on_read(Code problem) {
        no_longer_reading();
        if (problem == http::error::header_limit)
            return refuse(
                {431, "too_large", "the request line and headers are too long", "ask for less at once"});
        if (problem == http::error::body_limit)
            return refuse({413, "too_large", "the body is too long", "send less at once"});
        if (problem && problem.category() == make_error_code(http::error::bad_method).category() &&
            problem != http::error::end_of_stream && problem != http::error::partial_message)
            return refuse({400, "bad_request", "this is not an HTTP request", ""});
        if (problem) return close();
        keep_alive_ = parser_->get().keep_alive();
        version_ = parser_->get().version();
        head_only_ = parser_->get().method() == http::verb::head;
        auto request = std::make_shared<Request>();
        if (Status fine = take_request(*request); !fine)
            return refuse({400, "bad_request", fine.error().what, "give a URL as the page makes them"});
        stream_.expires_never();
        token_ = request->cancellation;
        watch();
        beside([this, request] { answer_ = answer_of(hub_.handler, *request); },
               [this] { answer_ ? answer(std::move(*answer_)) : close(); });
    }

    // Whatever goes wrong with one request, the others are answered.
    static Response answer_of(const HttpServer::Handler& handler, const Request& request) {
        try {
            return handler(request);
        } catch (...) {
            return to_response(problem_thrown());
        }
    }

    // Runs `work` on a worker, and then `then` on the thread of the connections, which alone may let go of
    // one: meanwhile this one holds itself. What `work` throws is lost: it leaves nothing made.
    void beside(std::function<void()> work, std::function<void()> then) {
        answer_.reset();
        part_.reset();
        work_ = std::move(work);
        then_ = std::move(then);
        held_ = shared_from_this();
        try {
            net::post(*hub_.workers, [this] { work_and_hand_back(); });
        } catch (...) {
            held_ = nullptr;
            throw;
        }
    }

    void work_and_hand_back() noexcept {
        try {
            work_();
        } catch (...) {  // not even memory for saying so
        }
        for (;;)
            try {
                return net::post(hub_.io, [this] {
                    const std::shared_ptr<Connection> self = std::move(held_);
                    work_ = nullptr;
                    std::exchange(then_, nullptr)();
                });
            } catch (...) {  // tried until there is memory
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
    }

    void no_longer_reading() {
        if (place_) hub_.reading.erase(*place_);
        place_.reset();
    }
    void end_download() {
        if (std::exchange(downloading_, false)) --hub_.downloads;
    }

    // While an answer is worked out nothing is read, so that the client went away shows only here. What it
    // sends meanwhile waits; from then on its going is not seen.
    void watch() {
        stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](Code problem) {
            if (problem || !self->token_) return;
            char next = 0;
            Code ignored;
            self->stream_.socket().non_blocking(true, ignored);
            self->stream_.socket().receive(net::buffer(&next, 1), tcp::socket::message_peek, problem);
            if (problem && problem != net::error::would_block) self->leave();
        });
    }

    void leave() {
        if (!token_) return;  // the answer is there
        token_->cancel();
        leave_again_.expires_after(std::chrono::milliseconds(20));
        leave_again_.async_wait([self = shared_from_this()](Code problem) {
            if (!problem) self->leave();
        });
    }

    Status take_request(Request& request) {
        auto message = parser_->release();
        request.method = std::string(message.method_string());
        for (const auto& field : message) {
            std::string name(field.name_string());
            for (char& c : name)
                c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            if (!request.headers.emplace(name, std::string(field.value())).second &&
                (name == "host" || name == "origin"))
                return fail("a header is there twice");
        }
        request.body = std::move(message.body());
        const auto target = message.target();
        if (target.empty() || target.front() != '/') return fail("the URL does not begin with /");
        return parse_target({target.data(), target.size()}, request);
    }

    // Answers what cannot be read on from.
    void refuse(const Problem& problem) {
        keep_alive_ = false;
        answer(to_response(problem));
    }

    void answer(Response response) {
        token_ = nullptr;
        Code ignored;
        stream_.socket().cancel(ignored);  // no longer watched
        leave_again_.cancel();
        if (hub_.stopping) return close();
        no_longer_reading();
        if (response.more && hub_.downloads >= hub_.limits.downloads)  // each holds what others wait for
            response = to_response({503, "busy", "too many downloads go on at the same time",
                                    "try again when one of them has ended"});
        if (response.more) ++hub_.downloads;
        downloading_ = static_cast<bool>(response.more);
        head_.emplace();
        head_->version(version_);
        head_->result(static_cast<unsigned>(response.status));
        const bool bare = response.status == 204 || response.status == 304;  // never with a body
        if (!bare) head_->set(http::field::content_type, response.type);
        for (const auto& [name, value] : response.headers)
            head_->set(name, value);
        more_ = std::move(response.more);
        const bool chunked = more_ && version_ >= 11;
        if (more_ && !chunked) keep_alive_ = false;
        head_->keep_alive(keep_alive_);
        body_ = std::move(response.body);
        if (chunked)
            head_->chunked(true);
        else if (!more_ && !bare)
            head_->content_length(body_.size());
        if (head_only_) {
            body_.clear();
            more_ = nullptr;
        }
        chunked_ = chunked;
        write_head();
    }

    void write_head() {
        stream_.expires_after(std::chrono::seconds(hub_.limits.write_seconds));
        serializer_.emplace(*head_);
        http::async_write_header(stream_, *serializer_, [self = shared_from_this()](Code problem, size_t) {
            if (problem) return self->close();
            self->more_ ? self->next_part() : self->write_body();
        });
    }

    void write_body() {
        if (body_.empty()) return done();
        net::async_write(stream_, net::buffer(body_), [self = shared_from_this()](Code problem, size_t) {
            problem ? self->close() : self->done();
        });
    }

    // A worker makes the next part while nothing is being sent; one that fails ends the connection without
    // the last chunk, so that the client sees that something is missing.
    void next_part() {
        stream_.expires_never();
        beside([this] { part_ = next_of(more_); },
               [this] {
                   if (!part_ || !*part_ || hub_.stopping) return close();
                   body_ = std::move(**part_);
                   write_part();
               });
    }

    static Result<std::string> next_of(const std::function<Result<std::string>()>& more) {
        try {
            return more();
        } catch (...) {
            return fail(problem_thrown().message);
        }
    }

    void write_part() {
        stream_.expires_after(std::chrono::seconds(hub_.limits.write_seconds));
        const bool last = body_.empty();
        if (last && !chunked_) return done();
        auto sent = [self = shared_from_this(), last](Code problem, size_t) {
            if (problem) return self->close();
            last ? self->done() : self->next_part();
        };
        if (last)
            net::async_write(stream_, http::make_chunk_last(), sent);
        else if (chunked_)
            net::async_write(stream_, http::make_chunk(net::buffer(body_)), sent);
        else
            net::async_write(stream_, net::buffer(body_), sent);
    }

    void done() {
        more_ = nullptr;  // gives back what it holds
        end_download();
        keep_alive_ ? read() : drain();
    }

    // Closing while the client still sends would take the answer away from it, so what comes is thrown away.
    void drain() {
        Code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        if (!draining_) stream_.expires_after(std::chrono::seconds(2));
        draining_ = true;
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(16 * 1024),
                                [self = shared_from_this()](Code problem, size_t) {
                                    problem || self->hub_.stopping ? self->close() : self->drain();
                                });
    }

    Hub& hub_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{hub_.limits.header_bytes + hub_.limits.body_bytes + kReadAhead};
    std::optional<http::request_parser<http::string_body>> parser_;
    std::optional<http::response<http::empty_body>> head_;
    std::optional<http::response_serializer<http::empty_body>> serializer_;
    std::string body_;
    std::function<Result<std::string>()> more_;
    std::shared_ptr<CancellationToken> token_;  // while its answer is worked out
    // While a worker has it: what it does and what comes then, and what it made.
    std::shared_ptr<Connection> held_;
    std::function<void()> work_, then_;
    std::optional<Response> answer_;
    std::optional<Result<std::string>> part_;
    net::steady_timer leave_again_{hub_.io};
    unsigned version_ = 11;
    std::optional<std::list<Connection*>::iterator> place_;  // in hub_.reading
    bool downloading_ = false;
    bool keep_alive_ = true, head_only_ = false, chunked_ = false, draining_ = false;
};

// A program that is started meanwhile (a browser) must not keep the port open after our end.
void close_on_exec(int socket) {
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

Error cannot_listen(const std::string& address, uint16_t port, const Code& problem) {
    return {fmt::format("cannot listen on {}, port {}: {}", address, port, problem.message()),
            {},
            {},
            problem == net::error::address_in_use ? "choose another port with -p"
                                                  : "choose another address with -b"};
}

}  // namespace

struct HttpServer::State {
    Hub hub;
    tcp::acceptor acceptor{hub.io};
    uint16_t port = 0;
    net::signal_set signals{hub.io};  // that end it: from the moment on at which others can know that it runs
    bool accepting = false;
    std::chrono::steady_clock::time_point try_again;  // where others cannot be let in, though there is room

    // Where there is no room, one that has sent no request yet makes some: else a few that send nothing would
    // keep all others out.
    bool has_room() const { return hub.open.size() < hub.limits.connections || !hub.reading.empty(); }

    void accept() {
        try {
            accept_next();
        } catch (const std::exception&) {  // no memory
            wait_a_little();
        }
    }
    void wait_a_little() {
        accepting = false;
        try_again = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    }

    // One step of the connections. What throws ends the connection whose step it was, and no other.
    void run_one() {
        try {
            if (accepting || hub.stopping || !has_room()) {
                hub.io.run_one();
            } else {
                hub.io.run_one_until(try_again);
                if (std::chrono::steady_clock::now() >= try_again) accept();
            }
        } catch (const std::exception&) {
            accept();
        }
    }

    void accept_next() {
        if (accepting || hub.stopping || !has_room()) return;
        accepting = true;
        acceptor.async_accept([this](Code problem, tcp::socket socket) {
            if (problem) return wait_a_little();  // out of file descriptors, perhaps
            accepting = false;
            if (hub.stopping) return;  // one that came in the last moment goes unread
            close_on_exec(socket.native_handle());
            if (hub.open.size() >= hub.limits.connections && !hub.reading.empty())
                hub.reading.front()->close();
            Code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            std::make_shared<Connection>(hub, std::move(socket))->read();
            accept();
        });
    }

    void stop() {
        hub.stopping = true;
        hub.on_room = nullptr;
        Code ignored;
        acceptor.close(ignored);
        for (Connection* connection : std::set<Connection*>(hub.open))
            connection->close();
    }
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer& HttpServer::operator=(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Listener::~Listener() {
    if (socket_ >= 0) ::close(socket_);
}

Result<Listener> Listener::open(const std::string& address, uint16_t port, uint16_t more_ports) {
    Code problem;
    const net::ip::address ip =
        net::ip::make_address(address == "localhost" ? std::string("127.0.0.1") : address, problem);
    if (problem)
        return fail(Error{
            fmt::format("'{}' is not an IP address", address), {}, {}, "give one such as 127.0.0.1", 2});
    net::io_context io;
    for (uint32_t tried = 0; tried <= more_ports; ++tried) {
        const uint32_t wanted = port + tried;
        if (wanted > UINT16_MAX) break;
        const tcp::endpoint place(ip, static_cast<uint16_t>(wanted));
        tcp::acceptor acceptor(io);
        acceptor.open(place.protocol(), problem);
        if (!problem) close_on_exec(acceptor.native_handle());
        if (!problem) acceptor.set_option(net::socket_base::reuse_address(true), problem);
        if (!problem) acceptor.bind(place, problem);
        if (!problem) acceptor.listen(net::socket_base::max_listen_connections, problem);
        if (!problem) {
            const uint16_t taken = acceptor.local_endpoint(problem).port();
            return Listener(acceptor.release(problem), taken, ip.is_v6());
        }
        if (problem != net::error::address_in_use) break;
    }
    return fail(cannot_listen(address, port, problem));
}

HttpServer HttpServer::on(Listener listener, const HttpLimits& limits) {
    auto state = std::make_unique<State>();
    state->hub.limits = limits;
    state->port = listener.port_;
    state->acceptor.assign(listener.ip6_ ? tcp::v6() : tcp::v4(), std::exchange(listener.socket_, -1));
    Code ignored;
    for (const int signal : {SIGINT, SIGTERM})
        state->signals.add(signal, ignored);
    return HttpServer(std::move(state));
}

uint16_t HttpServer::port() const {
    return state_->port;
}

void HttpServer::serve(Handler handler, const std::function<void()>& on_stop) {
    Hub& hub = state_->hub;
    hub.handler = std::move(handler);
    hub.workers.emplace(hub.limits.workers);
    hub.on_room = [state = state_.get()] { state->accept(); };
    net::signal_set& signals = state_->signals;
    signals.async_wait([this](Code problem, int) {
        if (!problem) state_->stop();
    });
    state_->accept();
    while (!hub.stopping)
        state_->run_one();
    signals.clear();  // a second Ctrl-C does not wait for what is being answered
    on_stop();
    hub.workers->join();
    signals.cancel();
    hub.io.restart();
    while (!hub.io.stopped())
        state_->run_one();  // lets go of the connections
}

void HttpServer::stop() {
    net::post(state_->hub.io, [state = state_.get()] { state->stop(); });
}

}  // namespace opsight::server
