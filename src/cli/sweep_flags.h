// The options that say how a sweep is shown: what its curves are over, limits, a prediction, a format.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "query/sweep/sweep_folder.h"
#include "query/sweep/tables.h"

namespace opsight::cli {

class SweepFlags {
  public:
    void declare(CLI::App& sub);
    // Before anything long begins: what can be wrong with the options alone.
    Status check() const;
    // What is predicted is kept in the folder.
    Result<int> show(const query::Sweep& sweep, const query::SweepFolder& folder) const;
    Result<int> compare(const query::Sweep& base, const query::Sweep& next) const;

  private:
    Result<query::SweepOptions> options_for(const query::Sweep& sweep) const;
    Result<query::Prediction> predict(const query::Sweep& sweep, const query::SweepOptions& options) const;
    query::TableShape shape() const;
    Status write(const query::Report& report, const std::string& svg, const std::string& letters) const;

    std::string x_, items_, work_, model_, device_, format_ = "table", report_;
    double most_latency_ns_ = 0, most_memory_bytes_ = 0;
    int64_t limit_ = -1;
    bool train_ = false, wide_ = false;
};

}  // namespace opsight::cli
