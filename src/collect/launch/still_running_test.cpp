#include "collect/launch/still_running.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/test_files.h"

namespace opsight::collect {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

// What the system tells of processes, each begun at a tick.
class StillRunning : public ::testing::Test {
  protected:
    StillRunning() { add("self", 100); }
    void add(const std::string& process, int64_t ticks, bool program = true) {
        fs::create_directory(proc() + "/" + process);
        // Its 22nd field; a name may hold blanks and brackets.
        write(process, "stat",
              "7 (a (b) c) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 " + std::to_string(ticks) + " 1");
        write(process, "environ", "");
        if (program) fs::create_symlink("/bin/sh", proc() + "/" + process + "/exe");
    }
    void told(const std::string& process) {
        write(process, "environ", std::string("A=1\0OPSIGHT_CAPTURE_DIR=run\0", 28));
    }
    size_t running(milliseconds patience) { return still_running("run", {}, patience, proc()); }

  private:
    std::string proc() const { return folder_.path(); }
    void write(const std::string& process, const std::string& name, const std::string& text) {
        folder_.write(process + "/" + name, text);
    }
    testing::TempFolder folder_;
};

TEST_F(StillRunning, IsWhoWasToldOfTheFolder) {
    add("200", 120);
    told("200");
    add("201", 120);
    told("201");
    EXPECT_EQ(running(milliseconds(0)), 2u);
}

// Between fork and the start of its program a process shows no environment: one look is not enough.
TEST_F(StillRunning, AProcessThatIsStartingIsLookedAtAgain) {
    add("200", 120);
    std::thread starts([&] {
        std::this_thread::sleep_for(milliseconds(50));
        told("200");
    });
    EXPECT_EQ(running(milliseconds(1000)), 1u);
    starts.join();
}

// Kernel threads have no program, what began before the run is none of its processes, and who never shows an
// environment has none.
TEST_F(StillRunning, OthersHaveNoEnvironmentForGood) {
    add("2", 120, false);
    add("150", 50);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(running(milliseconds(60'000)), 0u);
    EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(60'000)) << "nobody is waited for";
    add("200", 120);
    EXPECT_EQ(running(milliseconds(30)), 0u);
}

}  // namespace
}  // namespace opsight::collect
