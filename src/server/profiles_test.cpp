#include "server/profiles.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "query/ask/page.h"
#include "query/session/test_session.h"
#include "server/router.h"
#include "server/viewer.h"

namespace opsight::server {
namespace {

analyze::TestProfile steps(int count) {
    analyze::TestProfile made;
    for (int64_t i = 0; i < count; ++i) {
        made.annotation("ProfilerStep#" + std::to_string(i), i * 1000, 900, made.thread());
        made.op("aten::mm", i * 1000 + 100, 300);
        made.op("aten::relu", i * 1000 + 500, 200);
    }
    return made;
}

void set_schema_version(const std::string& path, const std::string& version) {
    auto database = duck::Database::open(path, {});
    ASSERT_TRUE(database.has_value());
    auto connection = database->connect();
    ASSERT_TRUE(connection.has_value());
    ASSERT_TRUE(
        connection
            ->query(duck::Statement("UPDATE raw.meta SET value = $version WHERE key = 'schema_version'")
                        .set("version", version))
            .has_value());
}

void change(const std::string& path, const std::string& sql) {
    auto database = duck::Database::open(path, {});
    ASSERT_TRUE(database.has_value());
    const Status changed = database->connect()->execute(sql);
    ASSERT_TRUE(changed.has_value()) << changed.error().message();
}

int64_t calls_of(query::Session& session) {
    return std::get<int64_t>(query::value_of(session, "SELECT count(*) FROM sel_ops"));
}

TEST(Profiles, RefuseANewerSchema) {
    const query::StoredProfile stored(steps(3));
    set_schema_version(stored.path(), "99");
    Profiles profiles({stored.path()}, false);
    const auto facts = profiles.facts(0);
    ASSERT_FALSE(facts.has_value());
    EXPECT_EQ(facts.error().code, "newer_schema");
    EXPECT_EQ(facts.error().status, 422);
    EXPECT_NE(facts.error().message.find("schema version 99"), std::string::npos);
}

TEST(Profiles, SayWhichFileCannotBeRead) {
    const query::StoredProfile stored(steps(1));
    const std::string path = stored.path() + ".cut.opsight";
    std::ofstream(path) << "no profile at all";
    Profiles profiles({path, path}, false);
    const auto facts = profiles.facts(0);
    ASSERT_FALSE(facts.has_value());
    EXPECT_EQ(facts.error().text(),
              std::filesystem::path(path).filename().string() + " is not an Opsight profile");
    EXPECT_NE(profiles.name(0), profiles.name(1));
    std::filesystem::remove(path);
}

// Looks at a file by a program that writes down that it was started, and says that the file is not a profile.
std::vector<std::string> counting_probe(const std::string& count) {
    return {
        "/bin/sh", "-c",
        "echo started >> '" + count +
            R"('; head -c 1 >/dev/null; printf '{"status":422,"code":"damaged","file":"f","message":"no","remedy":"r"}\n'; exit 1)"};
}

size_t lines_of(const std::string& path) {
    std::ifstream file(path);
    return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

TEST(Profiles, WhatCannotBeReadIsLookedAtOnceUntilItIsWrittenAnew) {
    const testing::TempFolder folder;
    const std::string path = folder.write("bad.opsight", "no profile"), count = folder.path() + "/count";
    Profiles profiles({path}, true, counting_probe(count));
    const auto now = std::chrono::steady_clock::now();
    EXPECT_FALSE(profiles.facts_until(0, now).has_value()) << "there was no time";
    EXPECT_EQ(profiles.facts(0).error().code, "damaged");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(profiles.facts(0).error().code, "damaged");
        EXPECT_EQ(profiles.lease(0, {}).error().code, "damaged");
        const Profiles::Known known = profiles.facts_until(0, now);
        ASSERT_TRUE(known.has_value());
        EXPECT_EQ(known->error().code, "damaged");
    }
    EXPECT_EQ(lines_of(count), 1u);
    const uint64_t before = profiles.version(0);
    folder.write("bad.opsight", "another one that is none");
    EXPECT_EQ(profiles.version(0), before + 1);
    EXPECT_FALSE(profiles.facts_until(0, now).has_value());
    EXPECT_FALSE(profiles.facts(0).has_value());
    std::filesystem::remove(path);
    EXPECT_FALSE(profiles.facts(0).has_value());
}

TEST(Profiles, WhatIsKnownIsToldWhileSomebodyOpensTheFile) {
    const testing::TempFolder folder;
    const std::string slow = folder.write("slow.opsight", "1"), begun = folder.path() + "/begun";
    Profiles profiles({slow}, true, {"/bin/sh", "-c", "touch '" + begun + "'; exec sleep 60"});
    std::thread opening([&] { (void)profiles.facts(0); });
    while (!std::filesystem::exists(begun))
        std::this_thread::yield();
    EXPECT_FALSE(profiles.facts_until(0, std::chrono::steady_clock::now()).has_value());
    profiles.interrupt();
    opening.join();
}

TEST(Aggregations, KeepARangeUnderItsNameOnce) {
    const query::StoredProfile stored(steps(3));
    Aggregations kept(stored.path(), true);
    const auto first = kept.add("two", {.start = 1, .stop = 2}, "{}");
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(kept.add("two", {.start = 1, .stop = 2}, "{}")->id, first->id);
    EXPECT_NE(kept.add("two", {.start = 1, .stop = 1}, "{}")->id, first->id);
    EXPECT_NE(kept.add("both", {.start = 1, .stop = 2}, "{}")->id, first->id);
    EXPECT_EQ(kept.list().size(), 3u);
}

// What lies beside a profile is as little ours as the profile: it is neither followed, nor waited for, nor
// believed.
TEST(Aggregations, AFileBesideTheProfileThatIsNoneOfOursStaysAsItIs) {
    const query::StoredProfile stored(steps(3));
    const std::string beside = aggregations_path(stored.path());
    const auto expect_left_alone = [&](const std::string& what) {
        Aggregations kept(stored.path(), false);
        EXPECT_TRUE(kept.list().empty()) << what;
        EXPECT_NE(kept.not_kept_because(), "") << what;
        kept.add("mine", {}, "{}");
        EXPECT_EQ(Aggregations(stored.path(), false).list().size(), 0u) << what;
        std::filesystem::remove(beside);
    };
    testing::TempFolder elsewhere;
    const std::string target = elsewhere.write("target", "not yours");
    ASSERT_EQ(::symlink(target.c_str(), beside.c_str()), 0);
    expect_left_alone("a link");
    std::ifstream file(target);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "not yours");
    ASSERT_EQ(::symlink((elsewhere.path() + "/new").c_str(), beside.c_str()), 0);
    expect_left_alone("a link that leads nowhere");
    EXPECT_FALSE(std::filesystem::exists(elsewhere.path() + "/new"));
    ASSERT_EQ(::mkfifo(beside.c_str(), 0600), 0);
    expect_left_alone("a pipe");
    for (const std::string& text :
         {std::string(1'000'000, '['),
          R"({"format": 1, "next_id": 2, "aggregations": )" + std::string(1000, '['),
          std::string(R"({"format": 1, "next_id": 9223372036854775807, "aggregations": []})"),
          std::string(R"({"format": 1, "next_id": -5, "aggregations": []})"), std::string("\"\\")}) {
        std::ofstream(beside) << text;
        expect_left_alone(text.substr(0, 60));
    }
}

TEST(Aggregations, OfTwoViewersOfOneProfileAreKept) {
    const query::StoredProfile stored(steps(6));
    Aggregations one(stored.path(), false), other(stored.path(), false);
    const auto first = one.add("first", {.start = 1, .stop = 2}, "{}");
    const auto second = other.add("second", {.start = 3, .stop = 4}, "{}");
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->id, second->id);
    EXPECT_EQ(one.list().size(), 2u);
    EXPECT_TRUE(one.find(second->id).has_value());
    EXPECT_TRUE(one.remove(first->id));
    EXPECT_EQ(other.list().size(), 1u);
    EXPECT_EQ(Aggregations(stored.path(), false).list().size(), 1u);
    std::filesystem::remove(aggregations_path(stored.path()));
    EXPECT_TRUE(other.list().empty()) << "that file may be deleted";
}

TEST(Profiles, DoNotBringAnOlderSchemaUpToDateWhenReadOnly) {
    const query::StoredProfile stored(steps(3));
    set_schema_version(stored.path(), "3");
    {
        Profiles profiles({stored.path()}, true);
        const auto facts = profiles.facts(0);
        ASSERT_FALSE(facts.has_value());
        EXPECT_NE(facts.error().message.find("older schema version 3"), std::string::npos);
        EXPECT_EQ(facts.error().code, "older_schema");
    }
    auto database = duck::Database::open(stored.path(), {.read_only = true});
    ASSERT_TRUE(database.has_value());
    const auto version =
        database->connect()->query("SELECT value FROM raw.meta WHERE key = 'schema_version'");
    EXPECT_EQ(std::get<std::string>(version->rows.at(0)[0]), "3");
}

TEST(Profiles, TellTheirFacts) {
    const query::StoredProfile stored(steps(4));
    Profiles profiles({stored.path()}, false);
    const auto facts = profiles.facts(0);
    ASSERT_TRUE(facts.has_value()) << facts.error().message;
    EXPECT_EQ(facts->iterations, 4);
    EXPECT_EQ(facts->ops, 8);
    EXPECT_EQ(profiles.name(0), "a");
}

TEST(Profiles, TellOfWorkThatIsNoKernel) {
    const query::StoredProfile plain(steps(2));
    EXPECT_FALSE(Profiles({plain.path()}, false).facts(0)->device_work);
    analyze::TestProfile copies = steps(2);
    copies.kernel("Memcpy HtoD", 150, 50, copies.stream(), -1, DeviceKind::kMemcpy);
    const query::StoredProfile stored(std::move(copies));
    Profiles profiles({stored.path()}, false);
    const auto facts = profiles.facts(0);
    ASSERT_TRUE(facts.has_value());
    EXPECT_EQ(facts->kernels, 0);
    EXPECT_TRUE(facts->device_work);
}

TEST(Profiles, AFileThatIsWrittenAnewIsOpenedAnew) {
    const query::StoredProfile first(steps(4)), second(steps(7));
    const std::string path = first.path() + ".again.opsight";
    namespace fs = std::filesystem;
    fs::copy_file(first.path(), path);
    Profiles profiles({path}, false);
    EXPECT_EQ(profiles.facts(0)->iterations, 4);
    const query::RangeOptions all{.all = true};
    std::optional<Lease> before(std::move(*profiles.lease(0, all)));
    EXPECT_EQ(profiles.version(0), 0u);
    fs::copy_file(second.path(), path + ".new");
    fs::rename(path + ".new", path);
    EXPECT_EQ(profiles.version(0), 1u);
    EXPECT_EQ(profiles.version(0), 1u);
    EXPECT_EQ(profiles.facts(0)->iterations, 7);
    EXPECT_EQ(calls_of(**profiles.lease(0, all)), 14);
    EXPECT_EQ(calls_of(**before), 8) << "who began with the old one goes on with it";
    before.reset();
    fs::remove(path);
    EXPECT_EQ(profiles.version(0), 1u) << "a deleted file stays as it was opened";
    EXPECT_EQ(calls_of(**profiles.lease(0, all)), 14);
}

TEST(Profiles, OneThatIsBroughtUpToDateWhenOpenedIsNoOther) {
    const query::StoredProfile stored(steps(3));
    set_schema_version(stored.path(), "5");
    for (const char* added : {"models", "model_groups", "model_nodes", "model_edges", "model_calls",
                              "cpu_samples", "call_chains", "rank_clocks", "comm_groups", "collective_calls",
                              "collective_members", "op_counters", "recording_pauses"})
        change(stored.path(), std::string("DROP TABLE raw.") + added);
    change(stored.path(), "ALTER TABLE raw.stream_stats RENAME COLUMN queued_wait_ns TO kernel_wait_ns");
    change(stored.path(), "ALTER TABLE raw.kernel_names DROP label");
    change(stored.path(), "ALTER TABLE raw.memory_events DROP stack");
    Profiles profiles({stored.path()}, false);
    const auto facts = profiles.facts(0);
    ASSERT_TRUE(facts.has_value()) << facts.error().message;
    EXPECT_EQ(profiles.version(0), 0u);
    EXPECT_TRUE(profiles.lease(0, {}).has_value());
}

TEST(FindSubjects, NamesEachFileOnce) {
    const query::StoredProfile stored(steps(1));
    namespace fs = std::filesystem;
    const fs::path path = stored.path();
    const auto found =
        find_subjects({path.string(), (path.parent_path() / "." / path.filename()).string(), path.string()});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->profiles.size(), 1u);
}

// It would stand in the list of stores, and in every message about this one.
TEST(FindSubjects, RefusesAnAddressWithAPasswordWithoutRepeatingIt) {
    const auto found = find_subjects({"clickhouse://user:secret@host/runs"});
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().message().find("secret"), std::string::npos) << found.error().message();
    EXPECT_EQ(find_subjects({"clickhouse://host/runs"})->stores.size(), 1u);
}

TEST(Viewer, NamesABadFileOnceInItsError) {
    const std::string path = ::testing::TempDir() + "no_profile.opsight";
    std::ofstream(path) << "no profile at all";
    ViewOptions options;
    options.port = 0;
    const auto viewer = Viewer::start({{path}, {}, {}, {}}, options);
    ASSERT_FALSE(viewer.has_value());
    EXPECT_TRUE(viewer.error().message().starts_with(path + ": is not an Opsight profile"))
        << viewer.error().message();
    std::filesystem::remove(path);
}

TEST(Profiles, ManyThreadsAskForManyRanges) {
    const query::StoredProfile stored(steps(20));
    Profiles profiles({stored.path()}, false);
    std::vector<query::RangeOptions> ranges(4);
    ranges[0].start = 2, ranges[0].stop = 5;
    ranges[1].all = true;
    ranges[2].key_op = "aten::mm", ranges[2].all = true;
    ranges[3].iteration_range = "ProfilerStep#1*", ranges[3].all = true;
    std::vector<int64_t> wanted;
    for (const query::RangeOptions& range : ranges) {
        query::Session alone = stored.open(range);
        wanted.push_back(calls_of(alone));
    }
    EXPECT_EQ(wanted[0], 8);
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (size_t t = 0; t < 12; ++t)
        threads.emplace_back([&, t] {
            for (size_t i = 0; i < 20; ++i) {
                const size_t which = (t + i) % ranges.size();
                const auto session = profiles.lease(0, ranges[which]);
                if (!session || calls_of(**session) != wanted[which]) ++wrong;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(SessionPool, WakesThoseWhoWaitWhenInterrupted) {
    const query::StoredProfile stored(steps(6));
    Profiles profiles({stored.path()}, false);
    query::RangeOptions cut;
    cut.key_op = "aten::mm";
    std::vector<Lease> all;
    for (int i = 0; i < 2; ++i) {
        auto lease = profiles.lease(0, cut);
        ASSERT_TRUE(lease.has_value());
        all.push_back(std::move(*lease));
    }
    std::atomic<bool> refused = false;
    std::thread waiting([&] { refused = !profiles.lease(0, cut).has_value(); });
    const auto other = profiles.lease(0, {});  // of another range: nobody has to wait
    EXPECT_TRUE(other.has_value());
    profiles.interrupt();
    waiting.join();
    EXPECT_TRUE(refused);
}

TEST(SessionPool, GivesTheSessionThatKeepsTheTable) {
    const query::StoredProfile stored(steps(6));
    Profiles profiles({stored.path()}, false);
    const query::Session* keeper = nullptr;
    {
        const auto first = profiles.lease(0, {}, "t");
        const auto second = profiles.lease(0, {});
        ASSERT_TRUE(first.has_value() && second.has_value());
        keeper = &**first;
        ASSERT_TRUE((*first)
                        ->keep("t", duck::Statement("SELECT 1"), std::make_shared<query::KeptTable>())
                        .has_value());
    }
    profiles.lease(0, {}).value();  // whichever was used last
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(&*profiles.lease(0, {}, "t").value(), keeper);
    // While it is in use, who wants the table waits for it, and who does not gets another.
    std::optional<Lease> busy(profiles.lease(0, {}, "t").value());
    EXPECT_NE(&*profiles.lease(0, {}).value(), keeper);
    const query::Session* got = nullptr;
    std::thread waiting([&] { got = &*profiles.lease(0, {}, "t").value(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    busy.reset();
    waiting.join();
    EXPECT_EQ(got, keeper);
}

TEST(SessionPool, FailsForARangeThatIsNotThereAndGoesOn) {
    const query::StoredProfile stored(steps(6));
    Profiles profiles({stored.path()}, false);
    query::RangeOptions none;
    none.key_op = "nothing";
    for (int i = 0; i < 5; ++i) {
        const auto lease = profiles.lease(0, none);
        ASSERT_FALSE(lease.has_value());
        EXPECT_EQ(lease.error().status, 400);
    }
    EXPECT_TRUE(profiles.lease(0, {}).has_value());
}

TEST(Profiles, AQuestionEndsWhenItsAskerLeaves) {
    const query::StoredProfile stored(steps(3));
    Profiles profiles({stored.path()}, false);
    const auto cancellation = std::make_shared<CancellationToken>();
    std::thread leaving;
    {
        const auto lease = profiles.lease(0, {}, {}, cancellation);
        ASSERT_TRUE(lease.has_value());
        std::atomic<bool> ended = false;
        leaving = std::thread([&] {
            while (!ended) {
                cancellation->cancel();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        });
        const auto rows =
            (*lease)->query("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b");
        ended = true;
        EXPECT_FALSE(rows.has_value());
        leaving.join();
    }
    cancellation->cancel();  // reaches nobody any more
    const auto next = profiles.lease(0, {});
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(calls_of(**next), 6);
}

TEST(Router, NothingIsWorkedOutForWhoIsGone) {
    const query::StoredProfile stored(steps(3));
    Profiles profiles({stored.path()}, false);
    Router router(all_routes());
    Request request;
    request.method = "GET";
    request.path = "/api/v1/profiles/0/summary";
    request.cancellation->cancel();
    EXPECT_EQ(router.answer(request, profiles).status, 499);
    request.cancellation = std::make_shared<CancellationToken>();
    EXPECT_EQ(router.answer(request, profiles).status, 200);
}

}  // namespace
}  // namespace opsight::server
