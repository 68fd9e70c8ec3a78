// The CSV files of DLProf, for `opsight report --style dlprof`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/dlprof/dlprof.h"

namespace opsight::cli {

struct DlprofArguments {
    std::string path;                  // a profile, or a trace that is imported on the way
    std::vector<std::string> reports;  // empty, or "all": all of them
    std::string output;                // folder; empty: this one
    std::string profile_name;          // empty: "dlprof"
    bool overwrite = false;
    std::string mode;
    std::vector<std::string> domains;  // one set of reports for each; empty, or "all": one set of all
    query::dlprof::Options options;
};
Result<int> report_dlprof(const DlprofArguments& arguments);

}  // namespace opsight::cli
