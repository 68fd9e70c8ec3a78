#include "import/kineto/event_reader.h"

#include <algorithm>
#include <cstring>

#include "import/kineto/resync.h"
#include "import/kineto/scanner.h"
#include "import/kineto/text.h"
#include "import/text/clean_text.h"

namespace opsight::importer::kineto {
namespace {

constexpr size_t kShownText = 60;  // of a bad event, in its diagnostic
constexpr size_t kLongEvent = size_t{1} << 16;

template <size_t N>
bool key_is(const char* key, const char (&name)[N]) {
    return std::memcmp(key, name, N - 1) == 0 && key[N - 1] == '"';
}

bool read_args(const Structure& s, size_t& i, RawEvent& event) {
    if (s.at(++i) == '}') return ++i, true;
    for (bool good = true;;) {
        if (s.at(i) != '"' || s.at(i + 1) != ':') return false;
        const Arg arg = find_arg(s.place(i) + 1);
        std::string_view value;
        i += 2;
        if (!read_raw(s, i, value)) return false;
        if (arg != Arg::kCount) event.set(arg, value);
        if (!more(s, i, '}', good)) return good;
    }
}

std::string_view* member(RawEvent& event, const char* key) {
    switch (key[0]) {
        case 'p':
            if (key_is(key, "ph")) return &event.phase;
            return key_is(key, "pid") ? &event.pid : nullptr;
        case 't':
            if (key_is(key, "ts")) return &event.time;
            return key_is(key, "tid") ? &event.tid : nullptr;
        case 'c':
            return key_is(key, "cat") ? &event.category : nullptr;
        case 'n':
            return key_is(key, "name") ? &event.name : nullptr;
        case 'd':
            return key_is(key, "dur") ? &event.duration : nullptr;
        case 'i':
            return key_is(key, "id") ? &event.id : nullptr;
        default:
            return nullptr;
    }
}

bool read_event(const Structure& s, size_t& i, RawEvent& event) {
    event.clear();
    if (s.at(i) != '{') return false;
    event.begin = s.place(i);
    if (s.at(++i) == '}') return ++i, true;
    for (bool good = true;;) {
        if (s.at(i) != '"' || s.at(i + 1) != ':') return false;
        const char* key = s.place(i) + 1;
        i += 2;
        if (key_is(key, "args") && s.at(i) == '{') {
            event.args = i;
            if (!read_args(s, i, event)) return false;
        } else {
            std::string_view value;
            if (!read_raw(s, i, value)) return false;
            if (std::string_view* to = member(event, key)) *to = value;
        }
        if (!more(s, i, '}', good)) return good;
    }
}

// Just behind the first element that ends in [first, end); `end` where none does. An element that goes on for
// long ends where another seems to begin.
const char* behind_event(const char* first, const char* end) {
    Scanner scanner;
    for (const char* at = first; at < end;) {
        const size_t size = std::min(kLongEvent, static_cast<size_t>(end - at));
        const Scanner::Found found = scanner.feed(at, size, true);
        if (found.last_end != Scanner::kNone) return at + found.last_end;
        if (found.array_end != Scanner::kNone) return at + found.array_end + 1;
        at += size;
        if (at != first + size) continue;
        const char* brace = std::find(first, at, '{');
        if (const char* next = brace == at ? nullptr : find_event_start(brace + 1, end)) return next;
    }
    return end;
}

}  // namespace

// Null when all was read, else where the trouble began: behind the last event that was given to the sink.
const char* EventReader::read_all(char* first, char* end, EventSink& sink) {
    if (!structure_.build(first, static_cast<size_t>(end - first))) return first;
    const char* good = first;
    for (size_t i = 0; i < structure_.count();) {
        if (!read_event(structure_, i, event_)) return good;
        sink.take(event_);
        good = structure_.place(i - 1) + 1;
        if (i == structure_.count()) break;
        if (structure_.at(i) != ',') return good;
        ++i;
    }
    return nullptr;
}

// One event alone in its buffer.
bool EventReader::read_one(std::string_view text, EventSink& sink) {
    const size_t size = text.size();
    single_.assign(text);
    single_.resize(size + kPadding);
    size_t i = 0;
    if (!structure_.build(single_.data(), size) || !read_event(structure_, i, event_) ||
        i != structure_.count())
        return false;
    sink.take(event_);
    return true;
}

void EventReader::read_singly(const char* first, const char* end, uint64_t offset, EventSink& sink,
                              Diagnostics& diagnostics) {
    const char* const begin = first;
    const auto report = [&](Diag diag, std::string_view text) {
        const auto at = static_cast<int64_t>(offset + static_cast<uint64_t>(text.data() - begin));
        diagnostics.add(diag, {{}, at, -1, std::string(text.substr(0, kShownText))});
    };
    while (first < end) {
        const char* stop = behind_event(first, end);
        const std::string_view element(first, static_cast<size_t>(stop - first));
        const size_t brace = std::min(element.find('{'), element.size());
        const size_t junk = element.substr(0, brace).find_first_not_of(", \n\r\t");
        if (junk != std::string_view::npos) report(Diag::kBadEvent, element.substr(junk));
        const std::string_view text = element.substr(brace);
        first = stop;
        if (text.empty() || read_one(text, sink)) continue;
        std::string cleaned(text);
        if (clean_text(cleaned) && read_one(cleaned, sink)) {
            report(Diag::kUncleanText, text);
            continue;
        }
        report(Diag::kBadEvent, text);
        // Where a quote or bracket is lost, sound events may have been taken for a part of this one.
        if (const char* next = find_event_start(text.data() + 1, stop)) first = next;
    }
}

void EventReader::read(char* begin, size_t size, uint64_t offset, EventSink& sink, Diagnostics& diagnostics) {
    char* const end = begin + size;
    char* first = begin;
    while (first < end && (*first == ' ' || *first == '\n' || *first == '\r' || *first == '\t'))
        ++first;
    if (first < end && *first == ',') ++first;
    if (first == end) return;
    const char* trouble = read_all(first, end, sink);
    if (trouble)
        read_singly(trouble, end, offset + static_cast<uint64_t>(trouble - begin), sink, diagnostics);
}

void EventReader::read_scalar_args(const std::function<void(std::string_view, std::string_view)>& take) {
    size_t i = event_.args;
    if (i == 0 || structure_.at(++i) == '}') return;
    std::string scratch;
    for (bool good = true;;) {
        const std::string key(plain_text(structure_.token(i), scratch));
        const char first = structure_.at(i += 2);
        std::string_view value;
        if (!read_raw(structure_, i, value)) return;
        if (first != '{' && first != '[') take(key, value);
        if (!more(structure_, i, '}', good)) return;
    }
}

}  // namespace opsight::importer::kineto
