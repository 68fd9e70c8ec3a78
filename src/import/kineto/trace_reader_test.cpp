#include "import/kineto/trace_reader.h"

#include <gtest/gtest.h>

namespace opsight::importer::kineto {
namespace {

struct Names final : EventSink {
    std::vector<std::string> names;
    void take(const RawEvent& event) override { names.emplace_back(event.name); }
};

struct Outcome {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::string>> header;
    Diagnostics diagnostics;
    std::string error;
    size_t largest_window = 0;
    int64_t bad() const { return diagnostics.count(Diag::kBadEvent); }
    int64_t truncated() const { return diagnostics.count(Diag::kTruncatedInput); }
};

// Small windows, so that every cut is met.
Outcome read(std::string_view text, TraceReader::Limits limits = {200, 2000, 1000}) {
    const auto source = memory_source(text);
    TraceReader reader(*source, limits);
    EventReader events;
    Window window;
    Names sink;
    Outcome out;
    for (;;) {
        const Result<bool> got = reader.next(window);
        if (!got) out.error = got.error().message();
        if (!got || !*got) break;
        out.largest_window = std::max(out.largest_window, window.capacity());
        events.read(window.begin(), window.size, window.offset, sink, out.diagnostics);
    }
    out.names = sink.names;
    out.header = reader.header();
    out.diagnostics.merge(reader.diagnostics());
    return out;
}

std::string event(const std::string& name) {
    return R"({"ph": "X", "name": ")" + name + R"(", "args": {"Input Dims": [[1, 2], []]}})";
}

std::string many(int count, const std::string& between) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += (i ? between : "") + event(std::to_string(i));
    return text;
}

std::vector<std::string> quoted(int from, int to) {
    std::vector<std::string> names;
    for (int i = from; i < to; ++i)
        names.push_back("\"" + std::to_string(i) + "\"");
    return names;
}

TEST(TraceReader, FindsEventsAndWhatStandsAroundThem) {
    for (const std::string between : {",", " ,\n  ", ",\n\n\n"}) {
        const Outcome out = read("\n \t{\"a\": 1, \"b\": {\"c\": [\"}\", 2]}, \"traceEvents\": [\n" +
                                 many(100, between) + "\n], \"d\" : \"e\\\"f\" }  ");
        EXPECT_EQ(out.names, quoted(0, 100));
        const std::vector<std::pair<std::string, std::string>> header = {
            {"a", "1"}, {"b", R"({"c":["}",2]})"}, {"d", R"("e\"f")"}};
        EXPECT_EQ(out.header, header);
        EXPECT_EQ(out.bad() + out.truncated(), 0);
        EXPECT_EQ(out.error, "");
    }
}

TEST(TraceReader, TakesBareListsAndEmptyOnes) {
    EXPECT_EQ(read("[" + many(20, ",") + "]").names, quoted(0, 20));
    EXPECT_EQ(read("[" + many(20, ",") + "]").truncated(), 0);
    // The format allows the end to be missing, but a file that was cut between two events looks the same.
    for (const char* end : {"", ",\n"}) {
        EXPECT_EQ(read("[" + many(20, ",") + end).names, quoted(0, 20));
        EXPECT_EQ(read("[" + many(20, ",") + end).truncated(), 1);
    }
    EXPECT_EQ(read("\xef\xbb\xbf[]").error, "");
    EXPECT_EQ(read(R"({"traceEvents": [], "x": 1})").header.size(), 1u);
}

TEST(TraceReader, SaysHowMuchACutLost) {
    const std::string whole = "{\"traceEvents\": [" + many(50, ", ") + "]}";
    for (size_t size = 18; size + 1 < whole.size(); ++size) {
        const Outcome out = read(whole.substr(0, size));
        ASSERT_EQ(out.error, "") << size;
        ASSERT_EQ(out.truncated(), 1) << size;
        ASSERT_EQ(out.names, quoted(0, static_cast<int>(out.names.size()))) << size;
        const size_t whole_events = (size - 17) / (event("10").size() + 2);
        ASSERT_GE(out.names.size() + 1, whole_events) << size;
    }
}

TEST(TraceReader, SaysThatThereIsMoreBehindTheTrace) {
    const std::string one = "{\"traceEvents\": [" + many(50, ",") + "], \"a\": 1}",
                      list = "[" + many(50, ",") + "]";
    for (const std::string& first : {one, list}) {
        for (const std::string& second : {one, list}) {
            const Outcome out = read(first + "\n" + second);
            EXPECT_EQ(out.names, quoted(0, 50));
            EXPECT_EQ(out.diagnostics.count(Diag::kMoreDocuments), 1);
            EXPECT_EQ(out.diagnostics.first(Diag::kMoreDocuments)[0].offset,
                      static_cast<int64_t>(first.size()) + 1);
        }
        EXPECT_EQ(read(first + " junk").diagnostics.count(Diag::kMoreDocuments), 1);
        EXPECT_EQ(read(first + " \n").diagnostics.count(Diag::kMoreDocuments), 0);
    }
}

TEST(TraceReader, GoesOnBehindDamage) {
    // A lost quote, a lost bracket, a lost brace, junk: one event is lost, no more.
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"25\"", "\"25"},
             {"\"25\"", "25\""},
             {"\"25\", \"args\": {", "\"25\", \"args\": "},
             {"\"name\": \"25\"", "\"name\" \"25\""},
             {R"({"ph": "X", "name": "25")", R"({"ph": "X", "name": "25"}})"}}) {
        std::string text = "{\"traceEvents\": [" + many(60, ",\n  ") + "]}";
        text.replace(text.find(from), from.size(), to);
        const Outcome out = read(text);
        EXPECT_GE(out.bad(), 1) << to;
        EXPECT_GE(out.names.size(), 57u) << to;
        EXPECT_EQ(out.names.back(), "\"59\"") << to;
    }
}

TEST(TraceReader, PassesOverAnEventAboveTheLimit) {
    const std::string huge(100000, 'x');
    const Outcome out = read("[" + event("0") + "," + event(huge) + "," + event("2") + "]");
    EXPECT_EQ(out.names, (std::vector<std::string>{"\"0\"", "\"2\""}));
    EXPECT_EQ(out.bad(), 1);
    EXPECT_EQ(out.diagnostics.first(Diag::kBadEvent)[0].offset, static_cast<int64_t>(event("0").size() + 1));
    EXPECT_LE(out.largest_window, size_t{1} << 20);
    EXPECT_EQ(read("[" + event("0") + "," + event(huge).substr(0, huge.size())).truncated(), 1);
}

TEST(TraceReader, LargeHeaderValuesAreNotKept) {
    const Outcome out = read("{\"log\": \"" + std::string(100000, 'x') + "\", \"traceEvents\": []}");
    ASSERT_EQ(out.header.size(), 1u);
    EXPECT_LE(out.header[0].second.size(), 1000u);
}

TEST(TraceReader, RefusesWhatIsNoTrace) {
    EXPECT_NE(read("").error.find("empty"), std::string::npos);
    EXPECT_NE(read("hello").error.find("byte 0"), std::string::npos);
    EXPECT_NE(read("{\"a\": 1").error, "");
    EXPECT_NE(read("{a: 1}").error, "");
}

TEST(TraceReader, RepairsUncleanText) {
    const Outcome out =
        read("[" + event("0") + "," + event("a\x01z") + "," + event("b\xff") + "," + event("3") + "]");
    EXPECT_EQ(out.names, (std::vector<std::string>{"\"0\"", "\"a z\"", "\"b?\"", "\"3\""}));
    EXPECT_EQ(out.diagnostics.count(Diag::kUncleanText), 2);
}

}  // namespace
}  // namespace opsight::importer::kineto
