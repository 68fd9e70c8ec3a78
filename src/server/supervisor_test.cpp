#include "server/supervisor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "server/crash_ledger.h"

namespace opsight::server {
namespace {

std::shared_ptr<CrashLedger> ledger_of(size_t profiles) {
    auto made = CrashLedger::make(profiles);
    EXPECT_TRUE(made.has_value());
    return *made;
}

void crash() {
    ::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
}

TEST(CrashLedger, WhatWasAloneAtACrashIsToBlame) {
    const auto ledger = ledger_of(3);
    auto first = ledger->work_on(1), again = ledger->work_on(1);
    EXPECT_EQ(ledger->note_crash(), std::vector<size_t>{1});
    EXPECT_TRUE((*ledger)[1].refused());
    EXPECT_FALSE((*ledger)[0].refused());
    (*ledger)[1].forget();
    EXPECT_FALSE((*ledger)[1].refused()) << "it is another file";
    EXPECT_EQ((*ledger)[1].version, 1u);
}

TEST(CrashLedger, OfSeveralThoseThatAreThereTwice) {
    const auto ledger = ledger_of(3);
    {
        const auto guilty = ledger->work_on(0), other = ledger->work_on(1);
        EXPECT_EQ(ledger->note_crash(), (std::vector<size_t>{0, 1}));
    }
    EXPECT_FALSE((*ledger)[0].refused() || (*ledger)[1].refused());
    EXPECT_TRUE(ledger_of(1)->note_crash().empty());
    (*ledger)[0].at_work = 1;
    (*ledger)[2].at_work = 1;
    EXPECT_EQ(ledger->note_crash(), (std::vector<size_t>{0, 2}));
    EXPECT_TRUE((*ledger)[0].refused());
    EXPECT_FALSE((*ledger)[1].refused() || (*ledger)[2].refused());
}

TEST(CrashLedger, WorkThatIsDoneIsNotAtWork) {
    const auto ledger = ledger_of(1);
    {
        auto work = ledger->work_on(0);
        const auto moved = std::move(work);
        EXPECT_EQ((*ledger)[0].at_work, 1);
    }
    EXPECT_TRUE(ledger->note_crash().empty());
}

TEST(Supervisor, AnotherProcessGoesOnAndKnowsWhatTheLastOneDid) {
    const auto ledger = ledger_of(2);
    std::vector<int> crashes;
    std::vector<size_t> at_work;
    const auto code = supervise([&](int signal) {
        crashes.push_back(signal);
        at_work = ledger->note_crash();
        return true;
    });
    if (!code) {
        if ((*ledger)[1].refused()) ::_exit(7);
        const auto work = ledger->work_on(1);
        crash();
    }
    EXPECT_EQ(code, 7);
    EXPECT_EQ(crashes, std::vector<int>{SIGSEGV});
    EXPECT_EQ(at_work, std::vector<size_t>{1});
}

TEST(Supervisor, EndsWhereItIsNotToGoOn) {
    int crashes = 0;
    const auto code = supervise([&](int) { return ++crashes < 3; });
    if (!code) crash();
    EXPECT_EQ(code, 1);
    EXPECT_EQ(crashes, 3);
}

TEST(Supervisor, ASignalThatSomebodySentEndsBoth) {
    EXPECT_EXIT(
        {
            if (!supervise([](int) { return true; })) {
                ::kill(::getppid(), SIGTERM);  // it hands it on
                for (;;)
                    ::pause();
            }
        },
        ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace opsight::server
