// Requests that nobody should send: every parameter of every address with values that are none, and bytes
// that are hardly HTTP. Each gets an answer that says what is wrong with it, and the server goes on.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "base/test_files.h"
#include "query/session/test_session.h"
#include "server/profiles.h"
#include "server/router.h"
#include "server/viewer.h"

namespace opsight::server {
namespace {

analyze::TestProfile three_steps() {
    analyze::TestProfile made;
    for (int64_t i = 0; i < 3; ++i) {
        made.annotation("ProfilerStep#" + std::to_string(i), i * 1000, 900, made.thread());
        made.op("aten::mm", i * 1000 + 100, 300);
    }
    return made;
}

std::vector<std::string> hostile_values() {
    return {"",
            "NaN",
            "inf",
            "-inf",
            "-1",
            "0",
            "1e308",
            "0x10",
            " 1",
            "+1",
            "1,",
            ",",
            "1,,2",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "18446744073709551616",
            std::string(400, '9'),
            "'; DROP TABLE raw.ops; --",
            "\" OR 1=1",
            "%s%n",
            "../../etc/passwd",
            "\xe2\x82\xac",
            "\n\r\t",
            "((((",
            "[a-",
            "*",
            "\\",
            ":::",
            "calls:gt:nan",
            "calls:lt:inf",
            "calls:eq:",
            "op_name:contains:'",
            "op_name:asc:desc",
            std::string(4000, 'a')};
}

Request asking(const std::string& path) {
    Request request;
    request.method = "GET";
    request.path = path;
    return request;
}

// The address of a route, with what stands for its names.
std::string address_of(const Route& route) {
    std::string path = route.pattern;
    for (const auto& [name, value] :
         {std::pair("{id}", "0"), std::pair("{name}", "detailed"), std::pair("{aggregation}", "1")})
        if (const size_t at = path.find(name); at != std::string::npos)
            path.replace(at, std::string_view(name).size(), value);
    return path;
}

void expect_told(const Response& response, const std::string& what) {
    if (response.status == 200) return;
    EXPECT_TRUE(response.status == 400 || response.status == 404)
        << what << ": " << response.status << " " << response.body;
    const auto object = nlohmann::json::parse(response.body, nullptr, false);
    ASSERT_TRUE(object.is_object()) << what;
    EXPECT_FALSE(object["error"]["message"].get<std::string>().empty()) << what;
}

TEST(Hostile, EveryParameterOfEveryAddressMayHoldAnything) {
    const query::StoredProfile stored(three_steps());
    Profiles profiles({stored.path()}, true);
    Router router(all_routes());
    size_t refused = 0, asked = 0;
    for (const Route& route : router.routes()) {
        if (route.method != "GET") continue;
        for (const std::string& parameter : route.parameters)
            for (const std::string& value : hostile_values()) {
                ++asked;
                Request request = asking(address_of(route));
                for (const auto& [name, good] :
                     {std::pair("begin", "0"), std::pair("end", "3000"), std::pair("width", "100"),
                      std::pair("track", "0"), std::pair("q", "mm")})
                    if (parameter != name &&
                        std::count(route.parameters.begin(), route.parameters.end(), name))
                        request.query.emplace_back(name, good);
                request.query.emplace_back(parameter, value);
                const Response response = router.answer(request, profiles);
                expect_told(response, request.path + " " + parameter + "=" + value);
                refused += response.status != 200;
            }
    }
    EXPECT_GT(refused, asked / 3);
    EXPECT_EQ(router.answer(asking("/api/v1/profiles/0/summary"), profiles).status, 200);
}

TEST(Hostile, NumbersOfProfilesAndTablesMayBeAnything) {
    const query::StoredProfile stored(three_steps());
    Profiles profiles({stored.path()}, true);
    Router router(all_routes());
    for (const std::string& value : hostile_values()) {
        if (value == "0") continue;
        for (const std::string& path :
             {"/api/v1/profiles/" + value + "/info", "/api/v1/profiles/0/tables/" + value, "/" + value})
            EXPECT_EQ(router.answer(asking(path), profiles).status, 404) << path;
    }
}

// A viewer that gives whole requests one second.
class HostileBytes : public ::testing::Test {
  protected:
    void SetUp() override {
        ViewOptions options;
        options.port = 0;
        options.limits.read_seconds = 1;
        options.limits.connections = 64;
        auto made = Viewer::start({{stored_.path()}, {}, {}, {}}, options);
        ASSERT_TRUE(made.has_value()) << made.error().message();
        viewer_.emplace(std::move(*made));
        const std::string url = viewer_->url();
        port_ = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
        token_ = url.substr(url.rfind('=') + 1);
        thread_ = std::thread([this] { viewer_->serve(); });
    }
    void TearDown() override {
        viewer_->stop();
        thread_.join();
    }

    int connect() const {
        const int client = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(port_);
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&place), sizeof(place)), 0);
        return client;
    }
    static bool send(int client, std::string_view text) {
        return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    }
    std::string good() const {
        return "GET /api/v1/profiles/0/info HTTP/1.1\r\nHost: localhost\r\nCookie: a=b; c\r\nAuthorization: "
               "Bearer " +
               token_ + "\r\nConnection: close\r\n\r\n";
    }
    std::string ask(std::string_view text) const {
        const int client = connect();
        send(client, text);
        ::shutdown(client, SHUT_WR);
        std::string answer;
        char part[4096];
        for (ssize_t got = 0; (got = ::recv(client, part, sizeof(part), 0)) > 0;)
            answer.append(part, static_cast<size_t>(got));
        ::close(client);
        return answer;
    }
    bool still_answers() const {
        const int client = connect();
        send(client, good());
        char part[16] = {};
        const ssize_t got = ::recv(client, part, 12, MSG_WAITALL);
        ::close(client);
        return got == 12 && std::string_view(part, 12) == "HTTP/1.1 200";
    }

    const query::StoredProfile stored_{three_steps()};
    std::optional<Viewer> viewer_;
    std::thread thread_;
    uint16_t port_ = 0;
    std::string token_;
};

TEST_F(HostileBytes, AnyBytesAreRefusedAndTheServerGoesOn) {
    std::mt19937 chance(7);
    const std::string pieces[] = {"\r\n",
                                  "\n",
                                  "\0",
                                  ":",
                                  " ",
                                  "%",
                                  "HTTP/9.9",
                                  "Content-Length: -1\r\n",
                                  "Transfer-Encoding: chunked\r\n",
                                  "Host: evil.example\r\n",
                                  "Cookie: " + std::string(3000, ';') + "\r\n",
                                  "\xff\xfe",
                                  "GET ",
                                  "99999999999999999999"};
    for (int round = 0; round < 300; ++round) {
        std::string text = good();
        for (uint32_t changes = 1 + chance() % 4; changes > 0; --changes) {
            const size_t at = chance() % text.size();
            switch (chance() % 3) {
                case 0:
                    text[at] = static_cast<char>(chance());
                    break;
                case 1:
                    text.insert(at, pieces[chance() % std::size(pieces)]);
                    break;
                default:
                    text.erase(at, chance() % 8);
            }
            if (text.empty()) text = "x";
        }
        const std::string answer = ask(text);
        if (!answer.empty()) {
            ASSERT_TRUE(answer.starts_with("HTTP/1.")) << answer.substr(0, 100);
            EXPECT_NE(answer.substr(9, 1), "5") << text << "\n" << answer;
        }
    }
    EXPECT_TRUE(still_answers());
}

TEST_F(HostileBytes, WhoSendsByteByByteIsEnded) {
    const std::string text = "GET / HTTP/1.1\r\nX: " + std::string(1000, 'a');
    const auto begin = std::chrono::steady_clock::now();
    std::vector<int> slow;
    for (int i = 0; i < 20; ++i)
        slow.push_back(connect());
    size_t at = 0;
    bool ended = false;
    while (!ended && at < text.size()) {
        for (const int client : slow)
            send(client, text.substr(at, 1));
        ++at;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        char none = 0;
        ended = ::recv(slow[0], &none, 1, MSG_DONTWAIT) == 0;
        EXPECT_TRUE(still_answers());
    }
    EXPECT_TRUE(ended);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    for (const int client : slow)
        ::close(client);
}

TEST_F(HostileBytes, CookiesThatAreNoneGiveNoAccess) {
    for (const std::string& cookie : {std::string("="), std::string(";;;=;"), std::string("opsight-"),
                                      std::string("opsight-=") + token_, std::string(8000, 'a')}) {
        const std::string answer =
            ask("GET /api/v1/profiles HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie +
                "\r\nConnection: close\r\n\r\n");
        EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 401")) << answer.substr(0, 80);
    }
}

}  // namespace
}  // namespace opsight::server
