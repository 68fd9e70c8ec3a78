#include "server/http.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "server/security.h"

namespace opsight::server {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(ParseTarget, PathAndQuery) {
    Request request;
    ASSERT_TRUE(parse_target("/a%20b/c+d?x=1&y=a+b%26c&&z&x=2", request).has_value());
    EXPECT_EQ(request.path, "/a b/c+d");
    EXPECT_EQ(request.query, (Pairs{{"x", "1"}, {"y", "a b&c"}, {"z", ""}, {"x", "2"}}));
}

TEST(ParseTarget, RefusesWhatIsNoText) {
    for (const char* bad : {"/%", "/%4", "/%zz", "/%00", "/%ff", "/%c3", "/?a=%e2%82", "/?%80=1"}) {
        Request request;
        EXPECT_FALSE(parse_target(bad, request).has_value()) << bad;
    }
    Request request;
    EXPECT_TRUE(parse_target("/%e2%82%ac?a=%c3%a4", request).has_value());
}

TEST(Problem, IsJsonWithItsStatus) {
    const Response response = to_response({404, "not_found", "no \"x\"", "look\nthere"});
    EXPECT_EQ(response.status, 404);
    const auto object = nlohmann::json::parse(response.body);
    EXPECT_EQ(object["error"]["message"], "no \"x\"");
    EXPECT_EQ(object["error"]["remedy"], "look\nthere");
}

TEST(Problem, OfAnErrorOfUsageIsTheAskers) {
    EXPECT_EQ(Problem(Error{"bad", {}, {}, {}, 2}).status, 400);
    EXPECT_EQ(Problem(Error{"bad"}).status, 500);
}

class GuardTest : public ::testing::Test {
  protected:
    std::optional<Response> refuse(const std::string& host, const std::string& token,
                                   std::map<std::string, std::string> headers = {}) {
        Request request;
        request.method = "GET";
        request.path = "/api/v1/profiles";
        request.headers = std::move(headers);
        request.headers["host"] = host;
        request.headers["authorization"] = "Bearer " + token;
        return guard_.refuse(request);
    }
    Guard guard_ = Guard::make("127.0.0.1").value();
};

TEST_F(GuardTest, TakesTheTokenOnly) {
    EXPECT_FALSE(refuse("localhost", guard_.token()));
    for (const std::string& wrong :
         {std::string(), guard_.token().substr(1), guard_.token() + "0", std::string(64, '0')}) {
        const auto refused = refuse("localhost", wrong);
        ASSERT_TRUE(refused) << wrong;
        EXPECT_EQ(refused->status, 401);
    }
    EXPECT_NE(Guard::make("127.0.0.1")->token(), guard_.token());
    EXPECT_EQ(guard_.token().size(), 64u);
}

TEST_F(GuardTest, NamesOfOtherHosts) {
    for (const char* fine :
         {"localhost", "localhost:1", "127.0.0.1:8000", "127.1.2.3", "[::1]", "[::1]:8000"})
        EXPECT_FALSE(refuse(fine, guard_.token())) << fine;
    for (const char* other : {"", "example.org", "127.example.org", "localhost.example.org", "10.0.0.1",
                              "[::2]", "[", "]", "[]", ":", "example.org:80"}) {
        const auto refused = refuse(other, guard_.token());
        ASSERT_TRUE(refused) << other;
        EXPECT_EQ(refused->status, 403);
    }
}

TEST_F(GuardTest, LinksFromElsewhereOpenThePageButReadNothing) {
    EXPECT_TRUE(refuse("localhost", guard_.token(), {{"sec-fetch-site", "cross-site"}}));
    EXPECT_FALSE(refuse(
        "localhost", guard_.token(),
        {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}, {"sec-fetch-dest", "document"}}));
    EXPECT_TRUE(refuse(
        "localhost", guard_.token(),
        {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}, {"sec-fetch-dest", "iframe"}}));
}

}  // namespace
}  // namespace opsight::server
