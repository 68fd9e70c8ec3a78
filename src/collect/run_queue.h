// How long the calling thread was ready to run while it had no processor, as Linux counts it (schedstat):
// read around ops, not more often than every millisecond or so, which costs some 0.2 % of the time.
#pragma once

#include <cstdint>

#include "wire/writer.h"

namespace opsight::collect {

// Of the text of a schedstat file: ns on a processor, ns ready without one. False where it is none.
bool read_schedstat(const char* text, uint64_t& ran_ns, uint64_t& waited_ns);

class RunQueue {
  public:
    // Stays closed where the system does not count it.
    void open();
    void close();
    bool due(uint64_t now) const { return now >= next_; }
    bool is_open() const { return file_ >= 0; }
    // Appends a reading, of `now`.
    void sample(wire::ThreadStream& stream, uint64_t now);

  private:
    static constexpr uint64_t kEvery = 2'000'000;  // ticks: half a millisecond to two
    bool read(uint64_t& ran_ns, uint64_t& waited_ns) const;

    int file_ = -1;
    uint64_t next_ = UINT64_MAX;
};

}  // namespace opsight::collect
