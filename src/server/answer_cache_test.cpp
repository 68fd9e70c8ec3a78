#include "server/answer_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace opsight::server {
namespace {

Response with_body(std::string body, int status = 200) {
    Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

TEST(AnswerCache, MakesAnAnswerOnce) {
    AnswerCache cache;
    int made = 0;
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(cache.get("a", [&] { return with_body("x" + std::to_string(++made)); }).body, "x1");
    EXPECT_EQ(cache.get("b", [&] { return with_body("y"); }).body, "y");
    EXPECT_EQ(made, 1);
}

TEST(AnswerCache, KeepsNoErrorsAndNoStreams) {
    AnswerCache cache;
    int made = 0;
    const auto error = [&] { return ++made, with_body("no", 404); };
    cache.get("a", error);
    EXPECT_EQ(cache.get("a", error).status, 404);
    EXPECT_EQ(made, 2);
    const auto stream = [&] {
        Response response = with_body("");
        response.more = [] { return std::string(); };
        return ++made, response;
    };
    cache.get("b", stream);
    EXPECT_TRUE(cache.get("b", stream).more);
    EXPECT_EQ(made, 4);
}

TEST(AnswerCache, LetsGoOfWhatWasUsedLongestAgo) {
    AnswerCache cache(1000);
    int made = 0;
    const auto make = [&] { return ++made, with_body(std::string(200, 'x')); };
    for (const char* key : {"a", "b", "c", "d", "a", "e"})
        cache.get(key, make);
    EXPECT_EQ(made, 5);
    cache.get("a", make);  // was used after b
    EXPECT_EQ(made, 5);
    cache.get("b", make);
    EXPECT_EQ(made, 6);
    cache.get("large", [&] { return ++made, with_body(std::string(500, 'x')); });
    cache.get("b", make);
    EXPECT_EQ(made, 7);
}

TEST(AnswerCache, ManyWhoAskAtOnceWaitForOne) {
    AnswerCache cache;
    std::atomic<int> made = 0, right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            const Response got = cache.get("a", [&] {
                ++made;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                return with_body("x");
            });
            if (got.body == "x") ++right;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(made, 1);
    EXPECT_EQ(right, 8);
}

}  // namespace
}  // namespace opsight::server
