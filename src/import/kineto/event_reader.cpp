#include "import/kineto/event_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "import/kineto/resync.h"
#include "import/kineto/scanner.h"
#include "import/kineto/text.h"

namespace opsight::kineto {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kShownText = 60;  // of a bad event, in its diagnostic
constexpr size_t kLongEvent = size_t{1} << 16;

template <size_t N>
bool key_is(const char* key, const char (&name)[N]) {
    return std::memcmp(key, name, N - 1) == 0 && key[N - 1] == '"';
}

// The raw token of any value; arrays and objects as their whole text.
simdjson::error_code raw_value(ondemand::value& value, std::string_view& token) {
    token = value.raw_json_token();
    if (token[0] == '[') {
        ondemand::array array;
        if (auto error = value.get_array().get(array)) return error;
        return array.raw_json().get(token);
    }
    if (token[0] == '{') {
        ondemand::object object;
        if (auto error = value.get_object().get(object)) return error;
        return object.raw_json().get(token);
    }
    return simdjson::SUCCESS;
}

simdjson::error_code read_args(ondemand::value& value, RawEvent& event) {
    if (value.raw_json_token()[0] != '{') return simdjson::SUCCESS;  // "args": null or the like
    ondemand::object args;
    if (auto error = value.get_object().get(args)) return error;
    for (auto item : args) {
        ondemand::field field;
        if (auto error = std::move(item).get(field)) return error;
        const Arg arg = find_arg(field.key().raw());
        if (arg == Arg::kCount) continue;
        std::string_view token;
        if (auto error = raw_value(field.value(), token)) return error;
        event.set(arg, token);
    }
    return simdjson::SUCCESS;
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

simdjson::error_code read_event(ondemand::object& object, RawEvent& event) {
    event.clear();
    for (auto item : object) {
        ondemand::field field;
        if (auto error = std::move(item).get(field)) return error;
        const char* key = field.key().raw();
        if (std::string_view* to = member(event, key)) {
            if (auto error = raw_value(field.value(), *to)) return error;
        } else if (key_is(key, "args")) {
            if (auto error = read_args(field.value(), event)) return error;
        }
    }
    return simdjson::SUCCESS;
}

// Just behind the first element that ends in [first, end); `end` where none does. With `suspicious`, an
// element that goes on for long ends where another seems to begin.
const char* behind_event(const char* first, const char* end, bool suspicious) {
    Scanner scanner;
    for (const char* at = first; at < end;) {
        const size_t size = std::min(kLongEvent, static_cast<size_t>(end - at));
        const Scanner::Found found = scanner.feed(at, size, true);
        if (found.last_end != Scanner::kNone) return at + found.last_end;
        if (found.array_end != Scanner::kNone) return at + found.array_end + 1;
        at += size;
        if (suspicious) {
            const char* brace = std::find(first, at, '{');
            if (const char* next = brace == at ? nullptr : find_event_start(brace + 1, end)) return next;
            suspicious = false;
        }
    }
    return end;
}

}  // namespace

struct EventReader::Parsers {
    ondemand::parser window, single, args;
};

EventReader::EventReader() : parsers_(std::make_unique<Parsers>()) {}
EventReader::~EventReader() = default;

// Null when all was read, else where the trouble began: behind the last event that was given to the sink.
const char* EventReader::read_all(char* first, char* end, EventSink& sink) {
    first[-1] = '[';
    *end = ']';
    const size_t size = static_cast<size_t>(end - first) + 2;
    ondemand::document document;
    ondemand::array events;
    if (parsers_->window.iterate(first - 1, size, size + simdjson::SIMDJSON_PADDING).get(document))
        return first;
    if (document.get_array().get(events)) return first;
    const char* last_good = nullptr;
    const auto trouble = [&] { return last_good ? behind_event(last_good, end, false) : first; };
    for (auto item : events) {
        ondemand::value value;
        ondemand::object object;
        if (item.get(value)) return trouble();
        const char* at = value.raw_json_token().data();
        if (value.get_object().get(object) || read_event(object, event_)) return trouble();
        event_.begin = at;
        event_.limit = end;
        sink.take(event_);
        last_good = at;
    }
    return nullptr;
}

// One event alone in its buffer.
bool EventReader::read_one(std::string_view text, EventSink& sink) {
    const size_t size = text.size();
    single_.assign(text);
    single_.resize(size + kPadding);
    ondemand::document document;
    ondemand::object object;
    if (parsers_->single.iterate(single_.data(), size, single_.size()).get(document)) return false;
    if (document.get_object().get(object) || read_event(object, event_)) return false;
    event_.begin = single_.data();
    event_.limit = single_.data() + size;
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
        const char* stop = behind_event(first, end, true);
        const std::string_view element(first, static_cast<size_t>(stop - first));
        const size_t brace = std::min(element.find('{'), element.size());
        const size_t junk = element.substr(0, brace).find_first_not_of(", \n\r\t");
        if (junk != std::string_view::npos) report(Diag::kBadEvent, element.substr(junk));
        const std::string_view text = element.substr(brace);
        first = stop;
        if (text.empty() || read_one(text, sink)) continue;
        std::string cleaned(text);
        if (clean(cleaned) && read_one(cleaned, sink)) {
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

void EventReader::read_scalar_args(const char* event, const char* limit,
                                   const std::function<void(std::string_view, std::string_view)>& take) {
    const char* stop = behind_event(event, limit, false);
    single_args_.assign(event, stop);
    const size_t size = single_args_.size();
    single_args_.resize(size + kPadding);
    ondemand::document document;
    ondemand::object args;
    if (parsers_->args.iterate(single_args_.data(), size, single_args_.size()).get(document)) return;
    if (document["args"].get_object().get(args)) return;
    std::string scratch;
    for (auto item : args) {
        ondemand::field field;
        std::string_view key;
        if (std::move(item).get(field) || field.unescaped_key().get(key)) return;
        const std::string_view token = field.value().raw_json_token();
        if (token[0] != '{' && token[0] != '[') take(key, token);
    }
}

}  // namespace opsight::kineto
