// What a span of the host that is neither an op nor an API call says of its thread: that the program runs,
// that it waits, that it reads or writes files, that it communicates. Names are looked at once each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

enum class HostState : uint8_t {
    kSaysNothing,   // ops and API calls are counted by themselves
    kRuns,          // a Python frame, a module, a range, a call of a library or of the system
    kWaits,         // a lock, a sleep, poll and the like; of what is open the innermost decides
    kFileIo,        // read, write and their kin; of what kind the file is, a name does not tell
    kCommunicates,  // a collective of gloo, MPI or UCC, or another call that moves data between processes
};

// Whether the range is a collective of a backend that works on the host ("gloo:all_reduce").
bool is_host_collective(std::string_view range);
HostState state_of_range(std::string_view name);
HostState state_of_message_passing(std::string_view call);

HostState state_of_python_frame(std::string_view name);
HostState state_of_system_call(std::string_view name);

class HostStates {
  public:
    explicit HostStates(const StringPool& strings) : strings_(strings) {}
    HostState of(HostKind kind, StringId name);

  private:
    using Known = std::vector<int8_t>;  // by name; -1: not looked at yet
    HostState look_up(Known& known, StringId name, HostState (*judge)(std::string_view));

    const StringPool& strings_;
    Known frames_, calls_, ranges_, messages_;
};

}  // namespace opsight::analyze
