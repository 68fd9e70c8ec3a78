// Source: a profile opened for the reports of stats.h and the rules of expert.h. It sets up relations that
// hide where the profile came from, and that a filter by time has passed already:
//   st_api    (id, track, begin_ns, end_ns, dur_ns, name, correlation, result): calls of the CUDA API
//   st_gpu    (rid, kind, track, begin_ns, end_ns, dur_ns, name, launch, correlation, config, bytes,
//   transfer):
//             kernels, copies and sets: see device_kind()
//   st_memop  copies and sets, with operation, copy_kind, from_kind, to_kind in the words of nsys
//   st_range  (id, track, begin_ns, end_ns, dur_ns, label, style, same_thread): NVTX ranges; style 0
//   push/pop,
//             1 start/end
//   st_labels (id, text, domain, name): text is "domain:name", ":name" in the default domain
//   st_host   (id, track, begin_ns, end_ns, dur_ns, name, kind, category): calls of other libraries
//   st_fault  (begin_ns, dur_ns, track, device, address, count): page faults of unified memory
// Times are those of the profile; shown_time() gives what a report prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/reader.h"
#include "query/session/range_views.h"

namespace opsight::query {

enum class Data : uint8_t {
    kApi,
    kKernels,
    kMemory,
    kCopies,
    kSets,
    kNvtx,
    kOsRuntime,
    kSyscalls,
    kMpi,
    kPageFaults
};
std::string_view data_name(Data data);  // "CUDA kernel"

struct Filter {
    std::optional<int64_t> begin,
        end;           // ns as the reports print them; an event that touches the window stays
    std::string nvtx;  // "range[@domain][/index]": the window is that range
};

class Source {
  public:
    // `made_of`: of a temporary profile the file that it was made of, which messages name.
    static Result<Source> open(const std::string& path, const Filter& filter,
                               const db::ReadOptions& read = {}, const std::string& made_of = {});
    Result<duck::Rows> query(const duck::Statement& statement);
    Result<duck::Rows> query(const std::string& sql) { return query(duck::Statement(sql)); }
    Status execute(const std::string& sql);
    Status execute(const duck::Statement& statements) { return execute(statements.written()); }
    duck::Connection& connection() { return profile_.connection; }
    Result<bool> has(Data data);
    // A time as reports print it.
    int64_t shown_time(int64_t time) const { return time + offset_; }
    const std::string& path() const { return path_; }

  private:
    Source(std::string path, db::OpenProfile profile)
        : path_(std::move(path)), profile_(std::move(profile)) {}
    Status look();
    Status make_relations();
    Status apply(const Filter& filter);
    Status choose_range(const std::string& wanted);

    std::string path_;
    db::OpenProfile profile_;
    int64_t offset_ = 0;
    std::optional<int64_t> window_begin_, window_end_;  // times of the profile
    std::vector<duck::Cell> data_;                      // whether there is some, by Data
};

}  // namespace opsight::query
