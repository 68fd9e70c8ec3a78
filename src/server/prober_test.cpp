#include "server/prober.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/test_files.h"
#include "db/test_changes.h"

namespace opsight::server {
namespace {

std::string problem_of(std::vector<std::string> command) {
    Prober prober(std::move(command));
    const auto facts = prober.ask("/nowhere/run.opsight", false);
    return facts ? "facts" : facts.error().text();
}

TEST(Prober, AProcessThatCrashesIsASentence) {
    EXPECT_EQ(problem_of({"/bin/sh", "-c", "kill -SEGV $$"}),
              "run.opsight cannot be opened: it crashes DuckDB");
    EXPECT_EQ(problem_of({"/bin/sh", "-c", "head -c 1 >/dev/null; exit 3"}),
              "run.opsight cannot be opened: it crashes DuckDB");
    EXPECT_EQ(problem_of({"/bin/sh", "-c", "echo nonsense; cat"}),
              "run.opsight cannot be opened: its process gives no answer");
    EXPECT_NE(problem_of({"/nowhere/opsight"}).find("no process can be started"), std::string::npos);
}

TEST(Prober, TheNextQuestionGoesToANewProcess) {
    Prober prober({"/bin/sh", "-c",
                   R"(printf '{"producer":"%s","duration_ns":1,"ranks":2,"devices":3,"iterations":4,)"
                   R"("kernels":5,"ops":6,"ranges":7,"device_work":true}\n' $$; sleep 0.2; exit 1)"});
    const auto first = prober.ask("a", false);
    ASSERT_TRUE(first.has_value()) << first.error().message;
    EXPECT_EQ(first->ranges, 7);
    while (prober.ask("b", false)) {  // until the process has ended
    }
    const auto again = prober.ask("c", false);
    ASSERT_TRUE(again.has_value());
    EXPECT_NE(again->producer, first->producer);
    prober.stop();
    EXPECT_FALSE(prober.ask("d", false).has_value());
}

TEST(Prober, WhoAsksOnceDoesNotWaitForWhoAsksAgainAndAgain) {
    Prober prober({"/bin/sh", "-c", "echo nonsense"});
    std::atomic<int> asked = 0;
    std::atomic<bool> stop = false;
    std::thread listing([&] {
        for (; !stop; ++asked)
            (void)prober.ask("one of thousands", false);
    });
    for (int i = 0; i < 5; ++i) {
        while (asked == 0)
            std::this_thread::yield();
        const int before = asked;
        EXPECT_FALSE(prober.ask("the one that is wanted", false).has_value());
        EXPECT_LE(asked - before, 3);
    }
    stop = true;
    listing.join();
}

TEST(Prober, AnswersWhatIsInAFile) {
    const testing::TempFolder folder;
    const std::string path = folder.path() + "/a.opsight";
    db::write_sample(path);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    std::thread other([&] { answer_probes(ends[1], ends[1]); });
    for (const std::string& question : {"r" + path, "r" + folder.path() + "/none"}) {
        ASSERT_EQ(::write(ends[0], question.c_str(), question.size() + 1),
                  static_cast<ssize_t>(question.size() + 1));
        std::string answer;
        for (char c = 0; c != '\n' && ::read(ends[0], &c, 1) == 1;)
            answer += c;
        EXPECT_NE(answer.find(question.ends_with("none") ? R"("code":"not_found")" : R"("iterations":4)"),
                  std::string::npos)
            << answer;
    }
    ::close(ends[0]);
    other.join();
    ::close(ends[1]);
}

}  // namespace
}  // namespace opsight::server
