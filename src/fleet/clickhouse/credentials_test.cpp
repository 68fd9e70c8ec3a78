#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/test_files.h"
#include "fleet/clickhouse/address.h"

namespace opsight::fleet::clickhouse {
namespace {

class CredentialsTest : public ::testing::Test {
  protected:
    void SetUp() override { forget(); }
    void TearDown() override { forget(); }
    static void forget() {
        for (const char* name : {"OPSIGHT_CLICKHOUSE_USER", "OPSIGHT_CLICKHOUSE_PASSWORD",
                                 "OPSIGHT_CLICKHOUSE_CA", "OPSIGHT_CLICKHOUSE_CREDENTIALS"})
            unsetenv(name);
    }
    std::string file(const std::string& text, mode_t mode = 0600) {
        const std::string path = folder_.write("credentials", text);
        chmod(path.c_str(), mode);
        setenv("OPSIGHT_CLICKHOUSE_CREDENTIALS", path.c_str(), 1);
        return path;
    }
    static std::string refusal() {
        const auto found = find_credentials();
        return found ? "taken" : found.error().message();
    }

    testing::TempFolder folder_;
};

TEST_F(CredentialsTest, TheEnvironmentComesBeforeTheFile) {
    file("# of the team\n user = writer \npassword = a = b\r\n\nca=/etc/ca.pem\n");
    auto found = find_credentials();
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->user, "writer");
    EXPECT_EQ(found->password, "a = b");
    EXPECT_EQ(found->ca_file, "/etc/ca.pem");
    setenv("OPSIGHT_CLICKHOUSE_USER", "reader", 1);
    found = find_credentials();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->user, "reader");
    EXPECT_EQ(found->password, "a = b");
}

TEST_F(CredentialsTest, RefusesAFileThatOthersMayRead) {
    for (const mode_t mode : {0640, 0604, 0660}) {
        file("user = a\n", mode);
        EXPECT_NE(refusal().find("other users may read"), std::string::npos) << mode;
    }
}

TEST_F(CredentialsTest, RefusesWhatIsNoFile) {
    const std::string pipe = folder_.path() + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    setenv("OPSIGHT_CLICKHOUSE_CREDENTIALS", pipe.c_str(), 1);
    EXPECT_NE(refusal().find("is not a file"), std::string::npos) << "and does not wait for a writer";
    setenv("OPSIGHT_CLICKHOUSE_CREDENTIALS", folder_.path().c_str(), 1);
    EXPECT_NE(refusal().find("is not a file"), std::string::npos);
    setenv("OPSIGHT_CLICKHOUSE_CREDENTIALS", (folder_.path() + "/none").c_str(), 1);
    EXPECT_NE(refusal().find("cannot be read"), std::string::npos);
}

TEST_F(CredentialsTest, RefusesWhatItDoesNotKnow) {
    file("user = a\nsecret = b\n");
    EXPECT_NE(refusal().find("line 2"), std::string::npos);
    file("user = " + std::string(100'000, 'a') + "\n");
    EXPECT_NE(refusal().find("larger than credentials are"), std::string::npos);
    forget();
    setenv("OPSIGHT_CLICKHOUSE_PASSWORD", "a\nb", 1);
    EXPECT_NE(refusal().find("one line"), std::string::npos);
}

}  // namespace
}  // namespace opsight::fleet::clickhouse
