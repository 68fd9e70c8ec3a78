#include "query/ask/versions.h"

#include <gtest/gtest.h>

namespace opsight::query {
namespace {

TEST(Versions, AsPeopleWriteThem) {
    EXPECT_EQ(version_text("12090"), "12.9");
    EXPECT_EQ(version_text("12040"), "12.4");
    EXPECT_EQ(version_text("11070"), "11.7");
    EXPECT_EQ(version_text("9020"), "9.2");
    EXPECT_EQ(version_text("60342131"), "6.3.42131");
    for (const char* kept : {"12.4", "535.129.03", "", "12", "1234567890123", "-12040", "12040 (cudart)"})
        EXPECT_EQ(version_text(kept), kept);
}

TEST(Versions, OfCudaAndHipAreNumbers) {
    for (const char* each :
         {"cuda_driver_version", "cuda_runtime_version", "hip_driver_version", "hip_runtime_version"})
        EXPECT_TRUE(is_version_number(each)) << each;
    EXPECT_FALSE(is_version_number("framework_version"));
}

}  // namespace
}  // namespace opsight::query
