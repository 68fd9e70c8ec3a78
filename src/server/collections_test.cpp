#include "server/collections.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/test_files.h"
#include "fleet/stores/open.h"
#include "server/router.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

class CollectionsTest : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(fleet::open_store(path_, true)); }
    Subjects subjects() const { return {{"a.opsight"}, {path_, folder_.path() + "/./store"}, {}, {}}; }

    testing::TempFolder folder_;
    std::string path_ = folder_.path() + "/store";
    std::shared_ptr<CancellationToken> asker_ = std::make_shared<CancellationToken>();
};

TEST_F(CollectionsTest, NamesTellStoresApart) {
    const Collections collections(subjects());
    ASSERT_EQ(collections.stores().size(), 2u);
    EXPECT_EQ(collections.stores()[0].name, "store");
    EXPECT_EQ(collections.stores()[1].name, "store (2)");
    EXPECT_EQ(subjects().all().size(), 3u);
}

TEST_F(CollectionsTest, AStoreThatCrashedTheProcessIsAskedNoMoreUntilItIsAnother) {
    const auto ledger = *CrashLedger::make(subjects().size());
    {
        Collections before(subjects(), ledger);
        const auto store = before.store(0, asker_);
        ASSERT_TRUE(store.has_value()) << store.error().text();
        EXPECT_EQ(ledger->note_crash(), std::vector<size_t>{1});
    }
    Collections after(subjects(), ledger);
    const auto refused = after.store(0, asker_);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().status, 422);
    EXPECT_NE(refused.error().text().find("crashed the process"), std::string::npos);
    EXPECT_TRUE(after.store(1, asker_).has_value());  // by its own number, as a profile
    fs::create_directory(path_ + "/_runs/another");
    EXPECT_TRUE(after.store(0, asker_).has_value());
}

TEST_F(CollectionsTest, SweepsHaveNumbersOfTheirOwnAndPlacesBehindTheStores) {
    Subjects all = subjects();
    all.sweeps = {folder_.path() + "/sweep"};
    const auto ledger = *CrashLedger::make(all.size());
    const Collections collections(all, ledger);
    ASSERT_EQ(collections.sweeps().size(), 1u);
    EXPECT_EQ(collections.sweeps()[0].name, "sweep");
    EXPECT_EQ(collections.sweeps()[0].record, 3u);
    EXPECT_EQ(all.all()[3], folder_.path() + "/sweep");
    EXPECT_EQ(Collections::not_shown(collections.sweeps()[0], Error{"is empty", {}, {}, {}}).text(),
              "sweep: is empty");
}

TEST_F(CollectionsTest, CloudsHavePlacesBehindTheSweeps) {
    Subjects all = subjects();
    all.sweeps = {folder_.path() + "/sweep"};
    all.clouds = {folder_.path() + "/cloud.json", folder_.path() + "/other/cloud.json"};
    const Collections collections(all);
    ASSERT_EQ(collections.clouds().size(), 2u);
    EXPECT_EQ(collections.clouds()[1].name, "cloud.json (2)");
    EXPECT_EQ(collections.clouds()[0].record, 4u);
    EXPECT_EQ(all.all()[5], folder_.path() + "/other/cloud.json");
    EXPECT_EQ(all.size(), 6u);
}

TEST_F(CollectionsTest, WhoeverAsksAtTheEndIsSentAway) {
    Collections collections(subjects());
    const auto store = collections.store(0, asker_);
    ASSERT_TRUE(store.has_value());
    collections.interrupt();
    EXPECT_TRUE(asker_->cancelled());
    const auto late = std::make_shared<CancellationToken>();
    const auto again = collections.store(1, late);
    EXPECT_TRUE(late->cancelled());
}

TEST_F(CollectionsTest, ARecordingIsKnownOfOneVersionOfItsProfile) {
    Collections collections(subjects());
    EXPECT_EQ(collections.recording(0, 0), "");
    collections.remember_recording(0, 3, "ab");
    EXPECT_EQ(collections.recording(0, 3), "ab");
    EXPECT_EQ(collections.recording(0, 4), "");
}

}  // namespace
}  // namespace opsight::server
