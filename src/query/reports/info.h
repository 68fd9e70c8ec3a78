// What is in a profile: the answer behind `opsight info`.
#pragma once

#include "query/ask/result_table.h"
#include "query/reports/device_words.h"
#include "query/session/session.h"

namespace opsight::query {

struct Info {
    std::string producer, writer;
    std::vector<std::string> frameworks, sources;
    int64_t begin_ns = 0, end_ns = 0, origin_ns = 0;
    bool origin_is_unix = false;
    bool not_one_job = false;  // the files cannot be ranks of one job
    bool device_work = false;  // kernels, copies, sets or graphs recorded as a whole
    ResultTable ranks, devices, counts, diagnostics;
    ResultTable clocks;  // of ranks, and how they were corrected; none of a profile of one rank
    ResultTable unread;  // tables of the source that hold rows and are not used
    Range iterations;
    DeviceWords words;
    std::vector<std::pair<std::string, std::string>> properties;
};

Result<Info> profile_info(Session& session);

}  // namespace opsight::query
