// Profile files with values that nobody would expect, or that cannot be: every address has an answer.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/test_files.h"
#include "db/test_changes.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

// A question to a route, with what it needs.
Request question_of(const Route& route) {
    Request request;
    request.method = "GET";
    request.path = route.pattern;
    for (const auto& [name, value] :
         {std::pair("{id}", "0"), std::pair("{name}", "detailed"), std::pair("{aggregation}", "1")})
        if (const size_t at = request.path.find(name); at != std::string::npos)
            request.path.replace(at, std::string_view(name).size(), value);
    for (const auto& [name, value] :
         {std::pair("begin", "0"), std::pair("end", "50000"), std::pair("width", "100"),
          std::pair("track", "0"), std::pair("span", "0"), std::pair("q", "aten"), std::pair("op", "0"),
          std::pair("layer", "0"), std::pair("with", "0")})
        if (std::count(route.parameters.begin(), route.parameters.end(), name))
            request.query.emplace_back(name, value);
    return request;
}

class HostileProfiles : public ::testing::Test {
  protected:
    void SetUp() override { db::write_sample(good_); }
    std::string changed(const db::Change& change) {
        fs::copy_file(good_, path_, fs::copy_options::overwrite_existing);
        db::change_file(path_, change);
        return path_;
    }
    testing::TempFolder folder_;
    std::string good_ = folder_.path() + "/good.opsight", path_ = folder_.path() + "/changed.opsight";
};

TEST_F(HostileProfiles, OddValuesHaveAnAnswerEverywhere) {
    for (const db::Change& change : db::odd_values()) {
        Profiles profiles({changed(change)}, true);
        Router router(all_routes());
        for (const Route& route : router.routes()) {
            if (route.method != "GET") continue;
            Response response = router.answer(question_of(route), profiles);
            // A sum that no number holds is a sentence of DuckDB's; what throws in our own code is none.
            EXPECT_EQ(response.body.find(R"("code":"internal")"), std::string::npos)
                << change.name << ": " << route.pattern << ": " << response.body;
            const bool told = response.body.find(R"("message":")") != std::string::npos;
            EXPECT_TRUE(response.status < 400 || told) << change.name << ": " << route.pattern;
            for (bool more = static_cast<bool>(response.more); more;) {
                const Result<std::string> part = response.more();
                more = part && !part->empty();
            }
        }
    }
}

TEST_F(HostileProfiles, WhatCannotBeIsToldEverywhere) {
    std::vector<db::Change> changes = db::programs(good_, folder_.path());
    for (auto&& more : {db::other_schemas(), db::impossible_values()})
        changes.insert(changes.end(), more.begin(), more.end());
    EXPECT_GE(changes.size(), 60u);
    Router router(all_routes());
    for (size_t i = 0; i < changes.size(); ++i) {
        Profiles profiles({changed(changes[i])}, true);
        const std::vector<Route>& routes = router.routes();
        for (size_t r = 0; r < routes.size(); ++r) {
            // Every route with every fifth file, every file with every fifth route: it is one way to open.
            if (routes[r].method != "GET" || (i + r) % 5 != 0) continue;
            const Response response = router.answer(question_of(routes[r]), profiles);
            // What is kept beside the file is no part of it.
            const bool asks = routes[r].pattern.find("{id}") != std::string::npos &&
                              routes[r].pattern.find("aggregations") == std::string::npos;
            const bool of_others = routes[r].pattern.find("{store}") != std::string::npos ||
                                   routes[r].pattern.find("{sweep}") != std::string::npos ||
                                   routes[r].pattern.find("{cloud}") != std::string::npos;
            EXPECT_EQ(response.status, asks        ? 422
                                       : of_others ? 404
                                                   : 200)
                << changes[i].name << ": " << routes[r].pattern << ": " << response.body;
            EXPECT_FALSE(fs::exists(folder_.path() + "/log")) << changes[i].name;
        }
    }
}

}  // namespace
}  // namespace opsight::server
