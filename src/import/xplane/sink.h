// Where the planes of one file go: its rank, what is wrong with it, and what is only known at its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/xplane/plane.h"
#include "import/xplane/programs.h"
#include "model/profile_builder.h"

namespace opsight::importer::xplane {

// One step of the program, on the host or as a device's line of steps has it.
struct Step {
    int64_t begin = 0, dur = 0, number = -1;
    TrackId track;  // of a host thread; else invalid
    std::string name;
};

class Sink {
  public:
    Sink(ProfileBuilder& to, RankId of, const std::string& file) : builder(to), rank(of), file_(file) {}

    // With what is not a text replaced, which a diagnostic counts.
    StringId text(std::string_view raw);
    void note(Diag diag, std::string_view what, int64_t time = -1);
    // Calls take(event) for each event of the line that has a time.
    template <class Take>
    void each_event(const Plane& plane, const Line& line, Take take) {
        Event event;
        for (const std::string_view bytes : line.events)
            if (is_usable(plane.read_event(line, bytes, event), event)) take(event);
    }
    // Adds the steps to the profile: those of a TPU's own line, for its work runs long after the host's
    // steps; else those of the host; else those of another device; else runs of the program that takes most
    // of the first device's time.
    void add_steps();

    ProfileBuilder& builder;
    const RankId rank;
    Programs programs;
    uint64_t events = 0;
    std::vector<Step> host_steps;
    std::vector<std::vector<Step>> device_steps;  // of each line of steps
    std::vector<std::vector<Step>> program_runs;  // of each line "XLA Modules"
    bool has_tpu = false;
    bool has_jax = false, has_tensorflow = false;
    int64_t profile_start = -1;  // ns since 1970
    int64_t latest = 0;          // begin of all events, as told

  private:
    void add_runs();
    bool is_usable(Unusable why, const Event& event);

    const std::string& file_;
};

}  // namespace opsight::importer::xplane
