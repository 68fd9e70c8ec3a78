// One process of a rocpd database: what its rows refer to, then the rows.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <string_view>

#include "import/nsys/report.h"
#include "import/rocprof/markers.h"

namespace opsight::importer::rocprof {

class RocpdProcess {
  public:
    // `suffix`: of its tables' names; `number` counts the processes of the file from 1.
    RocpdProcess(nsys::Report& report, std::string suffix, int64_t number);
    Status read();

  private:
    using Table = nsys::Table;
    using Columns = nsys::Columns;
    // What a row or its track says of where it ran; -1: nothing.
    struct Place {
        int64_t pid = -1, tid = -1, agent = -1, queue = -1, stream = -1;
    };
    struct Event {
        int64_t call = -1;     // the number that a call and the work that it launched share
        StringId category{0};  // "HIP_RUNTIME_API"
        StringId message{0};   // of a marker
    };
    struct Agent {
        int64_t number = 0;  // among the GPUs
        bool is_gpu = false;
    };
    struct Symbol {
        StringId name{0};
        int64_t registers = -1;
    };
    Status each(std::string_view table, const Columns& columns, const std::function<void(Table&)>& row,
                bool counted = false);
    // `own` behind the columns in which a row says when and where it was.
    Status each_record(std::string_view table, Columns own, const std::function<void(Table&)>& row);

    Status read_texts();
    Status read_machine();
    void take_process(Table& row);
    void take_agent(Table& row);
    Status read_places();
    Status read_events();
    StringId message_in(std::string_view json);

    void add_call(HostSpan span, const Event& event, StringId name);
    void take_region(Table& row);
    void take_sample(Table& row);
    void take_kernel(Table& row);
    void take_copy(Table& row);
    void add_device(Table& row, DeviceSpan& span, const Place& place, int64_t agent);

    bool times(Table& row, int64_t& begin, int64_t& dur);
    bool stamp(int64_t id, int64_t& time);
    Place place_of(Table& row);
    Event event_of(Table& row);
    TrackId thread(const Place& place);
    bool is_gpu(int64_t agent) const;
    int64_t number_of(int64_t agent);
    template <class Value>
    const Value* find(const absl::flat_hash_map<int64_t, Value>& in, int64_t id, std::string_view what) {
        const auto found = in.find(id);
        if (found != in.end()) return &found->second;
        report_.note(Diag::kDanglingId, fmt::format("{} {}", what, id));
        return nullptr;
    }

    nsys::Report& report_;
    ProfileBuilder& builder_;
    const std::string suffix_;
    RankId rank_;
    simdjson::dom::parser parser_;
    absl::flat_hash_map<int64_t, StringId> categories_;  // where they have a table of their own
    bool has_categories_ = false;
    absl::flat_hash_map<int64_t, int64_t> pids_, tids_, stamps_;
    absl::flat_hash_map<int64_t, StringId> stream_names_, thread_names_;
    absl::flat_hash_map<int64_t, Agent> agents_;
    absl::flat_hash_map<int64_t, Symbol> symbols_;
    absl::flat_hash_map<int64_t, Place> places_;
    absl::flat_hash_map<int64_t, Event> events_;
    Markers roctx_;
};

}  // namespace opsight::importer::rocprof
