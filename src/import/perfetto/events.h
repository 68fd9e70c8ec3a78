// The events of a trace (TrackEvent) as events of Chrome, in PyTorch's words.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "import/perfetto/sequence.h"
#include "import/perfetto/tracks.h"

namespace opsight::importer::perfetto {

class Events {
  public:
    Events(JsonWriter& json, Diagnostics& diagnostics, Growth& growth)
        : tracks(diagnostics, growth), json_(json), diagnostics_(diagnostics), growth_(growth) {}
    void take(std::string_view event, const Sequence& sequence, uint32_t sequence_number, int64_t time);
    // What has no end is told as begun.
    void finish();
    uint64_t count() const { return count_; }

    Tracks tracks;

  private:
    // One event as it was told.
    struct Told {
        int64_t time = 0;
        uint64_t track = 0;
        uint32_t sequence = 0;
        int type = 0;
        char phase = 0;  // of a legacy event, where it has no type
        int64_t dur = 0;
        uint64_t id = 0;
        std::optional<int64_t> pid, tid;
        std::string category, name, arguments;  // members of an object, without its braces
        std::vector<uint64_t> flows, ending_flows;
        std::vector<double> values, extra, extra_real;
        // Where they are not those of the sequence.
        std::optional<std::vector<uint64_t>> counters, real_counters;
        size_t size() const { return sizeof(Told) + category.size() + name.size() + arguments.size(); }
    };
    Told read(std::string_view event, const Sequence& sequence);
    void read_field(const protobuf::Field& field, const Sequence& sequence, Told& told);
    void read_numbers(const protobuf::Field& field, Told& told);
    void read_legacy(std::string_view event, const Sequence& sequence, Told& told);
    std::string text_of(const Sequence& sequence, Interned kind, uint64_t number);
    void put(Told told);
    void end(const Told& told);
    void put_closed(uint64_t track);
    bool is_affordable(const Place& place, size_t more = 0);
    void put_counters(const std::vector<uint64_t>& counters, const std::vector<double>& values, int64_t time);
    std::string_view category_for(const Told& told);
    void put_span(const Told& told, std::string_view phase, int64_t dur);
    void put_flows(const Told& told, const Place& place, std::string_view category);
    void put_arrow(std::string_view phase, std::string_view kind, const Place& place, int64_t time,
                   uint64_t id);
    void put_counter(uint64_t track, int64_t time, double value);
    Place place_of(const Told& told);

    JsonWriter& json_;
    Diagnostics& diagnostics_;
    Growth& growth_;
    struct Closed {
        Told slice;
        int64_t end;
    };
    absl::flat_hash_map<uint64_t, std::vector<Told>> open_;      // by track
    absl::flat_hash_map<uint64_t, std::vector<Closed>> closed_;  // by track; alike, the inner first
    absl::flat_hash_set<uint64_t> begun_flows_;
    uint64_t count_ = 0;
    std::string kernels_told_as_;  // a category of rocprofv2
};

}  // namespace opsight::importer::perfetto
