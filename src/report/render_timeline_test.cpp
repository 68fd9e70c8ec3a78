// The timeline's answers as the viewer reads them.
#include "report/render_timeline.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

namespace opsight::report {
namespace {

using nlohmann::json;

query::TimelineWindow two_tracks() {
    query::TimelineWindow window;
    window.begin_ns = 1000;
    window.end_ns = 2000;
    window.pixel_ns = 10;
    window.names = {"aten::mm", "say \"k\"\xff"};
    window.short_names = {"mm", "say \"k\"\xff"};
    window.tracks.push_back({5,
                             {-20, 300},
                             {100, 40},
                             {100, 30},
                             {0, 2},
                             {1, 3},
                             {0, 1},
                             {7, 4000000000},
                             {query::SpanKind::kOpForward, query::SpanKind::kKernel}});
    window.tracks.push_back({6, {}, {}, {}, {}, {}, {}, {}, {}});
    window.tracks.push_back({9, {1}, {2}, {2}, {0}, {1}, {1}, {8}, {query::SpanKind::kMemcpy}});
    return window;
}

TEST(RenderTimeline, WindowAsJson) {
    const json window = json::parse(render_window_json(two_tracks()));
    EXPECT_EQ(window["begin_ns"], 1000);
    EXPECT_EQ(window["complete"], true);
    EXPECT_EQ(window["names"].size(), 2u);
    EXPECT_EQ(window["short_names"][0], "mm");
    ASSERT_EQ(window["tracks"].size(), 3u);
    const json& columns = window["tracks"][0]["columns"];
    EXPECT_EQ(window["tracks"][0]["id"], 5);
    EXPECT_EQ(columns["begin"], json({-20, 300}));
    EXPECT_EQ(columns["busy"], json({100, 30}));
    EXPECT_EQ(columns["span"], json({7, 4000000000}));
    EXPECT_EQ(columns["kind"], json({0, static_cast<int>(query::SpanKind::kKernel)}));
    EXPECT_EQ(window["tracks"][1]["columns"]["begin"], json::array());
}

template <class T>
T at(const std::string& bytes, size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof(T));
    return value;
}

TEST(RenderTimeline, WindowAsColumns) {
    const std::string bytes = render_window_binary(two_tracks());
    ASSERT_EQ(bytes.substr(0, 4), "OTL1");
    const auto length = at<uint32_t>(bytes, 4);
    EXPECT_EQ(length % 8, 0u);
    const json head = json::parse(bytes.substr(8, length));
    EXPECT_EQ(head["tracks"],
              json::parse(R"([{"id":5,"entries":2},{"id":6,"entries":0},{"id":9,"entries":1}])"));
    const size_t begin = 8 + length, name = begin + 3 * 24, depth = name + 3 * 16, kind = depth + 8;
    EXPECT_EQ(bytes.size(), kind + 8);
    EXPECT_EQ(at<double>(bytes, begin), -20);
    EXPECT_EQ(at<double>(bytes, begin + 16), 1);
    EXPECT_EQ(at<double>(bytes, begin + 24 + 8), 40);  // dur
    EXPECT_EQ(at<double>(bytes, begin + 48 + 8), 30);  // busy
    EXPECT_EQ(at<uint32_t>(bytes, name + 8), 1u);
    EXPECT_EQ(at<uint32_t>(bytes, name + 16 + 4), 4000000000u);  // span
    EXPECT_EQ(at<uint32_t>(bytes, name + 32 + 4), 3u);           // count
    EXPECT_EQ(at<uint16_t>(bytes, depth + 2), 2);
    EXPECT_EQ(at<uint8_t>(bytes, kind + 2), static_cast<uint8_t>(query::SpanKind::kMemcpy));
}

TEST(RenderTimeline, EventsKeepWhatAScriptWouldRound) {
    query::TimelineEvent event;
    event.place = {3, 4, 10, 20, 0, "k", "kernel"};
    event.fields = {{"correlation", "id", query::Unit::kNone, int64_t{1} << 60},
                    {"layer", "", query::Unit::kNone, {}}};
    event.chain = {{"layer", {-1, 0, 0, 0, -1, "Net/Linear", ""}}};
    const json made = json::parse(render_event_json(event));
    EXPECT_EQ(made["event"]["track"], 3);
    EXPECT_EQ(made["fields"][0]["value"], "1152921504606846976");
    EXPECT_TRUE(made["fields"][1]["value"].is_null());
    EXPECT_TRUE(made["chain"][0]["track"].is_null());
    EXPECT_EQ(made["chain"][0]["name"], "Net/Linear");
    EXPECT_TRUE(json::parse(render_match_json({}))["match"].is_null());
}

TEST(RenderTimeline, SumsAreCutAfterTheMost) {
    query::TimelineSums sums;
    for (int i = 0; i < 5; ++i)
        sums.names.push_back({"name", query::SpanKind::kKernel, 1, 10, 10, {}});
    sums.tracks = {{7, 5, 50}};
    const json made = json::parse(render_sums_json(sums, 3));
    EXPECT_EQ(made["names"].size(), 3u);
    EXPECT_EQ(made["names_in_all"], 5);
    EXPECT_EQ(made["tracks"][0]["busy_ns"], 50);
}

}  // namespace
}  // namespace opsight::report
