// Named baselines in a folder: copies of the profiles of one or more runs, and a list of them that makes them
// one. What was there under a name stays until all of the new one is written.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace opsight::cli {

struct SavedRun {
    std::string file, from;  // in the folder; what it was called where it was taken from
    int64_t iterations = 0;  // none of a whole recording
    int64_t median_ns = 0;   // of their times
};

struct Baseline {
    std::string name, saved;  // "2026-11-23T14:30:00Z"
    std::vector<SavedRun> runs;
};

class Baselines {
  public:
    explicit Baselines(std::string folder) : folder_(std::move(folder)) {}

    // Profiles, or anything that import reads.
    Result<Baseline> save(const std::string& name, const std::vector<std::string>& runs, bool replace) const;
    // By name. Of a folder that is not there none.
    Result<std::vector<Baseline>> list() const;
    // The files of its runs.
    Result<std::vector<std::string>> files(const std::string& name) const;

  private:
    std::string list_of(const std::string& name) const;
    std::string path_of(const std::string& file) const;
    Result<std::vector<std::string>> file_names() const;
    Result<size_t> free_turn(const std::string& name) const;
    Result<Baseline> read(const std::string& name) const;
    Result<SavedRun> save_run(const std::string& from, const std::string& file) const;
    Status write_list(const Baseline& baseline, bool replace) const;

    std::string folder_;
};

}  // namespace opsight::cli
