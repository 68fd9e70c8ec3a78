// Samples of CPUs that a source has only summed, by stack.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <vector>

#include "import/reader/one_file.h"

namespace opsight::importer::stacks {

inline constexpr int64_t kMostSamples = 10'000'000;  // in a file

// Turns sums into single samples, one behind the other: when each was taken, the source does not tell.
class Samples {
  public:
    static constexpr size_t kMostFrames = 1024;               // of a stack: its innermost are kept
    static constexpr size_t kMostName = 4096;                 // bytes of a frame
    static constexpr uint64_t kMostText = uint64_t{1} << 30;  // bytes of different stacks

    // `most`: samples that a file may have.
    Samples(const OneFile& file, ProfileBuilder& builder, int64_t most);
    // `frames`: from the innermost out. An error where there are more samples than can be, for then the
    // numbers count something else, or more text than memory is for: a row of a few bytes may name long
    // stacks. `place`: of the row in the source.
    Status add(const std::vector<std::string_view>& frames, int64_t count, TrackId thread,
               const std::string& place);
    TrackId thread(int64_t pid, int64_t tid, std::string_view name);
    void note(Diag diag, std::string text);
    uint64_t count() const { return static_cast<uint64_t>(clock_); }

  private:
    const OneFile& file_;
    ProfileBuilder& builder_;
    RankId rank_;
    const int64_t most_;
    int64_t clock_ = 0;        // how many there are
    uint64_t text_bytes_ = 0;  // of stacks, each once
    int64_t newest_ = -1;      // of their texts
};

}  // namespace opsight::importer::stacks
