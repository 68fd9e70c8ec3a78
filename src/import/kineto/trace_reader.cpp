#include "import/kineto/trace_reader.h"

#include <algorithm>
#include <cstring>

#include "base/progress.h"
#include "base/text.h"
#include "import/kineto/resync.h"

namespace opsight::importer::kineto {
namespace {

constexpr size_t kTopChunk = size_t{1} << 16;
constexpr size_t kReadBytes = size_t{1} << 18;    // scanned while they are in the cache
constexpr size_t kFirstWindow = size_t{1} << 16;  // of a small trace: grows with what is read
constexpr size_t kSkipChunk = size_t{1} << 20;

}  // namespace

void Window::reserve(size_t bytes, size_t used) {
    if (bytes <= capacity_) return;
    auto bigger = std::make_unique_for_overwrite<char[]>(kHeadroom + bytes + kPadding);
    if (used > 0) std::memcpy(bigger.get() + kHeadroom, begin(), used);
    buffer_ = std::move(bigger);
    capacity_ = bytes;
}

void Window::shrink(size_t most) {
    if (capacity_ <= most) return;
    buffer_.reset();
    capacity_ = 0;
}

Result<bool> TraceReader::next(Window& window) {
    if (state_ == State::kStart) OPSIGHT_TRY(read_start());
    while (state_ != State::kDone) {
        if (state_ == State::kTop || state_ == State::kEnd) {
            OPSIGHT_TRY(state_ == State::kTop ? read_top() : look_behind());
            continue;
        }
        OPSIGHT_ASSIGN(const bool got, next_events(window));
        if (!got) continue;
        window.sequence = sequence_++;
        return true;
    }
    return false;
}

// --- what stands around the events

Result<bool> TraceReader::fill() {
    text_.erase(0, at_);
    at_ = 0;
    if (source_ended_) return false;
    const size_t had = text_.size();
    text_.resize(had + kTopChunk);
    OPSIGHT_ASSIGN(const size_t got, source_.read(text_.data() + had, kTopChunk));
    text_.resize(had + got);
    read_ += got;
    source_ended_ = got == 0;
    return got > 0;
}

Result<int> TraceReader::peek() {
    for (;;) {
        while (at_ < text_.size() && text::is_space(text_[at_]))
            ++at_;
        if (at_ < text_.size()) return static_cast<uint8_t>(text_[at_]);
        OPSIGHT_ASSIGN(const bool more, fill());
        if (!more) return -1;
    }
}

Status TraceReader::read_start() {
    OPSIGHT_ASSIGN(int c, peek());
    if (c == 0xef && text_.compare(at_, 3, "\xef\xbb\xbf") == 0) {  // byte order mark
        at_ += 3;
        OPSIGHT_ASSIGN(c, peek());
    }
    if (c < 0) return fail("is empty");
    if (c != '{' && c != '[')
        return fail("is not JSON: '{' or '[' was expected", {}, "byte " + std::to_string(place()));
    ++at_;
    bare_list_ = found_events_ = c == '[';
    state_ = bare_list_ ? State::kEvents : State::kTop;
    return {};
}

void TraceReader::truncated(std::string what) {
    if (const std::string damage = source_.damage(); !damage.empty()) what += "; " + damage;
    diagnostics_.add(Diag::kTruncatedInput, {{}, static_cast<int64_t>(read_), -1, std::move(what)});
    state_ = State::kDone;
}

Status TraceReader::read_top() {
    OPSIGHT_ASSIGN(const int c, peek());
    if (c == '}') {
        ++at_;
        state_ = State::kEnd;
    } else if (c == ',') {
        ++at_;
    } else if (c == '"') {
        return read_member();
    } else if (!found_events_) {
        return fail(c < 0 ? "ends before the list of events begins" : "is not JSON: a key was expected", {},
                    "byte " + std::to_string(place()));
    } else {
        truncated(c < 0 ? "the trace ends before its closing brace" : "there is no JSON behind the events");
    }
    return {};
}

Status TraceReader::look_behind() {
    OPSIGHT_ASSIGN(const int c, peek());
    state_ = State::kDone;
    if (c > 0)
        diagnostics_.add(Diag::kMoreDocuments, {{},
                                                static_cast<int64_t>(place()),
                                                -1,
                                                c == '{' || c == '[' ? "another JSON document"
                                                : c < ' ' || c > '~' ? "binary data behind the trace"
                                                                     : "text behind the trace"});
    return {};
}

Status TraceReader::read_member() {
    std::string key, value;
    OPSIGHT_ASSIGN(bool whole, read_string(key));
    if (whole) {
        OPSIGHT_ASSIGN(const int colon, peek());
        whole = colon == ':';
        if (whole) ++at_;
    }
    OPSIGHT_ASSIGN(const int first, peek());
    if (whole && first == '[' && key == "\"traceEvents\"") {
        ++at_;
        found_events_ = true;
        state_ = State::kEvents;
        return {};
    }
    if (whole) {
        OPSIGHT_ASSIGN(whole, read_value(value));
    }
    if (!whole) {
        if (!found_events_)
            return fail("ends or breaks before the list of events begins", {},
                        "byte " + std::to_string(place()));
        truncated("the trace breaks off behind the events");
        return {};
    }
    header_.emplace_back(key.substr(1, key.size() - 2), std::move(value));
    return {};
}

// A string with its quotes; at its first quote now. False where the source ends in it.
Result<bool> TraceReader::read_string(std::string& to) {
    bool escaped = false, opened = false;
    for (;;) {
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (to.size() < limits_.header_value) to += c;
            if (!escaped && c == '"' && opened) {
                ++at_;
                return true;
            }
            opened = true;
            escaped = !escaped && c == '\\';
        }
        OPSIGHT_ASSIGN(const bool more, fill());
        if (!more) return false;
    }
}

// Any JSON value; a value above the limit is passed over and comes back empty.
Result<bool> TraceReader::read_value(std::string& to) {
    int64_t depth = 0;
    bool too_big = false;
    for (;;) {
        OPSIGHT_ASSIGN(const int c, peek());
        if (c < 0) return false;
        if (c == '"') {
            std::string string;
            OPSIGHT_ASSIGN(const bool whole, read_string(string));
            if (!whole) return false;
            to += string;
        } else {
            const bool closes = c == '}' || c == ']';
            if (depth == 0 && (c == ',' || closes)) break;
            depth += c == '{' || c == '[' ? 1 : closes ? -1 : 0;
            to += static_cast<char>(c);
            ++at_;
        }
        if (to.size() > limits_.header_value) {
            too_big = true;
            to.clear();
        }
        if (depth == 0 && (c == '"' || c == '}' || c == ']')) break;
    }
    if (too_big) to.clear();
    return true;
}

// --- the events

// Gives out [0, end) of the window and keeps [end, used), of which the scanner knows all or nothing.
bool TraceReader::hand_out(Window& window, size_t end, size_t used, size_t scanned) {
    window.size = end;
    text_.assign(window.begin() + end, used - end);
    at_ = 0;
    scanned_ = scanned;
    return true;
}

bool TraceReader::leave_events(Window& window, size_t close, size_t used) {
    hand_out(window, close, used, 0);
    at_ = 1;
    scanner_.reset();
    state_ = bare_list_ ? State::kEnd : State::kTop;
    return true;
}

// A brace that closes nothing: an opening one was lost before it, and the list goes on behind it.
bool TraceReader::pass_stray_brace(Window& window, size_t close, size_t used) {
    diagnostics_.add(
        Diag::kBadEvent,
        {{}, static_cast<int64_t>(window.offset + close), -1, "a closing brace without its opening one"});
    scanner_.reset();
    window.begin()[close] = ' ';
    return hand_out(window, close, used, 0);
}

Result<bool> TraceReader::next_events(Window& window) {
    window.shrink(limits_.window * 2);
    size_t used = text_.size() - at_, scanned = scanned_, end = Scanner::kNone;
    window.reserve(std::max(std::min(kFirstWindow, limits_.window), used), 0);
    std::memcpy(window.begin(), text_.data() + at_, used);
    window.offset = read_ - used;
    text_.clear();
    at_ = scanned_ = 0;
    for (;;) {
        const Scanner::Found found = scanner_.feed(window.begin() + scanned, used - scanned);
        if (found.array_end != Scanner::kNone) {
            const size_t close = scanned + found.array_end;
            if (window.begin()[close] == ']') return leave_events(window, close, used);
            return pass_stray_brace(window, close, used);
        }
        if (found.last_end != Scanner::kNone) end = scanned + found.last_end;
        scanned = used;
        if (end != Scanner::kNone && (used >= limits_.window || source_ended_))
            return hand_out(window, end, used, used - end);
        if (source_ended_) return end_of_source(window, used);
        if (used >= limits_.event) return pass_over(window, used);
        if (used == window.capacity()) window.reserve(used * 2, used);
        OPSIGHT_ASSIGN(const size_t got,
                       source_.read(window.begin() + used, std::min(kReadBytes, window.capacity() - used)));
        used += got;
        read_ += got;
        source_ended_ = got == 0;
    }
}

// The source ended in the list of events; [0, used) is what came after the last whole event.
Result<bool> TraceReader::end_of_source(Window& window, size_t used) {
    const char* const begin = window.begin();
    const auto rest =
        std::find_if(begin, begin + used, [](char c) { return !text::is_space(c) && c != ','; });
    const auto unused = static_cast<size_t>(begin + used - rest);
    if (unused == 0) {
        const bool ends_behind_comma = std::find(begin, begin + used, ',') != begin + used;
        if (may_stay_open_ && bare_list_ && ends_behind_comma && source_.damage().empty()) {
            state_ = State::kDone;
            return false;
        }
        truncated(bare_list_ ? "the list of events is not closed: it was cut off between two events, or its "
                               "writer never closes it"
                             : "the list of events is not closed");
        return false;
    }
    if (const char* resume = find_last_event_start(rest, begin + used)) {
        scanner_.reset();
        return hand_out(window, static_cast<size_t>(resume - begin), used, 0);
    }
    truncated(std::to_string(unused) + " bytes of an unfinished event are lost");
    return false;
}

// An event above the limit: either a lost quote or bracket hides the ends of events, or it really is that
// big.
Result<bool> TraceReader::pass_over(Window& window, size_t used) {
    const char* const begin = window.begin();
    if (const char* resume = find_last_event_start(begin + 1, begin + used)) {
        scanner_.reset();
        return hand_out(window, static_cast<size_t>(resume - begin), used, 0);
    }
    DiagOccurrence where = {{}, static_cast<int64_t>(window.offset), -1, {}};
    uint64_t passed = used;
    for (;;) {
        window.reserve(kSkipChunk, 0);
        OPSIGHT_ASSIGN(const size_t got, source_.read(window.begin(), kSkipChunk));
        read_ += got;
        source_ended_ = got == 0;
        if (got == 0) {
            truncated(std::to_string(passed) + " bytes of an unfinished event are lost");
            return false;
        }
        size_t end = scanner_.feed(window.begin(), got, true).last_end;
        if (end == Scanner::kNone) {
            if (const char* resume = find_event_start(window.begin(), window.begin() + got))
                end = static_cast<size_t>(resume - window.begin());
        }
        passed += end == Scanner::kNone ? got : end;
        if (end == Scanner::kNone) continue;
        where.text = "an event of " + format_bytes(passed);
        diagnostics_.add(Diag::kBadEvent, std::move(where));
        scanner_.reset();
        hand_out(window, end, got, 0);
        window.size = 0;
        return true;
    }
}

}  // namespace opsight::importer::kineto
