// One run of rocprof, as its tables tell it: agents first, then what ran.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "import/rocprof/markers.h"
#include "import/rocprofcsv/columns.h"
#include "model/profile_builder.h"

namespace opsight::importer::rocprofcsv {

using Row = std::vector<std::string>;

class Run {
  public:
    // `name` is shown as its source. Its rank begins with the first row.
    Run(std::string name, ProfileBuilder& builder) : name_(std::move(name)), builder_(builder) {}
    // A table, in the order of enum Table. Gives back its bytes.
    Result<uint64_t> read(PeekedSource& source, const std::string& file);
    // The table of counters of another pass over the same program, whose kernels ran again: its counters join
    // those of this one's dispatches, or it is left out where they are not the same. Behind all of read().
    Result<uint64_t> read_pass(PeekedSource& source, const std::string& file);
    void finish();
    uint64_t events() const { return events_; }

  private:
    struct Agent {
        int64_t node = -1, logical = -1, number = 0;  // `number` counts GPUs
        bool is_gpu = false;
        std::string name, chip;
        int64_t compute_units = 0, wave = 0, gfx_version = 0, clock_mhz = 0;
    };
    // Where a kernel is, for its counters, and what it was.
    struct Moment {
        int64_t time = 0;
        DeviceId device;
        RankId rank;
        StringId kernel;
    };
    struct Counted {
        int64_t dispatch = 0;
        std::string counter, value;
        uint64_t line = 0;
    };
    // What a pass counted.
    struct Pass {
        std::vector<Counted> counted;
        absl::flat_hash_map<int64_t, StringId> kernels;  // of dispatches
        std::string odd;                                 // what does not fit; empty: nothing
    };

    void take(const Row& row);
    void take_agent(const Row& row);
    void take_call(const Row& row);
    void take_copy(const Row& row);
    void take_kernel(const Row& row);
    void take_counter(const Row& row);
    void take_dispatch(const Row& row);
    void take_op(const Row& row);
    void take_message(const Row& row);

    template <class Span>
    bool read_times(const Row& row, Span& span);
    bool is_one_process(const Row& row);
    Result<Pass> pass_in(PeekedSource& source, uint64_t& bytes);
    LaunchConfig config_of(const Row& row) const;
    Moment add_kernel(const Row& row, DeviceSpan span, int64_t process);
    Moment add_moment(const Row& row, int64_t process);
    bool is_timed(const Row& row) const;
    void count(const Row& row, const Moment& moment);
    bool is_told_elsewhere(DeviceKind kind, bool by_hsa);
    void settle_table(const std::string& file);
    void settle_messages();
    void add_range(int64_t begin, int64_t end, StringId text);
    void add_counter(const Moment& moment, std::string_view kernel, std::string_view counter,
                     std::string_view value);
    StringId kernel_name(const Row& row);

    RankId rank_of(int64_t process);
    const Agent* agent_of(std::string_view label) const;
    int64_t number_of(std::string_view label, bool& is_gpu);
    DeviceId device_of(RankId rank, std::string_view label);
    void note(Diag diag, std::string_view text);

    const std::string name_;
    ProfileBuilder& builder_;
    std::string file_;
    uint64_t line_ = 0, events_ = 0, unused_ = 0;
    const Columns* columns_ = nullptr;
    std::map<int64_t, RankId> ranks_;  // by process where a table has those of several, else 0
    int64_t process_ = 0;              // that calls name; 0: none does
    std::string guid_;
    std::vector<Agent> agents_;
    // Of dispatches, by process (0 where a table has those of one) and number.
    absl::flat_hash_map<std::pair<int64_t, int64_t>, Moment> moments_;
    std::optional<bool> dispatches_timed_;              // of this table
    bool timed_dispatches_ = false;                     // of any
    std::set<std::string, std::less<>> dispatched_to_;  // labels of GPUs
    uint64_t copies_of_hsa_ = 0, repeated_ = 0;
    // Of roctx in rocprofv2's table: an end has no text.
    struct Message {
        int64_t time = 0, range = 0;
        StringId text;
    };
    std::vector<Message> messages_;
    bool has_times_ = false;
    int64_t clock_ = 0;  // of kernels without times
    rocprof::Markers roctx_;
};

}  // namespace opsight::importer::rocprofcsv
