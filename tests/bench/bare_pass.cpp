// The yardstick of import speed: a bare pass over a Kineto trace with simdjson on-demand in 4 MiB windows, on
// one thread, that reads eight fields of each event and keeps nothing.
//
//   bare_pass TRACE.json      prints events, seconds, MB/s
//
// Shares no code with the importer. Windows are cut at the last newline + "  }," of the text, as Kineto
// writes it; a trace in another layout is refused.
#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace {

using namespace simdjson;

constexpr size_t kWindow = size_t{4} << 20;
constexpr std::string_view kEventEnd = "\n  },";

struct Totals {
    uint64_t events = 0, correlated = 0;
    double time = 0;
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "bare_pass: %s\n", what);
    std::exit(1);
}

void read_event(ondemand::object event, Totals& totals) {
    std::string_view text;
    for (auto item : event) {
        ondemand::field field;
        if (std::move(item).get(field)) fail("an event is not JSON");
        const std::string_view key(field.key().raw(), 4);
        if (key.substr(0, 3) == "ph\"" || key == "name" || key.substr(0, 3) == "cat") {
            if (!field.value().get_string().get(text)) totals.events += text == "X";
        } else if (key.substr(0, 3) == "ts\"" || key.substr(0, 3) == "dur") {
            double value = 0;
            if (!field.value().get_double().get(value)) totals.time += value;
        } else if (key.substr(0, 3) == "pid" || key.substr(0, 3) == "tid") {
            int64_t value = 0;
            if (!field.value().get_int64().get(value)) totals.correlated += value == 0;
        } else if (key == "args") {
            ondemand::object args;
            int64_t value = 0;
            if (field.value().get_object().get(args)) continue;
            if (!args.find_field("correlation").get_int64().get(value)) ++totals.correlated;
        }
    }
}

void read_window(ondemand::parser& parser, char* begin, size_t size, Totals& totals) {
    begin[-1] = '[';
    begin[size] = ']';
    auto document = parser.iterate(begin - 1, size + 2, size + 2 + SIMDJSON_PADDING);
    ondemand::array events;
    if (document.get_array().get(events)) fail("a window is not JSON");
    for (auto item : events) {
        ondemand::object event;
        if (item.get_object().get(event)) fail("an event is not a JSON object");
        read_event(event, totals);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::FILE* file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
    if (!file) fail("give a trace");
    const auto start = std::chrono::steady_clock::now();
    auto buffer = std::make_unique<char[]>(64 + kWindow + 2 * SIMDJSON_PADDING);
    char* const data = buffer.get() + 64;
    ondemand::parser parser;
    Totals totals;
    size_t carried = 0;
    uint64_t bytes = 0;
    bool in_events = false;
    for (;;) {
        const size_t got = std::fread(data + carried, 1, kWindow - carried, file);
        if (got == 0) break;
        bytes += got;
        const std::string_view text(data, carried + got);
        size_t first = 0;
        if (!in_events) {
            first = text.find("\"traceEvents\": [");
            if (first == text.npos) fail("the list of events begins too late");
            first += 16;
            in_events = true;
        }
        const size_t last = text.rfind(kEventEnd);
        if (last == text.npos || last < first) break;
        const size_t end = last + kEventEnd.size() - 1;
        const char kept = data[end];
        read_window(parser, data + first, end - first, totals);
        data[end] = kept;
        carried = text.size() - end - 1;  // without the comma
        std::memmove(data, data + end + 1, carried);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("events %llu seconds %.3f mb_per_s %.0f check %.0f\n",
                static_cast<unsigned long long>(totals.events), seconds,
                static_cast<double>(bytes) / 1e6 / seconds,
                totals.time / 1e9 + static_cast<double>(totals.correlated));
}
