// ProfileBuilder: the one way to make a Profile. Importers add what they read, in any order; finish() orders
// it.
//
// Phases: begin_rank -> tracks, devices, spans of that rank -> (next rank) -> finish. Times given to the
// builder are ns on the source's clock; finish() moves them so that the first span begins at 0. Not safe for
// concurrent use: parallel readers parse into batches of their own and add those one after another.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string_view>
#include <tuple>

#include "model/profile.h"

namespace opsight {

struct HostSpan {
    int64_t begin = 0, dur = 0;
    TrackId track;
    StringId name;
    HostKind kind = HostKind::kOther;
    uint8_t flags = 0;
};

struct OpDetail {
    SignatureId signature;
    int64_t sequence = -1, forward_thread = -1, external_id = -1, record_function = -1;
    CollectiveId collective;
    int64_t collective_number = -1;
    StringId module_path{0}, stack{0};
};

struct DeviceSpan {
    int64_t begin = 0, dur = 0;
    TrackId track;
    StringId name;
    DeviceKind kind = DeviceKind::kOther;
    uint8_t flags = 0;
    int64_t correlation = -1, external_id = -1;
    LaunchConfigId config;
    int64_t bytes = -1;
    CollectiveId collective;
    TransferId transfer;
    int64_t collective_number = -1;
    Exchange exchange;
    StringId ranges;  // invalid: none told
};

// See DeviceExtras.
struct DeviceExtra {
    int64_t graph = -1, graph_node = -1, green_context = -1, address = -1, event = -1;
};

struct NvtxRange {
    TrackId track, end_track;
    StringId text{0};
    NvtxAttributesId attributes;
};

struct MemoryEvent {
    int64_t time = 0;
    TrackId track;
    int64_t address = 0, bytes = 0, total_allocated = -1, total_reserved = -1;
    int32_t device_type = 0, device = -1;
    MemoryKind kind = MemoryKind::kUnspecified;
    StringId stack{0};
};

// Numbers of rows: how far a builder is, or how much is still to come.
struct RowCounts {
    size_t host = 0, ops = 0, api = 0, device = 0, memory = 0, counters = 0, flows = 0, faults = 0,
           graph_nodes = 0, samples = 0;
};

class ProfileBuilder {
  public:
    ProfileInfo& info() { return profile_.info; }
    Diagnostics& diagnostics() { return profile_.diagnostics; }
    StringId text(std::string_view text) { return profile_.strings.intern(text); }
    // The id of a text that is known already, else an invalid one.
    StringId find_text(std::string_view text) const { return profile_.strings.find(text); }
    std::string_view view(StringId id) const { return profile_.strings.view(id); }

    // Starts a rank. Its facts may be changed until finish(), which settles the numbers: known ones first,
    // then the others from the number they wish for (0 by default) upwards. A number that is taken is
    // replaced by the next free one, with a diagnostic.
    RankId begin_rank(Rank rank);
    Rank& rank(RankId id) { return profile_.ranks[id.index()]; }

    // The device `number` of a rank; the first mention creates it, undeclared.
    DeviceId device(RankId rank, int64_t number);
    Device& device_info(DeviceId id) { return profile_.devices[id.index()]; }

    TrackId host_track(RankId rank, int64_t pid, int64_t tid);
    // `pid`: of the process, where the source tells it: another one's contexts have the same numbers.
    TrackId stream_track(TrackKind kind, DeviceId device, int64_t context, int64_t stream, int64_t pid = 0);
    TrackId other_track(RankId rank, std::string_view pid, std::string_view tid);
    Track& track(TrackId id) { return profile_.tracks[id.index()]; }
    size_t track_count() const { return profile_.tracks.size(); }

    SignatureId signature(const Signature& signature);
    LaunchConfigId launch_config(const LaunchConfig& config);
    CollectiveId collective(const Collective& collective);
    TransferId transfer(const Transfer& transfer);
    NvtxAttributesId nvtx_attributes(const NvtxAttributes& attributes);
    ToldOpId told_op(const ToldOp& op);
    void add_context(const Context& context) { profile_.contexts.push_back(context); }
    // The first names of a kernel stay.
    void name_kernel(const KernelNames& names);
    void add_kernel_without_tc(StringId name) { profile_.kernels_without_tc.push_back(name); }
    void add_kernel_code(const KernelCode& code) { profile_.kernel_code.push_back(code); }

    RowCounts row_counts() const;
    // Capacity hint: it saves copies, never limits. Memory that is reserved and not used costs nothing.
    void reserve(const RowCounts& rows);
    // Moves all that was added since `from` by `by` ns, for sources that tell the base of their times last.
    // Nothing is done, and false given back, where a time would leave the range.
    bool shift_times(const RowCounts& from, int64_t by);

    // Of one process's rows since `from`: allocators number devices as the process sees them, tracers of
    // AMD's as the machine does. Where work ran on one device and memory is told of one other, both are one.
    void join_memory_device(const RowCounts& from);

    // Of one process's rows since `from`: kernels that tell no number of their collective get that of the op
    // of a process group that has their external id.
    void number_collectives(const RowCounts& from);

    void add_op(const HostSpan& span, const OpDetail& detail);
    void add_api(const HostSpan& span, int64_t correlation, int32_t result = -1, StringId kernel = {});
    // Every other kind; `detail` is kept as it is (see HostKind).
    void add_host(const HostSpan& span, uint32_t detail = StringId::kNone);
    void add_device(const DeviceSpan& span);
    // These belong to the span that was added last.
    void extend_device(const DeviceExtra& extra);
    void extend_device(ToldOpId op);
    void extend_nvtx(const NvtxRange& range);
    void extend_payload(NvtxPayload payload);
    void extend_message(Message message);
    void extend_call_chain(StringId stack);
    void extend_counters(const std::array<int64_t, kCounterSlots>& counted);
    void add_graph_node(const GraphNode& node) { profile_.graph_nodes.push_back(node); }
    void add_page_fault(const PageFault& fault) { profile_.page_faults.push_back(fault); }
    void add_memory(const MemoryEvent& event);
    void add_counter(int64_t time, TrackId track, StringId name, double value);
    void add_sample(int64_t time, TrackId track, int32_t cpu, StringId stack);
    void add_flow(const FlowEnd& flow) { profile_.flows.push_back(flow); }

    const Profile& so_far() const { return profile_; }
    // Makes rank `from`, whose times are moved by `shift`, a later part of the rank of the pause before it:
    // see join_ranks.h. Other ranks get other ids by it, and nothing can be added afterwards.
    void join(RankId from, int64_t shift, const RecordingPause& pause);

    // Orders the spans, moves the times to the origin, and hands the profile over.
    Profile finish() &&;

  private:
    void push_host(const HostSpan& span, uint32_t detail);
    uint32_t last_host_row() const { return static_cast<uint32_t>(profile_.host.size() - 1); }
    void settle_ranks();

    Profile profile_;
    absl::flat_hash_map<std::tuple<uint32_t, int64_t>, DeviceId> devices_;
    absl::flat_hash_map<std::tuple<uint32_t, int64_t, int64_t>, TrackId> host_tracks_;
    absl::flat_hash_map<std::tuple<uint8_t, uint32_t, int64_t, int64_t, int64_t>, TrackId> stream_tracks_;
    absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t>, TrackId> other_tracks_;
    absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, SignatureId> signatures_;
    absl::flat_hash_map<uint64_t, std::vector<LaunchConfigId>> launch_configs_;
    absl::flat_hash_map<uint64_t, std::vector<TransferId>> transfers_;
    absl::flat_hash_map<uint64_t, std::vector<NvtxAttributesId>> nvtx_attributes_;
    absl::flat_hash_map<StringId, TransferId> transfers_by_name_;
    absl::flat_hash_set<StringId> named_kernels_;
    absl::flat_hash_map<uint64_t, std::vector<CollectiveId>> collectives_;
    absl::flat_hash_map<uint64_t, std::vector<ToldOpId>> told_ops_;
};

}  // namespace opsight
