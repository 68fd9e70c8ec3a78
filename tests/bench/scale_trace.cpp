// Makes a big Kineto trace out of a real one: repeats its events with shifted times and new ids.
//
//   scale_trace SOURCE.json[.gz] TARGET.json[.gz] (--copies N | --megabytes M)
//
// Copy k of an event gets: ts + k * period (period: whole microseconds, longer than the trace); correlation,
// External id and flow ids + k * stride (one stride, so that ids that were equal stay equal); sequence
// numbers, Ev Idx and Python ids + k * their own stride; ProfilerStep#N counted on. Ids below 1 (none) and
// metadata events (ph M, written once) stay as they are, and so does every other byte. All that is done by
// splicing numbers into the source text: one pass to find the places, then copying at the speed of memory.
// Holds the source in memory; refuses what it would have to guess (times in exponent notation, no events).
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "scale_trace: %s\n", what.c_str());
    std::exit(1);
}

enum class Shift : uint8_t { kTime, kId, kSequence, kEventIndex, kPythonId, kStep, kCount };

// A number in the source text that changes from copy to copy.
struct Hole {
    size_t begin, end;
    int64_t value;
    Shift shift;
};

struct Event {
    size_t begin, end;  // in the text, braces included
    size_t hole_begin, hole_end;
    bool metadata;
};

std::string read_all(const char* path) {
    gzFile file = gzopen(path, "rb");  // reads plain files too
    if (!file) fail(std::string("cannot open ") + path);
    gzbuffer(file, 1 << 20);
    std::string text;
    std::vector<char> block(1 << 22);
    int n;
    while ((n = gzread(file, block.data(), unsigned(block.size()))) > 0)
        text.append(block.data(), size_t(n));
    if (n < 0) fail(std::string("cannot read ") + path);
    gzclose(file);
    return text;
}

// Finds the events and the numbers in them. Assumes valid JSON (the corpus is).
class Scanner {
  public:
    explicit Scanner(const std::string& text) : text_(text) {}

    std::vector<Event> events;
    std::vector<Hole> holes;
    size_t array_begin = 0, array_end = 0;  // positions of [ and ] of the event list

    void scan() {
        find_array();
        size_t at = array_begin + 1;
        for (;;) {
            at = skip_space(at);
            if (text_[at] == ',') at = skip_space(at + 1);
            if (text_[at] == ']') break;
            if (text_[at] != '{') fail("the event list holds something that is not an object");
            at = scan_event(at);
        }
        array_end = at;
        if (events.empty()) fail("no events");
    }

    int64_t min_time = std::numeric_limits<int64_t>::max(), max_time = std::numeric_limits<int64_t>::min();
    int64_t min_step = std::numeric_limits<int64_t>::max();
    int64_t largest[size_t(Shift::kCount)] = {};

  private:
    size_t skip_space(size_t at) const {
        while (at < text_.size() && std::strchr(" \t\r\n", text_[at]))
            ++at;
        if (at >= text_.size()) fail("the file ends in the middle");
        return at;
    }

    // `at` stands on the opening quote; returns the place after the closing one.
    size_t skip_string(size_t at) const {
        for (++at; at < text_.size(); ++at) {
            if (text_[at] == '\\')
                ++at;
            else if (text_[at] == '"')
                return at + 1;
        }
        fail("a string does not end");
    }

    size_t skip_value(size_t at) const {
        int depth = 0;
        while (at < text_.size()) {
            const char c = text_[at];
            if (c == '"') {
                at = skip_string(at);
                if (depth == 0) return at;
                continue;
            }
            if (c == '{' || c == '[')
                ++depth;
            else if (c == '}' || c == ']') {
                if (depth == 0) return at;  // end of what encloses a plain number
                if (--depth == 0) return at + 1;
            } else if (depth == 0 && (c == ',' || std::strchr(" \t\r\n", c)))
                return at;
            ++at;
        }
        fail("a value does not end");
    }

    // Calls member(key, value_begin) for each member; it returns the end of the value.
    template <typename Member>
    size_t walk_object(size_t at, Member member) {
        at = skip_space(at + 1);
        while (text_[at] != '}') {
            const size_t key_end = skip_string(at);
            const std::string_view key(text_.data() + at + 1, key_end - at - 2);
            at = skip_space(key_end);
            if (text_[at] != ':') fail("a member has no value");
            at = skip_space(member(key, skip_space(at + 1)));
            if (text_[at] == ',') at = skip_space(at + 1);
        }
        return at + 1;
    }

    void find_array() {
        const size_t start = skip_space(0);
        if (text_[start] == '[') {
            array_begin = start;
            return;
        }
        if (text_[start] != '{') fail("not a JSON trace");
        bool found = false;
        walk_object(start, [&](std::string_view key, size_t value) {
            if (key == "traceEvents") {
                array_begin = value;
                found = true;
            }
            return skip_value(value);
        });
        if (!found) fail("no traceEvents");
    }

    size_t scan_event(size_t at) {
        Event event{at, 0, holes.size(), 0, false};
        int64_t begin = 0, duration = 0;
        bool timed = false;
        event.end = walk_object(at, [&](std::string_view key, size_t value) {
            const size_t end = skip_value(value);
            if (key == "ts") {
                begin = add_number(value, end, Shift::kTime);
                timed = true;
            } else if (key == "dur") {
                duration = int64_t(std::strtod(text_.c_str() + value, nullptr)) + 1;
            } else if (key == "ph") {
                event.metadata = text_.compare(value, end - value, "\"M\"") == 0;
            } else if (key == "id" && text_[value] != '"') {
                add_number(value, end, Shift::kId);
            } else if (key == "name") {
                add_step(value, end);
            } else if (key == "args" && text_[value] == '{') {
                walk_object(value, [&](std::string_view name, size_t v) { return scan_argument(name, v); });
            }
            return end;
        });
        if (event.metadata) {
            holes.resize(event.hole_begin);
        } else if (timed) {
            min_time = std::min(min_time, begin);
            max_time = std::max(max_time, begin + duration);
        }
        std::sort(holes.begin() + ptrdiff_t(event.hole_begin), holes.end(),
                  [](const Hole& a, const Hole& b) { return a.begin < b.begin; });
        for (size_t i = event.hole_begin; i < holes.size(); ++i) {
            int64_t& top = largest[size_t(holes[i].shift)];
            top = std::max(top, holes[i].value);
            if (holes[i].shift == Shift::kStep) min_step = std::min(min_step, holes[i].value);
        }
        event.hole_end = holes.size();
        events.push_back(event);
        return event.end;
    }

    size_t scan_argument(std::string_view name, size_t value) {
        static constexpr std::pair<std::string_view, Shift> kShifted[] = {
            {"correlation", Shift::kId},
            {"External id", Shift::kId},
            {"external id", Shift::kId},
            {"wait_on_cuda_event_record_corr_id", Shift::kId},
            {"Record function id", Shift::kId},
            {"Sequence number", Shift::kSequence},
            {"Ev Idx", Shift::kEventIndex},
            {"Python id", Shift::kPythonId},
            {"Python parent id", Shift::kPythonId},
        };
        const size_t end = skip_value(value);
        for (const auto& [key, shift] : kShifted)
            if (name == key) {
                const bool quoted = text_[value] == '"';  // some generations write ids as text
                add_number(value + quoted, end - quoted, shift);
            }
        return end;
    }

    // The whole part of the number at [begin, end); anything else (null, "") is left alone.
    int64_t add_number(size_t begin, size_t end, Shift shift) {
        int64_t value = 0;
        const auto [stop, problem] = std::from_chars(text_.data() + begin, text_.data() + end, value);
        if (problem != std::errc()) return 0;
        const size_t stop_at = size_t(stop - text_.data());
        if (shift == Shift::kTime &&
            text_.substr(stop_at, end - stop_at).find_first_of("eE") != std::string::npos)
            fail("a time in exponent notation");
        const bool counts_from_zero = shift == Shift::kTime || shift == Shift::kSequence ||
                                      shift == Shift::kEventIndex || shift == Shift::kPythonId;
        if (value >= (counts_from_zero ? 0 : 1)) holes.push_back({begin, stop_at, value, shift});
        return value;
    }

    void add_step(size_t begin, size_t end) {
        static constexpr std::string_view kMarker = "\"ProfilerStep#";
        if (text_.compare(begin, kMarker.size(), kMarker) == 0)
            if (add_number(begin + kMarker.size(), end - 1, Shift::kStep) == 0) {
                holes.push_back({begin + kMarker.size(), end - 1, 0, Shift::kStep});
            }
    }

    const std::string& text_;
};

// Buffered output to a plain or a gzip file.
class Writer {
  public:
    explicit Writer(const std::string& path) {
        if (path.size() > 3 && path.ends_with(".gz"))
            gz_ = gzopen(path.c_str(), "wb1");
        else
            file_ = std::fopen(path.c_str(), "wb");
        if (!gz_ && !file_) fail("cannot write " + path);
        buffer_.reserve(kBlock + (1 << 20));
    }
    void put(const char* data, size_t size) {
        buffer_.append(data, size);
        if (buffer_.size() >= kBlock) flush();
    }
    void put(int64_t value) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        put(digits, size_t(end - digits));
    }
    void close() {
        flush();
        const int problem = gz_ ? gzclose(gz_) : std::fclose(file_);
        if (problem != 0) fail("cannot write the target to its end");
    }
    size_t written() const { return written_ + buffer_.size(); }

  private:
    static constexpr size_t kBlock = 8 << 20;
    void flush() {
        const bool done = buffer_.empty() ||
                          (gz_ ? gzwrite(gz_, buffer_.data(), unsigned(buffer_.size())) > 0
                               : std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size());
        if (!done) fail("cannot write the target (disk full?)");
        written_ += buffer_.size();
        buffer_.clear();
    }
    gzFile gz_ = nullptr;
    std::FILE* file_ = nullptr;
    std::string buffer_;
    size_t written_ = 0;
};

void write_copies(const std::string& text, const Scanner& scanned, int64_t copies, Writer& out) {
    int64_t strides[size_t(Shift::kCount)];
    for (size_t i = 0; i < size_t(Shift::kCount); ++i)
        strides[i] = scanned.largest[i] + 1;
    strides[size_t(Shift::kTime)] = scanned.max_time - scanned.min_time + 1000;
    if (const int64_t last_step = scanned.largest[size_t(Shift::kStep)]; scanned.min_step <= last_step)
        strides[size_t(Shift::kStep)] = last_step - scanned.min_step + 1;
    for (size_t i = 0; i < size_t(Shift::kCount); ++i)
        if (int64_t room; __builtin_mul_overflow(strides[i], copies, &room) ||
                          __builtin_add_overflow(room, scanned.largest[i], &room))
            fail("ids or times grow beyond 64 bits; ask for fewer copies");

    out.put(text.data(), scanned.array_begin + 1);
    bool first = true;
    for (int64_t k = 0; k < copies; ++k)
        for (const Event& event : scanned.events) {
            if (event.metadata && k > 0) continue;
            out.put(first ? "\n" : ",\n", first ? 1 : 2);
            first = false;
            size_t at = event.begin;
            for (size_t h = event.hole_begin; h < event.hole_end; ++h) {
                const Hole& hole = scanned.holes[h];
                out.put(text.data() + at, hole.begin - at);
                out.put(hole.value + k * strides[size_t(hole.shift)]);
                at = hole.end;
            }
            out.put(text.data() + at, event.end - at);
        }
    out.put(text.data() + scanned.array_end, text.size() - scanned.array_end);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5 || (std::strcmp(argv[3], "--copies") && std::strcmp(argv[3], "--megabytes"))) {
        std::fputs("usage: scale_trace SOURCE.json[.gz] TARGET.json[.gz] (--copies N | --megabytes M)\n",
                   stderr);
        return 2;
    }
    const int64_t amount = std::atoll(argv[4]);
    if (amount < 1) fail("the number must be 1 or more");
    const std::string text = read_all(argv[1]);
    Scanner scanned(text);
    scanned.scan();
    int64_t copies = amount;
    if (std::strcmp(argv[3], "--megabytes") == 0)
        copies = int64_t((size_t(amount) * 1000000 + text.size() - 1) / text.size());
    Writer out(argv[2]);
    write_copies(text, scanned, copies, out);
    const size_t written = out.written();
    out.close();
    std::printf("%lld copies, %zu bytes of JSON\n", static_cast<long long>(copies), written);
    return 0;
}
