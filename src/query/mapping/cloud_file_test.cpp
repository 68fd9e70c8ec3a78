#include "query/mapping/cloud_file.h"

#include <gtest/gtest.h>

#include "base/test_files.h"

namespace opsight::query {
namespace {

constexpr std::string_view kCloud = R"({
"opsight_mapping_cloud":1,"problem":"layer","mappings":7,
"fewest_outer_accesses":{"level":"DRAM","accesses":5},
"notes":["mappings: 9 drawn"],
"best":[{"objective":"energy","cost":2.5,"unit":"pJ","bound":1.5,"gap_percent":40.0,"proven":false,"draw":3}],
"front":[{"draw":3,"energy_pj":2.5,"cycles":8,"edp_j_cycles":2e-11,"outer_accesses":5,"pareto":1}],
"points":[{"draw":3,"energy_pj":2.5,"cycles":8,"edp_j_cycles":2e-11,"outer_accesses":5,"pareto":1},
{"draw":18014398509481984,"energy_pj":3,"cycles":9,"edp_j_cycles":2.7e-11,"outer_accesses":6,"pareto":0}],
"told":[{"draw":3,"energy_pj":2.5,"cycles":8,"utilization":0.5,"levels":[
{"level":"MACs","data_space":null,"instances":4,"tile_words":null,"reads":null,"fills":null,"updates":null,
"temporal_reductions":null,"partition_words":null,"read_words_per_cycle":null,"write_words_per_cycle":null,
"energy_pj":2.5,"energy_percent":100.0}],"loop_nest":"for K"}]})";

class CloudFileTest : public ::testing::Test {
  protected:
    // With the first place of `what` changed.
    Result<CloudFile> read(std::string_view what = {}, std::string_view to = {}) {
        std::string text(kCloud);
        if (const size_t at = text.find(what); !what.empty()) {
            EXPECT_NE(at, std::string::npos) << what;
            text.replace(at, what.size(), to);
        }
        path_ = folder_.write("cloud.json", text);
        return read_cloud(path_);
    }
    void expect_wrong(std::string_view what, std::string_view to, const std::string& said) {
        const Result<CloudFile> cloud = read(what, to);
        ASSERT_FALSE(cloud.has_value()) << to;
        EXPECT_NE(cloud.error().what.find(said), std::string::npos) << cloud.error().what;
        EXPECT_EQ(cloud.error().file, path_);
        EXPECT_NE(cloud.error().remedy, "");
    }

    testing::TempFolder folder_;
    std::string path_;
};

TEST_F(CloudFileTest, HasWhatTheCommandWrote) {
    const Result<CloudFile> cloud = read();
    ASSERT_TRUE(cloud.has_value()) << cloud.error().what;
    EXPECT_TRUE(is_cloud(path_));
    EXPECT_EQ(cloud->problem, "layer");
    EXPECT_EQ(cloud->outer_level, "DRAM");
    EXPECT_EQ(cloud->mappings, 7);
    ASSERT_EQ(cloud->points.rows.size(), 2u);
    EXPECT_EQ(cloud->points.rows[1][0], Cell(int64_t{1} << 54));
    EXPECT_EQ(cloud->points.rows[1][1], Cell(3.0));
    EXPECT_EQ(cloud->points.rows[0][5], Cell(true));
    EXPECT_EQ(cloud->best.rows[0][5], Cell(false));
    ASSERT_EQ(cloud->told.size(), 1u);
    EXPECT_EQ(cloud->told[0].loop_nest, "for K");
    EXPECT_EQ(cloud->told[0].levels.rows[0][1], Cell());
}

TEST_F(CloudFileTest, SaysWhereItIsWrong) {
    expect_wrong("\"cycles\":9", "\"cycles\":-9", "points, row 2, cycles is not a whole number");
    expect_wrong("\"cycles\":9", "\"cycles\":9.5", "points, row 2, cycles is not a whole number");
    expect_wrong("\"cycles\":9", "\"cycles\":0", "points, row 2, has no cycles");
    expect_wrong("\"cycles\":9", "\"cycles\":null", "points, row 2, has a number that is null");
    expect_wrong("\"cycles\":9,", "", "points, row 2, cycles is missing");
    expect_wrong("18014398509481984", "18446744073709551615", "points, row 2, draw is not a whole number");
    expect_wrong("\"energy_pj\":3,", "\"energy_pj\":\"3\",", "points, row 2, energy_pj is not a number");
    expect_wrong("\"energy_pj\":3,", "\"energy_pj\":1e999,", "not JSON");
    expect_wrong("\"pareto\":0", "\"pareto\":2", "points, row 2, pareto is neither 0 nor 1");
    expect_wrong("\"problem\":\"layer\"", "\"problem\":[]", "problem is not a text");
    expect_wrong("{\"level\":\"DRAM\",\"accesses\":5}", "4", "fewest_outer_accesses is not an object");
    expect_wrong("[\"mappings: 9 drawn\"]", "[1]", "notes has what is not a text");
    expect_wrong("\"told\":[{\"draw\":3", "\"told\":[{\"draw\":4", "front names draw 3, which is not told");
    expect_wrong("\"proven\":false,\"draw\":3", "\"proven\":false,\"draw\":5", "best names draw 5");
    expect_wrong("\"level\":\"MACs\"", "\"level\":7", "told, entry 1, levels, row 1, level is not a text");
    expect_wrong("\"loop_nest\":\"for K\"", "\"loop_nest\":null", "told, entry 1, loop_nest is not a text");
    expect_wrong("cloud\":1", "cloud\":2", "is of format 2");
}

TEST_F(CloudFileTest, NoPartOfOneIsOne) {
    for (size_t size = 0; size < kCloud.size(); ++size)
        EXPECT_FALSE(read_cloud(folder_.write("part.json", kCloud.substr(0, size))).has_value()) << size;
    std::string deep(2'000'000, '[');
    EXPECT_FALSE(read_cloud(folder_.write("deep.json", deep)).has_value());
}

TEST_F(CloudFileTest, HasNoMorePointsThanThePageShows) {
    std::string rows;
    for (int i = 0; i < 100'001; ++i)
        rows += "{},";
    expect_wrong("\"points\":[", "\"points\":[" + rows, "points has 100003 entries");
}

TEST_F(CloudFileTest, AnotherFileIsNone) {
    EXPECT_FALSE(is_cloud(folder_.path()));
    EXPECT_FALSE(is_cloud(folder_.path() + "/nothing.json"));
    EXPECT_FALSE(is_cloud(folder_.write("trace.json", R"({"traceEvents": []})")));
    EXPECT_FALSE(is_cloud(folder_.write("empty.json", "")));
    EXPECT_FALSE(is_cloud(folder_.write("list.json", R"(["opsight_mapping_cloud"])")));
}

}  // namespace
}  // namespace opsight::query
