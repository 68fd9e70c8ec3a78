#include "server/viewer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <utility>

#include "base/task_group.h"
#include "base/test_files.h"
#include "query/session/test_session.h"

namespace opsight::server {
namespace {

// The program's end is the caller's to decide, also by what its own `on_bad` throws on a thread of the
// viewer.
TEST(Viewer, WhatThrowsWhileItLooksAtProfilesIsThrownWhenItHasServed) {
    analyze::TestProfile made;
    made.op("aten::mm", 100, 300);
    const query::StoredProfile good(std::move(made));
    const testing::TempFolder folder;
    const std::string bad = folder.write("bad.opsight", "no profile");
    ViewOptions options;
    options.port = 0;
    auto viewer = Viewer::start({{good.path(), bad}, {}, {}, {}}, options);
    ASSERT_TRUE(viewer.has_value()) << viewer.error().message();
    std::atomic<bool> told = false;
    TaskGroup serving;
    serving.start([&] {
        viewer->serve([&](const std::string& path, const Problem&) {
            EXPECT_EQ(path, bad);
            told = true;
            throw std::runtime_error("nobody listens");
        });
    });
    while (!told)
        std::this_thread::yield();
    Request request;
    request.method = "GET";
    request.path = "/api/v1/profiles";
    request.headers["host"] = "localhost";
    EXPECT_EQ(viewer->answer(request).status, 401) << "it goes on, and asks for the token";
    viewer->stop();
    EXPECT_THROW(serving.join(), std::runtime_error);
}

}  // namespace
}  // namespace opsight::server
