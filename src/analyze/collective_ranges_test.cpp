#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "model/model_graph.h"

namespace opsight::analyze {
namespace {

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";
constexpr const char* kExchange = "ncclDevKernel_SendRecv(ncclDevComm*)";

struct Asked {
    const char* name;    // of the range
    const char* shapes;  // empty: not told
    int launches = 1;
    const char *dtypes = "[\"float\"]", *exchange = "";  // shapes of c10d::alltoall_base_ around it
};

SignatureId signature(TestProfile& t, const char* shapes, const char* dtypes) {
    ProfileBuilder& b = t.builder;
    return b.signature({b.text(shapes), b.text(dtypes), b.text(""), b.text("")});
}

// What is known of the collectives of the kernels that one range launches.
std::vector<Collective> told(const Asked& asked, Profile& profile) {
    TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    OpDetail detail;
    detail.signature = signature(t, asked.exchange, "[\"float\", \"float\"]");
    if (*asked.exchange) t.op("c10d::alltoall_base_", 0, 100, thread, detail);
    t.builder.add_host({10, 80, thread, t.builder.text(asked.name), HostKind::kAnnotation},
                       *asked.shapes ? signature(t, asked.shapes, asked.dtypes).value : SignatureId::kNone);
    for (int i = 0; i < asked.launches; ++i) {
        t.api("cudaLaunchKernelExC", 20 + 10 * i, 5, thread, 1 + i);
        t.kernel(*asked.exchange ? kExchange : kAllReduce, 200 + 100 * i, 50, stream, 1 + i);
    }
    profile = t.finish();
    (void)analyze(profile, {});
    std::vector<Collective> found;
    for (const CollectiveId id : profile.device.collective)
        if (id.valid()) found.push_back(profile.collectives[id.index()]);
    return found;
}

TEST(CollectiveRanges, TellWhatTheirKernelMoves) {
    Profile p;
    const auto sum = told({"nccl:all_reduce", "[[100, 20], [5]]", 1, "[\"float\", \"float\"]"}, p);
    ASSERT_EQ(sum.size(), 1u);
    EXPECT_EQ(p.strings.view(sum[0].name), "all_reduce");
    EXPECT_EQ(p.strings.view(sum[0].dtype), name_of(ElementType::kFloat32));
    EXPECT_EQ(std::pair(sum[0].in_elements, sum[0].out_elements), std::pair(int64_t{2005}, int64_t{2005}));
    // What is given may be less than what comes.
    const auto exchange = told({"nccl:all_to_all", "[[64]]", 1, "[\"float\"]", "[[96], [64]]"}, p);
    ASSERT_EQ(exchange.size(), 1u);
    EXPECT_EQ(std::pair(exchange[0].in_elements, exchange[0].out_elements),
              std::pair(int64_t{64}, int64_t{96}));
}

TEST(CollectiveRanges, TellNothingWhereThatIsNotKnown) {
    Profile p;
    EXPECT_TRUE(told({"nccl:all_reduce", ""}, p).empty()) << "no shapes";
    EXPECT_TRUE(told({"nccl:all_reduce", "[[8]]", 2}, p).empty()) << "two kernels: which moves what";
    EXPECT_TRUE(told({"nccl:all_to_all", "[[64]]"}, p).empty()) << "what comes is not told";
    EXPECT_TRUE(told({"nccl:_all_gather_base", "[[64]]"}, p).empty()) << "nor how many give";
    EXPECT_TRUE(told({"nccl:all_reduce", "[[8], [8]]", 1, "[\"float\", \"long int\"]"}, p).empty());
}

}  // namespace
}  // namespace opsight::analyze
