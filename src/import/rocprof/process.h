// One process of rocprofv3's results.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <simdjson.h>

#include <string>

#include "import/rocprof/markers.h"
#include "model/profile_builder.h"

namespace opsight::importer::rocprof {

class Process {
  public:
    Process(const simdjson::dom::object& results, const std::string& file, ProfileBuilder& builder);
    // Rows that became spans.
    uint64_t read();

  private:
    using Object = simdjson::dom::object;
    struct Agent {
        int64_t number = 0;  // among the GPUs
        bool is_gpu = false;
    };
    struct Kernel {
        StringId name;
        int64_t registers = -1;
    };

    void read_facts();
    void read_agents();
    void read_names();
    void read_records(std::string_view list, void (Process::*take)(const Object&));
    void note_unread();

    void take_call(const Object& record);
    void take_library_call(const Object& record);
    void take_marker(const Object& record);
    void take_kernel(const Object& record);
    void take_copy(const Object& record);
    void add_device(const Object& record, DeviceSpan& span, int64_t agent, int64_t queue);

    template <class Span>
    bool read_times(const Object& record, Span& span);
    StringId operation(const Object& record);
    TrackId thread(const Object& record);
    int64_t place_of(int64_t agent);
    StringId intern(std::string_view text);
    void note(Diag diag, std::string text);

    const Object results_;
    const std::string& file_;
    ProfileBuilder& builder_;
    RankId rank_;
    int64_t pid_ = 0;
    uint64_t events_ = 0;
    absl::flat_hash_map<int64_t, Agent> agents_;
    absl::flat_hash_map<int64_t, Kernel> kernels_;
    absl::flat_hash_map<int64_t, StringId> markers_;  // texts, by correlation id
    Markers roctx_;
    absl::flat_hash_map<std::pair<int64_t, int64_t>, StringId> operations_;  // by kind and number
};

}  // namespace opsight::importer::rocprof
