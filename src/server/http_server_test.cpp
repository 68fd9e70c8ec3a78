#include "server/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace opsight::server {
namespace {

// A server on a free port that says what it was asked; "/parts" answers in three parts, "/broken" fails in
// the second, "/wait" takes a while, "/until-gone" until its client has gone.
class HttpServerTest : public ::testing::Test {
  protected:
    void SetUp() override {
        HttpLimits limits;
        limits.read_seconds = 1;
        limits.connections = 8;
        limits.workers = 2;
        auto listener = Listener::open("127.0.0.1", 0, 0);
        ASSERT_TRUE(listener.has_value()) << listener.error().message();
        server_.emplace(HttpServer::on(std::move(*listener), limits));
        thread_ = std::thread(
            [this] { server_->serve([this](const Request& request) { return answer(request); }, [] {}); });
    }
    void TearDown() override {
        server_->stop();
        thread_.join();
    }

    Response answer(const Request& request) {
        ++asked_;
        Response response;
        response.body = request.method + " " + request.path + " " + request.body;
        if (request.path == "/wait") std::this_thread::sleep_for(std::chrono::milliseconds(200));
        if (request.path == "/until-gone") {
            const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (!request.cancellation->cancelled() && std::chrono::steady_clock::now() < patience)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (request.cancellation->cancelled()) ++gone_;
        }
        if (request.path == "/no-memory") throw std::bad_alloc();
        if (request.path == "/throw") throw std::out_of_range("map::at");
        if (request.path == "/no-status") response.status = 1000;  // throws where it is sent
        if (request.path == "/throw-later")
            response.more = []() -> Result<std::string> { throw std::out_of_range("map::at"); };
        if (request.path == "/endless")
            response.more = []() -> Result<std::string> { return std::string(1 << 20, 'x'); };
        if (request.path == "/parts" || request.path == "/broken")
            response.more = [at = 0, broken = request.path == "/broken"]() mutable -> Result<std::string> {
                if (broken && at == 1) return fail("broken");
                return ++at <= 3 ? std::string(1000, static_cast<char>('0' + at)) : std::string();
            };
        return response;
    }

    int connect() const {
        const int client = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(server_->port());
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&place), sizeof(place)), 0);
        return client;
    }
    static void send(int client, const std::string& text) {
        EXPECT_EQ(::send(client, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    }
    // All that comes until the server closes.
    static std::string read_all(int client) {
        std::string text;
        char part[4096];
        for (ssize_t got = 0; (got = ::recv(client, part, sizeof(part), 0)) > 0;)
            text.append(part, static_cast<size_t>(got));
        ::close(client);
        return text;
    }
    std::string ask(const std::string& text) const {
        const int client = connect();
        send(client, text);
        return read_all(client);
    }

    std::optional<HttpServer> server_;
    std::thread thread_;
    std::atomic<int> asked_ = 0, gone_ = 0;
};

constexpr const char* kClose = "Host: x\r\nConnection: close\r\n\r\n";

TEST_F(HttpServerTest, AnswersSeveralRequestsOfOneConnection) {
    const std::string text =
        ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
            "\r\nxyzGET /c HTTP/1.1\r\n" +
            std::string(kClose));
    const size_t a = text.find("GET /a "), b = text.find("POST /b xyz"), c = text.find("GET /c ");
    EXPECT_LT(a, b);
    EXPECT_LT(b, c);
    EXPECT_NE(c, std::string::npos);
    EXPECT_EQ(asked_, 3);
}

TEST_F(HttpServerTest, SendsPartsAsChunks) {
    const std::string text = ask("GET /parts HTTP/1.1\r\n" + std::string(kClose));
    EXPECT_NE(text.find("Transfer-Encoding: chunked"), std::string::npos);
    for (const char digit : {'1', '2', '3'})
        EXPECT_NE(text.find("3e8\r\n" + std::string(1000, digit) + "\r\n"), std::string::npos) << digit;
    EXPECT_TRUE(text.ends_with("0\r\n\r\n"));
}

TEST_F(HttpServerTest, SendsPartsPlainToOldClients) {
    const std::string text = ask("GET /parts HTTP/1.0\r\n\r\n");
    EXPECT_EQ(text.find("chunked"), std::string::npos);
    EXPECT_TRUE(text.ends_with(std::string(1000, '2') + std::string(1000, '3')));
}

TEST_F(HttpServerTest, ABrokenDownloadHasNoEnd) {
    const std::string text = ask("GET /broken HTTP/1.1\r\n" + std::string(kClose));
    EXPECT_NE(text.find(std::string(1000, '1')), std::string::npos);
    EXPECT_FALSE(text.ends_with("0\r\n\r\n"));
}

TEST_F(HttpServerTest, HeadHasNoBody) {
    const std::string text = ask("HEAD /parts HTTP/1.1\r\n" + std::string(kClose));
    EXPECT_TRUE(text.ends_with("\r\n\r\n"));
    EXPECT_EQ(text.find("111"), std::string::npos);
}

TEST_F(HttpServerTest, RefusesWhatIsTooLongOrNoHttp) {
    EXPECT_EQ(ask("nonsense\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
    EXPECT_EQ(ask("GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n" + kClose).substr(0, 12),
              "HTTP/1.1 431");
    EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n").substr(0, 12),
              "HTTP/1.1 413");
    EXPECT_EQ(ask("GET /%zz HTTP/1.1\r\n" + std::string(kClose)).substr(0, 12), "HTTP/1.1 400");
    EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, WhatThrowsIsAnAnswerAndTheServerGoesOn) {
    for (const char* path : {"/no-memory", "/throw"})
        EXPECT_EQ(ask("GET " + std::string(path) + " HTTP/1.1\r\n" + kClose).substr(0, 12), "HTTP/1.1 500")
            << path;
    EXPECT_FALSE(ask("GET /throw-later HTTP/1.1\r\n" + std::string(kClose)).ends_with("0\r\n\r\n"));
    EXPECT_EQ(ask("GET /no-status HTTP/1.1\r\n" + std::string(kClose)), "");
    EXPECT_EQ(ask("GET /a HTTP/1.1\r\n" + std::string(kClose)).substr(0, 12), "HTTP/1.1 200");
}

// Neither extensions of chunks nor trailers have a limit of their own.
TEST_F(HttpServerTest, TakesNoBodyInChunks) {
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string& body : {std::string("3\r\nabc\r\n0\r\n\r\n"), "1;" + std::string(100'000, 'e'),
                                    "0\r\na: " + std::string(100'000, 't')})
        EXPECT_EQ(ask(head + body).substr(0, 12), "HTTP/1.1 411");
    EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, ConnectionsThatSendNothingGiveWay) {
    std::vector<int> idle;
    for (int i = 0; i < 8; ++i) {
        idle.push_back(connect());
        send(idle.back(), i % 2 ? "GET /half HTTP/1.1\r\n" : "");
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(ask("GET /a HTTP/1.1\r\n" + std::string(kClose)).substr(0, 12), "HTTP/1.1 200");
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::milliseconds(900));  // they would end by then
    for (const int client : idle)
        ::close(client);
}

TEST_F(HttpServerTest, DownloadsThatNobodyReadsLeaveRoomForOthers) {
    std::vector<int> unread;
    for (int i = 0; i < 4; ++i) {
        unread.push_back(connect());
        send(unread.back(), "GET /endless HTTP/1.1\r\n" + std::string(kClose));
        char first = 0;
        EXPECT_EQ(::recv(unread.back(), &first, 1, 0), 1);
    }
    EXPECT_EQ(ask("GET /parts HTTP/1.1\r\n" + std::string(kClose)).substr(0, 12), "HTTP/1.1 503");
    EXPECT_EQ(ask("GET /a HTTP/1.1\r\n" + std::string(kClose)).substr(0, 12), "HTTP/1.1 200");
    for (const int client : unread)
        ::close(client);
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string answer;
    while (!answer.starts_with("HTTP/1.1 200") && std::chrono::steady_clock::now() < patience)
        answer = ask("GET /parts HTTP/1.1\r\n" + std::string(kClose));
    EXPECT_TRUE(answer.ends_with("0\r\n\r\n"));
}

TEST_F(HttpServerTest, EndsConnectionsThatSayNothing) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(ask("GET / HT"), "");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(HttpServerTest, MoreConnectionsWaitForAPlace) {
    std::vector<int> silent;
    for (int i = 0; i < 12; ++i)
        silent.push_back(connect());
    EXPECT_NE(ask("GET /late HTTP/1.1\r\n" + std::string(kClose)).find("GET /late"), std::string::npos);
    for (const int client : silent)
        ::close(client);
}

TEST_F(HttpServerTest, ClientsMayLeaveAtAnyTime) {
    for (const char* path : {"/wait", "/parts", "/a"}) {
        for (int i = 0; i < 5; ++i) {
            const int client = connect();
            send(client, std::string("GET ") + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
            ::close(client);
        }
    }
    EXPECT_NE(ask("GET /a HTTP/1.1\r\n" + std::string(kClose)).find("GET /a"), std::string::npos);
}

TEST_F(HttpServerTest, WorkEndsWhenItsClientLeaves) {
    for (int i = 0; i < 4; ++i) {  // twice as many as there are workers
        const int client = connect();
        send(client, "GET /until-gone HTTP/1.1\r\nHost: x\r\n\r\n");
        while (asked_ <= i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ::close(client);
    }
    EXPECT_NE(ask("GET /a HTTP/1.1\r\n" + std::string(kClose)).find("GET /a"), std::string::npos);
    for (int waited = 0; waited < 5000 && gone_ < 4; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(gone_, 4);
}

TEST_F(HttpServerTest, WhoSendsTheNextRequestIsStillThere) {
    const int client = connect();
    send(client, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    send(client, "GET /b HTTP/1.1\r\n" + std::string(kClose));
    const std::string text = read_all(client);
    EXPECT_LT(text.find("GET /wait"), text.find("GET /b"));
    EXPECT_NE(text.find("GET /b"), std::string::npos);
}

TEST_F(HttpServerTest, StopsWhileAnswering) {
    const int client = connect();
    send(client, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server_->stop();
    EXPECT_EQ(read_all(client), "");
}

TEST(HttpServer, TakesTheNextFreePort) {
    auto first = Listener::open("127.0.0.1", 0, 0);
    ASSERT_TRUE(first.has_value());
    const uint16_t port = HttpServer::on(std::move(*first)).port();
    EXPECT_GT(port, 0);
    auto again = Listener::open("127.0.0.1", port, 0);
    ASSERT_TRUE(again.has_value()) << "the server has let go of it: " << again.error().message();
    const auto taken = Listener::open("127.0.0.1", port, 0);
    ASSERT_FALSE(taken.has_value());
    EXPECT_NE(taken.error().remedy.find("-p"), std::string::npos);
    auto next = Listener::open("127.0.0.1", port, 50);
    ASSERT_TRUE(next.has_value());
    EXPECT_GT(HttpServer::on(std::move(*next)).port(), port);
    EXPECT_EQ(Listener::open("no address", 0, 0).error().exit_code, 2);
}

}  // namespace
}  // namespace opsight::server
