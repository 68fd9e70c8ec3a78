#include "import/capture/process_groups.h"

#include <gtest/gtest.h>

namespace opsight::importer::capture {
namespace {

using wire::SignatureInput;
using What = SignatureInput::What;

const std::map<std::string, std::string> kProperties = {{"process_group_1",
                                                         "0\x1f"
                                                         "default_pg\x1f"
                                                         "gloo\x1f"
                                                         "8\x1f"
                                                         "0:8:1"},
                                                        {"process_group_2",
                                                         "1\x1f\x1f"
                                                         "gloo\x1f"
                                                         "4\x1f"
                                                         "1:4:2"},
                                                        {"process_group_3",
                                                         "2\x1f\x1f"
                                                         "gloo\x1f"
                                                         "4\x1f"},  // its members were too many to tell
                                                        {"process_group_x",
                                                         "3\x1f\x1f"
                                                         "gloo\x1f"
                                                         "4\x1f"
                                                         "0:4:1"},
                                                        {"process_group_4",
                                                         "4\x1f\x1f"
                                                         "gloo\x1f"
                                                         "-1\x1f"
                                                         "0:4:1"},
                                                        {"process_group_5",
                                                         "5\x1f\x1f"
                                                         "gloo\x1f"
                                                         "4\x1f"
                                                         "0:4000000000:1"},
                                                        {"rank", "3"}};

SignatureInput tensors(int64_t elements) {
    return {What::kTensors, 6, elements, 0};
}
SignatureInput group(int64_t number) {
    return {What::kGroup, 255, 0, number};
}
SignatureInput number(int64_t value) {
    return {What::kInt, 255, 0, value};
}

TEST(ProcessGroups, AreReadAsTheyAreTold) {
    const auto groups = read_groups(kProperties);
    ASSERT_EQ(groups.size(), 4U);
    EXPECT_EQ(groups.at(1).description, "default_pg");
    EXPECT_EQ(groups.at(1).backend, "gloo");
    EXPECT_EQ(groups.at(2).members, (std::vector<int64_t>{1, 3, 5, 7}));
    EXPECT_TRUE(groups.at(3).members.empty());
    EXPECT_EQ(groups.at(3).size, 4);
    EXPECT_TRUE(groups.at(5).members.empty());  // more than it says there are
}

class Collectives : public ::testing::Test {
  protected:
    // The collective of an op on rank 3 of the job.
    Collective of(std::string_view op, const std::vector<SignatureInput>& inputs) {
        const CollectiveId id = ProcessGroups(kProperties, 3, builder_).collective_of(op, inputs);
        EXPECT_TRUE(id.valid());
        HostSpan span;
        span.track = builder_.host_track(builder_.begin_rank({}), 1, 1);
        span.name = builder_.text(op);
        return found_.emplace_back(std::move(builder_).finish()).collectives.at(id.index());
    }
    std::string text(StringId id) { return std::string(found_.back().strings.view(id)); }

    ProfileBuilder builder_;
    std::vector<Profile> found_;
};

TEST_F(Collectives, TellGroupSizeAndType) {
    const Collective c = of("c10d::allreduce_", {tensors(1000), group(2), {}, number(-1)});
    EXPECT_EQ(text(c.name), "allreduce");
    EXPECT_EQ(text(c.dtype), "Float");
    EXPECT_EQ(text(c.group_name), "1");
    EXPECT_EQ(text(c.group_ranks), "[1, 3, 5, 7]");
    EXPECT_EQ(c.group_size, 4);
    EXPECT_EQ(c.in_elements, 1000);
    EXPECT_EQ(c.out_elements, 1000);
}

TEST_F(Collectives, AnAllGatherGivesBackAsMuchFromEachRank) {
    const Collective c = of("c10d::allgather_", {{}, tensors(10), group(1), number(-1)});
    EXPECT_EQ(c.in_elements, 10);
    EXPECT_EQ(c.out_elements, 80);
}

TEST_F(Collectives, TheRootOfAGatherGetsAll) {
    // Rank 3 of the job is rank 1 of the group.
    const Collective c = of("c10d::gather_", {{}, tensors(10), group(2), number(1), number(-1)});
    EXPECT_EQ(c.out_elements, 40);
}

TEST_F(Collectives, OthersGetNothingOfAGather) {
    const Collective c = of("c10d::gather_", {{}, tensors(10), group(2), number(0), number(-1)});
    EXPECT_EQ(c.out_elements, 0);
}

TEST_F(Collectives, ASendIsOfAPair) {
    const Collective c = of("c10d::send", {tensors(5), group(2), number(3), number(0)});
    EXPECT_EQ(text(c.group_ranks), "[3, 7]");
    EXPECT_EQ(c.group_size, 2);
}

TEST_F(Collectives, AReceiveIsOfThePairThatSends) {
    const Collective c = of("c10d::recv_", {tensors(5), group(2), number(3), number(0)});
    EXPECT_EQ(text(c.group_ranks), "[7, 3]");
}

TEST_F(Collectives, FromAnySourceThePairIsNotKnown) {
    const Collective c = of("c10d::recv_any_source_", {tensors(5), group(2), number(0)});
    EXPECT_EQ(text(c.group_ranks), "");
    EXPECT_EQ(c.group_size, -1);
}

TEST(ProcessGroups, OpsWithoutAKnownGroupAreNoCollectives) {
    ProfileBuilder builder;
    ProcessGroups groups(kProperties, 3, builder);
    EXPECT_FALSE(groups.collective_of("aten::add", {tensors(5), number(1)}).valid());
    EXPECT_FALSE(groups.collective_of("c10d::allreduce_", {tensors(5), group(77)}).valid());
}

}  // namespace
}  // namespace opsight::importer::capture
