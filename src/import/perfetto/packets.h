// What the fields of a packet are (TracePacket).
#pragma once

#include <string>

namespace opsight::importer::perfetto {

namespace packet {
enum {
    kProcesses = 2,
    kSnapshot = 6,
    kTime = 8,
    kSequence = 10,
    kEvent = 11,
    kInterned = 12,
    kFlags = 13,
    kLostBefore = 42,
    kCompressed = 50,
    kClock = 58,
    kDefaults = 59,
    kTrack = 60
};
}

// Whether it is bookkeeping of Perfetto itself, of which nothing would be shown.
bool is_of_service(int field);

// "ftrace_events"; "packet 117" where it has no name here.
std::string name_of_packet(int field);

}  // namespace opsight::importer::perfetto
