// Turns a window of trace events (JSON objects with commas between them) into RawEvents. simdjson reads the
// window in one go; where it meets something that is not JSON, the events are taken one by one, repaired if
// only their text is unclean, else counted and left out.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "import/kineto/event.h"
#include "model/diagnostics.h"

namespace opsight::kineto {

// Bytes that must be allocated (not set) before and behind a window.
inline constexpr size_t kHeadroom = 64, kPadding = 128;

class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void take(const RawEvent& event) = 0;
};

class EventReader {
  public:
    EventReader();
    ~EventReader();

    // Reads the events in [begin, begin + size), which started at byte `offset` of the source. Bytes right
    // before and behind are overwritten. Views in the events are valid during the call.
    void read(char* begin, size_t size, uint64_t offset, EventSink& sink, Diagnostics& diagnostics);
    // Calls `take(key, token)` for every scalar argument of an event; `event` begins at its opening brace and
    // ends before `limit`.
    void read_scalar_args(const char* event, const char* limit,
                          const std::function<void(std::string_view, std::string_view)>& take);

  private:
    struct Parsers;
    const char* read_all(char* first, char* end, EventSink& sink);
    void read_singly(const char* first, const char* end, uint64_t offset, EventSink& sink,
                     Diagnostics& diagnostics);
    bool read_one(std::string_view text, EventSink& sink);

    std::unique_ptr<Parsers> parsers_;
    RawEvent event_;
    std::string single_, single_args_;
};

}  // namespace opsight::kineto
