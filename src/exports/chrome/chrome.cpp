#include "exports/chrome/chrome.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "exports/timeline/walk.h"

namespace opsight::exports {
namespace {

class ChromeWriter : public TimelineWriter {
  public:
    ChromeWriter(const Texts& texts, Output& output) : texts_(texts), output_(output) {}

    void begin(int64_t origin_ns) override {
        json_.begin_object().field("displayTimeUnit", "ns").field("baseTimeNanoseconds", origin_ns);
        json_.key("traceEvents").begin_list();
    }

    void track(const TrackFacts& facts) override {
        tracks_[facts.id] = facts;
        if (groups_.insert(facts.group).second) {
            metadata("process_name", "name", facts, facts.group_name);
            if (!facts.rank_label.empty()) metadata("process_labels", "labels", facts, facts.rank_label);
        }
        metadata("thread_name", "name", facts, facts.name);
    }

    void slice(const Slice& slice) override {
        const TrackFacts& row = tracks_[slice.track];
        json_.line().object([&] {
            json_.field("ph", "X").field("cat", slice.category).field("name", texts_[slice.name]);
            place(row, slice.begin);
            json_.key("dur").raw(micros(slice.dur));
            json_.object("args", [&] {
                for (const Argument& argument : slice.arguments)
                    put(argument);
            });
        });
        for (const int64_t launch : slice.launches)
            arrow("s", row, slice.begin, launch);
        if (slice.launched >= 0) arrow("f", row, slice.begin, slice.launched);
        move();
    }

    void series(const Series&) override {}
    void sample(const Series& series, int64_t time_ns, double value) override {
        json_.line().object([&] {
            json_.field("ph", "C").field("name", series.name).field("pid", series.group).field("tid", 0);
            json_.key("ts").raw(micros(time_ns));
            json_.object("args", [&] { json_.field(series.unit.empty() ? "value" : series.unit, value); });
        });
        move();
    }

    void end() override {
        json_.line().end_list().end_object();
        move();
        output_.buffer() += '\n';
    }

  private:
    // Microseconds with all digits, as a number of JSON.
    std::string_view micros(int64_t ns) {
        number_.clear();
        const uint64_t size = ns < 0 ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
        fmt::format_to(std::back_inserter(number_), "{}{}.{:03}", ns < 0 ? "-" : "", size / 1000,
                       size % 1000);
        return {number_.data(), number_.size()};
    }

    void place(const TrackFacts& row, int64_t time) {
        json_.field("pid", row.pid).field("tid", row.tid).key("ts").raw(micros(time));
    }

    void put(const Argument& argument) {
        json_.key(texts_[argument.key]);
        const Value& value = argument.value;
        switch (value.type) {
            case Value::Type::kWhole:
                json_.value(value.whole);
                break;
            case Value::Type::kReal:
                json_.value(value.real);
                break;
            case Value::Type::kText:
                json_.value(texts_[value.text]);
                break;
            case Value::Type::kJson:
                json_.raw(texts_[value.text]);
                break;
        }
    }

    void arrow(std::string_view phase, const TrackFacts& row, int64_t time, int64_t launch) {
        json_.line().object([&] {
            json_.field("ph", phase).field("cat", "ac2g").field("name", "ac2g").field("id", launch + 1);
            place(row, time);
            if (phase == "f") json_.field("bp", "e");
        });
    }

    void metadata(std::string_view kind, std::string_view key, const TrackFacts& row,
                  const std::string& value) {
        json_.line().object([&] {
            json_.field("ph", "M").field("name", kind).field("pid", row.pid).field("tid", row.tid);
            json_.object("args", [&] { json_.field(key, value); });
        });
    }

    void move() { output_.buffer() += json_.take(); }

    const Texts& texts_;
    Output& output_;
    JsonWriter json_;
    std::map<int64_t, TrackFacts> tracks_;
    std::set<int64_t> groups_;
    fmt::memory_buffer number_;
};

Result<std::string> write(const Job& job) {
    OPSIGHT_ASSIGN(Output output, Output::create(job));
    Texts texts;
    ChromeWriter writer(texts, output);
    return walk_timeline(job, texts, writer, output);
}

}  // namespace

Format chrome_format() {
    return {"chrome",
            ".json",
            "the timeline as a trace of Chrome, in PyTorch's words; Perfetto and Opsight read it",
            false,
            true,
            write};
}

}  // namespace opsight::exports
