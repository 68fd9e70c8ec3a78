// The rows of a trace: threads, processes, counters, and others below them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "import/perfetto/growth.h"
#include "model/diagnostics.h"

namespace opsight::importer::perfetto {

// Process and thread as the traces of Chrome name them: numbers, or where there are none texts.
struct Place {
    std::optional<int64_t> pid, tid;
    std::string pid_text, tid_text;
    void write(JsonWriter& event) const;
};

struct Track {
    uint64_t parent = 0;
    bool has_parent = false, is_known = false;
    std::string name;
    std::optional<int64_t> pid, tid;
    double unit = 1;           // of a counter's values
    bool incremental = false;  // each value is a change
    double sum = 0;
    std::optional<Place> place;  // once asked for
};

class Tracks {
  public:
    Tracks(Diagnostics& diagnostics, Growth& growth) : diagnostics_(diagnostics), growth_(growth) {}
    // A TrackDescriptor. `events`: what it says of names, as events of Chrome.
    void take(std::string_view descriptor, JsonWriter& events);
    // A ProcessTree: names of processes and threads.
    void take_processes(std::string_view tree, JsonWriter& events);
    Track& at(uint64_t uuid) { return tracks_[uuid]; }
    const Place& place(uint64_t uuid);

  private:
    Place settle(uint64_t uuid);
    std::string text(std::string_view bytes);
    void read_counter(std::string_view descriptor, Track& track);
    void name_process(JsonWriter& events, int64_t pid, std::string_view name);
    void label_process(JsonWriter& events, int64_t pid, std::string_view label);
    void name_thread(JsonWriter& events, const Place& place, std::string_view name);

    Diagnostics& diagnostics_;
    Growth& growth_;
    absl::flat_hash_map<uint64_t, Track> tracks_;
};

}  // namespace opsight::importer::perfetto
