#include "import/nsys/export.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/test_files.h"
#include "import/import.h"
#include "import/nsys/test_export.h"

namespace opsight::importer {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// A program `nsys` on PATH that is a script of the test.
class NsysExport : public ::testing::Test {
  protected:
    void SetUp() override {
        path_before_ = getenv("PATH");
        setenv("PATH", folder_.path().c_str(), 1);
        make_database(report_, kTables + call(100, 120, 7, 3));
    }
    void TearDown() override { setenv("PATH", path_before_.c_str(), 1); }

    void nsys(const std::string& script) {
        const std::string program = folder_.write("nsys", "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script);
        chmod(program.c_str(), 0700);
    }
    std::string problem() const {
        const Result<Profile> profile = import_files({report_});
        return profile ? "" : profile.error().message();
    }
    std::string words() const {
        std::ifstream file(folder_.path() + "/words");
        return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    }

    const TempFolder folder_;
    const std::string report_ = folder_.path() + "/my run.nsys-rep";
    std::string path_before_;
};

// What nsys' own parser takes: options in any order, the report last. Copies the report for an export of it.
const std::string kExport =
    "echo \"$@\" >> \"$(dirname \"$0\")/words\"\n"
    "[ \"$1\" = export ] || exit 9; shift\n"
    "while [ $# -gt 1 ]; do case \"$1\" in --type) [ \"$2\" = sqlite ] || exit 9; shift 2;;\n"
    "--force-overwrite) [ \"$2\" = true ] || exit 9; shift 2;; --output) out=\"$2\"; shift 2;;\n"
    "--include-blobs=true) shift;; *) echo \"unrecognised option '$1'\" >&2; exit 1;; esac; done\n"
    "cp \"$1\" \"$out\"\n";

TEST_F(NsysExport, ReportsGoThroughIt) {
    EXPECT_NE(problem().find("not on PATH"), std::string::npos);
    nsys(kExport);
    Result<Profile> profile = import_files({report_});
    ASSERT_TRUE(profile.has_value()) << profile.error().message();
    EXPECT_EQ(profile->host.size(), 1u);
    EXPECT_EQ(profile->info.sources, std::vector<std::string>{report_});
    EXPECT_NE(words().find("--include-blobs=true"), std::string::npos);
}

TEST_F(NsysExport, VersionsThatDoNotKnowBlobsAreAskedWithoutThem) {
    nsys(
        "case \"$*\" in *include-blobs*) echo \"unrecognised option '--include-blobs=true'\" >&2; exit 1;; "
        "esac\n" +
        kExport);
    EXPECT_EQ(problem(), "");
    EXPECT_EQ(words().find("include-blobs"), std::string::npos);
}

TEST_F(NsysExport, ItsLastWordsAreTheReasonOfAFailure) {
    nsys("echo some words\nprintf 'Processing: 10%%\\r' >&2\necho 'The report is broken' >&2\nexit 1\n");
    EXPECT_NE(problem().find("'nsys export' failed: The report is broken"), std::string::npos) << problem();
    nsys("exit 0\n");
    EXPECT_NE(problem().find("it wrote no database and said nothing"), std::string::npos);
    nsys("kill -9 $$\n");
    EXPECT_NE(problem().find("'nsys export' failed"), std::string::npos);
}

TEST_F(NsysExport, AReportBesideItsExportIsNotRead) {
    make_database(folder_.path() + "/my run.sqlite", kTables + call(100, 120, 7, 3));
    const Result<Profile> profile = import_files({folder_.path()});
    ASSERT_TRUE(profile.has_value()) << profile.error().message();
    EXPECT_EQ(profile->host.size(), 1u);
}

bool wait_until(const std::function<bool()>& holds) {
    for (int i = 0; i < 400 && !holds(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    return holds();
}

TEST_F(NsysExport, ASignalEndsItAndLeavesNothing) {
    const std::string temporary = folder_.path() + "/tmp", told = folder_.path() + "/pid";
    fs::create_directory(temporary);
    nsys("/bin/sleep 60 &\necho $! > '" + told + ".new'; mv '" + told + ".new' '" + told + "'; wait\n");
    const pid_t importer = fork();
    if (importer == 0) {
        setenv("TMPDIR", temporary.c_str(), 1);
        const auto profile = import_files({report_});
        _exit(profile ? 0 : 1);
    }
    ASSERT_TRUE(wait_until([&] { return fs::exists(told); }));
    pid_t sleeper = 0;
    std::ifstream(told) >> sleeper;
    ASSERT_GT(sleeper, 0);
    ASSERT_EQ(kill(importer, SIGINT), 0);
    int status = 0;
    ASSERT_EQ(waitpid(importer, &status, 0), importer);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGINT);
    EXPECT_TRUE(fs::is_empty(temporary));
    // Nobody may have waited for it: then it stays in the list of processes, but does nothing more.
    EXPECT_TRUE(wait_until([&] {
        std::ifstream file("/proc/" + std::to_string(sleeper) + "/stat");
        std::string number, name, state;
        return !(file >> number >> name >> state) || state == "Z";
    }));
}

}  // namespace
}  // namespace opsight::importer
