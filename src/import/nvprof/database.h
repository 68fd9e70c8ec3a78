// A database of nvprof ('nvprof -o FILE', .nvvp, .sql), opened: its texts, and the parts that its readers
// share. Tables and columns are read by name as those of exports of Nsight Systems are; their names are
// alike, what stands in them is not: texts by number in StringTable, calls by CUPTI's number, threads as the
// system's 32 bits, ns since 1970, NVTX ranges as a begin and an end that share a number.
//
// nvprof writes a file for each process, so all of a file is of one.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "import/nsys/report.h"

namespace opsight::importer::nvprof {

using nsys::Columns;
using nsys::Report;
using nsys::Table;

class Database {
  public:
    explicit Database(Report& report) : report_(report) {}
    Status load_texts();

    Report& report() { return report_; }
    ProfileBuilder& builder() { return report_.builder(); }

    // The text of that number, C++ names demangled; "(name lost)" and a diagnostic where there is none.
    StringId text(int64_t id);
    std::string_view raw(int64_t id) const;  // as it stands; empty where there is none

    void set_process(int64_t pid);  // the first one told stays
    int64_t process() const { return pid_; }
    RankId rank() { return report_.any_rank(); }
    TrackId thread(int64_t tid);

  private:
    struct Text {
        std::string raw;
        StringId id;
    };
    Report& report_;
    absl::flat_hash_map<int64_t, Text> texts_;
    int64_t pid_ = 0;
};

// What a row of a name or a marker is about: 4 bytes of the process and 8 of its thread. False: of something
// else.
struct Object {
    int64_t process = 0, thread = 0;
};
bool read_object(std::string_view bytes, Object& object);

Status read_calls(Database& database);    // of the runtime and the driver; before all others
Status read_work(Database& database);     // kernels, copies, sets, waits
Status read_markers(Database& database);  // NVTX
Status read_machine(Database& database);  // devices, contexts, names, the command; after all others

}  // namespace opsight::importer::nvprof
