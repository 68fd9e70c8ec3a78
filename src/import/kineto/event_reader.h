// Turns a window of trace events (JSON objects with commas between them) into RawEvents, in one go; where
// that meets something that is not JSON, the events are taken one by one, repaired if only their text is
// unclean, else counted and left out.
#pragma once

#include <functional>
#include <string>

#include "import/kineto/event.h"
#include "import/kineto/structure.h"
#include "model/diagnostics.h"

namespace opsight::importer::kineto {

// Bytes that must be allocated (not set) before and behind a window.
inline constexpr size_t kHeadroom = 64, kPadding = 128;

class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void take(const RawEvent& event) = 0;
};

class EventReader {
  public:
    // Reads the events in [begin, begin + size), which started at byte `offset` of the source. The byte
    // behind is overwritten. Views in the events are valid during the call.
    void read(char* begin, size_t size, uint64_t offset, EventSink& sink, Diagnostics& diagnostics);
    // Calls `take(key, token)` for every scalar argument of the event that the sink is being given.
    void read_scalar_args(const std::function<void(std::string_view, std::string_view)>& take);

  private:
    const char* read_all(char* first, char* end, EventSink& sink);
    void read_singly(const char* first, const char* end, uint64_t offset, EventSink& sink,
                     Diagnostics& diagnostics);
    bool read_one(std::string_view text, EventSink& sink);

    Structure structure_;
    RawEvent event_;
    std::string single_;
};

}  // namespace opsight::importer::kineto
