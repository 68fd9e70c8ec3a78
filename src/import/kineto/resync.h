// Where the text of a trace went wrong: the next place that looks like the start of an event.
#pragma once

namespace opsight::importer::kineto {

// The comma of ', {"ph"' (or another key of events) in [first, end); null where there is none. In a sound
// JSON string this cannot occur, as its quotes would be escaped.
const char* find_event_start(const char* first, const char* end);
const char* find_last_event_start(const char* first, const char* end);

}  // namespace opsight::importer::kineto
